"""The search of the record: what each field finds, page by page, and what nobody can search for."""

import datetime as dt

import pytest
from django.db import connection
from django.db.models import Q
from django.http import QueryDict
from django.test.utils import CaptureQueriesContext

from audit import clock, record
from audit.entry_types import ENTRY_TYPES
from audit.models import COMMONEST_TYPE, Entry, Person, Stream
from games.models import Facility
from tables.desk import search
from tables.desk.entries import entry_rows
from tables.desk.query import GROUPS, TypeGroup, clean_query_string, day_bounds, parse_query, types_on_record
from tables.models import DiceLot, LotStep
from tables.rounds.wagers import WAGERS_PLACED
from tables.words.entries import words_of
from tests.services.emptying import guards_aside
from tests.services.entries import any_entry
from tests.services.restore import restored_later
from tests.tables.cast import make_scene
from tests.tables.slip_scene import file

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
NEWEST_FIRST = ("-at", "-pk")


def asked(scene, query=""):
    return parse_query(QueryDict(query).dict(), scene.table.facility)


def found(scene, query="", **how):
    return search.search_record(asked(scene, query), **how)


def told(scene, query=""):
    """Place and number of what a search finds."""
    return [(entry.stream.name.partition("/")[2], entry.seq) for entry in found(scene, query).entries]


def types(scene, query):
    return {entry.type for entry in found(scene, query).entries}


@restored_later
def two_rounds():
    scene = make_scene()
    scene.play((2, "small", 7_000), dice=[5, 5, 3])
    scene.finish()
    later = clock.now() + dt.timedelta(minutes=1)
    with clock.override(lambda: later):
        scene.play((2, "small", 3_000), dice=[1, 2, 3])
        scene.finish()
    return scene


@pytest.fixture
def played(db, hands):
    """Two rounds with a minute between them: round 1 at 10:00, round 2 at 10:01; seat 2 lost $70, then won $30."""
    scene = two_rounds()
    hands.now += dt.timedelta(minutes=1)
    return scene


def test_it_finds_everything_of_the_facility_newest_first(played):
    everything = Entry.objects.filter(stream__name__startswith="larkfield/").order_by(*NEWEST_FIRST)
    assert found(played, page=1000).entries == tuple(everything)
    assert len(everything) > 15


def test_a_range_is_in_the_time_zone_of_the_facility_and_includes_its_last_minute(played):
    table = played.table.stream
    second = Entry.objects.filter(stream=table, round=2)
    assert told(played, "from=2026-11-21T10:01&place=T-01") == told(played, "round=2")
    assert len(told(played, "round=2")) == second.count() == 6
    assert told(played, "from=2026-11-21T10:01&to=2026-11-21T10:01") == told(played, "round=2")
    assert told(played, "from=2026-11-21 10:01:01") == []
    assert told(played, "to=2026-11-21T10:00&round=2") == []
    assert told(played, "from=2026-11-21T15:00") == []


def test_a_gaming_day_is_from_six_in_the_morning(played, hands):
    assert told(played, "day=2026-11-21&round=1") == told(played, "round=1") != []
    assert told(played, "day=2026-11-20") == []
    hands.now = dt.datetime(2026, 11, 22, 10, 59, tzinfo=dt.UTC)  # 05:59
    played.place((1, "big", 1_000))
    hands.now += dt.timedelta(minutes=1)
    played.place((1, "big", 2_000))
    assert len(told(played, "day=2026-11-21&round=3")) == len(told(played, "day=2026-11-22&round=3")) == 1


def test_a_day_on_which_the_clocks_are_set_has_one_hour_more_or_less(scene):
    house = scene.table.facility
    hours = [
        last - first
        for first, last in (day_bounds(day, house) for day in (dt.date(2026, 10, 31), dt.date(2027, 3, 13)))
    ]
    assert hours == [dt.timedelta(hours=25), dt.timedelta(hours=23)]
    span = asked(scene, "from=2026-11-01T01:30&to=2026-11-01T01:30")
    assert span.until - span.since == dt.timedelta(minutes=61)


@pytest.mark.parametrize(
    ("query", "since", "until"),
    [
        # On 14 March 2027 the clocks go from 02:00 to 03:00, which is 07:00 UTC.
        ("from=2027-03-14T01:30&to=2027-03-14T01:59", "2027-03-14T06:30", "2027-03-14T07:00"),
        ("from=2027-03-14T02:15&to=2027-03-14T02:45", "2027-03-14T06:15", "2027-03-14T07:46"),
        # On 7 November 2027 01:00 comes at 05:00 UTC and once more at 06:00.
        ("from=2027-11-07T00:30&to=2027-11-07T00:59", "2027-11-07T04:30", "2027-11-07T05:00"),
        ("from=2027-11-07T01:00&to=2027-11-07T01:59", "2027-11-07T05:00", "2027-11-07T07:00"),
    ],
)
def test_a_minute_beside_a_change_of_the_clocks_ends_where_it_ends(scene, query, since, until):
    span = asked(scene, query)
    assert span.errors == {}
    assert [f"{one:%Y-%m-%dT%H:%M}" for one in (span.since, span.until)] == [since, until]


def test_a_day_of_the_installation_is_one_of_utc(hands, scene):
    stream = record.open_stream("installation/system")
    for hour in (0, 10, 23):
        at = dt.datetime(2026, 11, 22, hour, tzinfo=dt.UTC)
        record.append(
            stream, entry=any_entry("key.created", {"key": f"k{hour}"}), moment=at, gaming_day=at.date()
        )
    first = stream.seq - 2
    kept = [("system", first + one) for one in (2, 1, 0)]
    assert told(scene, "place=installation/system&day=2026-11-22") == kept
    assert told(scene, "place=installation/system&day=2026-11-21") == []
    half = "place=installation/system&day=2026-11-22&from=2026-11-22T05:00"
    assert told(scene, half) == kept[:2]


def test_a_round_is_found_at_its_table_alone_or_at_every_table(played):
    stream = record.open_stream("larkfield/T-02")
    write(stream, "bets.closed", {"round": 1, "wagered_cents": 100})
    assert {place for place, _ in told(played, "round=1")} == {"T-01", "T-02"}
    assert told(played, "round=1&place=T-02") == [("T-02", 1)]


def test_a_person_is_found_as_actor_and_as_witness(played):
    assert told(played, "who=surveillance") == []
    people = {"actor": played.people["pit-manager"], "witness": played.people["surveillance"]}
    write(played.table.stream, "round.voided", {"round": 2, "taken_cents": 0}, **people)
    signed = ("T-01", played.version)
    assert told(played, "who=surveillance") == told(played, "who=Surveillance") == [signed]
    assert told(played, "who=pit-manager") == [signed]
    acted = Entry.objects.filter(actor="dealer", stream__name="larkfield/T-01")
    assert told(played, "who=dealer&place=T-01") == [("T-01", one.seq) for one in acted.order_by("-seq")]
    assert acted.count() > 10


def write(stream, type_, data, **people):
    """An entry as an act would write it, at the moment of the newest one."""
    fresh = Stream.objects.get(pk=stream.pk)
    newest = Entry.objects.latest("at")
    record.append(
        fresh, entry=any_entry(type_, data), moment=newest.at, gaming_day=newest.gaming_day, **people
    )


def test_an_act_and_an_amount_are_found(played):
    assert types(played, "type=winners.paid") == {"winners.paid"}
    assert told(played, "type=losers.taken&least=70") == told(played, "type=losers.taken&least=70&most=70.00")
    assert len(told(played, "type=losers.taken&least=70")) == 1
    assert told(played, "type=losers.taken&least=70.01") == []
    assert types(played, "least=$30&most=69.99&round=2") >= {"winners.paid", "bets.closed"}


def test_a_lot_brings_the_entries_that_only_speak_of_it(played):
    direct = told(played, "lot=L-0001")
    assert len(direct) > 2 and told(played, "lot=L-9999") == []
    entry = Entry.objects.get(type="table.opened")
    assert entry.lot == "L-0001" and ("T-01", entry.seq) in direct
    other = Entry.objects.get(type="dealer.began")
    lot = DiceLot.objects.get(facility=played.table.facility, code="L-0001")
    LotStep.objects.create(lot=lot, stream=other.stream, seq=other.seq)
    found_now = told(played, "lot=L-0001")
    assert set(found_now) == {*direct, ("T-01", other.seq)} and found_now == sorted_as_shown(found_now)


def sorted_as_shown(pairs):
    entries = {
        (entry.stream.name.partition("/")[2], entry.seq): (entry.at, entry.pk)
        for entry in Entry.objects.select_related("stream")
    }
    return sorted(pairs, key=entries.__getitem__, reverse=True)


def test_no_search_mixes_real_play_and_training(played):
    stream = record.open_stream("larkfield/T-99", real_play=False)
    write(stream, "bets.closed", {"round": 1, "wagered_cents": 100})
    assert told(played, "training=1") == [("T-99", 1)]
    assert ("T-99", 1) not in told(played)
    assert "Search it under Training" in asked(played, "place=T-99").errors["place"]
    assert "Search it under Real play" in asked(played, "place=T-01&training=1").errors["place"]


def test_another_facility_and_the_installation_are_left_out_until_they_are_named(played):
    Facility.objects.create(code="lark", name="Lark", jurisdiction="PA")
    write(record.open_stream("lark/T-01"), "bets.closed", {"round": 1, "wagered_cents": 1})
    write(record.open_stream("larkfield_2/T-01"), "bets.closed", {"round": 1, "wagered_cents": 1})
    write(record.open_stream("installation/system"), "key.created", {"name": "k"})
    assert {one.stream.facility for one in found(played, page=1000).entries} == {"larkfield"}
    assert told(played, "place=installation/system") == [("system", 1)]


@pytest.mark.parametrize("query", ["", "place=T-01", "who=dealer", "lot=L-0001", "type=wagers.placed"])
def test_all_pages_together_have_every_entry_once(played, query):
    entries = found(played, query, page=1000).entries
    pages, before = [], ""
    while True:
        page = found(played, f"{query}{before}", page=3)
        pages += page.entries
        if not page.next_key:
            break
        before = f"&before={page.next_key}"
    assert tuple(pages) == entries


def test_a_page_searches_a_limited_number_of_entries_and_says_how_far_back(played, monkeypatch):
    monkeypatch.setattr(search, "MAX_CANDIDATES", 5)
    rare = found(played, "type=wagers.placed&place=T-01", page=50)
    assert rare.scanned_to is not None and rare.scanned_to.pk == rare.next_key
    pages, turns = list(rare.entries), 1
    while rare.next_key:
        rare = found(played, f"type=wagers.placed&place=T-01&before={rare.next_key}", page=50)
        pages, turns = [*pages, *rare.entries], turns + 1
    wagers = Entry.objects.filter(type="wagers.placed").order_by("-seq")
    assert pages == list(wagers) and turns > 2


MALFORMED = {
    "from=yesterday": "from", "from=2026-13-01T00:00": "from", "to=0000-01-01T00:00": "to", "to=2026-11-21": "to",
    "day=21.11.2026": "day", "day=9999-12-31": "day", "round=-1": "round", "round=٣": "round",
    "round=99999999999999999999": "round", "lot=L 1": "lot", "who=nobody": "who", "type=x": "type",
    "type=; DROP TABLE audit_entry": "type", "least=1e9": "least", "most=-5": "most", "least=99999999999": "least",
    "place=T-77": "place", "place=../system": "place", "place=%00": "place", "training=yes": "training",
    "before=x": "before", "before=99999999": "before", "before=999999999999999999999": "before",
    "from=2026-11-21T10:00&to=2026-11-21T09:00": "to", "least=10&most=9": "most", "who=%00": "who",
    f"lot={'x' * 5000}": "lot",
}  # fmt: skip


@pytest.mark.parametrize("query", MALFORMED)
def test_an_invalid_search_is_explained_and_finds_nothing(played, query):
    wrong = asked(played, query).errors
    assert list(wrong) == [MALFORMED[query]] and str(wrong[MALFORMED[query]]).endswith(".")
    assert found(played, query).entries == ()
    page = played.browser("podium", "compliance").get(f"/record/larkfield/?{query}")
    assert page.status_code == 200
    assert "Nothing was searched" in page.content.decode()


def test_two_people_of_the_same_name_are_distinguished_by_their_codes(played):
    Person.objects.filter(code__in=("dealer", "relief")).update(name="Ana Gomez")
    assert "Several people" in asked(played, "who=Ana Gomez").errors["who"]
    assert asked(played, "who=Relief").who == "relief"


def test_a_saved_query_keeps_what_the_search_knows_and_nothing_else(played):
    house = played.table.facility
    assert clean_query_string("round=1&place=T-01&page=7&before=999999&junk=1", house) == "place=T-01&round=1"
    assert clean_query_string("round=x", house) is None
    assert clean_query_string("", house) == ""


def test_every_type_on_record_is_offered_once(played):
    assert types_on_record() == sorted(set(Entry.objects.values_list("type", flat=True)))


def test_an_entry_of_an_unknown_shape_still_reads(played):
    assert words_of("winners.paid", {}) == "Winners paid"
    assert words_of("never.seen_before", {"x": 1}) == "Never seen before"


@pytest.mark.parametrize(
    "data, said",
    [
        ({"code": "RS-0003", "version": 2, "why": "Totals pay more"}, "Rules filed: RS-0003, version 2"),
        ({"request": "NG-0002", "title": "Lucky Pair"}, "Rules filed: NG-0002, Lucky Pair"),
        ({"what": "x" * 81, "version": True, "code": 7}, "Rules filed"),
    ],
)
def test_an_entry_without_words_names_its_subject(data, said):
    assert words_of("rules.filed", data) == said


def test_a_number_leads_to_what_it_names(played):
    file(played, "dice", number=1, dice=[1, 2, 3])
    filed = Entry.objects.get(type="slip.filed")
    slips = told(played, "number=ens-1")
    assert slips == told(played, "number=ENS-0001") and ("T-01", filed.seq) in slips
    assert all(entry.round == 1 for entry in found(played, "number=ENS-0001").entries)
    assert told(played, "number=L-0001") == told(played, "lot=L-0001")
    assert (
        told(played, "number=T-01 2")
        == told(played, "number=t-01, round 2")
        == told(played, "place=T-01&round=2")
    )
    document = played.on_file()
    assert types(played, f"number={document}") == {"document.filed"}
    assert told(played, f"number={document}&least=1") == []


@pytest.mark.parametrize("typed", ["ENS-0009", "T-99 1", "T-01 0", "12", "RS", "ENS-", "x" * 95])
def test_a_number_that_is_not_here_is_explained(played, typed):
    assert asked(played, f"number={typed}").errors["number"]
    assert found(played, f"number={typed}").entries == ()


def test_entries_of_a_round_are_listed_together_under_its_name(played):
    file(played, "dice", number=1, dice=[1, 2, 3])
    browser = played.browser("podium", "compliance")
    context = browser.get("/record/larkfield/?place=T-01").context
    labels = [group.label for group in context["groups"] if group.label]
    assert labels == ["Round 1 at T-01", "Round 2 at T-01"]  # the slip about round 1 is the newest
    assert sum(len(group.rows) for group in context["groups"]) == len(context["rows"])
    page = browser.get("/record/larkfield/?number=ENS-0001").content.decode()
    assert 'href="/floor/larkfield/T-01/rounds/1/">Round 1 at T-01</a>' in page


def test_a_row_shows_time_place_act_person_figure_number_and_hash(played):
    page = (
        played.browser("podium", "compliance")
        .get("/record/larkfield/?type=winners.paid&round=2")
        .content.decode()
    )
    entry = Entry.objects.get(type="winners.paid")
    for said in (
        "10:01:00",
        "T-01",
        "Paid $30 to seat 2",
        "Dealer",
        "$30",
        str(entry.seq),
        bytes(entry.hash).hex()[:8],
    ):
        assert said in page
    assert f"/record/larkfield/entries/T-01/{entry.seq}/" in page


def enlarge(stream, entries):
    """So many entries more on a stream, with the guards put aside: PostgreSQL's planner chooses by the size."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with guards_aside(connection), connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day, actor, witness, round,
                   lot, cents)
               SELECT %s, n, sha256('p'), sha256('h'), '{}', 'bets.closed', now() - (%s - n) * interval '1 second',
                   '2026-11-21', 'dealer', CASE WHEN n %% 500 = 0 THEN 'surveillance' ELSE '' END, n / 8,
                   CASE WHEN n %% 5 = 0 THEN 'L-0001' ELSE '' END, n
               FROM generate_series(1, %s) n""",
            [stream.pk, entries, entries],
        )
        Stream.objects.filter(pk=stream.pk).update(seq=entries)
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE audit_entry")


WALKED = {
    "": ["audit_entry_at"],
    "least=1000000": ["audit_entry_at"],
    "who=surveillance": ["audit_entry_actor", "audit_entry_witness"],
    "type=bets.closed": ["audit_entry_type"],
    "type=wagers.placed": ["audit_entry_at"],
    "place=T-50": ["audit_entry_stream_seq"],
    "place=T-50&round=700": ["audit_entry_round"],
    "round=700": ["audit_entry_round"],
    "lot=L-0001": ["audit_entry_lot"],
}


def test_the_commonest_act_is_the_one_that_places_wagers(played):
    assert COMMONEST_TYPE == WAGERS_PLACED.name in types_on_record()


@pytest.mark.parametrize("query", ["who=dealer", "who=dealer&from=2026-11-21T10:03&to=2026-11-21T10:38"])
def test_what_a_person_did_is_paged_across_tens_of_minutes(played, query):
    """The index of people has the ten minutes alone, within which the entries are sorted by their moments."""
    for minutes in (8, 9, 10, 11, 19, 31, 45):
        later = clock.now() + dt.timedelta(minutes=minutes)
        with clock.override(lambda later=later: later):
            played.play((2, "small", 2_500), dice=[1, 2, 3])
            played.finish()
    asking = asked(played, query)
    own = Entry.objects.filter(Q(actor=asking.who) | Q(witness=asking.who))
    own = own.filter(at__gte=asking.since, at__lt=asking.until) if asking.since else own
    every, before = [], 0
    while page := found(played, f"{query}&before={before}" if before else query, page=5).entries:
        every += page
        before = page[-1].pk
    assert every == list(own.order_by(*NEWEST_FIRST))
    assert len({entry.at for entry in every}) > 3


def plans_of(scene, query, explain):
    """What the database would do for each walk of a search."""
    asking = asked(scene, query)
    with connection.cursor() as cursor:
        for walk in search.index_scans(asking):
            sql, params = search.statement(walk, search._filters(asking))
            cursor.execute(f"{explain} {sql}", params)
            yield "\n".join(str(row) for row in cursor.fetchall())


@pytest.mark.postgres
def test_each_search_of_a_large_record_uses_one_index_and_never_scans_the_table(scene):
    enlarge(record.open_stream("larkfield/T-50"), 60_000)
    walked = {}
    for query, indexes in WALKED.items():
        plans = list(plans_of(scene, query, "EXPLAIN"))
        assert all("Seq Scan on audit_entry" not in plan for plan in plans), plans
        walked[query] = [name for name in indexes if any(name in plan for plan in plans)]
    assert walked == WALKED


def test_sqlite_walks_the_same_indexes(scene):
    if connection.vendor != "sqlite":
        pytest.skip("SQLite's own plans")
    walked = {}
    for query, indexes in WALKED.items():
        plans = "".join(plans_of(scene, query.replace("T-50", "T-01"), "EXPLAIN QUERY PLAN"))
        walked[query] = [name for name in indexes if name in plans]
    walked["place=T-50"] = WALKED["place=T-50"]  # SQLite names no index of a constraint
    assert walked == WALKED


@pytest.mark.parametrize("query", ["", "who=dealer", "type=table.opened"])
def test_a_search_sends_the_same_statements_however_many_tables_there_are(scene, query):
    asking, statements = asked(scene, query), []
    for names in ([], [f"larkfield/T-{number}" for number in range(60, 90)]):
        for name in names:
            record.open_stream(name)
        with CaptureQueriesContext(connection) as captured:
            assert search.search_record(asking).entries
        statements.append([statement["sql"] for statement in captured])
    assert statements[0] == statements[1]


def test_an_entry_about_rules_says_from_which_odds_to_which(scene):
    key = "pa-539@2010-04-03"
    scene.in_office("draft_submission", {"code": "RS-0009", "edition": key, "why": "higher odds"})
    named = {"code": "RS-0009", "version": 2, "edition": key}
    scene.in_office("change_draft", {**named, "payouts": [{"family": "total:4", "odds": "65 to 1"}]})
    scene.in_office("change_draft", {**named, "payouts": [{"family": "total:4", "odds": "70 to 1"}]})
    newest = entry_rows(found(scene, "number=RS-0009").entries, scene.table.facility)
    words = [row.words for row in newest if row.entry.type == "rules.changed"]
    assert words[0] == "Rules changed: RS-0009, version 2. Total 4: 70 to 1, before 65 to 1"
    assert "Total 4: 65 to 1, before " in words[1]
    drafted = next(row.words for row in newest if row.entry.type == "rules.drafted")
    assert "58 Pa. Code Chapter 539" in drafted and "before 58 Pa. Code Chapter 625a, Paytable A" in drafted
    page = scene.browser("podium", "compliance").get("/record/larkfield/?number=RS-9").content.decode()
    assert "Total 4: 70 to 1, before 65 to 1" in page


def test_several_acts_are_searched_for_at_once_and_page_by_page(played):
    assert types(played, "type=winners.paid+bets.closed") == {"winners.paid", "bets.closed"}
    both = {entry.pk for entry in Entry.objects.filter(type__in=("winners.paid", "bets.closed"))}
    first = found(played, "type=winners.paid+bets.closed", page=1)
    second = found(played, f"type=winners.paid+bets.closed&before={first.next_key}", page=50)
    assert {entry.pk for entry in (*first.entries, *second.entries)} == both
    assert types(played, "type=winners.paid+bets.closed&round=2") == {"winners.paid", "bets.closed"}
    assert asked(played, "type=winners.paid+no").errors["type"].startswith("This is not an act")


def test_a_group_of_acts_finds_all_of_them(played):
    file(played, "dice", number=1, dice=[1, 2, 3])
    assert types(played, "type=overrides") == {"slip.filed"}
    assert types(played, "type=overrides+bets.closed") == {"slip.filed", "bets.closed"}
    assert types(played, "type=limits") == set()


def test_each_type_of_a_group_is_a_type_of_the_record():
    unknown = [
        name
        for group in GROUPS
        for name in group.types
        if not any(TypeGroup("", "", (name,)).has(type_) for type_ in ENTRY_TYPES)
    ]
    assert unknown == []


def test_the_form_keeps_the_acts_that_were_chosen(played):
    page = played.browser("podium", "compliance").get("/record/larkfield/?type=limits&type=bets.closed")
    text = page.content.decode()
    assert 'value="limits" checked' in text and 'value="bets.closed" checked' in text
    assert "Limits and their notices, Bets closed" in text

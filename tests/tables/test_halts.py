"""A screen comes back with a head that the record does not hold: the table is halted until the record is declared."""

import datetime as dt
import json
import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock, record
from audit.devices import enroll
from audit.models import Entry, Incarnation, Stream
from audit.record import current_incarnation_number
from audit.sealing.declarations import declare_incarnation, open_first
from games.engine import Refusal
from tables import ticker
from tables.core.duty import Forbidden
from tables.models import Alert, DiceLot, Table
from tables.opening.opening import make_table
from tables.replay.play_tables import differences_of
from tables.runner import table
from tables.screens import fragments, push, snapshot
from tables.words.sentences import say
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ACT = "/floor/larkfield/T-01/acts/"
LAY = {"wagers": [{"seat": 1, "wager": "small", "cents": 2_500, "made_in": "chips"}]}


def head_of(scene):
    return scene.snapshot["head"]


def foreign(scene, seq=None):
    """A head with our MAC that the record does not hold."""
    stream = Stream(name=scene.table.stream.name, seq=seq or scene.version + 5, head=bytes(range(32)))
    return record.signed_head(stream, current_incarnation_number())


def act(scene, head, name="place_wagers", params=LAY, *, by="dealer", seen=None, command=None):
    device = scene.podium if by == "floorperson" else scene.tablet
    return table.execute(
        table.ActRequest(
            facility="larkfield",
            place="T-01",
            act=name,
            command=command or uuid.uuid4(),
            seen_version=scene.version if seen is None else seen,
            params=params,
            actor=scene.people[by],
            device=device,
            head=record.parse_head(head),
        )
    )


def refused(scene, code, head, *args, **how):
    with pytest.raises(Refusal) as refusal:
        act(scene, head, *args, **how)
    assert refusal.value.code == code
    return refusal.value


def entries(scene, *types):
    found = Entry.objects.filter(stream=scene.table.stream, type__in=types).order_by("seq")
    return [json.loads(bytes(body)) for body in found.values_list("body", flat=True)]


def declare(scene):
    """Two people declare the record as it stands: incarnation 2, where a first one was open."""
    if not Incarnation.objects.exists():
        open_first()
    people = scene.people
    return declare_incarnation(people["compliance"], people["shift-manager"], "the disk was replaced")


# What an act without trouble costs


def test_an_act_takes_the_newest_head_an_older_one_or_none(scene):
    first = head_of(scene)
    act(scene, first)
    act(scene, None)
    act(scene, first, "report_dispute", {"seat": 1, "about": "the dice"})


def test_the_newest_head_costs_no_statement_and_an_older_one_one(scene):
    older = head_of(scene)

    def statements(head):
        with CaptureQueriesContext(connection) as found:
            act(scene, head, "report_dispute", {"seat": 1, "about": "the dice"})
        return len(found)

    statements(None)
    without = statements(None)
    assert (statements(head_of(scene)), statements(older)) == (without, without + 1)


# A head that the record does not hold


def test_it_halts_the_table_on_the_record_and_calls_the_floor(scene):
    head = foreign(scene)
    before = scene.version
    refusal = refused(scene, "record-went-back", head)
    assert (refusal.status, refusal.affected_table_ids) == (423, (scene.table.pk,))
    assert scene.fresh.halted_at is not None and scene.round is None
    (said,) = entries(scene, "table.halted")
    assert (said["seq"], said["actor"], said["device"]) == (before + 1, "dealer", str(scene.tablet.pk))
    assert said["data"] == {
        "seen": before + 5,
        "seen_head": bytes(range(32)).hex(),
        "seen_incarnation": 1,
        "found_head": "",
        "last": before,
    }
    alert = Alert.objects.get(key="record-went-back")
    assert (alert.level, alert.ended_at, alert.params) == ("stop", None, {"seen": before + 5, "last": before})
    assert scene.version == before + 2  # the halt and its alert


def test_it_tells_what_stands_at_that_number_where_something_does(scene):
    seq = scene.version - 1
    refused(scene, "record-went-back", foreign(scene, seq))
    (said,) = entries(scene, "table.halted")
    assert (
        said["data"]["found_head"] == bytes(Entry.objects.get(stream=scene.table.stream, seq=seq).hash).hex()
    )


def test_nothing_is_taken_there_any_more_by_anybody_with_or_without_a_head(scene):
    good = head_of(scene)
    refused(scene, "record-went-back", foreign(scene))
    version = scene.version
    for head in (None, good, head_of(scene), foreign(scene)):
        assert refused(scene, "table-halted", head).status == 423
    alert = Alert.objects.get(key="record-went-back")
    for name, params in (
        ("acknowledge_alert", {"alert": alert.pk}),
        ("void_round", {"reason": "dispute"}),
        ("close_table", {"dice": "stay"}),
    ):
        refused(scene, "table-halted", None, name, params, by="floorperson")
    assert scene.version == version


def test_an_act_that_was_taken_before_still_gets_its_first_answer(scene):
    command = uuid.uuid4()
    first = act(scene, None, command=command)
    refused(scene, "record-went-back", foreign(scene))
    again = act(scene, None, command=command)
    assert (again.is_repeat, again.body, again.version) == (True, first.body, first.version)


def test_the_other_tables_play_on(scene):
    other = make_table(
        scene.table.facility,
        code="T-02",
        pit=scene.table.pit,
        submission="RS-0009",
        kind="live",
        seats=8,
        min_cents=1_000,
        max_cents=100_000,
    )
    refused(scene, "record-went-back", foreign(scene))
    params = {"min_cents": 2_500, "max_cents": 100_000, "nobody_plays": True}
    shown = snapshot.of_table(other.pk)
    assert shown["halted"] is None
    floorperson = scene.people["floorperson"]
    call = table.ActRequest(
        "larkfield",
        "T-02",
        "change_limits",
        uuid.uuid4(),
        shown["version"],
        params,
        floorperson,
        scene.podium,
        head=record.parse_head(shown["head"]),
    )
    assert table.execute(call).body["type"] == "limits.changed"


def test_the_clock_still_records_what_it_does(scene):
    refused(scene, "record-went-back", foreign(scene))
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now())
    ticker.tick()
    assert entries(scene, "dice_lot.expired")[0]["data"]["lot"] == "L-0001"


@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-675a", "pa-577"])
@pytest.mark.parametrize("opened", [True, False])
def test_every_screen_says_so_and_offers_no_act(db, rules, opened):
    scene = make_scene(rules, opened=opened)
    refused(scene, "record-went-back", foreign(scene))
    shown = scene.snapshot
    assert (shown["next"], shown["offers"], shown["instruction"], shown["to_open"]) == (None, [], None, [])
    assert shown["missing"]["code"] == "table-halted"
    assert shown["halted"]["text"] == shown["missing"]["text"]
    assert shown["alerts"][0]["kind"] == "record-went-back" and shown["alerts"][0]["level"] == "stop"
    for station in ("dealer", "table", "tile"):
        html = fragments.render(station, shown)
        assert " data-halted" in html.split(">")[0] + html.split(">")[1]
        assert "alted" in html.replace("data-halted", "")
        for acts in ("data-act=", "data-ask=", "data-acknowledge=", "data-limits"):
            assert acts not in html.replace('data-act="announce', ""), (station, acts)


def test_the_screen_of_a_table_that_is_not_halted_carries_its_head(scene):
    html = fragments.render("dealer", scene.snapshot)
    head = head_of(scene)
    for name, value in (("head", head["head"]), ("incarnation", 1), ("mac", head["mac"])):
        assert f'data-{name}="{value}"' in html
    assert "data-halted" not in html


# A head that is not ours


def test_a_forged_head_is_refused_raises_one_alert_and_halts_nothing(scene):
    head = {**head_of(scene), "mac": "0" * 64}
    refusal = refused(scene, "head-not-ours", head)
    assert (refusal.status, refusal.affected_table_ids) == (422, (scene.table.pk,))
    assert refused(scene, "head-not-ours", head).affected_table_ids == ()
    (alert,) = Alert.objects.filter(kind="head-not-ours")
    assert (alert.level, alert.params) == ("warn", {"device": scene.tablet.name})
    (said,) = entries(scene, "alert.raised")
    assert (said["actor"], said["device"]) == ("dealer", str(scene.tablet.pk))
    assert scene.fresh.halted_at is None
    act(scene, None)
    act(scene, None, "acknowledge_alert", {"alert": alert.pk}, by="floorperson")
    alert.refresh_from_db()
    assert alert.ended_at is not None
    assert refused(scene, "head-not-ours", head).affected_table_ids == ()


def test_a_device_calls_the_floor_of_a_table_with_forged_heads_once_an_hour(hands, scene):
    head = {**head_of(scene), "mac": "0" * 64}
    raised = []
    for minutes in (0, 1, 59, 2):
        hands.now += dt.timedelta(minutes=minutes)
        raised.append(
            [
                bool(refused(scene, "head-not-ours", head, by="floorperson").affected_table_ids)
                for _ in range(3)
            ]
        )
        for alert in Alert.objects.filter(kind="head-not-ours", ended_at=None):
            act(scene, None, "acknowledge_alert", {"alert": alert.pk}, by="floorperson")
    assert raised == [[True, False, False], [False] * 3, [True, False, False], [False] * 3]


@pytest.mark.parametrize("person", ["surveillance", "stranger", "relief"])
def test_a_forged_head_of_somebody_who_may_not_act_here_writes_nothing(scene, person):
    head, before = {**head_of(scene), "mac": "0" * 64}, scene.version
    scene.tablet = scene.podium
    with pytest.raises(Forbidden):
        act(scene, head, by=person)
    assert (scene.version, Alert.objects.filter(kind="head-not-ours").count()) == (before, 0)


def test_the_head_of_another_table_is_not_ours(scene):
    other = Stream(name="larkfield/T-02", seq=3, head=bytes(32))
    refused(scene, "head-not-ours", record.signed_head(other, 1))


def test_one_from_a_device_of_elsewhere_is_not_written_on_this_tables_record(scene):
    device, _token = enroll("Podium of another house", "seabright", "podium")
    head = {**head_of(scene), "mac": "0" * 64}
    before = scene.version
    scene.podium = device
    refused(scene, "device-of-another-table", head, by="floorperson")
    assert (scene.version, Alert.objects.filter(kind="head-not-ours").count()) == (before, 0)


# The declaration


def test_a_declared_incarnation_lets_it_go_on(scene):
    gone = foreign(scene)
    refused(scene, "record-went-back", gone)
    halted_at = clock.format_moment(scene.fresh.halted_at)
    assert declare(scene).number == 2
    (said,) = entries(scene, "table.resumed")
    assert said["data"] == {"incarnation": 2, "halted_at": halted_at}
    assert (said["actor"], said["witness"]) == ("compliance", "shift-manager")
    assert scene.fresh.halted_at is None
    assert Alert.objects.get(key="record-went-back").ended_at is not None
    assert scene.snapshot["head"]["incarnation"] == 2 and scene.snapshot["halted"] is None
    with pytest.raises(table.Stale):  # the screen of before has not heard yet
        act(scene, gone)
    assert scene.fresh.halted_at is None
    act(scene, head_of(scene))


def test_a_halt_that_was_lifted_in_the_table_alone_is_a_difference_from_the_record(scene):
    refused(scene, "record-went-back", foreign(scene))
    halt = Entry.objects.get(type="table.halted")
    assert list(differences_of(scene.fresh)) == []
    Table.objects.update(halted_at=None)
    assert [(difference.seq, difference.field) for difference in differences_of(scene.fresh)] == [
        (halt.seq, "halted_at")
    ]
    Table.objects.update(halted_at=halt.at)
    declare(scene)
    assert list(differences_of(scene.fresh)) == []


def test_a_new_incarnation_leaves_a_table_alone_that_is_not_halted(scene):
    before, version = head_of(scene), scene.version
    declare(scene)
    assert scene.version == version
    act(scene, before)  # what a screen showed before is on the record


def test_a_head_that_goes_missing_in_the_new_incarnation_halts_again(scene):
    declare(scene)
    refused(scene, "record-went-back", foreign(scene))
    assert entries(scene, "table.halted")[0]["data"]["seen_incarnation"] == 2


def test_a_declaration_while_the_act_waited_makes_it_only_stale(scene, monkeypatch):
    """The lock's own statement may have begun before the declaration: it is asked again before anything is halted."""
    gone = foreign(scene)
    declare(scene)
    waited = table.locked_table

    def as_before(*args):
        found = waited(*args)
        return type(found)(found.table, found.now, found.on_duty, 1)

    monkeypatch.setattr(table, "locked_table", as_before)
    with pytest.raises(table.Stale):
        act(scene, gone)
    assert scene.fresh.halted_at is None


# The endpoint


def post(browser, scene, head, **changed):
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": LAY, "head": head, **changed}
    return browser.post(ACT + "place_wagers", json.dumps(body), content_type="application/json")


def test_the_endpoint_answers_423_with_the_halted_screen_and_tells_every_screen(scene, monkeypatch):
    published: list[int] = []
    monkeypatch.setattr(push, "publish_from_thread", lambda table, _act=None: published.append(table))
    tablet = scene.browser("tablet", "dealer")
    answer = post(tablet, scene, foreign(scene))
    assert answer.status_code == 423
    body = answer.json()
    assert body["refusal"]["code"] == "record-went-back"
    assert str(scene.version - 2 + 5) in body["refusal"]["message"]
    assert " data-halted" in body["screen"]["html"]
    assert published == [scene.table.pk]
    assert post(tablet, scene, None).status_code == 423
    assert published == [scene.table.pk]


def test_the_endpoint_takes_the_head_of_the_screen_and_refuses_what_is_none(scene):
    tablet = scene.browser("tablet", "dealer")
    assert post(tablet, scene, head_of(scene)).status_code == 200
    answer = post(tablet, scene, {"seq": 3})
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (422, "malformed")
    answer = post(tablet, scene, {**head_of(scene), "mac": "\ud800"})
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (422, "malformed")
    answer = post(tablet, scene, {**head_of(scene), "mac": "x"})
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (422, "head-not-ours")


def test_a_repeated_command_may_carry_another_head(scene):
    tablet = scene.browser("tablet", "dealer")
    command = str(uuid.uuid4())
    assert post(tablet, scene, head_of(scene), command=command).status_code == 200
    assert post(tablet, scene, head_of(scene), command=command).json()["again"] is True


def test_every_refusal_of_a_head_has_a_sentence_that_says_what_to_do(scene):
    for refusal in (
        refused(scene, "head-not-ours", {**head_of(scene), "mac": ""}),
        refused(scene, "record-went-back", foreign(scene)),
        refused(scene, "table-halted", None),
    ):
        assert "T-01" in say(refusal) and "call the shift manager" in say(refusal)

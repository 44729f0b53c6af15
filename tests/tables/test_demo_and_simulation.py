"""The demo floor, created once and only in the demo; and seeded rounds at simulated tables."""

import datetime as dt
import io
import random
import re
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.models import Max, Min, Sum
from django.test import Client

from audit import clock, export, verify
from audit.devices import enroll
from audit.models import Device, Entry, Person
from games.engine import Refusal
from games.engine.rounds import Phase
from games.models import Document, Facility, GameRequest, RulesSubmission
from games.office.calendar import deadlines
from games.office.providers.services import suspended_codes
from games.office.requests import parts
from tables.demo import evening, floor, landing, seeding, simulated_evening, simulation
from tables.demo.simulated_evening import hand_over_shift
from tables.demo.simulation import Staff, verify_simulated
from tables.models import (
    Alert,
    Assignment,
    ChipTransfer,
    Handover,
    ItemAcceptance,
    LimitsChange,
    PlannedMove,
    PlayerDetails,
    Rating,
    Round,
    Settlement,
    Table,
    TableInventory,
    TickerStatus,
)
from tables.money.chips import change_keeping
from tables.money.tray import tray_of
from tables.runner.table import DEALT_IN_THE_PAST, for_each_table
from tables.screens import snapshot
from tables.setup.devices import device_alerts
from tables.staffing.roster import dealers_on_duty
from tables.ticker import SILENT_AFTER
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HAPPENED_AT_TABLES = {
    *("dealer.began", "dealer.relieved", "dealer.left", "dice_lot.placed", "table.opened", "table.closed"),
    *("par.set", "inventory.opener_counted", "inventory.counted", "inventory.closer_counted"),
    *("inventory.discrepancy", "drop_box.put_on", "drop_box.taken_off", "drop_box.counted", "chips.sold"),
    *("transfer.requested", "transfer.prepared", "transfer.handed_over", "limits.change_begun"),
    *("limits.sign_posted", "limits.announced", "dispute.reported", "floor.called", "alert.decided"),
    *("rating.started", "rating.ended", "seat.refused", "seat.allowed"),
    *("dice.corrected", "slip.filed", "slip.settled", "device.failed", "repair.recorded"),
}
VERIFY = Path(__file__).resolve().parents[2] / "audit" / "verify.py"


def said(*command, **options):
    out = io.StringIO()
    call_command(*command, stdout=out, **options)
    return out.getvalue()


def test_seed_demo_refuses_where_no_demo_is():
    with pytest.raises(CommandError, match="DEMO"):
        call_command("seed_demo")
    assert not Person.objects.exists()


def test_seed_demo_makes_the_floor_once(settings):
    settings.DEMO = True
    assert "was created" in said("seed_demo")
    made = (Table.objects.count(), Person.objects.count(), Entry.objects.count())
    assert made[0] == 12
    editions = {table.submission_code for table in Table.objects.filter(facility__code="larkfield")}
    assert editions == {"RS-0003", "RS-0009", "RS-0012", "RS-0021", "RS-0022", "RS-0031"}
    assert Table.objects.filter(status="open").count() == 9
    assert "already" in said("seed_demo")
    assert (Table.objects.count(), Person.objects.count(), Entry.objects.count()) == made
    assert "110011  Mei Tran" in said("seed_demo", show=True)


def test_the_only_lapsed_edition_of_an_evening_says_why_it_is_dealt(settings):
    """Three Dice Football has no other; T-05 deals the newest edition of its game then."""
    settings.DEMO = True
    evening.seed_floor()
    rules = {
        table.code: snapshot.of_table(table.pk)["rules"]
        for table in Table.objects.filter(facility__code="larkfield")
    }
    assert {code: facts["lapsed_why"] for code, facts in rules.items() if facts["lapsed"]} == {
        "T-42": "No later edition has the rules of this game"
    }
    assert rules["T-05"]["submission"] == "RS-0009"
    said("verify_record", "--read-only")


def test_who_belongs_to_every_facility_of_the_demo_may_sign_in_at_each(settings):
    """As `seed_demo --show` lists them: a sign-in offers only who is on duty."""
    settings.DEMO = True
    said("seed_demo")
    for facility in Facility.objects.all():
        on_duty = set(
            Assignment.objects.filter(facility=facility, ended_at=None).values_list("person__code", flat=True)
        )
        assert {"agnes", "teo"} <= on_duty, facility.code


def test_seed_demo_that_fails_half_way_leaves_nothing_and_can_run_again(settings, monkeypatch):
    settings.DEMO = True
    monkeypatch.setattr(seeding, "_fill_the_office", broken)
    with pytest.raises(RuntimeError):
        call_command("seed_demo")
    assert not Facility.objects.exists() and not Entry.objects.exists()
    monkeypatch.undo()
    settings.DEMO = True
    assert "was created" in said("seed_demo")


def broken():
    raise RuntimeError("the disk is full")


def test_an_hour_of_the_past_is_dealt_at_every_table_up_to_the_present(settings, monkeypatch):
    settings.DEMO = True
    monkeypatch.setattr(evening, "PAST", dt.timedelta(minutes=8))
    start = clock.now()
    assert evening.seed_floor() and not evening.seed_floor()
    live = evening.LiveEvening(random.Random(1))
    tables = Table.objects.filter(facility__code="larkfield", code__in=evening.DEALT)
    assert set(tables.values_list("pk", flat=True)) == DEALT_IN_THE_PAST
    while live.in_the_past():
        live.deal_past()
    assert not DEALT_IN_THE_PAST
    for table in tables:
        moments = Entry.objects.filter(stream=table.stream).aggregate(first=Min("at"), last=Max("at"))
        assert start - evening.PAST <= moments["first"] < moments["last"] <= clock.now(), table.code
        assert table.last_round > 1 and table.tray_cents, table.code
        assert TableInventory.objects.filter(table=table, closed_at=None).exists(), table.code
    assert Alert.objects.get(kind="dispute", ended_at=None).table.code == "T-05"
    for state in live.tables.values():
        state.waits_until = None
    for _ in range(12):
        live.act()
    assert ChipTransfer.objects.filter(table__code="T-04", kind="fill").exists()
    assert LimitsChange.objects.get(table__code="T-03").status == "pending"
    guest = PlayerDetails.objects.get(card=floor.GUEST_CARD).player
    rating = Rating.objects.get(player=guest, ended_at=None)
    assert rating.table.code == "T-01" and rating.seat in rating.table.seated
    begin_events_again(live, "T-01")
    assert {rating.ended_at is None for rating in Rating.objects.filter(player=guest)} == {True, False}
    verify.verify(io.BytesIO(b"".join(export.lines(export.select(["larkfield/T-04"])))))


def begin_events_again(live, code):
    """Deal a table up to what it does now and then between two rounds."""
    (pk,) = [pk for pk, state in live.tables.items() if state.code == code]
    state = live.tables[pk]
    due = state.event_at = clock.now()
    while state.event_at == due:
        state.waits_until = None
        live._act(pk, state)


def test_the_ticker_leaves_a_table_alone_whose_past_is_dealt_and_others_not(settings, scene, monkeypatch):
    """An entry of now would leave the past no time: it went on with `clock-went-back`."""
    asked = []

    def ask(ctx) -> bool:
        asked.append(ctx.table.pk)
        return True

    tables = Table.objects.filter(pk=scene.table.pk)
    monkeypatch.setattr("tables.runner.table.DEALT_IN_THE_PAST", {scene.table.pk})
    assert for_each_table(tables, ask) == []
    monkeypatch.setattr("tables.runner.table.DEALT_IN_THE_PAST", set())
    assert for_each_table(tables, ask) == [scene.table.pk] == asked


def test_who_acts_at_a_table_ends_its_past(settings, monkeypatch):
    settings.DEMO = True
    monkeypatch.setattr(evening, "PAST", dt.timedelta(minutes=8))
    evening.seed_floor()
    live = evening.LiveEvening(random.Random(1))
    table = Table.objects.get(facility__code="larkfield", code="T-05")
    podium = Device.objects.get(facility="larkfield", name=seeding.PODIUM)
    seeding.do(Person.objects.get(code="omar"), podium, "larkfield", "T-05", "call_floor", {})
    live.deal_past()
    assert live.tables[table.pk].hands is None and table.pk not in DEALT_IN_THE_PAST
    DEALT_IN_THE_PAST.clear()


def evening_at_the_present(monkeypatch):
    monkeypatch.setattr(evening, "PAST", dt.timedelta(minutes=2))
    evening.seed_floor()
    monkeypatch.setattr(evening, "PAST", dt.timedelta(0))
    return evening.LiveEvening(random.Random(1))


def test_programs_deal_until_a_visitor_signs_in_and_go_on_when_the_visitor_has_gone(settings, monkeypatch):
    settings.DEMO = True
    live = evening_at_the_present(monkeypatch)
    assert {Table.objects.get(pk=pk).code for pk in live.act()} == set(evening.DEALT)
    tablet, _ = enroll("Tablet", "larkfield", "dealer", "larkfield/T-04")
    now = clock.now()
    Device.objects.filter(pk=tablet.pk).update(person=Person.objects.get(code="rosa"), signed_on_at=now)
    assert "T-04" not in {Table.objects.get(pk=pk).code for pk in live.act()}
    gone = now - evening.VISITOR_IS_GONE_AFTER
    Device.objects.filter(pk=tablet.pk).update(signed_on_at=gone, last_seen_at=gone)
    assert "T-04" in {Table.objects.get(pk=pk).code for pk in live.act()}


def test_a_visitor_finds_open_bets_and_a_wager_at_every_seat_whatever_the_program_was_doing(
    settings, monkeypatch
):
    settings.DEMO = True
    live = evening_at_the_present(monkeypatch)
    table = Table.objects.get(facility__code="larkfield", code="T-01")
    for acts in (0, 1, 3, 5):
        for _ in range(acts):
            live._act(table.pk, live.tables[table.pk])
        evening.bring_to_betting("T-01", random.Random(acts))
        current = Round.objects.get(table=table, ended_at=None)
        assert current.phase == "open"
        assert set(current.wagers.values_list("seat", flat=True)) == set(range(1, 9))


def test_the_gaming_day_closes_at_every_table_and_the_next_begins_with_what_was_left(
    settings, monkeypatch, hands
):
    settings.DEMO = True
    hands.now = dt.datetime(
        2026, 11, 22, 11, 10, tzinfo=dt.UTC
    )  # 06:10 in Larkfield, where a day begins at 06:00
    monkeypatch.setattr(evening, "PAST", dt.timedelta(minutes=15))
    evening.seed_floor()
    monkeypatch.setattr(evening, "DEALT", ("T-04",))
    live = evening.LiveEvening(random.Random(1))
    while live.in_the_past():
        live.deal_past()
    table = Table.objects.get(facility__code="larkfield", code="T-04")
    closed, opened = TableInventory.objects.filter(table=table).order_by("number")
    assert (closed.gaming_day.day, opened.gaming_day.day) == (21, 22)
    assert closed.closed_at and closed.closer_cents == opened.opener_cents and not opened.closed_at
    assert not Alert.objects.filter(table=table, kind="chips-differ").exists()


def test_a_dealer_who_has_worked_long_is_relieved_and_comes_back_after_the_break(settings, hands):
    settings.DEMO = True
    seeding.seed()
    dealers = []
    for minutes in (0, 39, 1, 10, 15):
        hands.now += dt.timedelta(minutes=minutes)
        evening.relieve(evening.table_of_the_evening("T-03"), hands.now)
        dealers.append(Table.objects.get(facility__code="larkfield", code="T-03").dealer.code)
    assert dealers[0] == dealers[1] == "linh" and dealers[2] == dealers[3] != "linh" and dealers[4] == "linh"


def test_the_next_relief_of_one_table_is_planned_and_takes_place_at_its_time(settings, monkeypatch, hands):
    settings.DEMO = True
    live = evening_at_the_present(monkeypatch)
    live.act()
    table = Table.objects.get(facility__code="larkfield", code="T-01")
    move = PlannedMove.objects.open_moves().get()
    assert (move.table, move.planned_for) == (table, table.dealer_since + evening.WORK)
    for moment, is_relieved in (
        (move.planned_for - dt.timedelta(seconds=1), False),
        (move.planned_for, True),
    ):
        hands.now = moment
        assert evening.relieve(evening.table_of_the_evening("T-01"), hands.now) is is_relieved
        table.refresh_from_db()
        assert (table.dealer == move.person) is is_relieved
    live.act()
    following = PlannedMove.objects.open_moves().get()
    assert (following.person.code, following.planned_for) == ("mei", move.planned_for + evening.WORK)


def test_a_demo_that_was_stopped_for_a_day_goes_on_with_new_dice_in_the_round_that_it_left(
    settings, monkeypatch, hands
):
    settings.DEMO = True
    evening_at_the_present(monkeypatch)
    evening.bring_to_betting("T-01", random.Random(1))
    table = Table.objects.get(facility__code="larkfield", code="T-01")
    left, old = table.last_round, evening._lot_of(table).code
    monkeypatch.setattr(evening, "DEALT", ("T-01",))
    hands.now += dt.timedelta(hours=26)
    live = evening.LiveEvening(random.Random(1))
    for _ in range(20):
        hands.now += dt.timedelta(seconds=3)
        live.act()
    assert Round.objects.get(table=table, number=left).phase == "cleared"
    assert evening._lot_of(table).code != old


def test_a_fill_goes_on_after_a_restart_and_is_not_waited_for_once_somebody_else_has_brought_it(
    settings, monkeypatch
):
    settings.DEMO = True
    live = evening_at_the_present(monkeypatch)
    simulated = evening.table_of_the_evening("T-04")
    chips = live.tables[simulated.table.pk].chips
    chips.request(simulated, "fill", simulation.FILL)
    after_a_restart = simulation.TableChips.of(simulated.table, chips.staff)
    assert after_a_restart.next_step_at is not None and after_a_restart.boxes == 1
    for status in ("preparing", "on-the-way", "received"):
        after_a_restart.advance(simulated)
        assert ChipTransfer.objects.get(table=simulated.table).status == status
    chips.advance(simulated)
    assert chips.next_step_at is None


@pytest.mark.urls("config.demo_urls")
def test_the_guided_shift_names_phases_and_addresses_of_the_demo(settings):
    settings.DEMO = settings.EVENING = True
    steps = landing.guided_shift_context(None)["guided_shift"]
    assert list(dict.fromkeys(step["part"] for step in steps)) == ["Dealer", "Pit boss", "Compliance"]
    for step in steps:
        assert not step["phase"] or step["phase"] in get_args(Phase)
        assert step["go"] in ("", "/demo/watch", "/demo/comply", "/demo/record")
    settings.EVENING = False
    assert landing.guided_shift_context(None) == {}


@pytest.mark.urls("config.demo_urls")
def test_one_tap_on_the_landing_signs_a_visitor_in_through_device_and_pin_as_everywhere(
    settings, monkeypatch
):
    settings.DEMO = True
    monkeypatch.setattr(evening, "PAST", dt.timedelta(minutes=2))
    monkeypatch.setattr(landing, "_shared", None)
    evening.seed_floor()
    visitor = Client()
    assert "Ready for you" in visitor.get("/").content.decode()
    assert visitor.post("/demo/deal", follow=True).redirect_chain[-1][0] == "/floor/larkfield/T-01/console"
    tablet = Device.objects.latest("enrolled_at")
    assert (tablet.place, tablet.person.code, tablet.enrollment_used_at is not None) == (
        "larkfield/T-01",
        "mei",
        True,
    )
    types = (
        Entry.objects.filter(stream__name="larkfield/sign-in").order_by("-seq").values_list("type", flat=True)
    )
    assert list(types[:2]) == ["person.signed_in", "device.enrolled"]
    # Another visitor gets another table; the same one becomes a podium, nobody is at the tablet, and no alert calls.
    other = Client()
    assert other.post("/demo/deal", follow=True).redirect_chain[-1][0] == "/floor/larkfield/T-02/console"
    assert visitor.post("/demo/watch", follow=True).redirect_chain[-1][0] == "/floor/larkfield/"
    tablet.refresh_from_db()
    assert tablet.person is None and device_alerts(clock.now()) == []
    assert Alert.objects.get(kind="dispute", ended_at=None).table.code == "T-05"


@pytest.mark.urls("config.demo_urls")
def test_a_visitor_sees_an_export_verified_and_one_changed_byte_refused_with_its_entry(settings, monkeypatch):
    settings.DEMO = True
    monkeypatch.setattr(evening, "PAST", dt.timedelta(minutes=4))
    evening.seed_evening()
    table = landing.newest_table()
    intact, forged = landing.check_record(table, forged=False), landing.check_record(table, forged=True)
    assert intact.is_good and intact.said.startswith("good") and not forged.is_good
    settled = Entry.objects.filter(stream__name=f"larkfield/{table}", type="round.settled").latest("seq")
    assert f"larkfield/{table} seq {settled.seq}: its hash does not match its bytes" in forged.said
    page = Client().post("/demo/record", {"table": table}).content.decode()
    assert "Refused" in page and f"seq {settled.seq}" in page
    assert Client().post("/demo/record", {"table": "T-99"}).status_code == 404


@pytest.mark.urls("config.demo_urls")
def test_the_landing_counts_the_seats_that_it_draws_as_taken(settings, monkeypatch):
    settings.DEMO = True
    monkeypatch.setattr(landing, "_shared", None)
    live = evening_at_the_present(monkeypatch)
    for _ in range(8):
        live.act()
    page = Client().get("/").content.decode()
    (taken,) = re.findall(r"<b>(\d+)</b> of 68 seats taken", page)
    assert int(taken) == page.count('<circle class="in"') > 20
    assert "<b>8</b> of 9 tables open" in page  # as the floor counts them: T-24 is for training


@pytest.mark.parametrize(
    ("game", "round_", "said"),
    [
        ("sic-bo", {"dice": [3, 5, 6], "total": 14}, "3, 5, 6: total 14."),
        ("sic-bo", {"dice": [5, 5, 5], "total": 15}, "5, 5, 5: [Triple 5.]"),
        ("high-roll", {"dice": [1, 1, 2, 4, 4, 6], "total": 18}, "1, 1, 2, 4, 4, 6."),
        ("football", {"dice": [3, 3, 2], "total": 8, "result": "downs"}, "Out of downs, 2 throws."),
        ("football", {"dice": [3, 3, 2], "total": 8, "result": "touchdown"}, "[Touchdown, 2 throws.]"),
    ],
)  # fmt: skip
def test_the_landing_says_how_a_round_came_out_in_the_words_of_its_game(game, round_, said):
    past = {"at": "2026-11-21T02:42:08Z", "result": "settled", "throws": [round_["dice"]] * 2, "wagers": 23}
    state = {"table": {"code": "T-01", "game": game}}
    house = Facility(time_zone="America/New_York")
    line = landing._line(house, {**past, "handle_cents": 167_500, **round_}, state)
    hot = f"[{line['hot'].strip()}] " if line["hot"] else ""
    assert (line["at"], line["table"]) == ("21:42:08", "T-01")
    assert line["dice"] + hot + line["text"] == f"{said} 23 wagers settled, $1,675."


@pytest.mark.urls("config.demo_urls")
@pytest.mark.parametrize("path", ["/demo/", "/demo/floor", "/demo/record", "/demo/everything"])
def test_the_landing_is_nowhere_but_in_a_demo(path):
    assert Client().get(path).status_code == 404
    assert Client().post("/demo/deal").status_code == Client().post("/demo/watch").status_code == 404


def test_no_installation_has_the_addresses_of_the_landing():
    assert Client().get("/demo/").status_code == Client().post("/demo/deal").status_code == 404


def test_simulate_is_refused_beside_a_server_which_writes_at_the_present(settings):
    """It died with `clock-went-back` after the ticker wrote, and the server answered 500 while it played."""
    scene, settings.DEMO = make_scene(), True
    evenings = ({"hours": 1}, {"hours": 1, "live": True})  # PostgreSQL has more than one writer
    for options in (*evenings, {"rounds": 1}) if connection.vendor == "sqlite" else evenings:
        for failing in [], ["breaks"]:  # one that fails at something writes all the same
            TickerStatus.objects.update_or_create(pk=1, defaults={"beat_at": clock.now(), "failing": failing})
            with pytest.raises(CommandError, match="A server is running on this database"):
                said("simulate", tables=1, submission=scene.table.submission_code, **options)
    TickerStatus.objects.update(beat_at=clock.now() - SILENT_AFTER * 2)
    said("simulate", tables=1, rounds=1, submission=scene.table.submission_code)


def test_a_browser_becomes_a_tablet_a_podium_or_a_wall_of_the_demo(settings, scene):
    settings.DEMO = True
    offered = re.findall(r'name="place" value="([^"]*)"', Client().get("/enrol").content.decode())
    assert offered == ["larkfield", "larkfield/", "larkfield/T-01"]
    for place, station, path in zip(
        offered, ("podium", "wall", "dealer"), ("/sign-in", "/floor/larkfield/wall", "/sign-in"), strict=True
    ):
        browser = Client()
        browser.post("/enrol", {"place": place})
        assert browser.get("/", follow=True).redirect_chain[-1][0] == path
        assert Device.objects.latest("enrolled_at").station == station


def test_no_program_deals_a_floor_that_is_no_demo():
    for deal in (evening.seed_evening, evening.LiveEvening):
        with pytest.raises(Refusal) as refused:
            deal()
        assert refused.value.code == "evening-outside-demo"
    assert not Facility.objects.exists()


def test_simulate_plays_the_same_rounds_from_the_same_seed():
    make_scene()
    assert said("simulate", tables=1, rounds=3, seed=7) == "3 rounds at 1 simulated tables, seed 7.\n"
    table = Table.objects.get(code="SIM-01")
    assert (table.kind, Round.objects.filter(table=table, phase="cleared").count()) == ("simulated", 3)
    first = [
        (row.wager.code, row.cents, row.outcome)
        for row in Settlement.objects.select_related("wager").order_by("throw", "place")
    ]
    said("simulate", tables=1, rounds=3, seed=7)
    both = [
        (row.wager.code, row.cents, row.outcome)
        for row in Settlement.objects.select_related("wager").order_by("throw", "place")
    ]
    assert both == first * 2


def test_an_evening_is_played_at_new_tables_in_the_past_by_dealers_in_turn(monkeypatch):
    monkeypatch.setattr(simulated_evening, "SECONDS_BETWEEN_ROUNDS", (400, 500))
    scene = make_scene()
    now, submission = clock.now(), scene.table.submission_code
    told = said("simulate", tables=2, hours=1, seed=7, submission=submission)
    tables = Table.objects.filter(kind="simulated")
    played = Round.objects.filter(table__in=tables, phase="cleared")
    assert told.startswith(f"{played.count()} rounds in 1 hours at SIM-") and played.count() > 6
    assert {row.status for row in tables} == {"open"}
    for table in tables:
        moments = Entry.objects.filter(stream=table.stream).aggregate(first=Min("at"), last=Max("at"))
        assert now - dt.timedelta(hours=1) <= moments["first"] < moments["last"] <= clock.now()
    actors = Entry.objects.filter(stream__in=tables.values("stream"), type="bets.closed").values_list("actor")
    assert len(set(actors)) > 1
    with pytest.raises(CommandError, match="RS-9999"):
        said("simulate", tables=2, hours=1, submission="RS-9999")


def test_rounds_after_an_evening_are_played_at_another_table(monkeypatch):
    """The people of the simulation are not on duty at the tables of the evening."""
    monkeypatch.setattr(simulated_evening, "SECONDS_BETWEEN_ROUNDS", (600, 700))
    submission = make_scene().table.submission_code
    said("simulate", tables=1, hours=1, seed=7, submission=submission)
    played = Table.objects.get(kind="simulated").last_round
    for _ in range(2):
        said("simulate", tables=1, rounds=1, seed=7, submission=submission)
    rounds = Table.objects.filter(kind="simulated").values_list("code", "last_round")
    assert dict(rounds) == {"SIM-01": played, "SIM-02": 2}


def test_the_trays_of_an_evening_balance_with_sales_and_fills(monkeypatch):
    monkeypatch.setattr(simulated_evening, "SECONDS_BETWEEN_ROUNDS", (400, 500))
    monkeypatch.setattr(simulation, "FILL_UNDER", 1)
    monkeypatch.setattr(simulation, "SALE_CHANCE", 1)
    scene = make_scene()
    change_keeping(scene.table.facility, True)
    said("simulate", tables=1, hours=1, seed=7, submission=scene.table.submission_code)
    table = Table.objects.select_related("facility").get(kind="simulated")
    inventory = TableInventory.objects.get(table=table)
    tray = tray_of(table, inventory)
    assert inventory.fills_cents and inventory.sold_cents
    played = Round.objects.filter(table=table, phase="cleared").aggregate(
        taken=Sum("taken_cents"), paid=Sum("paid_cents")
    )
    assert tray.cents == (
        inventory.opener_cents
        + inventory.fills_cents
        - inventory.sold_cents
        + played["taken"]
        - played["paid"]
    )


def test_an_evening_at_live_tables_of_a_demo_fills_the_pit_and_its_record_verifies(
    settings, monkeypatch, hands
):
    monkeypatch.setattr(simulated_evening, "SECONDS_BETWEEN_ROUNDS", (600, 700))
    monkeypatch.setattr(simulated_evening, "TIME_AT_TABLE", dt.timedelta(minutes=20))
    monkeypatch.setattr(simulated_evening, "CLOSED_EARLY", 0.3)
    monkeypatch.setattr(simulation, "COUNTED_AFTER", dt.timedelta(minutes=5))
    for name in ("EVENTS", "EVENTS_OF_REAL_PLAY"):
        certain = tuple((1, event) for _, event in getattr(simulated_evening, name))
        monkeypatch.setattr(simulated_evening, name, certain)
    how = {"live": True, "tables": 10, "hours": 1, "seed": 2, "submission": "RS-0009,RS-0021,RS-0031"}
    hands.now += dt.timedelta(hours=4, minutes=20)  # a shift has ended at 14:00
    settings.DEMO = True
    said("seed_demo")
    settings.DEMO = False
    with pytest.raises(CommandError, match="Only a demo floor is dealt by a program"):
        said("simulate", **how)
    settings.DEMO = True
    before = list(Table.objects.values_list("pk", flat=True))
    change_keeping(Facility.objects.get(code="larkfield"), True, Person.objects.get(code="viktor"))
    told = said("simulate", **how)
    assert re.search(r" rounds in 1 hours at T-101 to T-110, seed 2, played in \d+ s\.", told)
    tables = Table.objects.exclude(pk__in=before)
    assert set(tables.values_list("kind", flat=True)) == {"live"}
    assert set(tables.values_list("status", flat=True)) == {"open", "closed"}
    types = set(Entry.objects.filter(stream__in=tables.values("stream")).values_list("type", flat=True))
    assert HAPPENED_AT_TABLES - types == set()
    left = Alert.objects.filter(table__in=tables, ended_at=None).values_list("kind", flat=True)
    assert set(left) - {"slip", "slip-review", "raised-after-dice", "held-after-dice"} == {
        "dispute",
        "floor-call",
        "chips-differ",
    }
    assert set(left) & {"slip", "slip-review"}, "no slip is left"
    assert PlannedMove.objects.filter(table__in=tables).exists()
    statuses = ChipTransfer.objects.filter(table__in=tables).values_list("kind", "status")
    assert {("fill", "requested"), ("fill", "on-the-way"), ("credit", "requested")} <= set(statuses)
    assert (Handover.objects.get().shift, LimitsChange.objects.filter(status="pending").exists()) == (
        "2026-11-21/day",
        True,
    )
    rested = dealers_on_duty(tables.filter(status="open")[0], hands.now)
    assert [dealer.person for dealer in rested if not dealer.obstacle], "nobody can relieve a table"
    said("verify_record", "--read-only")


def test_an_evening_hands_over_no_shift_when_the_record_of_the_staff_has_reached_the_next(
    settings, monkeypatch, hands
):
    monkeypatch.setattr("tables.demo.simulated_evening._recorded_moment", lambda *_: hands.now)
    hands.now += dt.timedelta(hours=4, minutes=20)  # a shift has ended at 14:00
    settings.DEMO = True
    said("seed_demo")
    said("simulate", live=True, tables=1, hours=1, seed=2, submission="RS-0009")
    assert not Handover.objects.exists()


def test_rules_that_come_into_force_during_a_call_to_the_floor_are_acknowledged_before_the_round(
    settings, monkeypatch, hands
):
    settings.DEMO = True
    said("seed_demo")
    newer = RulesSubmission.objects.get(facility__code="larkfield", code="RS-0003", version=2)
    hands.now += dt.timedelta(hours=1)
    in_force_from = hands.now - dt.timedelta(minutes=20)
    RulesSubmission.objects.filter(pk=newer.pk).update(in_force_from=in_force_from)

    def long_call(table, draw):
        table.hands.moment = max(table.hands.moment, in_force_from + dt.timedelta(seconds=1))

    monkeypatch.setattr(simulated_evening, "EVENTS", ())
    monkeypatch.setattr(simulated_evening, "EVENTS_OF_REAL_PLAY", ((1, long_call),) * 8)
    said("simulate", live=True, tables=1, hours=1, seed=3, submission="RS-0003")
    alert = Alert.objects.get(
        kind="new-rules", table__code__startswith="T-1", table__submission_code="RS-0003"
    )
    assert alert.acknowledged_at >= in_force_from


def test_the_export_of_a_simulation_verifies_and_one_changed_byte_does_not(tmp_path):
    make_scene()
    call_command("simulate", tables=1, rounds=2, seed=3, stdout=io.StringIO())
    lines = list(export.lines(export.select(["larkfield/SIM-01"])))
    path = tmp_path / "export.jsonl"

    def verified(changed: bytes) -> int:
        path.write_bytes(changed)
        return subprocess.run([sys.executable, VERIFY, path], capture_output=True, check=False).returncode

    text = b"".join(lines)
    assert len(lines) > 16 and b"round.settled" in text
    assert verified(text) == 0
    assert verified(text.replace(b"paid_cents", b"paid_Cents", 1)) == 1


def test_every_game_is_simulated_and_its_export_verifies(settings):
    settings.DEMO = True
    said("seed_demo")
    for submission in ("RS-0021", "RS-0022", "RS-0031"):
        said("simulate", tables=1, rounds=8, seed=5, submission=submission)
        table = f"SIM-{submission}-01"
        played = Round.objects.filter(table__code=table)
        assert {row.phase for row in played} == {"cleared"} and played.count() == 8, submission
        for row in played:
            settled = Settlement.objects.filter(throw__round=row)
            assert settled.count() == row.wagers.count()
            assert sum(line.paid_cents for line in settled) == row.paid_cents
            kept_cents = sum(line.cents for line in settled if line.outcome in ("lose", "fee"))
            assert (kept_cents, sum(wager.cents for wager in row.wagers.all())) == (
                row.taken_cents,
                row.wagered_cents,
            )
        verify.verify(io.BytesIO(b"".join(export.lines(export.select([f"larkfield/{table}"])))))


@pytest.mark.parametrize("kind", ["live", "training"])
def test_nothing_invents_play_at_a_table_of_another_kind(kind):
    scene = make_scene(kind=kind)
    before = scene.version
    with pytest.raises(Refusal) as refused:
        verify_simulated(scene.table)
    assert refused.value.code == "simulate-at-live-table"
    with pytest.raises(CommandError, match="T-01 is not a simulated table"):
        call_command("simulate", table="larkfield/T-01", rounds=1)
    assert scene.version == before


def test_a_live_table_under_a_simulated_name_is_left_alone():
    scene = make_scene()
    Table.objects.filter(pk=scene.table.pk).update(code="SIM-01")
    with pytest.raises(CommandError, match="not a simulated table"):
        call_command("simulate", tables=1, rounds=1)


@pytest.mark.parametrize(
    "options",
    [{"tables": 0}, {"tables": 201}, {"rounds": 0}, {"facility": "nowhere"}, {"table": "nowhere/T-01"}],
)
def test_simulate_refuses_what_it_cannot_do(options):
    with pytest.raises(CommandError):
        call_command("simulate", **options)


def test_seed_demo_gives_the_house_an_office_with_some_history(settings):
    settings.DEMO = True
    said("seed_demo")
    house = Facility.objects.get(code="larkfield")
    versions = RulesSubmission.objects.filter(facility=house, code__in=["RS-0003", "RS-0021"])
    assert sorted((str(row), row.status) for row in versions) == [
        ("RS-0003 v1", "superseded"),
        ("RS-0003 v2", "approved"),
        ("RS-0021 v1", "approved"),
        ("RS-0021 v2", "filed"),
    ]
    assert Client().get("/guide/larkfield/").status_code == 200
    today = house.local(clock.now()).date()
    days_left = {row.key: row.days_left(today) for row in deadlines(house, clock.now())}
    assert (days_left["renewal:SP-0001"], days_left["certification:SP-0001"]) == (30, 90)
    assert days_left["review:RS-0021.2"] == 15
    assert suspended_codes(house, "football", clock.now()) == frozenset()
    assert (
        parts.missing_parts(GameRequest.objects.get(facility=house, code="NG-0001")) == []
    )  # it is approved
    assert Document.objects.filter(facility=house, media_type="application/pdf").count() == 7


def test_a_shift_of_the_past_is_not_signed_while_something_open_arose_later(scene):
    """As beside the demo's evening: its dispute is of now, and the simulated shift ended an hour ago."""
    scene.act("report_dispute", {"seat": 3, "about": "a late chip"})
    people = scene.people
    staff = Staff({}, *[people["dealer"]] * 3, people["pit-manager"], people["shift-manager"])
    earlier = clock.now() - dt.timedelta(minutes=10)
    with clock.override(lambda: earlier):
        hand_over_shift(scene.table.facility, scene.podium, staff, [])
    assert not ItemAcceptance.objects.exists()

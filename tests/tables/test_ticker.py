"""The ticker: it warns of dice that run out, once however many tickers run, and watches the clock."""

import asyncio
import datetime as dt
import io
import json

import pytest
from django.core.management import CommandError, call_command

from audit import clock
from audit.models import Entry
from tables import ticker
from tables.dice import at_tables
from tables.models import Alert, DiceLot
from tables.ticker import Checks, StatusWriter, Ticker, tick, warn_of_dice
from tests.tables.cast import make_scene

A_DAY = dt.timedelta(hours=24)
A_SECOND = dt.timedelta(seconds=1)
HOUR, TEN, ONE = (dt.timedelta(minutes=minutes) for minutes in (60, 10, 1))
MONOTONIC = 1_000.0

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def entries(type_):
    return [json.loads(bytes(entry.body)) for entry in Entry.objects.filter(type=type_).order_by("seq")]


def standing():
    return list(Alert.objects.filter(ended_at=None).order_by("pk").values_list("key", "level"))


class Seconds:
    """A monotonic clock that the test moves, independent of the wall clock."""

    def __init__(self) -> None:
        self.now = MONOTONIC

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def seconds() -> Seconds:
    return Seconds()


@pytest.fixture
def clocks(hands, seconds):
    """`clocks(1)` advances both clocks by a second; `clocks(1, 31)` advances the wall clock by 31."""

    def go(machine: float, wall: float | None = None) -> None:
        seconds.now += machine
        hands.now += dt.timedelta(seconds=machine if wall is None else wall)

    return go


# Dice


@pytest.mark.clause("PA-625a.2(b)-manual")
def test_it_records_the_expiry_once_and_two_ticks_are_harmless(hands, scene):
    hands.now += A_DAY - A_SECOND
    tick()
    assert entries("dice_lot.expired") == []
    hands.now += A_SECOND
    version = scene.version
    assert tick() == [scene.table.pk]
    assert (tick(), tick(), scene.version) == ([], [], version + 3)
    entry = entries("dice_lot.expired")
    assert len(entry) == 1
    assert (entry[0]["actor"], entry[0]["at"]) == (None, "2026-11-22T15:00:00.000000Z")
    assert entry[0]["data"] == {
        "lot": "L-0001",
        "expires_at": "2026-11-22T15:00:00.000000Z",
        "section": "58 Pa. Code § 625a.2(b)",
    }
    steps = DiceLot.objects.get(code="L-0001").steps.values_list("seq", flat=True)
    assert list(steps)[-1] == entry[0]["seq"]
    assert "Lot L-0001 reached its time" in [line["text"] for line in scene.snapshot["acts"]]


@pytest.mark.parametrize(
    ("remaining", "stage"),
    [
        (HOUR + A_SECOND, None),
        (HOUR, ("dice:L-0001:1", "warn")),
        (TEN + A_SECOND, ("dice:L-0001:1", "warn")),
        (TEN, ("dice:L-0001:2", "warn")),
        (ONE + A_SECOND, ("dice:L-0001:2", "warn")),
        (ONE, ("dice:L-0001:3", "stop")),
        (A_SECOND, ("dice:L-0001:3", "stop")),
        (dt.timedelta(), ("dice:L-0001:4", "stop")),
        (-HOUR, ("dice:L-0001:4", "stop")),
    ],
)
def test_it_warns_an_hour_ten_minutes_and_one_minute_before(hands, scene, remaining, stage):
    hands.now += A_DAY - remaining
    warn_of_dice()
    assert standing() == ([stage] if stage else [])


def test_each_warning_is_given_once_and_takes_the_place_of_the_one_before(hands, scene):
    for remaining in (HOUR, HOUR - A_SECOND, TEN, TEN - A_SECOND, ONE, dt.timedelta(), -HOUR):
        hands.now = DiceLot.objects.get(code="L-0001").expires_at - remaining
        warn_of_dice()
        assert warn_of_dice() == []
        assert len(standing()) == 1
    raised = [entry["data"] for entry in entries("alert.raised")]
    assert [(data["kind"], data.get("minutes")) for data in raised] == [
        ("dice-time", 60),
        ("dice-time", 10),
        ("dice-time", 1),
        ("dice-expired", None),
    ]
    assert {data["section"] for data in raised} == {"58 Pa. Code § 625a.2(b)"}
    assert [entry["data"]["key"] for entry in entries("alert.ended")] == [
        f"dice:L-0001:{n}" for n in (1, 2, 3)
    ]
    assert DiceLot.objects.get(code="L-0001").warned == 4


def test_warnings_that_nobody_ticked_for_are_not_made_up_for(hands, scene):
    hands.now += A_DAY - ONE
    warn_of_dice()
    assert [entry["data"]["minutes"] for entry in entries("alert.raised")] == [1]


def test_two_tickers_that_saw_the_same_lot_record_it_once(hands, scene):
    lot = DiceLot.objects.get(code="L-0001")
    hands.now += 2 * A_DAY
    assert at_tables._warn(lot.pk, "larkfield", "T-01") == scene.table.pk
    assert at_tables._warn(lot.pk, "larkfield", "T-01") is None
    assert len(entries("dice_lot.expired")) == len(standing()) == 1


def test_dice_that_were_taken_out_in_time_do_not_expire(hands, scene):
    hands.now += A_DAY - HOUR
    warn_of_dice()
    assert standing() == [("dice:L-0001:1", "warn")]
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    assert standing() == []
    hands.now += 2 * A_DAY
    warn_of_dice()
    assert [entry["data"]["lot"] for entry in entries("dice_lot.expired")] == ["L-0002"]


def test_an_unlocked_shaker_is_warned_by_its_new_time(hands):
    scene = make_scene("pa-625a/A", "automated-covered")
    hands.now += dt.timedelta(hours=23)
    assert warn_of_dice() == []
    scene.act("unlock_shaker", {"why": "a die stuck"}, by="floorperson")
    assert warn_of_dice() == [scene.table.pk]
    assert standing() == [("dice:L-0001:1", "warn")]


def test_a_closed_table_is_not_called_to_but_its_dice_expire(hands, scene):
    scene.close(dice="stay")
    hands.now += A_DAY - HOUR
    assert warn_of_dice() == []
    hands.now += HOUR
    assert warn_of_dice() == [scene.table.pk]
    assert (len(entries("dice_lot.expired")), standing()) == (1, [])


def test_a_table_that_opens_within_the_hour_is_warned_then(hands, scene):
    scene.close(dice="stay")
    hands.now += A_DAY - HOUR
    warn_of_dice()
    scene.inspect()
    scene.open()
    assert warn_of_dice() == [scene.table.pk]
    assert standing() == [("dice:L-0001:1", "warn")]


@pytest.mark.parametrize("kind", ["training", "simulated"])
def test_training_and_simulation_warn_of_dice_and_call_nobody_else(hands, kind):
    scene = make_scene(kind=kind)
    scene.people["dealer"].is_active = False
    scene.people["dealer"].save()
    hands.now += A_DAY - HOUR
    tick()
    assert standing() == [("dice:L-0001:1", "warn")]


def test_the_expiry_makes_no_screen_stale(hands, scene):
    version = scene.version
    hands.now += A_DAY
    tick()
    scene.place((1, "small", 2_500), seen=version)


# The clock


@pytest.mark.parametrize(("wall_seconds", "seconds_told"), [(3_600, 3_600), (2.5, 2)])
def test_a_clock_that_jumps_raises_one_alert_at_every_open_table(
    seconds, clocks, scene, wall_seconds, seconds_told
):
    mine, another = Ticker(seconds), Ticker(seconds)
    for each_ticker in (mine, another):
        assert each_ticker.watch_clock() == []
    clocks(1, 1 + wall_seconds)
    assert mine.watch_clock() == [scene.table.pk]
    assert another.watch_clock() == []
    clocks(1)
    assert mine.watch_clock() == []
    assert [entry["data"]["seconds"] for entry in entries("alert.raised")] == [seconds_told]
    assert standing() == [("clock:jump", "warn")]


def test_a_clock_that_is_set_a_little_or_runs_evenly_is_no_jump(seconds, clocks, scene):
    mine = Ticker(seconds)
    for machine, wall in ((1, 1), (1, 3), (1, -0.9), (600, 600)):
        clocks(machine, wall)
        assert mine.watch_clock() == []


def test_a_reading_that_took_long_is_no_jump(hands, scene):
    read = iter([0.0, 0.0, 0.0, 1.0, 31.0, 32.0, 32.0])
    mine = Ticker(lambda: next(read))
    for _ in range(3):
        hands.now += A_SECOND
        assert mine.watch_clock() == []


def test_a_jump_raises_no_alert_at_a_closed_table(seconds, clocks, scene):
    scene.close(dice="stay")
    mine = Ticker(seconds)
    mine.watch_clock()
    clocks(1, 3_600)
    assert mine.watch_clock() == []


def test_a_clock_that_went_back_raises_an_alert_that_ends_once_it_has_caught_up(
    hands, scene, seconds, clocks
):
    scene.place((1, "small", 2_500))
    last = hands.now
    mine = Ticker(seconds)
    mine.watch_clock()
    clocks(1, -30)
    assert mine.watch_clock() == [scene.table.pk]
    assert mine.watch_clock() == []
    assert standing() == [("clock:behind", "stop")]
    entry = entries("alert.raised")[-1]
    assert entry["at"] == last.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert dt.datetime.fromisoformat(entry["data"]["until"]) == last - dt.timedelta(seconds=2)
    clocks(27)
    assert mine.watch_clock() == []
    clocks(1)
    assert mine.watch_clock() == [scene.table.pk]
    assert standing() == []


def test_dice_of_a_table_whose_clock_went_back_do_not_stop_the_ticker(hands, scene):
    scene.place((1, "small", 2_500))
    DiceLot.objects.filter(code="L-0001").update(expires_at=hands.now - HOUR)
    hands.now -= dt.timedelta(seconds=30)
    assert warn_of_dice() == [scene.table.pk]


# The loop


async def test_a_check_that_fails_is_tried_again_and_does_not_stop_the_others(monkeypatch):
    loop, ticks, others, again = asyncio.get_running_loop(), [], [], asyncio.Event()

    def fails():
        ticks.append(1)
        if len(ticks) == 2:
            loop.call_soon_threadsafe(again.set)
        raise RuntimeError("the database is away")

    def works():
        others.append(1)
        return []

    monkeypatch.setattr(Ticker, "due", lambda self: [fails, works])
    monkeypatch.setattr(ticker, "SECONDS", 0.001)
    reports: list[list[str]] = []
    monkeypatch.setattr(StatusWriter, "update", lambda status, failing: reports.append(failing))
    task = asyncio.create_task(ticker.run_ticker())
    await asyncio.wait_for(again.wait(), 10)
    task.cancel()
    assert others and reports[0] == ["fails"]


def test_posts_supervision_and_tablets_are_looked_at_each_fifth_second():
    mine = Ticker()
    assert [len(mine.due()) for _ in range(7)] == [7, 7, 6, 7, 6, 8, 6]


@pytest.mark.parametrize("tables", [1, 4])
def test_a_tick_makes_as_few_queries_for_a_floor_as_for_one_table(
    hands, scene, django_assert_max_num_queries, tables
):
    from tables.demo.seeding import make_lot
    from tables.models import Pit, Shaker, Table
    from tables.opening.opening import make_table

    for number in range(2, tables + 1):
        more = make_table(
            scene.table.facility, code=f"T-{number:02d}", pit=Pit.objects.get(), submission="RS-0009",
            kind="live", seats=8, min_cents=1_000, max_cents=100_000,
        )  # fmt: skip
        shaker = Shaker.objects.create(
            facility=more.facility, table=more, code=f"S-{number:02d}", kind="manual"
        )
        lot = make_lot(more, f"L-1{number:03d}")
        DiceLot.objects.filter(pk=lot.pk).update(
            status="placed", shaker=shaker, placed_at=hands.now, expires_at=hands.now + A_DAY
        )
        Table.objects.filter(pk=more.pk).update(
            status="open", dealer=scene.people["dealer"], floorperson=scene.table.floorperson
        )
    tick()
    with django_assert_max_num_queries(33):
        assert tick() == []


# What it reports of itself


def health(at: dt.datetime) -> str:
    out = io.StringIO()
    with clock.override(at):
        call_command("ticker", "--check", stdout=out)
    return out.getvalue()


def test_a_ticker_is_well_for_twenty_seconds_after_it_reported(hands, db):
    with pytest.raises(CommandError, match="No ticker has run yet"):
        health(hands.now)
    StatusWriter().update([])
    assert health(hands.now + 20 * A_SECOND) == "All is well.\n"
    with pytest.raises(CommandError, match="No ticker has reported since 2026-11-21T15:00:00"):
        health(hands.now + 21 * A_SECOND)


async def test_a_check_that_fails_is_logged_once_and_told_until_it_works_again(caplog):
    def lame() -> list[int]:
        if failures:
            raise ZeroDivisionError(failures.pop())
        return []

    failures, checks = [1, 2, 3], Checks()
    failing = []
    for _ in range(4):
        await checks.run(lame)
        failing.append(checks.failing)
    assert failing == [["lame"], ["lame"], ["lame"], []]
    assert caplog.text.count("Traceback") == 1
    assert [record.levelname for record in caplog.records] == ["ERROR", "WARNING"]


def test_a_ticker_whose_check_fails_is_not_well(hands, db):
    status = StatusWriter()
    status.update([])
    status.update(["warn_of_dice"])
    with pytest.raises(CommandError, match="but this fails: warn_of_dice"):
        health(hands.now)

"""The figures of a day on screens: what the record adds up to. The end of a round adds one round to them."""

import datetime as dt
import random
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import cycle
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from audit import clock
from audit.rows import CompiledValues
from games.engine import Refusal
from games.models import Facility
from tables.core.figure_sums import Sums
from tables.figures.round_figures import round_figures
from tables.models import DiceLot, Round, Settlement, Slip, Table, Throw, Wager
from tables.reports.day_rounds import ReportDay
from tables.reports.figures import build_report
from tables.screens import fragments, table_history
from tests.tables import slip_scene
from tests.tables.cast import Scene, make_scene
from tests.tables.conftest import Hands

pytestmark = pytest.mark.django_db
TEN_DICE, LOOSE = [5, 5, 5, 5, 1, 1, 6, 6, 6, 4], [1, 2, 3, 4, 6, 6]
ROUNDS = {
    "pa-625a/A": [
        ([(1, "small", 2_500), (2, "big", 10_000), (3, "total:12", 500)], [2, 5, 5]),
        ([(1, "small", 5_000), (4, "two-dice:2-5", 2_500)], [1, 1, 1]),
    ],
    "pa-675a": [
        ([(2, "pip:5", 500), (2, "like-kind:3", 500), (2, "extra-roll", 500)], TEN_DICE, LOOSE),
        ([(5, "pip:1", 1_000), (5, "millionaire:9", 100)], TEN_DICE),
    ],
    "pa-577": [([(5, "touchdown", 500), (8, "defense", 500)], [1, 2, 5])],
}


def forget() -> None:
    """As after a restart of the worker."""
    for kept in (table_history._days, table_history._last_rounds):
        kept.clear()
    table_history._ended_rounds_part.cache_clear()


def play(scene, wagers, *throws):
    scene.place(*wagers)
    dice = cycle(throws)
    while scene.round is not None:
        following = scene.round_part["next"]
        params = {"dice": next(dice)} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], params)


@pytest.mark.parametrize("rules", ROUNDS)
def test_the_band_on_screens_is_that_of_the_daily_report_after_every_round(rules):
    scene = make_scene(rules)
    assert scene.snapshot["figures"]["expected_cents"] is None
    for wagers, *throws in ROUNDS[rules]:
        play(scene, wagers, *throws)
        snapshot = scene.snapshot
        figures = snapshot["figures"]
        day = ReportDay(scene.fresh.facility, scene.last_round.gaming_day, clock.now(), "live")
        report = build_report(day).total.sums
        recorded = round_figures(day.facility, day.date, day.date)
        assert figures["handle_cents"] == sum(round_.handle_cents for round_ in recorded)  # without fees
        assert figures["handle_cents"] == sum(past["handle_cents"] for past in snapshot["history"])
        assert (figures["expected_cents"], figures["band_cents"]) == (
            report.expected_cents,
            report.band_cents,
        )
        drawn = (figures["win_line_cents"], figures["expected_line_cents"], figures["band_line_cents"])
        now = [figures["win_cents"], figures["expected_cents"], figures["band_cents"]]
        assert [line[-1] for line in drawn] == now
        assert [line[0] for line in drawn] == [0, 0, 0]
        forget()
        assert scene.snapshot["figures"] == figures  # read at once, as after a restart


# The end of a round adds one round

THREE_WAGERS = (1, "small", 2_500), (2, "big", 5_000), (3, "total:9", 1_000)


def deal(scene: Scene, *wagers: tuple[int, str, int], dice: list[int]) -> int:
    """A round from its wagers to its end. Its number."""
    scene.play(*wagers, dice=dice)
    scene.finish()
    return scene.last_round.number


def repeat_last_round(table: Table, count: int) -> None:
    """Write rows of so many more rounds of the day, each like the newest one, a second apart."""
    last = Round.objects.filter(table=table).latest("number")
    for number in range(1, count + 1):
        keys: dict[Any, Any] = {}
        ended_at = last.ended_at + dt.timedelta(seconds=number)
        copy_row(last, keys, number=last.number + number, ended_at=ended_at)
        for row in (*Wager.objects.filter(round=last), *Throw.objects.filter(round=last)):
            copy_row(row, keys, round=keys[last])
        for row in Settlement.objects.filter(wager__round=last):
            copy_row(row, keys, wager=keys[row.wager], throw=keys[row.throw])
    Table.objects.filter(pk=table.pk).update(last_round=last.number + count)


def copy_row(row: Any, keys: dict[Any, Any], **changes: Any) -> None:
    copied = type(row)(**{field.attname: getattr(row, field.attname) for field in row._meta.concrete_fields})
    copied.pk = None
    for name, value in changes.items():
        setattr(copied, name, value)
    copied.save(force_insert=True)
    keys[row] = copied


@contextmanager
def counted(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, int]]:
    """Count the statements of the block, the rows that the declared reads return, and the rounds that are added."""
    count = {"statements": 0, "rows": 0, "rounds": 0}
    read, add_round = CompiledValues.__call__, Sums.add_round

    def reads(self: CompiledValues, *arguments: Any) -> Any:
        rows = list(read(self, *arguments))
        count["rows"] += len(rows)
        return rows

    def adds(self: Sums, *arguments: Any) -> None:
        count["rounds"] += 1
        add_round(self, *arguments)

    with monkeypatch.context() as patched, CaptureQueriesContext(connection) as queries:
        patched.setattr(CompiledValues, "__call__", reads)
        patched.setattr(Sums, "add_round", adds)
        yield count
    count["statements"] = len(queries)


@pytest.mark.both_databases
def test_the_end_of_a_round_costs_what_it_cost_however_many_rounds_the_day_had(
    hands: Hands, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    deal(scene, *THREE_WAGERS, dice=[2, 5, 5])
    counts = []
    for more in (30, 300):
        repeat_last_round(scene.fresh, more)
        hands.now += dt.timedelta(hours=1)
        deal(scene, *THREE_WAGERS, dice=[2, 5, 5])
        assert scene.snapshot["figures"]["rounds"] > more  # this worker shows the table
        scene.play(*THREE_WAGERS, dice=[2, 5, 5])
        scene.until("clear_layout")
        with counted(monkeypatch) as count:
            fragments.state_after(scene.act("clear_layout").context)
        counts.append(count)
    assert counts[0] == counts[1]
    assert counts[0]["rounds"] == 1
    rounds = scene.snapshot["figures"]["rounds"]
    assert rounds == 1 + 30 + 2 + 300 + 2
    assert scene.snapshot["figures"]["win_cents"] == rounds * -1_500


# A walk


WAGERS = ("small", "big", "total:9", "total:12", "two-dice:2-5", "one-of-a-kind:5", "three-of-a-kind:1")
YEAR = dt.timedelta(days=365)
DICE = ([2, 5, 5], [1, 1, 2], [6, 6, 2], [1, 1, 1], [3, 4, 2])


class Walk:
    """A table where anything happens. Two workers show it in turn, each with what it kept, or after a restart."""

    def __init__(self, scene: Scene, hands: Hands, seed: int) -> None:
        self.scene, self.hands, self.draw = scene, hands, random.Random(seed)
        self.workers: list[tuple[dict[Any, Any], dict[Any, Any]]] = [({}, {}), ({}, {})]
        self.compared = self.slips = 0
        self.holds_raises = bool(seed % 2)  # what corrections raise becomes a slip when the round ends
        if self.holds_raises:
            Facility.objects.update(review_first_from_cents=1_000)
        DiceLot.objects.exclude(expires_at=None).update(
            expires_at=hands.now + YEAR
        )  # these dice are not what it is about

    def step(self, monkeypatch: pytest.MonkeyPatch) -> None:
        days, rounds = self.workers[self.draw.randrange(2)]
        if self.draw.random() < 0.1:
            days.clear()
        monkeypatch.setattr(table_history, "_days", days)
        monkeypatch.setattr(table_history, "_last_rounds", rounds)
        table_history._ended_rounds_part.cache_clear()
        self.hands.now += dt.timedelta(minutes=self.draw.choice((0, 1, 7, 40)))
        if self.draw.random() < 0.06:
            self.hands.now += dt.timedelta(hours=20)  # another gaming day
        acts = (
            [self.deal] * 4
            + [self.deal_with_corrections, self.late_raise, self.void, self.no_roll]
            + [self.slip] * 2
        )
        self.draw.choice(acts)()
        self.compare()

    def wagers(self) -> list[tuple[int, str, int]]:
        codes = self.draw.sample(WAGERS, self.draw.randrange(1, 5))
        return [(self.draw.randrange(1, 7), code, 100 * self.draw.randrange(10, 60)) for code in codes]

    def deal(self) -> None:
        deal(self.scene, *self.wagers(), dice=self.draw.choice(DICE))

    def deal_with_corrections(self) -> None:
        self.scene.play((1, "small", 2_500), (2, "big", 4_000), dice=self.draw.choice(DICE))
        missed = {"seat": 5, "wager": "total:9", "cents": 1_000, "reason": "under a hand"}
        self.scene.act("record_missed_wager", missed, witness="floorperson")
        if not self.holds_raises:  # then a slip must say it
            struck = {"seat": 2, "wager": "big", "reason": "it lay on Small"}
            self.scene.act("strike_mistaken_wager", struck, witness="floorperson")
        self.scene.act("correct_dice", {"dice": [3, 4, 5], "reason": "misread"}, witness="floorperson")
        self.scene.finish()

    def late_raise(self) -> None:
        self.scene.play((1, "small", 2_500), dice=[1, 1, 2])
        missed = {"seat": 5, "wager": "small", "cents": 5_000, "reason": "under a hand"}
        self.scene.act("record_missed_wager", missed, witness="floorperson")
        self.scene.finish()

    def void(self) -> None:
        self.scene.place(*self.wagers())
        self.scene.act("void_round", {"reason": "dispute"}, witness="floorperson")

    def no_roll(self) -> None:
        self.scene.place(*self.wagers())
        self.scene.to_the_dice()
        self.scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")

    def slip(self) -> None:
        """A slip about any round; what cannot be corrected is refused, and changes nothing."""
        if not self.scene.fresh.last_round:
            return
        kind = self.draw.choice(("dice", "void", "wager"))
        about: dict[str, Any] = {"dice": {"dice": self.draw.choice(DICE)}, "void": {}}.get(kind) or {}
        if kind == "wager":
            about = {"wagers": [{"seat": 4, "wager": "big", "cents": 3_000, "chips": "house"}]}
        number = self.draw.randrange(1, self.scene.fresh.last_round + 1)
        try:
            slip_scene.file(self.scene, kind, number=number, witness="pit-manager", **about)
            self.slips += 1
        except Refusal:
            pass

    def compare(self) -> None:
        facility = self.scene.fresh.facility
        day = facility.gaming_day(self.hands.now)
        sums, line = Sums(), [0]
        recorded = list(round_figures(facility, day, day))
        for round_ in recorded:
            sums.add_round(round_)
            line.append(sums.win_cents)
        snapshot = self.scene.snapshot
        figures = snapshot["figures"]
        assert (figures["gaming_day"], figures["rounds"]) == (day.isoformat(), sums.rounds)
        assert (figures["handle_cents"], figures["win_cents"]) == (sums.handle_cents, sums.win_cents)
        if sums.rounds:
            exact = figures["expected_win"], figures["variance"]
            assert exact == (str(sums.expected.value), str(sums.variance.value))
        assert figures["win_line_cents"] == line
        by_number = {round_.round: round_ for round_ in round_figures(facility, day - YEAR, day)}
        for past in snapshot["history"]:
            of_round = by_number.get(past["number"])
            money = (of_round.handle_cents, of_round.win_cents) if of_round else (0, 0)
            assert (past["handle_cents"], past["win_cents"]) == money
        self.compared += sums.rounds > 1


@pytest.mark.parametrize("seed", range(4))
def test_whatever_happens_screens_show_what_the_entries_add_up_to(
    hands: Hands, scene: Scene, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    walk = Walk(scene, hands, seed)
    for _ in range(30):
        walk.step(monkeypatch)
    assert walk.slips and walk.compared > 10
    walk.late_raise()
    walk.compare()
    held = Round.objects.exclude(raises={}).count() if walk.holds_raises else 0
    assert (Slip.objects.count(), held > 0) == (walk.slips + held, walk.holds_raises)

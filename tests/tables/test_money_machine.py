"""Random sequences of openers, fills, credits, buy-ins, rounds, slips, drop boxes and closers at one table.

It is a table of Sic Bo, and with --all also of High Roll Dice and of Three Dice Football.

Nothing here asks the product what the tray holds. The machine moves its own chips whenever an act of people would move
them; what rounds and slips move, it reads from the entries alone (`tray_by_entries.py`). After every step the tray of
the row, that of the machine and that of the entries must be the same.

Between and within these acts are faults: a signature is missing; the database fails at any statement of the act; the
answer is lost after the commit, and the same request comes again, at once or later; a screen shows an old version; a
second person does what somebody just did. None of them changes a row, and the record verifies.
"""

import contextlib
import datetime as dt
import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.db.models import Model
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule, run_state_machine_as_test

from audit import verification
from audit.models import Command, Stream
from audit.refusals import AuditRefusal
from games.engine import Refusal, Rules
from tables.models import (
    Alert,
    ChipDiscrepancy,
    ChipTransfer,
    DropBox,
    Round,
    Settlement,
    Slip,
    SlipNumbers,
    Table,
    TableInventory,
    Wager,
)
from tables.money.chips import change_keeping, value_cents
from tables.money.tray import tray_of
from tables.runner.table import Stale
from tests.services.examples import examples
from tests.tables import slip_scene, test_walks
from tests.tables.cast import Scene, make_scene
from tests.tables.tray_by_entries import TrayByEntries

pytestmark = pytest.mark.django_db
CHIPS = (100_000, 50_000, 10_000, 2_500, 500, 100)
SHOWN = (
    *("count_opener", "count_tray", "count_closer", "sell_chips", "receive_transfer", "void_transfer"),
    *("file_slip", "settle_slip", "count_drop", "open_table", "close_table"),
)
SHOWN_BY_SLIPS = ("payment", "dice", "wager", "void")
# By kind of transfer: who hands it over and who receives it, each with the second signature.
TABLE_SIGNS, CAGE_SIGNS = ("dealer", "floorperson"), ("cage", "security")
HANDS_OVER = {"fill": CAGE_SIGNS, "credit": TABLE_SIGNS}
RECEIVES = {"fill": TABLE_SIGNS, "credit": CAGE_SIGNS}
NEEDS_TWO = frozenset(
    {"count_opener", "count_tray", "count_closer", "hand_over_transfer", "receive_transfer", "count_drop"}
    | {"put_on_drop_box", "take_off_drop_box", "file_slip", "settle_slip", "record_hand_settled_round"}
)


# What nobody can do twice to the same fill, slip, box or tray.
ONCE = NEEDS_TWO - {"count_tray"} | {"prepare_transfer", "cancel_transfer", "void_transfer"}
MAY_BE_STALE = {"open_table", "close_table", "place_wagers", "call_dice"}
FAULTS = ("unsigned", "broken", "broken", "answer lost", "late copy", "stale", "second person", "")
ROWS: tuple[type[Model], ...] = (
    *(
        Alert,
        ChipDiscrepancy,
        ChipTransfer,
        Command,
        DropBox,
        Round,
        Settlement,
        Slip,
        SlipNumbers,
        Stream,
        Table,
    ),
    *(TableInventory, Wager),
)


class Break:
    """An execute_wrapper that fails once, at the statement of this number (from 1). Rolling back does not fail."""

    def __init__(self, number: int = 0) -> None:
        self.number, self.count = number, 0

    def __call__(self, execute: Any, sql: str, *arguments: Any) -> Any:
        self.count += not sql.startswith("ROLLBACK")
        if self.count == self.number and not sql.startswith("ROLLBACK"):
            raise OperationalError("the connection was lost")
        return execute(sql, *arguments)


def stack(draw: random.Random) -> dict[str, int]:
    """Chips of one to three denominations."""
    return {str(chip): draw.randint(1, 30) for chip in draw.sample(CHIPS, draw.randint(1, 3))}


def wagers(draw: random.Random) -> list[tuple[int, str, int]]:
    """Up to four wagers, each on another area."""
    areas = [(seat, code) for seat in range(1, 5) for code in ("small", "big", "two-dice:1-6")]
    return [(*area, draw.choice((1_000, 2_500))) for area in draw.sample(areas, draw.randint(1, 4))]


def faces(draw: random.Random) -> list[int]:
    return [draw.randint(1, 6) for _ in range(3)]


ACTIONS: dict[str, Callable[["Money", random.Random], None]] = {
    "an opener": lambda money, draw: money.the_opener_is_counted(stack(draw)),
    "a count": lambda money, draw: money.the_tray_is_counted(draw.choice((0, 0, 100, -2_500))),
    "a count again": lambda money, draw: money.the_tray_is_counted(0),
    "closing": lambda money, draw: money.the_table_closes(draw.choice((0, 0, 500))),
    "opening": lambda money, draw: money.the_table_is_made_ready(),
    "a request": lambda money, draw: money.the_floor_requests(
        draw.choice(("fill", "credit")), stack(draw), draw.randint(0, 3)
    ),
    "a fill": lambda money, draw: money.the_floor_requests("fill", stack(draw), 3),
    "a transfer": lambda money, draw: money.a_transfer_goes_on(
        draw.randint(0, 2), draw.randint(1, 3), draw.random() < 0.5
    ),
    "an end": lambda money, draw: money.a_transfer_is_ended(draw.randint(0, 2)),
    "a sale": lambda money, draw: money.chips_are_sold(draw.randint(1, 40)),
    "a drop": lambda money, draw: money.the_drop_box_is_replaced_and_counted(draw.choice((0, 0, -100))),
    "a round": lambda money, draw: money.a_round_is_played(wagers(draw), faces(draw)),
    "a slip": lambda money, draw: money.a_slip_is_filed(
        draw, draw.choice(("payment", "dice", "wager", "void"))
    ),
    "a slip again": lambda money, draw: money.a_slip_is_filed(
        draw, draw.choice(("payment", "dice", "wager")), plays=False
    ),
    "a round on paper": lambda money, draw: money.a_round_is_recorded_from_paper(wagers(draw), faces(draw)),
    "hours": lambda money, draw: money.hours_pass(),
}


def as_chips(cents: int) -> dict[str, int]:
    """A count of this value."""
    counts = {}
    for chip in CHIPS:
        counts[str(chip)], cents = divmod(cents, chip)
    return {chip: number for chip, number in counts.items() if number}


@dataclass
class Chips:
    """What lies where, by the machine: in the tray (None without an inventory), and as cash in the drop box."""

    tray: int | None = None
    cash: int = 0
    win: int = 0  # of the open inventory
    slips: Counter[str] = field(default_factory=Counter)
    differences: int = 0


class Money(RuleBasedStateMachine):
    """One example: a closed table of a house that keeps inventories. It leaves the database as it was."""

    scene: Scene
    hands: Any
    began: dt.datetime
    done: Counter[str]
    seats_players: bool  # before they wager

    def __init__(self) -> None:
        super().__init__()
        self.back = transaction.savepoint()
        self.hands.now = self.began
        self.draw = random.Random(0)
        self.last: tuple[str, dict[str, Any], dict[str, Any]] | None = None  # the last accepted act
        self.chips = Chips()
        self.entries = TrayByEntries(self.scene.table.stream.name)
        self.the_table_is_made_ready()

    def teardown(self) -> None:
        try:
            assert [str(finding) for finding in verification.verify().findings] == []
        finally:
            transaction.savepoint_rollback(self.back)

    @rule(action=st.sampled_from(sorted(ACTIONS)), number=st.integers(0, 10**6))
    def people_act(self, action: str, number: int) -> None:
        """One rule for all actions: of several rules, Hypothesis leaves out most in each example."""
        self.draw = random.Random(number)
        ACTIONS[action](self, self.draw)

    # The tray is counted

    def the_opener_is_counted(self, chips: dict[str, int]) -> None:
        last = TableInventory.objects.order_by("number").last()
        chips = {**chips, "10000": 50}
        if self.take("count_opener", {"chips": chips}):
            self.chips.tray, self.chips.win = value_cents(chips), 0
            self.chips.differences += last is not None and last.closer_chips != chips

    def the_table_is_made_ready(self) -> None:
        """Everything that an evening needs, in order, as far as it is not there."""
        if self.chips.tray is None:
            self.the_opener_is_counted({"2500": 20})
        self.take("put_on_drop_box", {"box": "B-1"}, by="security")
        self.take("inspect_table", self.scene.inspection(), by="floorperson")
        self.take("open_table", {"acknowledge_lapsed": True}, by="floorperson")
        for seat in range(1, 5) if self.seats_players else ():
            self.take("seat_player", {"seat": seat})

    def the_tray_is_counted(self, off: int) -> None:
        exact = self.chips.tray or 0
        chips = as_chips(max(exact + off, 0))
        if self.take("count_tray", {"chips": chips}):
            self.chips.differences += value_cents(chips) != exact

    def the_table_closes(self, off: int) -> None:
        """What is under way is ended first; a closer that agrees proves the win by money."""
        self.the_drop_box_is_taken_off()
        for transfer in ChipTransfer.objects.exclude(status__in=("received", "void", "canceled")):
            self.the_transfer_ends(transfer)
        exact, win = self.chips.tray or 0, self.chips.win
        chips = as_chips(exact + off)
        if self.take("count_closer", {"chips": chips}):
            inventory = TableInventory.objects.order_by("number").last()
            assert inventory is not None and inventory.closer_cents is not None
            sums = tray_of(self.table, inventory)
            won = sums.win_from_money_cents(inventory.closer_cents, inventory.sold_cents)
            differs = value_cents(chips) - exact  # half dollars that High Roll paid are no chips of the count
            assert won - differs == sums.win_from_play_cents == win
            self.chips.tray = None
            self.chips.differences += differs != 0
        self.take("close_table", {"secured": True}, by="floorperson")

    # Fills and credits

    def the_floor_requests(self, kind: str, chips: dict[str, int], steps: int) -> None:
        if self.take(f"request_{kind}", {"chips": chips}, by="floorperson"):
            self.a_transfer_goes_on(0, steps, differs=False)

    def a_transfer_goes_on(self, place: int, steps: int, differs: bool) -> None:
        transfer = self.a_transfer(place)
        for _ in range(steps if transfer else 0):
            assert transfer is not None
            transfer.refresh_from_db()
            self.one_step(transfer, differs)

    def a_transfer_is_ended(self, place: int) -> None:
        transfer = self.a_transfer(place)
        if transfer is not None:
            self.the_transfer_ends(transfer)

    def a_transfer(self, place: int) -> ChipTransfer | None:
        transfers = list(ChipTransfer.objects.order_by("number"))
        return transfers[-1 - place % len(transfers)] if transfers else None

    def one_step(self, transfer: ChipTransfer, differs: bool) -> None:
        name = {"transfer": transfer.number}
        if self.take("prepare_transfer", name, by="cage"):
            self.chips.slips[transfer.kind] += 1
            return
        by, witness = HANDS_OVER[transfer.kind]
        if transfer.kind == "credit":
            self.take("sign_to_carry", name, witness="security")
        if self.take("hand_over_transfer", name, by=by, witness=witness):
            self.move(-transfer.cents if transfer.kind == "credit" else 0)
            return
        by, witness = RECEIVES[transfer.kind]
        if differs:
            other = {**transfer.chips, "100": transfer.chips.get("100", 0) + 1}
            assert not self.take("receive_transfer", {**name, "chips": other}, by=by, witness=witness)
            self.chips.differences += self.take("report_count_difference", {**name, "chips": other}, by=by)
        elif self.take("receive_transfer", {**name, "chips": transfer.chips}, by=by, witness=witness):
            self.move(transfer.cents if transfer.kind == "fill" else 0)

    def the_transfer_ends(self, transfer: ChipTransfer) -> None:
        transfer.refresh_from_db()
        params = {"transfer": transfer.number, "reason": "not needed"}
        self.take("cancel_transfer", params, by="floorperson")
        was, (by, witness) = transfer.status, HANDS_OVER[transfer.kind]
        if was == "preparing":
            by, witness = CAGE_SIGNS
        if self.take("void_transfer", params, by=by, witness=witness) and was == "on-the-way":
            self.move(transfer.cents if transfer.kind == "credit" else 0)

    # Cash

    def chips_are_sold(self, number: int) -> None:
        if self.take("sell_chips", {"cents": number * 2_500}):
            self.move(-number * 2_500)
            self.chips.cash += number * 2_500

    def the_drop_box_is_replaced_and_counted(self, off: int) -> None:
        if not self.chips.cash and not off:
            return
        self.the_drop_box_is_taken_off()
        self.take("put_on_drop_box", {"box": "B-2"}, by="security")
        self.the_drop_is_counted(off)

    def the_drop_box_is_taken_off(self) -> None:
        if self.take("take_off_drop_box", {}, by="security"):
            box = DropBox.objects.latest("number")
            assert box.sold_cents == self.chips.cash
            self.chips.cash = 0

    def the_drop_is_counted(self, off: int) -> None:
        for box in DropBox.objects.filter(counted_at=None):
            cents = max(box.sold_cents + off, 0)
            params = {"drop_box": box.number, "cents": cents}
            if self.take("count_drop", params, by="cage", witness="compliance"):
                self.chips.differences += cents != box.sold_cents

    # Rounds and slips

    def a_round_is_played(self, placed: list[tuple[int, str, int]], dice: list[int]) -> None:
        if self.table.status == "closed":
            self.the_table_is_made_ready()
        if self.table.status == "closed":
            return
        self.entries.read()
        if self.scene.table.game != "sic-bo":
            test_walks.walk(self.scene, self.draw, steps=12)
            self.add_round()
            return
        items = [
            {"seat": seat, "wager": code, "cents": cents, "made_in": "chips"} for seat, code, cents in placed
        ]
        if self.take("place_wagers", {"wagers": items}):
            self.scene.to_the_dice()
            if self.draw.random() < 0.1:
                self.scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
            else:
                self.take("call_dice", {"dice": dice})
                self.scene.finish()
            self.add_round()

    def a_round_is_recorded_from_paper(self, placed: list[tuple[int, str, int]], dice: list[int]) -> None:
        items = [{"seat": seat, "wager": code, "cents": cents} for seat, code, cents in placed]
        params = {"dice": dice, "wagers": items, "reason": "tablet dead"}
        self.entries.read()
        if self.table.game != "sic-bo" or self.table.status != "open":
            return
        if self.take("report_device_failure", {"what": "device"}):
            if self.take("record_hand_settled_round", params):
                self.add_round()
            self.scene.repair()

    def add_round(self) -> None:
        """Move what the entries of the rounds since say that was taken and paid."""
        before = self.entries.win
        self.entries.read()
        self.entries.end_rounds()
        if self.chips.tray is not None:
            self.move(self.entries.win - before, won=self.entries.win - before)

    def a_slip_is_filed(self, draw: random.Random, kind: str, *, plays: bool = True) -> None:
        """A slip about the last round: what it says of chips elsewhere moves at once, and what is handed over then."""
        if plays:
            self.a_round_is_played([(draw.randint(1, 4), "small", 2_500)], [1, 2, 3])
        round_ = self.table.rounds.filter(ended_at__isnull=False).order_by("number").last()
        lines = self.entries.lines.get(round_.number if round_ else 0)
        if not lines:
            return
        params = {"kind": kind, **self.mistake(draw, kind, lines)}
        try:
            corrects = slip_scene.found(self.scene, round_.number, **params).corrects.seq
        except Refusal:
            return
        params |= {"round": round_.number, "corrects": corrects, "reason": "misread"}
        before = self.entries.sums["corrected"]
        if not self.take("file_slip", params, witness="pit-manager"):
            return
        self.done[kind] += 1
        self.entries.read()
        elsewhere = self.entries.sums["corrected"] - before
        if self.chips.tray is not None:
            self.move(elsewhere, won=elsewhere)
        slip = Slip.objects.latest("number")
        if slip.due:
            share = draw.choice((0, 0.5, 1, 1))  # of what is due, in whole dollars
            moved = [
                {"seat": due["seat"], "cents": int(due["cents"] / 100 * share) * 100} for due in slip.due
            ]
            params = {"slip": slip.code, "moved": moved, "reason": "the player left"}
            if self.take("settle_slip", params, witness="pit-manager") and self.chips.tray is not None:
                cents = sum(item["cents"] for item in moved)
                self.move(-cents, won=-cents)

    def mistake(self, draw: random.Random, kind: str, lines: list[dict[str, Any]]) -> dict[str, Any]:
        """What a slip of this kind says of a round with this settlement."""
        line = draw.choice(lines)
        if kind == "dice":
            throw = self.scene.last_round.throws.filter(dice__isnull=False).latest("number", "revision")
            return {"throw": throw.number, "dice": [draw.randint(1, 6) for _ in throw.dice or ()]}
        if kind == "wager":
            wager = {name: line[name] for name in ("seat", "wager", "play") if name in line}
            return {
                "wagers": [
                    {
                        **wager,
                        "cents": draw.choice((0, 1_000, 2_000)),
                        "chips": draw.choice(("recorded", "player", "house")),
                    }
                ]
            }
        if kind == "payment":
            paid, taken = draw.choice((0, 1_000, 4_000)), draw.choice((0, 0, 2_500))
            return {"payments": [{"seat": line["seat"], "paid_cents": paid, "taken_cents": taken}]}
        return {}

    def hours_pass(self) -> None:
        """An inventory stays open over the end of a gaming day; the dice of the table are in time for 24 hours."""
        later = self.hands.now + dt.timedelta(hours=10, minutes=30)
        if self.table.game == "sic-bo" and later < self.began + dt.timedelta(hours=23):
            self.hands.now = later

    # How an act is taken

    def take(
        self, act: str, params: dict[str, Any], *, by: str = "dealer", witness: str | None = None
    ) -> bool:
        """Whether it is accepted, with a fault before, during or after it."""
        if act in NEEDS_TWO:
            witness = witness or ("floorperson" if by != "floorperson" else "dealer")
        how: dict[str, Any] = {
            "by": by, "witness": witness, "device": self.scene.podium, "command": uuid.uuid4(),
            "seen": self.scene.version,
        }  # fmt: skip
        self.hands.now += dt.timedelta(seconds=1)
        fault = "stale" if act in MAY_BE_STALE and self.draw.random() < 0.3 else self.draw.choice(FAULTS)
        if fault == "unsigned" and act in NEEDS_TWO:
            self.nothing_moves(fault, act, params, {**how, "witness": None, "command": uuid.uuid4()})
        elif fault == "broken":
            self.it_breaks(act, params, how)
        elif fault == "late copy" and self.last is not None:
            with self.unchanged(fault):
                assert self.scene.act(self.last[0], self.last[1], **self.last[2]).is_repeat
        elif fault == "stale":
            how["seen"] = max(self.scene.version - self.draw.randint(1, 4), 0)
            with self.scene.tried():
                is_stale = self.attempt(act, params, how) == "stale"
            if is_stale:
                self.nothing_moves(fault, act, params, how)
                how["seen"] = self.scene.version
        if self.attempt(act, params, how) != "accepted":
            return False
        self.done[act] += 1
        self.last = act, params, how
        if fault == "answer lost":
            with self.unchanged(fault):
                assert self.scene.act(act, params, **how).is_repeat
        elif fault == "second person" and act in ONCE:
            signers = {"by": witness or by, "witness": by if witness else None}
            self.nothing_moves(
                fault, act, params, {**how, **signers, "command": uuid.uuid4(), "seen": self.scene.version}
            )
        return True

    def it_breaks(self, act: str, params: dict[str, Any], how: dict[str, Any]) -> None:
        """The database fails at one of the statements of an act that would be accepted."""
        count = Break()
        with self.scene.tried(), connection.execute_wrapper(count):
            is_accepted = self.attempt(act, params, how) == "accepted"
        if is_accepted:
            broken = Break(self.draw.randint(1, count.count))
            with (
                self.unchanged("broken"),
                connection.execute_wrapper(broken),
                pytest.raises(OperationalError),
            ):
                self.scene.act(act, params, **how)

    def nothing_moves(self, fault: str, act: str, params: dict[str, Any], how: dict[str, Any]) -> None:
        with self.unchanged(fault):
            assert self.attempt(act, params, how) != "accepted"

    def attempt(self, act: str, params: dict[str, Any], how: dict[str, Any]) -> str:
        try:
            self.scene.act(act, params, **how)
        except Stale:
            return "stale"
        except (Refusal, AuditRefusal):
            return "refused"
        return "accepted"

    @contextlib.contextmanager
    def unchanged(self, fault: str) -> Iterator[None]:
        """What happens inside changes no row."""
        before = [list(model._default_manager.order_by("pk").values()) for model in ROWS]
        yield
        assert [list(model._default_manager.order_by("pk").values()) for model in ROWS] == before
        self.done[fault] += 1

    def move(self, cents: int, won: int = 0) -> None:
        assert self.chips.tray is not None
        self.chips.tray += cents
        self.chips.win += won

    @property
    def table(self) -> Table:
        return self.scene.fresh

    # What must hold at every moment

    @invariant()
    def the_tray_balances(self) -> None:
        table = self.table
        assert table.tray_cents == self.chips.tray
        inventory = TableInventory.objects.filter(closed_at=None).first()
        assert (inventory is None) == (self.chips.tray is None)
        if inventory is not None:
            assert tray_of(table, inventory).cents == self.chips.tray
            assert tray_of(table, inventory).win_from_play_cents == self.chips.win

    @invariant()
    def the_entries_say_the_same(self) -> None:
        self.entries.read()
        self.entries.end_rounds()
        assert self.entries.cents == self.chips.tray
        assert self.chips.tray is None or self.entries.win == self.chips.win

    @invariant()
    def slip_numbers_have_no_gaps(self) -> None:
        for kind in ("fill", "credit"):
            rows = ChipTransfer.objects.filter(kind=kind, slip_number__isnull=False)
            numbers = sorted(rows.values_list("slip_number", flat=True))
            assert numbers == list(range(1, self.chips.slips[kind] + 1))
        last = SlipNumbers.objects.values_list("fill", "credit").first() or (0, 0)
        assert last == (self.chips.slips["fill"], self.chips.slips["credit"])

    @invariant()
    def every_difference_is_flagged(self) -> None:
        assert ChipDiscrepancy.objects.count() == self.chips.differences
        assert Alert.objects.filter(kind="chips-differ").count() == self.chips.differences

    @invariant()
    def no_table_is_open_without_an_opener(self) -> None:
        table = self.table
        assert table.status == "closed" or table.tray_cents is not None or table.closer_signed_at is not None


@pytest.mark.parametrize(
    "rules",
    ["pa-625a/A", *(pytest.param(rules, marks=pytest.mark.repeated) for rules in ("pa-675a", "pa-577"))],
)
def test_the_tray_balances_in_every_sequence(hands, rules):
    scene = make_scene(rules, opened=False)
    change_keeping(scene.table.facility, True)
    scene.staff()
    Money.scene, Money.hands, Money.began, Money.done = scene, hands, hands.now, Counter()
    Money.seats_players = "seated" in Rules.of(rules).edition.sections
    how = settings(
        max_examples=examples(6),
        stateful_step_count=40,
        suppress_health_check=list(HealthCheck),
        deadline=None,
        database=None,
        phases=(Phase.explicit, Phase.generate),
    )
    for walk in range(2, 26):  # the walk 2 comes to all of them
        run_state_machine_as_test(seed(walk)(Money), settings=how)
        expected = (*SHOWN, *SHOWN_BY_SLIPS, *filter(None, FAULTS))
        missing = [name for name in expected if not Money.done[name]]
        if not missing:
            return
    raise AssertionError(missing)

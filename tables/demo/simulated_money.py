"""Chips at the simulated tables of an evening, through the same acts: openers, sales, fills, credits, drop boxes."""

import datetime as dt
import random
from dataclasses import dataclass, field
from typing import Any

from audit import clock
from audit.models import Person
from games.chips import CHIPS_CENTS
from tables.demo.seeding import do
from tables.demo.simulated_crew import Staff
from tables.demo.simulation import SimulatedTable
from tables.models import ChipTransfer, DropBox, Table, TableInventory
from tables.money.chips import value_cents

OPENER = {"100": 50, "500": 300, "2500": 400, "10000": 200, "50000": 40, "100000": 10}
FILL = {"500": 150, "2500": 200, "10000": 100}
CREDIT = {"2500": 100, "10000": 100, "50000": 20}
FILL_UNDER, CREDIT_OVER = 0.6, 1.3  # of the opener
SALES_CENTS = (10_000, 20_000, 30_000, 50_000)
SALE_CHANCE = 0.3  # of a sale before a round
STEP_OF_A_TRANSFER = dt.timedelta(minutes=3)
COUNTED_AFTER = dt.timedelta(minutes=40)  # so long after a drop box was taken off
UNDER_WAY = (ChipTransfer.Status.REQUESTED, ChipTransfer.Status.PREPARING, ChipTransfer.Status.ON_THE_WAY)
Chips = dict[str, int]


@dataclass
class TableChips:
    """The chips of one table of an evening, between two rounds. `staff` brings and counts them."""

    staff: Staff
    uncounted: dict[int, dt.datetime] = field(
        default_factory=dict
    )  # drop boxes, by number: when they are counted
    next_step_at: dt.datetime | None = None  # of the fill or credit under way
    boxes: int = 0

    @classmethod
    def of(cls, table: Table, staff: Staff) -> "TableChips":
        """The chips of a table that was dealt before: its boxes, and a fill or credit under way go on."""
        boxes = DropBox.objects.filter(table=table)
        off = boxes.filter(counted_at=None).values_list("number", "taken_off_at")
        uncounted = {number: taken_off_at + COUNTED_AFTER for number, taken_off_at in off if taken_off_at}
        is_under_way = ChipTransfer.objects.filter(table=table, status__in=UNDER_WAY).exists()
        return cls(staff, uncounted, clock.now() if is_under_way else None, boxes.count())

    def begin(self, simulated: SimulatedTable) -> None:
        """Count the opener, which is the par of the table, and put on a drop box."""
        act(simulated, self.staff.manager, "set_par", {"chips": OPENER}, self.staff.cashier)
        act(simulated, simulated.dealer, "count_opener", {"chips": OPENER}, simulated.floor)
        self._put_on_box(simulated)

    def begin_another_day(self, simulated: SimulatedTable) -> None:
        """Count the opener of the next gaming day, which is what the last closer left, and put on a drop box."""
        last = TableInventory.objects.filter(table=simulated.table).latest("number")
        act(simulated, simulated.dealer, "count_opener", {"chips": last.closer_chips}, simulated.floor)
        self._put_on_box(simulated)

    def serve(self, simulated: SimulatedTable, draw: random.Random) -> None:
        """Sell chips to a player, and bring chips when the tray is low, or take some away when it is full."""
        if draw.random() < SALE_CHANCE:
            cents = draw.choice(SALES_CENTS)
            act(simulated, simulated.dealer, "sell_chips", {"cents": cents})
        self.count_boxes(simulated)
        if self.next_step_at is not None:
            if clock.now() >= self.next_step_at:
                self.advance(simulated)
            return
        tray_cents = tray_of(simulated)
        if tray_cents < FILL_UNDER * value_cents(OPENER):
            self.request(simulated, "fill", FILL)
        elif tray_cents > CREDIT_OVER * value_cents(OPENER):
            self.request(simulated, "credit", CREDIT)

    def request(self, simulated: SimulatedTable, kind: str, chips: Chips) -> None:
        act(simulated, simulated.floor, f"request_{kind}", {"chips": chips})
        self.next_step_at = clock.now() + STEP_OF_A_TRANSFER

    def advance(self, simulated: SimulatedTable) -> None:
        """Take the next step of the fill or credit under way: prepare it, carry it, receive it."""
        transfer = ChipTransfer.objects.filter(table=simulated.table).latest("number")
        cage, guard, is_fill = self.staff.cashier, self.staff.guard, transfer.kind == ChipTransfer.Kind.FILL
        at_table, at_cage = (simulated.dealer, simulated.floor), (cage, guard)
        if transfer.status not in UNDER_WAY:  # somebody else has ended it
            self.next_step_at = None
            return
        params: dict[str, Any] = {"transfer": transfer.number}
        self.next_step_at = clock.now() + STEP_OF_A_TRANSFER
        if transfer.status == ChipTransfer.Status.REQUESTED:
            act(simulated, cage, "prepare_transfer", params)
        elif transfer.status == ChipTransfer.Status.PREPARING:
            person, witness = at_cage if is_fill else at_table
            if not is_fill:
                act(simulated, simulated.dealer, "sign_to_carry", params, guard)
            act(simulated, person, "hand_over_transfer", params, witness)
        else:
            person, witness = at_table if is_fill else at_cage
            act(simulated, person, "receive_transfer", {**params, "chips": transfer.chips}, witness)
            self.next_step_at = None

    def count(self, simulated: SimulatedTable, missing_cents: int = 0) -> None:
        """Count the tray. Chips of this value are missing, so that the count differs."""
        chips = chips_of(tray_of(simulated) - missing_cents)
        act(simulated, simulated.dealer, "count_tray", {"chips": chips}, simulated.floor)

    def change_box(self, simulated: SimulatedTable) -> None:
        """Take off the drop box for the count room, and put on an empty one."""
        self._take_off_box(simulated)
        self._put_on_box(simulated)

    def count_boxes(self, simulated: SimulatedTable) -> None:
        """Enter the count room's figures of the drop boxes that have been counted by now."""
        for number in [number for number, counted_at in self.uncounted.items() if counted_at <= clock.now()]:
            del self.uncounted[number]
            box = DropBox.objects.get(table=simulated.table, number=number)
            params = {"drop_box": number, "cents": box.sold_cents}
            act(simulated, self.staff.cashier, "count_drop", params, self.staff.second_cashier)

    def end(self, simulated: SimulatedTable) -> None:
        """Bring what is under way to its end, take off the drop box and count the closer."""
        while self.next_step_at is not None:
            self.advance(simulated)
        self._take_off_box(simulated)
        chips = chips_of(tray_of(simulated))
        act(simulated, simulated.dealer, "count_closer", {"chips": chips}, simulated.floor)

    def _put_on_box(self, simulated: SimulatedTable) -> None:
        self.boxes += 1
        box = {"box": f"BOX-{simulated.table.code}-{self.boxes}"}
        act(simulated, simulated.floor, "put_on_drop_box", box, self.staff.guard)

    def _take_off_box(self, simulated: SimulatedTable) -> None:
        answer = act(simulated, simulated.floor, "take_off_drop_box", {}, self.staff.guard)
        self.uncounted[int(str(answer["drop_box"]))] = clock.now() + COUNTED_AFTER


def tray_of(simulated: SimulatedTable) -> int:
    """The exact value of the tray between two rounds, in cents."""
    cents = Table.objects.values_list("tray_cents", flat=True).get(pk=simulated.table.pk)
    assert cents is not None
    return cents


def chips_of(cents: int) -> Chips:
    """Chips of this value: as the opener where there are enough, the rest in the largest."""
    chips: Chips = {}
    for chip in sorted(CHIPS_CENTS):
        count = min(OPENER[str(chip)], cents // chip)
        chips[str(chip)] = count
        cents -= count * chip
    for chip in CHIPS_CENTS:
        chips[str(chip)] += cents // chip
        cents %= chip
    return {chip: count for chip, count in chips.items() if count}


def act(
    simulated: SimulatedTable,
    person: Person,
    name: str,
    params: dict[str, Any],
    witness: Person | None = None,
) -> dict[str, Any]:
    """Execute one act at a simulated table, and return its answer."""
    facility, code = simulated.table.facility.code, simulated.table.code
    return do(person, simulated.device, facility, code, name, params, witness).body

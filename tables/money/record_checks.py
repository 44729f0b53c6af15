"""What a full verification checks of chips and cash: the rows against the entries, the sums, and the slip numbers."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Min, Model, Sum

from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from games.models import Facility
from tables.core.stated_rows import RowFindings, StatedRow, compare_rows, entry_bodies
from tables.models import (
    ChipDiscrepancy,
    ChipTransfer,
    DropBox,
    Round,
    SlipNumbers,
    Table,
    TableInventory,
)
from tables.money.entry_types import (
    CHIPS_SOLD,
    CLOSER_COUNTED,
    DISCREPANCY_REPORTED,
    DROP_BOX_COUNTED,
    DROP_BOX_PUT_ON,
    DROP_BOX_TAKEN_OFF,
    KEEPING_CHANGED,
    OPENER_COUNTED,
    TRANSFER_CANCELED,
    TRANSFER_HANDED_OVER,
    TRANSFER_PREPARED,
    TRANSFER_RECEIVED,
    TRANSFER_REQUESTED,
    TRANSFER_VOIDED,
)
from tables.money.tray import Tray

MONEY = RowFindings.declare("money")
TRAY_DIFFERS = declare_finding(
    "tray-differs",
    "%(stream)s: inventory %(inventory)s comes to %(expected_cents)s cents by its sums, not to %(stored_cents)s.",
)
OPENER_OUT_OF_PLACE = declare_finding(
    "opener-out-of-place",
    "%(stream)s: by its entries inventory %(inventory)s does not begin after round %(round)s.",
)
CLOSER_DIFFERS = declare_finding(
    "closer-differs",
    "%(stream)s: the row of the table has another closer than the inventories of its entries.",
)
KEEPING_DIFFERS = declare_finding(
    "inventory-keeping-differs",
    "%(facility)s: whether the house keeps the inventory of its tables is not as the newest entry about it says.",
)
SLIP_NUMBER_MISSING = declare_finding(
    "slip-number-missing", "%(facility)s: no entry of the record gave slip number %(slip)s."
)
CLOSING_FIELDS = ("taken_cents", "paid_cents", "corrected_cents", "last_round")


@dataclass
class StatedMoney:
    """What the entries of one table state, by the numbers of the rows."""

    inventories: dict[int, StatedRow] = field(default_factory=dict)
    transfers: dict[int, StatedRow] = field(default_factory=dict)
    drop_boxes: dict[int, StatedRow] = field(default_factory=dict)
    discrepancies: dict[int, StatedRow] = field(default_factory=dict)
    newest_inventory: int = 0

    def apply(self, type_: str, seq: int, data: dict[str, Any]) -> None:
        """Apply one entry. Raises KeyError or TypeError for one that is not as it was written."""
        HANDLERS[type_](self, seq, data)

    def opener(self, seq: int, data: dict[str, Any]) -> None:
        self.newest_inventory = data["inventory"]
        self.inventories[data["inventory"]] = StatedRow(
            seq,
            {
                "opened_seq": seq,
                "opener_chips": data["chips"],
                "opener_cents": data["cents"],
                "fills_cents": 0,
                "credits_cents": 0,
                "sold_cents": 0,
                "closed_seq": None,
                "closer_chips": {},
                "closer_cents": None,
            },
        )

    def closer(self, seq: int, data: dict[str, Any]) -> None:
        closing = {name: data[name] for name in CLOSING_FIELDS}
        self.inventories[data["inventory"]].change(
            seq, closed_seq=seq, closer_chips=data["chips"], closer_cents=data["cents"], **closing
        )

    def sold(self, seq: int, data: dict[str, Any]) -> None:
        for row in (self.inventories[data["inventory"]], self.drop_boxes[data["drop_box"]]):
            row.change(seq, sold_cents=row.values["sold_cents"] + data["cents"])

    def requested(self, seq: int, data: dict[str, Any]) -> None:
        names = ("kind", "chips", "cents")
        self.transfers[data["transfer"]] = StatedRow(
            seq, {**{name: data[name] for name in names}, "slip": "", "status": "requested"}
        )

    def prepared(self, seq: int, data: dict[str, Any]) -> None:
        self.transfers[data["transfer"]].change(seq, slip=data["slip"], status="preparing")

    def handed_over(self, seq: int, data: dict[str, Any]) -> None:
        self.transfers[data["transfer"]].change(seq, status="on-the-way")
        self._move(seq, data, "credit", 1)

    def received(self, seq: int, data: dict[str, Any]) -> None:
        self.transfers[data["transfer"]].change(seq, status="received")
        self._move(seq, data, "fill", 1)

    def voided(self, seq: int, data: dict[str, Any]) -> None:
        self.transfers[data["transfer"]].change(seq, status="void")
        if data["was"] == "on-the-way":
            self._move(seq, data, "credit", -1)

    def canceled(self, seq: int, data: dict[str, Any]) -> None:
        self.transfers[data["transfer"]].change(seq, status="canceled")

    def put_on(self, seq: int, data: dict[str, Any]) -> None:
        self.drop_boxes[data["drop_box"]] = StatedRow(
            seq, {"box": data["box"], "sold_cents": 0, "is_off": False, "counted_cents": None}
        )

    def taken_off(self, seq: int, data: dict[str, Any]) -> None:
        self.drop_boxes[data["drop_box"]].change(seq, is_off=True)

    def counted(self, seq: int, data: dict[str, Any]) -> None:
        self.drop_boxes[data["drop_box"]].change(seq, counted_cents=data["cents"])

    def differs(self, seq: int, data: dict[str, Any]) -> None:
        names = ("expected_chips", "expected_cents", "counted_chips", "counted_cents", "note")
        self.discrepancies[data["discrepancy"]] = StatedRow(
            seq, {**{name: data[name] for name in names}, "kind": data["cause"]}
        )

    def _move(self, seq: int, data: dict[str, Any], kind: str, sign: int) -> None:
        if data["kind"] == kind:
            row, column = self.inventories[self.newest_inventory], f"{kind}s_cents"
            row.change(seq, **{column: row.values[column] + sign * data["cents"]})


Handler = Callable[[StatedMoney, int, dict[str, Any]], None]
HANDLERS: dict[str, Handler] = {
    OPENER_COUNTED.name: StatedMoney.opener,
    CLOSER_COUNTED.name: StatedMoney.closer,
    CHIPS_SOLD.name: StatedMoney.sold,
    TRANSFER_REQUESTED.name: StatedMoney.requested,
    TRANSFER_PREPARED.name: StatedMoney.prepared,
    TRANSFER_HANDED_OVER.name: StatedMoney.handed_over,
    TRANSFER_RECEIVED.name: StatedMoney.received,
    TRANSFER_VOIDED.name: StatedMoney.voided,
    TRANSFER_CANCELED.name: StatedMoney.canceled,
    DROP_BOX_PUT_ON.name: StatedMoney.put_on,
    DROP_BOX_TAKEN_OFF.name: StatedMoney.taken_off,
    DROP_BOX_COUNTED.name: StatedMoney.counted,
    DISCREPANCY_REPORTED.name: StatedMoney.differs,
}


@record_check
def check_keeping(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare whether each house keeps the inventory of its tables with the newest entry that says so."""
    for facility in Facility.objects.order_by("pk"):
        tick()
        entries = Entry.objects.filter(
            stream__name__startswith=f"{facility.code}/", type=KEEPING_CHANGED.name
        )
        stated = [body["data"]["keeps"] for body in entry_bodies(entries)]
        if facility.keeps_inventory != (stated[-1] if stated else False):
            yield Finding(KEEPING_DIFFERS, {"facility": facility.code})


@record_check
def check_money(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the inventories, transfers, drop boxes and discrepancies of every table with its entries."""
    slips: dict[tuple[int, str], set[int]] = defaultdict(set)
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        tick()
        stated = _stated_money(table)
        yield from _compare(table, "inventory", stated.inventories, TableInventory)
        yield from _compare(table, "transfer", stated.transfers, ChipTransfer)
        yield from _compare(table, "drop box", stated.drop_boxes, DropBox)
        yield from _compare(table, "discrepancy", stated.discrepancies, ChipDiscrepancy)
        yield from _check_openers(table)
        yield from _check_sums(table)
        yield from _check_closer(table)
        for row in stated.transfers.values():
            letter, _hyphen, number = str(row.values["slip"]).partition("-")
            if number:
                slips[table.facility_id, letter].add(int(number))
    yield from _check_slip_numbers(slips)


def _stated_money(table: Table) -> StatedMoney:
    stated = StatedMoney()
    entries = Entry.objects.filter(stream=table.stream_id, type__in=HANDLERS)
    for body in entry_bodies(entries):
        try:
            stated.apply(body["_type"], body["seq"], body["data"])
        except (KeyError, TypeError):
            continue  # the verification of the chain names it
    return stated


def _compare(table: Table, name: str, stated: dict[int, StatedRow], model: type[Model]) -> Iterator[Finding]:
    rows = model.objects.filter(table=table)  # type: ignore[attr-defined]  # each has a manager
    stored = {row.number: row for row in rows}
    yield from compare_rows(
        MONEY, table.stream.name, stated, stored, name=lambda number: f"{name} {number}", read=_stored
    )


def _stored(row: Any, column: str) -> Any:
    if column == "is_off":
        return row.taken_off_at is not None
    return getattr(row, column)


def _check_openers(table: Table) -> Iterator[Finding]:
    """Compare the last round before each opener with the entries: it began before the opener, the next one after."""
    for inventory in TableInventory.objects.filter(table=table).order_by("number"):
        before = inventory.rounds_before
        rounds = Entry.objects.filter(stream=table.stream_id, round__in=(before, before + 1))
        began = dict(rounds.values_list("round").annotate(Min("seq")).order_by())
        first, following = began.get(before, 0), began.get(before + 1)
        is_missing = before > 0 and before not in began
        if (
            is_missing
            or first > inventory.opened_seq
            or (following or inventory.opened_seq) < inventory.opened_seq
        ):
            where = {"stream": table.stream.name, "inventory": inventory.number, "round": before}
            yield Finding(OPENER_OUT_OF_PLACE, where)


def _check_sums(table: Table) -> Iterator[Finding]:
    """Compare what an inventory took and paid with its rounds, and the tray with the sums of its open inventory."""
    for inventory in TableInventory.objects.filter(table=table).order_by("number"):
        is_open = inventory.closed_at is None
        source: Any = table if is_open else inventory
        prefix = "tray_" if is_open else ""
        taken, paid, corrected = (
            getattr(source, f"{prefix}{name}_cents") for name in ("taken", "paid", "corrected")
        )
        expected = _by_rounds(table, inventory, corrected)
        stored = Tray(
            inventory.opener_cents,
            inventory.fills_cents,
            inventory.credits_cents,
            inventory.sold_cents,
            taken,
            paid,
            corrected,
        )
        stored_cents = table.tray_cents if is_open else stored.cents
        if (expected.taken_cents, expected.paid_cents) != (taken, paid) or expected.cents != stored_cents:
            yield Finding(
                TRAY_DIFFERS,
                {
                    "stream": table.stream.name,
                    "inventory": inventory.number,
                    "expected_cents": expected.cents,
                    "stored_cents": stored_cents,
                },
            )


def _check_closer(table: Table) -> Iterator[Finding]:
    """Compare since when no chips move at the table with its newest closer. Closing the table ends that time."""
    newest = TableInventory.objects.filter(table=table).order_by("-number").first()
    signed_at = newest.closed_at if newest is not None else None
    if table.closer_signed_at not in (signed_at, None if table.status == Table.Status.CLOSED else signed_at):
        yield Finding(CLOSER_DIFFERS, {"stream": table.stream.name})


def _by_rounds(table: Table, inventory: TableInventory, corrected_cents: int) -> Tray:
    rounds = Round.objects.filter(table=table, ended_at__isnull=False, number__gt=inventory.rounds_before)
    if inventory.last_round is not None:
        rounds = rounds.filter(number__lte=inventory.last_round)
    sums = rounds.aggregate(taken=Sum("taken_cents", default=0), paid=Sum("paid_cents", default=0))
    return Tray(
        inventory.opener_cents,
        inventory.fills_cents,
        inventory.credits_cents,
        inventory.sold_cents,
        sums["taken"],
        sums["paid"],
        corrected_cents,
    )


def _check_slip_numbers(slips: dict[tuple[int, str], set[int]]) -> Iterator[Finding]:
    """Every number up to the last one was given by an entry."""
    numbers = {row.facility_id: row for row in SlipNumbers.objects.all()}
    for facility in Facility.objects.order_by("pk"):
        row = numbers.get(facility.pk)
        for letter, last in (("F", row.fill), ("C", row.credit)) if row else ():
            given = slips[facility.pk, letter]
            for number in sorted(set(range(1, max([last, *given]) + 1)) - given):
                yield Finding(
                    SLIP_NUMBER_MISSING, {"facility": facility.code, "slip": f"{letter}-{number:04}"}
                )

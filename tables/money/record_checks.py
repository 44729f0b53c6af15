"""What a full verification checks of chips and cash: the rows against the entries, the sums, and the slip numbers.

The entries of a table are folded by what each does to rows (`StatedMoney`), independently of the acts that wrote them.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Min, Model, Sum

from audit.clock import format_moment
from audit.columns import RowFindings, declare
from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry
from games.models import Facility
from tables.core.entries import StatedRow, compare_rows, entry_bodies
from tables.models import (
    ChipDiscrepancy,
    ChipSale,
    ChipTransfer,
    DropBox,
    Round,
    SlipNumbers,
    Table,
    TableInventory,
    TrayPar,
)
from tables.money.drops import CHIPS_SOLD, DROP_BOX_COUNTED, DROP_BOX_PUT_ON, DROP_BOX_TAKEN_OFF
from tables.money.inventories import CLOSER_COUNTED, OPENER_COUNTED, PAR_SET, TRAY_COUNTED
from tables.money.transfers import (
    TRANSFER_CANCELED,
    TRANSFER_CARRIER_SIGNED,
    TRANSFER_COUNT_REFUSED,
    TRANSFER_HANDED_OVER,
    TRANSFER_PREPARED,
    TRANSFER_RECEIVED,
    TRANSFER_REQUESTED,
    TRANSFER_VOIDED,
)
from tables.money.tray import DISCREPANCY_REPORTED, Tray

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
SLIP_NUMBER_MISSING = declare_finding(
    "slip-number-missing", "%(facility)s: no entry of the record gave slip number %(slip)s."
)
SLIP_NUMBERS_BEHIND = declare_finding(
    "slip-numbers-behind",
    "%(facility)s: slip number %(slip)s was given, and the row of the numbers has %(last)s as the last.",
)
CLOSING_FIELDS = ("taken_cents", "paid_cents", "corrected_cents", "last_round")
Body = dict[str, Any]
SaleKey = tuple[str, int]  # its moment, and which of that moment, from 1
# Of two signers either may have entered the act, so that the record has the pair.
PAIRS = {
    "opened_by": "opened_with",
    "closed_by": "closed_with",
    "handed_by": "handed_with",
    "received_by": "received_with",
    "put_on_by": "put_on_with",
    "taken_off_by": "taken_off_with",
    "counted_by": "counted_with",
}
PEOPLE = frozenset(
    {*PAIRS, *PAIRS.values(), "requested_by", "prepared_by", "carrier", "ended_by", "ended_with", "sold_by"}
    | {"set_by", "recorded_by", "recorded_with"}
)
NUMBERED = frozenset({"inventory", "transfer", "drop_box"})


@dataclass
class StatedMoney:
    """What the entries of one table state, by the numbers of the rows.

    `slips` are the transfers by their slip, `moments` the sales by their moment.
    """

    inventories: dict[int, StatedRow] = field(default_factory=dict)
    transfers: dict[int, StatedRow] = field(default_factory=dict)
    drop_boxes: dict[int, StatedRow] = field(default_factory=dict)
    discrepancies: dict[int, StatedRow] = field(default_factory=dict)
    sales: dict[SaleKey, StatedRow] = field(default_factory=dict)
    pars: dict[int, StatedRow] = field(default_factory=dict)
    slips: dict[str, int] = field(default_factory=dict)
    moments: Counter[str] = field(default_factory=Counter)
    newest_inventory: int = 0

    def apply(self, body: Body) -> None:
        """Apply one entry. Raises KeyError, TypeError or ValueError for one that is not as it was written."""
        HANDLERS[body["_type"]](self, body, body["data"])

    def opener(self, body: Body, data: Body) -> None:
        self.newest_inventory = data["inventory"]
        self.inventories[data["inventory"]] = StatedRow(
            body["seq"],
            {
                "gaming_day": body["gaming_day"],
                "opened_seq": body["seq"],
                "opened_at": body["at"],
                "opened_by": _signers(body),
                "opener_chips": data["chips"],
                "opener_cents": data["cents"],
                "fills_cents": 0,
                "credits_cents": 0,
                "sold_cents": 0,
                **_counted(body, data["cents"]),
                "taken_cents": 0,
                "paid_cents": 0,
                "corrected_cents": 0,
                "last_round": None,
                "closed_seq": None,
                "closed_at": None,
                "closed_by": [],
                "closer_chips": {},
                "closer_cents": None,
            },
        )

    def tray_counted(self, body: Body, data: Body) -> None:
        self.inventories[data["inventory"]].change(body["seq"], **_counted(body, data["exact_cents"]))

    def closer(self, body: Body, data: Body) -> None:
        self.inventories[data["inventory"]].change(
            body["seq"],
            **_counted(body, data["exact_cents"]),
            **{name: data[name] for name in CLOSING_FIELDS},
            closed_seq=body["seq"],
            closed_at=body["at"],
            closed_by=_signers(body),
            closer_chips=data["chips"],
            closer_cents=data["cents"],
        )

    def sold(self, body: Body, data: Body) -> None:
        for row in (self.inventories[data["inventory"]], self.drop_boxes[data["drop_box"]]):
            row.change(body["seq"], sold_cents=row.values["sold_cents"] + data["cents"])
        values = {name: data[name] for name in ("inventory", "drop_box", "cents", "chips")}
        values |= {"gaming_day": body["gaming_day"], "sold_by": body["actor"], "seat": data.get("seat")}
        self.moments[body["at"]] += 1
        self.sales[body["at"], self.moments[body["at"]]] = StatedRow(body["seq"], values)

    def requested(self, body: Body, data: Body) -> None:
        values = {name: data[name] for name in ("kind", "chips", "cents")}
        steps = ("prepared", "handed", "received", "ended")
        self.transfers[data["transfer"]] = StatedRow(
            body["seq"],
            {
                **values,
                "facility": body["stream"].partition("/")[0],
                "inventory": self.newest_inventory,
                "gaming_day": body["gaming_day"],
                "slip_number": None,
                "status": "requested",
                "requested_at": body["at"],
                "requested_by": body["actor"],
                **{f"{step}_at": None for step in steps},
                "prepared_by": None,
                "handed_by": [],
                "received_by": [],
                "ended_by": None,
                "ended_with": None,
                "carrier": None,
                "carrier_signed_at": None,
                "refused_counts": 0,
                "reason": "",
            },
        )

    def prepared(self, body: Body, data: Body) -> None:
        self.slips[data["slip"]] = data["transfer"]
        number = int(data["slip"].partition("-")[2])
        by = {"prepared_at": body["at"], "prepared_by": body["actor"]}
        self.transfers[data["transfer"]].change(body["seq"], slip_number=number, status="preparing", **by)

    def carrier_signed(self, body: Body, data: Body) -> None:
        signed = {"carrier": data["carrier"], "carrier_signed_at": body["at"]}
        self.transfers[data["transfer"]].change(body["seq"], **signed)

    def count_refused(self, body: Body, data: Body) -> None:
        self.transfers[data["transfer"]].change(body["seq"], refused_counts=data["refused_counts"])

    def handed_over(self, body: Body, data: Body) -> None:
        by = {"handed_at": body["at"], "handed_by": _signers(body), "carrier": data["carrier"]}
        self.transfers[data["transfer"]].change(body["seq"], status="on-the-way", **by)
        self._move(body["seq"], data, "credit", 1)

    def received(self, body: Body, data: Body) -> None:
        by = {"received_at": body["at"], "received_by": _signers(body)}
        self.transfers[data["transfer"]].change(body["seq"], status="received", **by)
        self._move(body["seq"], data, "fill", 1)

    def voided(self, body: Body, data: Body) -> None:
        self._end(body, data, "void")
        if data["was"] == "on-the-way":
            self._move(body["seq"], data, "credit", -1)

    def canceled(self, body: Body, data: Body) -> None:
        self._end(body, data, "canceled")

    def put_on(self, body: Body, data: Body) -> None:
        self.drop_boxes[data["drop_box"]] = StatedRow(
            body["seq"],
            {
                "box": data["box"],
                "inventory": data["inventory"],
                "sold_cents": 0,
                "put_on_at": body["at"],
                "put_on_by": _signers(body),
                "taken_off_at": None,
                "taken_off_by": [],
                "counted_at": None,
                "counted_by": [],
                "counted_cents": None,
            },
        )

    def taken_off(self, body: Body, data: Body) -> None:
        by = {"taken_off_at": body["at"], "taken_off_by": _signers(body)}
        self.drop_boxes[data["drop_box"]].change(body["seq"], **by)

    def drop_counted(self, body: Body, data: Body) -> None:
        by = {"counted_at": body["at"], "counted_by": _signers(body)}
        self.drop_boxes[data["drop_box"]].change(body["seq"], counted_cents=data["cents"], **by)

    def differs(self, body: Body, data: Body) -> None:
        names = (
            "inventory",
            "expected_chips",
            "expected_cents",
            "counted_chips",
            "counted_cents",
            "drop_box",
            "note",
        )
        values = {name: data[name] for name in names} | {
            "kind": data["cause"],
            "gaming_day": body["gaming_day"],
        }
        values["transfer"] = self.slips[data["slip"]] if data["slip"] else None
        by = {"recorded_at": body["at"], "recorded_by": body["actor"], "recorded_with": body["witness"]}
        self.discrepancies[data["discrepancy"]] = StatedRow(body["seq"], values | by)

    def par(self, body: Body, data: Body) -> None:
        self.pars[1] = StatedRow(
            body["seq"], {"chips": data["chips"], "set_at": body["at"], "set_by": body["actor"]}
        )

    def _move(self, seq: int, data: Body, kind: str, sign: int) -> None:
        if data["kind"] == kind:
            row, column = self.inventories[self.newest_inventory], f"{kind}s_cents"
            row.change(seq, **{column: row.values[column] + sign * data["cents"]})

    def _end(self, body: Body, data: Body, status: str) -> None:
        by = {"ended_at": body["at"], "ended_by": body["actor"], "ended_with": body["witness"]}
        self.transfers[data["transfer"]].change(body["seq"], status=status, reason=data["reason"], **by)


def _signers(body: Body) -> list[str]:
    return sorted(code for code in (body["actor"], body["witness"]) if code)


def _counted(body: Body, exact_cents: int) -> Body:
    """The newest count of a tray, by the entry that states it."""
    data = body["data"]
    return {
        "counted_chips": data["chips"],
        "counted_cents": data["cents"],
        "counted_at": body["at"],
        "counted_exact_cents": exact_cents,
    }


Handler = Callable[[StatedMoney, Body, Body], None]
HANDLERS: dict[str, Handler] = {
    OPENER_COUNTED.name: StatedMoney.opener,
    TRAY_COUNTED.name: StatedMoney.tray_counted,
    CLOSER_COUNTED.name: StatedMoney.closer,
    CHIPS_SOLD.name: StatedMoney.sold,
    TRANSFER_REQUESTED.name: StatedMoney.requested,
    TRANSFER_PREPARED.name: StatedMoney.prepared,
    TRANSFER_CARRIER_SIGNED.name: StatedMoney.carrier_signed,
    TRANSFER_COUNT_REFUSED.name: StatedMoney.count_refused,
    TRANSFER_HANDED_OVER.name: StatedMoney.handed_over,
    TRANSFER_RECEIVED.name: StatedMoney.received,
    TRANSFER_VOIDED.name: StatedMoney.voided,
    TRANSFER_CANCELED.name: StatedMoney.canceled,
    DROP_BOX_PUT_ON.name: StatedMoney.put_on,
    DROP_BOX_TAKEN_OFF.name: StatedMoney.taken_off,
    DROP_BOX_COUNTED.name: StatedMoney.drop_counted,
    DISCREPANCY_REPORTED.name: StatedMoney.differs,
    PAR_SET.name: StatedMoney.par,
}


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
        yield from _compare_sales(table, stated.sales)
        yield from _compare_par(table, stated.pars)
        yield from _check_openers(table)
        yield from _check_sums(table)
        yield from _check_closer(table)
        for row in stated.transfers.values():
            if row.values["slip_number"] is not None:
                slips[table.facility_id, str(row.values["kind"])].add(row.values["slip_number"])
    yield from _check_slip_numbers(slips)


def _stated_money(table: Table) -> StatedMoney:
    stated = StatedMoney()
    entries = Entry.objects.filter(stream=table.stream_id, type__in=HANDLERS)
    for body in entry_bodies(entries):
        try:
            stated.apply(body)
        except (KeyError, TypeError, ValueError, AttributeError):
            continue  # the verification of the chain names it
    return stated


def _compare(
    table: Table, name: str, stated: Mapping[int, StatedRow], model: type[Model]
) -> Iterator[Finding]:
    """Compare the rows of one sort, which have numbers at their table."""
    stored = {row["number"]: row for row in _rows(table, model, stated, "number")}
    yield from compare_rows(
        MONEY, table.stream.name, stated, stored, name=lambda number: f"{name} {number}", read=_stored
    )


def _compare_sales(table: Table, stated: Mapping[SaleKey, StatedRow]) -> Iterator[Finding]:
    stored: dict[SaleKey, Body] = {}
    moments: Counter[str] = Counter()
    for row in _rows(table, ChipSale, stated, "sold_at"):
        moment = format_moment(row["sold_at"])
        moments[moment] += 1
        stored[moment, moments[moment]] = row
    yield from compare_rows(
        MONEY, table.stream.name, stated, stored, name=lambda key: f"sale of {key[0]}", read=_stored
    )


def _compare_par(table: Table, stated: Mapping[int, StatedRow]) -> Iterator[Finding]:
    stored = dict(enumerate(_rows(table, TrayPar, stated, "pk"), start=1))
    yield from compare_rows(MONEY, table.stream.name, stated, stored, name=lambda _: "par", read=_stored)


def _rows(table: Table, model: type[Model], stated: Mapping[Any, StatedRow], key: str) -> Iterator[Body]:
    """The rows of a table with what entries state of such rows. People are read by their code alone."""
    columns = next((row.values for row in stated.values()), {})
    paths = {path for column in columns for path in _paths(column)}
    rows = model.objects.filter(table=table)  # type: ignore[attr-defined]  # each has a manager
    yield from rows.order_by("pk").values(key, *paths - {key})


def _paths(column: str) -> tuple[str, ...]:
    """The columns of the database that one of these columns is read from."""
    if column in PAIRS:
        return f"{column}__code", f"{PAIRS[column]}__code"
    if column in PEOPLE or column == "facility":
        return (f"{column}__code",)
    return (f"{column}__number" if column in NUMBERED else column,)


def _stored(row: Body, column: str) -> Any:
    """A column as entries write it: two signers as their sorted codes, moments and days as text."""
    first, *others = (row[path] for path in _paths(column))
    if column in PAIRS:
        return sorted(code for code in (first, *others) if code)
    if isinstance(first, dt.datetime):
        return format_moment(first)
    return first.isoformat() if isinstance(first, dt.date) else first


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
    inventories = list(TableInventory.objects.filter(table=table).order_by("number"))
    sums = (table.tray_taken_cents, table.tray_paid_cents, table.tray_corrected_cents)
    if all(inventory.closed_at is not None for inventory in inventories) and (
        table.tray_cents is not None or any(sums)
    ):
        where = {"stream": table.stream.name, "inventory": 0, "expected_cents": 0}
        yield Finding(TRAY_DIFFERS, {**where, "stored_cents": table.tray_cents or sum(sums)})
    for inventory in inventories:
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
    """Every number up to the last one was given by an entry, and none is given again."""
    rows = {row.facility_id: row for row in SlipNumbers.objects.all()}
    for facility in Facility.objects.order_by("pk"):
        row = rows.get(facility.pk)
        for kind, letter, last in (
            ("fill", "F", row.fill if row else 0),
            ("credit", "C", row.credit if row else 0),
        ):
            given_numbers = slips[facility.pk, kind]
            newest = max(given_numbers, default=0)
            for number in sorted(set(range(1, max(last, newest) + 1)) - given_numbers):
                where = {"facility": facility.code, "slip": f"{letter}-{number:04}"}
                yield Finding(SLIP_NUMBER_MISSING, where)
            if last < newest:
                newest_slip = {"facility": facility.code, "slip": f"{letter}-{newest:04}"}
                yield Finding(SLIP_NUMBERS_BEHIND, {**newest_slip, "last": last})


# The columns that these checks compare


CHECK = "tables.money.record_checks.check_money"


def checked(names: str) -> dict[str, str]:
    """These columns, which the check of chips and cash compares."""
    return dict.fromkeys(names.split(), CHECK)


declare(
    TableInventory,
    "inventory",
    derived=checked(
        "table number gaming_day opened_seq rounds_before opened_at opened_by opened_with opener_chips "
        "opener_cents fills_cents credits_cents sold_cents counted_chips counted_cents counted_at "
        "counted_exact_cents taken_cents paid_cents corrected_cents closer_chips closer_cents closed_seq "
        "last_round closed_at closed_by closed_with"
    ),
)
declare(SlipNumbers, "slip numbers", derived=checked("facility fill credit"))
declare(
    ChipTransfer,
    "transfer",
    derived=checked(
        "facility table inventory number kind slip_number status chips cents gaming_day requested_at "
        "requested_by prepared_at prepared_by handed_at handed_by handed_with carrier received_at received_by "
        "received_with ended_at ended_by ended_with reason carrier_signed_at refused_counts"
    ),
)
declare(
    DropBox,
    "drop box",
    derived=checked(
        "table inventory number box sold_cents put_on_at put_on_by put_on_with taken_off_at taken_off_by "
        "taken_off_with counted_at counted_by counted_with counted_cents"
    ),
)
declare(
    ChipSale,
    "sale",
    derived=checked("table inventory drop_box gaming_day sold_at sold_by seat cents chips"),
)
declare(TrayPar, "par", derived=checked("table chips set_at set_by"))
declare(
    ChipDiscrepancy,
    "discrepancy",
    derived=checked(
        "table inventory number gaming_day kind transfer drop_box expected_chips expected_cents counted_chips "
        "counted_cents note recorded_at recorded_by recorded_with"
    ),
)

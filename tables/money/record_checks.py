"""What a full verification checks of chips and cash beyond their rows: openers, sums, closers, and slip numbers.

The rows themselves are declared beside their entries, and compared with them by `audit.columns.check_columns`.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace

from django.db.models import Min, Sum

from audit.columns import FACILITY, declare
from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry
from games.models import Facility
from tables.core.entries import entry_bodies
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
from tables.money.transfers import TRANSFER_PREPARED
from tables.money.tray import tray_of

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

# Whose rows entries state, one by one.
MODELS = (TableInventory, ChipTransfer, DropBox, ChipSale, TrayPar, ChipDiscrepancy)


@record_check
def check_money(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the openers, sums and closers of every table with its rounds, and the slip numbers of every facility."""
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        tick()
        yield from _check_openers(table)
        yield from _check_sums(table)
        yield from _check_closer(table)
    yield from _check_slip_numbers()


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
        stored = tray_of(table, inventory)
        stored_cents = table.tray_cents if inventory.closed_at is None else stored.cents
        taken_cents, paid_cents = _sums_of_rounds(table, inventory)
        expected = replace(stored, taken_cents=taken_cents, paid_cents=paid_cents)
        if expected != stored or expected.cents != stored_cents:
            yield Finding(
                TRAY_DIFFERS,
                {
                    "stream": table.stream.name,
                    "inventory": inventory.number,
                    "expected_cents": expected.cents,
                    "stored_cents": stored_cents,
                },
            )


def _sums_of_rounds(table: Table, inventory: TableInventory) -> tuple[int, int]:
    """What the rounds of an inventory took and paid."""
    rounds = Round.objects.filter(table=table, ended_at__isnull=False, number__gt=inventory.rounds_before)
    if inventory.last_round is not None:
        rounds = rounds.filter(number__lte=inventory.last_round)
    sums = rounds.aggregate(taken=Sum("taken_cents", default=0), paid=Sum("paid_cents", default=0))
    return sums["taken"], sums["paid"]


def _check_closer(table: Table) -> Iterator[Finding]:
    """Compare since when no chips move at the table with its newest closer. Closing the table ends that time."""
    newest = TableInventory.objects.filter(table=table).order_by("-number").first()
    signed_at = newest.closed_at if newest is not None else None
    if table.closer_signed_at not in (signed_at, None if table.status == Table.Status.CLOSED else signed_at):
        yield Finding(CLOSER_DIFFERS, {"stream": table.stream.name})


def _check_slip_numbers() -> Iterator[Finding]:
    """Every number up to the last one was given by an entry, and none is given again."""
    slips = defaultdict(set)
    for body in entry_bodies(Entry.objects.filter(type=TRANSFER_PREPARED.name)):
        with suppress(
            KeyError, TypeError, ValueError, AttributeError
        ):  # the verification of the chain names it
            letter, _, number = body["data"]["slip"].partition("-")
            slips[FACILITY(body), letter].add(int(number))
    rows = {row.facility_id: row for row in SlipNumbers.objects.all()}
    for facility in Facility.objects.order_by("pk"):
        row = rows.get(facility.pk)
        for letter, last in (("F", row.fill if row else 0), ("C", row.credit if row else 0)):
            given_numbers = slips[facility.code, letter]
            newest = max(given_numbers, default=0)
            for number in sorted(set(range(1, max(last, newest) + 1)) - given_numbers):
                where = {"facility": facility.code, "slip": f"{letter}-{number:04}"}
                yield Finding(SLIP_NUMBER_MISSING, where)
            if last < newest:
                newest_slip = {"facility": facility.code, "slip": f"{letter}-{newest:04}"}
                yield Finding(SLIP_NUMBERS_BEHIND, {**newest_slip, "last": last})


declare(
    SlipNumbers,
    "slip numbers",
    derived=dict.fromkeys(("facility", "fill", "credit"), "tables.money.record_checks.check_money"),
)

"""Inventories of a table: the opener, counts of its tray, the closer, and the par.

1. Before the table opens, the tray is counted against the slip of its last closer (`count_opener`). An opener that
   differs is a discrepancy; the inventory begins with what was counted.
2. It may be counted at any time (`count_tray`). A count that differs from the exact value is a discrepancy, and adjusts
   nothing.
3. Before the table closes, it is counted again (`count_closer`): in no round, with no fill, credit or drop box left.
   Its slip is locked in with the chips, and no chips move until the next opener.

The dealer counts and the floor observes; both sign. Two people set the par of a tray (`set_par`, the row `pars` of the
policy): what it should hold, and what a fill may bring it to. `propose` says which fill and credit restore it; nothing
is ordered by that.

Drawn by `tables.money.tray_page`; on paper, and against the drop, by `tables.money.reconciliation`.
"""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, TypedDict, Unpack

from django.db.models import QuerySet

from audit.columns import ACTOR, AT, DAY, NONE, SEQ, STREAM, Body, Fold, Rows, Source, constant, declare, same
from audit.entry_types import entry_type
from games.act_forms import Chips
from games.chips import KNOWN_CHIPS_CENTS
from games.engine import Refusal, RefusalCode
from games.engine.odds import in_dollars
from games.models import Facility
from games.separation import policy
from games.separation.signatures import Paper, Step, declare_paper, verify_signed_before
from games.snapshot_types import TransferKind
from tables.core.context import ROUND_IN_PLAY, TableContext
from tables.core.duty import AT_THE_TABLE, STAFFERS
from tables.models import ChipDiscrepancy, ChipTransfer, Table, TableInventory, TrayPar
from tables.money.chips import ChipCount, ChipCounts, differences, value_cents
from tables.money.drops import CHIPS_SOLD, verify_drop_box_off
from tables.money.transfers import (
    SLIP_PEOPLE,
    TRANSFER_HANDED_OVER,
    TRANSFER_RECEIVED,
    TRANSFER_VOIDED,
    UNDER_WAY,
    note_inventory,
    verify_nothing_under_way,
)
from tables.money.tray import (
    AT_ITS_TABLE,
    CLOSER_IS_SIGNED,
    DISCREPANCY_REPORTED,
    MONEY,
    DifferenceCents,
    InventoryNumber,
    Tray,
    add_cents,
    dealer_and_floor,
    difference_words,
    exact_cents,
    keeps_inventory,
    report_discrepancy,
    require_inventory,
    section_of,
    signed,
    signers,
    tray_of,
    unsigned,
    verify_chips_may_move,
)
from tables.runner.signatures import SECOND_PERSON_MUST_SIGN, is_signed_by_two
from tables.runner.table import ActOutcome, act
from tables.words import overtaken_by

NO_INVENTORY_KEPT = RefusalCode(
    "no-inventory-kept",
    "%(facility)s does not keep the inventory of %(table)s in Pitside.",
    "No inventory here",
)
OPENER_IS_SIGNED = RefusalCode(
    "opener-is-signed",
    "The opener of %(table)s was signed at %(at)s. Count the closer before another opener.",
    "Opener already signed",
)
PAR_UNCHANGED = RefusalCode("par-unchanged", "This is already the par of %(table)s.", "Nothing changes")


# What the record says of counts


ExactCents = Annotated[int, "exact value of the tray by the record at this moment"]


class LastCloser(TypedDict):
    inventory: InventoryNumber
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]


@entry_type("inventory.opener_counted")
def OPENER_COUNTED(
    *,
    inventory: InventoryNumber,
    chips: ChipCount,
    cents: Annotated[int, "value of the chips"],
    closer: Annotated[LastCloser | None, "the slip of the last closer; null at the first opener"],
    difference_cents: DifferenceCents,
) -> str:
    """The opener of a table was counted against the slip of its last closer, and signed by the dealer and the
    floor.
    """
    return f"Opener counted: {in_dollars(cents)}, {difference_words(difference_cents)}"


overtaken_by(OPENER_IS_SIGNED, OPENER_COUNTED)


class TrayCounted(TypedDict):
    inventory: InventoryNumber
    chips: ChipCount
    cents: Annotated[int, "value of the chips"]
    exact_cents: ExactCents
    difference_cents: DifferenceCents


TRAY_COUNTED = entry_type(
    "inventory.counted",
    TrayCounted,
    "The tray of a table was counted by denomination, and signed by two people.",
    lambda data: f"Tray counted: {in_dollars(data['cents'])}, {difference_words(data['difference_cents'])}",
)


@entry_type("inventory.closer_counted")
def CLOSER_COUNTED(
    *,
    opener_cents: Annotated[int, "value of the opener"],
    fills_cents: Annotated[int, "fills received since the opener"],
    credits_cents: Annotated[int, "credits handed over since the opener"],
    sold_cents: Annotated[int, "chips sold for cash since the opener"],
    taken_cents: Annotated[int, "lost wagers and fees of the rounds since the opener"],
    paid_cents: Annotated[int, "winnings of the rounds since the opener"],
    corrected_cents: Annotated[int, "what Error Notification Slips changed in the tray since the opener"],
    last_round: Annotated[int, "number of the last round at this table"],
    **data: Unpack[TrayCounted],
) -> str:
    """The closer of a table was counted and signed by the dealer and the floor. Its inventory is over."""
    return f"Closer counted: {in_dollars(data['cents'])}, {difference_words(data['difference_cents'])}"


overtaken_by(CLOSER_IS_SIGNED, CLOSER_COUNTED)


# What the entries state of an inventory: its counts, and the sums of what went through its tray


_COUNT: dict[str, Source] = {"counted_chips": "chips", "counted_cents": "cents", "counted_at": AT}


def _moves(kind: TransferKind, sign: int = 1) -> Fold:
    """A fill that comes into the tray, or a credit that leaves it, or is back in it (`sign`) if it had left."""

    def fold(rows: Rows, body: Body) -> None:
        data = body["data"]
        if data["kind"] == kind and data.get("was", "on-the-way") == "on-the-way":
            add_cents(rows, body, rows.memory[body["stream"]], f"{kind}s_cents", sign)

    return fold


declare(
    TableInventory,
    "inventory",
    key={"stream": STREAM, "number": "inventory"},
    created={
        OPENER_COUNTED: {
            **_COUNT,
            "gaming_day": DAY,
            "opened_seq": SEQ,
            "counted_exact_cents": "cents",
            "opener_chips": "chips",
            "opener_cents": "cents",
            "closer_chips": constant({}),
            **signed("opened"),
            **unsigned("closed"),
            **dict.fromkeys(("fills_cents", "credits_cents", "sold_cents"), constant(0)),
            **dict.fromkeys(("taken_cents", "paid_cents", "corrected_cents"), constant(0)),
            **dict.fromkeys(("last_round", "closed_seq", "closer_cents"), NONE),
        }
    },
    changed={
        TRAY_COUNTED: {**_COUNT, "counted_exact_cents": "exact_cents"},
        CLOSER_COUNTED: {
            **_COUNT,
            "closed_seq": SEQ,
            "counted_exact_cents": "exact_cents",
            "closer_chips": "chips",
            "closer_cents": "cents",
            **signed("closed"),
            **same("taken_cents", "paid_cents", "corrected_cents", "last_round"),
        },
    },
    folded={
        OPENER_COUNTED: note_inventory,
        CHIPS_SOLD: lambda rows, body: add_cents(rows, body, body["data"]["inventory"], "sold_cents"),
        TRANSFER_HANDED_OVER: _moves("credit"),
        TRANSFER_RECEIVED: _moves("fill"),
        TRANSFER_VOIDED: _moves("credit", -1),
    },
    readings={**AT_ITS_TABLE, **signers("opened", "closed")},
    derived={"rounds_before": "tables.money.record_checks.check_money"},
    findings=MONEY,
)


# The inventory as a paper that people sign


class InventorySlip(Paper[TableInventory]):
    """An inventory: the dealer and the floor sign its opener, each count of the tray, and its closer."""

    code, title = "inventory", "Inventory"

    def rows(self, facility: Facility) -> QuerySet[TableInventory]:
        people = ("opened_by", "opened_with", "closed_by", "closed_with")
        return TableInventory.objects.filter(table__facility=facility).select_related(
            "table__facility", *people
        )

    def key(self, row: TableInventory) -> tuple[Facility, str, int]:
        return row.table.facility, row.table.code, row.number

    def name(self, row: TableInventory) -> str:
        return f"Inventory {row.number}"

    def day(self, row: TableInventory) -> dt.date:
        return row.gaming_day

    def steps(self, row: TableInventory) -> dict[str, Step]:
        """Opener and closer. Counts of the tray between them are entries alone."""
        return {
            "opener": Step(row.opened_at, (row.opened_by, row.opened_with)),
            "closer": Step(row.closed_at, (row.closed_by, row.closed_with), is_next=True),
        }


INVENTORIES = declare_paper(InventorySlip())


# The opener


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing")
def count_opener(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Count the tray before the table opens, against the slip of the last closer. The dealer and the floor sign.

    An opener that differs is a discrepancy; the inventory begins with what was counted.
    """
    _verify_kept(ctx)
    dealer, floorperson = dealer_and_floor(ctx, INVENTORIES.code, "opener", "opener")
    _verify_may_begin(ctx)
    last = TableInventory.objects.filter(table=ctx.table).order_by("-number").first()
    cents = value_cents(chips)
    inventory = TableInventory.objects.create(
        table=ctx.table,
        number=last.number + 1 if last else 1,
        gaming_day=ctx.gaming_day,
        opened_seq=ctx.stream.seq + 1,
        rounds_before=ctx.table.last_round,
        opened_at=ctx.now,
        opened_by=dealer,
        opened_with=floorperson,
        opener_chips=chips,
        opener_cents=cents,
        counted_chips=chips,
        counted_cents=cents,
        counted_at=ctx.now,
        counted_exact_cents=cents,
    )
    ctx.change_table(
        tray_cents=cents,
        tray_taken_cents=0,
        tray_paid_cents=0,
        tray_corrected_cents=0,
        closer_signed_at=None,
    )
    closer: LastCloser | None = None
    if last is not None:
        assert last.closer_cents is not None
        closer = {"inventory": last.number, "chips": last.closer_chips, "cents": last.closer_cents}
        if differences(last.closer_chips, chips):
            differs = report_discrepancy(
                ctx,
                inventory,
                ChipDiscrepancy.Kind.OPENER,
                expected_chips=last.closer_chips,
                expected_cents=last.closer_cents,
                counted_chips=chips,
                counted_cents=cents,
            )
            ctx.extra_entries.append(DISCREPANCY_REPORTED(differs))
    entry = OPENER_COUNTED(
        inventory=inventory.number,
        chips=chips,
        cents=cents,
        closer=closer,
        difference_cents=cents - closer["cents"] if closer else 0,
    )
    return ActOutcome(entry, {"inventory": inventory.number, "cents": cents}, changes="nothing")


def _verify_kept(ctx: TableContext) -> None:
    table = ctx.table
    if not keeps_inventory(table):
        raise Refusal(NO_INVENTORY_KEPT, facility=table.facility.name, table=table.code)


def _verify_may_begin(ctx: TableContext) -> None:
    """An inventory begins where none is open, in no round, and not between a closer and the closing of its table."""
    table = ctx.table
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    if table.tray_cents is not None:
        opened_at = TableInventory.objects.get(table=table, closed_at=None).opened_at
        section = section_of(table, "opener")
        raise Refusal(OPENER_IS_SIGNED, section, table=table.code, at=ctx.local(opened_at))
    if table.status != Table.Status.CLOSED:
        verify_chips_may_move(ctx)


# A count at any time


COUNT_FIELDS = ("counted_chips", "counted_cents", "counted_at", "counted_exact_cents")


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing")
def count_tray(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Count the tray by denomination, at any time. The dealer and the floor sign.

    A count that differs from the exact value is a discrepancy, and adjusts nothing.
    """
    dealer_and_floor(ctx, INVENTORIES.code, "count", "count")
    inventory = require_inventory(ctx)
    verify_signed_before(INVENTORIES, inventory, "count")
    cents, exact = value_cents(chips), exact_cents(ctx)
    _write_count(ctx, inventory, chips, exact)
    inventory.save(update_fields=COUNT_FIELDS)
    if cents != exact:
        _add_difference(ctx, inventory, ChipDiscrepancy.Kind.COUNT, chips, exact)
    entry = TRAY_COUNTED(
        {
            "inventory": inventory.number,
            "chips": chips,
            "cents": cents,
            "exact_cents": exact,
            "difference_cents": cents - exact,
        }
    )
    return ActOutcome(entry, {"cents": cents, "exact_cents": exact}, changes="nothing")


def _write_count(ctx: TableContext, inventory: TableInventory, chips: dict[str, int], exact: int) -> None:
    inventory.counted_chips, inventory.counted_cents = chips, value_cents(chips)
    inventory.counted_at, inventory.counted_exact_cents = ctx.now, exact


def _add_difference(
    ctx: TableContext,
    inventory: TableInventory,
    kind: ChipDiscrepancy.Kind,
    chips: dict[str, int],
    exact: int,
) -> None:
    """Report a count of which only the sum is known by the record."""
    differs = report_discrepancy(
        ctx,
        inventory,
        kind,
        expected_cents=exact,
        counted_chips=chips,
        counted_cents=value_cents(chips),
    )
    ctx.extra_entries.append(DISCREPANCY_REPORTED(differs))


# The closer


@act(roles=AT_THE_TABLE, witness=True, depends_on="nothing")
def count_closer(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Count the tray before the table closes. The dealer and the floor sign; its slip is locked in with the chips.

    Refused during a round, while a fill or a credit is under way, and while a drop box is on the table. No chips move
    from then on until the next opener.
    """
    dealer, floorperson = dealer_and_floor(ctx, INVENTORIES.code, "closer", "closer")
    inventory = require_inventory(ctx)
    verify_signed_before(INVENTORIES, inventory, "closer", dealer, floorperson)
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    verify_nothing_under_way(ctx)
    verify_drop_box_off(ctx)
    table, tray = ctx.table, tray_of(ctx.table, inventory)
    cents, exact = value_cents(chips), exact_cents(ctx)
    _write_count(ctx, inventory, chips, exact)
    inventory.taken_cents = tray.taken_cents
    inventory.paid_cents = tray.paid_cents
    inventory.corrected_cents = tray.corrected_cents
    inventory.closer_chips, inventory.closer_cents = chips, cents
    inventory.closed_seq, inventory.last_round = ctx.stream.seq + 1, table.last_round
    inventory.closed_at, inventory.closed_by, inventory.closed_with = ctx.now, dealer, floorperson
    inventory.save()
    ctx.change_table(
        tray_cents=None,
        tray_taken_cents=0,
        tray_paid_cents=0,
        tray_corrected_cents=0,
        closer_signed_at=ctx.now,
    )
    if cents != exact:
        _add_difference(ctx, inventory, ChipDiscrepancy.Kind.CLOSER, chips, exact)
    return ActOutcome(
        CLOSER_COUNTED(
            inventory=inventory.number,
            chips=chips,
            cents=cents,
            exact_cents=exact,
            difference_cents=cents - exact,
            opener_cents=tray.opener_cents,
            fills_cents=tray.fills_cents,
            credits_cents=tray.credits_cents,
            sold_cents=tray.sold_cents,
            taken_cents=tray.taken_cents,
            paid_cents=tray.paid_cents,
            corrected_cents=tray.corrected_cents,
            last_round=table.last_round,
        ),
        {"cents": cents, "exact_cents": exact},
    )


# The par, and what restores it


@entry_type("par.set")
def PAR_SET(*, chips: ChipCount, cents: Annotated[int, "value of the par"]) -> str:
    """The par of a table was set: what its tray should hold."""
    return f"Par set: {in_dollars(cents)}"


declare(
    TrayPar,
    "par",
    key={"stream": STREAM},
    created={PAR_SET: {"chips": "chips", "set_at": AT, "set_by": ACTOR}},
    readings=AT_ITS_TABLE,
    findings=MONEY,
)


PARS = "pars"  # the row of the policy


def verify_par_is_signed(ctx: TableContext) -> None:
    """Raises `second-person-must-sign` unless two people sign as the row `pars` of the policy says."""
    row = policy.row_of(ctx.table.facility.law, PARS)
    if not is_signed_by_two(ctx, row):
        raise Refusal(SECOND_PERSON_MUST_SIGN, row.section, who=policy.in_words(row.approve))


@act(roles=STAFFERS, witness=True, depends_on="nothing")
def set_par(ctx: TableContext, *, chips: Chips) -> ActOutcome:
    """Set what the tray of this table should hold, by denomination. Two people sign, as the row `pars` says.

    Raises `second-person-must-sign`.
    """
    _verify_kept(ctx)
    verify_par_is_signed(ctx)
    par = TrayPar.objects.filter(table=ctx.table).first() or TrayPar(table=ctx.table)
    if par.pk is not None and par.chips == chips:
        raise Refusal(PAR_UNCHANGED, table=ctx.table.code)
    assert ctx.actor is not None
    par.chips, par.set_at, par.set_by = chips, ctx.now, ctx.actor
    par.save()
    return ActOutcome(PAR_SET(chips=chips, cents=value_cents(chips)), changes="nothing")


TUBE = 50  # chips in a full tube of the tray
HALF_RACK = 5  # step of a denomination of which the par has less than two tubes


@dataclass(frozen=True)
class OrderProposal:
    """Chips to order and chips to send back, with what is assumed to be in the tray now, and the sum behind it.

    `unknown_cents` is what moved since the count without its denominations being known.
    """

    fill: dict[str, int]
    credit: dict[str, int]
    assumed: dict[str, int]
    unknown_cents: int


def propose(
    par: ChipCounts,
    counted: ChipCounts,
    now_cents: int,
    *,
    transferred: Mapping[str, int] | None = None,
    coming: ChipCounts | None = None,
) -> OrderProposal:
    """Propose what restores the par from the last count.

    `now_cents`: the exact value of the tray. `transferred`: chips of the transfers since the count, less those of
    credits. `coming`: chips of fills under way, less those of credits, which are not ordered again. Only whole tubes
    are ordered, or steps of five of a denomination of which the par has few. A denomination without a par is left
    alone.
    """
    known_chips = {
        str(chip): counted.get(str(chip), 0) + (transferred or {}).get(str(chip), 0)
        for chip in KNOWN_CHIPS_CENTS
    }
    unknown_cents = now_cents - value_cents(known_chips)
    par_cents = value_cents(par)
    fill: dict[str, int] = {}
    credit: dict[str, int] = {}
    assumed: dict[str, int] = {}
    for chip in map(str, KNOWN_CHIPS_CENTS):
        target = par.get(chip, 0)
        spread = round(unknown_cents * target / par_cents) if par_cents else 0
        assumed[chip] = max(known_chips[chip] + spread, 0)
        if not target:
            continue
        step = TUBE if target >= 2 * TUBE else HALF_RACK
        missing = target - assumed[chip] - (coming or {}).get(chip, 0)
        whole_steps = abs(missing) // step * step
        if whole_steps:
            (fill if missing > 0 else credit)[chip] = whole_steps
    return OrderProposal(
        fill, credit, {chip: number for chip, number in assumed.items() if number}, unknown_cents
    )


# What is known of a tray now


@dataclass(frozen=True)
class TrayFacts:
    """The open inventory of a table, its sums without the round in play, what is under way, and its par.

    The newest count is on the inventory (`counted_chips`, `counted_at`). `par` is empty where none is set.
    """

    inventory: TableInventory
    tray: Tray
    under_way: tuple[ChipTransfer, ...]
    par: dict[str, int]
    proposal: OrderProposal | None


def tray_facts(table: Table) -> TrayFacts | None:
    """What is known of a table's tray now; None without an open inventory."""
    return trays_of([table]).get(table.pk)


def trays_of(tables: Sequence[Table]) -> dict[int, TrayFacts]:
    """What is known now of the trays of these tables that have an open inventory, by table, in three statements."""
    by_pk = {table.pk: table for table in tables}
    people = ("opened_by", "opened_with", "closed_by", "closed_with")
    inventories = TableInventory.objects.select_related(*people).filter(table__in=by_pk, closed_at=None)
    transfers: defaultdict[int, list[ChipTransfer]] = defaultdict(list)
    open_inventories = {inventory.pk: inventory for inventory in inventories}
    if not open_inventories:
        return {}
    pars = dict(TrayPar.objects.filter(table__in=by_pk).values_list("table", "chips"))
    rows = ChipTransfer.objects.filter(inventory__in=open_inventories).select_related(*SLIP_PEOPLE)
    for transfer in rows:
        transfers[transfer.inventory_id].append(transfer)
    return {
        inventory.table_id: _facts(
            by_pk[inventory.table_id], inventory, transfers[inventory.pk], pars.get(inventory.table_id, {})
        )
        for inventory in open_inventories.values()
    }


def _facts(
    table: Table, inventory: TableInventory, transfers: list[ChipTransfer], par: dict[str, int]
) -> TrayFacts:
    under_way = [transfer for transfer in transfers if transfer.status in UNDER_WAY]
    under_way.sort(key=lambda transfer: transfer.number)
    tray = tray_of(table, inventory)
    proposal = _proposal(inventory, tray, transfers, par) if par else None
    return TrayFacts(inventory, tray, tuple(under_way), par, proposal)


def _proposal(
    inventory: TableInventory, tray: Tray, transfers: list[ChipTransfer], par: dict[str, int]
) -> OrderProposal:
    transferred: Counter[str] = Counter()
    coming: Counter[str] = Counter()
    for transfer in transfers:
        moved_at = transfer.received_at if transfer.kind == "fill" else transfer.handed_at
        sign = 1 if transfer.kind == "fill" else -1
        has_moved = moved_at is not None and transfer.status != ChipTransfer.Status.VOID
        if has_moved and moved_at is not None and moved_at > inventory.counted_at:
            transferred.update({chip: sign * number for chip, number in transfer.chips.items()})
        elif not has_moved and transfer.status in UNDER_WAY:
            coming.update({chip: sign * number for chip, number in transfer.chips.items()})
    return propose(par, inventory.counted_chips, tray.cents, transferred=transferred, coming=coming)

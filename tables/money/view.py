"""What screens of a tray and of the cage read, in a few statements."""

import datetime as dt
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import cast

from django.db.models import Count, Sum

from games.models import Facility
from games.snapshot_types import TransferFacts, TransferKind, TransferStatus
from tables.core.reads import UnderWay
from tables.models import ChipSale, ChipTransfer, SlipNumbers, Table, TableInventory, TrayPar
from tables.models.money import slip_of
from tables.money.inventory import UNDER_WAY, tray_of
from tables.money.proposal import OrderProposal, propose
from tables.money.tray import Tray
from tables.words.sentences import moment

NEWEST_SALES = 8  # of a day, in the drawer of a buy-in
TRANSFER_PEOPLE = (
    *("requested_by", "prepared_by", "handed_by", "handed_with", "carrier"),
    *("received_by", "received_with", "ended_by", "ended_with"),
)


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
    rows = ChipTransfer.objects.filter(inventory__in=open_inventories).select_related(*TRANSFER_PEOPLE)
    for transfer in rows:
        transfers[transfer.inventory_id].append(transfer)
    return {
        inventory.table_id: _facts(
            by_pk[inventory.table_id], inventory, transfers[inventory.pk], pars.get(inventory.table_id, {})
        )
        for inventory in open_inventories.values()
    }


def transfers_of(facility: Facility) -> list[ChipTransfer]:
    """The fills and credits under way at a facility, oldest first, each with its table and people."""
    rows = ChipTransfer.objects.filter(facility=facility, status__in=UNDER_WAY)
    return list(rows.select_related("table", *TRANSFER_PEOPLE).order_by("pk"))


def transfers_part(transfers: Iterable[UnderWay]) -> list[TransferFacts]:
    """Return fills and credits under way as the screens of their table show them."""
    return [
        {
            "kind": cast(TransferKind, transfer.kind),
            "slip": slip_of(transfer.kind, transfer.slip_number),
            "status": cast(TransferStatus, transfer.status),
            "cents": transfer.cents,
            "requested_at": moment(transfer.requested_at),
        }
        for transfer in transfers
    ]


@dataclass(frozen=True)
class BuyInLog:
    """The buy-ins of a table on a gaming day: how many, their sum in cents, and the newest of them."""

    count: int
    cents: int
    newest: tuple[ChipSale, ...]


def buy_ins_of(table: Table, day: dt.date) -> BuyInLog:
    """The chips sold for cash at a table on a gaming day, in two statements."""
    sales = ChipSale.objects.filter(table=table, gaming_day=day)
    sums = sales.aggregate(count=Count("pk"), cents=Sum("cents"))
    newest = sales.select_related("sold_by").order_by("-pk")[:NEWEST_SALES]
    return BuyInLog(sums["count"], sums["cents"] or 0, tuple(newest))


def slip_numbers_of(facility: Facility) -> tuple[int, int]:
    """The last numbers of fills and of credits at a facility."""
    numbers = SlipNumbers.objects.filter(facility=facility).values_list("fill", "credit").first()
    return numbers or (0, 0)


def _facts(
    table: Table, inventory: TableInventory, transfers: list[ChipTransfer], par: dict[str, int]
) -> TrayFacts:
    under_way = tuple(sorted(_under_way(transfers), key=lambda transfer: transfer.number))
    tray = tray_of(table, inventory)
    proposal = _proposal(inventory, tray, transfers, par) if par else None
    return TrayFacts(inventory, tray, under_way, par, proposal)


def _under_way(transfers: list[ChipTransfer]) -> list[ChipTransfer]:
    return [transfer for transfer in transfers if transfer.status in UNDER_WAY]


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

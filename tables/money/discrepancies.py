"""A count that differs from the record: its row, its entry, and the alert to the floor and surveillance."""

from collections.abc import Mapping
from typing import Any, cast

from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.models import ChipDiscrepancy, ChipTransfer, DropBox, TableInventory
from tables.money.alert_rules import DISCREPANCY
from tables.money.entry_types import DISCREPANCY_REPORTED, Discrepancy
from tables.money.inventory import section_of


def report_discrepancy(
    ctx: TableContext,
    inventory: TableInventory,
    kind: ChipDiscrepancy.Kind,
    *,
    expected_cents: int,
    counted_cents: int,
    expected_chips: Mapping[str, int] | None = None,
    counted_chips: Mapping[str, int] | None = None,
    transfer: ChipTransfer | None = None,
    drop_box: DropBox | None = None,
    note: str = "",
) -> tuple[ChipDiscrepancy, Discrepancy]:
    """Write the discrepancy and raise its alert. Returns it with the data of its entry, which the caller appends."""
    assert ctx.actor is not None
    discrepancy = ChipDiscrepancy.objects.create(
        table=ctx.table,
        inventory=inventory,
        number=ChipDiscrepancy.objects.filter(table=ctx.table).count() + 1,
        gaming_day=ctx.gaming_day,
        kind=kind,
        transfer=transfer,
        drop_box=drop_box,
        expected_chips=dict(expected_chips or {}),
        expected_cents=expected_cents,
        counted_chips=dict(counted_chips or {}),
        counted_cents=counted_cents,
        note=note,
        recorded_at=ctx.now,
        recorded_by=ctx.actor,
        recorded_with=ctx.witness,
    )
    slip = transfer.slip if transfer else ""
    slip_param: dict[str, Any] = {"slip": slip} if slip else {}
    alert = DISCREPANCY.expected(
        ctx.table.pk,
        section=section_of(ctx.table, "discrepancy"),
        discrepancy=discrepancy.number,
        differs=str(kind.value),
        expected_cents=expected_cents,
        counted_cents=counted_cents,
        **slip_param,
    )
    raise_alert(ctx, alert)
    data = {
        "discrepancy": discrepancy.number,
        "inventory": inventory.number,
        "cause": str(kind.value),
        "expected_chips": discrepancy.expected_chips,
        "expected_cents": expected_cents,
        "counted_chips": discrepancy.counted_chips,
        "counted_cents": counted_cents,
        "difference_cents": discrepancy.difference_cents,
        "slip": slip or None,
        "drop_box": drop_box.number if drop_box else None,
        "note": note,
    }
    return discrepancy, cast(Discrepancy, data)


def add_discrepancy(ctx: TableContext, *args: object, **kwargs: object) -> ChipDiscrepancy:
    """As `report_discrepancy`; its entry follows the act's own."""
    discrepancy, data = report_discrepancy(ctx, *args, **kwargs)  # type: ignore[arg-type]
    ctx.extra_entries.append(DISCREPANCY_REPORTED(data))
    return discrepancy

"""Acts on the shaker at a table: replace it, and return a repaired one to service."""

from typing import Annotated

from django.db.models import Q

from games.act_forms import Text, whole
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.core.refusals import ROUND_IN_PLAY
from tables.dice.handling import remove_dice
from tables.equipment.checks import Equipment
from tables.equipment.tosses import verify_tosses
from tables.failures.ceasing import mark_repaired, resume_gaming
from tables.failures.entry_types import SHAKER_REPAIRED, SHAKER_REPLACED, ShakerReplaced
from tables.failures.refusals import (
    AUTOMATED_SHAKER_NOT_COVERED,
    AUTOMATED_SHAKER_STILL_HERE,
    SHAKER_NOT_FREE,
    SHAKER_NOT_OUT_OF_ORDER,
)
from tables.models import Shaker, Table
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import ActOutcome, act


@act(roles=AT_THE_TABLE, witness=True)
def replace_shaker(
    ctx: TableContext,
    *,
    shaker_code: Text,
    tosses: Annotated[int, whole(0, 99)] = 0,
    covered_or_signed: bool = False,
    removed_from_table: bool = False,
) -> ActOutcome:
    """Replace the shaker at this table. The floor signs.

    Each edition says where a failed automated shaker must be first (A20). An automated shaker at an open table has
    three test runs before (`tosses`), as at an opening.
    """
    verify_signed_by_floor(ctx)
    verify_shaker_may_change(ctx)
    here, new = _shakers_here(ctx), _shaker_to_place(ctx, shaker_code)
    if new.kind == "manual" and any(shaker.kind != "manual" for shaker in here):
        verify_automated_shaker_out_of_use(ctx, covered=covered_or_signed, removed=removed_from_table)
    kind = ctx.rules.shaker(new.kind)
    Equipment(ctx, new).verify_shaker_approved()
    if ctx.table.status == Table.Status.OPEN:
        verify_tosses(ctx, new.kind, tosses)
    failed = ctx.table.ceased_what == "shaker"
    removed_codes = [
        _remove_shaker(ctx, shaker, stays=_stays_at_table(shaker) and not removed_from_table, failed=failed)
        for shaker in here
    ]
    new.table, new.secured = ctx.table, ctx.table.status == "closed"
    new.save(update_fields=["table", "secured"])
    if ctx.round is not None:
        ctx.change_round(shaker_kind=new.kind)
    if ctx.table.ceased_what == "shaker":
        mark_repaired(ctx) if kind.automated else resume_gaming(ctx)
    data: ShakerReplaced = {
        "shaker": new.code,
        "kind": new.kind,
        "replaces": removed_codes[0] if removed_codes else None,
        "covered_or_signed": covered_or_signed,
        "tosses": tosses,
        "removed_from_table": removed_from_table,
    }
    return ActOutcome(SHAKER_REPLACED(data))


@act(roles=FLOOR, depends_on="nothing")
def return_shaker(ctx: TableContext, *, shaker_code: Text, how: Text) -> ActOutcome:
    """Return a repaired shaker to service. It may then be used at any table.

    It is covered and out of order at this table, or left a table when it failed.
    """
    mine = Shaker.objects.select_for_update(of=("self",)).filter(
        facility=ctx.table.facility_id, code=shaker_code
    )
    shaker = mine.filter(Q(table=ctx.table) | Q(table=None), out_of_order=True).first()
    if shaker is None:
        raise Refusal(SHAKER_NOT_OUT_OF_ORDER, shaker=shaker_code, table=ctx.table.code)
    shaker.table, shaker.out_of_order, shaker.secured = None, False, True
    shaker.save(update_fields=["table", "out_of_order", "secured"])
    return ActOutcome(
        SHAKER_REPAIRED({"shaker": shaker.code, "kind": shaker.kind, "how": how}), changes="nothing"
    )


def verify_shaker_may_change(ctx: TableContext) -> None:
    """Raises `round-in-play` once a round has gone beyond wagers: each kind of shaker has its own steps."""
    if ctx.round is not None and (ctx.round.phase != "open" or ctx.round.last_throw):
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)


def verify_automated_shaker_out_of_use(ctx: TableContext, *, covered: bool, removed: bool) -> None:
    """Refuse unless the automated shaker left the table (539), or is covered or signed out of order (625a).

    Raises `automated-shaker-still-here` or `automated-shaker-not-covered`. The same act takes its dice out (§
    625a.7(d)).
    """
    section = ctx.rules.section("manual-after-automated")
    if ctx.rules.edition.automated_shaker_must_leave and not removed:
        raise Refusal(AUTOMATED_SHAKER_STILL_HERE, section)
    if not (removed or covered):
        raise Refusal(AUTOMATED_SHAKER_NOT_COVERED, section)


def _shakers_here(ctx: TableContext) -> list[Shaker]:
    """The shakers at this table, the working one first."""
    return list(Shaker.objects.filter(table=ctx.table).order_by("out_of_order", "code"))


def _shaker_to_place(ctx: TableContext, code: str) -> Shaker:
    shaker = Shaker.objects.select_for_update().filter(facility=ctx.table.facility_id, code=code).first()
    if shaker is None or shaker.table_id is not None or shaker.out_of_order:
        raise Refusal(SHAKER_NOT_FREE, shaker=code)
    return shaker


def _stays_at_table(old: Shaker) -> bool:
    """Whether a replaced shaker stays covered at the table unless the act says that it left."""
    return old.kind not in (Shaker.Kind.MANUAL, Shaker.Kind.DICE_CUP)


def _remove_shaker(ctx: TableContext, old: Shaker, *, stays: bool, failed: bool) -> str:
    """Take the dice out of the old shaker, and put it out of order at the table or off the table. Return its code.

    A failed shaker is out of order anywhere until it is repaired.
    """
    remove_dice(ctx, old, "shaker-replaced")
    old.out_of_order = old.out_of_order or stays or failed
    old.table = old.table if stays else None
    old.secured = True
    old.save(update_fields=["out_of_order", "table", "secured"])
    return old.code

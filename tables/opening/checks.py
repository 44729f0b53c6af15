"""The conditions for opening and closing a table."""

from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.refusals import GAMING_CEASED
from tables.models import Inspection, Table
from tables.opening.refusals import (
    INSPECT_BEFORE_OPENING,
    LIGHTS_DO_NOT_AGREE,
    NEW_DICE_AT_OPENING,
    PAYOUT_LIMIT_TOO_LOW,
    SECURE_THE_SHAKER,
)
from tables.staffing.posts import unattended_shaker_section
from tables.words.sentences import dollars


def verify_inspection_is_due(ctx: TableContext) -> None:
    """Raises `gaming-ceased` without a repair, or `inspect-before-opening` at an open table."""
    table = ctx.table
    if table.ceased_what and table.repaired_at is None:
        raise Refusal(GAMING_CEASED, table.ceased_section, what=table.ceased_what)
    if table.status == Table.Status.OPEN:
        raise Refusal(INSPECT_BEFORE_OPENING)


def verify_secured(ctx: TableContext, secured: bool) -> None:
    """Raises `secure-the-shaker` if a shaker that may not be left alone would stay at a closed table.

    Without rules in force no shaker may be left alone.
    """
    section = None if secured else unattended_shaker_section(ctx)
    if section is not None and ctx.shaker is not None:
        raise Refusal(SECURE_THE_SHAKER, section, shaker=ctx.shaker.code)


def last_inspection(ctx: TableContext) -> Inspection | None:
    """The newest inspection since the table last closed, if any.

    Only of the current shaker under the rules in force now: another shaker or other rules need another inspection.
    """
    inspections = Inspection.objects.filter(
        table=ctx.table, shaker=ctx.shaker, terms_sha256=ctx.submission.terms_sha256
    ).select_related("by")
    closed_at = ctx.table.closed_at
    return (
        (inspections.filter(inspected_at__gt=closed_at) if closed_at else inspections)
        .order_by("-inspected_at")
        .first()
    )


def verify_lights(ctx: TableContext, dice: tuple[int, ...], lit: tuple[str, ...]) -> None:
    """Raises `lights-do-not-agree` unless exactly the winning combinations of these dice were lit."""
    wins = ctx.game.winning_codes(ctx.rules, [ctx.game.verify_dice(ctx.rules, dice)])
    if set(lit) != set(wins):
        section = ctx.rules.section("inspection-device")
        raise Refusal(LIGHTS_DO_NOT_AGREE, section, wrong=_differing(ctx, lit, wins))


def verify_dice_new_enough(ctx: TableContext) -> None:
    """Raises `new-dice-at-opening` if the edition requires new dice and these were here before (§ 577.4(d))."""
    section, closed_at, lot = ctx.rules.section("new-dice-at-opening"), ctx.table.closed_at, ctx.lot
    if section and closed_at and lot and lot.placed_at and lot.placed_at <= closed_at:
        raise Refusal(NEW_DICE_AT_OPENING, section, lot=lot.code)


def verify_payout_limit(ctx: TableContext) -> None:
    """Raises `payout-limit-too-low` if a player could win more at this table's minimum (A30)."""
    limit = ctx.rules.payout_limit_cents
    if limit is None:
        return
    least = ctx.rules.least_payout_limit_cents(ctx.table.min_cents)
    if limit < least:
        section = ctx.rules.section("payout-limit")
        raise Refusal(PAYOUT_LIMIT_TOO_LOW, section, limit=dollars(limit), least=dollars(least))


def _differing(ctx: TableContext, lit: tuple[str, ...], wins: tuple[str, ...]) -> str:
    labels = {type_.code: type_.label for type_ in ctx.game.wager_types(ctx.rules)}
    return ", ".join(sorted(str(labels.get(code, code)) for code in set(lit) ^ set(wins))[:3])

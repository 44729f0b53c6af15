"""The conditions for opening and closing a table."""

import datetime as dt
from collections.abc import Callable, Iterable

from django.db.models import QuerySet

from audit.models import Person
from games.engine import Refusal
from tables.core.alerts import standing_disputes
from tables.core.context import TableContext
from tables.core.posts import unattended_shaker_section
from tables.core.refusals import GAMING_CEASED, ROUND_IN_PLAY
from tables.models import Alert, Inspection, Table
from tables.money.drops import verify_drop_box_off
from tables.money.slips import verify_nothing_under_way
from tables.money.tray import verify_closer_signed
from tables.opening.refusals import (
    DISPUTE_UNDECIDED,
    INSPECT_BEFORE_OPENING,
    INSPECTED_BY_ANOTHER,
    INSPECTION_TOO_OLD,
    INSPECTOR_NOT_ASSIGNED,
    LIGHTS_DO_NOT_AGREE,
    NEW_DICE_AT_OPENING,
    NOT_INSPECTED,
    PAYOUT_LIMIT_TOO_LOW,
    SECURE_THE_SHAKER,
)
from tables.staffing.spans import current_supervisor
from tables.words.sentences import dollars

# The texts say that the inspection comes before the opening, and not by how much: it holds for a shift.
INSPECTION_HOLDS = dt.timedelta(hours=8)


def verify_inspection_is_due(ctx: TableContext) -> None:
    """Raises `gaming-ceased` without a repair, or `inspect-before-opening` at an open table."""
    table = ctx.table
    if table.ceased_what and table.repaired_at is None:
        raise Refusal(GAMING_CEASED, table.ceased_section, what=table.ceased_what)
    if table.status == Table.Status.OPEN:
        raise Refusal(INSPECT_BEFORE_OPENING)


def verify_no_round(ctx: TableContext) -> None:
    """Raises `round-in-play` while a round is in play."""
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)


def verify_nothing_disputed(ctx: TableContext, alerts: Iterable[Alert]) -> None:
    """Raises `dispute-undecided` while a dispute stands among the alerts of this table."""
    for dispute in standing_disputes(alerts):
        seat = dispute.params.get("seat")
        where = f" at seat {seat}" if seat else ""
        raise Refusal(DISPUTE_UNDECIDED, dispute.section, where=where, table=ctx.table.code)


def closing_refusals(ctx: TableContext, alerts: Iterable[Alert]) -> list[Refusal]:
    """Return what refuses the closing of this table now, in the order in which people do it.

    `alerts`: those that its screens show. Where the shaker goes is asked when the table is closed.
    """
    checks: tuple[Callable[[], object], ...] = (
        lambda: verify_no_round(ctx),
        lambda: verify_nothing_disputed(ctx, alerts),
        lambda: verify_nothing_under_way(ctx),
        lambda: verify_drop_box_off(ctx),
        lambda: verify_closer_signed(ctx),
    )
    return [refusal for check in checks if (refusal := _refusal_of(check)) is not None]


def _refusal_of(check: Callable[[], object]) -> Refusal | None:
    try:
        check()
    except Refusal as refusal:
        return refusal
    return None


def verify_secured(ctx: TableContext, secured: bool) -> None:
    """Raises `secure-the-shaker` if a shaker that may not be left alone would stay at a closed table.

    Without rules in force no shaker may be left alone.
    """
    section = None if secured else unattended_shaker_section(ctx)
    if section is not None and ctx.shaker is not None:
        raise Refusal(SECURE_THE_SHAKER, section, shaker=ctx.shaker.code)


def last_inspection(ctx: TableContext) -> Inspection | None:
    """The newest inspection since the table last closed that is not too old, if any.

    Only of the current shaker under the rules in force now: another shaker or other rules need another inspection.
    """
    inspection = _inspections(ctx).first()
    return None if inspection is None or _is_too_old(ctx, inspection) else inspection


def _inspections(ctx: TableContext) -> QuerySet[Inspection]:
    inspections = Inspection.objects.filter(
        table=ctx.table, shaker=ctx.shaker, terms_sha256=ctx.submission.terms_sha256
    ).select_related("by")
    closed_at = ctx.table.closed_at
    since = inspections.filter(inspected_at__gt=closed_at) if closed_at else inspections
    return since.order_by("-inspected_at")


def _is_too_old(ctx: TableContext, inspection: Inspection) -> bool:
    return ctx.now - inspection.inspected_at > INSPECTION_HOLDS


def verify_inspector(ctx: TableContext, person: Person) -> None:
    """Raises `inspector-not-assigned` unless this is the floorperson assigned to the table (§ 625a.5(a)).

    Where nobody on duty is assigned, the inspector is assigned at the opening.
    """
    assigned = current_supervisor(ctx)
    if assigned is not None and assigned != person:
        names = {"assigned": assigned.name, "table": ctx.table.code, "by": person.name}
        raise Refusal(INSPECTOR_NOT_ASSIGNED, ctx.rules.section("inspection-device"), **names)


def verify_inspected(ctx: TableContext, supervisor: Person) -> Inspection:
    """The inspection under which the table opens, by the person who supervises it from now on.

    Raises `not-inspected`, `inspection-too-old` or `inspected-by-another`.
    """
    section = ctx.rules.section("inspection-device")
    inspection = _inspections(ctx).first()
    if inspection is None:
        raise Refusal(NOT_INSPECTED, section)
    if _is_too_old(ctx, inspection):
        hours = INSPECTION_HOLDS // dt.timedelta(hours=1)
        raise Refusal(INSPECTION_TOO_OLD, section, at=ctx.local(inspection.inspected_at), hours=hours)
    if inspection.by != supervisor:
        names = {"by": inspection.by.name, "supervisor": supervisor.name, "table": ctx.table.code}
        raise Refusal(INSPECTED_BY_ANOTHER, section, **names)
    return inspection


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

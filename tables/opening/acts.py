"""Acts that inspect, open and close a table."""

from typing import Annotated

from games.act_forms import OptionalDice, Words, whole
from games.engine import Refusal
from games.params import malformed
from games.snapshot_types import DiceAtClosing
from tables.core.alerts import end_alert, held
from tables.core.context import TableContext
from tables.core.duty import lock_duty_of
from tables.core.permissions import AT_THE_TABLE
from tables.core.posts import holder_ids, verify_staffed
from tables.core.refusals import GAMING_CEASED, TABLE_IS_CLOSED
from tables.dice.at_tables import remove_dice
from tables.equipment.approvals import Equipment, verify_tosses
from tables.failures import resume_gaming
from tables.models import Inspection, Table
from tables.money.tray import verify_opener_signed
from tables.opening.checks import (
    closing_refusals,
    verify_dice_new_enough,
    verify_inspected,
    verify_inspection_is_due,
    verify_inspector,
    verify_lights,
    verify_payout_limit,
    verify_secured,
)
from tables.opening.entry_types import TABLE_CLOSED, TABLE_INSPECTED, TABLE_OPENED, TableClosed, TermsData
from tables.opening.refusals import EDITION_LAPSED, TABLE_NOT_CLOSED
from tables.players.ratings import end_with_seats
from tables.rules import NEW_RULES, current_rules, verify_game_not_suspended
from tables.runner.signatures import floor_signer, verify_signed_by_floor
from tables.runner.table import ActOutcome, act
from tables.staffing.breaks import pause_work, resume_work
from tables.staffing.spans import supervisor_at_opening


@act(roles=AT_THE_TABLE, witness=True)
def inspect_table(
    ctx: TableContext,
    *,
    dice: OptionalDice = None,
    lit: Words = (),
    tosses: Annotated[int, whole(0, 99)] = 0,
    lines: Words = (),
    cameras: Words = (),
) -> ActOutcome:
    """Record the inspection before an opening or after a repair, by the floorperson assigned to the table.

    If an electrical device lights the layout: the dice entered, and exactly their winning combinations lit. An
    automated shaker has three test runs. Each line of the edition is confirmed, with its signs and boxes. After a
    repair the inspection lets gaming continue.
    """
    by = floor_signer(ctx)
    _, shaker = ctx.verify_dice_for_a_round()
    verify_inspection_is_due(ctx)
    verify_inspector(ctx, by)
    if ctx.rules.section("inspection-device"):
        verify_lights(ctx, dice or (), lit)
    elif dice or lit:
        raise malformed("dice")
    verify_tosses(ctx, ctx.shaker_kind, tosses)
    equipment = Equipment(ctx)
    equipment.verify_lines(lines)
    equipment.verify_cameras(cameras)
    inspection = Inspection.objects.create(
        table=ctx.table,
        by=by,
        inspected_at=ctx.now,
        shaker=ctx.shaker,
        terms_sha256=ctx.submission.terms_sha256,
        dice=list(dice or ()),
        lit=sorted(lit),
        tosses=tosses,
        lines=sorted(lines),
        cameras=list(cameras),
    )
    resumed = ctx.table.ceased_what
    if resumed:
        resume_gaming(ctx)
    return ActOutcome(
        TABLE_INSPECTED(
            {
                "dice": inspection.dice,
                "lit": inspection.lit,
                "tosses": tosses,
                "shaker": shaker.code,
                "lines": inspection.lines,
                "cameras": inspection.cameras,
                "by": by.code,
                "after_repair_of": resumed or None,
            }
        ),
    )


@act(roles=AT_THE_TABLE, witness=True)
def open_table(ctx: TableContext, *, acknowledge_lapsed: bool = False) -> ActOutcome:
    """Open the table for gaming, after an inspection since it last closed and any repair. The floor signs.

    The floorperson who signs supervises the table unless a supervisor is on duty there. That supervisor has
    inspected it, not longer ago than `INSPECTION_HOLDS`. Every approval must be on file and every post staffed. A
    lapsed edition must be acknowledged.
    """
    verify_signed_by_floor(ctx)
    if ctx.table.status != Table.Status.CLOSED:
        raise Refusal(TABLE_NOT_CLOSED, table=ctx.table.code)
    if ctx.table.ceased_what:
        raise Refusal(GAMING_CEASED, ctx.table.ceased_section, what=ctx.table.ceased_what)
    verify_opener_signed(ctx)
    lot, shaker = ctx.verify_dice_in_time()
    verify_dice_new_enough(ctx)
    verify_payout_limit(ctx)
    verify_game_not_suspended(ctx)
    ctx.verify_shaker_filed()
    Equipment(ctx).verify_approved()
    lock_duty_of(holder_ids(ctx.table))
    verify_staffed(ctx)
    before, floorperson = ctx.table.floorperson_id, supervisor_at_opening(ctx)
    inspection = verify_inspected(ctx, floorperson)
    edition = ctx.rules.edition
    lapsed = edition.lapses_on is not None and edition.lapses_on <= ctx.gaming_day
    if lapsed and not acknowledge_lapsed:
        raise Refusal(EDITION_LAPSED, edition.source, on=edition.lapses_on)
    rules = current_rules(ctx)
    ctx.change_table(
        status=Table.Status.OPEN,
        floorperson=floorperson,
        recorded_rules_key=rules.key,
        acknowledged_terms=rules.terms_key,
        closer_signed_at=None,
    )
    end_alert(ctx, NEW_RULES.key_prefix)
    hand_over_shaker(ctx)
    resume_work(ctx)
    return ActOutcome(
        TABLE_OPENED(
            {
                **terms_data(ctx),
                "inspected_by": inspection.by.code,
                "floorperson": floorperson.code,
                "takes_supervision": floorperson.pk != before,
                "lapsed_acknowledged": lapsed,
                "lot": lot.code,
                "shaker": shaker.code,
            }
        ),
    )


@act(roles=AT_THE_TABLE, witness=True)
def close_table(ctx: TableContext, *, dice: DiceAtClosing = "stay", secured: bool = False) -> ActOutcome:
    """Close the table between rounds. The floor signs. The next opening needs a new inspection.

    Refused while a dispute is not decided, a fill or a credit is under way, the drop box is on, or the closer is
    missing.

    `dice`: they `stay` in the shaker, where their clock runs on, or are `removed`. If the edition requires new dice
    at each opening they are always removed. A shaker that may not be left alone must be locked away (`secured`).
    """
    verify_signed_by_floor(ctx)
    if ctx.table.status == Table.Status.CLOSED:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    refusals = closing_refusals(ctx, held(ctx.table.pk) if ctx.play.calls else ())
    if refusals:
        raise refusals[0]
    shaker, lot = ctx.shaker, ctx.lot
    verify_secured(ctx, secured)
    if ctx.deals and ctx.rules.section("new-dice-at-opening"):
        dice = "removed"
    removed_lot = remove_dice(ctx, shaker, "table-closed") if shaker and dice == "removed" else None
    ctx.change_table(status=Table.Status.CLOSED, closed_at=ctx.now)
    lock_duty_of(holder_ids(ctx.table))
    pause_work(ctx)
    end_with_seats(ctx, by="close")
    if ctx.table.quarterback or ctx.table.offered or ctx.table.seated:
        ctx.change_table(quarterback=None, offered=None, seated=[], seat_marks={})
    if shaker is not None:
        shaker.secured = True
        shaker.save(update_fields=["secured"])
    stays = lot if lot and not removed_lot else None
    data: TableClosed = {
        "last_round": ctx.table.last_round,
        "shaker": shaker.code if shaker else None,
        "removed": removed_lot,
        "stays": stays.code if stays else None,
        "secured": secured,
    }
    if stays is not None:
        ctx.lots.append(stays)
    return ActOutcome(TABLE_CLOSED(data))


def hand_over_shaker(ctx: TableContext) -> None:
    """Put the shaker in its keeper's charge."""
    if ctx.shaker is not None and ctx.shaker.secured:
        ctx.shaker.secured = False
        ctx.shaker.save(update_fields=["secured"])


def terms_data(ctx: TableContext) -> TermsData:
    """The rules and limits of an opening, as the record stores them."""
    data: TermsData = {
        "submission": ctx.submission.code,
        "submission_version": ctx.submission.version,
        "edition": ctx.submission.edition,
        "terms_sha256": ctx.submission.terms_sha256,
        "min_cents": ctx.table.min_cents,
        "max_cents": ctx.table.max_cents,
    }
    if ctx.stops:
        data["stopped"] = sorted(ctx.stops)
    return data

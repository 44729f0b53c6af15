"""Dice at a table: issued to it, placed in its shaker, watched by the clock, and taken out of play for good.

1. Table games and a second department issue a stored lot to the table (`issue_dice`); one that was never placed may go
   back (`return_dice`).
2. The floor signs that it is placed in the shaker (`change_dice_lot`). That starts its clock, which the edition sets:
   24 hours, or a calendar month in a locked automated shaker until its lock is opened (`unlock_shaker`, A17).
3. The ticker warns an hour, ten minutes and a minute before the time is over, and records that it is
   (`warn_of_dice`). A closed table gets no warning.
4. The lot leaves the shaker for good: another one replaces it, or somebody finds it lost or unfit
   (`withdraw_dice`). Dice never return to a shaker, because their clock would start again (A16).
5. At the end of the gaming day the floor inspects each lot that the table has or had (`examine_dice`).

Opening and closing a table (`tables.opening`) and replacing a shaker (`tables.failures`) place and remove dice by the
same steps. The dice room has what comes before and after (`tables.dice.room`).
"""

import datetime as dt
import logging
from typing import Annotated

from django.db import transaction

from audit import clock, record
from games.act_forms import Text, text
from games.engine import Refusal, RefusalCode, dice_expiry
from games.engine.rules import A_DAY
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    end_alert,
    raise_alert,
)
from tables.core.context import NO_DICE, NO_SHAKER, TableContext, locked_table, write_lot_steps
from tables.core.duty import AT_THE_TABLE, DICE_KEEPERS, FLOOR
from tables.dice import custody
from tables.dice.custody import (
    DICE_LOT_EXAMINED,
    DICE_LOT_EXPIRED,
    DICE_LOT_ISSUED,
    DICE_LOT_PLACED,
    DICE_LOT_RETURNED,
    DICE_LOT_TAMPERED,
    DICE_LOT_WITHDRAWN,
    SHAKER_UNLOCKED,
    DiceInspection,
    DiceLotIssued,
    FinderData,
    Status,
    WithdrawalReason,
)
from tables.models import DiceLot, Shaker, Table
from tables.runner.signatures import verify_signed_by_floor, verify_two_departments
from tables.runner.table import ActOutcome, act, system_context

LOT_NOT_ISSUED = RefusalCode(
    "lot-not-issued",
    "Dice lot %(lot)s was not issued to %(table)s. Have it issued first.",
    "Dice not issued",
)
LOT_WAS_USED = RefusalCode(
    "lot-was-used",
    "Dice lot %(lot)s has been in a shaker before; its clock cannot begin again. Take a fresh lot.",
)
LOT_OF_ANOTHER_KIND = RefusalCode(
    "lot-of-another-kind",
    "Dice lot %(lot)s is not for this table. Training dice are used at training tables only.",
)
LOT_OF_OTHER_DICE = RefusalCode(
    "lot-of-other-dice",
    "Dice lot %(lot)s holds %(dice)s dice, not the number this game is played with.",
)
DICE_NOT_ATTESTED = RefusalCode(
    "dice-not-attested",
    "Dice lot %(lot)s is not attested to the standard of this game. Take one that is.",
)
DICE_OF_ANOTHER_SIZE = RefusalCode(
    "dice-of-another-size",
    "The dice of lot %(lot)s measure %(mm)s mm, which is not the right size for this game. Take another lot.",
)
DICE_OF_OTHER_COLOURS = RefusalCode(
    "dice-of-other-colours",
    "The dice of lot %(lot)s are not the right color for this game. Take another lot.",
)
SEAL_MISSING = RefusalCode("seal-missing", "The dice are sealed in the shaker. Enter the number of the seal.")
SHAKER_HAS_NO_MONTH = RefusalCode(
    "shaker-has-no-month",
    "The dice in shaker %(shaker)s are good for 24 hours, not a month. There is nothing to unlock.",
)
DICE_IN_PLAY = RefusalCode(
    "dice-in-play",
    "Round %(round)s is shaken. Its dice stay in the shaker until it ends.",
)
WITHDRAW_TAMPERED_DICE = RefusalCode(
    "withdraw-tampered-dice",
    "Lot %(lot)s is in the shaker. Take it out of play as tampered with first.",
)
SAY_WHAT_WAS_FOUND = RefusalCode("say-what-was-found", "Describe what was found on the dice of lot %(lot)s.")
OUTSIDE_SHAKER = (Status.ISSUED, Status.REMOVED)


# Which lots fit, and when the dice may be changed


def locked_lot_of_table(ctx: TableContext, code: str) -> DiceLot:
    """Lock and return a lot of this table. Raises `lot-not-issued`."""
    lot = custody.locked_lot(ctx.table.facility, code)
    if lot.table_id != ctx.table.pk:
        raise Refusal(LOT_NOT_ISSUED, lot=code, table=ctx.table.code)
    return lot


def locked_fresh_lot(ctx: TableContext, code: str) -> DiceLot:
    """Lock and return a lot that was issued to this table and never placed.

    Raises `lot-was-used`, `lot-not-issued`, or what `verify_lot_fits` raises.
    """
    lot = custody.locked_lot(ctx.table.facility, code)
    if lot.placed_at is not None:
        raise Refusal(LOT_WAS_USED, ctx.rules.section("dice-clock-manual"), lot=code)
    verify_lot_fits(ctx, lot)
    if lot.status != Status.ISSUED or lot.table_id != ctx.table.pk:
        raise Refusal(LOT_NOT_ISSUED, lot=code, table=ctx.table.code)
    return lot


def verify_lot_fits(ctx: TableContext, lot: DiceLot) -> None:
    """Refuse a lot that does not suit this table's edition.

    Raises `lot-of-another-kind`, `dice-not-attested`, `lot-of-other-dice`, `dice-of-another-size` or
    `dice-of-other-colours`.
    """
    rules, edition = ctx.rules, ctx.rules.edition
    if lot.training != (ctx.table.kind == "training"):
        raise Refusal(LOT_OF_ANOTHER_KIND, lot=lot.code)
    if rules.section("dice-standard") and not lot.attested:
        raise Refusal(DICE_NOT_ATTESTED, rules.section("dice-standard"), lot=lot.code)
    if lot.dice != edition.dice_in_lot:
        raise Refusal(LOT_OF_OTHER_DICE, rules.section("dice-number"), lot=lot.code, dice=lot.dice)
    if edition.dice_size_um and lot.size_um != edition.dice_size_um:
        size = f"{lot.size_um // 1000}.{lot.size_um % 1000:03}"
        raise Refusal(DICE_OF_ANOTHER_SIZE, rules.section("dice-number"), lot=lot.code, mm=size)
    if (edition.dice_in_lot > edition.dice) != (lot.colors == DiceLot.Colors.GREEN_AND_RED):
        raise Refusal(DICE_OF_OTHER_COLOURS, rules.section("dice-number"), lot=lot.code)


def verify_no_dice_in_play(ctx: TableContext) -> None:
    """Raises `dice-in-play` once the dice are shaken or thrown, or some of them are on the layout.

    A round whose next throw uses all the dice may have them changed, so that expired dice never strand it.
    """
    if ctx.round is not None and not ctx.dice_at_rest:
        raise Refusal(DICE_IN_PLAY, round=ctx.round.number)


def verify_sealed(ctx: TableContext, seal: str) -> None:
    """Raises `seal-missing` if the edition requires a sealed shaker and no seal is named."""
    section = ctx.rules.section("dice-sealed")
    if section and not seal:
        raise Refusal(SEAL_MISSING, section)


# Issued to the table, and back


@act(roles=DICE_KEEPERS, witness=True, depends_on="nothing")
def issue_dice(ctx: TableContext, *, lot_code: Text) -> ActOutcome:
    """Issue a stored lot to this table. Table games and a second department sign.

    At the start of the gaming day, and again whenever dice must be replaced.
    """
    facility = ctx.table.facility
    section = custody.duty_section(facility, "issue")
    verify_two_departments(ctx, section)
    lot = custody.locked_lot(facility, lot_code)
    custody.verify_status(lot, [Status.STORED], section)
    verify_lot_fits(ctx, lot)
    lot.status, lot.table = Status.ISSUED, ctx.table
    lot.save(update_fields=["status", "table"])
    ctx.lots.append(lot)
    data: DiceLotIssued = {**custody.lot_data(lot), "from": lot.compartment, "section": section}
    return ActOutcome(DICE_LOT_ISSUED(data), changes="nothing")


@act(roles=DICE_KEEPERS, witness=True, depends_on="nothing")
def return_dice(
    ctx: TableContext, *, lot_code: Text, compartment: Annotated[str, text(40)] = ""
) -> ActOutcome:
    """Return a lot that was issued here and never placed to storage. Two departments sign."""
    section = custody.duty_section(ctx.table.facility, "storage")
    verify_two_departments(ctx, section)
    lot = locked_lot_of_table(ctx, lot_code)
    custody.verify_status(lot, [Status.ISSUED], section)
    lot.status, lot.table, lot.compartment = Status.STORED, None, compartment or lot.compartment
    lot.save(update_fields=["status", "table", "compartment"])
    ctx.lots.append(lot)
    return ActOutcome(
        DICE_LOT_RETURNED(lot=lot.code, compartment=lot.compartment, section=section), changes="nothing"
    )


# In and out of the shaker


def place_lot(ctx: TableContext, lot: DiceLot, shaker: Shaker, seal: str) -> dt.datetime:
    """Put a lot into a shaker and start its clock. Return the moment at which it expires."""
    lot.status, lot.shaker, lot.placed_at, lot.seal = Status.PLACED, shaker, ctx.now, seal
    local = ctx.table.facility.local(ctx.now)
    expires_at, lot.clock_section = dice_expiry(ctx.rules, shaker.kind, local, lot.attested)
    lot.expires_at = expires_at
    lot.save(update_fields=["status", "shaker", "placed_at", "seal", "expires_at", "clock_section"])
    ctx.lots.append(lot)
    return expires_at


def remove_dice(ctx: TableContext, shaker: Shaker, why: str) -> str | None:
    """Take the lot in this shaker out of play for good and end the warnings about its time. Return its code."""
    old = custody.locked_lot_in(shaker)
    if old is None:
        return None
    custody.remove_from_play(old, ctx.now, why)
    end_alert(ctx, "dice")
    ctx.lots.append(old)
    return old.code


@act(roles=AT_THE_TABLE, witness=True)
def change_dice_lot(ctx: TableContext, *, lot_code: Text, seal: Annotated[str, text(40)] = "") -> ActOutcome:
    """Put a lot into the shaker, seal or lock it, and start its clock. The floor signs.

    The previous lot leaves play for good: dice never return to a shaker, because their clock would start again
    (A16).
    """
    verify_signed_by_floor(ctx)
    verify_no_dice_in_play(ctx)
    shaker = ctx.shaker
    if shaker is None:
        raise Refusal(NO_SHAKER, table=ctx.table.code)
    verify_sealed(ctx, seal)
    lot = locked_fresh_lot(ctx, lot_code)
    removed_lot = remove_dice(ctx, shaker, "replaced")
    expires_at = place_lot(ctx, lot, shaker, seal)
    return ActOutcome(
        DICE_LOT_PLACED(
            lot=lot.code,
            shaker=shaker.code,
            expires_at=clock.format_moment(expires_at),
            removed=removed_lot,
            dice=lot.dice,
            section=lot.clock_section,
            attested=lot.attested,
            seal=seal,
        )
    )


@act(roles=AT_THE_TABLE, witness=True)
def unlock_shaker(ctx: TableContext, *, why: Text) -> ActOutcome:
    """Open the lock of an automated shaker. The floor signs.

    This ends the calendar month of its dice (A17): they expire 24 hours after they were placed.
    """
    verify_signed_by_floor(ctx)
    verify_no_dice_in_play(ctx)
    lot, shaker = ctx.lot, ctx.shaker
    if lot is None or shaker is None or lot.placed_at is None or lot.expires_at is None:
        raise Refusal(NO_DICE, ctx.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    if not ctx.rules.shaker(shaker.kind).months:
        raise Refusal(SHAKER_HAS_NO_MONTH, ctx.rules.section("dice-clock-manual"), shaker=shaker.code)
    lot.expires_at = min(lot.expires_at, lot.placed_at + A_DAY)
    lot.seal = ""
    lot.save(update_fields=["expires_at", "seal"])
    ctx.lots.append(lot)
    return ActOutcome(
        SHAKER_UNLOCKED(
            lot=lot.code,
            shaker=shaker.code,
            why=why,
            expires_at=clock.format_moment(lot.expires_at),
            section=lot.clock_section,
        )
    )


# Out of play, and inspected


def finder_data(ctx: TableContext) -> FinderData:
    """The table, and the name and license of the person who found the dice as they are."""
    assert ctx.actor is not None
    return {"table": ctx.table.code, "finder": ctx.actor.name, "licence": ctx.actor.licence}


@act(roles=AT_THE_TABLE, witness=True)
def withdraw_dice(ctx: TableContext, *, why: WithdrawalReason, found: Text = "") -> ActOutcome:
    """Take the dice at this table out of play for good: one is lost, or they are marked or no longer fit.

    Nothing is shaken or thrown here until another lot is placed (§ 577.4(d)). The entry names the finder and their
    license.
    """
    verify_no_dice_in_play(ctx)
    shaker = ctx.shaker
    removed_lot = remove_dice(ctx, shaker, why) if shaker else None
    if shaker is None or removed_lot is None:
        raise Refusal(NO_DICE, ctx.rules.section("dice-number"), shaker=shaker.code if shaker else "")
    section = ctx.rules.section("new-dice-at-opening") or ctx.rules.section("dice-number")
    return ActOutcome(
        DICE_LOT_WITHDRAWN(
            **finder_data(ctx),
            lot=removed_lot,
            shaker=shaker.code,
            why=why,
            section=section,
            found=found,
            round=ctx.round.number if ctx.round else None,
        )
    )


@act(roles=FLOOR, depends_on="nothing")
def examine_dice(
    ctx: TableContext, *, lot_code: Text, tampered: bool = False, found: Text = ""
) -> ActOutcome:
    """Record the end-of-day inspection of a lot that this table has or had: sound, or tampered with.

    A report of tampering has the time, the table, and the finder's name and license. Dice in the shaker must be
    taken out first, with `withdraw_dice`.
    """
    lot = locked_lot_of_table(ctx, lot_code)
    custody.verify_status(lot, [Status.PLACED, *OUTSIDE_SHAKER])
    if tampered and lot.status == Status.PLACED:
        raise Refusal(WITHDRAW_TAMPERED_DICE, lot=lot.code)
    if tampered and not found:
        raise Refusal(SAY_WHAT_WAS_FOUND, lot=lot.code)
    lot.examined_at, lot.tampered = ctx.now, lot.tampered or tampered
    if tampered and lot.status == Status.ISSUED:
        custody.remove_from_play(lot, ctx.now, "tampered")
    lot.save(update_fields=["examined_at", "tampered"])
    ctx.lots.append(lot)
    data: DiceInspection = {
        **finder_data(ctx),
        "lot": lot.code,
        "found": found,
        "section": custody.duty_section(ctx.table.facility, "examination"),
    }
    type_ = DICE_LOT_TAMPERED if tampered else DICE_LOT_EXAMINED
    return ActOutcome(type_(data), changes="nothing")


# Alerts about the time of the dice, and a shaker without any


RUNNING_OUT = "Dice about to expire"
DICE_ONE_HOUR = AlertKind(
    "dice-time",
    "dice:{lot}:1",
    Level.WARN,
    RUNNING_OUT,
    "Dice expire within the hour",
    "Have a new lot ready to replace %(lot)s.",
)
DICE_TEN_MINUTES = AlertKind(
    "dice-time",
    "dice:{lot}:2",
    Level.WARN,
    RUNNING_OUT,
    "Dice expire within ten minutes",
    "Bring a new lot to the table and replace %(lot)s between rounds.",
)
DICE_ONE_MINUTE = AlertKind(
    "dice-time",
    "dice:{lot}:3",
    Level.STOP,
    RUNNING_OUT,
    "Dice expire within a minute",
    "Replace lot %(lot)s now. Nothing may be shaken or thrown after it expires.",
)
DICE_EXPIRED = AlertKind(
    "dice-expired",
    "dice:{lot}:4",
    Level.STOP,
    "Dice expired",
    "Dice expired",
    "Replace lot %(lot)s. Nothing may be shaken or thrown before.",
)
NO_DICE_IN_SHAKER = AlertKind(
    "no-dice",
    "no-dice",
    Level.WARN,
    "No dice in the shaker",
    "No dice in the shaker",
    "Put a lot into shaker %(shaker)s. Nothing may be shaken or thrown before.",
)


def expired_dice(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where the dice in the shaker are past their time."""
    lot = ctx.lot
    if ctx.table.status == Table.Status.CLOSED or lot is None or lot.expires_at is None:
        return None
    if ctx.now < lot.expires_at:
        return None
    return DICE_EXPIRED.expected(ctx.table.pk, section=lot.clock_section, since=lot.expires_at, lot=lot.code)


def no_dice(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where the shaker is empty."""
    if ctx.table.status == Table.Status.CLOSED or ctx.shaker is None or ctx.lot is not None:
        return None
    return NO_DICE_IN_SHAKER.expected(ctx.table.pk, shaker=ctx.shaker.code)


alert_rule(AlertRule((DICE_EXPIRED,), at_table=expired_dice))
alert_rule(AlertRule((NO_DICE_IN_SHAKER,), at_table=no_dice))


# What the ticker does: warn before the time is over, and record that it is


# What the clock does about dice: warn before their time is over, and record that it is


log = logging.getLogger(__name__)
# Minutes before the dice expire, with the warning of each stage. The fourth stage: the dice have expired.
STAGES = ((60, DICE_ONE_HOUR), (10, DICE_TEN_MINUTES), (1, DICE_ONE_MINUTE))
EXPIRED = 4
HOUR = dt.timedelta(hours=1)


def warn_of_dice() -> list[int]:
    """Warn of dice that are about to expire, once at each stage, and record that they did.

    A closed table gets no warning. Returns the ids of the tables that changed.
    """
    now = clock.now()
    expiring_lots = DiceLot.objects.filter(
        status=DiceLot.Status.PLACED,
        warned__lt=EXPIRED,
        expires_at__lte=now + HOUR,
        shaker__table__isnull=False,
        shaker__out_of_order=False,
    ).select_related("shaker__table__facility")
    due = [
        (lot, lot.shaker.table) for lot in expiring_lots if lot.shaker and _is_due(lot, lot.shaker.table, now)
    ]
    changed = (_try_to_warn(lot.pk, table.facility.code, table.code) for lot, table in due if table)
    return [table_id for table_id in changed if table_id is not None]


def _try_to_warn(lot_id: int, facility: str, code: str) -> int | None:
    """Warn of a lot. A failure at one table is logged and does not stop the others."""
    try:
        return _warn(lot_id, facility, code)
    except Exception:
        log.exception("the dice of %s/%s could not be checked", facility, code)
        return None


def stage_of(remaining: dt.timedelta) -> int:
    """Return the stage for the time that remains: 0 over an hour, 1 an hour, 2 ten minutes, 3 one minute, 4 expired."""
    if remaining <= dt.timedelta():
        return EXPIRED
    return sum(remaining <= dt.timedelta(minutes=minutes) for minutes, _ in STAGES)


def _is_due(lot: DiceLot, table: Table | None, now: dt.datetime) -> bool:
    assert lot.expires_at is not None
    stage = stage_of(lot.expires_at - now)
    warns = table is not None and table.status != Table.Status.CLOSED
    return stage > lot.warned and (warns or stage == EXPIRED)


def _warn(lot_id: int, facility: str, code: str) -> int | None:
    """Claim the lot under its table's lock, and warn. Returns None when another ticker was first."""
    with transaction.atomic(durable=True):
        locked = locked_table(facility, code)
        table = locked.table
        lot = DiceLot.objects.filter(
            pk=lot_id, status=DiceLot.Status.PLACED, shaker__table=table, shaker__out_of_order=False
        ).first()
        if lot is None or lot.expires_at is None or not _is_due(lot, table, locked.now):
            return None
        ctx = system_context(locked)
        lot.warned = stage_of(lot.expires_at - locked.now)
        lot.save(update_fields=["warned"])
        end_alert(ctx, f"dice:{lot.code}")
        if lot.warned == EXPIRED:
            _record_expiry(ctx, lot, lot.expires_at)
        if table.status != Table.Status.CLOSED:
            _raise_warning(ctx, lot, lot.expires_at)
        ctx.append_extra_entries()
        return table.pk


def _record_expiry(ctx: TableContext, lot: DiceLot, expires_at: dt.datetime) -> None:
    entry = record.append(
        ctx.stream,
        entry=DICE_LOT_EXPIRED(
            lot=lot.code, expires_at=clock.format_moment(expires_at), section=lot.clock_section
        ),
        moment=ctx.now,
        gaming_day=ctx.gaming_day,
    )
    write_lot_steps([lot], ctx.stream, entry.seq)


def _raise_warning(ctx: TableContext, lot: DiceLot, expires_at: dt.datetime) -> None:
    section = lot.clock_section
    if lot.warned == EXPIRED:
        raise_alert(ctx, DICE_EXPIRED.expected(ctx.table.pk, section=section, lot=lot.code))
        return
    minutes, kind = STAGES[lot.warned - 1]
    until = clock.format_moment(expires_at)
    raise_alert(ctx, kind.expected(ctx.table.pk, section=section, lot=lot.code, minutes=minutes, until=until))

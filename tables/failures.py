"""Failed equipment: gaming ceases, the round in play ends by hand or void, and play resumes after an inspection.

1. Somebody reports that the device, the lit layout (A14) or an automated shaker failed (`report_device_failure`).
   Gaming at the table ceases, and an alert stands until it resumes. The round in play is void if its dice were not seen
   yet; otherwise the announced dice settle it, before the witness that the edition names.
2. A round that was settled by hand while the tablet was dead is recorded afterward, one for each failure
   (`record_hand_settled_round`). Who dealt it and the floor sign, and surveillance is told.
3. The floor signs the repair (`record_repair`, A15), or another shaker takes the place of the one that failed
   (`replace_shaker`). What was repaired is inspected before gaming resumes (`tables.opening`).
4. A repaired shaker returns to service (`return_shaker`).

A device that § 521.6 forbids has failed nothing; the floor logs what it was and what was done (`log_device_incident`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, NotRequired, TypedDict, cast

from django.db.models import Q

from audit.columns import ACTOR, AT, FACILITY, PLACE, declare, same
from audit.entry_types import EntryBody, entry_type
from audit.people import has_rank
from games.act_forms import OptionalDice, Text, whole
from games.engine import Refusal, RoundState
from games.engine.refusals import NOTHING_PLACED, SHAKER_NOT_AUTOMATED, RefusalCode
from games.engine.wagers import apply_placings
from games.guide.content import section
from games.models import DeviceIncident
from games.params import Params, malformed
from games.separation import policy
from games.snapshot_types import EquipmentKind, ShakerKind
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    end_alert,
    raise_alert,
)
from tables.core.context import GAMING_CEASED, ROUND_IN_PLAY, TABLE_IS_CLOSED, TableContext
from tables.core.duty import AT_THE_TABLE, FLOOR
from tables.core.held_back import held_amounts
from tables.core.seats import WagerInput, read_wager_input
from tables.dice.at_tables import remove_dice
from tables.equipment.approvals import Equipment, verify_tosses
from tables.models import Round, Shaker, Table
from tables.money.chips import verify_chips_exist
from tables.rounds.course import advance, ensure_round, newly_settled, require_round
from tables.rounds.no_rolls import (
    NO_ROLL_ROW,
    ROUND_VOIDED,
    RoundVoided,
    alert_if_many,
    are_bets_open,
    verify_may_undo,
)
from tables.rounds.settlement import (
    ROUND_SETTLED_BY_HAND,
    Raise,
    SettledWager,
    ThrowData,
    lines_of,
    net_payout,
    settle_throw,
    settled_data,
    taken_cents,
    write_settlements,
    write_throw,
)
from tables.rounds.wagers import NO_SUCH_SEAT, report_over_max, verify_in_chips, verify_seats, write_wagers
from tables.runner.signatures import is_signed_by_two, verify_signed_by_floor
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dice_words, dollars

DICE_ENTERED_ALREADY = RefusalCode(
    "dice-entered-already",
    "The dice of round %(round)s are entered. Finish it here, or correct them.",
)
WITNESS_MUST_SIGN = RefusalCode(
    "witness-must-sign",
    "The wagers are settled manually before a %(role)s, who must sign with their own PIN.",
    "Witness needed",
)
NOTHING_FAILED = RefusalCode("nothing-failed", "Nothing at %(table)s is recorded as failed.")
NO_FAILURE_ON_RECORD = RefusalCode(
    "no-failure-on-record",
    "No failure is on record at %(table)s. Report first what failed. Only a round that was settled by hand during that "
    "failure is recorded here, before gaming resumes.",
    "Report the failure first",
)
FAILURE_HAS_ITS_ROUND = RefusalCode(
    "failure-has-its-round",
    "Round %(round)s is recorded for this failure already. One failure has one round; correct it with a slip.",
    "Already recorded",
)
ROUND_IS_LIVE = RefusalCode(
    "round-is-live",
    "Round %(round)s is in play on record, and nothing replaces it. Finish it at a podium or another tablet. If the "
    "device failed, report that with the announced dice. Record wagers that are missing as missed wagers.",
    "A round is in play",
)
HAND_SETTLED_NEEDS_TWO = RefusalCode(
    "hand-settled-needs-two",
    "Two people must sign a round that was settled by hand, each with their own PIN: who dealt it (%(dealt)s), and the "
    "floor (%(floor)s).",
    "Both must sign",
)
SHAKER_NOT_OUT_OF_ORDER = RefusalCode(
    "shaker-not-out-of-order",
    "Shaker %(shaker)s is not out of order at %(table)s.",
)
SHAKER_NOT_FREE = RefusalCode(
    "shaker-not-free",
    "Shaker %(shaker)s is not free: it is unknown, at a table, or out of order.",
)
AUTOMATED_SHAKER_STILL_HERE = RefusalCode(
    "automated-shaker-still-here",
    "The automated shaker must leave the table before a manual one is used here.",
)
AUTOMATED_SHAKER_NOT_COVERED = RefusalCode(
    "automated-shaker-not-covered",
    "The automated shaker must be covered or signed out of order before a manual one is used here.",
)


# What the record says of failures, repairs and shakers


class DeviceFailed(TypedDict):
    """`section` is there without a round in play; `dice` with one, whose dice were called before the failure."""

    round: Annotated[int | None, "number of the round in play; null between rounds"]
    section: NotRequired[str]
    what: Annotated[EquipmentKind, "what failed"]
    dice: NotRequired[Annotated[list[int], "faces of the throw that is settled manually"]]


DEVICE_FAILED = entry_type(
    "device.failed",
    DeviceFailed,
    "A device, the lit layout or a shaker failed.",
    lambda data: "Device failed",
)


@entry_type("repair.recorded")
def REPAIR_RECORDED(
    *,
    how: Annotated[str, "how it was repaired, in a person's words"],
    what: Annotated[EquipmentKind, "what had failed"],
) -> str:
    """The repair of what had failed was recorded."""
    return "Repair recorded"


@entry_type("shaker.replaced")
def SHAKER_REPLACED(
    *,
    covered_or_signed: Annotated[
        bool, "whether the automated shaker before is covered or signed out of order"
    ],
    kind: Annotated[ShakerKind, "kind of the new shaker"],
    removed_from_table: Annotated[bool, "whether the shaker before left the table"],
    replaces: Annotated[str | None, "code of the shaker before; null where the table had none"],
    shaker: Annotated[str, "code of the new shaker"],
    tosses: Annotated[
        int, "test runs of the new shaker; an automated one has at least three at an open table"
    ],
) -> str:
    """The shaker of this table was replaced."""
    return f"Shaker {shaker} placed"


@entry_type("shaker.repaired")
def SHAKER_REPAIRED(
    *,
    how: Annotated[str, "how it was repaired, in a person's words"],
    kind: Annotated[ShakerKind, "kind of shaker"],
    shaker: str,
) -> str:
    """A shaker that was out of order was repaired, and is free to be used again."""
    return f"Shaker {shaker} repaired and taken away"


# Gaming ceases and resumes, and the alert meanwhile


CEASED_TEXTS = {
    "device": "The electrical device failed. Repair it, then record the repair before the next round.",
    "layout": "The lit layout failed. Repair it, then record the repair before the next round.",
    "shaker": "The automated shaker failed. Repair it, or replace it with another shaker.",
}


def ceased_text(equipment: str) -> str:
    """What to do at a table where gaming ceased."""
    return CEASED_TEXTS.get(equipment, "")


TITLE = "Gaming ceased"


def _describe(params: Mapping[str, Any]) -> tuple[str, str]:
    return TITLE, ceased_text(params["what"])


DEVICE_FAILURE = AlertKind("device-failure", "failure", Level.STOP, "Failure", TITLE, describe=_describe)
SHAKER_FAILURE = AlertKind(
    "shaker-failure", "failure", Level.STOP, "Shaker failure", TITLE, describe=_describe
)


def failure(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where gaming has ceased, as the table's row says."""
    table = ctx.table
    if not table.ceased_what:
        return None
    kind = SHAKER_FAILURE if table.ceased_what == "shaker" else DEVICE_FAILURE
    return kind.expected(
        table.pk, section=table.ceased_section, since=table.ceased_since, what=table.ceased_what
    )


alert_rule(AlertRule((DEVICE_FAILURE, SHAKER_FAILURE), at_table=failure))


def cease_gaming(ctx: TableContext, equipment: EquipmentKind, section: str) -> None:
    """Stop gaming at this table and raise an alert. No round begins until the repair and its inspection.

    Gaming has ceased since the first failure, also where another one follows before it resumes.
    """
    ctx.change_table(
        status=Table.Status.CEASED,
        ceased_what=equipment,
        ceased_section=section,
        ceased_since=ctx.table.ceased_since or ctx.now,
        repaired_at=None,
    )
    alert = failure(ctx)
    assert alert is not None
    raise_alert(ctx, alert)


def mark_repaired(ctx: TableContext) -> None:
    """Mark the failed equipment as repaired. It waits for its inspection."""
    ctx.change_table(repaired_at=ctx.now)


def resume_gaming(ctx: TableContext) -> None:
    """End the failure. An open table continues; one that was closed since stays closed."""
    end_alert(ctx, "failure")
    status = Table.Status.OPEN if ctx.table.status == Table.Status.CEASED else ctx.table.status
    ctx.change_table(status=status, ceased_what="", ceased_section="", ceased_since=None, repaired_at=None)


# A failure reported


@act(roles=AT_THE_TABLE, witness=True)
def report_device_failure(
    ctx: TableContext, *, what: EquipmentKind = "device", dice: OptionalDice = None
) -> ActOutcome:
    """Record that the device, the lit layout or an automated shaker failed. Gaming here ceases.

    The lit layout is equipment, too (reading A14). If the dice were not seen yet, the round is void and wagers are
    returned; after no more bets the floor signs that,
    as the policy says. Otherwise the announced dice settle it manually, before the witness that the edition names.
    """
    if ctx.table.status == Table.Status.CEASED:
        return _another_failure(ctx, what)
    if ctx.table.status != Table.Status.OPEN:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    if what == "shaker":
        return _shaker_failed(ctx)
    round_ = ctx.round
    section = ctx.rules.section("device-failure")
    cease_gaming(ctx, what, section)
    if round_ is None:
        if dice is not None:
            ctx.game.verify_report_device_failure(ctx.state, dice)
        return ActOutcome(DEVICE_FAILED({"what": what, "section": section, "round": None}))
    if dice is not None or ctx.state.dice:
        verify_edition_witness(ctx)
    else:
        ctx.game.verify_report_device_failure(ctx.state, dice)
        _verify_may_void(ctx, round_, section)
    return _settle_failure(ctx, round_, what, dice)


def _settle_failure(
    ctx: TableContext, round_: Round, equipment: EquipmentKind, dice: tuple[int, ...] | None
) -> ActOutcome:
    had_dice = bool(ctx.state.dice)
    if had_dice and dice is not None and sorted(dice) != sorted(ctx.state.dice):
        raise Refusal(DICE_ENTERED_ALREADY, round=round_.number)
    state, failed = ctx.game.report_device_failure(ctx.state, dice)
    if had_dice:
        advance(ctx, state, by_hand=True)
        return ActOutcome(
            DEVICE_FAILED({"what": equipment, "round": round_.number, "dice": list(state.dice)})
        )
    if dice is not None:
        ctx.verify_as_they_lie(dice)
        return settle_throw(
            ctx,
            round_,
            state,
            lambda data: ROUND_SETTLED_BY_HAND({**data, "failed": equipment}),
            state.settled,
            dice=state.dice,
        )
    reason = "device failure before the dice were seen"
    return settle_throw(
        ctx,
        round_,
        state,
        lambda data: ROUND_VOIDED(cast(RoundVoided, {**data, "failed": equipment})),
        failed.settled,
        reason=reason,
    )


def _shaker_failed(ctx: TableContext) -> ActOutcome:
    """Record that an automated shaker failed: the round is void and wagers are returned."""
    section = ctx.rules.section("shaker-failure")
    if ctx.round is None and ctx.rules.shaker(ctx.shaker_kind).automated:
        cease_gaming(ctx, "shaker", section)
        return ActOutcome(DEVICE_FAILED({"what": "shaker", "section": section, "round": None}))
    round_ = require_round(ctx)
    state, failed = ctx.game.report_shaker_failure(ctx.state)
    _verify_may_void(ctx, round_, section)
    cease_gaming(ctx, "shaker", section)
    return settle_throw(
        ctx,
        round_,
        state,
        lambda data: ROUND_VOIDED(cast(RoundVoided, {**data, "failed": "shaker"})),
        failed.settled,
        reason="automated shaker failed",
    )


def _verify_may_void(ctx: TableContext, round_: Round, section: str) -> None:
    """Refuse to return wagers after no more bets without the signature of the floor, as the policy says."""
    if not are_bets_open(ctx.state):
        verify_may_undo(ctx, NO_ROLL_ROW, section)
        alert_if_many(ctx, NO_ROLL_ROW, round_number=round_.number)


def _another_failure(ctx: TableContext, equipment: EquipmentKind) -> ActOutcome:
    """Record a second failure after gaming has ceased, or a new one after a repair: a new repair is needed.

    A failed device or layout takes precedence over a failed shaker, which another one may replace.
    """
    table = ctx.table
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    if equipment == table.ceased_what and table.repaired_at is None:
        raise Refusal(GAMING_CEASED, table.ceased_section, what=table.ceased_what)
    if equipment == "shaker" and not ctx.rules.shaker(ctx.shaker_kind).automated:
        raise Refusal(SHAKER_NOT_AUTOMATED, ctx.rules.section("shaker-failure"))
    section = ctx.rules.section("shaker-failure" if equipment == "shaker" else "device-failure")
    if equipment == "shaker" and table.ceased_what != "shaker":
        ctx.change_table(repaired_at=None)
    else:
        cease_gaming(ctx, equipment, section)
    return ActOutcome(DEVICE_FAILED({"what": equipment, "section": section, "round": None}))


def verify_edition_witness(ctx: TableContext) -> None:
    """Raises `witness-must-sign` unless the edition's witness signs.

    Pennsylvania: floorperson or above. New Jersey: casino supervisor.
    """
    role = ctx.rules.witness("device-failure") or "floorperson"
    if not any(has_rank(person, role) for person in (ctx.witness, ctx.actor) if person is not None):
        raise Refusal(WITNESS_MUST_SIGN, ctx.rules.section("device-failure"), role=role.replace("-", " "))


# Repaired, or another shaker


@act(roles=AT_THE_TABLE, witness=True)
def record_repair(ctx: TableContext, *, what: Text) -> ActOutcome:
    """Record that the failed equipment was repaired, and how. The floor signs.

    The inspection afterward lets gaming continue (reading A15).
    """
    verify_signed_by_floor(ctx)
    if not ctx.table.ceased_what:
        raise Refusal(NOTHING_FAILED, table=ctx.table.code)
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)
    equipment = ctx.table.ceased_what
    mark_repaired(ctx)
    return ActOutcome(REPAIR_RECORDED(what=equipment, how=what))


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
    return ActOutcome(
        SHAKER_REPLACED(
            shaker=new.code,
            kind=new.kind,
            replaces=removed_codes[0] if removed_codes else None,
            covered_or_signed=covered_or_signed,
            tosses=tosses,
            removed_from_table=removed_from_table,
        )
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
    return ActOutcome(SHAKER_REPAIRED(shaker=shaker.code, kind=shaker.kind, how=how), changes="nothing")


# A round that was settled by hand, away from the console


class EarlierWager(TypedDict):
    """A wager of the live round that the dead tablet had begun."""

    seat: int
    wager: str
    cents: Annotated[int, "the stake"]


class ManualRecord(TypedDict):
    before: Annotated[
        list[EarlierWager], "the wagers that had been entered before; the recorded ones replace them"
    ]
    reason: Annotated[str, "why, in a person's words"]


class RoundRecordedByHand(ThrowData):
    """The last throw of the round; in a game of several throws, `settled` and the sums are those of all throws."""

    mended: Annotated[ManualRecord, "what this entry replaces: the wagers entered before, and the reason"]
    throws: NotRequired[Annotated[list[list[int]], "the faces of every throw, in a round of several throws"]]


ROUND_RECORDED_BY_HAND = entry_type(
    "round.recorded_by_hand",
    RoundRecordedByHand,
    "A round that had been settled manually, away from the console, was recorded afterward.",
    lambda data: "Dice %s, recorded after manual play" % dice_words(data["dice"]),
)


def describe_hand_settled(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a round that was settled by hand."""
    paid = f"It pays {dollars(params['cents'])} net" if params["cents"] else "It pays nothing net"
    held = ", held back until its slip is reviewed" if params["held"] else ""
    signed = f"{params['person']} recorded round {params['round']}, and {params['signed_with']} signed."
    return "A round was settled by hand", f"{signed} {paid}{held}. Compare it with the video."


HAND_SETTLED = AlertKind(
    "hand-settled",
    "hand-settled:{round}",
    Level.WARN,
    "Round settled by hand",
    "A round was settled by hand",
    describe=describe_hand_settled,
    ends_when_acknowledged=True,
)
Dice = tuple[int, ...]
SUBJECT = "hand-settled-rounds"  # the row of the policy


@act(roles=AT_THE_TABLE, witness=True)
def record_hand_settled_round(ctx: TableContext, params: Params) -> ActOutcome:
    """Record the dice and wagers of a round that was settled by hand while the device had failed.

    It ends cleared and marked manual. `dice` for a round of one throw; `throws` for a longer one, in order and without
    void throws. The failure is on record, still open, and has no such round yet; a round in play is never replaced.
    Who dealt it and the floor sign (row `hand-settled-rounds` of the policy), and surveillance is told. A net payout
    from the sum of a first review on waits for that review: it becomes a slip (`tables.rounds.settlement`).
    """
    wagers, throws = params.objects("wagers", read_wager_input), _read_throws(params)
    reason = params.text("reason")
    verify_seats(ctx, wagers)
    _verify_failure_has_no_round(ctx)
    _verify_both_sign(ctx)
    if not any(wager.cents for wager in wagers):
        raise Refusal(NOTHING_PLACED, ctx.rules.section("placement"))
    for wager in wagers:
        verify_in_chips(ctx, wager.cents)
    verify_chips_exist(ctx.table, sum(wager.cents for wager in wagers))
    round_ = ensure_round(ctx, though_ceased=True)
    state = _settled_state(ctx, wagers, throws)
    for wager, flag in zip(wagers, write_wagers(ctx, round_, wagers), strict=True):
        report_over_max(ctx, round_, wager, is_over=flag == "over-max", was_over=False)
    ctx.wagers[:] = round_.wagers.filter(struck=False).order_by("id")
    earlier = _write_earlier_throws(ctx, round_, state)
    raised = net_payout(lines_of(state.settled))

    def entry(data: ThrowData) -> EntryBody:
        mended: ManualRecord = {"before": [], "reason": reason}
        recorded = cast(RoundRecordedByHand, {**data, "mended": mended})
        if earlier:
            _add_earlier_throws(recorded, state, earlier)
        return ROUND_RECORDED_BY_HAND(recorded)

    outcome = settle_throw(ctx, round_, state, entry, newly_settled(state), dice=state.dice, raised=raised)
    _tell(ctx, round_, raised)
    return outcome


def _verify_failure_has_no_round(ctx: TableContext) -> None:
    """Refuse unless gaming has ceased here, no round is in play, and none was recorded since it ceased.

    While gaming has ceased no round opens but one that this act records.
    """
    table = ctx.table
    if ctx.round is not None:
        raise Refusal(DICE_ENTERED_ALREADY if ctx.state.throws else ROUND_IS_LIVE, round=ctx.round.number)
    if table.status == Table.Status.CLOSED:
        ctx.verify_open()
    if not table.ceased_what or table.ceased_since is None:
        raise Refusal(NO_FAILURE_ON_RECORD, ctx.rules.section("device-failure"), table=table.code)
    recorded = Round.objects.filter(table=table, by_hand=True, opened_at__gte=table.ceased_since).first()
    if recorded is not None:
        raise Refusal(FAILURE_HAS_ITS_ROUND, ctx.rules.section("device-failure"), round=recorded.number)


def _verify_both_sign(ctx: TableContext) -> None:
    """Raises `hand-settled-needs-two` unless two people sign as the row of the policy says."""
    row = policy.row_of(ctx.table.facility.law, SUBJECT)
    if not is_signed_by_two(ctx, row):
        dealt, floor = policy.roles_in_words(row.prepare), policy.roles_in_words(row.approve)
        raise Refusal(HAND_SETTLED_NEEDS_TWO, ctx.rules.section("device-failure"), dealt=dealt, floor=floor)


def _read_throws(params: Params) -> tuple[Dice, ...]:
    dice, throws = params.dice(optional=True), params.throws(optional=True)
    if (dice is None) == (throws is None):
        raise malformed("throws")
    return throws if throws is not None else (dice or (),)


def _settled_state(ctx: TableContext, inputs: tuple[WagerInput, ...], throws: Sequence[Dice]) -> RoundState:
    """The round as the engine settles it, so that nothing the engine would refuse is recorded."""
    game, lines = ctx.game, [wager.placing for wager in inputs]
    for line in lines:
        game.verify_placing(ctx.rules, line)
    wagers = apply_placings((), lines)[0]
    game.adjudicate(ctx.rules, throws, wagers)
    played = replace(ctx.state, phase="cleared", wagers=wagers, throws=tuple(throws), manual_settlement=True)
    return replace(played, paid_seats=frozenset(settled.wager.seat for settled in game.winners(played)))


def _write_earlier_throws(ctx: TableContext, round_: Round, state: RoundState) -> list[list[SettledWager]]:
    """Write the throws before the last one, each with what it settled. Return what each settled."""
    throws_data = []
    for count in range(1, len(state.throws)):
        so_far = replace(state, throws=state.throws[:count])
        throw, settled = write_throw(ctx, round_, so_far.dice), newly_settled(so_far)
        write_settlements(ctx, throw, settled)
        ctx.change_round(last_throw=throw.number)
        throws_data.append([settled_data(wager) for wager in settled])
    return throws_data


def _add_earlier_throws(
    recorded: RoundRecordedByHand, state: RoundState, earlier: list[list[SettledWager]]
) -> None:
    """Extend the data of the last throw with every throw and every settled wager."""
    recorded["throws"] = [list(dice) for dice in state.throws]
    recorded["settled"] = [line for lines in earlier for line in lines] + recorded["settled"]
    recorded["taken_cents"] = taken_cents(state.settled)
    recorded["paid_cents"] = sum(wager.paid_cents for wager in state.settled)
    recorded["returned_cents"] = sum(wager.returned_cents for wager in state.settled)


def _tell(ctx: TableContext, round_: Round, raised: Raise) -> None:
    """Raise the alert that names who recorded the round, and what it pays."""
    assert ctx.actor is not None and ctx.witness is not None
    alert = HAND_SETTLED.expected(
        ctx.table.pk,
        duty="device-failure",
        round=round_.number,
        person=ctx.actor.name,
        signed_with=ctx.witness.name,
        cents=raised.total_cents,
        held=bool(held_amounts(round_)),
    )
    raise_alert(ctx, alert)


# A device that may help to cheat


@entry_type("device.incident")
def DEVICE_INCIDENT(
    *,
    action: Annotated[str, "what was done about it, in a person's words"],
    round: Annotated[int | None, "number of the round in play; null between rounds"],
    seat: Annotated[int | None, "number of the seat; null where nobody used the device from a seat"],
    section: str,
    what: Annotated[str, "the device, in a person's words"],
) -> str:
    """A device that may help to cheat was found in use, and what was done."""
    return f"Forbidden device: {what}. {action}"


@act(roles=FLOOR, depends_on="nothing")
def log_device_incident(
    ctx: TableContext, *, what: Text, action: Text, seat: Annotated[int, whole(0, 64)] = 0
) -> ActOutcome:
    """Log the incident for the facility and in this table's record, open or closed.

    `seat` is 0 if nobody used the device from a seat: a bystander's counts too. Raises `no-such-seat` or
    `malformed`.
    """
    if seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=seat, seats=ctx.table.seats)
    round_ = ctx.round.number if ctx.round else None
    DeviceIncident.objects.create(
        facility=ctx.table.facility,
        table=ctx.table.code,
        round=round_,
        seat=seat or None,
        at=ctx.now,
        what=what,
        action=action,
        by=ctx.actor,
    )
    cite = section(ctx.table.facility, "device")
    return ActOutcome(
        DEVICE_INCIDENT(round=round_, seat=seat or None, what=what, action=action, section=cite),
        changes="nothing",
    )


declare(
    DeviceIncident,
    "device incident",
    key={"facility": FACILITY, "table": PLACE, "at": AT},
    created={DEVICE_INCIDENT: {**same("round", "seat", "what", "action"), "by": ACTOR}},
)

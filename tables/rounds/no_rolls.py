"""A throw or a round without a result: no roll and void, their declared reasons, and who signs.

A reason is a code. What somebody notes beside it goes on the record and decides nothing. A reason that another act
owns leads there: a round that is voided because the device failed would go on without the repair, and with the wagers
back although the dice were tossed.

The rows of the policy (games/separation) say who signs what is undone on somebody's word: `no-rolls` where wagers go
back after no more bets, `rethrows` where the dice are only thrown again. Two people sign, of whom one may approve, so
nobody of the floor does it alone. Counted are the entries that a person made or signed, at every table of the
facility; and for what is free, those of the table, so that another dealer has none of their own. Many of them raise an
alert for surveillance.
"""

import datetime as dt
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NotRequired, TypedDict, cast

from django.db.models import Q, QuerySet

from audit.entry_types import EntryBody, entry_type
from audit.models import Entry, Person
from games.engine import Refusal, RoundState
from games.engine.refusals import NO_SUCH_REASON, RefusalCode
from games.engine.wagers import RETURN
from games.game_acts import ActOfPost, LotOrNone, ThrowNumber
from games.jurisdictions import SeparationRow
from games.params import Params
from games.separation import policy
from games.snapshot_types import EquipmentKind
from games.wording import no_roll_text
from tables.core.alerts import AlertKind, Level, raise_alert
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE
from tables.models import Table
from tables.rounds.course import advance, require_round, round_answer
from tables.rounds.settlement import ShakerOrNone, ThrowData, settle_throw, write_throw
from tables.runner.signatures import is_signed_by_two, verify_signed_by_floor, verify_signed_by_manager
from tables.runner.table import ActOutcome, act
from tables.words.sentences import dice_words

MANAGER_MUST_SIGN = RefusalCode(
    "manager-must-sign",
    "The dice are in view. Settle the round. Only a pit or shift manager may void it, with their own PIN.",
    "Manager needed",
)
TOSSED_DICE_ARE_SETTLED = RefusalCode(
    "tossed-dice-are-settled",
    "The shaker has tossed the dice, so they count, in view or covered. Uncover them and settle the round. "
    "If equipment failed, report it: gaming ceases then.",
    "Dice were tossed",
)
NO_ROLL_MUST_BE_SIGNED = RefusalCode(
    "no-roll-must-be-signed",
    "No more bets was announced, so the wagers go back only with the floor's signature. Leave the dice as they are and "
    "call a floorperson, who signs with their own PIN.",
    "Floorperson needed",
)
NO_ROLL_TAKES_TWO = RefusalCode(
    "no-roll-takes-two",
    "Nobody does this alone. Leave the dice as they are, and have whoever deals, or another of the floor, sign with "
    "their own PIN.",
    "Second person needed",
)
NO_ROLLS_ABOVE_THE_RATE = RefusalCode(
    "no-rolls-above-the-rate",
    "%(count)s throws were called no roll in the last %(minutes)s minutes. Leave the dice as they are and call a "
    "floorperson, who signs this one with their own PIN.",
    "Floorperson needed",
)
REASON_OF_ANOTHER_ACT = RefusalCode(
    "reason-of-another-act",
    "For this reason the round is not ended here. Use %(instead)s.",
    "Another act",
)
NO_SUCH_VOID_REASON = RefusalCode(
    "no-such-void-reason",
    "A round is not voided because of %(reason)s. Choose one of the reasons shown, and note the rest beside it.",
    "No such reason",
)


# The declared reasons


@dataclass(frozen=True)
class EndReason:
    """A reason with its words.

    `act`: the act of the engine that owns it, "" for none; `duty`: the duty of that act's section, which an edition
    without the equipment lacks; `instead`: the act as the console names it, and `leads_to`: its name there.
    `voids_before`: while that act is not possible yet, the round is voided for this reason.
    """

    code: str
    words: str
    act: str = ""
    duty: str = ""
    instead: str = ""
    leads_to: str = ""
    voids_before: bool = False


VOID_REASONS = (
    EndReason("dice-seen-early", "Dice seen before bets closed"),
    EndReason("uncovered-early", "Shaker uncovered too soon"),
    EndReason("dispute", "Dispute settled by the floor"),
    EndReason("accident", "Accident at the table"),
    EndReason("emergency", "Emergency or evacuation"),
    EndReason("no-wagers", "Nobody wagers"),
    EndReason(
        "device-failed",
        "Device or layout failed",
        "report_device_failure",
        "device-failure",
        "Device failed",
        "report_device_failure",
    ),
    EndReason(
        "shaker-failed",
        "Shaker failed",
        "report_shaker_failure",
        "shaker-failure",
        "Device failed, Shaker",
        "report_device_failure",
        voids_before=True,
    ),
    EndReason(
        "dice-not-flat", "A die does not lie flat", "call_no_roll", "no-roll", "No roll", "call_no_roll"
    ),
    EndReason(
        "missed-wager",
        "Wager not entered",
        "record_missed_wager",
        "position",
        "Missed wager",
        "record_missed_wager",
    ),
    EndReason(
        "mistaken-wager",
        "Wager entered wrongly",
        "strike_mistaken_wager",
        "position",
        "Strike a wager",
        "strike_mistaken_wager",
    ),
)

# Of a no roll where the edition lists none. The words of the other codes are in games/wording.py.
NO_ROLL_REASONS = (
    EndReason("on-another", "A die rests on another"),
    EndReason("leans", "A die leans"),
    EndReason("cocked", "A die does not lie flat"),
    EndReason("off-table", "A die left the shaker"),
)
WORDS = {reason.code: reason.words for reason in (*VOID_REASONS, *NO_ROLL_REASONS)}


def end_reason_text(reason: str) -> str:
    """Return why a throw or a round is without a result, in words.

    What people entered in their own words, before the reasons were declared, stays as it is.
    """
    text = no_roll_text(reason)
    return WORDS.get(reason, reason) if text == reason else text


def verify_void_reason(ctx: TableContext, code: str) -> EndReason:
    """Return the reason of a void. Raises `no-such-void-reason`, or `reason-of-another-act`
    with the name of that act.
    """
    reason = next((declared for declared in VOID_REASONS if declared.code == code), None)
    if reason is None or not _is_of_this_table(ctx, reason):
        raise Refusal(NO_SUCH_VOID_REASON, ctx.rules.section("void"), reason=code[:40])
    if reason.act and not (reason.voids_before and reason.act not in ctx.game.legal_acts(ctx.state)):
        raise Refusal(REASON_OF_ANOTHER_ACT, ctx.rules.section(reason.duty), instead=reason.instead)
    return reason


def verify_no_roll_reason(ctx: TableContext, code: str) -> None:
    """Check the reason of a no roll where the edition lists none. Raises `no-such-reason`."""
    if not ctx.rules.edition.no_rolls and code not in {reason.code for reason in NO_ROLL_REASONS}:
        raise Refusal(NO_SUCH_REASON, ctx.rules.section("no-roll"), reason=code[:40])


def _is_of_this_table(ctx: TableContext, reason: EndReason) -> bool:
    """Whether the table has what the reason is about. An automated shaker alone can fail as one."""
    if reason.act == "report_shaker_failure":
        return ctx.rules.shaker(ctx.state.shaker).automated
    return not reason.act or any(act == reason.act for _, act in ctx.state.procedure.moves)


# What the record says of them


SectionOrEmpty = Annotated[str, "the section behind it; empty where the edition names none"]


class FacesRead(TypedDict):
    """What the dealer or the stickperson states about the dice of a throw that does not count."""

    faces_read: NotRequired[
        Annotated[
            list[int],
            "faces that could be read, as the dealer or the stickperson states them; empty: none; absent: nothing was "
            "stated",
        ]
    ]


class Noted(TypedDict):
    """What somebody notes beside a declared reason. It decides nothing."""

    note: NotRequired[Annotated[str, "what a person notes beside the reason; absent where nothing was"]]


class RoundNoRoll(ThrowData, FacesRead, Noted):
    pass


class RoundVoided(ThrowData, Noted):
    failed: NotRequired[Annotated[EquipmentKind, "what failed; absent where the floor voided the round"]]
    in_view: NotRequired[
        Annotated[Literal[True], "the dice had been tossed and were in view; a pit or shift manager signed"]
    ]
    tossed: NotRequired[
        Annotated[
            Literal[True],
            "in old records: an automated shaker had tossed the dice, still covered; a pit or shift manager signed",
        ]
    ]


def faces_read_words(data: Mapping[str, Any]) -> str:
    """Return which faces of a throw that does not count could be read: "; read 1 6". "" where nobody said."""
    faces = data.get("faces_read")
    if faces is None:
        return ""
    return f"; read {dice_words(faces)}" if faces else "; no face could be read"


def reason_words(data: Mapping[str, Any]) -> str:
    """Return a declared reason and what was noted: ": Dispute settled by the floor (seat 3)". "" where neither is."""
    reason = WORDS.get(data.get("reason", ""), "")
    note = f" ({data['note']})" if data.get("note") else ""
    return f": {reason}{note}" if reason else note


ROUND_NO_ROLL = entry_type(
    "round.no_roll",
    RoundNoRoll,
    "A no roll ended the round, and its wagers were returned.",
    lambda data: "No roll, wagers returned%s%s" % (reason_words(data), faces_read_words(data)),
)


def _voided_words(data: Mapping[str, Any]) -> str:
    if data.get("in_view"):
        return "Round void with the dice in view"
    return "Round void with the dice tossed and covered" if data.get("tossed") else "Round void"


ROUND_VOIDED = entry_type(
    "round.voided",
    RoundVoided,
    "The round was voided, and its open wagers were returned.",
    lambda data: "%s, wagers returned%s" % (_voided_words(data), reason_words(data)),
)


class ThrowNoRoll(ActOfPost, FacesRead, Noted):
    lot: LotOrNone
    reason: Annotated[str, "why, as a code of the edition"]
    round: int
    section: SectionOrEmpty
    shaker: ShakerOrNone
    throw: ThrowNumber


THROW_NO_ROLL = entry_type(
    "throw.no_roll",
    ThrowNoRoll,
    "A throw was called no roll: wagers stay and the dice are thrown again.",
    lambda data: "No roll; the dice are thrown again%s" % faces_read_words(data),
)


# The alerts


CHEATING = AlertKind(
    "cheating",
    "cheating:{round}:{throw}",
    Level.WARN,
    "Cheating suspected",
    "Cheating suspected",
    "A throw of round %(round)s was called no roll because of a cheating device or technique. "
    "Check the dice, and the video of the throw.",
    ends_when_acknowledged=True,
)
MANY_NO_ROLLS = AlertKind(
    "no-rolls",
    "no-rolls:{cause}",
    Level.WARN,
    "Many rounds without a result",
    "%(person)s: %(undone)s rounds without a result",
    "No rolls, voids and failures in %(within_minutes)s minutes, the newest in round %(round)s. Surveillance looks "
    "at the recording of each.",
    ends_when_acknowledged=True,
    at_the_pit=True,
)
MANY_RETHROWS = AlertKind(
    "rethrows",
    "rethrows:{cause}",
    Level.WARN,
    "Many void throws",
    "%(person)s: %(undone)s void throws",
    "In %(within_minutes)s minutes, the newest in round %(round)s. Surveillance looks at the recording of each.",
    ends_when_acknowledged=True,
    at_the_pit=True,
)


# Who signs, and how many are too many


NO_ROLL_ROW, RETHROW_ROW = "no-rolls", "rethrows"  # of the policy
ALERTS = {NO_ROLL_ROW: MANY_NO_ROLLS, RETHROW_ROW: MANY_RETHROWS}
COUNTED_TYPES = {
    NO_ROLL_ROW: (ROUND_NO_ROLL.name, ROUND_VOIDED.name),
    RETHROW_ROW: (THROW_NO_ROLL.name,),
}


def no_roll_row(ctx: TableContext, subject: str) -> SeparationRow:
    """The row of the policy at this table."""
    return policy.row_of(ctx.table.facility.law, subject)


def are_bets_open(state: RoundState) -> bool:
    """Whether players may still take every wager off, so that nothing is gained by undoing the round.

    After the first throw some wagers stand, although others may be placed.
    """
    return not state.throws and (state.phase, "place_wagers") in state.procedure.moves


def verify_may_undo(ctx: TableContext, subject: str, section: str) -> None:
    """Refuse to undo a throw or a round unless two people sign, one of them of the floor, except up to a rate.

    Raises `no-roll-must-be-signed`, or `no-rolls-above-the-rate` once the person or the table has had all that are
    free; and `no-roll-takes-two` where somebody of the floor acts alone.
    """
    row, people = no_roll_row(ctx, subject), _people(ctx)
    if is_signed_by_two(ctx, row):
        return
    count = 0
    if row.free_count:
        counts = [undone_by(ctx, subject, person, row.free_minutes) for person in people]
        count = max(undone_at(ctx, subject, row.free_minutes), *counts)
        if count < row.free_count:
            return
    if any(policy.may_approve(row, person) for person in people):
        raise Refusal(NO_ROLL_TAKES_TWO, section)
    if not row.free_count:
        raise Refusal(NO_ROLL_MUST_BE_SIGNED, section)
    raise Refusal(NO_ROLLS_ABOVE_THE_RATE, section, count=count, minutes=row.free_minutes)


def alert_if_many(ctx: TableContext, subject: str, *, round_number: int) -> None:
    """Raise an alert once a person has undone or signed as many as the policy names, this act included.

    Real play only.
    """
    row = no_roll_row(ctx, subject)
    if not row.alert_count or ctx.table.kind != Table.Kind.LIVE:
        return
    for person in _people(ctx):
        count = undone_by(ctx, subject, person, row.alert_minutes) + 1
        if count >= row.alert_count:
            alert = ALERTS[subject].expected(
                ctx.table.pk,
                cause=person.code,
                person=person.name,
                undone=count,
                within_minutes=row.alert_minutes,
                round=round_number,
            )
            raise_alert(ctx, alert)


def undone_by(ctx: TableContext, subject: str, person: Person, minutes: int) -> int:
    """How many throws or rounds this person has undone or signed in these minutes, at any table of the facility."""
    entries = _undone(ctx, subject, minutes).filter(Q(actor=person.code) | Q(witness=person.code))
    at_the_facility = entries.filter(
        stream__name__startswith=f"{ctx.table.facility.code}/", stream__real_play=ctx.stream.real_play
    )
    return at_the_facility.count()


def undone_at(ctx: TableContext, subject: str, minutes: int) -> int:
    """How many throws or rounds were undone at this table in these minutes, by any dealer."""
    return _undone(ctx, subject, minutes).filter(stream=ctx.stream).count()


def _undone(ctx: TableContext, subject: str, minutes: int) -> QuerySet[Entry]:
    since = ctx.now - dt.timedelta(minutes=minutes)
    return Entry.objects.filter(type__in=COUNTED_TYPES[subject], at__gt=since)


def _people(ctx: TableContext) -> list[Person]:
    people: Iterable[Person | None] = (ctx.actor, ctx.witness)
    return [person for person in people if person is not None]


def read_note(params: Params) -> Noted:
    """Read what somebody notes beside a declared reason; nothing where they note nothing."""
    note = params.text("note", default="")
    return {"note": note} if note else {}


# The acts


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def call_no_roll(ctx: TableContext, params: Params) -> ActOutcome:
    """Call a no roll.

    In Sic Bo the round ends and every wager is returned (A12, A44). In the other games wagers stay and the dice are
    thrown again (A33). The floor signs it, except for as many as the policy leaves free.

    `reason`: one of the edition's, or of the declared ones where it lists none; `note` says more and decides nothing.
    `faces_read`: the faces that could be read, [] where none could.
    """
    reason, faces_read = params.text("reason"), params.faces("faces_read")
    noted = read_note(params)
    round_ = require_round(ctx)
    state, called = ctx.game.call_no_roll(ctx.state, reason)
    if faces_read is not None:
        ctx.game.verify_faces_read(ctx.state, faces_read)
    subject = NO_ROLL_ROW if state.ended else RETHROW_ROW
    verify_no_roll_reason(ctx, reason)
    verify_may_undo(ctx, subject, called.section)
    alert_if_many(ctx, subject, round_number=round_.number)
    if state.ended:

        def entry(data: ThrowData) -> EntryBody:
            seen = {} if faces_read is None else {"faces_read": list(faces_read)}
            return ROUND_NO_ROLL(cast(RoundNoRoll, {**data, **seen, **noted}))

        return settle_throw(ctx, round_, state, entry, called.settled, reason=reason)
    throw = write_throw(ctx, round_, (), reason)
    if reason == "cheating-device":
        alert = CHEATING.expected(
            ctx.table.pk, section=called.section, round=round_.number, throw=throw.number
        )
        raise_alert(ctx, alert)
    advance(ctx, state, last_throw=throw.number)
    data: ThrowNoRoll = {
        "round": round_.number,
        "throw": throw.number,
        "reason": reason,
        "section": called.section,
        "lot": ctx.lot.code if ctx.lot else None,
        "shaker": ctx.shaker.code if ctx.shaker else None,
    }
    if noted:
        data["note"] = noted["note"]
    if faces_read is not None:
        data["faces_read"] = list(faces_read)
    return ActOutcome(THROW_NO_ROLL(data), round_answer(round_), "phase")


@act(roles=AT_THE_TABLE, witness=True)
def void_round(ctx: TableContext, params: Params) -> ActOutcome:
    """Void a round before its dice are entered and return every wager. The floor signs.

    `reason` is one of `VOID_REASONS`; one that another act owns, such as a failed device, is refused with the name of
    that act. `note` says more and decides nothing. After no more bets two people sign, as the policy says. Dice that an
    automated shaker has tossed are a result, in view or covered: they are settled, and nobody voids them. Dice in view
    that people threw take a pit or shift manager, and the entry says so.

    Between two throws, wagers that the first one decided stay settled. The rest is returned, with a fee already
    paid (reading A47).
    """
    reason, noted = params.text("reason"), read_note(params)
    round_ = require_round(ctx)
    verify_signed_by_floor(ctx)
    state, voided = ctx.game.void_round(ctx.state, reason)
    verify_void_reason(ctx, reason)
    if ctx.game.is_tossed(ctx.state):
        raise Refusal(TOSSED_DICE_ARE_SETTLED, ctx.rules.section("device-failure") or voided.section)
    is_in_view = ctx.game.is_in_view(ctx.state)
    if is_in_view:
        verify_signed_by_manager(ctx, MANAGER_MUST_SIGN, voided.section)
    if not are_bets_open(ctx.state):
        verify_may_undo(ctx, NO_ROLL_ROW, voided.section)
    alert_if_many(ctx, NO_ROLL_ROW, round_number=round_.number)
    returned = tuple(wager for wager in voided.settled if wager.outcome == RETURN)

    def entry(data: ThrowData) -> EntryBody:
        more = {"in_view": True} if is_in_view else {}
        return ROUND_VOIDED(cast(RoundVoided, {**data, **more, **noted}))

    return settle_throw(ctx, round_, state, entry, returned, reason=reason)

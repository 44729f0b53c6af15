"""The acts of a round in the order of the edition: no more bets, shake, dice, take, pay, clear.

Which of them a game has, and in what order, is its `procedure`; each asks the engine for the next state. The call of
the dice settles the wagers that they decide (`tables.rounds.settlement`); afterward the dealer states what was taken
and paid. Without a result a round ends by `tables.rounds.no_rolls`.

At a training table the machine throws the dice, and the trainee calls them (docs/shift.md). No other act draws dice.
"""

import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Annotated, Literal, NotRequired, TypedDict, cast

from audit.entry_types import entry_type
from audit.runner import Changes
from games.act_forms import Dice, Moment, Seats, Text, text, whole
from games.engine import Refusal, RefusalCode, RoundState, refusals
from games.engine.wagers import LOSE
from games.game_acts import ActOfPost, ActThatWaits, ThrowNumber
from games.params import Params
from tables.core.context import TableContext
from tables.core.duty import AT_THE_TABLE, MACHINES
from tables.core.held_back import held_of_paid
from tables.core.posts import seats_to_settle
from tables.dice.readings import (
    SAYS_OF_READING,
    ReadingOfThrow,
    reading_of_call,
    refuse_if_differing,
    take_reading,
)
from tables.models import Table
from tables.rounds.course import advance, ensure_round, newly_settled, require_round, round_answer
from tables.rounds.settlement import Taken, ThrowData, settle_throw
from tables.runner.table import ActOutcome, act
from tables.words import overtaken_by
from tables.words.sentences import dice_words, dollars, seats_words

MAX_NUMBER = 2**53 - 1
DRAWS_ONLY_IN_TRAINING = RefusalCode(
    "draws-only-in-training",
    "%(table)s is not a training table. People throw the dice there.",
)
DICE_DRAWN_ALREADY = RefusalCode(
    "dice-drawn-already",
    "The dice of round %(round)s are already thrown. Call what they show.",
    "Dice already thrown",
)


# What the record says of them


Faces = Annotated[list[int], "the faces of the dice"]
HeldCents = Annotated[int, "how much of what is paid was held back for a review; absent where nothing was"]


class BetsClosed(ActThatWaits):
    round: int
    wagered_cents: int


BETS_CLOSED = entry_type(
    "bets.closed",
    BetsClosed,
    "No more bets was announced.",
    lambda data: "No more bets, %s" % dollars(data["wagered_cents"]),
)


class DiceDrawn(ActOfPost):
    by: Annotated[Literal["machine"], "what drew the dice"]
    dice: Faces
    round: int


DICE_DRAWN = entry_type(
    "dice.drawn",
    DiceDrawn,
    "At a training table the machine drew the dice.",
    lambda data: "Dice %s thrown by the machine" % " ".join(map(str, data["dice"])),
)


class DiceShaken(ActThatWaits):
    activated_by_seat: Annotated[int, "the seat that activated a player-activated shaker; 0 where none did"]
    lot: str
    round: int
    shaker: str
    shakes: Annotated[
        int, "how often the shaker was shaken; 0 where no number was entered, as for an automated one"
    ]


DICE_SHAKEN = entry_type(
    "dice.shaken",
    DiceShaken,
    "The dice were shaken, or an automated shaker was activated.",
    lambda data: "Shaken",
)


class LayoutCleared(TypedDict):
    paid_cents: Annotated[int, "what all winning wagers of the round were paid, without their stakes"]
    round: int
    taken_cents: Annotated[int, "lost stakes and fees of the whole round"]


LAYOUT_CLEARED = entry_type(
    "layout.cleared", LayoutCleared, "The layout was cleared, which ended the round.", lambda data: "Cleared"
)


class LosersTaken(ActThatWaits):
    round: int
    taken_cents: Taken


LOSERS_TAKEN = entry_type(
    "losers.taken",
    LosersTaken,
    "All losing wagers were taken.",
    lambda data: "Taken %s" % dollars(data["taken_cents"]),
)


class FaceRulings(TypedDict):
    """How unclear faces were ruled on."""

    leaning: NotRequired[int]
    disputed: NotRequired[Annotated[bool, "true where a face was disputed and decided; otherwise absent"]]


class ThrowSettled(ThrowData, FaceRulings, ActOfPost, ActThatWaits):
    reading: NotRequired[
        Annotated[ReadingOfThrow, "what a reader read of the throw; absent without a reading"]
    ]


ROUND_SETTLED = entry_type(
    "round.settled",
    ThrowSettled,
    "The throw that ended the round, with every wager that it settled.",
    lambda data: "Dice %s called and lit" % dice_words(data["dice"]),
)


class SeatsSettled(ActOfPost):
    paid_cents: Annotated[int, "what these seats were paid in this step, without their stakes"]
    round: int
    seats: list[int]
    taken_cents: Annotated[int, "lost stakes that were taken from these seats in this step"]
    throw: ThrowNumber
    held_cents: NotRequired[HeldCents]


def paid_words(data: "WinnersPaid | SeatsSettled") -> str:
    """What was handed over, and what was held back of it for a review: `$25`, `$25 ($4,000 held back)`."""
    held_cents = data.get("held_cents", 0)
    paid = dollars(data["paid_cents"] - held_cents)
    return f"{paid} ({dollars(held_cents)} held back)" if held_cents else paid


SEATS_SETTLED = entry_type(
    "seats.settled",
    SeatsSettled,
    "One step of a settlement was taken and paid at these seats.",
    lambda data: (
        "Took %(take)s and paid %(pay)s, %(seats)s"
        % {
            "take": dollars(data["taken_cents"]),
            "pay": paid_words(data),
            "seats": seats_words(data["seats"]),
        }
    ),
)
THROW_SETTLED = entry_type(
    "throw.settled",
    ThrowSettled,
    "A throw after which another one follows, with what it decided.",
    lambda data: "Dice %s called" % dice_words(data["dice"]),
)


class WinnersPaid(ActThatWaits):
    paid_cents: Annotated[int, "what these seats were paid, without their stakes"]
    round: int
    seats: list[int]
    wager: NotRequired[
        Annotated[str, "code of the area that was paid; absent where all winning wagers of the seats were"]
    ]
    held_cents: NotRequired[HeldCents]


WINNERS_PAID = entry_type(
    "winners.paid",
    WinnersPaid,
    "Winning seats were paid.",
    lambda data: "Paid %(sum)s to %(seats)s" % {"sum": paid_words(data), "seats": seats_words(data["seats"])},
)
overtaken_by(refusals.BETS_CLOSED, BETS_CLOSED)
overtaken_by(refusals.SEAT_PAID_ALREADY, WINNERS_PAID)
overtaken_by(refusals.NOTHING_TO_PAY, WINNERS_PAID)
overtaken_by(refusals.SEAT_SETTLED_ALREADY, SEATS_SETTLED)
overtaken_by(refusals.NOTHING_TO_SETTLE, SEATS_SETTLED)


# Before the dice


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def no_more_bets(ctx: TableContext) -> ActOutcome:
    """Announce no more bets. Later wagers are refused."""
    round_ = ensure_round(ctx)
    state, _ = ctx.game.no_more_bets(ctx.state)
    advance(ctx, state)
    return ActOutcome(
        BETS_CLOSED({"round": round_.number, "wagered_cents": round_.wagered_cents}),
        round_answer(round_),
        "phase",
    )


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def shake(
    ctx: TableContext,
    *,
    shakes: Annotated[int, whole(0, 99)] = 0,
    activated_by_seat: Annotated[int, whole(0, 64)] = 0,
) -> ActOutcome:
    """Record at least three shakes of a manual shaker, or who activated an automated one: the dealer, or a seat."""
    round_ = ensure_round(ctx)
    lot, shaker = ctx.verify_dice_in_time()
    state, _ = ctx.game.shake(ctx.state, times=shakes or 1, by_seat=activated_by_seat or None)
    advance(ctx, state)
    data: DiceShaken = {
        "round": round_.number,
        "lot": lot.code,
        "shaker": shaker.code,
        "shakes": shakes,
        "activated_by_seat": activated_by_seat,
    }
    return ActOutcome(DICE_SHAKEN(data), round_answer(round_), "phase")


# The dice


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def call_dice(ctx: TableContext, params: Params) -> ActOutcome:
    """Record the uncovered and announced dice, light the layout, and settle the wagers that they decide."""
    dice = params.dice()
    rulings = read_face_rulings(params, len(dice or ()))
    require_round(ctx)
    state, _ = ctx.game.call_dice(ctx.state, dice or ())
    ctx.verify_as_they_lie(state.dice)
    return refuse_if_differing(ctx, state.dice) or _settle_call(ctx, state, rulings)


def _settle_call(ctx: TableContext, state: RoundState, rulings: FaceRulings) -> ActOutcome:
    """Settle the throw that is called, with what a reader read of it."""
    type_ = ROUND_SETTLED if state.result.ending else THROW_SETTLED
    reading = reading_of_call(ctx, state.dice)
    more = {**rulings, "reading": reading} if reading is not None else rulings
    return settle_throw(
        ctx,
        require_round(ctx),
        state,
        lambda data: type_(cast(ThrowSettled, {**data, **more})),
        newly_settled(state),
        dice=state.dice,
    )


@act(roles=MACHINES, depends_on="nothing")
def post_reading(
    ctx: TableContext,
    *,
    number: Annotated[int, whole(1, MAX_NUMBER)],
    dice: Dice,
    read_at: Moment,
    confidence: Annotated[int, whole(0, 100)],
    firmware: Annotated[str, text(40)],
) -> ActOutcome:
    """Take what a dice reader or an automated shaker read. The dealer confirms or enters.

    `number`: the reader's own number of the reading, which it never repeats. `confidence`: how sure it is, in percent.
    Only where the jurisdiction approves automatic results is a reading the call.
    """
    reading, entry = take_reading(
        ctx, number=number, dice=dice, read_at=read_at, confidence=confidence, firmware=firmware
    )
    answer = {"reading": number, "outcome": reading.outcome, "say": SAYS_OF_READING[reading.outcome]}
    if reading.outcome != "automatic":
        return ActOutcome(entry, answer, changes="nothing")
    ctx.extra_entries.append(entry)
    settled = _settle_call(ctx, ctx.game.call_dice(ctx.state, dice)[0], {})
    return replace(settled, answer={**settled.answer, **answer})


def read_face_rulings(params: Params, dice: int) -> FaceRulings:
    """Read how unclear faces were ruled on.

    `leaning`: the number of dice read by the face opposite to the one they lean on (§§ 577.5(f), 675a.4(c)).
    `disputed`: whether a face was disputed and decided (§ 577.5(g)).
    """
    leaning, disputed = params.integer("leaning", 0, dice, default=0), params.boolean("disputed")
    rulings: FaceRulings = {}
    if leaning:
        rulings["leaning"] = leaning
    if disputed:
        rulings["disputed"] = True
    return rulings


# Losers and winners


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def take_losers(ctx: TableContext) -> ActOutcome:
    """Record that all losing wagers were collected, before any winner is paid."""
    round_ = require_round(ctx)
    state, _ = ctx.game.take_losers(ctx.state)
    advance(ctx, state)
    return ActOutcome(
        LOSERS_TAKEN({"round": round_.number, "taken_cents": round_.taken_cents}),
        round_answer(round_),
        "phase",
    )


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def pay_seats(ctx: TableContext, *, seats: Seats = (), wager_code: Text = "") -> ActOutcome:
    """Record that winners were paid: at the named seats, or at all that are unpaid; with `wager`, only on that area.

    Only the last payment changes the phase, so that two payments may run at once. A list that was corrected since
    the screen was drawn is stale.
    """
    round_ = require_round(ctx)
    before = ctx.state
    state, paid = ctx.game.pay_seats(before, seats or None, wager_code)
    changes: Changes = "nothing" if state.phase == before.phase else "phase"
    advance(ctx, state)
    cents = sum(wager.paid_cents for wager in paid.settled)
    data: WinnersPaid = {"round": round_.number, "seats": list(paid.seats), "paid_cents": cents}
    if wager_code:
        data["wager"] = wager_code
    if held_cents := held_of_paid(round_, before, paid.settled):
        data["held_cents"] = held_cents
    return ActOutcome(WINNERS_PAID(data), round_answer(round_), changes)


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def settle_seats(ctx: TableContext, *, seats: Seats = ()) -> ActOutcome:
    """Settle the current step at the named seats, or at all that are left, in a game that settles in steps.

    Where dealers share the seats, each settles those of their own half, and all that are left are all of that half.
    Only the last seat of a step moves the round on, so that two dealers may each settle a side at once.
    """
    round_ = require_round(ctx)
    before = ctx.state
    named = seats_to_settle(ctx, seats, ctx.game.unsettled_seats(before))
    state, record = ctx.game.settle_seats(before, named)
    has_moved_on = (state.phase, state.step) != (before.phase, before.step)
    advance(ctx, state)
    data: SeatsSettled = {
        "round": round_.number,
        "throw": round_.last_throw,
        "seats": list(record.seats),
        "taken_cents": sum(wager.wager.cents for wager in record.settled if wager.outcome == LOSE),
        "paid_cents": sum(wager.paid_cents for wager in record.settled),
    }
    if held_cents := held_of_paid(round_, before, record.settled):
        data["held_cents"] = held_cents
    return ActOutcome(SEATS_SETTLED(data), round_answer(round_), "phase" if has_moved_on else "nothing")


@act(roles=AT_THE_TABLE, is_all_in_context=True)
def clear_layout(ctx: TableContext) -> ActOutcome:
    """Clear the lit combinations, which ends the round."""
    round_ = require_round(ctx)
    state, _ = ctx.game.clear_layout(ctx.state)
    advance(ctx, state)
    data: LayoutCleared = {
        "round": round_.number,
        "taken_cents": round_.taken_cents,
        "paid_cents": round_.paid_cents,
    }
    return ActOutcome(LAYOUT_CLEARED(data), round_answer(round_))


# Training: the machine throws


_system = secrets.SystemRandom()


class Draws:
    """Draws the dice of a throw. `draws` is the only instance; tests set its throws with `showing`."""

    def __init__(self) -> None:
        self._shown: Iterator[tuple[int, ...]] | None = None

    def dice(self, count: int, faces: int) -> tuple[int, ...]:
        """Draw `count` faces from 1 to `faces` with the system's randomness, in the order in which they are shown."""
        if self._shown is not None:
            return next(self._shown)
        return tuple(_system.randint(1, faces) for _ in range(count))

    @contextmanager
    def showing(self, *throws: Sequence[int]) -> Iterator[None]:
        """For tests: inside the block the throws of every thread show these faces, one throw after the other."""
        before, self._shown = self._shown, iter([tuple(dice) for dice in throws])
        try:
            yield
        finally:
            self._shown = before


draws = Draws()
showing = draws.showing


@act(roles=AT_THE_TABLE, witness=True, is_all_in_context=True)
def draw_dice(ctx: TableContext) -> ActOutcome:
    """Throw the dice of the next call at a training table. They stay until they are called, or called no roll."""
    if ctx.table.kind != Table.Kind.TRAINING:
        raise Refusal(DRAWS_ONLY_IN_TRAINING, table=ctx.table.code)
    round_ = require_round(ctx)
    dice = draws.dice(ctx.state.result.dice, ctx.game.faces)
    ctx.game.verify_call_dice(ctx.state, dice)
    if round_.drawn:
        raise Refusal(DICE_DRAWN_ALREADY, round=round_.number)
    ctx.change_round(drawn=list(dice))
    data: DiceDrawn = {"round": round_.number, "dice": list(dice), "by": "machine"}
    return ActOutcome(DICE_DRAWN(data), round_answer(round_), "phase")

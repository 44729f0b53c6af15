"""A game: what every game defines, and the acts that all games share, in the order of play.

A game of the catalog is a subclass. It defines which wagers exist, what a throw means for them, and the order of a
round. Each act is a pair: `verify_x` raises a Refusal, and `x` returns the new state and a record
(`games.engine.rounds`). The caller decides who may act, when and at which table, and asks for the witness that
`rules.witness("device-failure")` names.

The texts settle in one of two ways, and the moves of the procedure say which one a game follows: all losers and
then the winners (`take_losers`, `pay_seats`), or step by step and seat by seat (`settle_seats`).
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Any, Literal, NamedTuple

from games.engine import rounds
from games.engine.expectations import (
    RoundExpectation,
    Settle,
    SingleThrow,
    possible_throws,
    settled_expectation,
)
from games.engine.odds import Odds, Outcome, Pays, house_advantage, in_dollars
from games.engine.refusals import (
    BAD_AMOUNT,
    BAD_SEAT,
    CASH_WAGER,
    DICE_ARE_IN_VIEW,
    DICE_NOT_SEEN,
    DICE_UNCHANGED,
    DICE_WERE_TOSSED,
    FRACTION_OF_A_CENT,
    MORE_FACES_THAN_DICE,
    NO_DICE_YET,
    NO_LIVE_WAGER,
    NO_SUCH_FACE,
    NO_SUCH_PLAY,
    NO_SUCH_REASON,
    NO_SUCH_WAGER,
    NOT_AN_INCREMENT,
    NOT_NOW,
    NOT_PLAYER_ACTIVATED,
    NOTHING_PLACED,
    NOTHING_TO_PAY,
    NOTHING_TO_SETTLE,
    NOTHING_TO_STRIKE,
    PAYMENT_BEGUN,
    PLAY_NOT_ASKED,
    REASON_MISSING,
    ROUND_OVER,
    SEAT_PAID_ALREADY,
    SEAT_SETTLED_ALREADY,
    SETTLED_BEFORE,
    SHAKER_HAS_TOSSED,
    SHAKER_NOT_AUTOMATED,
    TOO_FEW_SHAKES,
    TOO_FEW_THROWS,
    TOO_MANY_THROWS,
    WAGER_UNCHANGED,
    WRONG_NUMBER_OF_DICE,
    Refusal,
)
from games.engine.rounds import (
    DUTY_OF,
    OUT_OF_TURN,
    GameView,
    OutOfTurn,
    Phase,
    Procedure,
    Result,
    RoundState,
    return_all,
    settled_of_void,
)
from games.engine.rules import Rules
from games.engine.wagers import (
    LOSE,
    MADE_IN,
    WIN,
    Fee,
    Placing,
    Reason,
    Settled,
    Wager,
    WagerType,
    apply_placings,
)

EXACT_STAKE_CENTS = 252_000  # wins whole cents at any odds
CORRECTIONS = frozenset({"correct_dice", "record_missed_wager", "strike_mistaken_wager"})
PHASES_WITH_DICE = frozenset({"ready", "lit", "taken", "paid"})  # in which the dice may have been seen
TOSSED_PHASES = frozenset({"shaken", "ready"})  # the dice were tossed, and are not called yet

PaperThrow = Sequence[int] | Mapping[str, str]  # faces, or {"void": reason}


class Step(NamedTuple):
    """One step of the ribbon, named by its duty. `status` is "done", "now", "next", or "off" in a round cut short."""

    code: str
    status: str
    section: str


class NextAct(NamedTuple):
    """The next act of the round, and the section that requires it."""

    act: str
    section: str


PostCode = Literal["dealer", "dealer-left", "stick"]
# Colors in which a guide can draw dice (games/office/guides/pdf.py, static/css/patrons.css)
DieColor = Literal["amber", "black", "blue", "green", "purple", "red", "white"]


class PostAct(NamedTuple):
    """The posts at which an act is done, and the duty whose section gives it to them."""

    posts: tuple[PostCode, ...]
    duty: str


class Game:
    """One game. A subclass defines the questions; the acts are the same for all."""

    code = ""
    name = ""
    faces = 6  # shared screens and the dice watch know six faces only
    posts: tuple[PostCode, ...] = ("dealer",)  # who works the table; the last post has the dice
    post_acts: Mapping[str, PostAct] = {}  # acts that only the people at some posts do
    keeps_seats = False  # whether a player keeps the seat through rounds without a wager
    seats = 8  # places of a table, if its edition names no number
    has_plays = False  # whether there are wagers on single plays of a round
    die_colors: tuple[DieColor, ...] = ()  # of each die in the order of entry, if the dice differ
    fee: Fee | None = None  # a price that is collected before the throw and never wins
    # Steps of the hands before the dice. No money moves in them and nobody decides, so what follows is known.
    hand_acts: frozenset[str] = frozenset({"no_more_bets", "shake"})
    no_roll_ends = False  # whether a void throw ends the round; if not, the dice are thrown again (A12, A33)
    round_keys: frozenset[str] = frozenset()  # further keys of a line for `adjudicate`
    wager_keys: frozenset[str] = frozenset()
    duties: Mapping[str, str] = DUTY_OF  # the duty that each act fulfills
    out_of_turn: OutOfTurn = OUT_OF_TURN

    # Each game defines these

    def wager_types(self, rules: Rules) -> tuple[WagerType, ...]:
        """Return every wager of the edition, in the order of the regulation's list."""
        raise NotImplementedError

    def possible_odds(self, rules: Rules, code: str) -> tuple[Pays, ...]:
        """Return everything that a wager may be paid."""
        raise NotImplementedError

    def result(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Result:
        """Return what the valid throws so far decide, and whether another throw follows and with how many dice."""
        raise NotImplementedError

    def winning_codes(
        self, rules: Rules, throws: Sequence[Sequence[int]], ending: str = ""
    ) -> tuple[str, ...]:
        """Return the codes for which the newest throw wins, in the order of the list.

        With `ending`, also the codes that win at the end of the round.
        """
        raise NotImplementedError

    def announcement(self, throws: Sequence[Sequence[int]]) -> Reason:
        """Return the result of the newest throw, as the dealer announces it after the faces."""
        raise NotImplementedError

    def outcomes(self, rules: Rules) -> Mapping[str, tuple[Outcome, ...]]:
        """Return the payouts of every code, each with the exact probability of being paid."""
        raise NotImplementedError

    def procedure(self, state: RoundState) -> Procedure:
        """Return the order of steps that this round follows."""
        raise NotImplementedError

    # These have a default that fits most games

    def advantage(self, rules: Rules, code: str, outcomes: Sequence[Outcome]) -> Fraction:
        """Return the house advantage of a code, from its `outcomes`: what the house keeps of each unit staked."""
        return house_advantage(outcomes)

    def wins_by_way(
        self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
    ) -> list[tuple[int, int]] | None:
        """Return each win of the house in cents that these wagers may bring, with its ways among all dice to come.

        `throws` are the valid throws so far. None for a game that one throw decides, whose throws can be listed.
        """
        return None

    def round_expectation(
        self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]] = ()
    ) -> RoundExpectation | None:
        """Return what these wagers win for the house, before the dice are known, and how far that varies.

        `throws` are the valid throws so far. Only a game with plays needs them, for the position of each play. None for
        a game that its first throw does not decide and that does not define this method. KeyError for an unknown code.
        """
        limit_cents = rules.payout_limit_cents
        chances = _single_throw(
            self, rules if limit_cents is None else replace(rules, payout_limit_cents=None)
        )
        if chances is None:
            return None
        if limit_cents is None:
            return chances.expectation(wagers)
        return settled_expectation(_throws_of(self, rules), wagers, _settle_with(self, rules))

    def verify_layout(self, rules: Rules, wagers: Sequence[Wager]) -> None:
        """Refuse wagers that may not be made together, once the layout is complete: at no more bets, and in a
        correction. Most games have no such rule.
        """

    def verify_amounts(self, rules: Rules, wagers: Sequence[Wager]) -> None:
        """Refuse wagers whose amounts may not be made together, while bets are open. What a later wager may still
        complete is left to `verify_layout`.
        """

    def verify_play(self, rules: Rules, code: str, play: int | None) -> None:
        """Raise `play-not-asked` for a wager that names a play but is not made on a single play."""
        if play is not None:
            raise Refusal(PLAY_NOT_ASKED, rules.section("placement"), code=code)

    def verify_plays(self, rules: Rules, wagers: Sequence[Wager], result: Result) -> None:
        """Raise `no-such-play` for a wager on a play that was never made."""
        decided = {settled.wager.key for settled in result.settled}
        for wager in wagers:
            if wager.key not in decided:
                raise Refusal(NO_SUCH_PLAY, rules.section("single-play"), play=wager.play, code=wager.code)

    def verify_open_for(self, state: RoundState, placing: Placing) -> None:
        """Refuse a wager that may not be made or changed now, even if others may. Most games have no such rule."""

    def next_quarterback(self, state: RoundState) -> tuple[int | None, int | None]:
        """Return two seats, if players throw: who has the dice in the next round, and who was offered them last."""
        return None, None

    def step_code(self, state: RoundState, step: int) -> str:
        """Return the name of a step of the settlement: a key of STEP_LABELS."""
        return "settle"

    def step_section(self, state: RoundState, step: int) -> str:
        """Return the paragraph of a step of the settlement."""
        return state.rules.section("settlement")

    def throw_section(self, rules: Rules, throws: Sequence[Sequence[int]]) -> str:
        """Return the paragraph of the throw that follows these."""
        return rules.section("call-dice")

    def undecided(self, state: RoundState) -> tuple[Wager, ...]:
        """Return wagers that the newest throw leaves on the layout, if the dealer's list shows them while settling."""
        return ()

    def after_settling(self, state: RoundState) -> Phase:
        """Return the phase that follows once the newest throw is settled, in a game that settles in steps."""
        return "paid"

    def settling_post(self, seat: int) -> PostCode | None:
        """Return the post that settles a seat, in a game whose dealers share the seats."""
        return None

    def view(self, state: RoundState) -> GameView:
        """Return what only this game's screens show of a round, ready for JSON (`docs/architecture.md`)."""
        return {}

    def full_name(self, dice: int) -> str:
        """Return the name as people say it, with the number of dice if that tells two variations apart."""
        return self.name

    def is_single_play(self, code: str) -> bool:
        """Return whether a code is made on a single play. Most games have no plays."""
        return False

    def is_limited(self, code: str) -> bool:
        """Return whether the table's minimum and maximum apply to a code."""
        return True

    def is_fee(self, code: str) -> bool:
        """Return whether a code is the game's fee. Most games have none."""
        return self.fee is not None and code == self.fee.code

    def arranged(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Return the dice as they are shown and compared: low to high, unless each die has its own place."""
        return tuple(sorted(dice))

    # Opening and reading a round

    def open_round(
        self,
        rules: Rules,
        shaker: str | None = None,
        quarterback: int | None = None,
        offered: int | None = None,
        seated: Iterable[int] = (),
        absent: Iterable[int] = (),
    ) -> RoundState:
        """Return a round before its first act, with what `next_quarterback` gave it. Raises `shaker-not-allowed`."""
        kind = rules.shaker(shaker or rules.edition.default_shaker)
        return RoundState(
            self,
            rules,
            kind.code,
            quarterback=quarterback,
            offered=offered,
            seated=frozenset(seated),
            absent=frozenset(absent),
        )

    def restore(
        self,
        rules: Rules,
        shaker: str,
        phase: Phase,
        wagers: Iterable[Wager] = (),
        throws: Iterable[Sequence[int]] = (),
        paid_seats: Iterable[int] = (),
        **fields: Any,
    ) -> RoundState:
        """Return a round from its stored parts. Trusts its caller and checks nothing."""
        faces = tuple(tuple(dice) for dice in throws)
        return RoundState(self, rules, shaker, phase, tuple(wagers), faces, frozenset(paid_seats), **fields)

    def steps(self, state: RoundState) -> tuple[Step, ...]:
        """Return the ribbon, with each step's section."""
        procedure = state.procedure
        return _steps(procedure.ribbon, procedure.steps_done.get(state.phase), state.rules, state.shaker)

    def next_act(self, state: RoundState) -> NextAct | None:
        """Return the act that comes next, None once the round has ended."""
        act = state.procedure.next_act.get(state.phase)
        return NextAct(act, self._section(state, act)) if act else None

    def course_to_dice(self, state: RoundState) -> tuple[tuple[RoundState, NextAct], ...]:
        """Return the coming acts up to the call of the dice, each with the state before it, if nothing else happens.

        It ends before an act that moves money or in which somebody decides: what comes after that is not known yet.
        """
        course: list[tuple[RoundState, NextAct]] = []
        coming = self.next_act(state)
        while coming is not None and coming.act in self.hand_acts:
            course.append((state, coming))
            state = self.replay(state, coming.act)
            coming = self.next_act(state)
        if coming is not None and coming.act == "call_dice":
            course.append((state, coming))
        return tuple(course)

    def legal_acts(self, state: RoundState) -> set[str]:
        """Return the acts that this phase allows; corrections only until the first payment."""
        acts = {act for phase, act in state.procedure.moves if phase == state.phase}
        if not state.throws:
            acts.discard("correct_dice")
        return acts - CORRECTIONS if state.money_moved else acts

    def wager_type(self, rules: Rules, code: str) -> WagerType:
        """Return one wager by its code. Raises `no-such-wager`."""
        wager_type = _wager_types_by_code(self, rules.edition).get(code) if isinstance(code, str) else None
        if wager_type is None:
            raise Refusal(NO_SUCH_WAGER, rules.section("wagers"), code=str(code)[:40])
        return wager_type

    def lit_codes(self, state: RoundState) -> tuple[str, ...]:
        """Return the codes that the layout shows as winners of the newest throw."""
        if not state.throws:
            return ()
        return self.winning_codes(state.rules, state.throws, state.result.ending)

    def losers(self, state: RoundState) -> tuple[Settled, ...]:
        """Return the wagers that lose by the newest throw."""
        return tuple(settled for settled in state.of_newest_throw if settled.outcome == LOSE)

    def winners(self, state: RoundState) -> tuple[Settled, ...]:
        """Return the wagers that win by the newest throw."""
        return tuple(settled for settled in state.of_newest_throw if settled.outcome == WIN)

    def unpaid_seats(self, state: RoundState) -> tuple[int, ...]:
        """Return the seats that are still owed a payment, lowest first."""
        return tuple(sorted({settled.wager.seat for settled in self.winners(state)} - state.paid_seats))

    def current_step(self, state: RoundState) -> tuple[Settled, ...]:
        """Return what the current step settles, in its order; () if nothing decided is left to settle."""
        due = [settled for settled in state.of_newest_throw if settled.step > state.step]
        first_step = min((settled.step for settled in due), default=0)
        return tuple(settled for settled in due if settled.step == first_step)

    def unsettled_seats(self, state: RoundState) -> tuple[int, ...]:
        """Return the seats that the current step has yet to settle, lowest first."""
        return tuple(sorted({settled.wager.seat for settled in self.current_step(state)} - state.paid_seats))

    # Placing wagers and closing the bets

    def verify_amount(self, rules: Rules, code: str, cents: int) -> None:
        """Raise `no-such-wager` or `bad-amount`. Nothing else is required of a stake in a round that is over."""
        self.wager_type(rules, code)
        if type(cents) is not int or cents < 1:
            raise Refusal(BAD_AMOUNT, rules.section("placement"), cents=str(cents)[:40])

    def verify_stake(self, rules: Rules, code: str, cents: int) -> None:
        """Raise what `verify_amount` raises, or `fraction-of-a-cent` if a payout could not be exact."""
        self.verify_amount(rules, code, cents)
        for odds in self.possible_odds(rules, code):
            if odds.splits(cents):
                section = rules.section("increments") or rules.section("odds")
                raise Refusal(FRACTION_OF_A_CENT, section, cents=cents, odds=str(odds))

    def verify_increment(self, rules: Rules, code: str, cents: int) -> None:
        """Raise `not-an-increment` for a stake that the submission's increments do not allow: § 521.7(d).

        Checked when a wager is placed. A wager that was on the layout at "no more bets" is recorded and settled as
        it is.
        """
        step = rules.increment(self.wager_type(rules, code).family)
        if cents % step:
            section = rules.section("increments") or rules.section("odds")
            raise Refusal(NOT_AN_INCREMENT, section, cents=cents, step=in_dollars(step), wager=code)

    def verify_placing(self, rules: Rules, placing: Placing) -> None:
        """Check one line of what a dealer enters. Raises `cash-wager`, `bad-seat` and what `verify_stake` raises."""
        self.wager_type(rules, placing.code)
        self.verify_play(rules, placing.code, placing.play)
        if placing.made_in not in MADE_IN:
            raise Refusal(CASH_WAGER, rules.section("verbal-cash"), made_in=str(placing.made_in)[:40])
        if type(placing.seat) is not int or placing.seat < 1:
            raise Refusal(BAD_SEAT, rules.section("placement"), seat=str(placing.seat)[:40])
        if placing.cents != 0 or type(placing.cents) is not int:
            self.verify_stake(rules, placing.code, placing.cents)

    def verify_place_wagers(self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]) -> None:
        """Raise `bets-closed`, `nothing-placed`, and what `verify_placing`, `verify_increment` and `verify_amounts`
        raise.

        One refused line refuses them all.
        """
        self._phase_after(state, "place_wagers")
        lines = [Placing(*line) for line in placings]
        if not lines:
            raise Refusal(NOTHING_PLACED, state.rules.section("placement"))
        for line in lines:
            self.verify_placing(state.rules, line)
            self.verify_increment(state.rules, line.code, line.cents)
            self.verify_open_for(state, line)
        self.verify_amounts(state.rules, apply_placings(state.wagers, lines)[0])

    def place_wagers(
        self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]
    ) -> tuple[RoundState, rounds.WagersPlaced]:
        """Set totals: (seat, code, cents, made_in, play) each. 0 cents removes a wager."""
        lines = tuple(Placing(*line) for line in placings)
        self.verify_place_wagers(state, lines)
        wagers, before = apply_placings(state.wagers, lines)
        record = rounds.WagersPlaced(lines, before, self._section(state, "place_wagers"))
        return replace(state, wagers=wagers), record

    def verify_no_more_bets(self, state: RoundState) -> None:
        """Raise `bets-closed-already`, `not-shaken` if the shake comes first, and what `verify_layout` raises."""
        self._phase_after(state, "no_more_bets")
        self.verify_layout(state.rules, state.wagers)

    def no_more_bets(self, state: RoundState) -> tuple[RoundState, rounds.BetsClosed]:
        """Close the bets."""
        self.verify_no_more_bets(state)
        phase = self._phase_after(state, "no_more_bets")
        record = rounds.BetsClosed(self._section(state, "no_more_bets"))
        return self._skip_empty_phases(replace(state, phase=phase)), record

    # The shake and the throw

    def verify_shake(self, state: RoundState, times: int = 3, by_seat: int | None = None) -> None:
        """Raise `bets-still-open`, `shaken-already`, `too-few-shakes`, `not-player-activated`, or `no-live-wager`."""
        self._phase_after(state, "shake")
        kind, section = state.rules.shaker(state.shaker), self._section(state, "shake")
        if times < kind.shakes_least:
            raise Refusal(TOO_FEW_SHAKES, section, times=times, least=kind.shakes_least)
        if by_seat is not None and not kind.by_player:
            raise Refusal(NOT_PLAYER_ACTIVATED, section, seat=by_seat)
        if by_seat is not None and by_seat not in {wager.seat for wager in state.wagers}:
            raise Refusal(NO_LIVE_WAGER, section, seat=by_seat)

    def shake(
        self, state: RoundState, times: int = 3, by_seat: int | None = None
    ) -> tuple[RoundState, rounds.DiceShaken]:
        """Shake: a manual shaker at least three times. `by_seat` is the player who activated a player-activated
        one.
        """
        self.verify_shake(state, times, by_seat)
        record = rounds.DiceShaken(times, by_seat, self._section(state, "shake"))
        return replace(state, phase=self._phase_after(state, "shake")), record

    def verify_dice(self, rules: Rules, dice: Sequence[int], needed: int | None = None) -> tuple[int, ...]:
        """Return the faces as a tuple. Raises `wrong-number-of-dice` or `no-such-face`."""
        section, faces = rules.section("call-dice"), tuple(dice)
        needed = rules.edition.dice if needed is None else needed
        if len(faces) != needed:
            raise Refusal(WRONG_NUMBER_OF_DICE, section, given=len(faces), needed=needed)
        for face in faces:
            if type(face) is not int or not 1 <= face <= self.faces:
                raise Refusal(NO_SUCH_FACE, section, face=str(face)[:40], faces=self.faces)
        return faces

    def verify_call_dice(self, state: RoundState, dice: Sequence[int]) -> None:
        """Raise `bets-still-open`, `not-shaken`, `dice-called-already`, or what `verify_dice` raises."""
        self._phase_after(state, "call_dice")
        self.verify_dice(state.rules, dice, state.result.dice)

    def call_dice(self, state: RoundState, dice: Sequence[int]) -> tuple[RoundState, rounds.DiceCalled]:
        """Record the dice: uncovered, announced and entered. The layout lights, and these faces settle the round."""
        self.verify_call_dice(state, dice)
        after = replace(
            state, throws=(*state.throws, tuple(dice)), phase=self._phase_after(state, "call_dice")
        )
        record = rounds.DiceCalled(tuple(dice), self.lit_codes(after), self._section(state, "call_dice"))
        return self._skip_empty_phases(after), record

    def verify_call_no_roll(self, state: RoundState, reason: str = "") -> None:
        """Raise `bets-still-open`, `not-shaken`, `dice-called-already`, or `no-such-reason` for an unlisted one."""
        self._phase_after(state, "call_no_roll")
        listed = state.rules.edition.no_rolls
        if listed and reason not in listed:
            raise Refusal(NO_SUCH_REASON, self._section(state, "call_no_roll"), reason=reason[:40])

    def verify_faces_read(self, state: RoundState, faces: Sequence[int]) -> None:
        """Check the faces that could be read of a throw that does not count: as many as the dice thrown, or fewer.

        Raises `more-faces-than-dice` or `no-such-face`.
        """
        thrown = state.result.dice
        if len(faces) > thrown:
            section = self._section(state, "call_no_roll")
            raise Refusal(MORE_FACES_THAN_DICE, section, given=len(faces), thrown=thrown)
        self.verify_dice(state.rules, faces, len(faces))

    def call_no_roll(self, state: RoundState, reason: str = "") -> tuple[RoundState, rounds.NoRollCalled]:
        """Make the throw void.

        With `no_roll_ends` the round ends and every wager goes back (A12). Otherwise wagers stay and the dice are
        thrown again (A33); then the edition lists the reasons.
        """
        self.verify_call_no_roll(state, reason)
        phase = self._phase_after(state, "call_no_roll")
        after = replace(state, phase=phase, void_throws=state.void_throws + 1)
        section = state.rules.edition.no_rolls.get(reason) or self._section(state, "call_no_roll")
        if self.no_roll_ends:
            ended = replace(after, returned_for="no-roll")
            return ended, rounds.NoRollCalled(reason, ended.settled, section)
        return self._skip_empty_phases(after), rounds.NoRollCalled(reason, (), section)

    # Settling in a game that collects every losing wager before it pays a winning one

    def verify_take_losers(self, state: RoundState) -> None:
        """Raise `not-lit` or `losers-taken-already`."""
        self._phase_after(state, "take_losers")

    def take_losers(self, state: RoundState) -> tuple[RoundState, rounds.LosersTaken]:
        """Collect every losing wager."""
        phase = self._phase_after(state, "take_losers")
        record = rounds.LosersTaken(self.losers(state), self._section(state, "take_losers"))
        return self._skip_empty_phases(replace(state, phase=phase)), record

    def verify_pay_seats(self, state: RoundState, seats: Iterable[int] | None = None, code: str = "") -> None:
        """Raise `not-lit`, `losers-not-taken`, `seat-paid-already`, or `nothing-to-pay`.

        With a `code`, only the winning wagers on that code are paid.
        """
        self._phase_after(state, "pay_seats")
        section, unpaid = self._section(state, "pay_seats"), self._unpaid_seats_of(state, code)
        seats = unpaid if seats is None else tuple(seats)
        for seat in seats:
            if seat in state.paid_seats or (seat, code) in state.paid_areas:
                raise Refusal(SEAT_PAID_ALREADY, section, seat=seat)
        if not seats or not set(seats) <= set(unpaid):
            raise Refusal(NOTHING_TO_PAY, section)

    def pay_seats(
        self, state: RoundState, seats: Iterable[int] | None = None, code: str = ""
    ) -> tuple[RoundState, rounds.SeatsPaid]:
        """Pay every winning wager of these seats, or of all unpaid seats; with a `code`, only those on that code.

        A seat is paid once all its winning wagers are. Paying the last seat ends the paying.
        """
        seats = self._unpaid_seats_of(state, code) if seats is None else tuple(sorted(set(seats)))
        self.verify_pay_seats(state, seats, code)
        unpaid = self.unpaid_winners(state)
        settled = tuple(
            winner for winner in unpaid if winner.wager.seat in seats and code in ("", winner.wager.code)
        )
        record = rounds.SeatsPaid(seats, settled, self._section(state, "pay_seats"))
        return self._skip_empty_phases(self.with_paid(state, settled)), record

    def unpaid_winners(self, state: RoundState) -> tuple[Settled, ...]:
        """Return the winning wagers of the newest throw that are still to be paid, in the order of settlement."""
        return tuple(
            winner
            for winner in self.winners(state)
            if winner.wager.seat not in state.paid_seats
            and (winner.wager.seat, winner.wager.code) not in state.paid_areas
        )

    def with_paid(self, state: RoundState, settled: Iterable[Settled]) -> RoundState:
        """Return the round with these wagers paid, in the same phase."""
        areas = state.paid_areas | {(line.wager.seat, line.wager.code) for line in settled}
        seats = {seat for seat, _ in areas}
        owed = {
            line.wager.seat for line in self.winners(state) if (line.wager.seat, line.wager.code) not in areas
        }
        return replace(
            state,
            paid_seats=state.paid_seats | (seats - owed),
            paid_areas=frozenset(area for area in areas if area[0] in owed),
        )

    def _unpaid_seats_of(self, state: RoundState, code: str) -> tuple[int, ...]:
        if not code:
            return self.unpaid_seats(state)
        winners = self.unpaid_winners(state)
        return tuple(sorted({winner.wager.seat for winner in winners if winner.wager.code == code}))

    # Settling losers and winners together, step by step, and seat by seat within each step

    def verify_settle_seats(self, state: RoundState, seats: Iterable[int] | None = None) -> None:
        """Raise `not-lit`, `seat-settled-already`, or `nothing-to-settle`."""
        self._phase_after(state, "settle_seats")
        section, unsettled = self._section(state, "settle_seats"), self.unsettled_seats(state)
        seats = unsettled if seats is None else tuple(seats)
        for seat in seats:
            if seat in state.paid_seats:
                raise Refusal(SEAT_SETTLED_ALREADY, section, seat=seat)
        if not seats or not set(seats) <= set(unsettled):
            raise Refusal(NOTHING_TO_SETTLE, section)

    def settle_seats(
        self, state: RoundState, seats: Iterable[int] | None = None
    ) -> tuple[RoundState, rounds.SeatsSettled]:
        """Take and pay the current step at these seats, or at all unsettled ones. The last seat ends the step."""
        seats = self.unsettled_seats(state) if seats is None else tuple(sorted(set(seats)))
        self.verify_settle_seats(state, seats)
        step = self.current_step(state)
        settled = tuple(line for line in step if line.wager.seat in seats)
        settled_seats = state.paid_seats.union(seats)
        if {line.wager.seat for line in step} <= settled_seats:
            after = replace(state, step=step[0].step, paid_seats=frozenset())
        else:
            after = replace(state, paid_seats=settled_seats)
        record = rounds.SeatsSettled(seats, settled, self._section(state, "settle_seats"))
        return self._skip_empty_phases(after), record

    # Clearing the layout

    def verify_clear_layout(self, state: RoundState) -> None:
        """Raise `losers-not-taken`, `winners-not-paid`, or `not-now`."""
        self._phase_after(state, "clear_layout")

    def clear_layout(self, state: RoundState) -> tuple[RoundState, rounds.LayoutCleared]:
        """End the round."""
        phase = self._phase_after(state, "clear_layout")
        return replace(state, phase=phase), rounds.LayoutCleared(self._section(state, "clear_layout"))

    # Voiding a round before its dice are called, and corrections before its first payment

    def verify_void_round(self, state: RoundState, reason: str) -> None:
        """Raise `dice-called-already`, or `reason-missing`. A settled round is never undone here."""
        self._phase_after(state, "void_round")
        if not reason.strip():
            raise Refusal(REASON_MISSING, self._section(state, "void_round"))

    def void_round(self, state: RoundState, reason: str) -> tuple[RoundState, rounds.RoundVoided]:
        """End a round before its dice are entered, by decision of the facility. Every wager goes back (reading
        A47).
        """
        self.verify_void_round(state, reason)
        void = replace(state, phase="void", returned_for="void")
        return void, rounds.RoundVoided(reason, void.settled, self._section(state, "void_round"))

    def verify_correct_dice(self, state: RoundState, dice: Sequence[int], reason: str = "") -> None:
        """Raise `no-dice-yet`, `payment-begun`, `dice-unchanged`, or what `verify_dice` raises."""
        self._verify_correctable(state, "correct_dice")
        if not state.throws:
            raise Refusal(NO_DICE_YET, self._section(state, "correct_dice"))
        faces = self.verify_dice(state.rules, dice, len(state.dice))
        if self.arranged(faces) == self.arranged(state.dice):
            raise Refusal(DICE_UNCHANGED, self._section(state, "correct_dice"))

    def correct_dice(
        self, state: RoundState, dice: Sequence[int], reason: str = ""
    ) -> tuple[RoundState, rounds.DiceCorrected]:
        """Replace faces that were entered wrong: the layout lights again, and the losers are taken again."""
        self.verify_correct_dice(state, dice)
        section, throws = self._section(state, "correct_dice"), (*state.throws[:-1], tuple(dice))
        after = replace(state, throws=throws, phase=self._phase_after(state, "correct_dice"))
        record = rounds.DiceCorrected(tuple(dice), state.dice, self.lit_codes(after), reason, section)
        return self._skip_empty_phases(after), record

    def verify_record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> None:
        """Raise `bets-still-open`, `payment-begun`, `wager-unchanged`, `settled-before`, or what placing it raises."""
        self._verify_correctable(state, "record_missed_wager")
        line = Placing(*placing)
        self.verify_placing(state.rules, line)
        self.verify_stake(state.rules, line.code, line.cents)
        wagers, before = apply_placings(state.wagers, [line])
        if before == (line.cents,):
            raise Refusal(WAGER_UNCHANGED, self._section(state, "record_missed_wager"), cents=line.cents)
        self.verify_layout(state.rules, wagers)
        self._verify_undecided(state, wagers, line.key)

    def record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> tuple[RoundState, rounds.MissedWagerRecorded]:
        """Record a total that was on the layout at "no more bets" and was not entered. It settles with the others."""
        self.verify_record_missed_wager(state, placing)
        line = Placing(*placing)
        wagers, before = apply_placings(state.wagers, [line])
        after = replace(state, wagers=wagers, phase=self._phase_after(state, "record_missed_wager"))
        after = self._reopen(after, set(wagers) - set(state.wagers))
        section = self._section(state, "record_missed_wager")
        return self._skip_empty_phases(after), rounds.MissedWagerRecorded(line, before[0], reason, section)

    def verify_strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> None:
        """Raise `bets-still-open`, `payment-begun`, `nothing-to-strike`, `settled-before`, or `verify_layout`'s."""
        self._verify_correctable(state, "strike_mistaken_wager")
        remaining = tuple(wager for wager in state.wagers if wager.key != (seat, code, play))
        if len(remaining) == len(state.wagers):
            section = self._section(state, "strike_mistaken_wager")
            raise Refusal(NOTHING_TO_STRIKE, section, seat=seat, code=code)
        self._verify_undecided(state, state.wagers, (seat, code, play))
        self.verify_layout(state.rules, remaining)

    def strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> tuple[RoundState, rounds.MistakenWagerStruck]:
        """Strike a wager that was entered but never was on the layout."""
        self.verify_strike_mistaken_wager(state, seat, code, play)
        struck = next(wager for wager in state.wagers if wager.key == (seat, code, play))
        remaining = tuple(wager for wager in state.wagers if wager is not struck)
        after = replace(state, wagers=remaining, phase=self._phase_after(state, "strike_mistaken_wager"))
        section = self._section(state, "strike_mistaken_wager")
        return self._skip_empty_phases(after), rounds.MistakenWagerStruck(struck, reason, section)

    def _verify_correctable(self, state: RoundState, act: str) -> None:
        """Refuse a correction after the first payment: N.J.A.C. 19:47-9.5(e), 58 Pa. Code §§ 539.5(e), 625a.5(e)."""
        self._phase_after(state, act)
        if state.money_moved:
            raise Refusal(PAYMENT_BEGUN, self._section(state, "pay_seats"))

    def _verify_undecided(
        self, state: RoundState, wagers: tuple[Wager, ...], key: tuple[int, str, int | None]
    ) -> None:
        """Raise `settled-before` for a wager that a throw before the newest one decides."""
        earlier = self.result(state.rules, wagers, state.throws[:-1]).settled if state.throws else ()
        if any(settled.wager.key == key for settled in earlier):
            raise Refusal(SETTLED_BEFORE, self._section(state, "record_missed_wager"), code=key[1])

    def _reopen(self, state: RoundState, added: Collection[Wager]) -> RoundState:
        """Return the round in the phase to which wagers recorded after "no more bets" lead it back.

        If a loser is on the layout again, losers are taken again.
        """
        adds_loser = state.phase == "taken" and any(settled.wager in added for settled in self.losers(state))
        return replace(state, phase="lit") if adds_loser else state

    # Failures (reading A14): once an automated shaker has tossed the dice, covered or not, or a manual one is
    # uncovered, the round is settled manually. Before that it is void.

    def is_tossed(self, state: RoundState) -> bool:
        """Return whether an automated shaker has tossed dice that nobody has called yet."""
        return state.phase in TOSSED_PHASES and state.rules.shaker(state.shaker).automated

    def is_in_view(self, state: RoundState) -> bool:
        """Return whether everybody may see dice that were tossed and that nobody has called yet."""
        return state.phase in TOSSED_PHASES and state.rules.shaker(state.shaker).in_view

    def verify_report_device_failure(self, state: RoundState, dice: Sequence[int] | None = None) -> None:
        """Raise `dice-are-in-view`, `dice-were-tossed`, `dice-not-seen`, `round-over`, or what `verify_dice`
        raises.
        """
        faces = state.dice or dice
        self._phase_after(state, "settle_manually" if state.dice else "report_device_failure")
        section = self._section(state, "report_device_failure")
        if faces and state.phase not in PHASES_WITH_DICE and not self.is_tossed(state):
            raise Refusal(DICE_NOT_SEEN, section)
        if not faces and self.is_tossed(state):
            raise Refusal(DICE_ARE_IN_VIEW if self.is_in_view(state) else DICE_WERE_TOSSED, section)
        if dice is not None:
            self.verify_dice(state.rules, dice, state.result.dice or len(state.dice))

    def report_device_failure(
        self, state: RoundState, dice: Sequence[int] | None = None
    ) -> tuple[RoundState, rounds.DeviceFailed]:
        """Settle the round manually before the witness if the dice were seen (in `dice`, or called before).

        The faces of a covered automated shaker are read once it is uncovered. Otherwise the round is void and every
        wager goes back. Dice that were called already stay; `correct_dice` corrects them.
        """
        self.verify_report_device_failure(state, dice)
        section, faces = self._section(state, "report_device_failure"), state.dice or tuple(dice or ())
        if faces:
            after = replace(
                state,
                throws=state.throws or (faces,),
                manual_settlement=True,
                phase=self._phase_after(state, "settle_manually"),
            )
            witness = state.rules.witness("device-failure")
            return self._skip_empty_phases(after), rounds.DeviceFailed(faces, witness, (), section)
        void = replace(state, phase="void", returned_for="device-failed")
        return void, rounds.DeviceFailed(None, None, void.settled, state.rules.section("void"))

    def verify_report_shaker_failure(self, state: RoundState) -> None:
        """Raise `shaker-not-automated`, `shaker-not-started`, `shaker-has-tossed`, or `dice-called-already`.

        Dice in view are a result: the wagers that they decide do not go back because the shaker is said to have
        failed.
        """
        if not state.rules.shaker(state.shaker).automated:
            raise Refusal(SHAKER_NOT_AUTOMATED, self._section(state, "report_shaker_failure"))
        self._phase_after(state, "report_shaker_failure")
        if self.is_in_view(state):
            raise Refusal(SHAKER_HAS_TOSSED, self._section(state, "report_shaker_failure"))

    def report_shaker_failure(self, state: RoundState) -> tuple[RoundState, rounds.ShakerFailed]:
        """Void the round because an automated shaker failed: every wager goes back (§§ 539.7(c), 625a.7(c))."""
        self.verify_report_shaker_failure(state)
        void = replace(state, phase="void", returned_for="shaker-failed")
        return void, rounds.ShakerFailed(void.settled, self._section(state, "report_shaker_failure"))

    # A finished round on paper, and a round from its record

    def adjudicate(
        self, rules: Rules, throws: Sequence[PaperThrow], wagers: Sequence[Wager], voided: str | None = None
    ) -> tuple[str, tuple[Settled, ...]]:
        """Return the end of a round with all its throws, and its wagers in the order of the input.

        A round that is voided between two throws keeps what they decided, and the rest goes back with a fee already
        paid, as on the floor. Voided before its first throw or after its last one, it returns every wager.

        Raises `too-many-throws`, `too-few-throws`, and what `verify_dice` and `verify_layout` raise.
        """
        self.verify_layout(rules, wagers)
        valid: list[tuple[int, ...]] = []
        staked = wagers if voided is None else _without_split_cents(rules, wagers)
        result, no_roll = self.result(rules, staked, valid), False
        for throw in throws:
            if result.ending or no_roll:
                raise Refusal(TOO_MANY_THROWS, self.throw_section(rules, valid))
            if isinstance(throw, Mapping):
                no_roll = self.no_roll_ends
                continue
            valid.append(self.verify_dice(rules, throw, result.dice))
            result = self.result(rules, staked, valid)
        if voided is not None and (result.ending or not valid):
            return "void", return_all(rules, wagers, "void")
        if voided is not None:
            return "void", _in_order_of(wagers, settled_of_void(self, rules, wagers, valid, "void"))
        if no_roll:
            return "no-roll", return_all(rules, wagers, "no-roll")
        if not result.ending:
            raise Refusal(TOO_FEW_THROWS, self.throw_section(rules, valid))
        self.verify_plays(rules, wagers, result)
        return result.ending, result.settled

    def replay(self, state: RoundState, act: str, **changes: Any) -> RoundState:
        """Return the round after a recorded act, with its changes; verifies nothing.

        An act that the moves do not have in this phase leaves the phase as it is.
        """
        phase = state.procedure.moves.get((state.phase, act), state.phase)
        after = replace(state, phase=phase, **changes)
        if act == "record_missed_wager":
            after = self._reopen(after, set(after.wagers) - set(state.wagers))
        return self._skip_empty_phases(after)

    # Phases

    def _phase_after(self, state: RoundState, act: str) -> Phase:
        """Return the phase to which an act leads. Refuses an act that is out of turn."""
        phase = state.procedure.moves.get((state.phase, act))
        if phase is not None:
            return phase
        if state.ended:
            raise Refusal(ROUND_OVER, phase=state.phase)
        refusal = self.out_of_turn.get((act, state.phase)) or self.out_of_turn.get((act, ""))
        if refusal is None:
            raise Refusal(NOT_NOW, self._section(state, act), act=act, phase=state.phase)
        raise Refusal(refusal[0], state.rules.section(refusal[1], state.shaker), phase=state.phase)

    def _skip_empty_phases(self, state: RoundState) -> RoundState:
        """Return the round past the phases that have nothing to do.

        No losers skips `lit` to `taken`, nobody left to pay skips `taken` to `paid`. In a game that settles in
        steps, nothing left to settle leads to what follows this throw.
        """
        if ("lit", "settle_seats") in state.procedure.moves:
            is_settled = state.phase == "lit" and not self.current_step(state)
            return replace(state, phase=self.after_settling(state)) if is_settled else state
        if state.phase == "lit" and not self.losers(state):
            state = replace(state, phase="taken")
        if state.phase == "taken" and not self.unpaid_seats(state):
            state = replace(state, phase="paid")
        return state

    def _section(self, state: RoundState, act: str) -> str:
        return state.rules.section(self.duties[act], state.shaker)


@lru_cache(maxsize=1024)
def _steps(ribbon: tuple[str, ...], steps_done: int | None, rules: Rules, shaker: str) -> tuple[Step, ...]:
    return tuple(
        Step(code, step_status(position, steps_done), rules.section(code, shaker))
        for position, code in enumerate(ribbon)
    )


def step_status(position: int, steps_done: int | None) -> str:
    """Return the status of a step of the ribbon: "done", "now", "next", or "off" if the round was cut short."""
    if steps_done is None:
        return "off"
    return "done" if position < steps_done else "now" if position == steps_done else "next"


def _throws_of(game: Game, rules: Rules) -> list[tuple[tuple[int, ...], int]]:
    return list(possible_throws(game.faces, rules.edition.dice))


def _settle_with(game: Game, rules: Rules) -> Settle:
    return lambda wagers, dice: game.result(rules, wagers, [dice]).settled


@lru_cache(maxsize=64)
def _single_throw(game: Game, rules: Rules) -> SingleThrow | None:
    """Return the wins of every throw; None for a game that one throw does not decide."""
    stakes = [Wager(1, code, EXACT_STAKE_CENTS) for code in game.outcomes(rules)]
    throws = _throws_of(game, rules)
    if any(not game.result(rules, stakes, [dice]).ending for dice, _ways in throws):
        return None
    return SingleThrow(throws, stakes, _settle_with(game, rules))


def _without_split_cents(rules: Rules, wagers: Sequence[Wager]) -> list[Wager]:
    """Return the wagers of a void round with stakes that no odds split: a void round pays nothing."""
    multiple = lcm(*(payout.odds.per for payout in rules.payouts.values() if isinstance(payout.odds, Odds)))
    return [replace(wager, cents=wager.cents * multiple) for wager in wagers]


def _in_order_of(wagers: Sequence[Wager], settled: Iterable[Settled]) -> tuple[Settled, ...]:
    """Return settled wagers in the order of these wagers."""
    by_key = {line.wager.key: line for line in settled}
    return tuple(by_key[wager.key] for wager in wagers)


@lru_cache(maxsize=256)
def _wager_types_by_code(game: Game, edition: Any) -> dict[str, WagerType]:
    return {wager_type.code: wager_type for wager_type in game.wager_types(Rules(edition))}

"""A round's state and the acts that every game shares.

State never changes in place. Each act is a trio: `verify_x` raises a Refusal, `can_x` answers the same as a
yes or no, and `x` returns the new state and a record (`games.engine.records`). Who may act, when and at which
table is for the caller; so is the witness that `rules.witness("device-failure")` names.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec

from games.engine import records
from games.engine.odds import Odds
from games.engine.procedures import DUTY_OF, ENDED, OUT_OF_TURN, PROCEDURES, Procedure
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.settlement import LOSE, WIN, Reason, Settled, give_back, in_order
from games.engine.wagers import MADE_IN, Placing, Wager, WagerType

P = ParamSpec("P")

# Why wagers go back, and the duty whose section that cites. A void by the house and a device that fails before
# the dice are seen have no paragraph of their own (readings A14, A47), so they cite the whole section on
# irregularities; only a failed automated shaker may cite its own.
RETURNS = {"no-roll": "no-roll", "void": "void", "device-failed": "void", "shaker-failed": "shaker-failure"}


@dataclass(frozen=True, slots=True)
class RoundState:
    """Where a round is: its phase, what lies on the layout, what was thrown, and which seats are paid."""

    rules: Rules
    shaker: str
    phase: str = "open"
    wagers: tuple[Wager, ...] = ()
    throws: tuple[tuple[int, ...], ...] = ()
    paid_seats: frozenset[int] = frozenset()
    by_hand: bool = False
    returned_for: str = ""  # why every wager went back, in a round that ended without a result

    @property
    def dice(self) -> tuple[int, ...]:
        """The faces of the newest throw, () before the first."""
        return self.throws[-1] if self.throws else ()

    @property
    def settled(self) -> tuple[Settled, ...]:
        """Every wager as it stands settled, in the order of settlement; () while nothing is decided."""
        if self.phase in ("no-roll", "void"):
            return returned(self.rules, self.wagers, self.returned_for or self.phase)
        return in_order(self.rules.game.settled(self))

    @property
    def ended(self) -> bool:
        return self.phase in ENDED

    @property
    def procedure(self) -> Procedure:
        return PROCEDURES[self.rules.shaker(self.shaker).procedure]


class Step(NamedTuple):
    """One step of the ribbon, named by its duty; `status` is "done", "now", "next", or "off" in a round cut short."""

    code: str
    status: str
    section: str


class NextAct(NamedTuple):
    """The one act that carries the round on, and the section that asks for it."""

    act: str
    section: str


def can(verify: Callable[P, Any]) -> Callable[P, bool]:
    """The `can_x` of a `verify_x`: whether it would raise no refusal."""

    @wraps(verify)
    def answer(*args: P.args, **kwargs: P.kwargs) -> bool:
        try:
            verify(*args, **kwargs)
        except Refusal:
            return False
        return True

    return answer


class Game:
    """What a game must say about itself, and the acts that do not depend on it."""

    code = ""
    name = ""
    faces = 6
    round_keys: frozenset[str] = frozenset()  # what a line for `adjudicate` may say besides
    wager_keys: frozenset[str] = frozenset()

    def wager_types(self, rules: Rules) -> tuple[WagerType, ...]:
        """Every wager of the edition, in the order of the regulation's list."""
        raise NotImplementedError

    def possible_odds(self, rules: Rules, code: str) -> tuple[Odds, ...]:
        """Every odds at which a code may be paid, for the stakes that none of them splits a cent of."""
        raise NotImplementedError

    def settled(self, state: RoundState) -> tuple[Settled, ...]:
        """How the wagers stand, in the order of `state.wagers`; () before there are dice."""
        raise NotImplementedError

    def winning_codes(self, rules: Rules, dice: Sequence[int]) -> tuple[str, ...]:
        """The codes that win on these dice, in the order of the regulation's list."""
        raise NotImplementedError

    # Opening and looking

    def open_round(self, rules: Rules, shaker: str | None = None) -> RoundState:
        """A round with nothing done yet; raises `shaker-not-allowed`."""
        kind = rules.shaker(shaker or rules.edition.default_shaker)
        return RoundState(rules, kind.code)

    def restore(
        self,
        rules: Rules,
        shaker: str,
        phase: str,
        wagers: Iterable[Wager] = (),
        dice: Sequence[int] | None = (),
        paid_seats: Iterable[int] = (),
        by_hand: bool = False,
    ) -> RoundState:
        """A round from what is kept of it; trusts its caller and checks nothing."""
        throws = (tuple(dice),) if dice else ()
        return RoundState(rules, shaker, phase, tuple(wagers), throws, frozenset(paid_seats), by_hand)

    def steps(self, state: RoundState) -> tuple[Step, ...]:
        """The ribbon, with each step's section."""
        procedure, rules = state.procedure, state.rules
        done = procedure.done.get(state.phase)
        return tuple(
            Step(code, _status(place, done), rules.section(code, state.shaker))
            for place, code in enumerate(procedure.ribbon)
        )

    def next_act(self, state: RoundState) -> NextAct | None:
        """What comes next, None once the round has ended."""
        act = state.procedure.next_act.get(state.phase)
        return NextAct(act, self._section(state, act)) if act else None

    def wager_type(self, rules: Rules, code: str) -> WagerType:
        """One wager by its code; raises `no-such-wager`."""
        found = _by_code(self, rules.edition).get(code) if isinstance(code, str) else None
        if found is None:
            raise Refusal("no-such-wager", rules.section("wagers"), code=str(code)[:40])
        return found

    def losers(self, state: RoundState) -> tuple[Settled, ...]:
        return tuple(one for one in state.settled if one.outcome == LOSE)

    def winners(self, state: RoundState) -> tuple[Settled, ...]:
        return tuple(one for one in state.settled if one.outcome == WIN)

    def unpaid_seats(self, state: RoundState) -> tuple[int, ...]:
        """Seats still owed a payment, lowest first."""
        return tuple(sorted({one.wager.seat for one in self.winners(state)} - state.paid_seats))

    # Wagers

    def verify_stake(self, rules: Rules, code: str, cents: int) -> None:
        """Raises `no-such-wager`, `bad-amount`, or `fraction-of-a-cent` if a payout could not be exact."""
        self.wager_type(rules, code)
        if type(cents) is not int or cents < 1:
            raise Refusal("bad-amount", rules.section("placement"), cents=str(cents)[:40])
        for odds in self.possible_odds(rules, code):
            if cents * odds.to % odds.per:
                section = rules.section("increments") or rules.section("odds")
                raise Refusal("fraction-of-a-cent", section, cents=cents, odds=str(odds))

    def verify_placing(self, rules: Rules, placing: Placing) -> None:
        """One line of what a dealer enters; raises `cash-wager`, `bad-seat` and what `verify_stake` raises."""
        self.wager_type(rules, placing.code)
        if placing.made_in not in MADE_IN:
            raise Refusal("cash-wager", rules.section("verbal-cash"), made_in=str(placing.made_in)[:40])
        if type(placing.seat) is not int or placing.seat < 1:
            raise Refusal("bad-seat", rules.section("placement"), seat=str(placing.seat)[:40])
        if placing.cents != 0 or type(placing.cents) is not int:
            self.verify_stake(rules, placing.code, placing.cents)

    def verify_place_wagers(self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]) -> None:
        """Raises `bets-closed`, `nothing-placed`, or what `verify_placing` raises; one refused refuses all."""
        self._turn(state, "place_wagers")
        lines = [Placing(*line) for line in placings]
        if not lines:
            raise Refusal("nothing-placed", state.rules.section("placement"))
        for line in lines:
            self.verify_placing(state.rules, line)

    can_place_wagers = can(verify_place_wagers)

    def place_wagers(
        self, state: RoundState, placings: Iterable[Placing | tuple[Any, ...]]
    ) -> tuple[RoundState, records.WagersPlaced]:
        """Totals as they now lie, (seat, code, cents, made_in) each; 0 cents takes a wager off."""
        lines = tuple(Placing(*line) for line in placings)
        self.verify_place_wagers(state, lines)
        layout, before = _laid(state.wagers, lines)
        record = records.WagersPlaced(lines, before, self._section(state, "place_wagers"))
        return replace(state, wagers=layout), record

    def verify_no_more_bets(self, state: RoundState) -> None:
        """Raises `bets-closed-already`, or `not-shaken` where the shake comes first."""
        self._turn(state, "no_more_bets")

    can_no_more_bets = can(verify_no_more_bets)

    def no_more_bets(self, state: RoundState) -> tuple[RoundState, records.BetsClosed]:
        phase = self._turn(state, "no_more_bets")
        return replace(state, phase=phase), records.BetsClosed(self._section(state, "no_more_bets"))

    # Settling: losers first, then winners, then the lights

    def verify_take_losers(self, state: RoundState) -> None:
        """Raises `not-lit` or `losers-taken-already`."""
        self._turn(state, "take_losers")

    can_take_losers = can(verify_take_losers)

    def take_losers(self, state: RoundState) -> tuple[RoundState, records.LosersTaken]:
        phase = self._turn(state, "take_losers")
        record = records.LosersTaken(self.losers(state), self._section(state, "take_losers"))
        return self._onward(replace(state, phase=phase)), record

    def verify_pay_seats(self, state: RoundState, seats: Iterable[int] | None = None) -> None:
        """Raises `not-lit`, `losers-not-taken`, `seat-paid-already`, or `nothing-to-pay`."""
        self._turn(state, "pay_seats")
        section, owed = self._section(state, "pay_seats"), self.unpaid_seats(state)
        chosen = owed if seats is None else tuple(seats)
        for seat in chosen:
            if seat in state.paid_seats:
                raise Refusal("seat-paid-already", section, seat=seat)
        if not chosen or not set(chosen) <= set(owed):
            raise Refusal("nothing-to-pay", section)

    can_pay_seats = can(verify_pay_seats)

    def pay_seats(
        self, state: RoundState, seats: Iterable[int] | None = None
    ) -> tuple[RoundState, records.SeatsPaid]:
        """Every winning wager of these seats, or of all that are left; paying the last one ends the paying."""
        paid = self.unpaid_seats(state) if seats is None else tuple(sorted(set(seats)))
        self.verify_pay_seats(state, paid)
        settled = tuple(one for one in self.winners(state) if one.wager.seat in paid)
        record = records.SeatsPaid(paid, settled, self._section(state, "pay_seats"))
        return self._onward(replace(state, paid_seats=state.paid_seats.union(paid))), record

    def verify_clear_layout(self, state: RoundState) -> None:
        """Raises `losers-not-taken`, `winners-not-paid`, or `not-now`."""
        self._turn(state, "clear_layout")

    can_clear_layout = can(verify_clear_layout)

    def clear_layout(self, state: RoundState) -> tuple[RoundState, records.LayoutCleared]:
        phase = self._turn(state, "clear_layout")
        return replace(state, phase=phase), records.LayoutCleared(self._section(state, "clear_layout"))

    # Voiding and mending

    def verify_void_round(self, state: RoundState, reason: str) -> None:
        """Raises `dice-called-already`, or `reason-missing`; a settled round is never undone here."""
        self._turn(state, "void_round")
        if not reason.strip():
            raise Refusal("reason-missing", self._section(state, "void_round"))

    can_void_round = can(verify_void_round)

    def void_round(self, state: RoundState, reason: str) -> tuple[RoundState, records.RoundVoided]:
        """The house ends a round before its dice are entered; every wager goes back (reading A47)."""
        self.verify_void_round(state, reason)
        void = replace(state, phase="void", returned_for="void")
        return void, records.RoundVoided(reason, void.settled, self._section(state, "void_round"))

    def verify_record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> None:
        """Raises `bets-still-open`, `payment-begun`, `wager-unchanged`, or what `verify_placing` raises."""
        self._mending(state, "record_missed_wager")
        line = Placing(*placing)
        self.verify_placing(state.rules, line)
        self.verify_stake(state.rules, line.code, line.cents)
        if _laid(state.wagers, [line])[1] == (line.cents,):
            raise Refusal("wager-unchanged", self._section(state, "record_missed_wager"), cents=line.cents)

    can_record_missed_wager = can(verify_record_missed_wager)

    def record_missed_wager(
        self, state: RoundState, placing: Placing | tuple[Any, ...], reason: str = ""
    ) -> tuple[RoundState, records.MissedWagerRecorded]:
        """The total that lay there at "no more bets" and was not entered; it settles with the rest."""
        self.verify_record_missed_wager(state, placing)
        line = Placing(*placing)
        layout, before = _laid(state.wagers, [line])
        mended = replace(state, wagers=layout, phase=self._turn(state, "record_missed_wager"))
        if mended.phase == "taken" and any(one.wager.key == _key(line) for one in self.losers(mended)):
            mended = replace(mended, phase="lit")  # a loser has come to lie there again
        section = self._section(state, "record_missed_wager")
        return self._onward(mended), records.MissedWagerRecorded(line, before[0], reason, section)

    def verify_strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> None:
        """Raises `bets-still-open`, `payment-begun`, or `nothing-to-strike`."""
        self._mending(state, "strike_mistaken_wager")
        if not any(wager.key == (seat, code, play) for wager in state.wagers):
            section = self._section(state, "strike_mistaken_wager")
            raise Refusal("nothing-to-strike", section, seat=seat, code=code)

    can_strike_mistaken_wager = can(verify_strike_mistaken_wager)

    def strike_mistaken_wager(
        self, state: RoundState, seat: int, code: str, play: int | None = None, reason: str = ""
    ) -> tuple[RoundState, records.MistakenWagerStruck]:
        """Takes out a wager that was entered and never lay there."""
        self.verify_strike_mistaken_wager(state, seat, code, play)
        struck = next(wager for wager in state.wagers if wager.key == (seat, code, play))
        left = tuple(wager for wager in state.wagers if wager is not struck)
        mended = replace(state, wagers=left, phase=self._turn(state, "strike_mistaken_wager"))
        section = self._section(state, "strike_mistaken_wager")
        return self._onward(mended), records.MistakenWagerStruck(struck, reason, section)

    # What the acts stand on

    def _turn(self, state: RoundState, act: str) -> str:
        """The phase that an act leads to; raises why it is out of turn."""
        phase = state.procedure.moves.get((state.phase, act))
        if phase is not None:
            return phase
        if state.ended:
            raise Refusal("round-over", phase=state.phase)
        why = OUT_OF_TURN.get((act, state.phase)) or OUT_OF_TURN.get((act, ""))
        if why is None:
            raise Refusal("not-now", self._section(state, act), act=act, phase=state.phase)
        raise Refusal(why[0], state.rules.section(why[1], state.shaker), phase=state.phase)

    def _mending(self, state: RoundState, act: str) -> None:
        """Mending is over with the first payment: N.J.A.C. 19:47-9.5(e), 58 Pa. Code §§ 539.5(e), 625a.5(e)."""
        self._turn(state, act)
        if state.paid_seats:
            raise Refusal("payment-begun", self._section(state, "pay_seats"))

    def _onward(self, state: RoundState) -> RoundState:
        """No losers skips `lit` to `taken`; nobody left to pay skips `taken` to `paid`."""
        if state.phase == "lit" and not self.losers(state):
            state = replace(state, phase="taken")
        if state.phase == "taken" and not self.unpaid_seats(state):
            state = replace(state, phase="paid")
        return state

    def _section(self, state: RoundState, act: str) -> str:
        return state.rules.section(DUTY_OF[act], state.shaker)


def give_all_back(rules: Rules, wagers: Iterable[Wager], why: str) -> tuple[Settled, ...]:
    """Every wager given back for a reason, each citing the irregularity behind it."""
    section = rules.section(RETURNS[why])
    return tuple(give_back(wager, section, Reason(why)) for wager in wagers)


def returned(rules: Rules, wagers: Iterable[Wager], why: str) -> tuple[Settled, ...]:
    """The same in the order of settlement."""
    return in_order(give_all_back(rules, wagers, why))


def _status(place: int, done: int | None) -> str:
    if done is None:
        return "off"
    return "done" if place < done else "now" if place == done else "next"


@lru_cache(maxsize=256)
def _by_code(game: Game, edition: Any) -> dict[str, WagerType]:
    return {one.code: one for one in game.wager_types(Rules(edition))}


def _key(line: Placing) -> tuple[int, str, int | None]:
    return line.seat, line.code, line.play


def _laid(wagers: tuple[Wager, ...], lines: Iterable[Placing]) -> tuple[tuple[Wager, ...], tuple[int, ...]]:
    """The layout after these lines in turn, and what each found there in cents."""
    layout = {wager.key: wager for wager in wagers}
    before = []
    for line in lines:
        found = layout.get(_key(line))
        before.append(found.cents if found else 0)
        if line.cents:
            layout[_key(line)] = Wager(line.seat, line.code, line.cents, line.play)
        else:
            layout.pop(_key(line), None)
    return tuple(layout.values()), tuple(before)

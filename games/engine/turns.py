"""What a game says about itself, where its round stands, and which act is in turn."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, wraps
from typing import Any, NamedTuple, ParamSpec

from games.engine.analysis import Outcome
from games.engine.odds import Odds
from games.engine.procedures import DUTY_OF, OUT_OF_TURN
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.settlement import LOSE, WIN, Reason, Settled, losers_first
from games.engine.state import RoundState
from games.engine.wagers import MADE_IN, Placing, Wager, WagerType

P = ParamSpec("P")


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


class Turns:
    """What every game answers, and what its acts stand on."""

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

    def outcomes(self, rules: Rules) -> Mapping[str, tuple[Outcome, ...]]:
        """For every code its payouts, each with the exact probability of being the one paid."""
        raise NotImplementedError

    def adjudicate(
        self, rules: Rules, throws: Sequence[Any], wagers: Sequence[Wager], voided: str | None = None
    ) -> tuple[str, tuple[Settled, ...]]:
        """The ending of a finished round and its wagers as given; a throw is faces or {"void": reason}."""
        raise NotImplementedError

    def called(self, dice: Sequence[int]) -> Reason:
        """What dice come to as people say it after the faces: in Sic Bo the total, and small, big or triple."""
        raise NotImplementedError

    def order(self, settled: Sequence[Settled]) -> list[int]:
        """Indexes in the order of settlement; a game whose text orders otherwise says so itself."""
        return losers_first(settled)

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
        throws: Iterable[Sequence[int]] = (),
        paid_seats: Iterable[int] = (),
        by_hand: bool = False,
    ) -> RoundState:
        """A round from what is kept of it; trusts its caller and checks nothing."""
        thrown = tuple(tuple(dice) for dice in throws)
        return RoundState(rules, shaker, phase, tuple(wagers), thrown, frozenset(paid_seats), by_hand)

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

    # One wager

    def verify_stake(self, rules: Rules, code: str, cents: int) -> None:
        """Raises what `verify_amount` raises, or `fraction-of-a-cent` if a payout could not be exact."""
        self.verify_amount(rules, code, cents)
        for odds in self.possible_odds(rules, code):
            if cents * odds.to % odds.per:
                section = rules.section("increments") or rules.section("odds")
                raise Refusal("fraction-of-a-cent", section, cents=cents, odds=str(odds))

    def verify_amount(self, rules: Rules, code: str, cents: int) -> None:
        """Raises `no-such-wager` or `bad-amount`: all that is asked of a stake in a round that is over."""
        self.wager_type(rules, code)
        if type(cents) is not int or cents < 1:
            raise Refusal("bad-amount", rules.section("placement"), cents=str(cents)[:40])

    def verify_placing(self, rules: Rules, placing: Placing) -> None:
        """One line of what a dealer enters; raises `cash-wager`, `bad-seat` and what `verify_stake` raises."""
        self.wager_type(rules, placing.code)
        if placing.made_in not in MADE_IN:
            raise Refusal("cash-wager", rules.section("verbal-cash"), made_in=str(placing.made_in)[:40])
        if type(placing.seat) is not int or placing.seat < 1:
            raise Refusal("bad-seat", rules.section("placement"), seat=str(placing.seat)[:40])
        if placing.cents != 0 or type(placing.cents) is not int:
            self.verify_stake(rules, placing.code, placing.cents)

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


def _status(place: int, done: int | None) -> str:
    if done is None:
        return "off"
    return "done" if place < done else "now" if place == done else "next"


@lru_cache(maxsize=256)
def _by_code(game: Turns, edition: Any) -> dict[str, WagerType]:
    return {one.code: one for one in game.wager_types(Rules(edition))}

"""What a game says about itself, where its round stands, and which act is in turn."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from games.engine.analysis import Outcome, house_advantage
from games.engine.odds import Pays, in_dollars
from games.engine.procedures import DUTY_OF, OUT_OF_TURN, Procedure
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.settlement import LOSE, WIN, Reason, Settled
from games.engine.state import RoundState, Standing
from games.engine.wagers import MADE_IN, Placing, Wager, WagerType

MENDING = frozenset({"correct_dice", "record_missed_wager", "strike_mistaken_wager"})


class Step(NamedTuple):
    """One step of the ribbon, named by its duty; `status` is "done", "now", "next", or "off" in a round cut short."""

    code: str
    status: str
    section: str


class NextAct(NamedTuple):
    """The one act that carries the round on, and the section that asks for it."""

    act: str
    section: str


class Turns:
    """What every game answers, and what its acts stand on."""

    code = ""
    name = ""
    faces = 6
    posts: tuple[str, ...] = ("dealer",)  # who works the table; the last one keeps the dice
    no_roll_ends = False  # whether a void throw ends the round, or the dice are thrown again (A12, A33)
    round_keys: frozenset[str] = frozenset()  # what a line for `adjudicate` may say besides
    wager_keys: frozenset[str] = frozenset()

    # What a game says of itself: all of it is in its own file

    def wager_types(self, rules: Rules) -> tuple[WagerType, ...]:
        """Every wager of the edition, in the order of the regulation's list."""
        raise NotImplementedError

    def possible_odds(self, rules: Rules, code: str) -> tuple[Pays, ...]:
        """Everything that a code may be paid, for the stakes that none of it splits a cent of."""
        raise NotImplementedError

    def standing(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Standing:
        """What the valid throws so far decide, and whether another one is to come and of how many dice."""
        raise NotImplementedError

    def winning_codes(
        self, rules: Rules, throws: Sequence[Sequence[int]], ending: str = ""
    ) -> tuple[str, ...]:
        """The codes that the newest throw wins for (with `ending`, those won at the end too), as the list has them."""
        raise NotImplementedError

    def called(self, throws: Sequence[Sequence[int]]) -> Reason:
        """What the newest throw comes to, as people say it after the faces."""
        raise NotImplementedError

    def outcomes(self, rules: Rules) -> Mapping[str, tuple[Outcome, ...]]:
        """For every code its payouts, each with the exact probability of being the one paid."""
        raise NotImplementedError

    def advantage(self, rules: Rules, code: str, outcomes: Sequence[Outcome]) -> Fraction:
        """What the house keeps of each unit staked on a code in the long run, from its `outcomes`."""
        return house_advantage(outcomes)

    def procedure(self, state: RoundState) -> Procedure:
        """The order of steps that this round follows."""
        raise NotImplementedError

    def verify_layout(self, rules: Rules, wagers: Sequence[Wager]) -> None:
        """Raises where wagers may not lie together; a game without such rules asks nothing."""

    def verify_play(self, rules: Rules, code: str, play: int | None) -> None:
        """Raises `play-not-asked` unless a wager names a play exactly where it is made on a single one."""
        if play is not None:
            raise Refusal("play-not-asked", rules.section("placement"), code=code)

    def next_quarterback(self, state: RoundState) -> tuple[int | None, int | None]:
        """Where a player throws: the seat that holds the dice in the next round, and the one offered them last."""
        return None, None

    def step_code(self, state: RoundState, step: int) -> str:
        """The name of a step of the settlement, for people: one of the words of the floor's STEP_LABELS."""
        return "settle"

    def step_section(self, state: RoundState, step: int) -> str:
        """The paragraph that a step of the settlement stands under."""
        return state.rules.section("settlement")

    def stays(self, state: RoundState) -> tuple[Wager, ...]:
        """Wagers that the newest throw leaves on the layout and that a dealer is told of while settling it."""
        return ()

    def view(self, state: RoundState) -> dict[str, Any]:
        """What only this game's screens show of a round, ready for JSON (`docs/games.md`)."""
        return {}

    def is_limited(self, code: str) -> bool:
        """Whether the table's minimum and maximum hold for a code."""
        return True

    def is_fee(self, code: str) -> bool:
        """Whether a code is a price that is collected before the throw, and never wins; most games have none."""
        return False

    # Opening and looking

    def open_round(
        self,
        rules: Rules,
        shaker: str | None = None,
        quarterback: int | None = None,
        offered: int | None = None,
    ) -> RoundState:
        """A round with nothing done yet, and what `next_quarterback` left to it; raises `shaker-not-allowed`."""
        kind = rules.shaker(shaker or rules.edition.default_shaker)
        return RoundState(self, rules, kind.code, quarterback=quarterback, offered=offered)

    def restore(
        self,
        rules: Rules,
        shaker: str,
        phase: str,
        wagers: Iterable[Wager] = (),
        throws: Iterable[Sequence[int]] = (),
        paid_seats: Iterable[int] = (),
        **rest: Any,
    ) -> RoundState:
        """A round from what is kept of it; trusts its caller and checks nothing."""
        thrown = tuple(tuple(dice) for dice in throws)
        return RoundState(self, rules, shaker, phase, tuple(wagers), thrown, frozenset(paid_seats), **rest)

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
        """What loses by the newest throw."""
        return tuple(one for one in state.of_newest_throw if one.outcome == LOSE)

    def winners(self, state: RoundState) -> tuple[Settled, ...]:
        """What wins by the newest throw."""
        return tuple(one for one in state.of_newest_throw if one.outcome == WIN)

    def legal_acts(self, state: RoundState) -> set[str]:
        """The acts that may lead on from here: those of the phase, mending only until the first payment."""
        acts = {act for phase, act in state.procedure.moves if phase == state.phase}
        if not state.throws:
            acts.discard("correct_dice")
        return acts - MENDING if state.money_moved else acts

    # One wager

    def verify_stake(self, rules: Rules, code: str, cents: int) -> None:
        """Raises what `verify_amount` raises, or `fraction-of-a-cent` if a payout could not be exact."""
        self.verify_amount(rules, code, cents)
        for odds in self.possible_odds(rules, code):
            if odds.splits(cents):
                section = rules.section("increments") or rules.section("odds")
                raise Refusal("fraction-of-a-cent", section, cents=cents, odds=str(odds))

    def verify_increment(self, rules: Rules, code: str, cents: int) -> None:
        """Raises `not-an-increment` for a stake that the submission's increments do not allow: § 521.7(d).

        Asked when a wager is placed; what lay there at "no more bets" is written down and settled as it is.
        """
        step = rules.increment(self.wager_type(rules, code).family)
        if cents % step:
            section = rules.section("increments") or rules.section("odds")
            raise Refusal("not-an-increment", section, cents=cents, step=in_dollars(step), wager=code)

    def verify_amount(self, rules: Rules, code: str, cents: int) -> None:
        """Raises `no-such-wager` or `bad-amount`: all that is asked of a stake in a round that is over."""
        self.wager_type(rules, code)
        if type(cents) is not int or cents < 1:
            raise Refusal("bad-amount", rules.section("placement"), cents=str(cents)[:40])

    def verify_placing(self, rules: Rules, placing: Placing) -> None:
        """One line of what a dealer enters; raises `cash-wager`, `bad-seat` and what `verify_stake` raises."""
        self.wager_type(rules, placing.code)
        self.verify_play(rules, placing.code, placing.play)
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
        if state.money_moved:
            raise Refusal("payment-begun", self._section(state, "pay_seats"))

    def followed(self, state: RoundState, act: str, **changed: Any) -> RoundState:
        """The round after an act that was done, with what it changed; asks nothing.

        For reading what was recorded: an act that the moves do not have here leaves the phase as it is.
        """
        phase = state.procedure.moves.get((state.phase, act), state.phase)
        after = replace(state, phase=phase, **changed)
        if act == "record_missed_wager":
            after = self._reopened(after, set(after.wagers) - set(state.wagers))
        return self._onward(after)

    def _reopened(self, state: RoundState, added: Collection[Wager]) -> RoundState:
        """The round in the phase that wagers found after "no more bets" lead it back to."""
        raise NotImplementedError

    def _onward(self, state: RoundState) -> RoundState:
        """The same round in the next phase where nothing is left to do in this one."""
        raise NotImplementedError

    def _section(self, state: RoundState, act: str) -> str:
        return state.rules.section(DUTY_OF[act], state.shaker)


def _status(place: int, done: int | None) -> str:
    if done is None:
        return "off"
    return "done" if place < done else "now" if place == done else "next"


@lru_cache(maxsize=256)
def _by_code(game: Turns, edition: Any) -> dict[str, WagerType]:
    return {one.code: one for one in game.wager_types(Rules(edition))}

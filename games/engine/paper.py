"""A finished round on paper: every throw given at once, and what its wagers come to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from math import lcm

from games.engine.odds import Odds
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.settlement import Settled
from games.engine.state import Standing, give_all_back
from games.engine.throws import Throws
from games.engine.wagers import Wager

Thrown = Sequence[int] | Mapping[str, str]


class OnPaper(Throws):
    """The same for every game: its own `standing` says how many dice the next throw has, and what is decided."""

    def adjudicate(
        self, rules: Rules, throws: Sequence[Thrown], wagers: Sequence[Wager], voided: str | None = None
    ) -> tuple[str, tuple[Settled, ...]]:
        """The ending of a round and its wagers as given; a throw is faces or {"void": reason}.

        Raises `too-many-throws`, `too-few-throws`, and what `verify_dice` and `verify_layout` raise.
        """
        self.verify_layout(rules, wagers)
        thrown: list[tuple[int, ...]] = []
        laid = wagers if voided is None else _whole_payouts(rules, wagers)
        standing, no_roll = self.standing(rules, laid, thrown), False
        for throw in throws:
            if standing.ending or no_roll:
                raise Refusal("too-many-throws", self.throw_section(rules, thrown))
            if isinstance(throw, Mapping):
                no_roll = self.no_roll_ends
                continue
            thrown.append(self.verify_dice(rules, throw, standing.dice))
            standing = self.standing(rules, laid, thrown)
        if voided is not None:
            return "void", give_all_back(rules, wagers, "void")
        if no_roll:
            return "no-roll", give_all_back(rules, wagers, "no-roll")
        if not standing.ending:
            raise Refusal("too-few-throws", self.throw_section(rules, thrown))
        self.verify_plays(rules, wagers, standing)
        return standing.ending, standing.settled

    def throw_section(self, rules: Rules, thrown: Sequence[Sequence[int]]) -> str:
        """The paragraph of the throw that follows these."""
        return rules.section("call-dice")

    def verify_plays(self, rules: Rules, wagers: Sequence[Wager], standing: Standing) -> None:
        """Raises `no-such-play` for a wager on a play that was never made."""
        decided = {one.wager.key for one in standing.settled}
        for wager in wagers:
            if wager.key not in decided:
                raise Refusal("no-such-play", rules.section("single-play"), play=wager.play, code=wager.code)


def _whole_payouts(rules: Rules, wagers: Sequence[Wager]) -> list[Wager]:
    """The wagers of a void round in stakes that no odds split: it pays nothing, whatever its throws were."""
    even = lcm(*(row.odds.per for row in rules.payouts.values() if isinstance(row.odds, Odds)))
    return [replace(wager, cents=wager.cents * even) for wager in wagers]

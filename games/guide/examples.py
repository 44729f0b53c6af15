"""What wins with the throws of an example. The engine computes it; no result is written down."""

from collections.abc import Collection

from games.engine import Rules
from games.engine.odds import Pays
from games.engine.wagers import Wager
from games.registry import game_of

from .plans import Throws

STAKE = 100  # cents: any filed odds pay whole cents on it


def winners(
    rules: Rules, throws: Throws, without: Collection[str] = frozenset()
) -> tuple[tuple[str, Pays], ...]:
    """Return the wagers that win, each with its payout, in the order of the layout.

    One player has all of them except those of the families `without`; a fee only if the example throws twice.
    """
    game = game_of(rules)
    types = game.wager_types(rules)
    wagers = [
        Wager(1, wager.code, STAKE, 1 if game.is_single_play(wager.code) else None)
        for wager in types
        if wager.family not in without and (len(throws) > 1 or not game.is_fee(wager.code))
    ]
    settled = game.result(rules, wagers, throws).settled
    paid = {line.wager.code: line.pays for line in settled if line.outcome == "win" and line.pays is not None}
    return tuple((wager.code, paid[wager.code]) for wager in types if wager.code in paid)

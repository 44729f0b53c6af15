"""What wins with the throws of an example. The engine says it; no result is written down anywhere."""

from games.engine import Rules
from games.engine.odds import Pays
from games.engine.wagers import Wager
from games.registry import game_of

from .plans import Throws

STAKE = 100  # cents, which every filed odds divides whole: thirds and fifths of it are cents
NEEDS_A_THROW_MORE = frozenset({"extra-point"})  # with it Touchdown would wait for another throw


def winners(rules: Rules, throws: Throws) -> tuple[tuple[str, Pays], ...]:
    """The wagers that win, each with what it is paid, in the order of the layout.

    One player has all of them; High Roll's Extra Roll only where the example throws twice.
    """
    types = game_of(rules).wager_types(rules)
    laid = [
        Wager(1, one.code, STAKE, 1 if one.place.area == "single-play" else None)
        for one in types
        if one.family not in NEEDS_A_THROW_MORE and (one.family != "extra-roll" or len(throws) > 1)
    ]
    settled = game_of(rules).result(rules, laid, throws).settled
    paid = {one.wager.code: one.pays for one in settled if one.outcome == "win" and one.pays is not None}
    return tuple((one.code, paid[one.code]) for one in types if one.code in paid)

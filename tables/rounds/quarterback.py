"""The Quarterback of Three Dice Football has a wager in the game (58 Pa. Code ch. 577)."""

from games.engine import Refusal
from tables.core.context import AtTable


def verify_quarterback_plays(at: AtTable) -> None:
    """Raises `Refusal` at the first throw of a game in which the Quarterback has no wager.

    A seat without a wager sits the game out (A38), and who sits out does not throw (§ 577.6(b)).
    """
    seat, first = at.state.quarterback, not (at.state.throws or at.state.void_throws)
    if first and all(wager.seat != seat for wager in at.state.wagers):
        raise Refusal("quarterback-sits-out", at.rules.section("first-wagers"), seat=seat)

"""The games on offer; a new one is one file and one line here."""

from collections.abc import Mapping

from games.engine.football import Football
from games.engine.high_roll import HighRoll
from games.engine.refusals import Refusal
from games.engine.rounds import Game
from games.engine.sicbo import SicBo

GAMES: Mapping[str, Game] = {one.code: one for one in (SicBo(), HighRoll(), Football())}


def game(code: str) -> Game:
    """A game by its code, "sic-bo"; raises `no-such-game`."""
    if code not in GAMES:
        raise Refusal("no-such-game", code=code)
    return GAMES[code]

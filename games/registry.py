"""The games on offer; a new one is one file and one line here."""

from collections.abc import Mapping

from games.engine.football import Football
from games.engine.game import Game
from games.engine.high_roll import HighRoll
from games.engine.refusals import Refusal
from games.engine.rules import Rules
from games.engine.sicbo import SicBo

GAMES: Mapping[str, Game] = {game.code: game for game in (SicBo(), HighRoll(), Football())}


def game_by_code(code: str) -> Game:
    """A game by its code, "sic-bo". Raises `no-such-game`."""
    if code not in GAMES:
        raise Refusal("no-such-game", code=code)
    return GAMES[code]


def game_of(rules: Rules) -> Game:
    """The game that these rules are for."""
    return game_by_code(rules.edition.game)

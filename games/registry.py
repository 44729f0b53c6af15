"""The games on offer. A new game is one folder, and one line here (docs/games.md)."""

from collections.abc import Mapping
from importlib import import_module
from importlib.resources import files

from games.engine import editions
from games.engine.game import Game
from games.engine.refusals import Refusal
from games.engine.rules import Rules

FOLDERS = (
    "games.catalog.sic_bo",
    "games.catalog.high_roll",
    "games.catalog.football",
)

_games: dict[str, Game] = {}
_folders: dict[str, str] = {}
GAMES: Mapping[str, Game] = _games


def register(folder: str) -> Game:
    """Add the game of a folder, a dotted path such as "games.catalog.sic_bo". Raises ValueError for a code in use."""
    game = import_module(f"{folder}.engine").GAME
    if not isinstance(game, Game):
        raise TypeError(f"{folder}.engine.GAME is no game")
    if game.code in _games:
        raise ValueError(f"registered twice: {game.code}")
    editions.add_folder(files(folder) / "editions")
    _games[game.code], _folders[game.code] = game, folder
    return game


def unregister(code: str) -> None:
    """Take a game out again, for tests."""
    editions.remove_folder(files(_folders[code]) / "editions")
    del _games[code], _folders[code]


def game_by_code(code: str) -> Game:
    """A game by its code, "sic-bo". Raises `no-such-game`."""
    if code not in _games:
        raise Refusal("no-such-game", code=code)
    return _games[code]


def game_of(rules: Rules) -> Game:
    """The game that these rules are for."""
    return game_by_code(rules.edition.game)


for _folder in FOLDERS:
    register(_folder)

"""The games on offer. A new game is one folder, and one line here (docs/games.md)."""

from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.util import find_spec
from types import ModuleType

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
    parts.cache_clear()
    return game


def unregister(code: str) -> None:
    """Take a game out again, for tests."""
    editions.remove_folder(files(_folders[code]) / "editions")
    del _games[code], _folders[code]
    parts.cache_clear()


def game_by_code(code: str) -> Game:
    """A game by its code, "sic-bo". Raises `no-such-game`."""
    if code not in _games:
        raise Refusal("no-such-game", code=code)
    return _games[code]


def game_of(rules: Rules) -> Game:
    """The game that these rules are for."""
    return game_by_code(rules.edition.game)


def part(code: str, name: str) -> ModuleType:
    """A module of a game's folder, for instance its `words`. Raises ModuleNotFoundError where it has none."""
    return import_module(f"{_folders[code]}.{name}")


@lru_cache(maxsize=64)
def parts(name: str) -> Mapping[str, ModuleType]:
    """The same module of every game that has it, by the game's code."""
    return {code: part(code, name) for code in _folders if find_spec(f"{_folders[code]}.{name}")}


for _folder in FOLDERS:
    register(_folder)

"""The registered games. A new game is one folder, and one line here (docs/architecture.md)."""

from collections.abc import Callable, Mapping
from functools import lru_cache
from importlib import import_module
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from types import ModuleType

from games.engine import Refusal, Rules, editions
from games.engine.editions import Edition
from games.engine.game import Game
from games.engine.wagers import Fee
from games.refusals import NO_SUCH_GAME

FOLDERS = (
    "games.catalog.sic_bo",
    "games.catalog.high_roll",
    "games.catalog.football",
)

_games: dict[str, Game] = {}
_folders: dict[str, str] = {}
GAMES: Mapping[str, Game] = _games
_clears: list[Callable[[], None]] = []


def register(folder: str) -> Game:
    """Add the game of a folder, a dotted path such as "games.catalog.sic_bo". Raises ValueError for a code in use."""
    game = import_module(f"{folder}.engine").GAME
    if not isinstance(game, Game):
        raise TypeError(f"{folder}.engine.GAME is no game")
    if game.code in _games:
        raise ValueError(f"registered twice: {game.code}")
    editions.add_folder(files(folder) / "editions")
    _games[game.code], _folders[game.code] = game, folder
    _forget()
    return game


def unregister(code: str) -> None:
    """Remove a game, for tests."""
    editions.remove_folder(files(_folders[code]) / "editions")
    del _games[code], _folders[code]
    _forget()


def clear_on_change(clear: Callable[[], None]) -> None:
    """Call this function whenever a game is added or removed: for caches of what is in the games' folders."""
    _clears.append(clear)


def _forget() -> None:
    for clear in (parts.cache_clear, with_asset.cache_clear, *_clears):
        clear()


def game_by_code(code: str) -> Game:
    """Return a game by its code, "sic-bo". Raises `no-such-game`."""
    if code not in _games:
        raise Refusal(NO_SUCH_GAME, code=code)
    return _games[code]


def game_of(rules: Rules) -> Game:
    """Return the game that these rules are for."""
    return game_by_code(rules.edition.game)


def seats_of(edition: Edition) -> int:
    """Return the places of a table: the number in its edition, or else that of its game."""
    return edition.places or game_by_code(edition.game).seats


def registered_fees() -> list[Fee]:
    """Return the fees of the registered games that have one."""
    return [game.fee for game in _games.values() if game.fee]


def part(code: str, name: str) -> ModuleType:
    """Return a module of a game's folder, for instance its `words`. Raises ModuleNotFoundError if it has none."""
    return import_module(f"{_folders[code]}.{name}")


@lru_cache(maxsize=64)
def parts(name: str) -> Mapping[str, ModuleType]:
    """Return the same module of every game that has it, by the game's code."""
    return {code: part(code, name) for code in _folders if find_spec(f"{_folders[code]}.{name}")}


def folder_of(code: str) -> Traversable:
    """Return the folder of a game."""
    return files(_folders[code])


def asset(code: str, path: str) -> str:
    """Return the name of a template or static file of a game: "sic_bo/console/felt.html" for "console/felt.html"."""
    package = _folders[code].rpartition(".")[2]
    return f"{package}/{path}"


@lru_cache(maxsize=256)
def with_asset(kind: str, path: str) -> tuple[str, ...]:
    """Return the codes of the games that have a file among their "templates" or "static"."""
    return tuple(code for code in _folders if folder_of(code).joinpath(kind, asset(code, path)).is_file())


for _folder in FOLDERS:
    register(_folder)

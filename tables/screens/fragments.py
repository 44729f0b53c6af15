"""The stations of a table: what each renders from a snapshot, in parts, with MiniJinja.

The same templates serve first paint, push and resync. A fragment is a function of the snapshot alone, and a snapshot
has only what JSON gives back (`tests/tables/test_snapshot.py`). So each worker renders a station only if one of its
screens shows it, once for all of them, and of it only the parts that an act has changed (`parts.py`).
"""

import json
import threading
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, cast

from django.utils.safestring import SafeString, mark_safe

from games.snapshot_types import AlertFacts, PastRound, Snapshot
from tables.core.context import TableContext
from tables.screens import snapshot, templates
from tables.screens.console_data import ConsoleData
from tables.screens.floor_data import LockedTileData, TileData, WallData
from tables.screens.layout import game_screens
from tables.screens.parts import Screen, Shown, Slotted, Station, is_newer
from tables.screens.screen_data import ScreenData, SignData, SignWithRollsData, left_on_layout, round_rows
from tables.screens.table_data import TableData
from tables.screens.templates import SUFFIX

# Stations

KEPT_STATES = 8


def _template(name: str, own: str = "") -> Callable[[ScreenData], str]:
    """Render a part by its template. `own`: the class of the data that only the table's game shows there, if any."""
    path = f"tables/{name}{SUFFIX}"

    def rendered(screen: ScreenData) -> str:
        return templates.render(path, s=screen.s, screen=screen, own=_own(own, screen.s))

    return rendered


def _first(render: Callable[[Any], str]) -> Slotted:
    """The first part of a screen, whose tag says what each entry changes (`parts/head.jinja`)."""
    return Slotted(render, ScreenData.head_contents)


def _on_console(screen: ConsoleData, path: str) -> str:
    return templates.render(path, s=screen.s, screen=screen, own=_own("Console", screen.s))


def _console(name: str) -> Callable[[ConsoleData], str]:
    """Render a part of the console by its template."""
    return lambda screen: _on_console(screen, f"tables/console/{name}{SUFFIX}")


def _of_game(name: str) -> Callable[[ConsoleData], str]:
    """Render a part of the console of which a game has its own template."""
    return lambda screen: _on_console(screen, screen.parts[name])


CONSOLE: dict[str, Callable[[Any], str]] = {
    "frame": _first(_console("screen")),
    "header": _console("header"),
    "ribbon": _console("ribbon"),
    "felt": Slotted(_of_game("felt"), ConsoleData.felt_contents),
    "called": _console("floor_call_panel"),
    "thrown": _console("drawn"),
    "reading": _console("reading"),
    "side": Slotted(_console("side_now"), ConsoleData.side_contents),
    "dock": _console("dock_now"),
    "next": _console("next_now"),
    "paper": Slotted(_console("ahead"), ConsoleData.paper_contents),
    "ahead": _console("ahead_views"),
    "fresh": _console("fresh"),
    "failure": Slotted(_console("failure"), ConsoleData.failure_contents),
    "state": Slotted(ConsoleData.state, ConsoleData.state_contents),
    "table": _console("state_of_table"),
    "round": Slotted(ConsoleData.state_of_round, ConsoleData.round_contents),
}
TABLE: dict[str, Callable[[Any], str]] = {
    name: _template(f"table/{name}", "Table")
    for name in ("screen", "alerts", "now_on", "owned", "exposure", "cards", "acts", "money", "last", "side")
}
TABLE["screen"] = _first(TABLE["screen"])
TILE = {"tile": _first(_template("floor/tile"))}
SIGN = {"sign": _first(_template("sign/screen"))}
STATIONS = {
    "dealer": Station(ConsoleData, CONSOLE),
    "tile": Station(TileData, TILE),
    "locked": Station(LockedTileData, TILE),
    "wall": Station(WallData, {"table": _first(_template("floor/wall_table"))}),
    "table": Station(TableData, TABLE),
    "sign": Station(SignData, SIGN),
    "sign-with-rolls": Station(SignWithRollsData, SIGN),
}


@dataclass(frozen=True)
class TableState:
    """A snapshot as it is pushed. `text` is its JSON, made if another worker listens."""

    table_id: int
    snapshot: Snapshot

    @property
    def table(self) -> str:
        """The code of the table."""
        return self.snapshot["table"]["code"]

    @property
    def facility(self) -> str:
        """The code of the facility."""
        return self.snapshot["table"]["facility"]

    @property
    def version(self) -> int:
        return self.snapshot["version"]

    @cached_property
    def text(self) -> str:
        return json.dumps(self.snapshot)


@lru_cache(KEPT_STATES)
def parsed(text: str) -> Snapshot:
    """Return the snapshot of a text, parsed once for all sockets of this worker. Nobody may change it."""
    return cast(Snapshot, json.loads(text))


def render(station: str, state: Snapshot) -> SafeString:
    """Render the complete fragment of one station. Raises KeyError for an unknown station."""
    data, parts = STATIONS[station]
    screen = data(state)
    return mark_safe("\n".join(part(screen) for part in parts.values()))


def _own(name: str, state: Snapshot) -> object:
    """Return what only the table's game shows at a station; None where it shows nothing of its own."""
    own_data = getattr(game_screens(state["table"]["game"]), name, None) if name else None
    if own_data is None:
        return None
    return own_data(left_on_layout(state) if name == "Table" else state)


# Parts of live screens that pages contain too


def render_layout(state: Snapshot) -> SafeString:
    """Render the layout of the table page, for a replayed round."""
    data = TableData(state)
    return templates.render(data.parts["layout"], s=state, screen=data, own=_own("Table", state))


def render_alert(alert: AlertFacts, state: Snapshot, station: str = "tile") -> SafeString:
    """Render one alert of a table as its tile at this station has it."""
    data = STATIONS[station].data(state)
    return templates.render("tables/parts/alert.jinja", s=state, screen=data, alert=data.alert_row(alert))


def render_rounds(game: str, history: list[PastRound]) -> SafeString:
    """Render ended rounds as rows of the table page."""
    rows = (templates.render("tables/table/round.jinja", round=row) for row in round_rows(game, history))
    return SafeString("".join(rows))


def render_practice_strip(kind: str) -> SafeString:
    """Render the strip over the screen of a training or simulated table; nothing for a live table."""
    return templates.render("tables/parts/practice_strip.jinja", kind=kind)


def read_state(table_id: int) -> TableState:
    """Read the snapshot of a table. Raises `Table.DoesNotExist`."""
    return TableState(table_id, snapshot.of_table(table_id))


def state_after(ctx: TableContext) -> TableState:
    """The snapshot of the table of a committed act, from the act's context (`Act.is_all_in_context`)."""
    return TableState(ctx.table.pk, snapshot.after_act(ctx))


# What the stations of this worker show

# By station, facility and table: those that a socket holds, or that somebody renders now.
_shown: weakref.WeakValueDictionary[tuple[str, str, str], Shown] = weakref.WeakValueDictionary()
_shown_lock = threading.Lock()


def show(station: str, state: Snapshot) -> Shown:
    """Show a state at one station of this worker, unless it shows a newer one. Queries nothing.

    Raises KeyError for an unknown station, and what rendering raises.
    """
    key = station, state["table"]["facility"], state["table"]["code"]
    shown = _shown.get(key)
    if shown is None:
        with _shown_lock:
            shown = _shown.setdefault(key, Shown(STATIONS[station]))
    shown.show(state)
    return shown


def forget_shown() -> None:
    """Forget what the stations of this process show: sockets that are open go on with what they have."""
    with _shown_lock:
        _shown.clear()


def read_shown(station: str, table_id: int) -> Shown:
    """Read a table and show it at one station. Raises `Table.DoesNotExist`.

    If a second read finds an older state than was shown before it, a backup was restored under this worker: then that
    is shown.
    """
    state = snapshot.of_table(table_id)
    shown = show(station, state)
    before = shown.state
    if before is not None and is_newer(before, state):
        state = snapshot.of_table(table_id)
        shown.show(state, is_truth=is_newer(before, state))
    return shown


def screen(station: str, table_id: int) -> Screen:
    """Return the version and HTML of one station, for a resync. Raises `Table.DoesNotExist`."""
    return read_shown(station, table_id).screen

"""Render fragments from a snapshot with MiniJinja: the same templates for first paint, push and resync.

A snapshot travels as its JSON text, and a fragment is a function of that text alone. So each worker renders a station
only if one of its screens shows it, and once for all of them. The worker that made the text renders from the snapshot
that it made it of: a snapshot has only what JSON gives back (`tests/tables/test_snapshot.py`).
"""

import json
import threading
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypedDict, cast

from django.utils.safestring import SafeString

from games.snapshot_types import AlertFacts, PastRound, Snapshot
from tables.core.context import TableContext
from tables.screens import snapshot, templates
from tables.screens.changes import changed_lines
from tables.screens.layout import game_screens
from tables.screens.screen_data import (
    ConsoleData,
    LockedTileData,
    ScreenData,
    SignData,
    SignWithRollsData,
    TableData,
    TileData,
    WallData,
    left_on_layout,
    round_rows,
)


class Station(NamedTuple):
    """How a station is rendered: its template, its data, and the class of a game's own data (`own`), if any."""

    template: str
    data: type[ScreenData]
    own: str = ""


STATIONS = {
    "dealer": Station("tables/console/screen.jinja", ConsoleData, "Console"),
    "tile": Station("tables/floor/tile.jinja", TileData),
    "locked": Station("tables/floor/tile.jinja", LockedTileData),
    "wall": Station("tables/floor/wall_table.jinja", WallData),
    "table": Station("tables/table/screen.jinja", TableData, "Table"),
    "sign": Station("tables/sign/screen.jinja", SignData),
    "sign-with-rolls": Station("tables/sign/screen.jinja", SignWithRollsData),
}
CACHED_FRAGMENTS = 128  # of the states pushed last, about 40 kB each
KEPT_STATES = 8


class Screen(TypedDict):
    """The fragment of one station, and the version that it shows."""

    version: int
    html: str


@dataclass(frozen=True)
class TableState:
    """A snapshot as it is pushed: `text` is its JSON. Table and facility are codes."""

    table: str
    facility: str
    version: int
    text: str


class NewestStates:
    """The newest snapshots of this process by their text. Nobody may change them. Used from any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._snapshots: dict[str, Snapshot] = {}

    def add(self, text: str, state: Snapshot) -> None:
        """Keep a snapshot in place of the oldest. `text` is its JSON."""
        with self._lock:
            self._snapshots[text] = state
            if len(self._snapshots) > KEPT_STATES:
                del self._snapshots[next(iter(self._snapshots))]

    def parse(self, text: str) -> Snapshot:
        """Return the snapshot of this text, which is parsed once for all of its stations."""
        state = self._snapshots.get(text)
        if state is None:
            state = cast(Snapshot, json.loads(text))
            self.add(text, state)
        return state


newest_states = NewestStates()


@dataclass(frozen=True)
class Fragment:
    """A rendered station of a state."""

    table: str
    version: int
    html: str

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the HTML, which are compared with those of the fragments before and after."""
        return self.html.split("\n")

    @cached_property
    def message(self) -> str:
        """What is sent on a socket: JSON of table, version and HTML."""
        return json.dumps({"table": self.table, "version": self.version, "html": self.html})

    @property
    def screen(self) -> Screen:
        """The fragment as the answer to a request."""
        return {"version": self.version, "html": self.html}


def render(station: str, state: Snapshot) -> SafeString:
    """Render the fragment of one station. Raises KeyError for an unknown station."""
    template, data, own = STATIONS[station]
    return templates.render(template, s=state, screen=data(state), own=_own(own, state))


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
    return _state(snapshot.of_table(table_id))


def state_after(ctx: TableContext) -> TableState:
    """The snapshot of the table of a committed act, from the act's context (`Act.is_all_in_context`)."""
    return _state(snapshot.after_act(ctx))


def _state(state: Snapshot) -> TableState:
    table, text = state["table"], json.dumps(state)
    newest_states.add(text, state)
    return TableState(table["code"], table["facility"], state["version"], text)


@lru_cache(CACHED_FRAGMENTS)
def fragment(station: str, state_text: str) -> Fragment:
    """Render one station of a state. Queries nothing. Raises KeyError for an unknown station."""
    shown = newest_states.parse(state_text)
    return Fragment(shown["table"]["code"], shown["version"], render(station, shown))


def read_fragment(station: str, table_id: int) -> Fragment:
    """Read a table and render one station. Raises `Table.DoesNotExist`."""
    return fragment(station, read_state(table_id).text)


def screen(station: str, table_id: int) -> Screen:
    """Return the version and HTML of one station, for a first paint or a resync."""
    return read_fragment(station, table_id).screen


@lru_cache(CACHED_FRAGMENTS)
def message_after(before: Fragment, after: Fragment) -> str:
    """The message for a screen to which `before` was sent: the changed lines, or all where most have changed.

    JSON of table, version, the version that it changes (`base`), and `lines`.
    """
    lines = changed_lines(before.lines, after.lines)
    content = {"table": after.table, "version": after.version, "base": before.version, "lines": lines}
    message = json.dumps(content)
    return message if len(message) < len(after.html) // 2 else after.message

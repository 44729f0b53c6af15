"""Render fragments from a snapshot with MiniJinja, and send a screen the lines that changed.

The same templates serve first paint, push and resync. A snapshot travels as its JSON text, and a fragment is a function
of that text alone. So each worker renders a station only if one of its screens shows it, and once for all of them. The
worker that made the text renders from the snapshot that it made it of: a snapshot has only what JSON gives back
(`tests/tables/test_snapshot.py`).

An act changes a few of the six hundred lines of a console. Comparing two fragments line by line (`changed_lines`) takes
a fraction of the time that it takes to send all of them to a screen.
"""

import itertools
import json
import operator
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import NamedTuple, TypeAlias, TypedDict, cast

from django.utils.safestring import SafeString

from games.snapshot_types import AlertFacts, PastRound, Snapshot
from tables.core.context import TableContext
from tables.screens import snapshot, templates
from tables.screens.console_data import ConsoleData
from tables.screens.floor_data import LockedTileData, TileData, WallData
from tables.screens.layout import game_screens
from tables.screens.screen_data import ScreenData, SignData, SignWithRollsData, left_on_layout, round_rows
from tables.screens.table_data import TableData

# Lines that changed


# From which line of the old text, how many to replace, and the new ones.
Change: TypeAlias = tuple[int, int, list[str]]
MOST_LINES_AHEAD = 500
LINES_AHEAD = (4, 15, 60, MOST_LINES_AHEAD)  # most changes end within a few lines


def changed_lines(old: Sequence[str], new: Sequence[str]) -> list[Change]:
    """Return what turns the old lines into the new ones, in their order. Not always the least, but always right."""
    changes: list[Change] = []
    i = j = 0
    while True:
        equal = _equal_lines(old, i, new, j)
        i, j = i + equal, j + equal
        if i == len(old) and j == len(new):
            return changes
        skipped_old, skipped_new = _to_next_equal(old, i, new, j)
        changes.append((i, skipped_old, list(new[j : j + skipped_new])))
        i, j = i + skipped_old, j + skipped_new


def _equal_lines(old: Sequence[str], i: int, new: Sequence[str], j: int) -> int:
    """How many lines from here on are the same in both texts."""
    are_different = map(operator.ne, old[i:], new[j:])
    return next(itertools.compress(itertools.count(), are_different), min(len(old) - i, len(new) - j))


def _to_next_equal(old: Sequence[str], i: int, new: Sequence[str], j: int) -> tuple[int, int]:
    """How many lines to skip in each text to the nearest pair of equal lines; all of them without one nearby."""
    for lines in LINES_AHEAD:
        first_in_new: dict[str, int] = {}
        for back, line in enumerate(new[j : j + lines]):
            first_in_new.setdefault(line, back)
        pairs = (
            (ahead + first_in_new[line], ahead)
            for ahead, line in enumerate(old[i : i + lines])
            if line in first_in_new
        )
        distance, ahead = min(pairs, default=(lines, 0))
        if distance < lines:  # no pair outside of these lines is nearer
            return ahead, distance - ahead
    return len(old) - i, len(new) - j


# Fragments


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

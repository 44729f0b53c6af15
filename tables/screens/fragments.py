"""Render fragments from a snapshot: the same templates for first paint, push and resync.

A snapshot travels as its JSON text, and a fragment is a function of that text alone. So each worker renders a station
only if one of its screens shows it, and once for all of them.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import TypedDict

from django.template.loader import render_to_string

from games.snapshot_types import Snapshot
from tables.screens import snapshot

TEMPLATES = {
    "dealer": "tables/console/screen.html",
    "tile": "tables/floor/tile.html",
    "table": "tables/table/screen.html",
    "sign": "tables/sign/screen.html",
}
CACHED_FRAGMENTS = 128  # of the states pushed last, about 40 kB each


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


@dataclass(frozen=True)
class Fragment:
    """A rendered station of a state. `message` is what is sent on a socket: JSON of table, version and HTML."""

    table: str
    version: int
    html: str
    message: str

    @property
    def screen(self) -> Screen:
        """The fragment as the answer to a request."""
        return {"version": self.version, "html": self.html}


def render(station: str, state: Snapshot) -> str:
    """Render the fragment of one station. Raises KeyError for an unknown station."""
    return render_to_string(TEMPLATES[station], {"s": state})


def read_state(table_id: int) -> TableState:
    """Read the snapshot of a table. Raises `Table.DoesNotExist`."""
    state = snapshot.of_table(table_id)
    table = state["table"]
    return TableState(table["code"], table["facility"], state["version"], json.dumps(state))


@lru_cache(CACHED_FRAGMENTS)
def fragment(station: str, state_text: str) -> Fragment:
    """Render one station of a state. Queries nothing. Raises KeyError for an unknown station."""
    shown: Snapshot = json.loads(state_text)
    table, version, html = shown["table"]["code"], shown["version"], render(station, shown)
    return Fragment(table, version, html, json.dumps({"table": table, "version": version, "html": html}))


def screen(station: str, table_id: int) -> Screen:
    """Return the version and HTML of one station, for a first paint or a resync."""
    return fragment(station, read_state(table_id).text).screen

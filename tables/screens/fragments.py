"""Render fragments from a snapshot: the same templates for first paint, push and resync."""

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
PUSHED = tuple(TEMPLATES)


class Screen(TypedDict):
    """The fragment of one station, and the version that it shows."""

    version: int
    html: str


class Message(Screen):
    """What is pushed to the screens of one station."""

    table: str
    table_id: int
    facility: str


def render(station: str, state: Snapshot) -> str:
    """Render the fragment of one station. Raises KeyError for an unknown station."""
    return render_to_string(TEMPLATES[station], {"s": state})


def message(station: str, table_id: int, state: Snapshot) -> Message:
    """Return the message that is pushed to the screens of one station."""
    table = state["table"]
    return {
        "table": table["code"],
        "table_id": table_id,
        "facility": table["facility"],
        "version": state["version"],
        "html": render(station, state),
    }


def messages(table_id: int, stations: tuple[str, ...] = PUSHED) -> dict[str, Message]:
    """Return the messages of a table by station, all from the same snapshot."""
    state = snapshot.of_table(table_id)
    return {station: message(station, table_id, state) for station in stations}


def screen(station: str, table_id: int) -> Screen:
    """Return the version and HTML of one station, for a first paint, a response or a resync."""
    message = messages(table_id, (station,))[station]
    return {"version": message["version"], "html": message["html"]}

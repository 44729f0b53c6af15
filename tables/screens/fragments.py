"""Fragments rendered from a snapshot: the same lines on first paint, on every push and on every resync."""

from typing import Any

from django.template.loader import render_to_string

from tables.screens import snapshot

TEMPLATES = {
    "dealer": "tables/console/screen.html",
    "tile": "tables/floor/tile.html",
    "table": "tables/table/screen.html",
    "sign": "tables/sign/screen.html",
}
PUSHED = tuple(TEMPLATES)


def render(station: str, state: dict[str, Any]) -> str:
    """The fragment of one station. Raises KeyError for a station that does not exist."""
    return render_to_string(TEMPLATES[station], {"s": state})


def message(station: str, table_id: int, state: dict[str, Any]) -> dict[str, Any]:
    """What travels to one station's screens."""
    table = state["table"]
    return {
        "table": table["code"],
        "table_id": table_id,
        "facility": table["facility"],
        "version": state["version"],
        "html": render(station, state),
    }


def messages(table_id: int, stations: tuple[str, ...] = PUSHED) -> dict[str, dict[str, Any]]:
    """The messages of a table as it now stands, by station, all from one snapshot."""
    state = snapshot.of_table(table_id)
    return {station: message(station, table_id, state) for station in stations}


def screen(station: str, table_id: int) -> dict[str, Any]:
    """One station's version and HTML, for a first paint, an answer or a resync."""
    found = messages(table_id, (station,))[station]
    return {"version": found["version"], "html": found["html"]}

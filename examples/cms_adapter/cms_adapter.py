"""Carries what happens at the tables into a casino management system: openings, results, fills, credits and ratings.

It reads the record of Pitside from where it stopped and sends one message to the system for each entry that the system
wants. Position and unsent messages are in one SQLite file, written together: whatever is cut or killed, no message is
left out, and one that may have arrived is sent again with the same id (`stream#number`), by which the system knows it.
Messages leave in the order of the record.

    python cms_adapter.py --pitside https://pitside.example --cms https://cms.example/api --state cms.sqlite3

The client's id and secret are PITSIDE_CLIENT_ID and PITSIDE_CLIENT_SECRET; its scopes: entries and people.
"""

import argparse
import json
import os
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

import httpx
from pitside_api.api.people import find_player_by_card, list_ratings
from pitside_api.models import CardShape
from pitside_client import Entry, NotAnswered, Pitside, Refused, answered

TYPES = (
    "table.opened",
    "table.closed",
    "layout.cleared",
    "transfer.received",
    "rating.ended",
    "rating.moved",
)
TABLES = """
CREATE TABLE IF NOT EXISTS place (id INTEGER PRIMARY KEY CHECK (id = 1), position TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS unsent (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, message TEXT NOT NULL);
"""


@dataclass(frozen=True)
class Message:
    """What the system is told. `kind` is its address there; `content` has whole cents, and moments in UTC."""

    id: str
    kind: str
    content: dict[str, Any]


class State:
    """Where the adapter is in the record, and what it has not sent yet."""

    def __init__(self, path: str) -> None:
        self.rows = sqlite3.connect(path)
        self.rows.executescript(TABLES)

    @property
    def position(self) -> str:
        row = self.rows.execute("SELECT position FROM place").fetchone()
        return row[0] if row else "0"

    def keep(self, message: Message | None, position: str) -> None:
        """Store a message and that the record was read up to its entry, both or neither."""
        with self.rows:
            if message is not None:
                said = json.dumps([message.kind, message.content])
                self.rows.execute("INSERT INTO unsent (id, message) VALUES (?, ?)", (message.id, said))
            self.rows.execute("INSERT OR REPLACE INTO place VALUES (1, ?)", (position,))

    def unsent(self) -> Iterator[Message]:
        for id_, said in self.rows.execute("SELECT id, message FROM unsent ORDER BY number").fetchall():
            yield Message(id_, *json.loads(said))

    def sent(self, message: Message) -> None:
        with self.rows:
            self.rows.execute("DELETE FROM unsent WHERE id = ?", (message.id,))

    def close(self) -> None:
        self.rows.close()


def message_of(entry: Entry, pitside: Pitside) -> Message | None:
    """What an entry is to the system; None for what it does not want."""
    facility, _slash, place = entry.stream.partition("/")
    said = entry.entry
    data = said["data"]
    about = {"facility": facility, "table": place, "gaming_day": said["gaming_day"], "at": said["at"]}
    match entry.type:
        case "table.opened" | "table.closed":
            kind, content = "openings", {"open": entry.type == "table.opened"}
        case "layout.cleared":
            cents = {"taken_cents": data["taken_cents"], "paid_cents": data["paid_cents"]}
            kind, content = "results", {"round": data["round"], **cents}
        case "transfer.received":
            kind, content = data["kind"] + "s", {"slip": data["slip"], "cents": data["cents"]}
        case "rating.ended" | "rating.moved":
            kind, content = "ratings", rating_in_figures(pitside, facility, place, data["rating"])
        case _:
            return None
    return Message(f"{entry.stream}#{entry.number}", kind, about | content)


def rating_in_figures(pitside: Pitside, facility: str, table: str, number: int) -> dict[str, Any]:
    """A rating with its exact figures, which its entry does not have."""
    page = answered(
        list_ratings.sync(facility, client=pitside.client, table=table, after=number - 1, limit=1)
    )
    [rating] = [row for row in page.items if row.rating == number]
    figures: dict[str, Any] = rating.to_dict()
    return figures


def player_of_card(pitside: Pitside, facility: str, card: str) -> str | None:
    """The code by which Pitside knows the holder of a card; None for a card that it does not know.

    The number of the card stays here and there: the record has neither it nor a name.
    """
    try:
        holder = find_player_by_card.sync(facility, client=pitside.client, body=CardShape(card=card))
        return answered(holder).player
    except Refused as refusal:
        if refusal.code == "not-found":
            return None
        raise


class Adapter:
    """Carries entries to the system at `cms`, an `httpx.Client` whose base is its address."""

    def __init__(self, pitside: Pitside, cms: httpx.Client, state: State) -> None:
        self.pitside, self.cms, self.state = pitside, cms, state

    def catch_up(self) -> None:
        """Carry what is there now. Raises httpx.HTTPError while the system does not take messages; call it again."""
        self.deliver()
        for entry in self.pitside.read_record(self.state.position, types=TYPES).pages():
            self.carry(entry)

    def follow(self) -> None:
        """Carry entries as they are written, without end."""
        self.deliver()
        for entry in self.pitside.read_record(self.state.position, types=TYPES).follow():
            self.carry(entry)

    def carry(self, entry: Entry) -> None:
        self.state.keep(message_of(entry, self.pitside), entry.position)
        self.deliver()

    def deliver(self) -> None:
        """Send what is unsent, in order. What is not taken stays, with what comes after it."""
        for message in self.state.unsent():
            headers = {"Message-Id": message.id}
            self.cms.post(f"/{message.kind}", json=message.content, headers=headers).raise_for_status()
            self.state.sent(message)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--pitside", required=True, help="address of Pitside")
    parser.add_argument(
        "--cms", required=True, help="address of the system, below which the kinds of messages are"
    )
    parser.add_argument("--state", required=True, help="the SQLite file of this adapter")
    parser.add_argument("--once", action="store_true", help="carry what is there, and end")
    given = parser.parse_args()
    client_id, secret = os.environ["PITSIDE_CLIENT_ID"], os.environ["PITSIDE_CLIENT_SECRET"]
    with (
        Pitside(given.pitside, client_id, secret, scopes=["entries", "people"]) as pitside,
        httpx.Client(base_url=given.cms) as cms,
        closing(State(given.state)) as state,
    ):
        adapter = Adapter(pitside, cms, state)
        try:
            if given.once:
                adapter.catch_up()
            else:
                adapter.follow()
        except httpx.HTTPError as error:
            why = (
                f"it answered {error.response.status_code}"
                if isinstance(error, httpx.HTTPStatusError)
                else error
            )
            sys.exit(
                f"The system at {given.cms} takes no message: {why}. What is unsent is kept. Start again."
            )
        except (Refused, NotAnswered) as error:
            sys.exit(f"Pitside at {given.pitside}: {error}")


if __name__ == "__main__":
    main()

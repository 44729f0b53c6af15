"""The record as a stream of entries: each once and in order, also after lost connections and a restart."""

import hashlib
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import httpx
from httpx_sse import connect_sse

from pitside_client.problems import NotAnswered, Refused, refusal_of

ENTRY_TAG = b"pitside/entry/v1\n"
PAGE = 500
SILENCE_SECONDS = 40.0  # the server says something every 15 to 30 s
SHORTEST_WAIT, LONGEST_WAIT = 1.0, 60.0


class Interrupted(Exception):
    """An entry does not follow the one before on its stream, or its text is not what was hashed. Tell compliance."""


@dataclass(frozen=True)
class Entry:
    """An entry of the record. `position`: save it with what you made of the entry, and go on from there."""

    position: str
    stream: str
    number: int
    hash: str
    prev: str
    body: str
    entry: dict[str, Any]

    @property
    def type(self) -> str:
        """Such as round.settled."""
        return str(self.entry["_type"])

    def verify(self) -> None:
        """Raise Interrupted unless the hash is that of this text after `prev`."""
        made = hashlib.sha256(ENTRY_TAG + bytes.fromhex(self.prev) + self.body.encode()).hexdigest()
        if made != self.hash:
            raise Interrupted(f"The text of {self.stream} {self.number} is not the one that was hashed.")


class Reader:
    """Reads entries after `position`, which moves on with each entry that was given out. Each hash is checked.

    Without `types`, each entry must also follow the one before on its stream, of those that this reader has seen.
    """

    def __init__(
        self,
        http: httpx.Client,
        position: str,
        stream: str,
        types: tuple[str, ...],
        sleep: Callable[[float], None],
    ) -> None:
        self.http, self.position, self.stream, self.types, self.sleep = http, position, stream, types, sleep
        self._last: dict[str, Entry] = {}

    def pages(self) -> Iterator[Entry]:
        """The entries that are there now, by pages. Only without `stream`, whose pages are numbered otherwise."""
        if self.stream:
            raise ValueError("Follow a single stream, or read its pages by list_entries.")
        more = True
        while more:
            response = self.http.get("/api/v1/entries", params=self._query() | {"limit": PAGE})
            if response.status_code != 200:
                raise refusal_of(response)
            page = response.json()
            for item in page["items"]:
                yield self._checked(Entry(**item))
            self.position, more = page["next"], page["more"]

    def follow(self) -> Iterator[Entry]:
        """Entries as they are written, without end. A lost connection is opened again where this reader is.

        Raises Refused where the server refuses it, such as for a client that was revoked.
        """
        wait = SHORTEST_WAIT
        while True:
            try:
                for entry in self._connection():
                    wait = SHORTEST_WAIT
                    yield entry
            except (httpx.TransportError, NotAnswered):
                pass
            self.sleep(wait * random.uniform(0.5, 1.0))  # so that not all come back at once
            wait = min(2 * wait, LONGEST_WAIT)

    def _connection(self) -> Iterator[Entry]:
        """The entries of one connection, until it is lost."""
        timeout = httpx.Timeout(20.0, read=SILENCE_SECONDS)
        address, query = "/api/v1/entries/stream", self._query()
        with connect_sse(self.http, "GET", address, params=query, timeout=timeout) as source:
            if source.response.status_code != 200:
                source.response.read()
                raise refusal_of(source.response)
            for event in source.iter_sse():
                if event.event == "end":
                    raise Refused(
                        401, event.json()["code"], "This client was ended while it read the record."
                    )
                if event.event == "entry":
                    yield self._checked(Entry(**event.json()))

    def _query(self) -> dict[str, Any]:
        query: dict[str, Any] = {"after": self.position}
        return (
            query
            | ({"stream": self.stream} if self.stream else {})
            | ({"type": [*self.types]} if self.types else {})
        )

    def _checked(self, entry: Entry) -> Entry:
        entry.verify()
        before = self._last.get(entry.stream)
        if (
            not self.types
            and before is not None
            and (before.number + 1, before.hash) != (entry.number, entry.prev)
        ):
            raise Interrupted(f"{entry.stream} {entry.number} does not follow {before.number}.")
        self._last[entry.stream] = entry
        self.position = entry.position
        return entry

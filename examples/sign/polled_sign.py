"""A sign that asks every two seconds, for devices without a browser or Server-Sent Events. `relay.py` follows a stream.

Its `send(method, path, body, key)` returns the status and the JSON of an answer, renews the token, and raises OSError
without an answer, as `Connection.send` of examples/dice_reader/reader.py does.
"""

import time
import uuid
from collections.abc import Callable
from typing import Any

LOST_AFTER = 15.0  # seconds without an answer, after which the limits may have changed


class PolledSign:
    """The sign of one table (facilities/…/tables/…). `show(None)` takes everything down; call `refresh` every 2 s."""

    def __init__(
        self,
        send: Any,
        table: str,
        show: Callable[[Any], None],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.send, self.table, self.show, self.seconds = send, table, show, seconds
        self.shown: Any = None  # what the glass shows: an answer of the server
        self.confirmed: dict[str, int] | None = None  # what the server knows that it shows
        self.heard = seconds()

    def refresh(self) -> None:
        """Show what the sign shall show, and only then say so. Take it down if the server was silent for too long."""
        try:
            status, sign = self.send("GET", f"{self.table}/sign")
        except OSError:
            status, sign = 0, None
        if status == 200:
            self.heard = self.seconds()
            self._show(sign)
        elif self.seconds() - self.heard > LOST_AFTER and self.shown is not None:
            self.shown = self.confirmed = None
            self.show(None)

    def _show(self, sign: Any) -> None:
        if sign != self.shown:  # also where its results alone have changed, or ended
            self.show(sign)
            self.shown = sign
        change = sign["coming"]["change"] if sign["coming"] else 0
        shows = {"min_cents": sign["min_cents"], "max_cents": sign["max_cents"], "change": change}
        if shows == self.confirmed:
            return
        try:
            status, answer = self.send("POST", f"{self.table}/sign/shown", shows, str(uuid.uuid4()))
        except OSError:
            return  # the next refresh says it again
        if status == 200 or answer.get("code") == "sign-shown-already":
            self.confirmed = shows

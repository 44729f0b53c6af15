"""Randomness and time that are the same in every play."""

import datetime as dt
import hashlib
import sys

BEGIN = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)  # 10:00 on the clocks of both facilities
SECONDS_PER_ACT = 3


class Randomness:
    """Stands in for the system's random bytes: the same label gives the same bytes again.

    Keys of new rows come from a counter for each model, so that one row more of another model moves none of them.
    """

    def __init__(self) -> None:
        self.restart("start")
        self.rows: dict[str, int] = {}

    def restart(self, label: str) -> None:
        """Restart under a label, so that one draw more or less changes no later act."""
        self.label, self.draws = label, 0

    def __call__(self, size: int) -> bytes:
        """As `os.urandom`."""
        frame = sys._getframe(1)
        field_of_row = None
        if frame.f_code.co_name == "uuid4" and frame.f_back is not None:
            field_of_row = getattr(frame.f_back.f_locals.get("self"), "model", None)
        if field_of_row is not None:
            label = str(field_of_row._meta.label)
            self.rows[label] = number = self.rows.get(label, 0) + 1
        else:
            label, number = self.label, self.draws
            self.draws += 1
        return self._bytes(f"{label}/{number}", size)

    def _bytes(self, label: str, size: int) -> bytes:
        parts = [hashlib.sha256(f"{label}/{part}".encode()).digest() for part in range(size // 32 + 1)]
        return b"".join(parts)[:size]


class Clock:
    """The moment of every act. Only a play advances it."""

    def __init__(self, now: dt.datetime = BEGIN) -> None:
        self.now = now
        self.jumped = 0.0

    def __call__(self) -> dt.datetime:
        return self.now

    def monotonic(self) -> float:
        """Seconds that go by with the clock, and do not jump with it."""
        return (self.now - BEGIN).total_seconds() - self.jumped

    def pass_(self, seconds: float = SECONDS_PER_ACT) -> None:
        self.now += dt.timedelta(seconds=seconds)

    def jump(self, seconds: float) -> None:
        """The clock is set, and no time goes by."""
        self.jumped += seconds
        self.pass_(seconds)

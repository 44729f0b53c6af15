"""What a screen may send with an act. Anything else is refused before a rule is asked."""

import datetime as dt
import re
from collections.abc import Callable
from typing import Any, TypeVar

from games.engine import Refusal

T = TypeVar("T")

CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,19}")
MOST_WAGERS = 64 * 50
MOST_CENTS = 10**12
MOST_TEXT = 200
MOST_THROWS = 8
YEARS = range(1900, 2200)  # of any day: what is counted from it stays within the calendar


class Params:
    """Reads one act's parameters by name and kind; `done` refuses what nobody asked about."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise malformed("params")
        self._left = dict(values)

    def whole(self, name: str, low: int, high: int, *, default: int | None = None) -> int:
        """A whole number from `low` to `high`; booleans and floats are not numbers here."""
        value = self._left.pop(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise malformed(name)
        return value

    def text(self, name: str, *, default: str | None = None, most: int = MOST_TEXT) -> str:
        """A line of at most `most` characters, trimmed; empty is refused unless it is the default."""
        value = self._left.pop(name, default)
        if not isinstance(value, str) or len(value) > most or not value.isprintable():
            raise malformed(name)
        value = value.strip()
        if not value and default is None:
            raise malformed(name)
        return value

    def prose(self, name: str, *, most: int) -> str:
        """A text of several lines, at most `most` characters, trimmed; empty where nothing was said."""
        value = self._left.pop(name, "")
        if not isinstance(value, str) or len(value) > most:
            raise malformed(name)
        lines = [line.rstrip() for line in value.replace("\r\n", "\n").split("\n")]
        if not all(line.replace("\t", "").isprintable() for line in lines):
            raise malformed(name)
        return "\n".join(lines).strip()

    def code(self, name: str) -> str:
        """The code of a lot or a shaker: at most 20 letters, digits, dots, hyphens and underscores."""
        value = self.text(name)
        if not CODE.fullmatch(value):
            raise malformed(name)
        return value

    def date(self, name: str, *, optional: bool = False) -> Any:
        """A day as `2026-11-21`; None where it may be left out and was. Raises `malformed` outside `YEARS`."""
        value = self._left.pop(name, None)
        if value is None and optional:
            return None
        try:
            day = dt.date.fromisoformat(value)
        except (TypeError, ValueError):
            raise malformed(name) from None
        if day.year not in YEARS:
            raise malformed(name)
        return day

    def choice(self, name: str, choices: tuple[str, ...], *, default: str | None = None) -> str:
        """One of the given words."""
        value = self._left.pop(name, default)
        if value not in choices:
            raise malformed(name)
        return str(value)

    def yes(self, name: str) -> bool:
        """True only when it was said outright."""
        value = self._left.pop(name, False)
        if not isinstance(value, bool):
            raise malformed(name)
        return value

    def dice(self, name: str = "dice", *, optional: bool = False) -> tuple[int, ...] | None:
        """Faces as called. How many, and that each shows 1 to 6, the engine asks."""
        value = self._left.pop(name, None)
        if value is None and optional:
            return None
        if (
            not isinstance(value, list)
            or not value
            or len(value) > 10
            or not all(_is_whole(face) for face in value)
        ):
            raise malformed(name)
        return tuple(value)

    def throws(self, name: str = "throws", *, optional: bool = False) -> tuple[tuple[int, ...], ...] | None:
        """Several throws, each with its faces as called, in order."""
        value = self._left.pop(name, None)
        if value is None and optional:
            return None
        if not isinstance(value, list) or not 0 < len(value) <= MOST_THROWS:
            raise malformed(name)
        return tuple(Params({name: dice}).dice(name) or () for dice in value)

    def whole_numbers(self, name: str, *, most: int = 64) -> tuple[int, ...]:
        """A list of whole numbers, empty when nothing was sent."""
        value = self._left.pop(name, [])
        if not isinstance(value, list) or len(value) > most or not all(_is_whole(number) for number in value):
            raise malformed(name)
        return tuple(value)

    def texts(self, name: str, *, most: int = 64) -> tuple[str, ...]:
        """A list of words, empty when nothing was sent."""
        value = self._left.pop(name, [])
        if (
            not isinstance(value, list)
            or len(value) > most
            or not all(
                isinstance(word, str) and len(word) <= MOST_TEXT and word.isprintable() for word in value
            )
        ):
            raise malformed(name)
        return tuple(value)

    def each(
        self, name: str, read: "Callable[[Params], T]", *, most: int = MOST_WAGERS, optional: bool = False
    ) -> tuple[T, ...]:
        """A list of at most `most` objects, each read by `read`; every one is read to its end.

        Empty, or not sent at all, only where it is `optional`.
        """
        value = self._left.pop(name, None)
        if optional and value in (None, []):
            return ()
        if not isinstance(value, list) or not value or len(value) > most:
            raise malformed(name)
        return tuple(_read_whole(item, read) for item in value)

    def done(self) -> None:
        """Raises a `Refusal` when something was sent that this act does not know."""
        if self._left:
            raise malformed(sorted(map(str, self._left))[0])


def malformed(name: str) -> Refusal:
    """The refusal of a parameter that no screen of ours sends."""
    return Refusal("malformed", name=name)


def _read_whole(item: Any, read: "Callable[[Params], T]") -> T:
    params = Params(item)
    value = read(params)
    params.done()
    return value


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)

"""The parameters that a screen may send with an act. Anything else is refused before a rule is checked.

`read_day` reads a day that somebody typed into an address, a form or a command.
"""

import datetime as dt
import re
from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeVar, overload

from games.chips import KNOWN_CHIPS_CENTS
from games.engine import Refusal
from games.refusals import MALFORMED

T = TypeVar("T")
Word = TypeVar("Word", bound=str)

CODE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,19}")
MOST_WAGERS = 64 * 50
MOST_CENTS = 10**12
MOST_CHIPS = 100_000  # of one denomination in one count
MOST_TEXT = 200
MOST_THROWS = 8
MOST_DICE = 10
YEARS = range(1900, 2200)  # of any date, so that what is computed from it stays within the calendar


class Params:
    """Reads the parameters of one act by name and kind. `reject_unknown` refuses those that the act never read."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise malformed("params")
        self._unread = dict(values)

    def integer(self, name: str, low: int, high: int, *, default: int | None = None) -> int:
        """Return an integer from `low` to `high`. Booleans and floats are refused."""
        value = self._unread.pop(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise malformed(name)
        return value

    def text(self, name: str, *, default: str | None = None, max_length: int = MOST_TEXT) -> str:
        """Return one line of text, trimmed. Empty text is refused unless there is a default."""
        value = self._unread.pop(name, default)
        if not isinstance(value, str) or len(value) > max_length or not value.isprintable():
            raise malformed(name)
        value = value.strip()
        if not value and default is None:
            raise malformed(name)
        return value

    def prose(self, name: str, *, max_length: int) -> str:
        """Return text of several lines, trimmed; empty if it was not sent."""
        value = self._unread.pop(name, "")
        if not isinstance(value, str) or len(value) > max_length:
            raise malformed(name)
        lines = [line.rstrip() for line in value.replace("\r\n", "\n").split("\n")]
        if not all(line.replace("\t", "").isprintable() for line in lines):
            raise malformed(name)
        return "\n".join(lines).strip()

    def code(self, name: str) -> str:
        """Return the code of a record: at most 20 letters, digits, dots, hyphens and underscores."""
        value = self.text(name)
        if not CODE.fullmatch(value):
            raise malformed(name)
        return value

    @overload
    def date(self, name: str, *, optional: Literal[False] = False) -> dt.date: ...

    @overload
    def date(self, name: str, *, optional: bool) -> dt.date | None: ...

    def date(self, name: str, *, optional: bool = False) -> dt.date | None:
        """Return a date such as `2026-11-21`; None if it is optional and was not sent.

        Raises `malformed` for a year outside `YEARS`.
        """
        value = self._unread.pop(name, None)
        if value is None and optional:
            return None
        try:
            date = dt.date.fromisoformat(value)
        except (TypeError, ValueError):
            raise malformed(name) from None
        if date.year not in YEARS:
            raise malformed(name)
        return date

    def moment(self, name: str) -> dt.datetime:
        """Return a moment such as `2026-11-21T09:24:04Z`, in UTC. One without an offset is refused."""
        value = self._unread.pop(name, None)
        try:
            moment = dt.datetime.fromisoformat(value)
            if moment.tzinfo is None or moment.year not in YEARS:
                raise malformed(name)
            return moment.astimezone(dt.UTC)
        except (TypeError, ValueError, OverflowError):
            raise malformed(name) from None

    def choice(self, name: str, choices: tuple[Word, ...], *, default: Word | None = None) -> Word:
        """Return one of these words."""
        value: Word | None = self._unread.pop(name, default)
        if value is None or value not in choices:
            raise malformed(name)
        return value

    def boolean(self, name: str) -> bool:
        """Return a boolean; False if it was not sent."""
        value = self._unread.pop(name, False)
        if not isinstance(value, bool):
            raise malformed(name)
        return value

    def dice(self, name: str = "dice", *, optional: bool = False) -> tuple[int, ...] | None:
        """Return the faces as called. The engine checks their number, and that each is 1 to 6."""
        value = self._unread.pop(name, None)
        if value is None and optional:
            return None
        if not isinstance(value, list) or not 0 < len(value) <= MOST_DICE:
            raise malformed(name)
        if not all(_is_integer(face) for face in value):
            raise malformed(name)
        return tuple(value)

    def throws(self, name: str = "throws", *, optional: bool = False) -> tuple[tuple[int, ...], ...] | None:
        """Return several throws in order, each with its faces as called."""
        value = self._unread.pop(name, None)
        if value is None and optional:
            return None
        if not isinstance(value, list) or not 0 < len(value) <= MOST_THROWS:
            raise malformed(name)
        return tuple(Params({name: dice}).dice(name) or () for dice in value)

    def integers(self, name: str, *, max_items: int = 64) -> tuple[int, ...]:
        """Return a list of integers; empty if it was not sent."""
        value = self._unread.pop(name, [])
        if not isinstance(value, list) or len(value) > max_items:
            raise malformed(name)
        if not all(_is_integer(number) for number in value):
            raise malformed(name)
        return tuple(value)

    def faces(self, name: str) -> tuple[int, ...] | None:
        """Return faces that somebody read, also none; None if it was not sent. The engine checks them."""
        value = self._unread.pop(name, None)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > MOST_DICE or not all(map(_is_integer, value)):
            raise malformed(name)
        return tuple(value)

    def chips(
        self, name: str, *, values: Sequence[int] = KNOWN_CHIPS_CENTS, optional: bool = False
    ) -> dict[str, int]:
        """Return a count of chips by denomination: {chip cents as text: number}, largest first, without zeros.

        `values`: those that may be counted, in cents and largest first. `optional`: empty if it was not sent.
        """
        value = self._unread.pop(name, None)
        if value is None and optional:
            return {}
        if not isinstance(value, dict) or not set(value) <= {str(chip) for chip in values}:
            raise malformed(name)
        if not all(_is_integer(number) and 0 <= number <= MOST_CHIPS for number in value.values()):
            raise malformed(name)
        return {str(chip): value[str(chip)] for chip in values if value.get(str(chip))}

    def texts(self, name: str, *, max_items: int = 64) -> tuple[str, ...]:
        """Return a list of words; empty if it was not sent."""
        value = self._unread.pop(name, [])
        if not isinstance(value, list) or len(value) > max_items or not all(_is_word(word) for word in value):
            raise malformed(name)
        return tuple(value)

    def objects(
        self,
        name: str,
        read: Callable[["Params"], T],
        *,
        max_items: int = MOST_WAGERS,
        optional: bool = False,
    ) -> tuple[T, ...]:
        """Return a list of objects, each read by `read`. An empty or missing list is refused unless `optional`."""
        value = self._unread.pop(name, None)
        if optional and value in (None, []):
            return ()
        if not isinstance(value, list) or not 0 < len(value) <= max_items:
            raise malformed(name)
        return tuple(_read_object(item, read) for item in value)

    def reject_unknown(self) -> None:
        """Raise Refusal(`malformed`) if a parameter was sent that this act did not read."""
        if self._unread:
            raise malformed(sorted(map(str, self._unread))[0])


def malformed(name: str) -> Refusal:
    """Return the refusal of a parameter that none of our screens sends in this form."""
    return Refusal(MALFORMED, name=name)


def _read_object(item: Any, read: Callable[[Params], T]) -> T:
    params = Params(item)
    value = read(params)
    params.reject_unknown()
    return value


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_word(value: Any) -> bool:
    return isinstance(value, str) and len(value) <= MOST_TEXT and value.isprintable()


# Days


EARLIEST_DAY = dt.date(2000, 1, 1)


def read_day(typed: str) -> dt.date | None:
    """Return a date such as 2026-11-21; None for anything else and for dates before this century."""
    try:
        day = dt.date.fromisoformat(typed) if re.fullmatch(r"\d{4}-\d\d-\d\d", typed, re.ASCII) else None
    except ValueError:
        return None
    return day if day and day >= EARLIEST_DAY else None

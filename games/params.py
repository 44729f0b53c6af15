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
# What the record takes no value of (`audit.chain.canonical`).
NOT_ON_RECORD = "Input should have no fraction, no number beyond 2^53, no NUL, and names in ASCII"
YEARS = range(1900, 2200)  # of any date, so that what is computed from it stays within the calendar


class Params:
    """Reads the parameters of one act by name and kind. `reject_unknown` refuses those that the act never read."""

    def __init__(self, values: Any) -> None:
        if not isinstance(values, dict):
            raise malformed("params", "Input should be an object", path="params")
        self._unread = dict(values)
        self._missing: set[str] = set()

    def integer(self, name: str, low: int, high: int, *, default: int | None = None) -> int:
        """Return an integer from `low` to `high`. Booleans and floats are refused."""
        value = self._take(name, default)
        if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
            raise self._malformed(name, f"Input should be a whole number from {low} to {high}")
        return value

    def text(self, name: str, *, default: str | None = None, max_length: int = MOST_TEXT) -> str:
        """Return one line of text, trimmed. Empty text is refused unless there is a default."""
        takes = f"Input should be one line of text of {max_length} characters at most"
        value = self._take(name, default)
        if not isinstance(value, str) or len(value) > max_length or not value.isprintable():
            raise self._malformed(name, takes)
        value = value.strip()
        if not value and default is None:
            raise self._malformed(name, takes)
        return value

    def prose(self, name: str, *, max_length: int) -> str:
        """Return text of several lines, trimmed; empty if it was not sent."""
        takes = f"Input should be text of {max_length} characters at most"
        value = self._take(name, "")
        if not isinstance(value, str) or len(value) > max_length:
            raise self._malformed(name, takes)
        lines = [line.rstrip() for line in value.replace("\r\n", "\n").split("\n")]
        if not all(line.replace("\t", "").isprintable() for line in lines):
            raise self._malformed(name, takes)
        return "\n".join(lines).strip()

    def code(self, name: str) -> str:
        """Return the code of a record: at most 20 letters, digits, dots, hyphens and underscores."""
        value = self.text(name)
        if not CODE.fullmatch(value):
            raise self._malformed(
                name, "Input should be a code of 20 letters, digits, dots, hyphens and underscores at most"
            )
        return value

    @overload
    def date(self, name: str, *, optional: Literal[False] = False) -> dt.date: ...

    @overload
    def date(self, name: str, *, optional: bool) -> dt.date | None: ...

    def date(self, name: str, *, optional: bool = False) -> dt.date | None:
        """Return a date such as `2026-11-21`; None if it is optional and was not sent.

        Raises `malformed` for a year outside `YEARS`.
        """
        takes = "Input should be a date such as 2026-11-21"
        value = self._take(name)
        if value is None and optional:
            return None
        try:
            date = dt.date.fromisoformat(value)
        except (TypeError, ValueError):
            raise self._malformed(name, takes) from None
        if date.year not in YEARS:
            raise self._malformed(name, takes)
        return date

    def moment(self, name: str) -> dt.datetime:
        """Return a moment such as `2026-11-21T09:24:04Z`, in UTC. One without an offset is refused."""
        takes = "Input should be a moment with its offset, such as 2026-11-21T09:24:04Z"
        value = self._take(name)
        try:
            moment = dt.datetime.fromisoformat(value)
            if moment.tzinfo is None or moment.year not in YEARS:
                raise self._malformed(name, takes)
            return moment.astimezone(dt.UTC)
        except (TypeError, ValueError, OverflowError):
            raise self._malformed(name, takes) from None

    def choice(self, name: str, choices: tuple[Word, ...], *, default: Word | None = None) -> Word:
        """Return one of these words."""
        value: Word | None = self._take(name, default)
        if value is None or value not in choices:
            raise self._malformed(name, f"Input should be one of {', '.join(choices)}")
        return value

    def boolean(self, name: str) -> bool:
        """Return a boolean; False if it was not sent."""
        value = self._take(name, False)
        if not isinstance(value, bool):
            raise self._malformed(name, "Input should be true or false")
        return value

    def dice(self, name: str = "dice", *, optional: bool = False) -> tuple[int, ...] | None:
        """Return the faces as called. The engine checks their number, and that each is 1 to 6."""
        takes = f"Input should be a list of 1 to {MOST_DICE} faces"
        value = self._take(name)
        if value is None and optional:
            return None
        if not isinstance(value, list) or not 0 < len(value) <= MOST_DICE:
            raise self._malformed(name, takes)
        if not all(_is_integer(face) for face in value):
            raise self._malformed(name, takes)
        return tuple(value)

    def throws(self, name: str = "throws", *, optional: bool = False) -> tuple[tuple[int, ...], ...] | None:
        """Return several throws in order, each with its faces as called."""
        value = self._take(name)
        if value is None and optional:
            return None
        if not isinstance(value, list) or not 0 < len(value) <= MOST_THROWS:
            raise self._malformed(name, f"Input should be a list of 1 to {MOST_THROWS} throws")
        return tuple(Params({name: dice}).dice(name) or () for dice in value)

    def integers(self, name: str, *, max_items: int = 64) -> tuple[int, ...]:
        """Return a list of integers; empty if it was not sent."""
        takes = f"Input should be a list of {max_items} whole numbers at most"
        value = self._take(name, [])
        if not isinstance(value, list) or len(value) > max_items:
            raise self._malformed(name, takes)
        if not all(_is_integer(number) for number in value):
            raise self._malformed(name, takes)
        return tuple(value)

    def faces(self, name: str) -> tuple[int, ...] | None:
        """Return faces that somebody read, also none; None if it was not sent. The engine checks them."""
        value = self._take(name)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > MOST_DICE or not all(map(_is_integer, value)):
            raise self._malformed(name, f"Input should be a list of {MOST_DICE} faces at most")
        return tuple(value)

    def chips(
        self, name: str, *, values: Sequence[int] = KNOWN_CHIPS_CENTS, optional: bool = False
    ) -> dict[str, int]:
        """Return a count of chips by denomination: {chip cents as text: number}, largest first, without zeros.

        `values`: those that may be counted, in cents and largest first. `optional`: empty if it was not sent.
        """
        takes = f"Input should be an object of chips ({', '.join(map(str, values))}) and numbers up to {MOST_CHIPS}"
        value = self._take(name)
        if value is None and optional:
            return {}
        if not isinstance(value, dict) or not set(value) <= {str(chip) for chip in values}:
            raise self._malformed(name, takes)
        if not all(_is_integer(number) and 0 <= number <= MOST_CHIPS for number in value.values()):
            raise self._malformed(name, takes)
        return {str(chip): value[str(chip)] for chip in values if value.get(str(chip))}

    def texts(self, name: str, *, max_items: int = 64) -> tuple[str, ...]:
        """Return a list of words; empty if it was not sent."""
        value = self._take(name, [])
        if not isinstance(value, list) or len(value) > max_items or not all(_is_word(word) for word in value):
            raise self._malformed(name, f"Input should be a list of {max_items} words at most")
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
        value = self._take(name)
        if optional and value in (None, []):
            return ()
        if not isinstance(value, list) or not 0 < len(value) <= max_items:
            raise self._malformed(name, f"Input should be a list of 1 to {max_items} objects")
        return tuple(_read_object(item, read, f"{name}.{place}") for place, item in enumerate(value))

    def reject_unknown(self) -> None:
        """Raise Refusal(`malformed`) if a parameter was sent that this act did not read."""
        if self._unread:
            raise malformed(sorted(map(str, self._unread))[0], "Extra inputs are not permitted")

    def _take(self, name: str, default: Any = None) -> Any:
        if name not in self._unread:
            self._missing.add(name)
        return self._unread.pop(name, default)

    def _malformed(self, name: str, takes: str) -> Refusal:
        return malformed(name, "Field required" if name in self._missing else takes)


def malformed(name: str, takes: str = "Input is not one that this act takes", *, path: str = "") -> Refusal:
    """Return the refusal of a parameter that none of our screens sends in this form.

    For programs beside the screens, `takes` says what it should be, and `path` where it is in the request.
    """
    return Refusal(MALFORMED, name=name, takes=takes, path=path or f"params.{name}")


def _read_object(item: Any, read: Callable[[Params], T], place: str) -> T:
    """Read an object that stands at this place of the parameters, such as `wagers.0`."""
    try:
        params = Params(item)
        value = read(params)
        params.reject_unknown()
    except Refusal as refusal:
        if refusal.code != MALFORMED:
            raise
        inner = refusal.params["path"].removeprefix("params")
        raise malformed(
            refusal.params["name"], refusal.params["takes"], path=f"params.{place}{inner}"
        ) from None
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

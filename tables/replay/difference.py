"""Differences between the record and what the rules give."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.engine.odds import in_dollars

LINE_FIELDS = ("cents", "outcome", "pays", "paid_cents", "returned_cents", "cut_cents", "cite")
KEY_FIELDS = frozenset({"seat", "wager", "play"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One value of one entry: what the record says and what the rules give.

    `field` names it: a key of the entry's data, `order`, `settled`, `hash`, `terms` or `entry`. With `seat`, it is a
    key of that seat's wager.
    """

    seq: int
    round: int | None
    field: str
    recorded: Any
    expected: Any
    seat: int | None = None
    wager: str = ""
    play: int | None = None

    def as_json(self, stream: str) -> dict[str, Any]:
        """Return the difference as a JSON object."""
        about = {"seat": self.seat, "wager": self.wager, "play": self.play} if self.seat is not None else {}
        place = {"stream": stream, "entry": self.seq, "round": self.round}
        return {**place, **about, "what": self.field, "record": self.recorded, "rules": self.expected}

    def __str__(self) -> str:
        about = f"seat {self.seat}, {self.wager}" if self.seat is not None else ""
        about += f", play {self.play}" if self.play is not None else ""
        place = f"entry {self.seq}, round {self.round}: {about}{', ' if about else ''}{self.name}"
        return f"{place}: the record says {self.recorded_text}, the rules give {self.expected_text}"

    @property
    def name(self) -> str:
        """The field in words."""
        return "stake" if self.field == "cents" else self.field.removesuffix("_cents").replace("_", " ")

    @property
    def recorded_text(self) -> str:
        """The record's value in words."""
        return self._format(self.recorded)

    @property
    def expected_text(self) -> str:
        """The rules' value in words."""
        return self._format(self.expected)

    def _format(self, value: Any) -> str:
        if value is None or value in ("", []):
            return "nothing"
        is_money = self.field == "cents" or self.field.endswith("_cents")
        return in_dollars(value) if is_money and type(value) is int else str(value)


def compare_settlements(
    seq: int, number: int | None, recorded: Any, expected: Sequence[Mapping[str, Any]]
) -> Iterator[Difference]:
    """Compare the wagers that an entry says were settled with those that the rules settle, in order."""
    if recorded == list(expected):
        return
    recorded_lines, expected_lines = _lines_by_key(recorded), _lines_by_key(expected)
    if recorded_lines is None or expected_lines is None or len(recorded_lines) != len(recorded):
        yield Difference(seq, number, "settled", "no list of wagers, each once", f"{len(expected)} wagers")
        return
    for key in [*expected_lines, *(key for key in recorded_lines if key not in expected_lines)]:
        yield from _compare_lines(seq, number, key, recorded_lines.get(key), expected_lines.get(key))
    if recorded_lines.keys() == expected_lines.keys() and list(recorded_lines) != list(expected_lines):
        yield Difference(seq, number, "order", _wager_list(recorded_lines), _wager_list(expected_lines))


def _lines_by_key(lines: Any) -> dict[tuple[Any, ...], Mapping[str, Any]] | None:
    try:
        return {(line["seat"], line["wager"], line.get("play")): line for line in lines}
    except (KeyError, TypeError, AttributeError):
        return None


def _compare_lines(
    seq: int,
    number: int | None,
    key: tuple[Any, ...],
    recorded: Mapping[str, Any] | None,
    expected: Mapping[str, Any] | None,
) -> Iterator[Difference]:
    if recorded is None or expected is None:
        words = ("not settled", "settled")
        yield Difference(
            seq, number, "settled", words[recorded is not None], words[expected is not None], *key
        )
        return
    other_fields = sorted({*recorded, *expected} - {*LINE_FIELDS} - KEY_FIELDS)
    for field in (*LINE_FIELDS, *other_fields):
        if recorded.get(field) != expected.get(field):
            yield Difference(seq, number, field, recorded.get(field), expected.get(field), *key)


def _wager_list(lines: Mapping[tuple[Any, ...], Any]) -> str:
    return ", ".join(f"{seat} {code}" for seat, code, _ in lines)

"""How the record differs from what the rules make of it."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from games.engine.odds import in_dollars

LINE = ("cents", "outcome", "pays", "paid_cents", "returned_cents", "cut_cents", "cite")
KEY = frozenset({"seat", "wager", "play"})


@dataclass(frozen=True, slots=True)
class Difference:
    """One figure of one entry: what the record says (`said`) and what the rules give (`found`).

    `what` names it: a key of the entry's data, `order`, `settled`, `hash`, `terms`, `entry`; or, where `seat` is told,
    a key of that seat's wager.
    """

    seq: int
    round: int | None
    what: str
    said: Any
    found: Any
    seat: int | None = None
    wager: str = ""
    play: int | None = None

    def as_json(self, stream: str) -> dict[str, Any]:
        """The same, ready for JSON."""
        about = {"seat": self.seat, "wager": self.wager, "play": self.play} if self.seat is not None else {}
        place = {"stream": stream, "entry": self.seq, "round": self.round}
        return {**place, **about, "what": self.what, "record": self.said, "rules": self.found}

    def __str__(self) -> str:
        about = f"seat {self.seat}, {self.wager}" if self.seat is not None else ""
        about += f", play {self.play}" if self.play is not None else ""
        place = f"entry {self.seq}, round {self.round}: {about}{', ' if about else ''}{self.name}"
        return f"{place}: the record says {self.recorded}, the rules give {self.due}"

    @property
    def name(self) -> str:
        """What differs, in words."""
        return "stake" if self.what == "cents" else self.what.removesuffix("_cents").replace("_", " ")

    @property
    def recorded(self) -> str:
        """What the record says, in words."""
        return self._worded(self.said)

    @property
    def due(self) -> str:
        """What the rules give, in words."""
        return self._worded(self.found)

    def _worded(self, value: Any) -> str:
        if value is None or value in ("", []):
            return "nothing"
        is_money = self.what == "cents" or self.what.endswith("_cents")
        return in_dollars(value) if is_money and type(value) is int else str(value)


def of_lists(
    seq: int, number: int | None, said: Any, found: Sequence[dict[str, Any]]
) -> Iterator[Difference]:
    """Between the wagers that an entry says were settled and those that the rules settle, both in their order."""
    if said == list(found):
        return
    recorded, due = _keyed(said), _keyed(found)
    if recorded is None or due is None or len(recorded) != len(said):
        yield Difference(seq, number, "settled", "no list of wagers, each once", f"{len(found)} wagers")
        return
    for key in [*due, *(key for key in recorded if key not in due)]:
        yield from _of_wager(seq, number, key, recorded.get(key), due.get(key))
    if recorded.keys() == due.keys() and list(recorded) != list(due):
        yield Difference(seq, number, "order", _named(recorded), _named(due))


def _keyed(lines: Any) -> dict[tuple[Any, ...], Mapping[str, Any]] | None:
    try:
        return {(line["seat"], line["wager"], line.get("play")): line for line in lines}
    except (KeyError, TypeError, AttributeError):
        return None


def _of_wager(
    seq: int,
    number: int | None,
    key: tuple[Any, ...],
    said: Mapping[str, Any] | None,
    found: Mapping[str, Any] | None,
) -> Iterator[Difference]:
    if said is None or found is None:
        words = ("not settled", "settled")
        yield Difference(seq, number, "settled", words[said is not None], words[found is not None], *key)
        return
    further = sorted({*said, *found} - {*LINE} - KEY)
    for name in (*LINE, *further):
        if said.get(name) != found.get(name):
            yield Difference(seq, number, name, said.get(name), found.get(name), *key)


def _named(lines: Mapping[tuple[Any, ...], Any]) -> str:
    return ", ".join(f"{seat} {code}" for seat, code, _ in lines)

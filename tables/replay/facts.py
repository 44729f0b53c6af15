"""What the entries of a round say besides what is settled, as far as it follows from the entries before them.

Numbers of throws and how often each was mended, what stood before a mending, whose fees and whose money, which entry a
slip corrects; and over the rounds of a table their numbers and those of its slips.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.engine import RoundState
from tables.core.entries import ENDS, RecordedEntry
from tables.corrections.outcomes import FILED, PAYING, Named
from tables.replay.replayed_round import FOLLOWS, SETTLES, Course, Key, Laid

from .difference import Difference

MENDS = frozenset({"dice.corrected", "wager.missed", "wager.struck"})
BY_HAND = "round.recorded_by_hand"


@dataclass(frozen=True, slots=True)
class Before:
    """A round before an entry: the engine's state, and what was laid."""

    state: RoundState
    laid: Mapping[Key, Laid]

    @classmethod
    def of(cls, course: Course) -> "Before":
        return cls(course.state, dict(course.laid))


@dataclass
class Throw:
    """A throw as it stands: how often it was said, with which dice it was thrown, and the newest entry that says so."""

    revision: int
    lot: Any
    shaker: Any
    entry: Named


@dataclass
class Facts:
    """A round's numbers so far. `throws` are those with faces; `version` is the newest entry that settles it.

    `paid` names by seat the entry that says that it was paid, `by_slip` the same by the newest slip.
    """

    number: int | None = None
    day: str = ""
    last_throw: int = 0
    throws: dict[int, Throw] = field(default_factory=dict)
    version: Named | None = None
    paid: dict[int, Named] = field(default_factory=dict)
    by_slip: dict[int, Named] = field(default_factory=dict)

    def begin(self, told: RecordedEntry) -> Iterator[Difference]:
        """The first entry says which round this is, and on which day it was begun; the others name it too."""
        if self.number is None:
            self.number, self.day = told.round, told.day
        if told.round != self.number:
            yield Difference(told.seq, told.round, "round", told.round, self.number)

    def take(self, told: RecordedEntry, before: Before, course: Course) -> Iterator[Difference]:
        """How one of the round's own entries differs from what follows from those before it; goes on by it."""
        due: dict[str, Any] = {}
        if told.type in SETTLES and "settled" in told.data:
            due |= self._of_throw(told, course)
        mended = _mended(told, before, course)
        if mended is not None:
            due["mended"] = mended
        due |= self._of_act(told, before, course)
        for name, value in due.items():
            if told.data.get(name) != value:
                yield Difference(told.seq, told.round, name, told.data.get(name), value)
        yield from _seats(told, before, course)

    def _of_throw(self, told: RecordedEntry, course: Course) -> dict[str, Any]:
        data, returned = told.data, bool(course.state.returned_for)
        due: dict[str, Any] = {
            "uncovered": course.state.phase != "void",
            "announced": not returned,
            "by_hand": course.state.manual_settlement,
        }
        if returned:
            due |= {"dice": [], "called": None, "lit": []}
        else:
            due["reason"] = ""
        name, lot, shaker = Named(told.seq, told.digest), data["lot"], data["shaker"]
        self.version = name
        if told.type in MENDS:
            number = max(self.throws)
            mended = self.throws[number]
            mended.revision, mended.entry = mended.revision + 1, name
            return due | {
                "throw": number,
                "revision": mended.revision,
                "lot": mended.lot,
                "shaker": mended.shaker,
            }
        thrown = len(data.get("throws") or [()])
        first, self.last_throw = self.last_throw + 1, self.last_throw + thrown
        if not returned:
            self.throws |= {one: Throw(1, lot, shaker, name) for one in range(first, self.last_throw + 1)}
        return due | {"throw": self.last_throw, "revision": 1}

    def _of_act(self, told: RecordedEntry, before: Before, course: Course) -> dict[str, Any]:
        data, type_ = told.data, told.type
        if type_ in PAYING:
            self.paid |= dict.fromkeys(data["seats"], Named(told.seq, told.digest))
        if type_ == "throw.no_roll":
            self.last_throw += 1
            listed = course.rules.edition.no_rolls  # the reasons, where the edition lists them
            cite = {"section": listed.get(data["reason"])} if listed else {}
            return {"throw": self.last_throw, **cite}
        if type_ == "dice.thrown":
            who = before.state.quarterback  # None: from the game before
            return {"throw": self.last_throw + 1} | ({"quarterback": who} if who is not None else {})
        if type_ == "seats.settled":
            return {"throw": self.last_throw}
        if type_ == "dice.moved":
            return {
                "throw": self.last_throw,
                "exposed": True,
                **(course.game.view(course.state).get("held") or {}),
            }
        if type_ == "dice.gathered":
            return {"dice": course.state.result.dice}
        if "fees_cents" in data:
            return {"seats": sorted(one.seat for one in course.wagers if course.game.is_fee(one.code))}
        if type_ == "device.failed" and "dice" in data:
            return {"dice": list(course.state.dice)}
        return {}

    # Slips

    def corrected_by(self, told: RecordedEntry) -> dict[str, Any] | None:
        """The entry that a slip corrects, as it names it: that of the throw, of the payment, or the newest of all."""
        data, named = told.data, self.version
        if data["kind"] == "dice":
            named = self.throws[data["mended"]["throw"]].entry
        elif data["kind"] == "payment":
            named = {**self.paid, **self.by_slip}.get(data["mended"]["payments"][0]["seat"], named)
        return named.said if named else None

    def filed(self, told: RecordedEntry) -> None:
        """A slip is now what says all of the round."""
        self.version = Named(told.seq, told.digest)
        for throw in self.throws.values():
            throw.entry = self.version
        self.by_slip = {line["seat"]: self.version for line in told.data["settled"]}


def _mended(told: RecordedEntry, before: Before, course: Course) -> dict[str, Any] | None:
    """What a mending says of what it mends; None for another entry. The reason, and what was found, are as they say."""
    said = told.data.get("mended")
    if told.type == BY_HAND:
        standing = [one.wager for one in before.laid.values() if not one.struck]
        listed = [{"seat": one.seat, "wager": one.code, "cents": one.cents} for one in standing]
        return {**said, "before": listed} if isinstance(said, dict) else {"before": listed}
    if told.type not in MENDS or not isinstance(said, dict):
        return None
    if told.type == "dice.corrected":
        after = said["after"]
        same = course.game.arranged(after) == course.game.arranged(course.state.dice)
        return {
            **said,
            "before": list(before.state.dice),
            "after": after if same else list(course.state.dice),
        }
    lay = before.laid.get((said["seat"], said["wager"], said.get("play") or None))
    cents = lay.wager.cents if lay is not None and not lay.struck else 0
    return {**said, "before_cents": cents} | ({"after_cents": 0} if told.type == "wager.struck" else {})


def _seats(told: RecordedEntry, before: Before, course: Course) -> Iterator[Difference]:
    """Every seat that is paid or settled was due to be, and is named once."""
    if told.type not in PAYING:
        return
    open_ = course.game.unpaid_seats if told.type == "winners.paid" else course.game.unsettled_seats
    due, said = open_(before.state), told.data["seats"]
    if len(set(said)) != len(said) or not set(said) <= set(due):
        yield Difference(told.seq, told.round, "seats", said, list(due))


@dataclass
class Order:
    """The numbers of a table: its rounds are played one after the other, and its slips are numbered as they are filed.

    Of the first of each that it is told nothing is known.
    """

    round: int | None = None
    over: bool = False
    slip: int | None = None

    def take(self, told: RecordedEntry) -> Iterator[Difference]:
        """How the numbers of an entry differ from those that come next."""
        if told.type in FOLLOWS:
            due = None if self.round is None else self.round + self.over
            if due is not None and told.round != due:
                yield Difference(told.seq, told.round, "round", told.round, due)
            self.round, self.over = told.round, told.type in ENDS
        if told.type == FILED:
            code = str(told.data.get("slip", "")).removeprefix("ENS-")
            number = int(code) if code.isascii() and code.isdigit() else None
            next_ = None if self.slip is None else self.slip + 1
            if number is None or (next_ is not None and number != next_):
                yield Difference(
                    told.seq, told.round, "slip", told.data.get("slip"), next_ and f"ENS-{next_:04d}"
                )
            self.slip = next_ if number is None else number

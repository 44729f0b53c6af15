"""Recorded rounds settled again, by the engine and with the rules that each of them pinned.

Every settlement that an entry tells is compared with what the rules make of the wagers and the dice that the record
tells: each wager's outcome, what it pays, is paid and gets back, what a limit cut, its paragraph and its place in the
order; then the totals, the areas lit, what was called, the money of each later entry, and what else follows from the
entries before it (facts.py). A slip is settled again with what it put right. docs/evidence.md lists what cannot be.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from audit.export import Selection, Span
from audit.models import Stream
from games.engine import Refusal
from tables.core.entries import MISSHAPEN, RecordedEntry, of_round, of_span
from tables.replay.difference import Difference, of_lists
from tables.replay.facts import Before, Facts, Order
from tables.replay.replayed_round import FOLLOWS, SETTLES, Course
from tables.replay.replayed_slips import FILED, Slips, is_of_slips
from tables.replay.rules_finder import Terms
from tables.rounds.settlement import settled_data, taken_cents

UNREADABLE = (*MISSHAPEN, Refusal)


@dataclass
class Settling:
    """A round as it is settled again: its course so far, and how it differed."""

    course: Course | None
    last: int = 0  # the number of the newest entry that was taken
    differences: list[Difference] = field(default_factory=list)
    slips: Slips = field(default_factory=Slips)
    facts: Facts = field(default_factory=Facts)

    def take(self, told: RecordedEntry) -> list[Difference]:
        """Goes on by one entry; the differences that it shows, which `differences` keeps too."""
        found = list(self._differences(told))
        self.last = told.seq
        self.differences += found
        return found

    def _differences(self, told: RecordedEntry) -> Iterator[Difference]:
        if not told.whole:
            yield Difference(told.seq, told.round, "hash", told.digest[:12], "another body's")
        if self.course is None:
            return
        if not belongs(told):
            return
        if told.terms != self.course.terms:
            yield Difference(told.seq, told.round, "terms", told.terms, self.course.terms)
        yield from self.facts.begin(told)
        try:
            if is_of_slips(told):
                yield from self.slips.take(told, self.course, self.facts)
                return
            before = Before.of(self.course)
            self.course.take(told)
            yield from compared(told, self.course)
            yield from self.facts.take(told, before, self.course)
        except UNREADABLE as error:
            said = error.code if isinstance(error, Refusal) else type(error).__name__
            yield Difference(told.seq, told.round, "entry", told.type, f"cannot be followed: {said}")


def belongs(told: RecordedEntry) -> bool:
    """Whether an entry says something of a round that is settled again."""
    return told.type in FOLLOWS or is_of_slips(told)


def compared(told: RecordedEntry, course: Course) -> Iterator[Difference]:
    """How an entry differs from what the rules make of the round, once the course has taken it."""
    data, seq, number = told.data, told.seq, told.round
    if "settled" in data and told.type in SETTLES:
        yield from of_lists(seq, number, data["settled"], [settled_data(one) for one in course.settled])
        yield from _values(told, totals(course))
        if course.throws and not course.state.returned_for:
            yield from _values(told, _light(course))
    if "wagered_cents" in data:
        yield from _values(told, {"wagered_cents": course.wagered_cents})
    if "fees_cents" in data:
        fees = sum(one.cents for one in course.wagers if course.game.is_fee(one.code))
        yield from _values(told, {"fees_cents": fees})
    moved = {"taken_cents": course.moved.taken_cents, "paid_cents": course.moved.paid_cents}
    yield from _values(told, {name: cents for name, cents in moved.items() if cents is not None})


def totals(course: Course) -> dict[str, int]:
    """What the newest throw comes to, in cents."""
    return {
        "taken_cents": taken_cents(course.settled),
        "paid_cents": sum(one.paid_cents for one in course.settled),
        "returned_cents": sum(one.returned_cents for one in course.settled),
    }


def _light(course: Course) -> dict[str, Any]:
    called = course.game.announcement(course.throws)
    lit = course.game.winning_codes(course.rules, course.throws, course.ending)
    dice = list(course.throws[-1])
    return {"dice": dice, "lit": sorted(lit), "called": {"code": called.code, **called.params}}


def _values(told: RecordedEntry, due: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in due.items():
        if told.data.get(name) != value:
            yield Difference(told.seq, told.round, name, told.data.get(name), value)


def settle(told: Sequence[RecordedEntry], facility: str, terms: Terms) -> Settling:
    """One round settled again from its entries in order."""
    settling = begun(told, facility, terms)
    for one in told:
        settling.take(one)
    return settling


def begun(told: Sequence[RecordedEntry], facility: str, terms: Terms) -> Settling:
    """A round before its first entry, with the rules that its entries name."""
    first = next((one for one in told if belongs(one)), None)
    if first is None:
        return Settling(None)
    rules = terms.rules(facility, first.terms)
    if rules is not None:
        return Settling(Course(rules, first.terms))
    unknown = Difference(first.seq, first.round, "terms", first.terms, "found nowhere")
    return Settling(None, differences=[unknown])


@dataclass
class Count:
    """How much was settled again."""

    rounds: int = 0
    settlements: int = 0
    wagers: int = 0
    differences: int = 0


class Readjudication:
    """Every round of a selection of the record, settled again. `count` grows while `differences` is read."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.terms = Terms()
        self.count = Count()

    def differences(
        self, told: Callable[[int], Any] = lambda entries: None
    ) -> Iterator[tuple[str, Difference]]:
        """Each difference with its stream's name, in the order of the record; `told` how many entries it went on by.

        A round that began before the selection is read from its beginning, and compared from the selection on.
        """
        for span in self.selection.spans:
            for difference in self._of_stream(span, told):
                self.count.differences += 1
                yield span.name, difference

    def _of_stream(self, span: Span, told: Callable[[int], Any]) -> Iterator[Difference]:
        stream = Stream(pk=span.stream_id, name=span.name)
        live, number, newest, seq = Settling(None), 0, 0, span.first - 1
        begins_here, order = False, Order()  # once one round has begun in the span, so has every later one
        for one in of_span(span):
            told(one.seq - seq)
            seq = one.seq
            if not one.type or (one.round is None and belongs(one)):
                yield Difference(one.seq, one.round, "entry", one.type, "an entry of a round")
            if one.round is None or not belongs(one):
                continue
            yield from order.take(one)
            if one.round != number:
                number = one.round
                # What begins a span may go on with a round that began before it, or name an older one.
                old = number <= newest or not begins_here
                earlier = of_round(stream, number, before=one.seq) if old else []
                begins_here = begins_here or not earlier
                live = begun([*earlier, one], stream.facility, self.terms)
                yield from live.differences
                for before in earlier:
                    live.take(before)
                self.count.rounds += number > newest
                newest = max(newest, number)
            yield from self._of_entry(live, one)
        told(span.last - seq)

    def _of_entry(self, settling: Settling, one: RecordedEntry) -> Iterator[Difference]:
        if one.type in (*SETTLES, FILED) and isinstance(one.data.get("settled"), list):
            self.count.settlements += 1
            self.count.wagers += len(one.data["settled"])
        yield from settling.take(one)

"""Error Notification Slips settled again: the whole round with what each slip put right, from the record alone."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games.engine.settlement import Settled
from tables.core.entries import RecordedEntry
from tables.corrections import slips
from tables.corrections.slips import Handed, Line, Mended
from tables.replay.difference import Difference, of_lists
from tables.replay.facts import Facts
from tables.replay.replayed_round import Course, Dice
from tables.rounds.settlement import settled_data

FILED, SETTLED = "slip.filed", "slip.settled"


def is_of_slips(told: RecordedEntry) -> bool:
    """Whether an entry files a slip, or says how its money moved."""
    return told.type in (FILED, SETTLED)


class Slips:
    """The slips of one round, each upon what the one before it left.

    `lines` is the settlement as the newest slip leaves it, in the record's words; None before the first.
    """

    def __init__(self) -> None:
        self.lines: list[Line] | None = None
        self.throws: list[Dice] = []
        self.ending = ""
        self.waiting: dict[str, tuple[dict[str, Any], list[dict[str, int]]]] = {}

    def take(self, told: RecordedEntry, course: Course, facts: Facts) -> Iterator[Difference]:
        """Goes on by one entry of a slip; how it differs from what the rules make of the round.

        Raises what `Course.take` raises for data that a slip does not have.
        """
        if told.type == FILED:
            return self._filed(told, course, facts)
        waiting = self.waiting.pop(told.data["slip"], None)
        if waiting is None:
            unknown = Difference(
                told.seq, told.round, "slip", told.data["slip"], "no slip of this round that waits"
            )
            return iter((unknown,))
        return _moved(told, *waiting)

    def _filed(self, told: RecordedEntry, course: Course, facts: Facts) -> Iterator[Difference]:
        data = told.data
        before: list[Line] = list(self.lines or ())
        if self.lines is None:
            before = [settled_data(one) for one in course.everything]
            self.throws, self.ending = list(course.throws), _ending(course)
        yield from _mistake(told, before, self.throws)
        throws = self._throws(data, list(self.throws))
        ending, lines = self._settled(data, course, before, throws)
        due = _due(data, before, lines)
        self.lines, self.throws, self.ending = lines, throws, ending
        corrects = facts.corrected_by(told)
        facts.filed(told)
        if due and facts.version is not None:
            self.waiting[data["slip"]] = facts.version.said, due
        yield from of_lists(told.seq, told.round, data["settled"], [dict(line) for line in lines])
        said = {"before": slips.totals(before), "ending": ending, "due": due, **slips.totals(lines)}
        thrown = [{"throw": one, "dice": list(dice)} for one, dice in zip(facts.throws, throws, strict=True)]
        said |= {"throws": thrown, "corrects": corrects, "played_on": facts.day}
        yield from _values(told, said)

    def _throws(self, data: Mapping[str, Any], throws: list[Dice]) -> list[Dice]:
        if data["kind"] == "dice":
            numbers = [one["throw"] for one in data["throws"]]
            throws[numbers.index(data["mended"]["throw"])] = tuple(data["mended"]["after"])
        return throws

    def _settled(
        self, data: Mapping[str, Any], course: Course, before: list[Line], throws: list[Dice]
    ) -> tuple[str, list[Line]]:
        rules, kind, wagers = course.rules, data["kind"], slips.wagers_of(before)
        settled: Sequence[Settled]
        if kind == "payment":
            return self.ending, before
        if kind == "void":
            ending, settled = slips.all_returned(rules, wagers, data["reason"])
        else:
            mended = _mended(data) if kind == "wager" else []
            ending, settled = slips.settled_again(rules, throws, slips.with_mended(wagers, mended))
        return ending, [settled_data(one) for one in settled]


def _moved(told: RecordedEntry, filed: dict[str, Any], due: list[dict[str, int]]) -> Iterator[Difference]:
    """What moved is at the seats that are owed, and at none beyond what is due; why it is less is said."""
    yield from _values(told, {"due": due, "corrects": filed})
    moved = told.data["moved"]
    owed = {one["seat"]: one["cents"] for one in due}
    fits = [one["seat"] for one in moved] == list(owed) and all(
        min(0, owed[one["seat"]]) <= one["cents"] <= max(0, owed[one["seat"]]) for one in moved
    )
    if not fits:
        yield Difference(told.seq, told.round, "moved", moved, due)
    if moved != due and not told.data["reason"]:
        yield Difference(told.seq, told.round, "reason", told.data["reason"], "why less moved")


def _ending(course: Course) -> str:
    return course.state.phase if course.state.returned_for else course.ending


def _mistake(told: RecordedEntry, before: Sequence[Line], throws: Sequence[Dice]) -> Iterator[Difference]:
    """Between what a slip says that stood before it and what did: the dice, the wagers, the money of a seat."""
    said = told.data["mended"]
    if told.data["kind"] == "dice":
        numbers = [one["throw"] for one in told.data["throws"]]
        stood = list(throws[numbers.index(said["throw"])])
        if said["before"] != stood:
            yield Difference(told.seq, told.round, "mended", said["before"], stood)
    cents = {slips.key_of(line): line["cents"] for line in before}
    for one in said.get("wagers", ()):
        key = slips.key_of(one)
        if one["before_cents"] != cents.get(key, 0):
            yield Difference(
                told.seq, told.round, "before_cents", one["before_cents"], cents.get(key, 0), *key
            )
    seats, nothing = slips.by_seat(before), slips.totals(())
    for one in said.get("payments", ()):
        settled = seats.get(one["seat"], nothing)
        for name in ("paid_cents", "taken_cents"):
            if one[f"settled_{name}"] != settled[name]:
                yield Difference(
                    told.seq,
                    told.round,
                    f"settled_{name}",
                    one[f"settled_{name}"],
                    settled[name],
                    one["seat"],
                )


def _mended(data: Mapping[str, Any]) -> list[Mended]:
    return [
        Mended(
            one["seat"],
            one["wager"],
            one.get("play"),
            one["before_cents"],
            one["after_cents"],
            one["chips"],
        )
        for one in data["mended"]["wagers"]
    ]


def _due(data: Mapping[str, Any], before: Sequence[Line], after: Sequence[Line]) -> list[dict[str, int]]:
    if data["kind"] == "payment":
        handed = [
            Handed(one["seat"], one["handed_paid_cents"], one["handed_taken_cents"])
            for one in data["mended"]["payments"]
        ]
        return slips.listed(slips.due_for_payments(before, handed))
    chips = slips.due_for_chips(before, _mended(data)) if data["kind"] == "wager" else {}
    return slips.listed(slips.due(before, after), chips)


def _values(told: RecordedEntry, due: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in due.items():
        if told.data.get(name) != value:
            yield Difference(told.seq, told.round, name, told.data.get(name), value)

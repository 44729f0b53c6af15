"""Readjudication: recorded rounds settled again by the engine, with the rules that each round pinned.

Every recorded settlement is compared with what the rules give for the recorded wagers and dice: each wager's outcome,
odds, payment, return, cut by a limit, section and place in the order; then the totals, the lit areas, the call, the
money of later entries, and what else follows from earlier entries (`facts.py`). Slips are settled again with their
corrections. The rows of the play tables are compared with the entries (`play_tables.py`). docs/evidence.md lists what
cannot be compared.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Max, Min

from audit.export import Selection, Span
from audit.models import Entry, Stream
from games.engine import Refusal
from tables.core.entries import MISSHAPEN, RecordedEntry, of_round, of_span
from tables.core.held_back import amounts_by_seat
from tables.models import Table
from tables.replay.difference import Difference, compare_settlements
from tables.replay.facts import RoundFacts, StateBefore, TableSequence
from tables.replay.play_tables import PlayDifference, differences_in_rounds
from tables.replay.replayed_round import HANDLERS, SETTLING_TYPES, ReplayedRound
from tables.replay.replayed_slips import FILED, ReplayedSlips, is_slip_entry
from tables.replay.rules_finder import RulesFinder
from tables.rounds.settlement import Raise, settled_data, taken_cents
from tables.rules import recorded_submission

UNREADABLE = (*MISSHAPEN, Refusal)


@dataclass
class RoundReadjudication:
    """One round while it is settled again: its state so far, and the differences so far."""

    replayed: ReplayedRound | None
    last_seq: int = 0  # the newest entry applied
    differences: list[Difference] = field(default_factory=list)
    slips: ReplayedSlips = field(default_factory=ReplayedSlips)
    facts: RoundFacts = field(default_factory=RoundFacts)

    def apply(self, entry: RecordedEntry) -> list[Difference]:
        """Apply one entry. Returns the differences it shows, which are added to `differences` too."""
        differences = list(self._differences(entry))
        self.last_seq = entry.seq
        self.differences += differences
        return differences

    def _differences(self, entry: RecordedEntry) -> Iterator[Difference]:
        if not entry.is_intact:
            yield Difference(entry.seq, entry.round, "hash", entry.digest[:12], "another body's")
        if self.replayed is None:
            return
        if not is_about_round(entry):
            return
        if entry.terms != self.replayed.terms_sha256:
            yield Difference(entry.seq, entry.round, "terms", entry.terms, self.replayed.terms_sha256)
        yield from self.facts.compare_round_number(entry)
        try:
            if is_slip_entry(entry):
                yield from self.slips.apply(entry, self.replayed, self.facts)
                return
            before = StateBefore.of(self.replayed)
            self.replayed.apply(entry)
            yield from compare_entry(entry, self.replayed)
            yield from self.facts.compare(entry, before, self.replayed)
        except UNREADABLE as error:
            reason = error.code if isinstance(error, Refusal) else type(error).__name__
            yield Difference(entry.seq, entry.round, "entry", entry.type, f"cannot be followed: {reason}")


def is_about_round(entry: RecordedEntry) -> bool:
    """Whether an entry belongs to a round's settlement or to its slips."""
    return entry.type in HANDLERS or is_slip_entry(entry)


def compare_entry(entry: RecordedEntry, replayed: ReplayedRound) -> Iterator[Difference]:
    """Compare an entry with what the rules give, after `replayed` has applied it."""
    data, seq, number = entry.data, entry.seq, entry.round
    if "settled" in data and entry.type in SETTLING_TYPES:
        yield from compare_settlements(
            seq, number, data["settled"], [settled_data(wager) for wager in replayed.settled]
        )
        yield from _compare_values(entry, settlement_totals(replayed))
        if "raised" in data:
            yield from _compare_raise(entry, replayed.raised)
        if replayed.throws and not replayed.state.returned_for:
            yield from _compare_values(entry, _lit_and_called(replayed))
    if "wagered_cents" in data:
        yield from _compare_values(entry, {"wagered_cents": replayed.wagered_cents})
    if "fees_cents" in data:
        fees = sum(wager.cents for wager in replayed.wagers if replayed.game.is_fee(wager.code))
        yield from _compare_values(entry, {"fees_cents": fees})
    money = {"taken_cents": replayed.moved_money.taken_cents, "paid_cents": replayed.moved_money.paid_cents}
    yield from _compare_values(entry, {name: cents for name, cents in money.items() if cents is not None})


def settlement_totals(replayed: ReplayedRound) -> dict[str, int]:
    """The totals of the newest throw, in cents."""
    return {
        "taken_cents": taken_cents(replayed.settled),
        "paid_cents": sum(wager.paid_cents for wager in replayed.settled),
        "returned_cents": sum(wager.returned_cents for wager in replayed.settled),
    }


def _lit_and_called(replayed: ReplayedRound) -> dict[str, object]:
    called = replayed.game.announcement(replayed.throws)
    lit = replayed.game.winning_codes(replayed.rules, replayed.throws, replayed.ending)
    dice = list(replayed.throws[-1])
    return {"dice": dice, "lit": sorted(lit), "called": {"code": called.code, **called.params}}


def _compare_raise(entry: RecordedEntry, raised: Raise) -> Iterator[Difference]:
    """Compare what a throw raises. From which sum it is held back was the casino's to say."""
    expected = {"cents": raised.total_cents, "by_seat": amounts_by_seat(raised.by_seat)}
    for name, value in expected.items():
        if entry.data["raised"][name] != value:
            yield Difference(entry.seq, entry.round, name, entry.data["raised"][name], value)


def _compare_values(entry: RecordedEntry, expected: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in expected.items():
        if entry.data.get(name) != value:
            yield Difference(entry.seq, entry.round, name, entry.data.get(name), value)


def readjudicate_round(
    entries: Sequence[RecordedEntry], facility: str, rules_finder: RulesFinder, submission: str = ""
) -> RoundReadjudication:
    """Settle one round again from its entries in order."""
    readjudication = start_round(entries, facility, rules_finder, submission)
    for entry in entries:
        readjudication.apply(entry)
    return readjudication


def start_round(
    entries: Sequence[RecordedEntry], facility: str, rules_finder: RulesFinder, submission: str = ""
) -> RoundReadjudication:
    """Return a round before its first entry, with the rules that its entries name.

    `submission` is the submission for which the record says that the table was made: the terms must have been approved
    for it by then. Empty where the record does not say so.
    """
    first = next((entry for entry in entries if is_about_round(entry)), None)
    if first is None:
        return RoundReadjudication(None)
    rules = rules_finder.find(facility, first.terms)
    if rules is not None:
        readjudication = RoundReadjudication(ReplayedRound(rules, first.terms))
        if submission and not rules_finder.is_approved(facility, submission, first.terms, first.at):
            expected = f"terms that were approved for {submission}"
            readjudication.differences.append(
                Difference(first.seq, first.round, "terms", first.terms, expected)
            )
        return readjudication
    unknown = Difference(first.seq, first.round, "terms", first.terms, "found nowhere")
    return RoundReadjudication(None, differences=[unknown])


@dataclass
class ReadjudicationCounts:
    """How much was settled again."""

    rounds: int = 0
    settlements: int = 0
    wagers: int = 0
    differences: int = 0


class Readjudication:
    """Settles every round of a selection of the record again. `count` grows while `differences` is read."""

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.rules_finder = RulesFinder()
        self.count = ReadjudicationCounts()

    def differences(
        self, progress: Callable[[int], Any] = lambda entries: None
    ) -> Iterator[tuple[str, Difference | PlayDifference]]:
        """Yield each difference with its stream's name, in the order of the record.

        `progress` is called with the number of entries read since the last call. A round that began before the
        selection is replayed from its beginning and compared from the selection on.
        """
        for span in self.selection.spans:
            for difference in self._of_stream(span, progress):
                self.count.differences += 1
                yield span.name, difference
            for play_difference in self._of_play_tables(span):
                self.count.differences += 1
                yield span.name, play_difference

    def _of_play_tables(self, span: Span) -> Iterator[PlayDifference]:
        """Compare the rows of the span's rounds, as they are now, with all entries about them."""
        tables = Table.objects.select_related("stream", "facility")
        table = tables.filter(stream=span.stream_id).first()
        entries = Entry.objects.filter(stream=span.stream_id, seq__gte=span.first, seq__lte=span.last)
        numbers = entries.filter(type__in=HANDLERS).aggregate(first=Min("round"), last=Max("round"))
        if table is None or numbers["first"] is None:
            return iter(())
        return differences_in_rounds(table, numbers["first"], numbers["last"])

    def _of_stream(self, span: Span, progress: Callable[[int], Any]) -> Iterator[Difference]:
        stream = Stream(pk=span.stream_id, name=span.name)
        current, number, newest, seq = RoundReadjudication(None), 0, 0, span.first - 1
        submission = recorded_submission(span.stream_id)
        begins_here, order = (
            False,
            TableSequence(),
        )  # after one round began in the span, every later round did too
        for entry in of_span(span):
            progress(entry.seq - seq)
            seq = entry.seq
            if not entry.type or (entry.round is None and is_about_round(entry)):
                yield Difference(entry.seq, entry.round, "entry", entry.type, "an entry of a round")
            if entry.round is None or not is_about_round(entry):
                continue
            yield from order.compare(entry)
            if entry.round != number:
                number = entry.round
                # The first entries of a span may belong to a round that began before it, or name an older one.
                may_be_older = number <= newest or not begins_here
                earlier = of_round(stream, number, before=entry.seq) if may_be_older else []
                begins_here = begins_here or not earlier
                current = start_round([*earlier, entry], stream.facility, self.rules_finder, submission)
                yield from current.differences
                for previous in earlier:
                    current.apply(previous)
                self.count.rounds += number > newest
                newest = max(newest, number)
            yield from self._of_entry(current, entry)
        progress(span.last - seq)

    def _of_entry(self, readjudication: RoundReadjudication, entry: RecordedEntry) -> Iterator[Difference]:
        if entry.type in (*SETTLING_TYPES, FILED) and isinstance(entry.data.get("settled"), list):
            self.count.settlements += 1
            self.count.wagers += len(entry.data["settled"])
        yield from readjudication.apply(entry)

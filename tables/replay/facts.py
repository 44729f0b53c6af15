"""What a round's entries say beyond the settlement, and what of it follows from earlier entries.

Covers the numbers and revisions of throws, the values before a correction, the seats of fees and payments, the entry
that a slip corrects, and the sequence of round and slip numbers at a table.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from games.engine import RoundState
from games.game_acts import Replay, game_acts
from tables.core.entries import ENDS, RecordedEntry
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.settlements import FILED, PAYING_TYPES, EntryReference
from tables.corrections.slips import CorrectedEntry
from tables.failures import DEVICE_FAILED, ROUND_RECORDED_BY_HAND
from tables.replay.replayed_round import HANDLERS, SETTLING_TYPES, EnteredWager, ReplayedRound, WagerKey
from tables.rounds.no_rolls import THROW_NO_ROLL
from tables.rounds.play import SEATS_SETTLED, WINNERS_PAID

from .difference import Difference

CORRECTION_TYPES = frozenset({DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name})
RECORDED_BY_HAND = ROUND_RECORDED_BY_HAND.name


@dataclass(frozen=True, slots=True)
class StateBefore:
    """A round before an entry: the engine's state and the wagers entered."""

    state: RoundState
    entered: Mapping[WagerKey, EnteredWager]

    @classmethod
    def of(cls, replayed: ReplayedRound) -> "StateBefore":
        return cls(replayed.state, dict(replayed.entered))


@dataclass
class ThrowFacts:
    """A throw so far: its revisions, the dice used, and the newest entry that gives its faces."""

    revision: int
    lot: Any
    shaker: Any
    entry: EntryReference


@dataclass
class RoundFacts:
    """A round's numbers so far. `throws` are those with faces; `version` is the newest entry that settles the round.

    `paid_by_seat` refers to the entry that paid each seat, `slip_by_seat` to the newest slip about it.
    """

    number: int | None = None
    gaming_day: str = ""
    last_throw: int = 0
    throws: dict[int, ThrowFacts] = field(default_factory=dict)
    version: EntryReference | None = None
    paid_by_seat: dict[int, EntryReference] = field(default_factory=dict)
    slip_by_seat: dict[int, EntryReference] = field(default_factory=dict)

    def compare_round_number(self, entry: RecordedEntry) -> Iterator[Difference]:
        """Compare the entry's round number with that of the round's first entry."""
        if self.number is None:
            self.number, self.gaming_day = entry.round, entry.day
        if entry.round != self.number:
            yield Difference(entry.seq, entry.round, "round", entry.round, self.number)

    def compare(
        self, entry: RecordedEntry, before: StateBefore, replayed: ReplayedRound
    ) -> Iterator[Difference]:
        """Compare one of the round's own entries with what follows from the entries before it, then count it in."""
        expected: dict[str, object] = {}
        if entry.type in SETTLING_TYPES and "settled" in entry.data:
            expected |= self._throw_data(entry, replayed)
        correction = _expected_correction(entry, before, replayed)
        if correction is not None:
            expected["mended"] = correction
        expected |= self._act_data(entry, before, replayed)
        for name, value in expected.items():
            if entry.data.get(name) != value:
                yield Difference(entry.seq, entry.round, name, entry.data.get(name), value)
        yield from _compare_seats(entry, before, replayed)

    def _throw_data(self, entry: RecordedEntry, replayed: ReplayedRound) -> dict[str, object]:
        data, returned = entry.data, bool(replayed.state.returned_for)
        expected: dict[str, object] = {
            "uncovered": replayed.state.phase != "void",
            "announced": not returned,
            "by_hand": replayed.state.manual_settlement,
        }
        if returned:
            expected |= {"dice": [], "called": None, "lit": []}
        else:
            expected["reason"] = ""
        reference, lot, shaker = EntryReference(entry.seq, entry.digest), data["lot"], data["shaker"]
        self.version = reference
        if entry.type in CORRECTION_TYPES:
            number = max(self.throws)
            throw = self.throws[number]
            throw.revision, throw.entry = throw.revision + 1, reference
            return expected | {
                "throw": number,
                "revision": throw.revision,
                "lot": throw.lot,
                "shaker": throw.shaker,
            }
        count = len(data.get("throws") or [()])
        first, self.last_throw = self.last_throw + 1, self.last_throw + count
        if not returned:
            self.throws |= {
                throw_number: ThrowFacts(1, lot, shaker, reference)
                for throw_number in range(first, self.last_throw + 1)
            }
        return expected | {"throw": self.last_throw, "revision": 1}

    def _act_data(
        self, entry: RecordedEntry, before: StateBefore, replayed: ReplayedRound
    ) -> Mapping[str, object]:
        data, type_ = entry.data, entry.type
        if type_ in PAYING_TYPES:
            self.paid_by_seat |= dict.fromkeys(data["seats"], EntryReference(entry.seq, entry.digest))
        if type_ == THROW_NO_ROLL.name:
            self.last_throw += 1
            reasons = replayed.rules.edition.no_rolls  # empty where the edition lists no reasons
            section = {"section": reasons.get(data["reason"])} if reasons else {}
            return {"throw": self.last_throw, **section}
        if type_ == SEATS_SETTLED.name:
            return {"throw": self.last_throw}
        if act := next((act for act in game_acts() if act.entry.name == type_), None):
            return act.expected(Replay(replayed.game, before.state, replayed.state, self.last_throw))
        if type_ == DEVICE_FAILED.name and "dice" in data:
            return {"dice": list(replayed.state.dice)}
        return {}

    # Slips

    def corrected_entry(self, entry: RecordedEntry) -> CorrectedEntry | None:
        """The entry that a slip corrects: the one of the throw, of the payment, or the newest."""
        data, reference = entry.data, self.version
        if data["kind"] == "dice":
            reference = self.throws[data["mended"]["throw"]].entry
        elif data["kind"] == "payment":
            reference = {**self.paid_by_seat, **self.slip_by_seat}.get(
                data["mended"]["payments"][0]["seat"], reference
            )
        return reference.as_data if reference else None

    def apply_slip(self, entry: RecordedEntry) -> None:
        """Make a slip the newest entry that settles the round."""
        self.version = EntryReference(entry.seq, entry.digest)
        for throw in self.throws.values():
            throw.entry = self.version
        self.slip_by_seat = {line["seat"]: self.version for line in entry.data["settled"]}


def _expected_correction(
    entry: RecordedEntry, before: StateBefore, replayed: ReplayedRound
) -> dict[str, object] | None:
    """What a correction must say; None for other entries. Its reason and the corrected value are taken as recorded."""
    correction = entry.data.get("mended")
    if entry.type == RECORDED_BY_HAND:
        wagers = [row.wager for row in before.entered.values() if not row.struck]
        recorded = [{"seat": wager.seat, "wager": wager.code, "cents": wager.cents} for wager in wagers]
        return {**correction, "before": recorded} if isinstance(correction, dict) else {"before": recorded}
    if entry.type not in CORRECTION_TYPES or not isinstance(correction, dict):
        return None
    if entry.type == DICE_CORRECTED.name:
        after = correction["after"]
        same = replayed.game.arranged(after) == replayed.game.arranged(replayed.state.dice)
        return {
            **correction,
            "before": list(before.state.dice),
            "after": after if same else list(replayed.state.dice),
        }
    entered = before.entered.get((correction["seat"], correction["wager"], correction.get("play") or None))
    cents = entered.wager.cents if entered is not None and not entered.struck else 0
    return {**correction, "before_cents": cents} | (
        {"after_cents": 0} if entry.type == WAGER_STRUCK.name else {}
    )


def _compare_seats(
    entry: RecordedEntry, before: StateBefore, replayed: ReplayedRound
) -> Iterator[Difference]:
    """Compare the seats paid or settled with those due: each was due, and each is named once."""
    if entry.type not in PAYING_TYPES:
        return
    due_seats_of = (
        replayed.game.unpaid_seats if entry.type == WINNERS_PAID.name else replayed.game.unsettled_seats
    )
    due_seats, seats = due_seats_of(before.state), entry.data["seats"]
    if len(set(seats)) != len(seats) or not set(seats) <= set(due_seats):
        yield Difference(entry.seq, entry.round, "seats", seats, list(due_seats))


@dataclass
class TableSequence:
    """The sequence of numbers at a table: its rounds one after the other, its slips in the order of filing.

    The first number of each is taken as recorded.
    """

    round_number: int | None = None
    is_over: bool = False
    slip_number: int | None = None

    def compare(self, entry: RecordedEntry) -> Iterator[Difference]:
        """Compare the numbers of an entry with the next ones due."""
        if entry.type in HANDLERS:
            expected_round = None if self.round_number is None else self.round_number + self.is_over
            if expected_round is not None and entry.round != expected_round:
                yield Difference(entry.seq, entry.round, "round", entry.round, expected_round)
            self.round_number, self.is_over = entry.round, entry.type in ENDS
        if entry.type == FILED:
            code = str(entry.data.get("slip", "")).removeprefix("ENS-")
            number = int(code) if code.isascii() and code.isdigit() else None
            expected_slip = None if self.slip_number is None else self.slip_number + 1
            if number is None or (expected_slip is not None and number != expected_slip):
                yield Difference(
                    entry.seq,
                    entry.round,
                    "slip",
                    entry.data.get("slip"),
                    expected_slip and f"ENS-{expected_slip:04d}",
                )
            self.slip_number = expected_slip if number is None else number

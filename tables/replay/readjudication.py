"""Readjudication: recorded rounds settled again by the engine, with the rules that each round pinned.

Every recorded settlement is compared with what the rules give for the recorded wagers and dice: each wager's outcome,
odds, payment, return, cut by a limit, section and place in the order; then the totals, the lit areas, the call and the
money of later entries (`compare_entry`).

What else follows from earlier entries is compared too (`RoundFacts`, `TableSequence`): the numbers and revisions of
throws, the values before a correction, the seats of fees and payments, the entry that a slip corrects, and the sequence
of round and slip numbers at a table. Error Notification Slips are settled again from the record alone, the whole round
with each slip's correction (`ReplayedSlips`). The rows of the play tables are compared with the entries
(`play_tables.py`). docs/evidence.md lists what cannot be compared.

`manage.py readjudicate` settles a selection of the record again (`Readjudication`), the page of a round that round
(`readjudicate_round`).
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from django.db.models import Max, Min

from audit.export import Selection, Span
from audit.models import Entry, Stream
from games.engine import Refusal, RoundState
from games.engine.odds import in_dollars
from games.engine.wagers import Settled
from games.game_acts import Replay, game_acts
from tables.core.entries import ENDS, MISSHAPEN, RecordedEntry, of_round, of_span
from tables.core.held_back import amounts_by_seat
from tables.corrections import settlements
from tables.corrections.raises import DICE_CORRECTED, WAGER_STRUCK
from tables.corrections.settlements import (
    PAYING_TYPES,
    CorrectedWager,
    EntryReference,
    SeatPayment,
    SettlementLine,
)
from tables.corrections.slips import SLIP_FILED, SLIP_REVIEWED, SLIP_SETTLED, CorrectedEntry, SeatAmount
from tables.failures import DEVICE_FAILED
from tables.models import Table
from tables.replay.play_tables import PlayDifference, differences_in_rounds
from tables.replay.replayed_round import (
    HANDLERS,
    SETTLING_TYPES,
    Dice,
    EnteredWager,
    ReplayedRound,
    RulesFinder,
    WagerKey,
)
from tables.replay.round_records import CORRECTION_TYPES, RECORDED_BY_HAND
from tables.rounds.no_rolls import THROW_NO_ROLL
from tables.rounds.play import SEATS_SETTLED, WINNERS_PAID
from tables.rounds.settlement import Raise, settled_data, taken_cents
from tables.rules import recorded_submission

# Differences between the record and the rules

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


def _compare_values(entry: RecordedEntry, expected: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in expected.items():
        if entry.data.get(name) != value:
            yield Difference(entry.seq, entry.round, name, entry.data.get(name), value)


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
    for name in (*LINE_FIELDS, *other_fields):
        if recorded.get(name) != expected.get(name):
            yield Difference(seq, number, name, recorded.get(name), expected.get(name), *key)


def _wager_list(lines: Mapping[tuple[Any, ...], Any]) -> str:
    return ", ".join(f"{seat} {code}" for seat, code, _ in lines)


# What follows from earlier entries


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
        yield from _compare_values(entry, expected)
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


# Slips

FILED, SETTLED, REVIEWED = SLIP_FILED.name, SLIP_SETTLED.name, SLIP_REVIEWED.name


def is_slip_entry(entry: RecordedEntry) -> bool:
    """Whether an entry files a slip, settles its money, or reviews it."""
    return entry.type in (FILED, SETTLED, REVIEWED)


class ReplayedSlips:
    """The slips of one round, each building on the one before it.

    `lines` is the settlement after the newest slip, as recorded lines; None before the first slip. `reviews` has, of
    each slip that needs one, the review as its filing states it, `filed` the entry that filed it, and `verdicts` what
    was found.
    """

    def __init__(self) -> None:
        self.lines: list[SettlementLine] | None = None
        self.throws: list[Dice] = []
        self.ending = ""
        self.unsettled: dict[str, tuple[CorrectedEntry, list[SeatAmount]]] = {}
        self.reviews: dict[str, Mapping[str, Any]] = {}
        self.filed: dict[str, CorrectedEntry] = {}
        self.verdicts: dict[str, str] = {}

    def apply(self, entry: RecordedEntry, replayed: ReplayedRound, facts: RoundFacts) -> Iterator[Difference]:
        """Apply one entry of a slip and yield how it differs from what the rules give.

        Raises what `ReplayedRound.apply` raises for malformed data.
        """
        if entry.type == FILED:
            return self._apply_filed_slip(entry, replayed, facts)
        if entry.type == REVIEWED:
            return self._apply_review(entry)
        filed = self.unsettled.pop(entry.data["slip"], None)
        if filed is None:
            unknown = Difference(
                entry.seq, entry.round, "slip", entry.data["slip"], "no slip of this round that waits"
            )
            return iter((unknown,))
        return chain(_compare_moved(entry, *filed), self._compare_with_review(entry))

    def _apply_review(self, entry: RecordedEntry) -> Iterator[Difference]:
        """A slip that needs a review is reviewed once; the review names its filing and its moment."""
        code = entry.data["slip"]
        review = self.reviews.get(code)
        if review is None or code in self.verdicts:
            yield Difference(
                entry.seq, entry.round, "slip", code, "a slip of this round that waits for a review"
            )
            return
        self.verdicts[code] = entry.data["verdict"]
        yield from _compare_values(entry, {"filed": self.filed[code], "due_at": review["due_at"]})
        if self.verdicts[code] == "differs" and not entry.data["reason"]:
            yield Difference(entry.seq, entry.round, "reason", entry.data["reason"], "what differs")

    def _compare_with_review(self, entry: RecordedEntry) -> Iterator[Difference]:
        """No money moves before a review that comes first, or after one that differs."""
        code = entry.data["slip"]
        verdict, review = self.verdicts.get(code, ""), self.reviews.get(code) or {"before_money": False}
        is_missing = review["before_money"] and not verdict
        if any(amount["cents"] for amount in entry.data["moved"]) and (is_missing or verdict == "differs"):
            expected = "nothing, because the review differs" if verdict else "nothing before the review"
            yield Difference(entry.seq, entry.round, "moved", entry.data["moved"], expected)

    def _apply_filed_slip(
        self, entry: RecordedEntry, replayed: ReplayedRound, facts: RoundFacts
    ) -> Iterator[Difference]:
        data = entry.data
        before: list[SettlementLine] = list(self.lines or ())
        if self.lines is None:
            before = [settled_data(wager) for wager in replayed.all_settled]
            self.throws, self.ending = list(replayed.throws), _ending(replayed)
        yield from _compare_mistake(entry, before, self.throws)
        throws = self._corrected_throws(data, list(self.throws))
        ending, lines = self._settle_again(data, replayed, before, throws)
        due = _amounts_due(data, before, lines)
        self.lines, self.throws, self.ending = lines, throws, ending
        corrects = facts.corrected_entry(entry)
        facts.apply_slip(entry)
        if due and facts.version is not None:
            self.unsettled[data["slip"]] = facts.version.as_data, due
        if "review" in data and facts.version is not None:
            self.filed[data["slip"]] = facts.version.as_data
            self.reviews[data["slip"]] = data["review"]
        yield from compare_settlements(
            entry.seq, entry.round, data["settled"], [dict(line) for line in lines]
        )
        expected = {
            "before": settlements.totals(before),
            "ending": ending,
            "due": due,
            **settlements.totals(lines),
        }
        thrown = [
            {"throw": number, "dice": list(dice)} for number, dice in zip(facts.throws, throws, strict=True)
        ]
        expected |= {"throws": thrown, "corrects": corrects, "played_on": facts.gaming_day}
        yield from _compare_values(entry, expected)

    def _corrected_throws(self, data: Mapping[str, Any], throws: list[Dice]) -> list[Dice]:
        if data["kind"] == "dice":
            numbers = [throw["throw"] for throw in data["throws"]]
            throws[numbers.index(data["mended"]["throw"])] = tuple(data["mended"]["after"])
        return throws

    def _settle_again(
        self,
        data: Mapping[str, Any],
        replayed: ReplayedRound,
        before: list[SettlementLine],
        throws: list[Dice],
    ) -> tuple[str, list[SettlementLine]]:
        rules, kind, wagers = replayed.rules, data["kind"], settlements.wagers_of(before)
        settled: Sequence[Settled]
        if kind == "payment":
            return self.ending, before
        if kind == "void":
            ending, settled = settlements.return_all(rules, wagers, data["reason"])
        else:
            corrected = _corrected_wagers(data) if kind == "wager" else []
            ending, settled = settlements.readjudicate(
                rules, throws, settlements.apply_corrections(wagers, corrected)
            )
        return ending, [settled_data(wager) for wager in settled]


def _compare_moved(
    entry: RecordedEntry, filed: CorrectedEntry, due: list[SeatAmount]
) -> Iterator[Difference]:
    """Compare the money moved with the money due: the same seats, no more than due, and a reason where it is less."""
    yield from _compare_values(entry, {"due": due, "corrects": filed})
    amounts = entry.data["moved"]
    owed = {amount["seat"]: amount["cents"] for amount in due}
    fits = [amount["seat"] for amount in amounts] == list(owed) and all(
        min(0, owed[amount["seat"]]) <= amount["cents"] <= max(0, owed[amount["seat"]]) for amount in amounts
    )
    if not fits:
        yield Difference(entry.seq, entry.round, "moved", amounts, due)
    if amounts != due and not entry.data["reason"]:
        yield Difference(entry.seq, entry.round, "reason", entry.data["reason"], "why less moved")


def _ending(replayed: ReplayedRound) -> str:
    return replayed.state.phase if replayed.state.returned_for else replayed.ending


def _compare_mistake(
    entry: RecordedEntry, before: Sequence[SettlementLine], throws: Sequence[Dice]
) -> Iterator[Difference]:
    """Compare the values before the slip, as the slip gives them, with the dice, wagers and payments before it."""
    mistake = entry.data["mended"]
    if entry.data["kind"] == "dice":
        numbers = [item["throw"] for item in entry.data["throws"]]
        recorded_dice = list(throws[numbers.index(mistake["throw"])])
        if mistake["before"] != recorded_dice:
            yield Difference(entry.seq, entry.round, "mended", mistake["before"], recorded_dice)
    cents = {settlements.key_of(line): line["cents"] for line in before}
    for item in mistake.get("wagers", ()):
        key = settlements.key_of(item)
        if item["before_cents"] != cents.get(key, 0):
            yield Difference(
                entry.seq, entry.round, "before_cents", item["before_cents"], cents.get(key, 0), *key
            )
    seats, nothing = settlements.by_seat(before), settlements.totals(())
    for item in mistake.get("payments", ()):
        settled = seats.get(item["seat"], nothing)
        for name in ("paid_cents", "taken_cents"):
            if item[f"settled_{name}"] != settled[name]:
                yield Difference(
                    entry.seq,
                    entry.round,
                    f"settled_{name}",
                    item[f"settled_{name}"],
                    settled[name],
                    item["seat"],
                )


def _corrected_wagers(data: Mapping[str, Any]) -> list[CorrectedWager]:
    return [
        CorrectedWager(
            wager["seat"],
            wager["wager"],
            wager.get("play"),
            wager["before_cents"],
            wager["after_cents"],
            wager["chips"],
        )
        for wager in data["mended"]["wagers"]
    ]


def _amounts_due(
    data: Mapping[str, Any], before: Sequence[SettlementLine], after: Sequence[SettlementLine]
) -> list[SeatAmount]:
    if data["kind"] == "payment":
        handed = [
            SeatPayment(payment["seat"], payment["handed_paid_cents"], payment["handed_taken_cents"])
            for payment in data["mended"]["payments"]
        ]
        return settlements.sum_by_seat(settlements.due_for_payments(before, handed))
    chips = settlements.due_for_chips(before, _corrected_wagers(data)) if data["kind"] == "wager" else {}
    return settlements.sum_by_seat(settlements.due_between(before, after), chips)


# One round

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
    yield from _compare_values(entry, replayed.moved_money)


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


# A selection of the record


COUNTED = ("rounds", "settlements", "wagers", "differences")


class Readjudication:
    """Settles every round of a selection of the record again.

    `count`, how much was settled again and how much differs, grows while `differences` is read.
    """

    def __init__(self, selection: Selection) -> None:
        self.selection = selection
        self.rules_finder = RulesFinder()
        self.count = dict.fromkeys(COUNTED, 0)

    def differences(
        self, progress: Callable[[int], Any] = lambda entries: None
    ) -> Iterator[tuple[str, Difference | PlayDifference]]:
        """Yield each difference with its stream's name, in the order of the record.

        `progress` is called with the number of entries read since the last call. A round that began before the
        selection is replayed from its beginning and compared from the selection on.
        """
        for span in self.selection.spans:
            for difference in self._of_stream(span, progress):
                self.count["differences"] += 1
                yield span.name, difference
            for play_difference in self._of_play_tables(span):
                self.count["differences"] += 1
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
                self.count["rounds"] += number > newest
                newest = max(newest, number)
            yield from self._of_entry(current, entry)
        progress(span.last - seq)

    def _of_entry(self, readjudication: RoundReadjudication, entry: RecordedEntry) -> Iterator[Difference]:
        if entry.type in (*SETTLING_TYPES, FILED) and isinstance(entry.data.get("settled"), list):
            self.count["settlements"] += 1
            self.count["wagers"] += len(entry.data["settled"])
        yield from readjudication.apply(entry)

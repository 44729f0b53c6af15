"""Error Notification Slips settled again from the record alone: the whole round with each slip's correction."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from games.engine.wagers import Settled
from tables.core.entries import RecordedEntry
from tables.corrections import settlements
from tables.corrections.settlements import CorrectedWager, SeatPayment, SettlementLine
from tables.corrections.slips import SLIP_FILED, SLIP_REVIEWED, SLIP_SETTLED, CorrectedEntry, SeatAmount
from tables.replay.difference import Difference, compare_settlements
from tables.replay.facts import RoundFacts
from tables.replay.replayed_round import Dice, ReplayedRound
from tables.rounds.settlement import settled_data

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


def _compare_values(entry: RecordedEntry, expected: Mapping[str, Any]) -> Iterator[Difference]:
    for name, value in expected.items():
        if entry.data.get(name) != value:
            yield Difference(entry.seq, entry.round, name, entry.data.get(name), value)

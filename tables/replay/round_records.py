"""Rounds as their entries record them: wagers, throws, settlement and money, without the engine and the play tables.

A round is folded once, with the newest Error Notification Slip about it. The figures of the record and the daily report
are computed from these records, and `play_tables.py` compares them with the rows of the play tables. An entry whose
data has another shape than its type changes nothing, and its number is in `RoundRecord.unreadable`.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q

from audit.models import Entry
from games.engine.wagers import FEE, LOSE
from tables.core.entries import COLUMNS, ENDS, MISSHAPEN, RecordedEntry, read
from tables.core.held_back import Raised, amounts_by_seat
from tables.core.held_back import WagerKey as HeldKey
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.settlements import (
    NO_RESULT,
    SettlementLine,
    key_of,
    lines_of_slip,
    settled_line,
    throws_of_slip,
)
from tables.corrections.slips import SLIP_FILED
from tables.failures import DEVICE_FAILED, ROUND_RECORDED_BY_HAND
from tables.replay.replayed_round import HANDLERS, SETTLING_TYPES, WagerKey
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED, THROW_NO_ROLL
from tables.rounds.play import LAYOUT_CLEARED
from tables.rounds.settlement import Line, Raise, net_payout, raise_of, without_late
from tables.rounds.wagers import WAGERS_PLACED

CORRECTION_TYPES = frozenset({DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name})
RECORDED_BY_HAND = ROUND_RECORDED_BY_HAND.name
END_PHASES = {
    LAYOUT_CLEARED.name: "cleared",
    RECORDED_BY_HAND: "cleared",
    ROUND_NO_ROLL.name: "no-roll",
    ROUND_VOIDED.name: "void",
}
FILED = SLIP_FILED.name
BATCH = 1000


@dataclass(slots=True)
class WagerRecord:
    """The total that a seat has on a wager code; `seq` is the entry that stated it last.

    `made_in` and `flag` are None where no entry states them: for a round that was recorded by hand.
    """

    cents: int
    made_in: str | None
    flag: str | None
    seq: int
    struck: bool = False
    missed: bool = False


@dataclass(slots=True)
class ThrowRecord:
    """A throw, or one revision of it. `dice` is empty for a void throw and where wagers went back without dice."""

    number: int
    revision: int
    dice: tuple[int, ...]
    reason: str
    lot: str
    shaker: str
    called_at: dt.datetime
    seq: int
    lines: tuple[SettlementLine, ...] = ()


@dataclass(slots=True)
class RoundRecord:
    """One round. `phase` is `cleared`, `no-roll` or `void` once the round has ended, and empty before.

    `lines` are the newest settlement of each wager at the table, with the number of its throw. `slip` is the newest
    entry that files a slip about the round, and has the settlement of the whole round. `seqs` has, for each fact of the
    round, the entry that states it.
    """

    stream_id: int
    number: int
    gaming_day: str = ""
    opened_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    phase: str = ""
    terms: str = ""
    by_hand: bool = False
    on_paper: bool = False
    wagers: dict[WagerKey, WagerRecord] = field(default_factory=dict)
    throws: list[ThrowRecord] = field(default_factory=list)
    lines: dict[WagerKey, tuple[int, SettlementLine]] = field(default_factory=dict)
    seqs: dict[str, int] = field(default_factory=dict)
    # Stakes until a wager was recorded late, with the newest throw then; and what each throw raises by these lines.
    late: dict[HeldKey, tuple[int, int]] = field(default_factory=dict)
    raises: dict[str, Raised] = field(default_factory=dict)
    slip: RecordedEntry | None = None
    unreadable: list[int] = field(default_factory=list)
    last_digest: str = ""

    @property
    def wagered_cents(self) -> int:
        """The sum of the wagers that were not struck."""
        return sum(wager.cents for wager in self.wagers.values() if not wager.struck)

    @property
    def taken_cents(self) -> int:
        """Lost stakes and fees of the whole round."""
        return sum(line["cents"] for _throw, line in self.lines.values() if line["outcome"] in (LOSE, FEE))

    @property
    def paid_cents(self) -> int:
        """What all wagers of the round were paid, without their stakes."""
        return sum(line["paid_cents"] for _throw, line in self.lines.values())

    @property
    def last_throw(self) -> int:
        """The number of the newest throw, void throws included; 0 before the first."""
        return max((throw.number for throw in self.throws), default=0)

    @property
    def late_wagers(self) -> list[list[int | str]]:
        """What was recorded late, as in the round's row."""
        return [[*key, cents, late_in] for key, (cents, late_in) in self.late.items()]

    @property
    def is_settled(self) -> bool:
        """Whether it ended settled, and no slip voided it."""
        slip_ending = self.slip.data.get("ending") if self.slip else ""
        return self.phase == "cleared" and slip_ending not in NO_RESULT

    def settled_lines(self) -> list[SettlementLine]:
        """Return every wager that stood when bets closed, as it was settled last. Raises one of MISSHAPEN."""
        if self.slip is None:
            return [line for _throw, line in self.lines.values()]
        return lines_of_slip(self.slip.data)

    def valid_dice(self) -> list[list[int]]:
        """Return the faces of each valid throw as corrected, in the order of play. Raises one of MISSHAPEN."""
        if self.slip is not None:
            return throws_of_slip(self.slip.data)
        newest = {throw.number: throw.dice for throw in self.throws}
        return [list(dice) for _number, dice in sorted(newest.items()) if dice]

    def apply(self, entry: RecordedEntry) -> None:
        """Apply one of the round's own entries or of its slips, in their order. Other types change nothing."""
        if entry.type not in HANDLERS and entry.type != FILED:
            return
        if not entry.is_intact:
            self.unreadable.append(entry.seq)
        if entry.type == FILED:
            self.slip = entry
            return
        if not self.seqs:
            self.gaming_day, self.terms = entry.day, entry.terms
            self.opened_at = dt.datetime.fromisoformat(entry.at)
            self.seqs["opened"] = entry.seq
        try:
            APPLIED.get(entry.type, _settlement if entry.type in SETTLING_TYPES else _nothing)(self, entry)
        except MISSHAPEN:
            if entry.is_intact:
                self.unreadable.append(entry.seq)
        if entry.type in ENDS:
            self.phase = END_PHASES[entry.type]
            self.ended_at = dt.datetime.fromisoformat(entry.at)
            self.seqs["ended"] = entry.seq
        self.last_digest = entry.digest


def _nothing(record: RoundRecord, entry: RecordedEntry) -> None:
    """Other entries of a round change none of these facts."""


def _wagers_placed(record: RoundRecord, entry: RecordedEntry) -> None:
    placed = [
        (_wager_key(line), _integer(line["cents"]), str(line["made_in"]), _text(line["flag"]))
        for line in entry.data["placed"]
    ]
    for key, cents, made_in, flag in placed:
        previous = record.wagers.get(key)
        if cents:
            missed = previous is not None and previous.missed
            record.wagers[key] = WagerRecord(cents, made_in, flag, entry.seq, missed=missed)
        elif previous is not None and not previous.struck:
            del record.wagers[key]


def _wager_missed(record: RoundRecord, entry: RecordedEntry) -> None:
    correction = entry.data["mended"]
    key, cents = _wager_key(correction), _integer(correction["after_cents"])
    made_in, flag = str(correction["made_in"]), _text(correction["flag"])
    if "settled" in entry.data or correction.get("uncalled"):
        _changed_late(record, key, correction)
    if "settled" in entry.data:
        _settlement(record, entry)
    record.wagers[key] = WagerRecord(cents, made_in, flag, entry.seq, missed=True)


def _wager_struck(record: RoundRecord, entry: RecordedEntry) -> None:
    correction = entry.data["mended"]
    key = _wager_key(correction)
    wager = record.wagers[key]
    if correction.get("uncalled"):
        _changed_late(record, key, correction)
    if "settled" in entry.data:
        _settlement(record, entry)
    wager.struck, wager.seq = True, entry.seq


def _changed_late(record: RoundRecord, key: WagerKey, correction: Mapping[str, Any]) -> None:
    late_key = (*key[:2], key[2] or 0)
    record.late.setdefault(late_key, (_integer(correction["before_cents"]), record.last_throw))


def _device_failed(record: RoundRecord, entry: RecordedEntry) -> None:
    """After the dice were called, a failure makes the settlement manual."""
    record.by_hand = record.by_hand or "dice" in entry.data


def _no_roll(record: RoundRecord, entry: RecordedEntry) -> None:
    record.throws.append(_throw(entry, (), ()))


def _settlement(record: RoundRecord, entry: RecordedEntry) -> None:
    data = entry.data
    lines = tuple(settled_line(line) for line in data["settled"])
    throw = _throw(entry, tuple(_integer(face) for face in data["dice"]), lines)
    if entry.type in CORRECTION_TYPES:  # the throw is settled again
        record.lines = {key: item for key, item in record.lines.items() if item[0] != throw.number}
    record.lines |= {key_of(line): (throw.number, line) for line in lines}
    record.throws.append(throw)
    if "raised" in data:
        first = next(other for other in record.throws if other.number == throw.number)
        late = {key: cents for key, (cents, late_in) in record.late.items() if late_in < throw.number}
        before = without_late(_lines(first.lines), late)
        _raise(record, entry, throw.number, raise_of(before, _lines(lines)))
    record.by_hand = bool(data["by_hand"])
    record.seqs["settled"] = entry.seq


def _recorded_by_hand(record: RoundRecord, entry: RecordedEntry) -> None:
    """A round that was played on paper: its wagers and throws are those that this entry settles."""
    data = entry.data
    lines = [settled_line(line) for line in data["settled"]]
    faces = [tuple(_integer(face) for face in dice) for dice in data.get("throws") or [data["dice"]]]
    last = _throw(entry, faces[-1], tuple(lines))
    earlier = [
        ThrowRecord(
            last.number - len(faces) + place, 1, dice, "", last.lot, last.shaker, last.called_at, entry.seq
        )
        for place, dice in enumerate(faces[:-1], start=1)
    ]
    record.throws += [*earlier, last]
    record.lines = {key_of(line): (last.number, line) for line in lines}
    missed = {key for key, wager in record.wagers.items() if wager.missed}
    struck = {key: wager for key, wager in record.wagers.items() if wager.struck}
    record.wagers = struck | {
        key_of(line): WagerRecord(line["cents"], None, None, entry.seq, missed=key_of(line) in missed)
        for line in lines
    }
    if "raised" in data:
        _raise(record, entry, last.number, net_payout(_lines(lines)))
    record.by_hand = record.on_paper = True
    record.seqs["settled"] = entry.seq


def _raise(record: RoundRecord, entry: RecordedEntry, throw_number: int, raised: Raise) -> None:
    """What a throw raises by its lines; whether it is held back is the entry's to say."""
    record.raises.pop(str(throw_number), None)
    if raised.total_cents:
        by_seat = amounts_by_seat(raised.by_seat)
        held = bool(entry.data["raised"]["held"])
        record.raises[str(throw_number)] = {"cents": raised.total_cents, "by_seat": by_seat, "held": held}


def _lines(lines: Iterable[SettlementLine]) -> dict[HeldKey, Line]:
    return {
        (line["seat"], line["wager"], line.get("play") or 0): Line(
            line["cents"], line["paid_cents"], line["returned_cents"], line["outcome"]
        )
        for line in lines
    }


def _throw(entry: RecordedEntry, dice: tuple[int, ...], lines: tuple[SettlementLine, ...]) -> ThrowRecord:
    data = entry.data
    return ThrowRecord(
        _integer(data["throw"]),
        _integer(data.get("revision", 1)),
        dice,
        _text(data["reason"]),
        _text(data["lot"] or ""),
        _text(data["shaker"] or ""),
        dt.datetime.fromisoformat(entry.at),
        entry.seq,
        lines,
    )


Applied = Callable[[RoundRecord, RecordedEntry], None]
APPLIED: dict[str, Applied] = {
    WAGERS_PLACED.name: _wagers_placed,
    WAGER_MISSED.name: _wager_missed,
    WAGER_STRUCK.name: _wager_struck,
    DEVICE_FAILED.name: _device_failed,
    THROW_NO_ROLL.name: _no_roll,
    RECORDED_BY_HAND: _recorded_by_hand,
}


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError("no integer")
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("no text")
    return value


def _wager_key(line: Mapping[str, Any]) -> WagerKey:
    play = line.get("play") or None
    return _integer(line["seat"]), _text(line["wager"]), None if play is None else _integer(play)


# Reading


def records_in(ranges: Mapping[int, tuple[int, int]], *, with_slips: bool = True) -> Iterator[RoundRecord]:
    """The rounds whose numbers are in a range, by stream (id), in the order of their numbers. One query."""
    condition = Q(pk__in=[])
    for stream, (first, last) in ranges.items():
        condition |= Q(stream=stream, round__gte=first, round__lte=last)
    types = (*HANDLERS, FILED) if with_slips else HANDLERS
    entries = Entry.objects.filter(condition, type__in=types).order_by("stream", "round", "seq")
    return fold(entries.values_list("stream", "round", *COLUMNS).iterator(chunk_size=BATCH))


def fold(rows: Iterable[tuple[Any, ...]]) -> Iterator[RoundRecord]:
    """Make the records of rows of (stream, round, *COLUMNS), which are ordered by stream and number.

    An entry whose body names another round than its column, or none, counts as unreadable.
    """
    record: RoundRecord | None = None
    for stream, number, *row in rows:
        if record is None or (record.stream_id, record.number) != (stream, number):
            if record is not None:
                yield record
            record = RoundRecord(stream, number)
        entry = read((row[0], row[1], row[2], row[3]))
        if entry.round == number:
            record.apply(entry)
        else:
            record.unreadable.append(entry.seq)
    if record is not None:
        yield record

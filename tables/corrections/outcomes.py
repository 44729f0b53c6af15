"""The outcome of a round by the record: as settled at the table, or by the newest slip about it.

Read only from the entries of the table's stream, so that a slip builds on what an outsider can read too. A round with
an altered entry cannot be corrected.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from audit.models import Entry
from games.engine import Refusal
from games.engine.settlement import FEE, LOSE, RETURN, WIN
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.corrections.entry_types import SLIP_FILED, CorrectedEntry
from tables.corrections.refusals import ROUND_UNREADABLE
from tables.corrections.slips import SettlementLine, key_of
from tables.models import Round, Slip
from tables.rounds.play import SEATS_SETTLED, WINNERS_PAID

NO_RESULT = frozenset({"void", "no-roll"})
PAYING_TYPES = (WINNERS_PAID.name, SEATS_SETTLED.name)
FILED = SLIP_FILED.name
OUTCOMES = frozenset({WIN, LOSE, RETURN, FEE})
MONEY_FIELDS = ("cents", "paid_cents", "returned_cents")


@dataclass(frozen=True)
class EntryReference:
    """A reference to an entry: its number on the stream, and its hash as 64 hex digits."""

    seq: int
    hash: str

    @property
    def as_data(self) -> CorrectedEntry:
        return {"seq": self.seq, "hash": self.hash}


@dataclass(frozen=True)
class RecordedThrow:
    """A valid throw: its number in the round, its faces, and the entry that gives them."""

    number: int
    dice: tuple[int, ...]
    entry: EntryReference


@dataclass(frozen=True)
class RoundOutcome:
    """The outcome of a round. `version` is the newest entry that settles it, `slip` the newest slip's code or "".

    `lines` are all its wagers, each settled once, in the order of settlement. `paid` refers, by seat, to the newest
    entry that paid it.
    """

    version: EntryReference
    ending: str
    throws: tuple[RecordedThrow, ...]
    lines: tuple[SettlementLine, ...]
    slip: str
    paid: dict[int, EntryReference]

    @property
    def has_result(self) -> bool:
        return self.ending not in NO_RESULT


def outcome_of(round_: Round) -> RoundOutcome | None:
    """Return the outcome of a round that has ended; None where no entry settles it.

    Raises `round-unreadable` where its record is damaged: an entry with a wrong hash or malformed data, or a slip or
    settlement that is missing.
    """
    entries = [read(row) for row in _rows(round_)]
    try:
        _verify_intact(round_, entries)
        return _newest_outcome(round_, entries)
    except MISSHAPEN:
        raise _unreadable(round_) from None


def filed_entry(slip: Slip) -> EntryReference:
    """Return the entry that filed a slip. Raises `round-unreadable` where it is damaged, or another amount is due."""
    rows = Entry.objects.filter(stream=slip.table.stream_id, seq=slip.filed_seq).values_list(*COLUMNS)
    for entry in map(read, rows):
        if entry.is_intact and entry.type == FILED and _matches_slip(entry, slip):
            return _reference(entry)
    raise _unreadable(slip.round)


def _matches_slip(entry: RecordedEntry, slip: Slip) -> bool:
    """Whether an entry agrees with the slip's row."""
    recorded = entry.seq, entry.data.get("slip"), entry.data.get("due")
    return recorded == (slip.filed_seq, slip.code, slip.due)


def _unreadable(round_: Round) -> Refusal:
    return Refusal(ROUND_UNREADABLE, round=round_.number)


def _rows(round_: Round) -> Iterable[Any]:
    """The entries that name this round, in order."""
    rows = Entry.objects.filter(stream=round_.table.stream_id, round=round_.number).order_by("seq")
    return rows.values_list(*COLUMNS)


def _verify_intact(round_: Round, entries: Iterable[RecordedEntry]) -> None:
    """Raise ValueError where an entry was altered, or a slip differs from its row."""
    filing_entries = []
    for entry in entries:
        if not entry.is_intact or entry.round != round_.number:
            raise ValueError
        if entry.type == FILED:
            filing_entries.append(entry)
    rows = list(Slip.objects.filter(round=round_).order_by("number"))
    if len(rows) != len(filing_entries) or not all(map(_matches_slip, filing_entries, rows)):
        raise ValueError


def _newest_outcome(round_: Round, entries: list[RecordedEntry]) -> RoundOutcome | None:
    """The outcome by the newest entry. Earlier entries are read too, so that damage in them is noticed."""
    paid, settling_entries = (
        _paid_entries(entries),
        [entry for entry in entries if "settled" in entry.data and entry.type != FILED],
    )
    if round_.phase == "cleared" and not settling_entries:  # a settled round has a settling entry
        raise ValueError
    outcome = _round_outcome(round_, settling_entries, paid) if settling_entries else None
    for slip_entry in (entry for entry in entries if entry.type == FILED):
        outcome = _slip_outcome(slip_entry, paid)
    return outcome


def _reference(entry: RecordedEntry) -> EntryReference:
    return EntryReference(entry.seq, entry.digest)


def _paid_entries(entries: Iterable[RecordedEntry]) -> dict[int, EntryReference]:
    paying = (entry for entry in entries if entry.type in PAYING_TYPES)
    return {_integer(seat): _reference(entry) for entry in paying for seat in entry.data["seats"]}


def _slip_outcome(entry: RecordedEntry, paid: dict[int, EntryReference]) -> RoundOutcome:
    reference, data = _reference(entry), entry.data
    throws = tuple(
        RecordedThrow(_integer(throw["throw"]), _dice(throw["dice"]), reference) for throw in data["throws"]
    )
    lines = tuple(map(settled_line, data["settled"]))
    ending, code = _text(data["ending"]), _text(data["slip"])
    if not isinstance(data["mended"], dict) or not (throws or ending in NO_RESULT):
        raise ValueError
    return RoundOutcome(
        reference, ending, throws, lines, code, {**paid, **{line["seat"]: reference for line in lines}}
    )


def _round_outcome(
    round_: Round, settling_entries: list[RecordedEntry], paid: dict[int, EntryReference]
) -> RoundOutcome:
    """The outcome by the newest entry of each throw. A fee that was returned in the end counts as returned."""
    newest = {_integer(entry.data["throw"]): _settled_and_thrown(entry) for entry in settling_entries}
    lines = {key_of(line): line for lines, _ in newest.values() for line in lines}
    throws = tuple(thrown for _, throws in newest.values() for thrown in throws)
    if not throws and round_.phase == "cleared":
        raise ValueError
    return RoundOutcome(
        _reference(settling_entries[-1]), round_.ending, throws, tuple(lines.values()), "", paid
    )


def _settled_and_thrown(entry: RecordedEntry) -> tuple[list[SettlementLine], list[RecordedThrow]]:
    return [settled_line(line) for line in entry.data["settled"]], _recorded_throws(entry)


def _recorded_throws(entry: RecordedEntry) -> list[RecordedThrow]:
    """The throws with faces. An entry recorded by hand after play gives all of them."""
    data, reference = entry.data, _reference(entry)
    thrown = data.get("throws") or ([data["dice"]] if data["dice"] else [])
    first = data["throw"] - len(thrown) + 1
    return [RecordedThrow(first + place, _dice(dice), reference) for place, dice in enumerate(thrown)]


# The shape of recorded data. Each function raises one of MISSHAPEN.


def settled_line(line: Mapping[str, Any]) -> SettlementLine:
    """Return a recorded line after checking its fields. Raises one of MISSHAPEN."""
    for name in ("seat", *MONEY_FIELDS):
        _integer(line[name])
    if line.get("play") is not None:
        _integer(line["play"])
    _text(line["wager"])
    if _text(line["outcome"]) not in OUTCOMES:
        raise ValueError
    return cast(SettlementLine, line)


def _dice(value: Any) -> tuple[int, ...]:
    dice = tuple(map(_integer, value))
    if not dice:
        raise ValueError
    return dice


def _integer(value: Any) -> int:
    if type(value) is not int:
        raise TypeError
    return value


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError
    return value

"""A round as the record says that it now stands: settled at the table, or by the newest slip about it.

Read from the entries of its table's stream and from no row, so that a slip builds on what an outsider can read too.
A round of which an entry is not as it was written has no stand: nothing is put right upon a record that was changed.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from audit.models import Entry
from games.engine import Refusal
from games.engine.settlement import FEE, LOSE, RETURN, WIN
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.corrections.slips import SettlementLine, key_of
from tables.models import Round, Slip

NO_RESULT = frozenset({"void", "no-roll"})
PAYING_TYPES = ("winners.paid", "seats.settled")
FILED = "slip.filed"
OUTCOMES = frozenset({WIN, LOSE, RETURN, FEE})
MONEY_FIELDS = ("cents", "paid_cents", "returned_cents")


@dataclass(frozen=True)
class EntryReference:
    """An entry as another one names it: its number on the stream, and its hash as 64 hex digits."""

    seq: int
    hash: str

    @property
    def as_data(self) -> dict[str, Any]:
        return {"seq": self.seq, "hash": self.hash}


@dataclass(frozen=True)
class RecordedThrow:
    """A valid throw as it stands: its number in the round, its faces, and the entry that says so."""

    number: int
    dice: tuple[int, ...]
    entry: EntryReference


@dataclass(frozen=True)
class RoundOutcome:
    """What a round has come to. `version` is the newest entry that settles it; `slip` the newest slip's code, or empty.

    `lines` are all its wagers, each settled once, in the order of settlement. `paid` names, by seat, the newest entry
    that says that it was paid.
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
    """How a round stands that has ended; None where no entry settles it.

    Raises `round-unreadable` where the record of it is damaged: an entry whose hash is not that of its body, one that
    lacks what its type says or that cannot be read, a slip or a settlement that is not there any more.
    """
    entries = [read(row) for row in _rows(round_)]
    try:
        _verify_intact(round_, entries)
        return _newest_outcome(round_, entries)
    except MISSHAPEN:
        raise _unreadable(round_) from None


def filed_entry(slip: Slip) -> EntryReference:
    """The entry that filed a slip. Raises `round-unreadable` where it is damaged, or says something else is due."""
    rows = Entry.objects.filter(stream=slip.table.stream_id, seq=slip.filed_seq).values_list(*COLUMNS)
    for entry in map(read, rows):
        if entry.whole and entry.type == FILED and _matches_slip(entry, slip):
            return _reference(entry)
    raise _unreadable(slip.round)


def _matches_slip(entry: RecordedEntry, slip: Slip) -> bool:
    """Whether an entry says of a slip what its row does."""
    recorded = entry.seq, entry.data.get("slip"), entry.data.get("due")
    return recorded == (slip.filed_seq, slip.code, slip.due)


def _unreadable(round_: Round) -> Refusal:
    return Refusal("round-unreadable", round=round_.number)


def _rows(round_: Round) -> Iterable[Any]:
    """The entries that name this round, in order."""
    rows = Entry.objects.filter(stream=round_.table.stream_id, round=round_.number).order_by("seq")
    return rows.values_list(*COLUMNS)


def _verify_intact(round_: Round, entries: Iterable[RecordedEntry]) -> None:
    """Raises ValueError where an entry is not the one that was written, or a slip is not as its row says."""
    filing_entries = []
    for entry in entries:
        if not entry.whole or entry.round != round_.number:
            raise ValueError
        if entry.type == FILED:
            filing_entries.append(entry)
    rows = list(Slip.objects.filter(round=round_).order_by("number"))
    if len(rows) != len(filing_entries) or not all(map(_matches_slip, filing_entries, rows)):
        raise ValueError


def _newest_outcome(round_: Round, entries: list[RecordedEntry]) -> RoundOutcome | None:
    """The newest that there is; what came before it is read too, so that it can be."""
    paid, settling_entries = (
        _paid_entries(entries),
        [entry for entry in entries if "settled" in entry.data and entry.type != FILED],
    )
    if round_.phase == "cleared" and not settling_entries:  # it was settled, so an entry said so
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
    """Of each throw the newest entry holds; a wager that went back in the end did not stay a fee."""
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
    """A throw with faces; an entry written after play by hand says all of them."""
    data, reference = entry.data, _reference(entry)
    thrown = data.get("throws") or ([data["dice"]] if data["dice"] else [])
    first = data["throw"] - len(thrown) + 1
    return [RecordedThrow(first + place, _dice(dice), reference) for place, dice in enumerate(thrown)]


# The shape of what an entry says. Each raises one of MISSHAPEN.


def settled_line(line: Mapping[str, Any]) -> SettlementLine:
    """A settled wager as an entry says it, once its figures are figures. Raises one of MISSHAPEN."""
    for name in ("seat", *MONEY_FIELDS):
        _integer(line[name])
    if line.get("play") is not None:
        _integer(line["play"])
    _text(line["wager"])
    if _text(line["outcome"]) not in OUTCOMES:
        raise ValueError
    return line


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

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
from tables.corrections.slips import Line, key_of
from tables.models import Round, Slip

NO_RESULT = frozenset({"void", "no-roll"})
PAYING = ("winners.paid", "seats.settled")
FILED = "slip.filed"
OUTCOMES = frozenset({WIN, LOSE, RETURN, FEE})
MONEY = ("cents", "paid_cents", "returned_cents")


@dataclass(frozen=True)
class Named:
    """An entry as another one names it: its number on the stream, and its hash as 64 hex digits."""

    seq: int
    hash: str

    @property
    def said(self) -> dict[str, Any]:
        return {"seq": self.seq, "hash": self.hash}


@dataclass(frozen=True)
class Thrown:
    """A valid throw as it stands: its number in the round, its faces, and the entry that says so."""

    number: int
    dice: tuple[int, ...]
    entry: Named


@dataclass(frozen=True)
class RoundOutcome:
    """What a round has come to. `version` is the newest entry that settles it; `slip` the newest slip's code, or empty.

    `lines` are all its wagers, each settled once, in the order of settlement. `paid` names, by seat, the newest entry
    that says that it was paid.
    """

    version: Named
    ending: str
    throws: tuple[Thrown, ...]
    lines: tuple[Line, ...]
    slip: str
    paid: dict[int, Named]

    @property
    def has_result(self) -> bool:
        return self.ending not in NO_RESULT


def outcome_of(round_: Round) -> RoundOutcome | None:
    """How a round stands that has ended; None where no entry settles it.

    Raises `round-unreadable` where the record of it is damaged: an entry whose hash is not that of its body, one that
    lacks what its type says or that cannot be read, a slip or a settlement that is not there any more.
    """
    told = [read(row) for row in _rows(round_)]
    try:
        _verify_whole(round_, told)
        return _stand(round_, told)
    except MISSHAPEN:
        raise _unreadable(round_) from None


def filed_entry(slip: Slip) -> Named:
    """The entry that filed a slip. Raises `round-unreadable` where it is damaged, or says something else is due."""
    rows = Entry.objects.filter(stream=slip.table.stream_id, seq=slip.filed_seq).values_list(*COLUMNS)
    for told in map(read, rows):
        if told.whole and told.type == FILED and _files(told, slip):
            return _name(told)
    raise _unreadable(slip.round)


def _files(told: RecordedEntry, slip: Slip) -> bool:
    """Whether an entry says of a slip what its row does."""
    said = told.seq, told.data.get("slip"), told.data.get("due")
    return said == (slip.filed_seq, slip.code, slip.due)


def _unreadable(round_: Round) -> Refusal:
    return Refusal("round-unreadable", round=round_.number)


def _rows(round_: Round) -> Iterable[Any]:
    """The entries that name this round, in order."""
    found = Entry.objects.filter(stream=round_.table.stream_id, round=round_.number).order_by("seq")
    return found.values_list(*COLUMNS)


def _verify_whole(round_: Round, told: Iterable[RecordedEntry]) -> None:
    """Raises ValueError where an entry is not the one that was written, or a slip is not as its row says."""
    filed = []
    for one in told:
        if not one.whole or one.round != round_.number:
            raise ValueError
        if one.type == FILED:
            filed.append(one)
    rows = list(Slip.objects.filter(round=round_).order_by("number"))
    if len(rows) != len(filed) or not all(map(_files, filed, rows)):
        raise ValueError


def _stand(round_: Round, told: list[RecordedEntry]) -> RoundOutcome | None:
    """The newest that there is; what came before it is read too, so that it can be."""
    paid, settling = _paid(told), [one for one in told if "settled" in one.data and one.type != FILED]
    if round_.phase == "cleared" and not settling:  # it was settled, so an entry said so
        raise ValueError
    stand = _of_round(round_, settling, paid) if settling else None
    for slip in (one for one in told if one.type == FILED):
        stand = _of_slip(slip, paid)
    return stand


def _name(told: RecordedEntry) -> Named:
    return Named(told.seq, told.digest)


def _paid(told: Iterable[RecordedEntry]) -> dict[int, Named]:
    paying = (one for one in told if one.type in PAYING)
    return {_whole(seat): _name(one) for one in paying for seat in one.data["seats"]}


def _of_slip(told: RecordedEntry, paid: dict[int, Named]) -> RoundOutcome:
    name, data = _name(told), told.data
    throws = tuple(Thrown(_whole(one["throw"]), _dice(one["dice"]), name) for one in data["throws"])
    lines = tuple(map(settled_line, data["settled"]))
    ending, code = _text(data["ending"]), _text(data["slip"])
    if not isinstance(data["mended"], dict) or not (throws or ending in NO_RESULT):
        raise ValueError
    return RoundOutcome(name, ending, throws, lines, code, {**paid, **{one["seat"]: name for one in lines}})


def _of_round(round_: Round, settling: list[RecordedEntry], paid: dict[int, Named]) -> RoundOutcome:
    """Of each throw the newest entry holds; a wager that went back in the end did not stay a fee."""
    newest = {_whole(one.data["throw"]): _settled(one) for one in settling}
    lines = {key_of(line): line for said, _ in newest.values() for line in said}
    throws = tuple(thrown for _, found in newest.values() for thrown in found)
    if not throws and round_.phase == "cleared":
        raise ValueError
    return RoundOutcome(_name(settling[-1]), round_.ending, throws, tuple(lines.values()), "", paid)


def _settled(told: RecordedEntry) -> tuple[list[Line], list[Thrown]]:
    return [settled_line(line) for line in told.data["settled"]], _thrown(told)


def _thrown(told: RecordedEntry) -> list[Thrown]:
    """A throw with faces; an entry written after play by hand says all of them."""
    data, name = told.data, _name(told)
    thrown = data.get("throws") or ([data["dice"]] if data["dice"] else [])
    first = data["throw"] - len(thrown) + 1
    return [Thrown(first + place, _dice(dice), name) for place, dice in enumerate(thrown)]


# The shape of what an entry says. Each raises one of MISSHAPEN.


def settled_line(said: Mapping[str, Any]) -> Line:
    """A settled wager as an entry says it, once its figures are figures. Raises one of MISSHAPEN."""
    for name in ("seat", *MONEY):
        _whole(said[name])
    if said.get("play") is not None:
        _whole(said["play"])
    _text(said["wager"])
    if _text(said["outcome"]) not in OUTCOMES:
        raise ValueError
    return said


def _dice(said: Any) -> tuple[int, ...]:
    dice = tuple(map(_whole, said))
    if not dice:
        raise ValueError
    return dice


def _whole(said: Any) -> int:
    if type(said) is not int:
        raise TypeError
    return said


def _text(said: Any) -> str:
    if not isinstance(said, str):
        raise TypeError
    return said

"""A round as the record says that it now stands: settled at the table, or by the newest slip about it.

Read from the entries of its table's stream and from no row, so that a slip builds on what an outsider can read too.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audit.models import Entry

from .models import Round
from .slips import Line, key_of

NO_RESULT = frozenset({"void", "no-roll"})
PAYING = ("winners.paid", "seats.settled")


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
class Stand:
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


def stand_of(round_: Round) -> Stand | None:
    """How a round stands that has ended; None where no entry settles it."""
    entries = list(_entries(round_))
    slips = [one for one in entries if one[1] == "slip.filed"]
    if slips:
        name, _, data = slips[-1]
        return _of_slip(name, data, _paid(entries))
    settling = [(name, data) for name, _, data in entries if "settled" in data]
    if not settling:
        return None
    return _of_round(round_, settling, _paid(entries))


def _entries(round_: Round) -> Iterable[tuple[Named, str, dict[str, Any]]]:
    """The entries that name this round, in order: what each is, its type, its data."""
    found = Entry.objects.filter(stream=round_.table.stream_id, round=round_.number).order_by("seq")
    for seq, digest, type_, body in found.values_list("seq", "hash", "type", "body"):
        yield Named(seq, bytes(digest).hex()), type_, json.loads(bytes(body))["data"]


def _paid(entries: Iterable[tuple[Named, str, dict[str, Any]]]) -> dict[int, Named]:
    return {seat: name for name, type_, data in entries if type_ in PAYING for seat in data["seats"]}


def _of_slip(name: Named, data: dict[str, Any], paid: dict[int, Named]) -> Stand:
    throws = tuple(Thrown(one["throw"], tuple(one["dice"]), name) for one in data["throws"])
    seats = {one["seat"] for one in data["settled"]}
    return Stand(
        name,
        data["ending"],
        throws,
        tuple(data["settled"]),
        data["slip"],
        {**paid, **dict.fromkeys(seats, name)},
    )


def _of_round(round_: Round, settling: list[tuple[Named, dict[str, Any]]], paid: dict[int, Named]) -> Stand:
    """Of each throw the newest entry holds; a wager that went back in the end did not stay a fee."""
    newest = {data["throw"]: (name, data) for name, data in settling}
    lines = {key_of(line): line for _, data in newest.values() for line in data["settled"]}
    throws = tuple(thrown for name, data in newest.values() for thrown in _thrown(name, data))
    return Stand(settling[-1][0], round_.ending, throws, tuple(lines.values()), "", paid)


def _thrown(name: Named, data: dict[str, Any]) -> Iterable[Thrown]:
    """A throw with faces; an entry written after play by hand says all of them."""
    thrown = data.get("throws") or ([data["dice"]] if data["dice"] else [])
    first = data["throw"] - len(thrown) + 1
    return [Thrown(first + place, tuple(dice), name) for place, dice in enumerate(thrown)]

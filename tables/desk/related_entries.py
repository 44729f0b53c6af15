"""Entries that belong to another one: what it corrects, what corrects it, what it says of another stream."""

from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch

from audit.models import Entry
from games.models import Facility
from tables.desk.entry_rows import address_of, local
from tables.models import Slip


@dataclass(frozen=True)
class Related:
    """Another entry, and what it is to this one."""

    says: str
    place: str
    seq: int
    url: str
    more: str = ""


def related_to(entry: Entry, data: dict[str, Any], house: Facility) -> list[Related]:
    """What this entry corrects and what corrects it, in the order in which it happened."""
    found = [*_named(entry, data, house), *_of_slips(entry, house)]
    once = {
        (one.place, one.seq, one.says): one
        for one in found
        if (one.place, one.seq) != (_place(entry), entry.seq)
    }
    return sorted(once.values(), key=lambda one: one.seq)


def _place(entry: Entry) -> str:
    return entry.stream.name.partition("/")[2]


def _named(entry: Entry, data: dict[str, Any], house: Facility) -> list[Related]:
    """What the entry itself names: `corrects` of a slip, and `stream` and `entry` where it shows a room's act."""
    corrects, stream, seq = data.get("corrects"), data.get("stream"), data.get("entry")
    found = []
    if isinstance(corrects, dict) and type(corrects.get("seq")) is int:
        found.append(_one("Corrects", entry.stream.name, corrects["seq"], house))
    if isinstance(stream, str) and type(seq) is int and stream.startswith(f"{house.code}/"):
        found.append(_one("Shows what was done in", stream, seq, house))
    return found


def _of_slips(entry: Entry, house: Facility) -> list[Related]:
    """The slips of this table that name the entry, or that it belongs to."""
    slips = Slip.objects.filter(table__stream=entry.stream_id).select_related("filed_by", "filed_with")
    name = entry.stream.name
    found = []
    for slip in slips.filter(corrects_seq=entry.seq):
        day, time = local(slip.filed_at, house)
        more = f"{slip.code}, {day}, {time}: {slip.reason}"
        found.append(_one("Corrected by", name, slip.filed_seq, house, more))
    for slip in slips.filter(filed_seq=entry.seq):
        found.append(_one("Corrects", name, slip.corrects_seq, house, slip.reason))
        if slip.settled_seq:
            found.append(_one("Its money moved by", name, slip.settled_seq, house))
    found += [
        _one("Moves the money of", name, slip.filed_seq, house, f"{slip.code}: {slip.reason}")
        for slip in slips.filter(settled_seq=entry.seq)
    ]
    return found


def _one(says: str, stream: str, seq: int, house: Facility, more: str = "") -> Related:
    """What an entry names may be no address at all, where somebody changed its body: then it is no link."""
    try:
        url = address_of(stream, seq, house)
    except NoReverseMatch:
        url = ""
    return Related(says, stream.partition("/")[2], seq, url, more)

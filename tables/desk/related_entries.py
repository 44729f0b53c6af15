"""Entries related to an entry: what it corrects, what corrects it, and entries of other streams that it names."""

from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch

from audit.models import Entry
from games.models import Facility
from tables.desk.entry_rows import entry_url, local_date_and_time
from tables.models import Slip


@dataclass(frozen=True)
class RelatedEntry:
    """A related entry, and how it is related."""

    text: str
    place: str
    seq: int
    url: str
    detail: str = ""


def related_entries(entry: Entry, data: dict[str, Any], facility: Facility) -> list[RelatedEntry]:
    """Return what this entry corrects and what corrects it, in order of their numbers."""
    related = [*_named_entries(entry, data, facility), *_slip_entries(entry, facility)]
    unique = {
        (related_.place, related_.seq, related_.text): related_
        for related_ in related
        if (related_.place, related_.seq) != (_place(entry), entry.seq)
    }
    return sorted(unique.values(), key=lambda related_: related_.seq)


def _place(entry: Entry) -> str:
    return entry.stream.name.partition("/")[2]


def _named_entries(entry: Entry, data: dict[str, Any], facility: Facility) -> list[RelatedEntry]:
    """The entries that its own data names: `corrects` of a slip, or `stream` and `entry` of an act elsewhere."""
    corrects, stream, seq = data.get("corrects"), data.get("stream"), data.get("entry")
    related = []
    if isinstance(corrects, dict) and type(corrects.get("seq")) is int:
        related.append(_related_entry("Corrects", entry.stream.name, corrects["seq"], facility))
    if isinstance(stream, str) and type(seq) is int and stream.startswith(f"{facility.code}/"):
        related.append(_related_entry("Shows what was done in", stream, seq, facility))
    return related


def _slip_entries(entry: Entry, facility: Facility) -> list[RelatedEntry]:
    """The entries of slips of this table that name the entry, or that it belongs to."""
    slips = Slip.objects.filter(table__stream=entry.stream_id).select_related("filed_by", "filed_with")
    name = entry.stream.name
    related = []
    for slip in slips.filter(corrects_seq=entry.seq):
        day, time = local_date_and_time(slip.filed_at, facility)
        detail = f"{slip.code}, {day}, {time}: {slip.reason}"
        related.append(_related_entry("Corrected by", name, slip.filed_seq, facility, detail))
    for slip in slips.filter(filed_seq=entry.seq):
        related.append(_related_entry("Corrects", name, slip.corrects_seq, facility, slip.reason))
        if slip.settled_seq:
            related.append(_related_entry("Its money moved by", name, slip.settled_seq, facility))
        if slip.reviewed_seq:
            related.append(
                _related_entry("Reviewed by", name, slip.reviewed_seq, facility, slip.review_reason)
            )
    related += [
        _related_entry("Moves the money of", name, slip.filed_seq, facility, f"{slip.code}: {slip.reason}")
        for slip in slips.filter(settled_seq=entry.seq)
    ]
    related += [
        _related_entry("Reviews", name, slip.filed_seq, facility, f"{slip.code}: {slip.reason}")
        for slip in slips.filter(reviewed_seq=entry.seq)
    ]
    return related


def _related_entry(text: str, stream: str, seq: int, facility: Facility, detail: str = "") -> RelatedEntry:
    """Link a related entry. An altered body may name an address that does not exist; then there is no link."""
    try:
        url = entry_url(stream, seq, facility)
    except NoReverseMatch:
        url = ""
    return RelatedEntry(text, stream.partition("/")[2], seq, url, detail)

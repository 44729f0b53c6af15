"""Entries of the record as lines to read: the moment, the place, the act in words, the people, the figure."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from audit.models import Entry
from audit.record import INSTALLATION
from games.models import Facility
from tables.words.entries import names_of, said_by, words_of
from tables.words.sentences import dollars


@dataclass(frozen=True)
class Line:
    """One entry for a list. `day` and `time` are by the house's clocks; `people` are who acted and who signed besides,
    by name; `share` is its sum in hundredths of the largest in the list, 0 where there is nothing to compare.
    """

    entry: Entry
    day: str
    time: str
    place: str
    words: str
    people: tuple[str, ...]
    amount: str
    url: str
    share: int = 0

    @property
    def share_from(self) -> int:
        """Where a bar begins that ends at 100."""
        return 100 - self.share

    @property
    def short_hash(self) -> str:
        return bytes(self.entry.hash).hex()[:8]


def lines_of(entries: Iterable[Entry], house: Facility) -> list[Line]:
    """Lines of these entries, whose streams were read with them."""
    entries = list(entries)
    names = names_of({code for one in entries for code in (one.actor, one.witness) if code})
    sums = [one.cents for one in entries if one.cents]
    largest = max(sums) if len(sums) > 1 else 0
    return [
        Line(
            one,
            *local(one.at, house),
            place_of(one, house),
            words_of(one.type, said_by(one)),
            tuple(names.get(code, code) for code in (one.actor, one.witness) if code),
            "" if one.cents is None else dollars(one.cents),
            address_of(one.stream.name, one.seq, house),
            max(1, 100 * one.cents // largest) if largest and one.cents else 0,
        )
        for one in entries
    ]


def local(at: dt.datetime, house: Facility) -> tuple[str, str]:
    """A moment by the house's clocks: `Fri 20 Nov 2026` and `21:17:31`."""
    there = house.local(at)
    return f"{there:%a} {there.day} {there:%b %Y}", f"{there:%H:%M:%S}"


def place_of(entry: Entry, house: Facility) -> str:
    """Where an entry stands, as a search names it."""
    name = entry.stream.name
    return name if name == INSTALLATION else name.removeprefix(f"{house.code}/")


def address_of(stream: str, seq: int, house: Facility) -> str:
    """The page of an entry, by its stream and number."""
    if stream == INSTALLATION:
        return reverse("record-entry-of-installation", args=[house.code, seq])
    return reverse("record-entry", args=[house.code, stream.partition("/")[2], seq])


def replay_of(place: str, round_: int | None, house: Facility) -> str:
    """The page on which a round is replayed; empty where there is none."""
    if round_ is None or place == INSTALLATION:
        return ""
    try:
        return reverse("replay", args=[house.code, place, round_])
    except NoReverseMatch:
        return ""

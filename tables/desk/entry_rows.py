"""Entries of the record as rows to read: time, place, act in words, people, amount."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass

from django.urls import NoReverseMatch, reverse

from audit.models import Entry
from audit.record import INSTALLATION
from games.models import Facility
from tables.desk.rules_changes import rules_change
from tables.words.entries import data_of, names_of, words_of
from tables.words.sentences import dollars


@dataclass(frozen=True)
class EntryRow:
    """One entry of a list. `day` and `time` are local; `people` are the names of the actor and the second signer.

    `share` is its amount in hundredths of the largest in the list, 0 where there is nothing to compare.
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


def entry_rows(entries: Iterable[Entry], facility: Facility) -> list[EntryRow]:
    """Return rows for these entries. Their streams must be selected with them."""
    entries = list(entries)
    names = names_of({code for entry in entries for code in (entry.actor, entry.witness) if code})
    sums = [entry.cents for entry in entries if entry.cents]
    largest = max(sums) if len(sums) > 1 else 0
    return [
        EntryRow(
            entry,
            *local_date_and_time(entry.at, facility),
            place_of(entry, facility),
            entry_words(entry, facility),
            tuple(names.get(code, code) for code in (entry.actor, entry.witness) if code),
            "" if entry.cents is None else dollars(entry.cents),
            entry_url(entry.stream.name, entry.seq, facility),
            max(1, 100 * entry.cents // largest) if largest and entry.cents else 0,
        )
        for entry in entries
    ]


def entry_words(entry: Entry, facility: Facility) -> str:
    """An entry as a sentence; one about rules says what it changed."""
    data = data_of(entry)
    words, change = words_of(entry.type, data), rules_change(entry, data, facility)
    return f"{words}. {change[0].upper()}{change[1:]}" if change else words


@dataclass(frozen=True)
class RoundGroup:
    """Rows of a list that belong to one round, under its name and page; both empty for rows of no round."""

    label: str
    url: str
    rows: list[EntryRow]


def grouped_by_round(rows: Iterable[EntryRow], facility: Facility) -> list[RoundGroup]:
    """Return the rows by round: each round where its newest entry is, rows of no round between them."""
    groups: list[RoundGroup] = []
    by_round: dict[tuple[int, int], RoundGroup] = {}
    for row in rows:
        entry = row.entry
        if entry.round is None:
            if not groups or groups[-1].label:
                groups.append(RoundGroup("", "", []))
            groups[-1].rows.append(row)
            continue
        key = (entry.stream_id, entry.round)
        if key not in by_round:
            label = f"Round {entry.round} at {row.place}"
            by_round[key] = RoundGroup(label, replay_url(row.place, entry.round, facility), [])
            groups.append(by_round[key])
        by_round[key].rows.append(row)
    return groups


def local_date_and_time(moment: dt.datetime, facility: Facility) -> tuple[str, str]:
    """A moment in local time: `Fri 20 Nov 2026` and `21:17:31`."""
    local = facility.local(moment)
    return f"{local:%a} {local.day} {local:%b %Y}", f"{local:%H:%M:%S}"


def place_of(entry: Entry, facility: Facility) -> str:
    """The place of an entry, as a search names it."""
    name = entry.stream.name
    return name if name == INSTALLATION else name.removeprefix(f"{facility.code}/")


def entry_url(stream: str, seq: int, facility: Facility) -> str:
    """The page of an entry, by its stream and number."""
    if stream == INSTALLATION:
        return reverse("record-entry-of-installation", args=[facility.code, seq])
    return reverse("record-entry", args=[facility.code, stream.partition("/")[2], seq])


def replay_url(place: str, round_: int | None, facility: Facility) -> str:
    """The page that replays a round; "" where there is none."""
    if round_ is None or place == INSTALLATION:
        return ""
    try:
        return reverse("replay", args=[facility.code, place, round_])
    except NoReverseMatch:
        return ""

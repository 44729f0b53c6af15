"""What the pages of the handover show: the list with times in words, what the button says, and signed handovers."""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from audit.models import Entry, Person
from games.models import Facility
from tables.cases.case import moment_words
from tables.handover.handover import WHOLE_FLOOR, HandoverDraft, PitFigures, in_words
from tables.handover.open_items import OpenItem
from tables.models import Handover, Pit
from tables.words.entries import data_of


@dataclass(frozen=True)
class ItemRow:
    """An open item as the page shows it. `by` is `now`, a time, or `open`."""

    key: str
    label: str
    level: str
    table: str
    title: str
    text: str
    by: str
    holder: str
    owner: str
    group: str


@dataclass(frozen=True)
class ItemGroup:
    """Open items of one sort, which one person may take over with one signature."""

    name: str
    rows: list[ItemRow]

    @property
    def owner(self) -> str:
        """Who took all of them over; "" while any has nobody. Several owners are named once each."""
        owners = [row.owner for row in self.rows]
        return ", ".join(dict.fromkeys(owners)) if all(owners) else ""

    @property
    def keys(self) -> str:
        """The keys of the items, with spaces between."""
        return " ".join(row.key for row in self.rows)


@dataclass(frozen=True)
class ShiftFiguresRow:
    """The figures of a pit, or of the floor; `deviations` of its win from the expectation, within three."""

    name: str
    rounds: int
    handle_cents: int
    win_cents: int
    expected_cents: int | None
    band_cents: int | None

    @property
    def deviations(self) -> float | None:
        """How many standard deviations the win is from its expectation, to one digit."""
        if self.expected_cents is None or not self.band_cents:
            return None
        return round(2 * (self.win_cents - self.expected_cents) / self.band_cents, 1)

    @property
    def place(self) -> float | None:
        """Where the win is on an axis of three standard deviations to each side."""
        return None if self.deviations is None else max(-3.0, min(3.0, self.deviations))

    @property
    def is_outside(self) -> bool:
        return self.deviations is not None and abs(self.deviations) > 2

    @property
    def words(self) -> str:
        """`1.2 standard deviations above expectation`."""
        if self.deviations is None:
            return "no expectation"
        side = "below" if self.deviations < 0 else "above"
        return f"{abs(self.deviations)} standard deviations {side} expectation"


def item_row(item: OpenItem, facility: Facility, now: dt.datetime) -> ItemRow:
    """Return an open item with its times in words of the facility's clock."""
    is_now = item.is_now or (item.due_at is not None and item.due_at <= now)
    return ItemRow(
        item.key,
        item.label,
        item.level,
        item.table,
        item.title,
        item.text,
        "now" if is_now else moment_words(item.due_at, facility, now) if item.due_at else "open",
        item.holder.short_name if item.holder else "",
        item.owner.short_name if item.owner else "",
        item.group or item.label,
    )


def decide_first(rows: list[ItemRow]) -> tuple[list[ItemRow], list[ItemGroup]]:
    """Return what has to be decided now, line by line, and what goes over, in groups in the order of their first."""
    now = [row for row in rows if row.by == "now"]
    groups: dict[str, list[ItemRow]] = {}
    for row in rows:
        if row.by != "now":
            groups.setdefault(row.group, []).append(row)
    return now, [ItemGroup(name, members) for name, members in groups.items()]


def what_is_missing(draft: HandoverDraft) -> tuple[str, str]:
    """Return what the button says while nobody can sign, in two lines; empty once everything has an owner."""
    missing, total = draft.without_owner, len(draft.items)
    if not missing:
        return "", ""
    verb = "has" if len(missing) == 1 else "have"
    more = f", and {len(missing) - 1} more" if len(missing) > 1 else ""
    return f"{len(missing)} of {total} {verb} no owner", f"{in_words(missing[0])}{more}"


def signed_handover(handover: Handover) -> dict[str, Any] | None:
    """Return a signed handover as its entry has it, with names for codes; None if the entry cannot be read."""
    entry = Entry.objects.filter(stream=handover.stream_id, seq=handover.seq).first()
    data = data_of(entry) if entry else {}
    try:
        return _signed_page(handover, data)
    except (KeyError, TypeError, ValueError, AttributeError):
        return None


def _signed_page(handover: Handover, data: dict[str, Any]) -> dict[str, Any]:
    facility = handover.facility
    codes = {code for item in data["items"] for code in (item["holder"], item["owner"]) if code}
    names = {person.code: person.short_name for person in Person.objects.filter(code__in=codes)}
    items = [
        {
            "kind": item["kind"],
            "table": item["table"] or "",
            "title": item["title"],
            "due_at": dt.datetime.fromisoformat(item["due_at"]) if item["due_at"] else None,
            "holder": names.get(item["holder"], item["holder"] or ""),
            "owner": names.get(item["owner"], item["owner"]),
        }
        for item in data["items"]
    ]
    return {
        "shift_name": data["shift_name"],
        "next_shift_name": data["next_shift_name"],
        "begins_at": dt.datetime.fromisoformat(data["begins_at"]),
        "ends_at": dt.datetime.fromisoformat(data["ends_at"]),
        "items": items,
        **figure_rows(facility, data["pits"], data["total"]),
        "note": data["note"],
    }


def figure_rows(facility: Facility, pits: Iterable[PitFigures], total: PitFigures) -> dict[str, Any]:
    """Return the figures of a shift, recorded ones too, as the rows `pits` and `total` of a page.

    Raises KeyError or TypeError for recorded figures of another shape.
    """
    names = dict(Pit.objects.filter(facility=facility).values_list("code", "name"))
    return {"pits": [_figures_row(figures, names) for figures in pits], "total": _figures_row(total, names)}


def _figures_row(data: PitFigures, pits: dict[str, str]) -> ShiftFiguresRow:
    return ShiftFiguresRow(
        "Floor" if data["pit"] == WHOLE_FLOOR else pits.get(data["pit"], data["pit"]),
        data["rounds"],
        data["handle_cents"],
        data["win_cents"],
        data["expected_cents"],
        data["band_cents"],
    )

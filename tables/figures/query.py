"""What a page of figures is about: days, and the filters that its links set."""

import datetime as dt
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import urlencode

from audit.models import Person
from games.models import Facility
from tables.core.scope import scope_of
from tables.core.typed_days import read_day
from tables.models import Table

PLAYS = {"live": "Real play", "training": "Training", "simulated": "Simulation"}
DAY = dt.timedelta(days=1)
BY_DAY_MAX = 62  # a longer range is by month
BY = {"table": "Table", "pit": "Pit", "game": "Game", "shift": "Shift", "dealer": "Dealer"}
FILTERS = ("shift", "pit", "table", "game", "dealer")


@dataclass(frozen=True)
class FiguresQuery:
    """Gaming days from the first to the last, of one kind of play; a filter that is "" leaves nothing out."""

    facility: Facility
    first: dt.date
    last: dt.date
    today: dt.date
    shift: str = ""
    pit: str = ""
    table: str = ""
    game: str = ""
    dealer: str = ""
    play: str = "live"
    by: str = "table"

    @property
    def days(self) -> int:
        return (self.last - self.first) // DAY + 1

    @property
    def is_one_day(self) -> bool:
        return self.first == self.last

    @property
    def has_today(self) -> bool:
        return self.last == self.today

    @property
    def period(self) -> str:
        """What the page lists in time: hours of one day, days of a short range, months of a long one."""
        return "hour" if self.is_one_day else "day" if self.days <= BY_DAY_MAX else "month"

    @property
    def parameters_without_days(self) -> list[tuple[str, str]]:
        """The names and values of the address that stay when somebody chooses other days."""
        return [(name, value) for name, value in self._parameters() if name not in ("from", "to")]

    def parameters(self, **changes: Any) -> str:
        """Return the query of an address with these changes, only with what is not the default."""
        return "?" + urlencode(replace(self, **changes)._parameters())

    def _parameters(self) -> list[tuple[str, str]]:
        parameters = {
            "from": self.first.isoformat(),
            "to": self.last.isoformat(),
            **{name: getattr(self, name) for name in FILTERS},
            "play": "" if self.play == "live" else self.play,
            "by": "" if self.by == "table" else self.by,
        }
        return [(name, value) for name, value in parameters.items() if value]


def read_query(
    facility: Facility, parameters: Mapping[str, str], today: dt.date, default_days: int = 1
) -> tuple[FiguresQuery, str]:
    """Return the query of an address, and a sentence about what was typed and could not be used."""
    first_typed, last_typed = parameters.get("from", ""), parameters.get("to", "")
    first, last = read_day(first_typed), read_day(last_typed)
    refused = ""
    if (first_typed and first is None) or (last_typed and last is None):
        refused = "A gaming day is a date, such as 2026-11-21."
    last = last or first or today
    if last > today or (first and first > today):
        refused = "That gaming day has not begun."
        last = min(last, today)
    first = first or (last if last_typed else last - (default_days - 1) * DAY)
    if first > last:
        refused = refused or "The range ends before it begins."
        first = last
    play, by = parameters.get("play", ""), parameters.get("by", "")
    query = FiguresQuery(
        facility,
        first,
        last,
        today,
        **{name: _read_code(parameters.get(name, "")) for name in FILTERS},
        play=play if play in PLAYS else "live",
        by=by if by in BY else "table",
    )
    return query, refused


def next_month(day: dt.date) -> dt.date:
    """Return the first day of the month after that of a day."""
    return (day.replace(day=1) + 32 * DAY).replace(day=1)


def month_of(day: dt.date) -> tuple[dt.date, dt.date]:
    """Return the first and the last day of the month of a day."""
    return day.replace(day=1), next_month(day) - DAY


def is_code(typed: str) -> bool:
    """Whether a filter may have this value: a code, which need not exist."""
    return re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._-]{0,59}", typed, re.ASCII) is not None


def _read_code(typed: str) -> str:
    return typed if is_code(typed) else ""


def visible_tables(person: Person | None, facility: Facility, play: str) -> list[Table]:
    """Return the tables of one kind whose figures a person may see: those of their duty, or all of the facility.

    Without a person, for a declared report, they are all of the facility.
    """
    tables = Table.objects.filter(facility=facility, kind=play).select_related("pit", "dealer")
    ordered = list(tables.order_by("pit__code", "code"))
    return scope_of(person, facility).of(ordered)


def selected_tables(query: FiguresQuery, tables: list[Table]) -> list[Table]:
    """Return those of these tables that the filters leave.

    The pit filter applies to rollup rows instead, because a table may have moved.
    """
    return [table for table in tables if query.table in ("", table.code) and query.game in ("", table.game)]

"""Links from the figures of the report to the record."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode

from tables.failures import ROUND_RECORDED_BY_HAND
from tables.reports.figures import ReportRow
from tables.reports.report_day import ReportDay
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED
from tables.rounds.play import LAYOUT_CLEARED, ROUND_SETTLED
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND


class ReportLinks:
    """Links from a day's figures to searches, rounds and entries; "" where a page does not exist."""

    def __init__(self, day: ReportDay) -> None:
        self.day, self.facility = day, day.facility.code

    def report(self, date: dt.date, name: str = "record-report", **parameters: str) -> str:
        """Another day, view or format of this report."""
        query = {"day": date.isoformat(), "play": self.day.play, **parameters}
        return _address(
            name, [self.facility], {name: value for name, value in query.items() if value != "live"}
        )

    def record(self, **parameters: str) -> str:
        """The entries of the day that match these search parameters."""
        training = {} if self.day.play == "live" else {"training": "1"}
        return _address(
            "record", [self.facility], {"day": self.day.date.isoformat(), **parameters, **training}
        )

    def round(self, table: str, number: int | None) -> str:
        return _address("replay", [self.facility, table, number]) if number else ""

    def entry(self, table: str, seq: int) -> str:
        return _address("record-entry", [self.facility, table, seq])

    def of_row(self, row: ReportRow, figure: str) -> str:
        """The entries behind a figure of one table. A game is dealt at several tables and has no place of its own."""
        return "" if row.code == row.game else self.record(place=row.code, **FIGURES[figure])

    def of_day(self, figure: str) -> str:
        """The entries behind a figure of the whole day."""
        return self.record(**FIGURES[figure])


# The query that finds the entries behind each figure.
FIGURES: dict[str, dict[str, str]] = {
    "all": {},
    "rounds": {"type": LAYOUT_CLEARED.name},
    "no_roll": {"type": ROUND_NO_ROLL.name},
    "void": {"type": ROUND_VOIDED.name},
    "settled": {"type": ROUND_SETTLED.name},
    "by_hand": {"type": ROUND_SETTLED_BY_HAND.name},
    "on_paper": {"type": ROUND_RECORDED_BY_HAND.name},
}


def _address(name: str, args: Iterable[Any], query: dict[str, str] | None = None) -> str:
    try:
        address = reverse(name, args=list(args))
    except NoReverseMatch:
        return ""
    return f"{address}?{urlencode(query)}" if query else address

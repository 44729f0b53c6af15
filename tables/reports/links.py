"""Where each figure of the report can be traced to."""

import datetime as dt
from collections.abc import Iterable
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.http import urlencode

from tables.reports.events import DISPUTE
from tables.reports.figures import Line
from tables.reports.report_day import Day


class Traces:
    """Where a figure of a day can be traced to: addresses of the search, of rounds and of entries, "" for a page that
    there is not.
    """

    def __init__(self, day: Day) -> None:
        self.day, self.house = day, day.house.code

    def report(self, date: dt.date, name: str = "record-report", **more: str) -> str:
        """Another day, another view or the paper of this report."""
        asked = {"day": date.isoformat(), "play": self.day.play, **more}
        return _address(name, [self.house], {name: said for name, said in asked.items() if said != "live"})

    def record(self, **asked: str) -> str:
        """The entries of the day that say it."""
        training = {} if self.day.play == "live" else {"training": "1"}
        return _address("record", [self.house], {"day": self.day.date.isoformat(), **asked, **training})

    def round(self, table: str, number: int | None) -> str:
        return _address("replay", [self.house, table, number]) if number else ""

    def entry(self, table: str, seq: int) -> str:
        return _address("record-entry", [self.house, table, seq])

    def of_line(self, line: Line) -> dict[str, str]:
        """Of one table; a game is dealt at several, and has no place of its own in the record."""
        if line.code == line.game:
            return {}
        return {name: self.record(place=line.code, **asked) for name, asked in FIGURES.items()}

    def of_house(self) -> dict[str, str]:
        return {name: self.record(**asked) for name, asked in FIGURES.items()}


# By which entries each figure is told
FIGURES: dict[str, dict[str, str]] = {
    "all": {},
    "rounds": {"type": "layout.cleared"},
    "no_roll": {"type": "round.no_roll"},
    "void": {"type": "round.voided"},
    "settled": {"type": "round.settled"},
    "by_hand": {"type": "round.settled_by_hand"},
    "on_paper": {"type": "round.recorded_by_hand"},
    "wagers": {"type": "wagers.placed"},
    "slips": {"type": "slip.filed"},
    "disputes": {"type": DISPUTE},
}


def _address(name: str, args: Iterable[Any], query: dict[str, str] | None = None) -> str:
    try:
        address = reverse(name, args=list(args))
    except NoReverseMatch:
        return ""
    return f"{address}?{urlencode(query)}" if query else address

"""What the report says in words, the same on the page and on paper."""

import datetime as dt
from collections.abc import Iterator

from games.engine.odds import in_dollars
from games.models import Facility
from games.registry import game_by_code
from tables.reports.figures import Report


def long_day(date: dt.date) -> str:
    """`Saturday 21 November 2026`."""
    return f"{date:%A} {date.day} {date:%B %Y}"


def hour_label(begins: dt.datetime, house: Facility) -> str:
    """`13:00` by the house's clocks."""
    return f"{house.local(begins):%H:%M}"


def expected_notes(report: Report) -> Iterator[str]:
    """What the expectation rests on, and what is left out of it."""
    yield (
        "By the exact odds of each wager under the rules that its round was dealt by; a dot is the win in fact, the "
        "line the expected one, the band two standard deviations to each side. A payout limit is not reckoned with."
    )
    for game in (game_by_code(row.game) for row in report.games):
        if game.has_plays:
            yield (
                f"{game.name}: a wager on the game is reckoned from before its first throw, one on a play from "
                "where the marker stood when it was laid."
            )
    if report.total.expected.excluded_cents:
        yield (
            f"Left out: {in_dollars(report.total.expected.excluded_cents)} on Extra Rolls and on the Like Kind circles "
            "of seats that bought one, whose odds depend on each other."
        )

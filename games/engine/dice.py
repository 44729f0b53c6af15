"""How long dice may be used: 58 Pa. Code §§ 539.2(b), 625a.2(b). In New Jersey it is a setting of the facility."""

import calendar
from datetime import UTC, datetime, timedelta

from games.engine.rules import Rules

A_DAY = timedelta(hours=24)


def dice_expiry(rules: Rules, shaker_kind: str, placed_at: datetime, attested: bool) -> tuple[datetime, str]:
    """Return the moment from which no new shake may begin with these dice, and the section that says so.

    `placed_at` is when they were put into the shaker (or locked in it), in the facility's time zone. A calendar
    month keeps its clock time and ends at the latest on the last day of the month; 24 hours are elapsed time.
    `attested` says that the lot meets § 603a.12(c); without it the dice of an automated shaker have 24 hours too.
    Raises `shaker-not-allowed`, and ValueError for a moment without a time zone.
    """
    if placed_at.tzinfo is None:
        raise ValueError("placed_at needs a time zone")
    kind = rules.shaker(shaker_kind)
    section = rules.section("dice-clock-automated" if kind.automated else "dice-clock-manual")
    if kind.months and attested:
        return months_after(placed_at, kind.months), section
    return (placed_at.astimezone(UTC) + A_DAY).astimezone(placed_at.tzinfo), section


def months_after(moment: datetime, months: int) -> datetime:
    """Return the same day and clock time some months later, or the last day of a shorter month."""
    years, month = divmod(moment.month - 1 + months, 12)
    year, month = moment.year + years, month + 1
    day = min(moment.day, calendar.monthrange(year, month)[1])
    return moment.replace(year=year, month=month, day=day)

"""Days that somebody typed into an address, a form or a command."""

import datetime as dt
import re

EARLIEST = dt.date(2000, 1, 1)


def read_day(typed: str) -> dt.date | None:
    """Return a date such as 2026-11-21; None for anything else and for dates before this century."""
    try:
        day = dt.date.fromisoformat(typed) if re.fullmatch(r"\d{4}-\d\d-\d\d", typed, re.ASCII) else None
    except ValueError:
        return None
    return day if day and day >= EARLIEST else None

"""How a day is written for people, on pages, on paper and in sentences."""

import datetime as dt


def day_in_words(day: dt.date | str) -> str:
    """`6 Nov 2026`, of a day or of its text in the record, `2026-11-06`. A moment is made local before."""
    date = dt.date.fromisoformat(day) if isinstance(day, str) else day
    return f"{date.day} {date:%b %Y}"

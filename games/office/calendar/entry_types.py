"""Entries about deadlines and calendar feeds."""

from typing import TypedDict

from audit.entry_types import entry_type


class DeadlineNoted(TypedDict):
    days: list[int]
    deadline: str
    due_on: str


DEADLINE_NOTED = entry_type("deadline.noted", DeadlineNoted, "A note was made about a deadline.")


class DeadlineReminded(TypedDict):
    days: int
    deadline: str
    due_on: str
    section: str
    what: str


DEADLINE_REMINDED = entry_type(
    "deadline.reminded", DeadlineReminded, "A reminder of a deadline was sent, so many days before it."
)


class CalendarFeed(TypedDict):
    feed: int
    name: str


FEED_MADE = entry_type("feed.made", CalendarFeed, "A calendar feed of deadlines was made.")


FEED_REVOKED = entry_type("feed.revoked", CalendarFeed, "A calendar feed was revoked.")

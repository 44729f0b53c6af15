"""Entries about deadlines and calendar feeds."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from games.models.calendar import ReminderDays


class DeadlineEntry(TypedDict):
    """The deadline that an entry is about."""

    deadline: Annotated[str, "key of the deadline, for instance renewal:SP-0001"]
    due_on: Annotated[str, "the day on which it is due"]


class DeadlineNoted(DeadlineEntry):
    days: Annotated[
        list[ReminderDays], "the reminders that were acknowledged: how many days ahead each was due"
    ]


DEADLINE_NOTED = entry_type(
    "deadline.noted", DeadlineNoted, "Every open reminder of a deadline was acknowledged."
)


class DeadlineReminded(DeadlineEntry):
    days: Annotated[
        ReminderDays, "which reminder it is: how many days ahead it is due; 0: on the day or later"
    ]
    what: Annotated[str, "what is due, in words"]
    section: Annotated[str, "the section that sets the deadline; empty if there is none"]


DEADLINE_REMINDED = entry_type(
    "deadline.reminded", DeadlineReminded, "A reminder of a deadline was sent to the rules office."
)


class FeedEntry(TypedDict):
    """The calendar feed that an entry is about."""

    feed: int
    name: Annotated[str, "name of the feed"]


FEED_MADE = entry_type("feed.made", FeedEntry, "A calendar feed of deadlines was made.")


FEED_REVOKED = entry_type("feed.revoked", FeedEntry, "A calendar feed was revoked.")

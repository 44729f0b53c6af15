"""Refusals about reminders, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_SUCH_REMINDER = RefusalCode(
    "no-such-reminder",
    "This reminder was already acknowledged, or its deadline was met. Check the list of deadlines.",
    "Already acknowledged",
)
FEED_OF_THAT_NAME = RefusalCode(
    "feed-of-that-name",
    "A calendar named %(name)s already has an address here. Choose another name.",
    "Name taken",
)
NO_SUCH_FEED = RefusalCode(
    "no-such-feed",
    "This address is already closed. No calendar can read the deadlines through it.",
    "No such address",
)

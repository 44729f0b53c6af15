"""Refusals about reminders and calendar feeds."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "no-such-reminder": "Already acknowledged",
    "feed-of-that-name": "Name taken",
    "no-such-feed": "No such address",
}
SENTENCES: dict[str, str] = {
    "no-such-reminder": "This reminder was already acknowledged, or its deadline was met. Check the list of deadlines.",
    "feed-of-that-name": "A calendar named %(name)s already has an address here. Choose another name.",
    "no-such-feed": "This address is already closed. No calendar can read the deadlines through it.",
}

register(titles=TITLES, sentences=SENTENCES)

"""Refusals about reminders and calendar feeds."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "no-such-reminder": "Noted already",
    "feed-of-that-name": "Name taken",
    "no-such-feed": "No such address",
}
SENTENCES: dict[str, str] = {
    "no-such-reminder": "No reminder of this deadline stands any more. Look at the list of deadlines.",
    "feed-of-that-name": "A calendar called %(name)s has an address here already. Give it another name.",
    "no-such-feed": "This address is not open any more. Nobody reads the deadlines by it.",
}

register(titles=TITLES, sentences=SENTENCES)

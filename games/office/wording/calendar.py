"""Sentences about deadlines; merged into `games.office.wording`."""

from typing import Any

from django.utils.translation import gettext_lazy as lazy

TITLES: dict[str, Any] = {
    "no-such-reminder": lazy("Noted already"),
    "feed-of-that-name": lazy("Name taken"),
    "no-such-feed": lazy("No such address"),
}
SENTENCES: dict[str, Any] = {
    "no-such-reminder": lazy("No reminder of this deadline stands any more. Look at the list of deadlines."),
    "feed-of-that-name": lazy(
        "A calendar called %(name)s has an address here already. Give it another name."
    ),
    "no-such-feed": lazy("This address is not open any more. Nobody reads the deadlines by it."),
}

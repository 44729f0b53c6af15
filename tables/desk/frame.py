"""What every page of the desk has: the house, the person, where acts go, the desk's own tabs."""

import datetime as dt
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as lazy

from audit import clock
from audit.models import Person
from games.models import Facility

from .doors import may_export

TABS = (
    ("record", lazy("Search"), "record"),
    ("report", lazy("Daily report"), "record-report"),
    ("exports", lazy("Exports"), "record-exports"),
    ("integrity", lazy("Integrity"), "record-integrity"),
    ("coverage", lazy("Clauses"), "record-coverage"),
)


def desk(person: Person, house: Facility, tab: str) -> dict[str, Any]:
    """The context of a page of the desk, under one of its tabs."""
    now = clock.now()
    return {
        "house": house,
        "room": "record",
        "tab": tab,
        "tabs": [
            {"code": code, "label": label, "url": url}
            for code, label, name in TABS
            if (url := _url(name, house.code))
        ],
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "exports_here": may_export(person),
        "today": house.gaming_day(now),
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("desk-act", args=[house.code, "__act__"]),
        },
    }


def landing(facility: str) -> str:
    """The address of the first tab that there is: where the bar leads; empty where there is none."""
    return next((url for *_, name in TABS if (url := _url(name, facility))), "")


def _url(name: str, facility: str) -> str:
    try:
        return reverse(name, args=[facility])
    except NoReverseMatch:
        return ""

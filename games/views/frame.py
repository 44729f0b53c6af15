"""What every page of the office has: the house, the person, where acts go, the office's own tabs."""

import datetime as dt
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext_lazy as lazy

from audit import clock
from audit.models import Person
from games.models import Facility
from games.office.doors import may_act

TABS = (
    ("submissions", lazy("Submissions"), "submissions"),
    ("signs", lazy("Signs"), "signs"),
    ("guide", lazy("Guide"), "guides"),
    ("requests", lazy("New games"), "game-requests"),
    ("providers", lazy("Providers"), "providers"),
    ("documents", lazy("Documents"), "documents"),
    ("calendar", lazy("Deadlines"), "calendar"),
)


def office(person: Person, house: Facility, tab: str, now: dt.datetime | None = None) -> dict[str, Any]:
    """The context of a page of the office, under one of its tabs."""
    now = now or clock.now()
    return {
        "house": house,
        "room": "rules",
        "tab": tab,
        "tabs": [
            {"code": code, "label": label, "url": url}
            for code, label, name in TABS
            if (url := _url(name, house))
        ],
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "acts_here": may_act(person),
        "today": house.local(now).date(),
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("office-act", args=[house.code, "__act__"]),
            "file": reverse("office-act", args=[house.code, "file_document"]),
        },
    }


def _url(name: str, house: Facility) -> str:
    try:
        return reverse(name, args=[house.code])
    except NoReverseMatch:
        return ""

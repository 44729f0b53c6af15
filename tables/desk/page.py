"""What every page of the desk needs: the facility, the person, the address of acts, and the desk's tabs."""

import datetime as dt
from typing import Any

from django.urls import reverse

from audit import clock
from audit.models import Person
from games.models import Facility
from tables.desk.access import may_export

TABS = (
    ("record", "Search", "record"),
    ("report", "Daily report", "record-report"),
    ("exports", "Exports", "record-exports"),
    ("integrity", "Integrity", "record-integrity"),
    ("retention", "Retention", "record-retention"),
    ("coverage", "Clauses", "record-coverage"),
)


def desk_context(person: Person, facility: Facility, tab: str) -> dict[str, Any]:
    """Return the context of a desk page under one of its tabs."""
    now = clock.now()
    return {
        "facility": facility,
        "section": "record",
        "tab": tab,
        "tabs": tab_links(facility.code),
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "exports_here": may_export(person),
        "today": facility.gaming_day(now),
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("desk-act", args=[facility.code, "__act__"]),
        },
    }


def tab_links(facility: str) -> list[dict[str, Any]]:
    """The desk's tabs in order: `code`, `label` and `url`."""
    return [
        {"code": code, "label": label, "url": reverse(name, args=[facility])} for code, label, name in TABS
    ]


def landing_url(facility: str) -> str:
    """The address of the first tab, to which the bar links."""
    return reverse(TABS[0][-1], args=[facility])

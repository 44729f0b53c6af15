"""What every page of the inbox needs: the facility, the person, the address of acts, and the tabs."""

import datetime as dt
from typing import Any

from django.urls import reverse

from audit import clock
from audit.models import Person
from games.models import Facility
from tables.cases.roles import CASE_WORKERS, COMPLIANCE

TABS = (("inbox", "Cases", "inbox"), ("exceptions", "Exceptions", "inbox-exceptions"))


def inbox_context(person: Person, facility: Facility, tab: str) -> dict[str, Any]:
    """Return the context of a page under one of the tabs."""
    now = clock.now()
    return {
        "facility": facility,
        "section": "inbox",
        "tab": tab,
        "tabs": [
            {"code": code, "label": label, "url": reverse(name, args=[facility.code])}
            for code, label, name in TABS
        ],
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "works_here": person.role in CASE_WORKERS,
        "is_compliance": person.role in COMPLIANCE,
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("facility-act", args=[facility.code, "__act__"]),
        },
    }

"""What every page of the office needs: the facility, the person, the tabs, and where acts are sent."""

import datetime as dt
from typing import Any

from django.urls import reverse

from audit import clock
from audit.models import Person
from games.models import Facility, PreparedChange
from games.office.calendar import OVERDUE, THIS_WEEK, Deadline, deadlines, open_reminders
from games.office.core import may_act
from games.separation.acts import changes_to_acknowledge

TABS = (
    ("submissions", "Submissions", "submissions"),
    ("changes", "Approvals", "changes"),
    ("odds", "Odds sheet", "odds"),
    ("signs", "Signs", "signs"),
    ("guide", "Guide", "guides"),
    ("requests", "New games", "game-requests"),
    ("providers", "Providers", "providers"),
    ("documents", "Documents", "documents"),
    ("calendar", "Deadlines", "calendar"),
)


def page_context(
    person: Person,
    facility: Facility,
    tab: str,
    now: dt.datetime | None = None,
    listed: tuple[Deadline, ...] | None = None,
) -> dict[str, Any]:
    """Return the context of a page under one of the tabs. `listed`: the deadlines, if the page has read them."""
    now = now or clock.now()
    listed = deadlines(facility, now) if listed is None else listed
    today = facility.local(now).date()
    groups = [deadline.group(today) for deadline in listed]
    return {
        "facility": facility,
        "section": "rules",
        "tab": tab,
        "due": {"overdue": groups.count(OVERDUE), "week": groups.count(THIS_WEEK)},
        "waiting_changes": PreparedChange.objects.filter(
            facility=facility, status=PreparedChange.Status.WAITING
        ).count(),
        "told_changes": changes_to_acknowledge(facility, person),
        "reminders": open_reminders(facility, listed, today),
        "tabs": [
            {"code": code, "label": label, "url": reverse(name, args=[facility.code])}
            for code, label, name in TABS
        ],
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "acts_here": may_act(person),
        "today": today,
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("office-act", args=[facility.code, "__act__"]),
            "file": reverse("office-act", args=[facility.code, "file_document"]),
        },
    }


def landing_url(facility_code: str) -> str:
    """Return the address of the first tab, where the navigation bar leads."""
    return reverse(TABS[0][-1], args=[facility_code])

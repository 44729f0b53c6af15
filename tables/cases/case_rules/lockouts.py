"""PINs that were refused until somebody was locked out."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from audit.models import Lockout
from audit.pins import MAX_WRONG
from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import LOOKBACK
from tables.models import Case

NOBODY = "under several names: the device accepted no PIN"


def lockouts(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The lock-outs of this facility."""
    rows = Lockout.objects.filter(facility=facility.code, started_at__gt=now - LOOKBACK)
    for row in rows.select_related("device", "person", "signed_in").order_by("pk"):
        params = {
            "scope": row.scope,
            "device": row.where,
            "person": row.person.name if row.person else "",
            "people": sorted(person.code for person in (row.person, row.signed_in) if person is not None),
            "until": f"{facility.local(row.ends_at):%H:%M}",
        }
        yield CaseSubject(f"lockout:{row.pk}", row.started_at, params)


def describe_lockout(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return where the PINs were typed, and who was locked out until when."""
    count = MAX_WRONG[Lockout.Scope(params["scope"])]
    where = "at every device, last " if params["scope"] == Lockout.Scope.PERSON else ""
    who = f"as {params['person']}" if params["person"] else NOBODY
    return (
        f"{count} wrong PINs {where}at {params['device']}",
        f"{who[:1].upper()}{who[1:]}, until {params['until']}",
    )


def people_of_lockout(case: Case) -> set[str]:
    """The locked person, and the person who was signed in there."""
    return set(case.params["people"])


LOCKOUT = case_kind(
    CaseKind(
        "lockout",
        "Refused PINs",
        {
            "mistyped": "Mistyped by the person",
            "attempt": "Somebody tried PINs",
            "not-explained": "Not explained",
        },
        describe_lockout,
        lockouts,
        people_of_lockout,
        needs_camera=True,
    )
)

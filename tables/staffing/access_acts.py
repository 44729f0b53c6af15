"""The access review: somebody of compliance states that they looked at who has access, as the page showed it."""

import hashlib
import json
from typing import Annotated

from django.db.models import Q

from audit.models import Person
from games.act_forms import Text, text
from games.engine import Refusal
from games.models import Facility
from tables.models import Assignment, Table
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.entry_types import ACCESS_REVIEWED
from tables.staffing.refusals import ACCESS_HAS_CHANGED

REVIEWERS = frozenset({"compliance"})
SHA256_LENGTH = 64


@facility_act(STAFF, roles=REVIEWERS, step_up="office")
def review_access(
    ctx: FacilityContext, *, sha256: Annotated[str, text(SHA256_LENGTH)], note: Text = ""
) -> ActOutcome:
    """Record that the access of everybody was reviewed. `sha256` is that of the people whom the page listed.

    Raises `access-has-changed` if somebody was added, changed or left meanwhile.
    """
    people = people_with_access(ctx.facility)
    if access_sha256(people) != sha256:
        raise Refusal(ACCESS_HAS_CHANGED)
    entry = ACCESS_REVIEWED({"people": len(people), "sha256": sha256, "note": note})
    return ActOutcome(entry, {"people": len(people)}, changes="nothing")


def people_with_access(facility: Facility) -> list[Person]:
    """Everybody who has access here, by role and name; not the people of simulated tables, who never sign in."""
    people = Person.objects.filter(Q(facility=facility.code) | Q(facility=""), is_active=True)
    simulated = Assignment.objects.filter(table__kind=Table.Kind.SIMULATED).values("person")
    return list(people.exclude(pk__in=simulated).order_by("department", "role", "name"))


def access_sha256(people: list[Person]) -> str:
    """The SHA-256 (hex) of who has which role, in whatever order the people come."""
    rows = sorted([person.code, person.role, person.department, person.facility] for person in people)
    return hashlib.sha256(json.dumps(rows).encode()).hexdigest()

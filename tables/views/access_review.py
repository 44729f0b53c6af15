"""The access review: everybody who may sign in, and what each role may do, as a page and as CSV."""

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Entry, Person, Role
from audit.runner import Act, ActRunner
from games.kit.files import csv_table
from games.kit.tables import TEXT, Column, Table
from games.models import Facility
from games.office.core import runner as office_runner
from games.separation import policy
from tables.desk import runner as desk_runner
from tables.runner import facility as facility_runner
from tables.runner import table as table_runner
from tables.runner.access import DEVICES, PEOPLE, facility_page_for
from tables.runner.facility import STAFF
from tables.staffing.access_acts import REVIEWERS, access_sha256, people_with_access
from tables.staffing.entry_types import ACCESS_REVIEWED
from tables.views.facility import page_context

AREAS: tuple[tuple[str, ActRunner], ...] = (  # type: ignore[type-arg]  # of any kind of context
    ("At a table", table_runner.RUNNER),
    ("Dice, equipment, staff, cases", facility_runner.RUNNER),
    ("Rules office", office_runner.RUNNER),
    ("Compliance desk", desk_runner.RUNNER),
)
DOES, PREPARES, APPROVES = "does", "prepares", "approves"
ON_CHANGES = frozenset({"approve_change", "send_back_change", "take_back_change"})
REVIEWS_MAX = 12


@dataclass(frozen=True)
class Right:
    """What somebody may do: an act, or a subject of the policy. `right`: does, prepares or approves it."""

    area: str
    act: str
    right: str


@dataclass
class RoleRights:
    """A role with a department, who has it, and their rights."""

    role: str
    department: str
    people: list[Person] = field(default_factory=list)
    rights: list[Right] = field(default_factory=list)

    @property
    def areas(self) -> list[tuple[str, str, list[str]]]:
        """The rights by area and kind: area, kind, acts."""
        groups: dict[tuple[str, str], list[str]] = {}
        for right in self.rights:
            groups.setdefault((right.area, right.right), []).append(right.act)
        return [(area, kind, acts) for (area, kind), acts in groups.items()]


class AccessLine(NamedTuple):
    """A person and one of their rights."""

    person: Person
    group: RoleRights
    right: Right


C = Column[AccessLine]
COLUMNS = (
    C("code", TEXT, lambda line: line.person.code),
    C("name", TEXT, lambda line: line.person.name),
    C("badge", TEXT, lambda line: line.person.badge),
    C("role", TEXT, lambda line: line.group.role),
    C("department", TEXT, lambda line: line.group.department),
    C("works in", TEXT, lambda line: line.person.facility or "all"),
    C("area", TEXT, lambda line: line.right.area),
    C("act", TEXT, lambda line: line.right.act),
    C("right", TEXT, lambda line: line.right.right),
)


@require_GET
def access(request: HttpRequest, facility: str) -> HttpResponse:
    """Who has access, what each role may do, and the reviews before."""
    person, facility_row = facility_page_for(request, facility, DEVICES)
    people = people_with_access(facility_row)
    context = page_context(person, facility_row, PEOPLE, clock.now()) | {
        "tab": "access",
        "roles": rights_by_role(facility_row, people),
        "people": people,
        "sha256": access_sha256(people),
        "reviews": _reviews(facility_row),
        "reviewer": person.role in REVIEWERS,
    }
    return render(request, "tables/people/access.html", context)


@require_GET
def access_csv(request: HttpRequest, facility: str) -> HttpResponse:
    """A row for each person and each act that they may do."""
    _person, facility_row = facility_page_for(request, facility, DEVICES)
    lines = [
        AccessLine(person, group, right)
        for group in rights_by_role(facility_row, people_with_access(facility_row))
        for person in group.people
        for right in group.rights
    ]
    day = facility_row.gaming_day(clock.now()).isoformat()
    response = HttpResponse(csv_table(Table(COLUMNS, lines)), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="access-{facility_row.code}-{day}.csv"'
    return response


def rights_by_role(facility: Facility, people: list[Person]) -> list[RoleRights]:
    """The roles that somebody has here, in the order of `Role`, each with its department and its rights."""
    groups: dict[tuple[str, str], RoleRights] = {}
    for person in people:
        key = (person.role, person.department)
        if key not in groups:
            groups[key] = RoleRights(
                person.get_role_display(), person.get_department_display(), [], _rights(facility, person)
            )
        groups[key].people.append(person)
    order = {role: number for number, role in enumerate(Role.values)}
    return [groups[key] for key in sorted(groups, key=lambda key: (order.get(key[0], 99), key[1]))]


def _rights(facility: Facility, person: Person) -> list[Right]:
    """What the role of this person may do here. Whether they are on duty, and at which table, is another question."""
    rights = [
        Right(area, _words(act), DOES)
        for area, runner in AREAS
        for act in runner.acts.values()
        if not act.subject and act.name not in ON_CHANGES and person.role in act.roles
    ]
    for row in policy.changed(policy.rows_of(facility.law)).values():
        for kind, may in ((PREPARES, policy.may_prepare), (APPROVES, policy.may_approve)):
            if may(row, person):
                rights.append(Right("Changes that take two", row.title, kind))
    return rights


def _words(act: Act) -> str:  # type: ignore[type-arg]  # of any kind of context
    return act.name.replace("_", " ")


def _reviews(facility: Facility) -> list[dict[str, object]]:
    """The newest reviews: when, who, how many people, and the remark."""
    entries = Entry.objects.filter(stream__name=f"{facility.code}/{STAFF}", type=ACCESS_REVIEWED.name)
    rows = list(entries.order_by("-seq")[:REVIEWS_MAX])
    names = dict(Person.objects.filter(code__in={row.actor for row in rows}).values_list("code", "name"))
    return [
        {
            "at": row.at,
            "by": names.get(row.actor, row.actor),
            "seq": row.seq,
            **json.loads(bytes(row.body))["data"],
        }
        for row in rows
    ]

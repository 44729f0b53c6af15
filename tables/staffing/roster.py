"""Who works in a house: the posts of each table, what each floorperson supervises, and everybody's duty and training.

Reads only; the same few queries however many tables and people there are.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.db.models import Exists, OuterRef, Q, QuerySet

from audit.models import Person, Role
from games import submissions
from games.engine import Refusal
from games.engine.editions import edition
from games.models import Facility
from games.registry import game_by_code
from tables.core.permissions import FLOOR
from tables.models import Assignment, Qualification, Table
from tables.staffing import posts, spans
from tables.staffing.words import game_or_table_name

POSTS = {"dealer": "Dealer", "dealer-left": "Left dealer", "stick": "Stick"}
RANK = {role: number for number, role in enumerate(Role.values)}


@dataclass(frozen=True)
class Post:
    """One post of a table and who stands there; `since` where it is known."""

    label: str
    person: Person | None
    since: dt.datetime | None = None


@dataclass(frozen=True)
class StaffedTable:
    """A table with its posts and who answers for it."""

    table: Table
    game: str
    posts: list[Post]
    breaches: list[Refusal]


@dataclass
class FloorpersonSpan:
    """What one floorperson supervises: tables in play, tables elsewhere, and the most that their editions allow.

    `most` is 0 where no edition among them names a number.
    """

    person: Person
    tables: list[Table] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    most: int = 0
    section: str = ""
    breaches: list[Refusal] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many tables there are together."""
        return len(self.tables) + len(self.elsewhere)

    @property
    def places(self) -> list[str]:
        """The places of the meter, drawn in a row: `taken`, `free`, or `over` what is allowed."""
        width = max(self.count, self.most)
        over = ["over"] * (self.count - self.most) if self.most else []
        return (["taken"] * (self.count - len(over)) + over + ["free"] * width)[:width]


@dataclass(frozen=True)
class StaffMember:
    """A person with the duties that have not ended and the trainings on file."""

    person: Person
    duty: list[Assignment]
    trained: list[tuple[Qualification, str, bool]]

    @property
    def supervises(self) -> bool:
        """Whether this person may answer for tables."""
        return self.person.role in FLOOR


def staffed_tables(facility: Facility, now: dt.datetime) -> list[StaffedTable]:
    """The tables of the house by pit, with the people at them and what is wrong with their supervision."""
    wrong: dict[int, list[Refusal]] = {}
    for breach in spans.breaches(now):
        wrong.setdefault(breach.table_id, []).append(Refusal(breach.code, breach.section, **breach.params))
    people = ("dealer", "dealer_left", "stickperson", "floorperson")
    tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
    rows = tables.select_related("pit", "facility", *people).order_by("pit__code", "code")
    return [
        StaffedTable(table, game_by_code(table.game).name, _posts(table), wrong.get(table.pk, []))
        for table in rows
    ]


def _posts(table: Table) -> list[Post]:
    return [
        Post(POSTS[post], posts.holder(table, post), table.dealer_since if post == "dealer" else None)
        for post in posts.posts_of(table)
    ]


def floorperson_spans(
    facility: Facility, manned: Iterable[StaffedTable], now: dt.datetime
) -> list[FloorpersonSpan]:
    """The span of everybody of the floor who is on duty or answers for a table here; those in breach first."""
    by_person: dict[int, FloorpersonSpan] = {}
    duty = _unended(facility).filter(person__role__in=FLOOR)
    for assignment in duty.select_related("person").order_by("person__name", "pk"):
        span = by_person.setdefault(assignment.person_id, FloorpersonSpan(assignment.person))
        if assignment.elsewhere:
            span.elsewhere.append(game_or_table_name(assignment.elsewhere))
    keys = submissions.editions_in_force([facility.pk], now)
    for manned_table in manned:
        table, person = manned_table.table, manned_table.table.floorperson
        if person is None or table.kind != Table.Kind.LIVE or table.status == Table.Status.CLOSED:
            continue
        span = by_person.setdefault(person.pk, FloorpersonSpan(person))
        span.tables.append(table)
        span.breaches += [
            breach
            for breach in manned_table.breaches
            if breach.code not in {known.code for known in span.breaches}
        ]
        key = keys.get((facility.pk, table.game, table.submission_code))
        current = edition(key) if key else None
        most = current.staffing.span if current else 0
        if most and (not span.most or most < span.most):
            span.most, span.section = most, spans.span_section(current)
    return sorted(by_person.values(), key=lambda span: (not span.breaches, -span.count, span.person.name))


def staff_members(
    facility: Facility, now: dt.datetime, name: str = "", *, everybody: bool = False
) -> list[StaffMember]:
    """The people of the house who are on duty, or everybody, by role and name; `name` is a part of a name or code."""
    today = facility.local(now).date()
    people = Person.objects.filter(facility__in=["", facility.code], is_active=True)
    if name:
        people = people.filter(Q(name__icontains=name) | Q(code__icontains=name))
    if not everybody:
        people = people.filter(assignments__in=_unended(facility)).distinct()
    duty: dict[int, list[Assignment]] = {}
    for assignment in _unended(facility).select_related("pit", "table").order_by("started_at", "pk"):
        duty.setdefault(assignment.person_id, []).append(assignment)
    trained: dict[int, list[tuple[Qualification, str, bool]]] = {}
    in_effect = Exists(Qualification.objects.in_effect(today).filter(pk=OuterRef("pk")))
    every = Qualification.objects.filter(person__in=people).annotate(holds=in_effect)
    for filed in every.order_by("game", "since"):
        trained.setdefault(filed.person_id, []).append((filed, game_or_table_name(filed.game), filed.holds))
    return [
        StaffMember(person, duty.get(person.pk, []), trained.get(person.pk, []))
        for person in sorted(people, key=lambda person: (RANK.get(person.role, 99), person.name))
    ]


def _unended(facility: Facility) -> QuerySet[Assignment]:
    """What its people are at: the duties at this facility, and what they supervise elsewhere."""
    return Assignment.objects.unended().filter(facility=facility)

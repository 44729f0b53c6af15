"""The staff of a facility: the posts of each table, each floorperson's tables, and everybody's duty and training.

Reads only. The number of queries does not grow with the tables and people.
"""

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, cast

from django.db.models import Exists, OuterRef, Q, QuerySet

from audit.models import Person, Role
from games import submissions
from games.engine import Refusal
from games.engine.editions import edition
from games.models import Facility
from games.registry import game_by_code
from tables.core import posts
from tables.core.permissions import FLOOR
from tables.models import Assignment, Qualification, Table
from tables.staffing import spans
from tables.staffing.words import game_or_table_name

POSTS = {"dealer": "Dealer", "dealer-left": "Left dealer", "stick": "Stick"}
RANK = {role: number for number, role in enumerate(Role.values)}


@dataclass(frozen=True)
class Post:
    """A post of a table and the person there; `since` if it is known."""

    label: str
    person: Person | None
    since: dt.datetime | None = None


@dataclass(frozen=True)
class StaffedTable:
    """A table with its posts, and what is wrong with its supervision."""

    table: Table
    game: str
    posts: list[Post]
    breaches: list[Refusal]


@dataclass
class FloorpersonSpan:
    """The tables that one floorperson supervises, and how many their editions allow.

    `elsewhere`: games of tables that are not dealt with Pitside. `max_tables` is 0 if no edition sets a number.
    """

    person: Person
    tables: list[Table] = field(default_factory=list)
    elsewhere: list[str] = field(default_factory=list)
    max_tables: int = 0
    section: str = ""
    breaches: list[Refusal] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many tables the person supervises in all."""
        return len(self.tables) + len(self.elsewhere)

    @property
    def places(self) -> list[str]:
        """The cells of the meter: `taken`, `free`, or `over` the number allowed."""
        width = max(self.count, self.max_tables)
        over = ["over"] * (self.count - self.max_tables) if self.max_tables else []
        return (["taken"] * (self.count - len(over)) + over + ["free"] * width)[:width]


@dataclass(frozen=True)
class StaffMember:
    """A person with their unended duties and their trainings: the row, the game's name, whether it is in effect."""

    person: Person
    duty: list[Assignment]
    qualifications: list[tuple[Qualification, str, bool]]

    @property
    def supervises(self) -> bool:
        """Whether this person's role may supervise tables."""
        return self.person.role in FLOOR


def staffed_tables(facility: Facility, now: dt.datetime) -> list[StaffedTable]:
    """The tables of the facility by pit, with the people at them and what is wrong with their supervision."""
    refusals_by_table: dict[int, list[Refusal]] = {}
    for breach in spans.breaches(now):
        refusals_by_table.setdefault(breach.table_id, []).append(
            Refusal(breach.code, breach.section, **breach.params)
        )
    people = ("dealer", "dealer_left", "stickperson", "floorperson")
    tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
    rows = tables.select_related("pit", "facility", *people).order_by("pit__code", "code")
    return [
        StaffedTable(table, game_by_code(table.game).name, _posts(table), refusals_by_table.get(table.pk, []))
        for table in rows
    ]


def _posts(table: Table) -> list[Post]:
    return [
        Post(POSTS[post], posts.holder(table, post), getattr(table, f"{posts.FIELDS[post]}_since"))
        for post in posts.posts_of(table)
    ]


def floorperson_spans(
    facility: Facility, manned: Iterable[StaffedTable], now: dt.datetime
) -> list[FloorpersonSpan]:
    """The span of each floorperson who is on duty or supervises a table here; those in breach first."""
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
            if breach.code not in {listed.code for listed in span.breaches}
        ]
        key = keys.get((facility.pk, table.game, table.submission_code))
        current = edition(key) if key else None
        max_tables = current.staffing.span if current else 0
        if max_tables and (not span.max_tables or max_tables < span.max_tables):
            span.max_tables, span.section = max_tables, spans.span_section(current)
    return sorted(by_person.values(), key=lambda span: (not span.breaches, -span.count, span.person.name))


def staff_members(
    facility: Facility, now: dt.datetime, name: str = "", *, everybody: bool = False
) -> list[StaffMember]:
    """The people of the facility who are on duty, or everybody, by role and name.

    `name` is a part of a name or code.
    """
    today = facility.local(now).date()
    people = Person.objects.filter(facility__in=["", facility.code], is_active=True)
    if name:
        people = people.filter(Q(name__icontains=name) | Q(code__icontains=name))
    if not everybody:
        people = people.filter(assignments__in=_unended(facility)).distinct()
    duty: dict[int, list[Assignment]] = {}
    for assignment in _unended(facility).select_related("pit", "table").order_by("started_at", "pk"):
        duty.setdefault(assignment.person_id, []).append(assignment)
    qualifications: dict[int, list[tuple[Qualification, str, bool]]] = {}
    in_effect = Exists(Qualification.objects.in_effect(today).filter(pk=OuterRef("pk")))
    rows = Qualification.objects.filter(person__in=people).annotate(holds=in_effect)
    for qualification in rows.order_by("game", "since"):
        holds = bool(cast(Any, qualification).holds)  # an annotation of the query, which no type knows
        qualifications.setdefault(qualification.person_id, []).append(
            (qualification, game_or_table_name(qualification.game), holds)
        )
    return [
        StaffMember(person, duty.get(person.pk, []), qualifications.get(person.pk, []))
        for person in sorted(people, key=lambda person: (RANK.get(person.role, 99), person.name))
    ]


def _unended(facility: Facility) -> QuerySet[Assignment]:
    """The unended duties at this facility, those elsewhere included."""
    return Assignment.objects.unended().filter(facility=facility)

"""Who works where, and who comes next: the staff page, the dealers for a relief, and the people of a sign-in.

Reads only; the number of queries does not grow with the tables and people.

- The roster (`staffed_tables`, `floorperson_spans`, `staff_members`): the posts of each table, each floorperson's
  tables, and everybody's duty and training.
- Relief (`posts_in_relief`, `dealers_on_duty`): how long the dealers of a table have worked, and which dealers on duty
  may come next. Who is planned for the table comes first, then dealers by rest alone, the longest rested first. The
  rotation board, the podium's dialog and the wall show the same.
- Sign-in (`people_at`): who may sign in at a device, and what their sign-in will do there.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from django.db.models import Exists, OuterRef, Q, QuerySet

from audit.entries import PERSON_SIGNED_IN
from audit.models import Device, Entry, Person, Role
from audit.people import takes_password
from audit.registration import SIGN_IN
from games import submissions
from games.engine import Refusal
from games.engine.editions import edition
from games.engine.game import PostCode
from games.models import Facility
from games.registry import game_by_code
from tables.core import posts
from tables.core.duty import DEALERS, FLOOR
from tables.models import Assignment, PlannedMove, Qualification, Shaker, Table
from tables.staffing import supervision
from tables.staffing.dealers import break_due, is_break, overdue_at
from tables.staffing.supervision import game_or_table_name
from tables.words.sentences import span

# The posts of a table

POSTS = {"dealer": "Dealer", "dealer-left": "Left dealer", "stick": "Stick"}


@dataclass(frozen=True)
class PostInRelief:
    """A post of the table. `worked`: how long its person has been there, in words; "" where that is not known."""

    post: PostCode
    label: str
    person: Person | None
    since: dt.datetime | None
    worked: str
    break_due: dt.datetime | None
    is_due: bool
    is_overdue: bool


def posts_in_relief(table: Table, now: dt.datetime) -> list[PostInRelief]:
    """Return the posts of a table with the people there. The table is read with its facility and people."""
    return [_post_in_relief(table, post, now) for post in posts.posts_of(table)]


def _post_in_relief(table: Table, post: PostCode, now: dt.datetime) -> PostInRelief:
    field = posts.FIELDS[post]
    since: dt.datetime | None = getattr(table, f"{field}_since")
    is_closed = table.status == Table.Status.CLOSED
    due = None if is_closed else break_due(table.facility, getattr(table, f"{field}_works_since"))
    return PostInRelief(
        post,
        POSTS[post],
        posts.holder(table, post),
        since,
        span((now - since).total_seconds()) if since else "",
        due,
        due is not None and due <= now,
        due is not None and overdue_at(due) <= now,
    )


# The roster

RANK = {role: number for number, role in enumerate(Role.values)}


@dataclass(frozen=True)
class StaffedTable:
    """A table with its posts, and what is wrong with its supervision."""

    table: Table
    game: str
    posts: list[PostInRelief]
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
    for table_id, breach in supervision.breaches(now):
        refusals_by_table.setdefault(table_id, []).append(breach)
    people = ("dealer", "dealer_left", "stickperson", "floorperson")
    tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
    rows = tables.select_related("pit", "facility", *people).order_by("pit__code", "code")
    return [
        StaffedTable(
            table,
            game_by_code(table.game).name,
            posts_in_relief(table, now),
            refusals_by_table.get(table.pk, []),
        )
        for table in rows
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
            span.max_tables, span.section = max_tables, supervision.span_section(current)
    return sorted(by_person.values(), key=lambda span: (not span.breaches, -span.count, span.person.name))


def staff_members(
    facility: Facility, now: dt.datetime, name: str = "", *, everybody: bool = False
) -> list[StaffMember]:
    """The people of the facility who are on duty, or everybody, by role and name.

    `name` is a part of a name or code.
    """
    today = facility.local(now).date()
    people = Person.objects.filter(facility__in=["", facility.code], is_active=True)
    people = people.exclude(role=Role.MACHINE)
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


# Relief

NEVER = dt.datetime.max.replace(tzinfo=dt.UTC)


@dataclass(frozen=True)
class DealerOnDuty:
    """A dealer on duty at the facility. `obstacle` says why they cannot take a post here now; "" if nothing does.

    `planned`: the table that they take next by plan, and `post` the post of this table by that plan; else "".
    """

    person: Person
    note: str
    obstacle: str
    rests_since: dt.datetime
    planned: str = ""
    post: str = ""


def tables_in_rotation(facility: str) -> QuerySet[Table]:
    """Return the tables of a facility (its code) whose people are relieved: all but those that a program deals."""
    tables = Table.objects.filter(facility__code=facility, stream__closed_at=None)
    return tables.exclude(kind=Table.Kind.SIMULATED).order_by("code")


def breaks_due(posts_by_table: Mapping[str, Iterable[PostInRelief]]) -> list[tuple[str, PostInRelief]]:
    """Return the posts whose person's break is due, by the code of the table: what the board and the wall count."""
    return [
        (code, post)
        for code, posts_in in posts_by_table.items()
        for post in posts_in
        if post.is_due and post.person is not None
    ]


def post_to_relieve(in_relief: Sequence[PostInRelief], moves: Iterable[PlannedMove]) -> PostCode:
    """Return the post that is relieved next: an empty one, the first by plan, or where a break is due first."""
    empty = next((row.post for row in in_relief if row.person is None), None)
    planned = next((row.post for move in moves for row in in_relief if row.post == move.post), None)
    due = min(in_relief, key=lambda row: row.break_due or NEVER)
    return empty or planned or due.post


def dealers_on_duty(table: Table, now: dt.datetime) -> list[DealerOnDuty]:
    """Return the dealers on duty at the table's facility who are not at a post here.

    Who is planned for this table comes first, then the longest rested, and who is planned for another one last.
    Simulated people, who have no PIN, are left out.
    """
    by_person = duties_of_dealers(table.facility, now)
    tables = _tables_of(table, by_person)
    trained = _trained_ids(table, now)
    here = set(posts.holder_ids(table))
    dealers = [
        _dealer(table, assignments, tables.get(person_id), person_id in trained, now)
        for person_id, assignments in by_person.items()
        if person_id not in here
    ]
    moves = PlannedMove.objects.open_moves(table.facility).select_related("table")
    move_of = {move.person_id: move for move in moves}
    dealers = [_with_plan(dealer, move_of.get(dealer.person.pk), table) for dealer in dealers]
    return sorted(
        dealers,
        key=lambda dealer: (
            dealer.planned != table.code,
            bool(dealer.planned),
            dealer.rests_since,
            dealer.person.name,
        ),
    )


def _with_plan(dealer: DealerOnDuty, move: PlannedMove | None, table: Table) -> DealerOnDuty:
    """The dealer with the table that they take next by plan, if they have one."""
    if move is None:
        return dealer
    where = "here" if move.table_id == table.pk else f"for {move.table.code}"
    time = table.facility.local(move.planned_for).strftime("%H:%M")
    note = f"planned {where} at {time}, {dealer.note}"
    return replace(dealer, planned=move.table.code, post=move.post if where == "here" else "", note=note)


def duties_of_dealers(facility: Facility, now: dt.datetime) -> dict[int, list[Assignment]]:
    """Return the duties at a facility of each dealer there, by the id of the person, the first duty first.

    Simulated people, who have no PIN, are left out, and people on leave.
    """
    today = facility.gaming_day(now)
    duty = Assignment.objects.at_facility(facility).filter(person__role__in=DEALERS)
    by_person: dict[int, list[Assignment]] = {}
    for assignment in duty.filter(person__is_active=True).select_related("person").order_by("started_at"):
        if assignment.person.has_usable_password() and not assignment.person.is_on_leave(today):
            by_person.setdefault(assignment.person_id, []).append(assignment)
    return by_person


def rest_of(facility: Facility, duties: list[Assignment], now: dt.datetime) -> tuple[dt.datetime, str]:
    """Return since when a dealer who is at no post rests, and that in words. Before a first post: since their duty."""
    rests = [duty.rests_since for duty in duties if duty.rests_since]
    began = min(duty.started_at for duty in duties)
    if not rests:
        return began, f"no table yet, on duty since {facility.local(began).strftime('%H:%M')}"
    return max(rests), _rest(facility, max(rests), now)


def _tables_of(table: Table, people: Iterable[int]) -> dict[int, Table]:
    """The open table where each of these people (ids) works, other than this one."""
    ids = set(people)
    others = Table.objects.filter(facility=table.facility).exclude(pk=table.pk)
    return {
        person_id: other
        for other in others.exclude(status=Table.Status.CLOSED).order_by("code")
        for person_id in posts.holder_ids(other)
        if person_id in ids
    }


def _trained_ids(table: Table, now: dt.datetime) -> set[int]:
    today = table.facility.local(now).date()
    trainings = Qualification.objects.in_effect(today).filter(game=table.game)
    return set(trainings.values_list("person_id", flat=True))


def _dealer(
    table: Table, assignments: list[Assignment], other: Table | None, is_trained: bool, now: dt.datetime
) -> DealerOnDuty:
    person = assignments[0].person
    rests_since, note = rest_of(table.facility, assignments, now)
    if other is not None:
        obstacle = f"Works at {other.code}"
    elif not any(assignment.covers(table) for assignment in assignments):
        obstacle = f"On duty elsewhere: the floor assigns them to {table.code}"
    elif table.kind == Table.Kind.LIVE and not is_trained:
        obstacle = f"No training for {game_by_code(table.game).name} in effect"
    elif not _fits_a_post(table, person):
        obstacle = "Works at the stick only"
    else:
        obstacle = ""
    return DealerOnDuty(person, note, obstacle, rests_since)


def _rest(facility: Facility, rests_since: dt.datetime, now: dt.datetime) -> str:
    """`rested 44 min`; `rested 8 of 20 min` before the break is over."""
    rest, whole = now - rests_since, facility.break_minutes
    if whole and not is_break(facility, rest):
        return f"rested {int(rest.total_seconds() // 60)} of {whole} min"
    return f"rested {span(rest.total_seconds())}"


def _fits_a_post(table: Table, person: Person) -> bool:
    return person.role != "stickperson" or "stick" in posts.posts_of(table)


# Sign-in

RECENT_SIGN_INS = 500  # newest sign-ins at the facility that are searched for those at this device


@dataclass(frozen=True)
class SignInPerson:
    """One person on duty here. `effects` are sentences on what their sign-in at this device does, the first most
    important. `obstacle` says why somebody on duty elsewhere cannot take a post here; "" for everybody else.
    `last_here`: when they signed in at this device last, in words; "" if it is long ago.
    `takes_password`: whether a PIN is not enough for them here.
    """

    code: str
    name: str
    role: str
    keeps_shaker: bool
    effects: tuple[str, ...]
    obstacle: str = ""
    badge: str = ""
    last_here: str = ""
    takes_password: bool = False


def people_at(
    device: Device, table: Table | None, facility_roles: Iterable[str], post: PostCode | None = None
) -> list[SignInPerson]:
    """Everybody on duty here: first who keeps the shaker, then who signed in at this device last, then by name.

    At a table these are its dealers and floor; at a podium, the people with one of `facility_roles`. `post`: the post
    that is relieved, where somebody chose it.
    """
    people = _on_duty(device, table, facility_roles)
    sign_ins = _newest_sign_ins(device)
    recent = list(sign_ins)
    facility = table.facility if table else Facility.objects.filter(code=device.facility).first()
    keeper_id = posts.holder_id(table, posts.keeper_post(table)) if table else None
    shaker = table.shakers.filter(out_of_order=False).first() if table else None

    def place(person: Person) -> tuple[bool, int, str]:
        last = recent.index(person.code) if person.code in recent else len(recent)
        return person.pk != keeper_id, last, person.name

    return [
        SignInPerson(
            person.code,
            person.name,
            person.get_role_display(),
            person.pk == keeper_id,
            tuple(_effects(device, table, shaker, person, post)),
            badge=person.badge,
            last_here=_moment_words(facility, sign_ins.get(person.code)),
            takes_password=takes_password(device, person),
        )
        for person in sorted(people, key=place)
    ]


def dealers_elsewhere(table: Table, now: dt.datetime) -> list[SignInPerson]:
    """Dealers on duty at the facility who cannot take a post at this table, by name: only a search lists them."""
    dealers = [dealer for dealer in dealers_on_duty(table, now) if dealer.obstacle]
    return [
        SignInPerson(
            dealer.person.code,
            dealer.person.name,
            dealer.person.get_role_display(),
            False,
            (),
            dealer.obstacle,
            dealer.person.badge,
        )
        for dealer in sorted(dealers, key=lambda dealer: dealer.person.name)
    ]


def post_to_take(table: Table, person: Person, post: PostCode | None) -> PostCode:
    """Return the post that a person takes by signing in: the one to relieve, if their role works there."""
    fits = post in posts.posts_of(table) and (person.role != "stickperson" or post == "stick")
    return post if post is not None and fits else posts.post_for(table, person)


def _on_duty(device: Device, table: Table | None, facility_roles: Iterable[str]) -> Iterable[Person]:
    if table is None:
        facility = Facility.objects.filter(code=device.facility).first()
        duty = Assignment.objects.at_facility(facility) if facility else Assignment.objects.none()
    else:
        duty = Assignment.objects.at(table)
    roles = facility_roles if table is None else DEALERS | FLOOR
    assignments = duty.filter(person__role__in=roles, person__is_active=True).select_related("person")
    people = {assignment.person.pk: assignment.person for assignment in assignments}.values()
    return [person for person in people if person.has_usable_password()]  # simulated people have none


def _newest_sign_ins(device: Device) -> dict[str, dt.datetime]:
    """When each person signed in at this device last, by code, the newest sign-in first."""
    entries = Entry.objects.filter(
        stream__name=f"{device.facility}{SIGN_IN}", type=PERSON_SIGNED_IN.name
    ).order_by("-seq")
    here = str(device.pk).encode()
    sign_ins: dict[str, dt.datetime] = {}
    for actor, at, body in entries.values_list("actor", "at", "body")[:RECENT_SIGN_INS]:
        if here in bytes(body):
            sign_ins.setdefault(actor, at)
    return sign_ins


def _moment_words(facility: Facility | None, moment: dt.datetime | None) -> str:
    """A moment of the last days, as the people at the facility say it: `Fri 19:40`."""
    if facility is None or moment is None:
        return ""
    return facility.local(moment).strftime("%a %H:%M")


def _effects(
    device: Device, table: Table | None, shaker: Shaker | None, person: Person, post: PostCode | None
) -> Iterable[str]:
    if table is not None and person.role in DEALERS:
        yield from _effects_at_post(table, shaker, person, post_to_take(table, person, post))
    if device.person is not None and device.person != person:
        yield f"Ends the sign-in of {device.person.name} here"


def _effects_at_post(table: Table, shaker: Shaker | None, person: Person, post: PostCode) -> Iterable[str]:
    holder = posts.holder(table, post)
    device = shaker and post == posts.keeper_post(table) and f"{shaker.get_kind_display()} {shaker.code}"
    if holder == person:
        yield f"Keeps the {device}" if device else f"Continues at {table.code}"
        return
    yield f"Relieves {holder.name}" if holder else f"Begins work at {table.code}"
    if device:
        yield f"Takes the {device}"

"""The pages of people: who has access here, people from a file, the access review, and their sign-ins.

The page *People* says what each person lacks, and which changes of access wait for a second person. A CSV of people is
checked and shown, and prepared as one change. The access review lists everybody who may sign in, and what each role may
do, as a page and as CSV. Administrators have a page of who has a password and second factors, and who lost theirs.
"""

import datetime as dt
import json
from dataclasses import dataclass, field
from typing import NamedTuple

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from audit import clock, passwords, staff
from audit.days import day_in_words
from audit.models import (
    ROLES_OF_PEOPLE,
    Department,
    Device,
    Entry,
    LeaveReason,
    Lockout,
    OneTimeSecret,
    Password,
    Person,
    Role,
    SecondFactor,
)
from audit.people import PIN_ROLES, active_lockouts, needs_password
from audit.runner import Act, ActRunner
from games.access import CheckedBy, opened_by
from games.engine import Refusal
from games.kit.files import CSV, csv_table, file_response
from games.kit.searches import Number, OneOf, Search, Words, page_of
from games.kit.tables import TEXT, Column
from games.kit.tables import Table as ColumnTable
from games.models import Facility, PreparedChange
from games.office import core as office_runner
from games.separation import policy
from games.separation.acts import next_signer, obstacle
from tables.desk import desk as desk_runner
from tables.models import Assignment, Table
from tables.runner import facility as facility_runner
from tables.runner import table as table_runner
from tables.runner.access import (
    DEVICES,
    FACILITY_PAGES,
    PEOPLE,
    Denied,
    facility_pages_for,
)
from tables.runner.facility import SIGN_INS, STAFF
from tables.staffing.access import (
    EXAMPLE_FILE,
    FILE_COLUMNS,
    MOST_PEOPLE,
    NEEDED_COLUMNS,
    SUBJECT,
    PersonLine,
    UnreadableFile,
    read_people,
)
from tables.staffing.access_review import ACCESS_REVIEWED, REVIEWERS, access_sha256, people_with_access
from tables.staffing.leaves import LEAVES
from tables.staffing.supervision import game_or_table_name
from tables.views.facility import page_context, unlock_context
from tables.words.entries import words_of

PAGE_SIZE, DAYS_OF_A_YEAR = 50, 365
SOON = dt.timedelta(days=30)
FILTERS = {
    "all": "All",
    "need": "Need somebody",
    "duty": "On duty",
    "ending": "License ends in 30 days",
    "leave": "On leave",
    "left": "Left",
}


@dataclass(frozen=True)
class State:
    """Something about a person that somebody should know: its mark and its words."""

    mark: str
    words: str
    needs_somebody: bool = True


@dataclass(frozen=True)
class PersonRow:
    """A person in the list. `days`: until the license ends. `signs_in_with`: in words."""

    person: Person
    duty: list[str]
    devices: list[Device]
    signs_in_with: list[str]
    states: list[State]
    lockouts: list[Lockout]
    allowed_secrets: list[OneTimeSecret]
    days: int | None = None
    is_on_leave: bool = False

    @property
    def needs_somebody(self) -> bool:
        """Whether somebody has to do something about this person."""
        return any(state.needs_somebody for state in self.states)

    @property
    def license_words(self) -> str:
        """When the license ends, counted from today: "in 17 days", "in 2 years"."""
        if self.days is None or self.days < 0:
            return "ended"
        if self.days >= DAYS_OF_A_YEAR:
            years = self.days // DAYS_OF_A_YEAR
            return f"in {years} year{'' if years == 1 else 's'}"
        return "today" if self.days == 0 else f"in {self.days} day{'' if self.days == 1 else 's'}"

    @property
    def is_ending(self) -> bool:
        """Whether the license ends soon, or has ended."""
        return self.person.is_active and self.days is not None and self.days <= SOON.days


@dataclass(frozen=True)
class WaitingChange:
    """A change of somebody's access that waits. `obstacle`: why the reader may not approve it, or None."""

    change: PreparedChange
    says: str
    obstacle: Refusal | None
    is_mine: bool
    is_late: bool

    @property
    def is_signed_before(self) -> bool:
        """Whether somebody signs it before it is approved, on its own page."""
        return next_signer(self.change) is not None


@dataclass
class _Facts:
    """What the rows show beside the people themselves, by the ids of people."""

    duty: dict[int, list[str]] = field(default_factory=dict)
    devices: dict[int, list[Device]] = field(default_factory=dict)
    factors: dict[int, list[str]] = field(default_factory=dict)
    lockouts: dict[int, list[Lockout]] = field(default_factory=dict)
    secrets: dict[int, list[OneTimeSecret]] = field(default_factory=dict)


class PeopleSearch(Search):
    """A list of people: some words, one of the filters, who is shown in full, and the page from 0."""

    who = Words(max_length=40)
    show = OneOf(FILTERS, otherwise="all")
    person = Words(max_length=60)
    page = Number(otherwise=0)


@require_GET
@opened_by(FACILITY_PAGES[PEOPLE])
def people(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the people of the facility, those who need attention first; and one of them in full."""
    now = clock.now()
    rows = person_rows(facility, now)
    query = PeopleSearch(request.GET).values
    selected = next((row for row in rows if row.person.code == query["person"]), None)
    matching = [row for row in rows if _is_in(row, query["show"], query["who"])]
    row_of_policy = policy.row_of(facility.law, SUBJECT)
    row_of_leaves = policy.row_of(facility.law, LEAVES)
    prepares, prepares_leaves = (policy.may_prepare(row, person) for row in (row_of_policy, row_of_leaves))
    waiting = [
        (row, waiting_changes(facility, person, subject, now))
        for subject, row in ((SUBJECT, row_of_policy), (LEAVES, row_of_leaves))
    ]
    changes = [line for _row, lines in waiting for line in lines]
    context = page_context(person, facility, PEOPLE, now) | {
        "tab": "people",
        "rows": page_of(matching, PAGE_SIZE, query["page"]),
        "count": len(matching),
        "figures": {
            "access": sum(row.person.is_active for row in rows),
            "duty": sum(bool(row.duty) for row in rows),
            "departments": len({row.person.department for row in rows if row.person.is_active}),
        },
        "filters": [
            {"code": code, "label": label, "count": sum(_is_in(row, code, "") for row in rows)}
            for code, label in FILTERS.items()
        ],
        "query": query,
        "selected": selected,
        "selected_changes": [
            line for line in changes if selected and line.change.params.get("person") == selected.person.code
        ],
        "changes": changes,
        "waiting_for": "; ".join(
            dict.fromkeys(policy.in_words(row.approve) for row, lines in waiting if lines)
        ),
        "one_time_pins": passwords.readable_pins(person, facility.code, now),
        "one_time_passwords": [
            (row, passwords.one_time_text(row))
            for row in passwords.readable_by(person, now)
            if row.person.belongs_to(facility.code)
        ],
        "actor": person,
        "prepares": prepares,
        "prepares_leaves": prepares_leaves,
        "approves": policy.may_approve(row_of_policy, person),
        "may_prepare_for_selected": selected is not None and may_prepare_for(person, selected.person),
        "leave_reasons": LeaveReason.choices,
        **unlock_context(person, facility, selected.lockouts if selected else [], now),
        "roles": [
            (role, Role(role).label)
            for role in ROLES_OF_PEOPLE
            if not _is_of_table_games(person) or staff.department_of(role) == Department.TABLE_GAMES
        ],
        "policy": {"title": row_of_policy.title, "approve": policy.in_words(row_of_policy.approve)},
        "leave_policy": {"approve": policy.in_words(row_of_leaves.approve)},
        "gives_passwords": SIGN_INS in facility_pages_for(person, request.device),  # type: ignore[attr-defined]
        "now": now,
        "today": facility.local(now).date(),
    }
    return render(request, "tables/people/people.html", context)


def may_prepare_for(actor: Person, person: Person) -> bool:
    """Whether this person, who prepares changes of access, may prepare those of this one."""
    if actor.pk == person.pk or not person.is_active or not person.facility:
        return False
    return not _is_of_table_games(actor) or person.department == Department.TABLE_GAMES


def waiting_changes(
    facility: Facility, person: Person, subject: str, now: dt.datetime
) -> list[WaitingChange]:
    """The changes of this subject that wait for their approval, as this person sees them."""
    changes = PreparedChange.objects.filter(
        facility=facility, subject=subject, status=PreparedChange.Status.WAITING
    ).select_related("prepared_by", "facility")
    return [
        WaitingChange(
            change,
            words_of(change.entry_type, change.entry_data),
            obstacle(change, person),
            change.prepared_by_id == person.pk,
            change.due_at < now,
        )
        for change in changes.order_by("due_at")
    ]


def person_rows(facility: Facility, now: dt.datetime) -> list[PersonRow]:
    """Everybody who has or had access here: those who need attention first, then by name; who left comes last."""
    simulated = Assignment.objects.filter(table__kind=Table.Kind.SIMULATED).values("person")
    everybody = Person.objects.filter(Q(facility=facility.code) | Q(facility="")).exclude(pk__in=simulated)
    everybody = everybody.exclude(role=Role.MACHINE)
    people = list(everybody.order_by("name"))
    facts = _read_facts(facility, now)
    today = facility.gaming_day(now)
    rows = [_row(person, facts, today) for person in people]
    return sorted(rows, key=lambda row: (not row.person.is_active, not row.needs_somebody, row.person.name))


def _read_facts(facility: Facility, now: dt.datetime) -> _Facts:
    facts = _Facts()
    duties = Assignment.objects.unended().filter(facility=facility).select_related("pit", "table")
    for duty in duties.order_by("started_at", "pk"):
        place = duty.table.code if duty.table else duty.pit.name if duty.pit else "whole facility"
        place = game_or_table_name(duty.elsewhere) if duty.elsewhere else place
        facts.duty.setdefault(duty.person_id, []).append(place)
    for device in Device.objects.filter(facility=facility.code, person__isnull=False).order_by("name"):
        facts.devices.setdefault(device.person_id or 0, []).append(device)
    for factor in SecondFactor.objects.filter(ended_at=None):
        facts.factors.setdefault(factor.person_id, []).append(str(factor.get_kind_display()))
    lockouts = active_lockouts(now).filter(facility=facility.code, person__isnull=False)
    for lockout in lockouts.select_related("device"):
        facts.lockouts.setdefault(lockout.person_id or 0, []).append(lockout)
    allowed = OneTimeSecret.objects.filter(made_at=None, approved_by__isnull=False)
    for secret in allowed.select_related("approved_by").order_by("pk"):
        facts.secrets.setdefault(secret.person_id, []).append(secret)
    return facts


def _row(person: Person, facts: _Facts, today: dt.date) -> PersonRow:
    lockouts, secrets = facts.lockouts.get(person.pk, []), facts.secrets.get(person.pk, [])
    days = (person.licence_ends_on - today).days if person.licence_ends_on else None
    factors = facts.factors.get(person.pk, [])
    return PersonRow(
        person,
        facts.duty.get(person.pk, []),
        facts.devices.get(person.pk, []),
        factors if needs_password(person) else ["PIN"] if person.has_usable_password() else [],
        list(_states(person, factors, lockouts, secrets, days, today)),
        lockouts,
        secrets,
        days,
        person.is_on_leave(today),
    )


def _states(
    person: Person,
    factors: list[str],
    lockouts: list[Lockout],
    secrets: list[OneTimeSecret],
    days: int | None,
    today: dt.date,
) -> list[State]:
    """What there is to know about a person. Empty: in order. Who is on leave lacks nothing until they are back."""
    if not person.is_active:
        return [State("off", "Left", needs_somebody=False)]
    if person.is_on_leave(today):
        if person.leave_until is not None and person.leave_until < today:
            return [State("warn", f"Leave ended {day_in_words(person.leave_until)}: back?")]
        return [State("info", f"On leave {person.leave_end_in_words}", needs_somebody=False)]
    states = [State("stop", "Locked out") for _ in lockouts[:1]]
    if person.leave_from is not None:
        states.append(State("info", f"Leave from {day_in_words(person.leave_from)}", needs_somebody=False))
    if days is not None and days < 0:
        states.append(State("stop", "License ended"))
    elif days is not None and days <= SOON.days:
        states.append(State("warn", "License ends"))
    states += [State("warn", f"One-time {secret.get_kind_display()} to make") for secret in secrets]
    if secrets:
        return states
    if person.pin_must_change:
        states.append(State("info", "PIN to be chosen"))
    elif needs_password(person):
        states += [] if factors else [State("warn", "No second factor")]
    elif not person.has_usable_password():
        states.append(State("warn", "No PIN"))
    return states


def _is_in(row: PersonRow, filter_code: str, query: str) -> bool:
    is_shown = {
        "all": row.person.is_active,
        "need": row.needs_somebody,
        "duty": bool(row.duty) and row.person.is_active,
        "ending": row.is_ending,
        "leave": row.is_on_leave and row.person.is_active,
        "left": not row.person.is_active,
    }[filter_code]
    person, words = row.person, query.casefold()
    texts = (
        person.name,
        person.code,
        person.badge,
        person.get_role_display(),
        person.get_department_display(),
    )
    # A search finds people who left as well: somebody asks who that was.
    return (is_shown or (bool(words) and filter_code == "all")) and any(
        words in text.casefold() for text in texts
    )


def _is_of_table_games(person: Person) -> bool:
    return person.department == Department.TABLE_GAMES


# People from a file


def preparer_for(request: HttpRequest, facility: str) -> tuple[Person, Facility]:
    """As the page of people, for who may prepare new access. Raises `SignedOut`, `Locked` or `Denied`."""
    person, row = FACILITY_PAGES[PEOPLE].authorize(request, facility)
    if not policy.may_prepare(policy.row_of(row.law, SUBJECT), person):
        raise Denied
    return person, row


@require_http_methods(["GET", "HEAD", "POST"])
@opened_by(CheckedBy(preparer_for, ("facility",)))
def people_file(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show the form, or what a sent file has. Nothing is stored: the act `add_people` sends what is shown."""
    row = policy.row_of(facility.law, SUBJECT)
    lines: list[PersonLine] = []
    unreadable = ""
    if request.method == "POST":
        file = request.FILES.get("file")
        try:
            if file is None:
                raise UnreadableFile("Choose a file first.")
            lines = read_people(file.read(), facility, person)
        except UnreadableFile as problem:
            unreadable = str(problem)
    problems = sum(bool(line.problem) for line in lines)
    context = page_context(person, facility, PEOPLE, clock.now()) | {
        "tab": "people",
        "lines": lines,
        "problems": problems,
        "unreadable": unreadable,
        "columns": [(heading, heading in NEEDED_COLUMNS) for heading in FILE_COLUMNS],
        "example": EXAMPLE_FILE,
        "most": MOST_PEOPLE,
        "policy": {"title": row.title, "approve": policy.in_words(row.approve)},
    }
    status = 422 if unreadable or problems else 200
    return render(request, "tables/people/file.html", context, status=status)


# The access review


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
REVIEW_COLUMNS = (
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
@opened_by(FACILITY_PAGES[DEVICES])
def access(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Who has access, what each role may do, and the reviews before."""
    people = people_with_access(facility)
    context = page_context(person, facility, PEOPLE, clock.now()) | {
        "tab": "access",
        "roles": rights_by_role(facility, people),
        "people": people,
        "sha256": access_sha256(people),
        "reviews": _reviews(facility),
        "reviewer": person.role in REVIEWERS,
    }
    return render(request, "tables/people/access.html", context)


@require_GET
@opened_by(FACILITY_PAGES[DEVICES])
def access_csv(request: HttpRequest, _person: Person, facility: Facility) -> HttpResponse:
    """A row for each person and each act that they may do."""
    lines = [
        AccessLine(person, group, right)
        for group in rights_by_role(facility, people_with_access(facility))
        for person in group.people
        for right in group.rights
    ]
    day = facility.gaming_day(clock.now()).isoformat()
    content = csv_table(ColumnTable(REVIEW_COLUMNS, lines))
    return file_response(content, f"access-{facility.code}-{day}.csv", CSV)


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


# Sign-ins


LISTED_MAX = 100


@dataclass(frozen=True)
class SignInRow:
    """A person, their password if they have one, and their second factors. `has_lost`: they had some and have none."""

    person: Person
    password: Password | None
    factors: list[SecondFactor]
    has_lost: bool


class SignInSearch(Search):
    """People by a part of their name or code."""

    who = Words(max_length=40)


@require_GET
@opened_by(FACILITY_PAGES[SIGN_INS])
def sign_ins(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List everybody who needs a second factor, or whose name matches `who`."""
    now = clock.now()
    query = SignInSearch(request.GET).values["who"]
    context = {
        "facility": facility,
        "section": SIGN_INS,
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "as_of": clock.format_moment(now),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("facility-act", args=[facility.code, "__act__"]),
        },
        "rows": _rows(facility.code, query),
        "query": query,
        "listed_max": LISTED_MAX,
        "approvers": policy.in_words(policy.row_of(facility.law, SUBJECT).approve),
        "actor": person,
        "now": now,
    }
    return render(request, "tables/factors/sign_ins.html", context)


def _rows(facility: str, query: str) -> list[SignInRow]:
    people = Person.objects.filter(Q(facility=facility) | Q(facility=""), is_active=True)
    people = people.exclude(role=Role.MACHINE)
    if query:
        people = people.filter(Q(name__icontains=query) | Q(code__icontains=query))
    else:
        with_password = Password.objects.values("person")
        people = people.filter(~Q(role__in=PIN_ROLES) | Q(pk__in=with_password))
    listed = list(people.order_by("name")[:LISTED_MAX])
    password_by_person = {row.person_id: row for row in Password.objects.filter(person__in=listed)}
    factors_by_person: dict[int, list[SecondFactor]] = {}
    for factor in SecondFactor.objects.filter(person__in=listed):
        factors_by_person.setdefault(factor.person_id, []).append(factor)
    rows = []
    for person in listed:
        registered = factors_by_person.get(person.pk, [])
        active = [factor for factor in registered if factor.ended_at is None]
        rows.append(
            SignInRow(person, password_by_person.get(person.pk), active, bool(registered) and not active)
        )
    return rows

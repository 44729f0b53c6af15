"""The page People: who has access here, what they lack, and what changes of access wait for a second person."""

import datetime as dt
from dataclasses import dataclass, field

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clock, one_time_secrets, passwords, pins, staff
from audit.models import (
    Department,
    Device,
    LeaveReason,
    Lockout,
    OneTimeSecret,
    Person,
    Role,
    SecondFactor,
)
from audit.models.people import day_in_words
from audit.people import needs_password
from games.engine import Refusal
from games.models import Facility, PreparedChange
from games.separation import policy
from games.separation.acts import obstacle
from tables.models import Assignment, Table
from tables.runner.access import PEOPLE, facility_page_for, facility_pages_for
from tables.runner.facility import SIGN_INS
from tables.staffing.people_acts import LEAVES, SUBJECT
from tables.staffing.words import game_or_table_name
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


@dataclass
class _Facts:
    """What the rows show beside the people themselves, by the ids of people."""

    duty: dict[int, list[str]] = field(default_factory=dict)
    devices: dict[int, list[Device]] = field(default_factory=dict)
    factors: dict[int, list[str]] = field(default_factory=dict)
    lockouts: dict[int, list[Lockout]] = field(default_factory=dict)
    secrets: dict[int, list[OneTimeSecret]] = field(default_factory=dict)


@require_GET
def people(request: HttpRequest, facility: str) -> HttpResponse:
    """List the people of the facility, those who need attention first; and one of them in full."""
    person, facility_row = facility_page_for(request, facility, PEOPLE)
    now = clock.now()
    rows = person_rows(facility_row, now)
    query, filter_code = typed(request, "who")[:40], request.GET.get("show", "all")
    filter_code = filter_code if filter_code in FILTERS else "all"
    selected = next((row for row in rows if row.person.code == typed(request, "person")), None)
    matching = [row for row in rows if _is_in(row, filter_code, query)]
    page = min(_number(request, "page"), max(0, (len(matching) - 1) // PAGE_SIZE))
    row_of_policy = policy.row_of(facility_row.law, SUBJECT)
    row_of_leaves = policy.row_of(facility_row.law, LEAVES)
    prepares, prepares_leaves = (policy.may_prepare(row, person) for row in (row_of_policy, row_of_leaves))
    waiting = [
        (row, waiting_changes(facility_row, person, subject, now))
        for subject, row in ((SUBJECT, row_of_policy), (LEAVES, row_of_leaves))
    ]
    changes = [line for _row, lines in waiting for line in lines]
    context = page_context(person, facility_row, PEOPLE, now) | {
        "tab": "people",
        "rows": matching[page * PAGE_SIZE : (page + 1) * PAGE_SIZE],
        "count": len(matching),
        "pages": {"previous": page - 1, "next": page + 1, "has_next": (page + 1) * PAGE_SIZE < len(matching)},
        "page": page,
        "figures": {
            "access": sum(row.person.is_active for row in rows),
            "duty": sum(bool(row.duty) for row in rows),
            "departments": len({row.person.department for row in rows if row.person.is_active}),
        },
        "filters": [
            {"code": code, "label": label, "count": sum(_is_in(row, code, "") for row in rows)}
            for code, label in FILTERS.items()
        ],
        "query": {"who": query, "show": filter_code},
        "selected": selected,
        "selected_changes": [
            line for line in changes if selected and line.change.params.get("person") == selected.person.code
        ],
        "changes": changes,
        "waiting_for": "; ".join(
            dict.fromkeys(policy.in_words(row.approve) for row, lines in waiting if lines)
        ),
        "one_time_pins": one_time_secrets.readable_pins(person, facility, now),
        "one_time_passwords": [
            (row, passwords.one_time_text(row))
            for row in passwords.readable_by(person, now)
            if row.person.belongs_to(facility)
        ],
        "actor": person,
        "prepares": prepares,
        "prepares_leaves": prepares_leaves,
        "approves": policy.may_approve(row_of_policy, person),
        "may_prepare_for_selected": selected is not None and may_prepare_for(person, selected.person),
        "leave_reasons": LeaveReason.choices,
        **unlock_context(person, facility_row, selected.lockouts if selected else [], now),
        "roles": [
            (role, Role(role).label)
            for role in Role.values
            if not _is_of_table_games(person) or staff.department_of(role) == Department.TABLE_GAMES
        ],
        "policy": {"title": row_of_policy.title, "approve": policy.in_words(row_of_policy.approve)},
        "leave_policy": {"approve": policy.in_words(row_of_leaves.approve)},
        "gives_passwords": SIGN_INS in facility_pages_for(person, request.device),  # type: ignore[attr-defined]
        "now": now,
        "today": facility_row.local(now).date(),
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
    lockouts = pins.active_lockouts(now).filter(facility=facility.code, person__isnull=False)
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


def typed(request: HttpRequest, name: str) -> str:
    """What was typed into a search; empty for text that nobody can type."""
    text = request.GET.get(name, "").strip()
    return text if text.isprintable() else ""


def _number(request: HttpRequest, name: str) -> int:
    text = request.GET.get(name, "0")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 6 else 0

"""Changes that a second person approves: what waits, what was decided, and the policy that says who does what."""

import datetime as dt
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path, reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET

from audit import clock
from audit.identity import Denied
from audit.models import Department, Person, Role
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.jurisdictions import REVIEW, SeparationRow
from games.models import Document, Facility, PreparedChange, RulesSubmission
from games.office import core as office_runner
from games.office.core import floor, person_and_facility
from games.separation import policy
from games.separation.acts import obstacle, why_not_acknowledged
from games.views.page_context import page_context

from .submissions import version_context

SAID_ELSEWHERE = ("code", "version", "letter")  # in the headline, and as a link to the document
MOST_ENDED = 40  # newest ended changes on the page


@dataclass(frozen=True)
class ChangeRow:
    """A change in a list. `says`: what its act would record. `is_late`: it waits longer than the policy allows."""

    change: PreparedChange
    row: SeparationRow
    says: str
    is_late: bool
    obstacle: Refusal | None
    is_mine: bool


@dataclass(frozen=True)
class PolicyLine:
    """One row of the policy in words. `time`: by when the second person has approved, signed or reviewed."""

    row: SeparationRow
    prepare: str
    approve: str
    control: str
    told: str
    time: str


@require_GET
def changes(request: HttpRequest, facility_code: str) -> HttpResponse:
    """List the changes that wait, those that ended last, and the policy of the jurisdiction."""
    person, facility = person_and_facility(request, facility_code)
    context = page_context(person, facility, "changes")
    rows = PreparedChange.objects.filter(facility=facility).select_related("prepared_by", "decided_by")
    waiting = rows.filter(status=PreparedChange.Status.WAITING).order_by("due_at")
    ended = rows.exclude(status=PreparedChange.Status.WAITING).order_by("-decided_at")[:MOST_ENDED]
    context |= {
        "waiting": [_row(facility, change, person, context["now"]) for change in waiting],
        "ended": [_row(facility, change, person, context["now"]) for change in ended],
        "person_department": person.get_department_display().lower(),
        "told": [_row(facility, change, person, context["now"]) for change in context["told_changes"]],
        "review_sum": _review_sum(facility, person),
        "policy": [_policy_line(row, facility) for row in policy.rows_of(facility.law).values()],
    }
    return render(request, "games/office/changes.html", context)


@require_GET
def change(request: HttpRequest, facility_code: str, code: str) -> HttpResponse:
    """Show one change: what it does, who made it, and what this person may do about it."""
    person, facility = person_and_facility(request, facility_code)
    with_this_code = PreparedChange.objects.filter(facility=facility, code=code)
    change_row = with_this_code.select_related("prepared_by", "decided_by", "facility").first()
    if change_row is None:
        raise Denied
    context = page_context(person, facility, "changes")
    line = _row(facility, change_row, person, context["now"])
    context |= {
        "line": line,
        "change": change_row,
        "waits": change_row.status == PreparedChange.Status.WAITING,
        "makers": Person.objects.filter(code__in=change_row.makers).order_by("name"),
        "may_approve": _people_who_may(facility, change_row),
        "notices": [
            (Department(notice.department).label, notice)
            for notice in change_row.notices.select_related("acknowledged_by").order_by("department")
        ],
        "may_acknowledge": why_not_acknowledged(change_row, person) is None,
        "subject_url": _subject_url(facility, change_row),
        "letter": _letter(facility, change_row),
        "facts": _facts(change_row),
        **{
            f"{name}_address": _address(facility, change_row, f"{name}_change")
            for name in ("approve", "send_back", "take_back", "acknowledge")
        },
    }
    submission = _submission(facility, change_row)
    if submission is not None:
        versions = list(
            RulesSubmission.objects.filter(facility=facility, code=submission.code).order_by("-version")
        )
        tables = [table for table in floor().tables(facility) if table.submission == submission.code]
        context |= version_context(facility, submission, versions, tables, context["now"])
    return render(request, "games/office/change.html", context)


def _row(facility: Facility, change: PreparedChange, person: Person, now: dt.datetime) -> ChangeRow:
    waits = change.status == PreparedChange.Status.WAITING
    return ChangeRow(
        change,
        policy.row_of(facility.law, change.subject),
        floor().words_of(change.entry_type, change.entry_data),
        waits and change.due_at < now,
        obstacle(change, person) if waits else None,
        change.prepared_by_id == person.pk,
    )


def _review_sum(facility: Facility, person: Person) -> dict[str, Any] | None:
    """What the dialog of the sum from which slips are reviewed first needs; None for who does not prepare it."""
    if not policy.may_prepare(policy.row_of(facility.law, "review-sum"), person):
        return None
    most = policy.row_of(facility.law, "corrections").first_from_cents
    return {
        "now": in_dollars(policy.review_first_from(facility)),
        "most": in_dollars(most) if most else "",
        "address": reverse("facility-act", args=[facility.code, "set_review_sum"]),
    }


def _policy_line(row: SeparationRow, facility: Facility) -> PolicyLine:
    told = ", ".join(Role(role).label.lower() for role in row.told)
    time = f"{row.hours} h" if row.hours else policy.limits_in_words(row) or "at once"
    if row.control == REVIEW and (first_from := policy.review_first_from(facility)):
        time += f"; from {in_dollars(first_from)} before money moves"
        if first_from != row.first_from_cents:
            time += ", a sum of this casino"
    return PolicyLine(
        row,
        policy.prepared_in_words(row),
        policy.approved_in_words(row),
        policy.control_in_words(row),
        told,
        time,
    )


def _people_who_may(facility: Facility, change: PreparedChange) -> list[tuple[Person, bool]]:
    """People who may approve the change, with whether they are on duty; those on duty first."""
    row = policy.row_of(facility.law, change.subject)
    people = Person.objects.filter(role__in=row.approve, is_active=True).exclude(code__in=change.makers)
    today = facility.gaming_day(clock.now())
    able = [
        (person, floor().is_on_duty(person, facility))
        for person in people
        if person.belongs_to(facility.code)
        and policy.may_approve(row, person)
        and not person.is_on_leave(today)
    ]
    return sorted(able, key=lambda pair: (not pair[1], pair[0].name))


def _submission(facility: Facility, change: PreparedChange) -> RulesSubmission | None:
    """The version of a rules submission that the change is about, or None."""
    if change.subject != "rules":
        return None
    of = {"code": change.params.get("code", ""), "version": change.params.get("version", 0)}
    rows = RulesSubmission.objects.filter(facility=facility, **of)
    return rows.select_related("drafted_by", "filed_by", "decision").first()


def _letter(facility: Facility, change: PreparedChange) -> Document | None:
    code = change.params.get("letter")
    return Document.objects.filter(facility=facility, code=code).first() if isinstance(code, str) else None


def _subject_url(facility: Facility, change: PreparedChange) -> str:
    """The page of what the change is about."""
    params = change.params
    match change.subject:
        case "rules":
            return reverse("submission", args=[facility.code, params["code"], params["version"]])
        case "guides":
            return reverse("guides", args=[facility.code])
        case "signs":
            return reverse("signs", args=[facility.code])
        case "requests":
            return reverse("game-request", args=[facility.code, params["request"]])
        case "devices":
            name = params.get("device") or params["name"]
            return f"{reverse('devices', args=[facility.code])}?{urlencode({'device': name})}"
        case "people" | "leaves":
            return f"{reverse('people', args=[facility.code])}?{urlencode({'person': params['person']})}"
        case "review-sum":
            return reverse("changes", args=[facility.code])
        case "equipment":
            return reverse("equipment", args=[facility.code])
    return reverse("guides", args=[facility.code])


def _facts(change: PreparedChange) -> list[tuple[str, str]]:
    """What the act was given, a line each, for the page of a change without a page of its own."""
    return [
        ("sum", in_dollars(value)) if name == "cents" else (name.replace("_", " "), _text(value))
        for name, value in change.params.items()
        if value not in ("", None, [], {}) and name not in SAID_ELSEWHERE
    ]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return ", ".join(map(_text, value)) if isinstance(value, list) else str(value)


def _address(facility: Facility, change: PreparedChange, act: str) -> str:
    """Where an act on this change is sent: to the runner that has the act of the change."""
    name = "office-act" if change.act in office_runner.ACTS else "facility-act"
    return reverse(name, args=[facility.code, act])


urlpatterns = [
    path("office/<slug:facility_code>/changes/", changes, name="changes"),
    path("office/<slug:facility_code>/changes/<slug:code>/", change, name="change"),
]

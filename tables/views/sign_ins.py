"""The page of administrators about sign-ins: who has a password and second factors, and who lost theirs."""

from dataclasses import dataclass

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_GET

from audit import clock
from audit.models import Password, Person, SecondFactor
from audit.people import PIN_ROLES
from games.separation import policy
from tables.runner.access import facility_page_for
from tables.runner.facility import SIGN_INS
from tables.staffing.people_acts import SUBJECT

LISTED_MAX = 100


@dataclass(frozen=True)
class SignInRow:
    """A person, their password if they have one, and their second factors. `has_lost`: they had some and have none."""

    person: Person
    password: Password | None
    factors: list[SecondFactor]
    has_lost: bool


@require_GET
def sign_ins(request: HttpRequest, facility: str) -> HttpResponse:
    """List everybody who needs a second factor, or whose name matches `who`."""
    person, facility_row = facility_page_for(request, facility, SIGN_INS)
    now = clock.now()
    query = request.GET.get("who", "").strip()[:40]
    query = query if query.isprintable() else ""
    context = {
        "facility": facility_row,
        "section": SIGN_INS,
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "as_of": clock.format_moment(now),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("facility-act", args=[facility, "__act__"]),
        },
        "rows": _rows(facility, query),
        "query": query,
        "listed_max": LISTED_MAX,
        "approvers": policy.in_words(policy.row_of(facility_row.law, SUBJECT).approve),
        "actor": person,
        "now": now,
    }
    return render(request, "tables/factors/sign_ins.html", context)


def _rows(facility: str, query: str) -> list[SignInRow]:
    people = Person.objects.filter(Q(facility=facility) | Q(facility=""), is_active=True)
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

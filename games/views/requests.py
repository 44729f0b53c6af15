"""Requests for new games and features, their tests where the law has them, and each request as a PDF."""

import datetime as dt
from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit.identity import Denied
from audit.models import Person
from games.access import opened_by
from games.kit.files import file_response
from games.kit.searches import Search, Words
from games.models import Facility, GameRequest, GameTest, Provider
from games.office import reviews
from games.office.core import OFFICE
from games.office.requests import descriptions, final_approvals, game_tests, parts
from games.registry import game_by_code
from games.views.office import page_context

SHOWN = 100


class RequestSearch(Search):
    """`q`: a part of a title, or a code."""

    q = Words(max_length=60)


@require_GET
@opened_by(OFFICE)
def game_requests(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the requests with their state and next step, the newest first."""
    frame = page_context(person, facility, "requests")
    query = RequestSearch(request.GET).values["q"]
    rows = GameRequest.objects.filter(facility=facility).select_related("facility", "decision")
    if query:
        rows = rows.filter(Q(title__icontains=query) | Q(code__iexact=query))
    listed = [
        {
            "row": row,
            "state": descriptions.STATES[row.status],
            "look": descriptions.LOOKS.get(row.status, ""),
            "next": descriptions.next_step(row, frame["today"]),
            "due": _due(row, facility),
        }
        for row in rows[:SHOWN]
    ]
    context = frame | {"requests": listed, "count": rows.count(), "query": query, **_choices(facility)}
    return render(request, "games/office/requests.html", context)


@require_GET
@opened_by(OFFICE)
def game_request(request: HttpRequest, person: Person, facility: Facility, code: str) -> HttpResponse:
    """Show one request: its parts as a checklist, its odds sheet, its history and its tests."""
    row, frame = _request(facility, code), page_context(person, facility, "requests")
    described, absent = descriptions.describe_request(row), parts.missing_parts(row)
    figures = parts.filed_or_computed(row)
    sheet = parts.figures_sheet(figures) if figures else None
    context = frame | {
        "row": row,
        "state": descriptions.STATES[row.status],
        "look": descriptions.LOOKS.get(row.status, ""),
        "parts": described,
        "present_count": sum(
            description.status.is_required and description.status.is_present for description in described
        ),
        "required_count": sum(description.status.is_required for description in described),
        "absent": absent,
        "next_step": descriptions.next_step(row, frame["today"]),
        "review_ends": _due(row, facility),
        "further": row.further.select_related("document"),
        "tested": row.facility.law.requests.tests,
        "sheet": sheet,
        "rights": list(enumerate(row.parts.get("property", {}).get("items", []))),
        **_choices(facility),
        **_test_context(row, frame["today"]),
    }
    return render(request, "games/office/request.html", context)


@require_GET
@opened_by(OFFICE)
def game_test(
    request: HttpRequest, person: Person, facility: Facility, code: str, number: int
) -> HttpResponse:
    """Show one test: its submission as a checklist, the sign, the versions of its rules, and its runs."""
    row, frame = _request(facility, code), page_context(person, facility, "requests")
    test = GameTest.objects.filter(request=row, number=number).select_related("decision").first()
    if test is None:
        raise Denied
    test.request = row
    parts = descriptions.describe_test(test)
    current_rules, rules = game_tests.rules_at(test, frame["now"]), list(test.rules.all())
    context = frame | {
        "row": row,
        "test": test,
        "state": descriptions.STATES[test.status],
        "look": descriptions.LOOKS.get(test.status, ""),
        "parts": parts,
        "present_count": sum(description.status.is_present for description in parts),
        "required_count": len(parts),
        "absent": game_tests.missing_test_parts(test),
        "rules": [
            (version, current_rules is not None and version.pk == current_rules.pk) for version in rules
        ],
        "runs": [
            {"row": run, "rules": descriptions.versions(game_tests.rules_during(run, rules))}
            for run in test.runs.all()[:SHOWN]
        ],
        "running": test.status == "approved" and row.status == "filed",
        "texts": test.parts.get("sign", {}).get("texts", []),
        "lines": {key: "\n".join(test.parts.get(key, [])) for key in ("casinos", "tables")},
        "dates": test.parts.get("dates", {}),
    }
    return render(request, "games/office/test.html", context)


@require_GET
@opened_by(OFFICE)
def game_request_pdf(request: HttpRequest, _person: Person, facility: Facility, code: str) -> HttpResponse:
    """Return the request as a PDF: its contents, its odds sheet, and its documents with their SHA-256."""
    row = _request(facility, code)
    return file_response(descriptions.request_pdf(row), f"{facility.code}-{row.code}.pdf")


def _request(facility: Facility, code: str) -> GameRequest:
    rows = GameRequest.objects.filter(facility=facility, code=code)
    row = rows.select_related("facility", "decision", "drafted_by").first()
    if row is None:
        raise Denied
    return row


def _due(row: GameRequest, facility: Facility) -> dt.date | None:
    """Return the end of the body's review; None where the text sets no days."""
    return reviews.review_due_on(row, facility) if facility.law.requests.review_ends else None


def _choices(facility: Facility) -> dict[str, Any]:
    """Return the choices of the dialogs."""
    return {
        "kinds": GameRequest.Kind.choices,
        "petitioners": parts.PETITIONERS.items(),
        "asks_who": facility.law.requests.asks_petitioner,
        "editions": [
            (key, game_by_code(edition.game).name, edition)
            for key, edition in facility.readable_editions().items()
        ],
        "classes": parts.CLASSES.items(),
        "rights_of": (parts.RIGHTS, parts.STATES, parts.ABOUT),
        "providers": Provider.objects.filter(facility=facility),
    }


def _test_context(row: GameRequest, today: Any) -> dict[str, Any]:
    families = parts.families(row.rules) if row.rules else []
    known_families = {family for family, _ in families}
    shared = {
        "families": [(family, name, family in row.wagers) for family, name in families],
        "other_wagers": "\n".join(wager for wager in row.wagers if wager not in known_families),
    }
    if not row.facility.law.requests.tests:
        return shared
    conditions = final_approvals.conditions(row, today)
    return shared | {
        "petitioner": parts.PETITIONERS.get(row.petitioner, ""),
        "conditions": conditions,
        "first_open": next((condition.key for condition in conditions if not condition.is_met), ""),
        "balance": final_approvals.balance_cents(row),
        "evidence": row.conditions,
        "tests": [
            {"row": test, "state": descriptions.STATES[test.status], "look": descriptions.LOOKS.get(test.status, ""),
             "runs": test.runs.count()}
            for test in row.tests.all()
        ],
    }  # fmt: skip


urlpatterns = [
    path("office/<slug:facility>/requests/", game_requests, name="game-requests"),
    path("office/<slug:facility>/requests/<slug:code>/", game_request, name="game-request"),
    path("office/<slug:facility>/requests/<slug:code>.pdf", game_request_pdf, name="game-request-pdf"),
    path("office/<slug:facility>/requests/<slug:code>/tests/<int:number>/", game_test, name="game-test"),
]

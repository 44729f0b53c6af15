"""Service providers: certification, services and whether they are dealt, and the list of § 528.6."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.views.decorators.http import require_GET

from audit import clock
from audit.access import Denied
from games.models import Application, Facility, GameRequest, Provider, ProviderNote, Qualifier
from games.office.core.runner import person_and_facility
from games.office.providers import register, services
from games.office.providers.applications import PackagePart, package_parts
from games.office.providers.register import Certification, ProviderFile
from games.office.providers.services import LABORATORY, ServiceStatus
from games.registry import GAMES
from games.views import provider_dialogs
from games.views.page_context import page_context

SOON = dt.timedelta(days=register.RENEWAL_DAYS + 30)
LOOKS = {
    "certified": "ok",
    "continued": "ok",
    "pending": "wait",
    "none": "past",
    "denied": "stop",
    "ended": "stop",
}


@dataclass(frozen=True)
class TermBar:
    """A certification as a bar: today and the day a renewal is due, in percent of its four years."""

    since: dt.date
    ends: dt.date
    due: dt.date
    today: int
    due_at: int

    @property
    def rest(self) -> int:
        """Return the percent from the day a renewal is due to the end."""
        return 100 - self.due_at


@dataclass(frozen=True)
class ProviderRow:
    """A provider as the list shows it."""

    file: ProviderFile
    uses: Sequence[ServiceStatus]

    @property
    def provider(self) -> Provider:
        return self.file.provider

    @property
    def certification(self) -> Certification:
        return self.file.certification

    @property
    def look(self) -> str:
        """Return the style of its state: ok, wait, warn, stop or past."""
        return "warn" if self.late else LOOKS[self.certification.state]

    @property
    def late(self) -> bool:
        """Return whether its renewal is overdue."""
        return self.certification.is_renewal_late(self.file.day)

    @property
    def days_left(self) -> int | None:
        return self.certification.days_left(self.file.day)

    @property
    def live(self) -> list[ServiceStatus]:
        """Return the services in use."""
        return [use for use in self.uses if not use.ended]

    @property
    def stopped(self) -> list[ServiceStatus]:
        """Return the services in use that are suspended."""
        return [use for use in self.live if not use.may_be_dealt]

    @property
    def approved(self) -> list[ServiceStatus]:
        """Return the services that the laboratory has approved."""
        return [
            use for use in self.live if any(step.name == LABORATORY and step.is_done for step in use.steps)
        ]

    @property
    def published(self) -> bool:
        """Return whether it meets both tests of § 528.6: certified, and a service approved by the laboratory."""
        return self.certification.holds and bool(self.approved)

    @property
    def term(self) -> TermBar | None:
        """Return its certification as a bar while it is running."""
        certification = self.certification
        if certification.state != "certified" or certification.since is None or certification.ends is None:
            return None
        due = register.renewal_due_on(certification.ends)
        term_days = (certification.ends - certification.since).days
        elapsed = (100 * (self.file.day - certification.since).days) // term_days
        return TermBar(
            certification.since,
            certification.ends,
            due,
            max(0, min(100, elapsed)),
            (100 * (due - certification.since).days) // term_days,
        )


@require_GET
def providers(request: HttpRequest, facility_code: str) -> HttpResponse:
    """Show every provider with its certification and services, and the list of § 528.6."""
    person, facility = person_and_facility(request, facility_code)
    now = clock.now()
    rows = [_row(facility, provider, now) for provider in Provider.objects.filter(facility=facility)]
    context = page_context(person, facility, "providers", now) | {
        "rows": rows,
        "published": [row for row in rows if row.published],
        "figures": {
            "certified": sum(row.certification.holds for row in rows),
            "late": sum(row.late for row in rows),
            "stopped": sum(len(row.stopped) for row in rows),
        },
        "applies": facility.law.certifies_providers,
        "slips": [provider_dialogs.REGISTER],
    }
    return render(request, "games/office/providers.html", context)


@require_GET
def provider(request: HttpRequest, facility_code: str, code: str) -> HttpResponse:
    """Show one provider's file."""
    person, facility = person_and_facility(request, facility_code)
    provider_row = (
        Provider.objects.filter(facility=facility, code=code).select_related("investigation").first()
    )
    if provider_row is None:
        raise Denied
    now = clock.now()
    row = _row(facility, provider_row, now)
    file = row.file
    requests = GameRequest.objects.filter(facility=facility).values_list("code", "title")
    choices = tuple((code, f"{code} {title}") for code, title in requests)
    link = [provider_dialogs.link_request(facility.law, choices)] if choices else []
    context = page_context(person, facility, "providers", now) | {
        "row": row,
        "provider": provider_row,
        "application": _application(file),
        "permission": file.permissions[0] if file.permissions else None,
        "people": [_person(file, qualifier) for qualifier in file.people],
        "outstanding": len(file.outstanding),
        "notes": provider_row.notes.select_related("document").defer("document__content"),
        "note_kinds": ProviderNote.Kind,
        "games": {code: game.name for code, game in GAMES.items()},
        "slips": [*provider_dialogs.DIALOGS, *link],
        "has_requests": bool(choices),
        "wager_choices": provider_dialogs.wager_choices(),
    }
    return render(request, "games/office/provider.html", context)


def _row(facility: Facility, provider: Provider, now: dt.datetime) -> ProviderRow:
    file = ProviderFile(facility, provider, facility.gaming_day(now))
    return ProviderRow(file, services.service_statuses(facility, file.services, file.day, now))


@dataclass(frozen=True)
class ApplicationView:
    """The undecided application with its parts, or else the newest decided one."""

    row: Application
    parts: list[PackagePart]
    missing: int
    left_cents: int


def _application(file: ProviderFile) -> ApplicationView | None:
    newest = file.undecided or (file.applications[0] if file.applications else None)
    if newest is None:
        return None
    parts = package_parts(file, newest) if newest.decided_on is None else []
    missing = sum(not part.is_present for part in parts)
    return ApplicationView(newest, parts, missing, max(0, newest.costs_cents - newest.costs_paid_cents))


def _person(file: ProviderFile, qualifier: Qualifier) -> dict[str, Any]:
    state = register.qualification_state(qualifier)
    here = register.is_with_provider(qualifier, file.day)
    looks = {
        "qualified": "ok",
        "unqualified": "stop",
        "not-asked": "past",
        "waiting": "wait",
        "no-form": "warn",
    }
    return {
        "row": qualifier,
        "duties": [(duty.words, duty.section(file.law)) for duty in register.duties(qualifier)],
        "state": state if here else "gone",
        "look": looks[state] if here else "past",
        "is_serving": here,
        "credentials": [
            credential for credential in qualifier.credentials.all() if credential.ended_on is None
        ],
    }


urlpatterns = [
    path("office/<slug:facility_code>/providers/", providers, name="providers"),
    path("office/<slug:facility_code>/providers/<slug:code>/", provider, name="provider"),
]

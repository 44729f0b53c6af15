"""The page of the systems of others: machines that use the API, what each may do, and their secrets."""

import datetime as dt
from dataclasses import dataclass
from typing import Literal

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from audit import clients, clock
from audit.models import ApiClient, ClientSecret, Person
from games.access import opened_by
from games.kit.searches import OneOf, Search, Words
from games.models import Facility
from games.separation import policy
from tables.runner.access import DEVICES, FACILITY_PAGES, PEOPLE
from tables.setup.clients import SUBJECT, why_not_make_secret
from tables.views.devices import codes_of_tables, revocation
from tables.views.facility import page_context
from tables.views.people import State, waiting_changes
from tables.views.webhooks import deliveries_of

RENEW_WITHIN = dt.timedelta(days=14)  # of the end of its newest secret
Filter = Literal["all", "due", "writes", "reads", "ended"]
FILTERS: dict[Filter, str] = {
    "all": "All",
    "due": "Need somebody",
    "writes": "May write",
    "reads": "Read only",
    "ended": "Ended",
}


@dataclass(frozen=True)
class SystemRow:
    """A machine in the list, with its newest secret; None before one was made. `days`: since it was made."""

    client: ApiClient
    secrets: list[ClientSecret]
    state: State
    days: int | None

    @property
    def secret(self) -> ClientSecret | None:
        return self.secrets[-1] if self.secrets else None

    @property
    def table(self) -> str:
        """Code of the only table that it serves; "" for the whole facility."""
        return self.client.device.place.partition("/")[2]

    @property
    def reads(self) -> list[str]:
        return [scope for scope in clients.READS if scope in self.client.scopes]

    @property
    def writes(self) -> list[str]:
        return [scope for scope in clients.WRITES if scope in self.client.scopes]

    @property
    def is_ended(self) -> bool:
        return self.client.device.revoked_at is not None

    def is_in(self, show: Filter) -> bool:
        """Whether a filter shows it."""
        if show == "ended" or self.is_ended:
            return show == "ended" and self.is_ended
        return {
            "all": True,
            "due": self.state.needs_somebody,
            "writes": bool(self.writes),
            "reads": not self.writes,
        }[show]


class SystemSearch(Search):
    """One of the filters, and the machine that is shown in full."""

    show = OneOf(tuple(FILTERS), otherwise="all")
    system = Words(max_length=60)


@require_GET
@opened_by(FACILITY_PAGES[DEVICES])
def system_list(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """List the machines of the facility, those that need somebody first; and one of them in full."""
    now = clock.now()
    rows = system_rows(facility, now)
    query = SystemSearch(request.GET).values
    row_of_policy = policy.row_of(facility.law, SUBJECT)
    selected = next((row for row in rows if row.client.device.name == query["system"]), None)
    context = page_context(person, facility, PEOPLE, now) | {
        "tab": "systems",
        "rows": [row for row in rows if row.is_in(query["show"])],
        "active": sum(not row.is_ended for row in rows),
        "filters": [
            {"code": code, "label": label, "count": sum(row.is_in(code) for row in rows)}
            for code, label in FILTERS.items()
        ],
        "query": query,
        "selected": selected,
        "deliveries": deliveries_of(facility) if selected is None else None,
        "now_here": facility.local(now),
        "secret_refusal": why_not_make_secret(facility, person, selected.client) if selected else None,
        "changes": waiting_changes(facility, person, SUBJECT, now),
        "secrets": clients.readable_secrets(person, facility.code, now),
        "prepares": policy.may_prepare(row_of_policy, person),
        **revocation(person, facility, selected.client.device if selected else None),
        "policy": {"approve": policy.in_words(row_of_policy.approve)},
        "read_scopes": list(clients.READS.items()),
        "write_scopes": list(clients.WRITES.items()),
        "certificates": settings.CLIENT_CERTIFICATES,
        "requests_a_minute": settings.API_REQUESTS_PER_MINUTE,
        "days": {"lifetime": clients.SECRET_LIFETIME.days, "overlap": clients.OVERLAP.days},
        "tables": codes_of_tables(facility),
    }
    return render(request, "tables/people/systems.html", context)


def system_rows(facility: Facility, now: dt.datetime) -> list[SystemRow]:
    """Every machine that is or was let in here: those that need somebody first, ended ones last."""
    clients_here = (
        ApiClient.objects.filter(device__facility=facility.code)
        .select_related("device__asked_by", "device__enrolled_by", "person", "asked_by")
        .prefetch_related("secrets__made_by")
    )
    rows = [_row(client, now) for client in clients_here]
    return sorted(rows, key=lambda row: (row.is_ended, not row.state.needs_somebody, row.client.device.name))


def _row(client: ApiClient, now: dt.datetime) -> SystemRow:
    secrets = sorted(client.secrets.all(), key=lambda secret: secret.number)
    newest = secrets[-1] if secrets else None
    days = (now - newest.made_at).days if newest else None
    return SystemRow(client, secrets, _state(client, newest, now), days)


def _state(client: ApiClient, newest: ClientSecret | None, now: dt.datetime) -> State:
    if client.device.revoked_at is not None:
        return State("off", "Ended", needs_somebody=False)
    if client.may_make_secret:
        return State("info", "Its secret can be made")
    if newest is None or newest.ends_at <= now:
        return State("stop", "Its secret has ended")
    if newest.ends_at - now <= RENEW_WITHIN:
        days = (newest.ends_at - now).days
        return State("warn", f"Secret ends in {days} day{'s'[: days != 1]}")
    return State("ok", "in use" if client.device.last_seen_at else "never used", needs_somebody=False)

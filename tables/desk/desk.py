"""The compliance desk: who may see it, how its acts run, and what all its pages and copies have in common.

The desk changes nothing that it reads. Its acts request exports and verifications, keep searches and legal holds, and
take copies; they are on the stream `facility/exports`, so that the record says who did.

Compliance and the regulator's gaming agent may take a copy of the record out of the casino (`EXPORT_ROLES`); all of
`DESK_ROLES` may read. A copy that is made at the desk is taken in two steps: an act makes it and records the SHA-256 of
its bytes; then its page makes the same bytes again and serves them to the person who has just recorded that
(`own_recent_entry`, `recorded_copy`). The tabs (`TABS`) are a file each of this package.
"""

import datetime as dt
from collections.abc import Callable, Iterable
from typing import Any

from django.http import HttpResponse
from django.urls import reverse

from audit import clock
from audit.factors import StepUp
from audit.models import Entry, Person, TenMinutes
from audit.runner import ActOutcome, ActRequest, ActResponse, Do
from games.access import Pages
from games.facility_runner import LockedStream, StreamContext, StreamRunner
from games.kit.files import file_response
from games.models import Facility
from tables.core.duty import is_on_duty_at_facility
from tables.replay.evidence import sha256
from tables.words.entries import data_of

__all__ = [
    "ACTS",
    "EXPORT_ROLES",
    "RUNNER",
    "ActOutcome",
    "ActRequest",
    "ActResponse",
    "DeskContext",
    "desk_act",
    "execute",
]

STREAM = "exports"
AGENT = "gaming-agent"
EXPORT_ROLES = frozenset({"compliance", AGENT})  # roles that may take a copy of the record out of the casino
DESK_ROLES = EXPORT_ROLES | {"surveillance", "pit-manager", "shift-manager", "casino-supervisor"}
DESK = Pages(DESK_ROLES)
EXPORTING = Pages(EXPORT_ROLES)
may_see_desk = DESK.may_see
RECENT_ENTRIES = 100  # a person's newest entries, in which a copy may just have been taken
TABS = (
    ("record", "Search", "record"),
    ("report", "Daily report", "record-report"),
    ("exports", "Exports", "record-exports"),
    ("integrity", "Integrity", "record-integrity"),
    ("retention", "Retention", "record-retention"),
    ("coverage", "Clauses", "record-coverage"),
)


def may_export(person: Person) -> bool:
    """Whether this person may take a copy of the record out of the casino."""
    return person.role in EXPORT_ROLES


# Acts


class DeskContext(StreamContext):
    """What an act of the desk works with. The caller holds the lock of the stream `facility/exports`."""


class DeskRunner(StreamRunner[DeskContext]):
    """Executes the acts of the desk."""

    counted_as = "desk"

    def stream_name(self, act: str) -> str:
        return STREAM

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """The casino assigns duty to its own people; the regulator's agent needs no assignment."""
        return person.role == AGENT or is_on_duty_at_facility(person, facility)

    def needs_duty(self, act: str) -> bool:
        """Who may export takes a copy also off duty, as they may read it on the page."""
        return act != "take_export"

    def make_context(self, request: ActRequest, locked: LockedStream) -> DeskContext:
        return DeskContext(locked, request)

    def desk_act(
        self, *, roles: Iterable[str] = EXPORT_ROLES, step_up: StepUp = "never"
    ) -> Callable[[Do], Do]:
        """Register an act of the desk under its function's name."""
        return self.act(roles=roles, depends_on="nothing", step_up=step_up)


RUNNER = DeskRunner()
ACTS = RUNNER.acts
desk_act = RUNNER.desk_act
execute = RUNNER.execute


# Pages


def desk_context(person: Person, facility: Facility, tab: str) -> dict[str, Any]:
    """Return the context of a desk page under one of its tabs."""
    now = clock.now()
    return {
        "facility": facility,
        "section": "record",
        "tab": tab,
        "tabs": tab_links(facility.code),
        "me": {"code": person.code, "name": person.name, "role_label": person.get_role_display()},
        "exports_here": may_export(person),
        "today": facility.gaming_day(now),
        "now": now,
        "as_of": now.astimezone(dt.UTC).isoformat(timespec="milliseconds"),
        "urls": {
            "sign_in": reverse("sign-in"),
            "sign_off": reverse("sign-off"),
            "act": reverse("desk-act", args=[facility.code, "__act__"]),
        },
    }


def tab_links(facility: str) -> list[dict[str, Any]]:
    """The desk's tabs in order: `code`, `label` and `url`."""
    return [
        {"code": code, "label": label, "url": reverse(name, args=[facility])} for code, label, name in TABS
    ]


def landing_url(facility: str) -> str:
    """The address of the first tab, to which the bar links."""
    return reverse(TABS[0][-1], args=[facility])


# Copies that are taken


def own_recent_entry(
    person: Person, facility: Facility, type_: str, expected: dict[str, Any]
) -> Entry | None:
    """The person's own recent entry of a type that recorded these values."""
    own = Entry.objects.filter(actor=person.code, stream__name__startswith=f"{facility.code}/")
    newest_entries = own.exclude(actor="").order_by(TenMinutes("at").desc(), "-at")[:RECENT_ENTRIES]
    return next(
        (
            entry
            for entry in newest_entries
            if entry.type == type_ and expected.items() <= data_of(entry).items()
        ),
        None,
    )


def recorded_copy(content: bytes, digest: str, name: str, media: str, changed: str) -> HttpResponse:
    """Serve a copy that has the recorded SHA-256; otherwise say, with 410, what changed."""
    if sha256(content) != digest:
        return HttpResponse(changed, status=410, content_type="text/plain; charset=utf-8")
    response = file_response(content, name, media)
    response["Cache-Control"] = "private, no-store"
    return response

"""Service providers: certification, services and whether they are dealt, and the list of § 528.6.

The dialogs of these pages are data: their acts, fields and texts.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import path
from django.utils.functional import Promise
from django.views.decorators.http import require_GET

from audit import clock
from audit.identity import Denied
from audit.models import Person
from games.access import opened_by
from games.jurisdictions import Jurisdiction, short
from games.models import Facility, GameRequest, Provider, ProviderNote, Qualifier
from games.office.core import OFFICE
from games.office.providers import register, services
from games.office.providers.applications import package_parts
from games.office.providers.register import Certification, ProviderFile
from games.office.providers.services import LABORATORY, ServiceStatus
from games.registry import GAMES
from games.views.office import page_context

Words = str | Promise


@dataclass(frozen=True)
class Field:
    """A field of a dialog. `kind`: text, date, file, yes, either, choice, money, percent or wagers.

    `required_message`: shown while a required field is empty. `put`: the data attribute of the button that fills it.
    `options`: values and labels.
    """

    kind: str
    name: str
    label: Words
    required_message: Words = ""
    put: str = ""
    max_length: int = 200
    hint: Words = ""
    options: tuple[tuple[str, Words], ...] = ()
    future: bool = False


@dataclass(frozen=True)
class Dialog:
    """A dialog: its act, heading, button, fields and explanation."""

    act: str
    title: Words
    go: Words
    fields: tuple[Field, ...] = ()
    hidden: tuple[tuple[str, str], ...] = ()  # name and kind
    say: Words = ""

    @property
    def id(self) -> str:
        """Return the id of the dialog on the page."""
        return self.act.replace("_", "-")


def text_field(name: str, label: Words, must: Words = "", **more: Any) -> Field:
    """Return a text field. It may stay empty without a `required_message` message."""
    return Field("text", name, label, must, **more)


def date_field(name: str, label: Words, must: Words = "", **more: Any) -> Field:
    """Return a date field, up to today."""
    return Field("date", name, label, must, **more)


def document_field(name: str, label: Words, must: Words = "") -> Field:
    """Return a file field; the file becomes a document."""
    return Field("file", name, label, must)


def either_field(name: str, yes: Words, no: Words, must: Words) -> Field:
    """Return a choice of two, with neither preselected."""
    return Field("either", name, "", must, options=(("1", yes), ("0", no)))


PROVIDER, PERSON = (("provider", "text"),), (("person", "whole"),)
SERVICE, NOTE = (("service", "text"),), (("note", "whole"),)
CREDENTIALS = (("temporary", "temporary"), ("permanent", "permanent"))
KINDS = (("individual", "an individual"), ("entity", "an entity"))
PERSON_FIELDS = (
    Field("choice", "kind", "Is", put="kind", options=KINDS),
    text_field("name", "Name", "Name", put="called", max_length=100),
    text_field("title", "Title or work", put="title", max_length=100),
    Field("yes", "officer", "Does the job of a president, CEO, CFO or COO", put="officer"),
    Field("yes", "director", "Director", put="director"),
    Field("yes", "salesperson", "Sells to the casino, or deals with it regularly", put="salesperson"),
    Field("percent", "owns_bp", "Owns, directly and indirectly (%)", put="owns"),
    Field("percent", "votes_bp", "Votes held directly, of an entity (%)", put="votes"),
    text_field("named_by_board", "Named by the Board, because", put="named"),
    date_field("form_filed_on", "Disclosure form filed on", put="form"),
)
GAME_NAMES = tuple((code, game.name) for code, game in GAMES.items())

REGISTER = Dialog(
    "register_provider",
    "Register a provider",
    "Register it",
    (
        text_field("name", "Name", "Name of the provider", max_length=100),
        text_field("game", "Table game", "Which table game", max_length=60),
        text_field("innovation", "What it adds to the game", hint="a new wager, variation, side bet"),
        text_field("patent", "Patent", max_length=100, hint="number, or the pending application"),
        Field("yes", "no_other_license", "It needs no manufacturer's or supplier's license"),
    ),
    say="All three belong together: innovation, patent, and no other license.",
)

DIALOGS = (
    Dialog(
        "record_investigation",
        "Record an investigation",
        "Record it",
        (
            date_field("on", "Concluded on", "Day of the investigation"),
            document_field("document", "Report", "Attach the report"),
            text_field("adverse", "Finding against it", hint="empty if there is none"),
        ),
        PROVIDER,
    ),
    Dialog(
        "record_listing",
        "The Board's list",
        "Record it",
        (date_field("on", "On the list as of", hint="empty: not on the list"),),
        PROVIDER,
    ),
    Dialog(
        "complete_application",
        "Complete the package",
        "Save it",
        (
            Field(
                "choice",
                "kind",
                "For",
                put="kind",
                options=(
                    ("certification", "a first certification"),
                    ("renewal", "a renewal"),
                ),
            ),
            text_field(
                "completed_by",
                "Completed by, of the provider",
                "Who completed it",
                put="by",
                max_length=100,
            ),
            document_field("form", "Application and disclosure form"),
            Field(
                "choice",
                "copy",
                "Copy of the form",
                put="copy",
                options=(
                    ("", "not yet"),
                    ("one", "one copy"),
                    ("waived", "the Board waived it"),
                ),
            ),
            document_field("statement", "The certificate holder's signed statement"),
            Field("money", "fee_cents", "Fee ($)", put="fee"),
            date_field("fee_paid_on", "Fee paid on", put="paid"),
            Field("yes", "general", "The general application requirements are met", put="general"),
        ),
        PROVIDER,
        "A file that is already in the package stays unless you choose another.",
    ),
    Dialog(
        "attach_release",
        "Application and release",
        "Attach it",
        (document_field("document", "Signed application and release", "Attach the file"),),
        PERSON,
    ),
    Dialog(
        "file_application",
        "File the package",
        "File it now",
        (),
        PROVIDER,
        "The certificate holder files what the provider completed. It cannot be changed afterward.",
    ),
    Dialog(
        "record_application_costs",
        "Costs of the review",
        "Record them",
        (
            Field("money", "costs_cents", "Charged so far ($)", "What was charged"),
            Field("money", "paid_cents", "Paid so far ($)", "What was paid"),
        ),
        PROVIDER,
    ),
    Dialog(
        "decide_application",
        "The Board's decision",
        "Record it",
        (
            either_field("granted", "Certified", "Denied", "Certified or denied"),
            date_field("on", "Date of the approval or denial", "Day of the decision"),
            document_field("letter", "Letter", "Attach the letter"),
        ),
        PROVIDER,
    ),
    Dialog(
        "record_permission",
        "Permission to trade before certification",
        "Record it",
        (
            date_field("on", "Granted on", "Day of the permission"),
            text_field("reference", "Reference", "Reference", max_length=60),
            document_field("diligence", "The certificate holder's certification of due diligence"),
            document_field("acknowledgement", "The applicant's signed acknowledgment"),
        ),
        PROVIDER,
    ),
    Dialog(
        "rescind_permission",
        "Permission rescinded",
        "Record it",
        (
            date_field("on", "Date of the notice", "Date of the notice"),
            date_field("cease_on", "Cease by", "The day to cease by", future=True),
            document_field("notice", "Notice", "Attach the notice"),
            date_field("received_on", "Received by registered mail on"),
        ),
        PROVIDER,
        "The last gaming day with permission is the one before the day to cease by.",
    ),
    Dialog(
        "record_receipt",
        "Notice received",
        "Record it",
        (date_field("on", "Received by registered mail on", "Day of the receipt"),),
        PROVIDER,
    ),
    Dialog("name_person", "Name a person or an entity", "Name them", PERSON_FIELDS, PROVIDER),
    Dialog("change_person", "Change what the file says", "Change it", PERSON_FIELDS, PERSON),
    Dialog(
        "record_qualification",
        "What the Board found",
        "Record it",
        (
            either_field("qualified", "Qualified", "Not qualified", "What the Board found"),
            date_field("on", "Found on", "Day of the finding"),
        ),
        PERSON,
    ),
    Dialog(
        "end_person",
        "No longer with the provider",
        "Record it",
        (date_field("on", "Since", "Since which day"),),
        PERSON,
        "Credentials end with it.",
    ),
    Dialog(
        "issue_credential",
        "A credential",
        "Record it",
        (
            Field("choice", "kind", "Kind", put="kind", options=CREDENTIALS),
            text_field("number", "Number", "Number", max_length=60),
            text_field("need", "Why the person is needed here", hint="for a temporary one"),
            date_field("on", "Issued on", "Day of issue"),
        ),
        PERSON,
    ),
    Dialog(
        "end_credential",
        "End a credential",
        "End it",
        (date_field("on", "Ended on", "Since which day"),),
        (*PERSON, ("number", "text")),
    ),
    Dialog(
        "register_service",
        "Link a service to a game",
        "Link it",
        (
            text_field("name", "Name of the service", "Name of the service", max_length=100),
            Field("choice", "game", "Game", options=GAME_NAMES),
            Field("wagers", "wagers", "Its wagers; none is the whole game"),
        ),
        PROVIDER,
        "From now on it is dealt only while all four steps are done.",
    ),
    Dialog(
        "record_laboratory",
        "The laboratory",
        "Record it",
        (
            date_field("submitted_on", "Submitted on", "Day of the submission", put="sent"),
            date_field("approved_on", "Approved on", put="approved"),
            text_field("reference", "Reference", put="reference", max_length=60),
        ),
        SERVICE,
    ),
    Dialog(
        "record_laboratory_costs",
        "Costs of the laboratory",
        "Record them",
        (
            Field("money", "costs_cents", "Costs of the review ($)", "What it cost", put="costs"),
            date_field("paid_on", "All of it paid on", hint="empty: not paid", put="paid"),
        ),
        SERVICE,
    ),
    Dialog(
        "end_service",
        "End the use of a service",
        "End it",
        (
            date_field("on", "First gaming day without it", "From which gaming day", future=True),
            text_field("why", "Why", "Why"),
        ),
        SERVICE,
        "Its wagers are not dealt from that gaming day on.",
    ),
    Dialog(
        "note_on_provider",
        "A note on the file",
        "Note it",
        (
            Field("choice", "kind", "About", put="kind", options=tuple(ProviderNote.Kind.choices)),
            date_field("on", "On", "Which day"),
            text_field("text", "What", "What"),
            date_field("due_on", "Due on", future=True),
            date_field("done_on", "Answered, met, or reported to the Board on"),
            document_field("document", "Document"),
        ),
        PROVIDER,
    ),
    Dialog(
        "close_note",
        "Done",
        "Record it",
        (
            date_field("done_on", "Answered, met, or reported to the Board on", "Which day"),
            document_field("document", "Document"),
        ),
        NOTE,
    ),
)


def link_request(law: Jurisdiction, requests: tuple[tuple[str, str], ...]) -> Dialog:
    """Return the dialog that links one of these requests (code and title) to a service."""
    label = f"Request under {short(law.section('requests'))}"
    choice = Field("choice", "request", label, put="request", options=requests)
    return Dialog("link_request", "Link the request", "Link it", (choice,), SERVICE)


def wager_choices() -> list[dict[str, Any]]:
    """Return the wager families of each game. A family of one wager has that wager's name."""
    choices = []
    for game in GAMES:
        families: dict[str, list[str]] = {}
        for label, family in services.wagers_of_game(game).values():
            families.setdefault(family, []).append(label)
        names = [(family, _family_name(family, labels)) for family, labels in families.items()]
        choices.append({"game": game, "families": names})
    return choices


def _family_name(family: str, labels: list[str]) -> str:
    name = labels[0] if len(labels) == 1 else family.replace("-", " ").capitalize()
    return name if len(labels) == 1 else f"{name} ({len(labels)})"


# The pages


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
    def term(self) -> dict[str, Any] | None:
        """Return its certification as a bar while it is running.

        `today`, the day on which a renewal is due (`due_at`) and the rest after it are in percent of its four years.
        """
        certification = self.certification
        if certification.state != "certified" or certification.since is None or certification.ends is None:
            return None
        due = register.renewal_due_on(certification.ends)
        term_days = (certification.ends - certification.since).days
        elapsed = (100 * (self.file.day - certification.since).days) // term_days
        due_at = (100 * (due - certification.since).days) // term_days
        return {
            "since": certification.since,
            "ends": certification.ends,
            "due": due,
            "today": max(0, min(100, elapsed)),
            "due_at": due_at,
            "rest": 100 - due_at,
        }


@require_GET
@opened_by(OFFICE)
def providers(request: HttpRequest, person: Person, facility: Facility) -> HttpResponse:
    """Show every provider with its certification and services, and the list of § 528.6."""
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
        "slips": [REGISTER],
    }
    return render(request, "games/office/providers.html", context)


@require_GET
@opened_by(OFFICE)
def provider(request: HttpRequest, person: Person, facility: Facility, code: str) -> HttpResponse:
    """Show one provider's file."""
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
    link = [link_request(facility.law, choices)] if choices else []
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
        "slips": [*DIALOGS, *link],
        "has_requests": bool(choices),
        "wager_choices": wager_choices(),
    }
    return render(request, "games/office/provider.html", context)


def _row(facility: Facility, provider: Provider, now: dt.datetime) -> ProviderRow:
    file = ProviderFile(facility, provider, facility.gaming_day(now))
    return ProviderRow(file, services.service_statuses(facility, file.services, file.day, now))


def _application(file: ProviderFile) -> dict[str, Any] | None:
    """The undecided application with its parts, or else the newest decided one. `missing` counts parts."""
    newest = file.undecided or (file.applications[0] if file.applications else None)
    if newest is None:
        return None
    parts = package_parts(file, newest) if newest.decided_on is None else []
    return {
        "row": newest,
        "parts": parts,
        "missing": sum(not part.is_present for part in parts),
        "left_cents": max(0, newest.costs_cents - newest.costs_paid_cents),
    }


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
    path("office/<slug:facility>/providers/", providers, name="providers"),
    path("office/<slug:facility>/providers/<slug:code>/", provider, name="provider"),
]

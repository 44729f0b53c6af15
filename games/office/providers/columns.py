"""What the entries state of providers, their people, credentials, applications, permissions, services and notes."""

from typing import Any

from audit.columns import (
    AT,
    FACILITY,
    NONE,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    letter,
    named,
    plain,
    same,
)
from games.models import (
    Application,
    Credential,
    InterimPermission,
    Provider,
    ProviderNote,
    Qualifier,
    Service,
)
from games.office.providers.entry_types import (
    APPLICATION_COMPLETED,
    APPLICATION_COSTS,
    APPLICATION_DECIDED,
    APPLICATION_FILED,
    APPLICATION_RELEASE,
    PROVIDER_CREDENTIAL,
    PROVIDER_CREDENTIAL_ENDED,
    PROVIDER_INVESTIGATED,
    PROVIDER_LISTED,
    PROVIDER_NOTE_CLOSED,
    PROVIDER_NOTED,
    PROVIDER_PERMITTED,
    PROVIDER_PERSON_CHANGED,
    PROVIDER_PERSON_FOUND,
    PROVIDER_PERSON_LEFT,
    PROVIDER_PERSON_NAMED,
    PROVIDER_REGISTERED,
    PROVIDER_RESCINDED,
    PROVIDER_RESCISSION_RECEIVED,
    SERVICE_COSTS,
    SERVICE_ENDED,
    SERVICE_LABORATORY,
    SERVICE_REGISTERED,
    SERVICE_REQUESTED,
)

OF_PROVIDER = {
    "facility": Reading(("provider__facility__code",), plain, ("provider",)),
    "provider": Reading(("provider__code",), plain, ("provider",)),
}

declare(
    Provider,
    "provider",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "provider"},
    created={
        PROVIDER_REGISTERED: {
            **same("name", "game", "innovation", "patent", "no_other_license"),
            **dict.fromkeys(("investigated_on", "investigation", "adverse", "listed_on"), NONE),
            "created_at": AT,
        }
    },
    changed={
        PROVIDER_INVESTIGATED: {
            "investigated_on": "on",
            "investigation": letter("report"),
            "adverse": "adverse",
        },
        PROVIDER_LISTED: {"listed_on": "on"},
    },
)

PERSON = same(
    *("provider", "kind", "name", "title", "officer", "director", "salesperson", "owns_bp", "votes_bp"),
    *("named_by_board", "form_filed_on"),
)
PROVIDER = {"provider": Reading(("provider__code",), plain, ("provider",))}


declare(
    Qualifier,
    "person of provider",
    may_be_seeded=True,
    key={"id": "person"},
    created={
        PROVIDER_PERSON_NAMED: {
            **PERSON,
            **dict.fromkeys(("qualified_on", "unqualified_on", "left_on"), NONE),
        }
    },
    changed={
        PROVIDER_PERSON_CHANGED: PERSON,
        PROVIDER_PERSON_FOUND: {
            "qualified_on": lambda body: body["data"]["on"] if body["data"]["qualified"] else None,
            "unqualified_on": lambda body: None if body["data"]["qualified"] else body["data"]["on"],
        },
        PROVIDER_PERSON_LEFT: {"left_on": "on"},
    },
    readings=PROVIDER,
)


def credentials_ended(rows: Rows, body: Body) -> None:
    """The credentials of a person who left end on the same day."""
    for number in body["data"]["credentials"]:
        rows.put(body, body["data"]["person"], number, ended_on=body["data"]["on"])


declare(
    Credential,
    "credential",
    key={"qualifier": "person", "number": "number"},
    created={PROVIDER_CREDENTIAL: {**same("kind", "need"), "issued_on": "on", "ended_on": NONE}},
    changed={PROVIDER_CREDENTIAL_ENDED: {"ended_on": "on"}},
    folded={PROVIDER_PERSON_LEFT: credentials_ended},
)


def application(rows: Rows, body: Body) -> tuple[str, str, str] | None:
    """The key of the provider's application that is not decided."""
    key: tuple[str, str, str] | None = rows.memory.get((FACILITY(body), body["data"]["provider"]))
    return key


def completed(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    key = application(rows, body)
    if key is None:
        key = rows.memory[facility, data["provider"]] = (facility, data["provider"], body["at"])
        none = ("filed_at", "filed_by", "decided_on", "granted", "ends_on", "decision")
        rows.put(body, *key, costs_cents=0, costs_paid_cents=0, **dict.fromkeys(none))
    names = ("kind", "completed_by", "parts", "fee_cents", "fee_paid_on")
    rows.put(body, *key, **{name: data[name] for name in names})


def released(rows: Rows, body: Body) -> None:
    key = application(rows, body)
    if key is not None:
        parts: dict[str, Any] = (rows.get(*key) or {})["parts"]
        releases = {**parts.get("releases", {}), str(body["data"]["person"]): letter("release")(body)}
        rows.put(body, *key, parts={**parts, "releases": releases})


def filed(rows: Rows, body: Body) -> None:
    key = application(rows, body)
    if key is not None:
        rows.put(
            body, *key, filed_at=body["at"], filed_by=body["data"]["filed_by"], parts=body["data"]["parts"]
        )


def costs(rows: Rows, body: Body) -> None:
    key, data = application(rows, body), body["data"]
    if key is not None:
        rows.put(body, *key, costs_cents=data["costs_cents"], costs_paid_cents=data["paid_cents"])


def decided(rows: Rows, body: Body) -> None:
    key, data = application(rows, body), body["data"]
    if key is not None:
        values = {name: data[name] for name in ("granted", "ends_on")}
        rows.put(body, *key, decided_on=data["on"], decision=letter("letter")(body), **values)
        rows.memory.pop((FACILITY(body), data["provider"]))


declare(
    Application,
    "application",
    may_be_seeded=True,
    key={"facility": FACILITY, "provider": "provider", "created_at": AT},
    folded={
        APPLICATION_COMPLETED: completed,
        APPLICATION_RELEASE: released,
        APPLICATION_FILED: filed,
        APPLICATION_COSTS: costs,
        APPLICATION_DECIDED: decided,
    },
    folded_columns=(
        *("kind", "completed_by", "parts", "fee_cents", "fee_paid_on", "costs_cents", "costs_paid_cents"),
        *("filed_at", "filed_by", "decided_on", "granted", "ends_on", "decision"),
    ),
    readings=OF_PROVIDER,
)
declare(
    InterimPermission,
    "permission",
    key={"facility": FACILITY, "provider": "provider", "reference": "reference"},
    created={
        PROVIDER_PERMITTED: {
            "granted_on": "on",
            "diligence": letter("diligence"),
            "acknowledgement": letter("acknowledgement"),
            **dict.fromkeys(("rescinded_on", "received_on", "cease_on", "notice"), NONE),
        }
    },
    changed={
        PROVIDER_RESCINDED: {
            **same("cease_on", "received_on"),
            "rescinded_on": "on",
            "notice": letter("notice"),
        },
        PROVIDER_RESCISSION_RECEIVED: same("received_on"),
    },
    readings=OF_PROVIDER,
)
declare(
    Service,
    "service",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "service"},
    created={
        SERVICE_REGISTERED: {
            **same("provider", "name", "game", "wagers"),
            **dict.fromkeys(("lab_submitted_on", "lab_approved_on", "lab_reference", "costs_paid_on"), NONE),
            "costs_cents": constant(0),
            "request": NONE,
            "ended_on": NONE,
        }
    },
    changed={
        SERVICE_LABORATORY: {
            "lab_submitted_on": "submitted_on",
            "lab_approved_on": "approved_on",
            "lab_reference": "reference",
        },
        SERVICE_COSTS: {"costs_cents": "costs_cents", "costs_paid_on": "paid_on"},
        SERVICE_REQUESTED: same("request"),
        SERVICE_ENDED: {"ended_on": "on"},
    },
    readings={**OF_PROVIDER, "request": named("request__code", "request")},
)


def note_closed(rows: Rows, body: Body) -> None:
    """A document that came with the closing takes the place of the one before."""
    document = letter("document")(body)
    rows.put(body, body["data"]["note"], done_on=body["data"]["done_on"])
    if document:
        rows.put(body, body["data"]["note"], document=document)


declare(
    ProviderNote,
    "note on provider",
    may_be_seeded=True,
    key={"id": "note"},
    created={
        PROVIDER_NOTED: {
            **same("provider", "kind", "on", "text", "due_on", "done_on"),
            "document": letter("document"),
        }
    },
    folded={PROVIDER_NOTE_CLOSED: note_closed},
    readings=PROVIDER,
)

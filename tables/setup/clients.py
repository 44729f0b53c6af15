"""Systems of others: machines that use the API, each a client with scopes, let in and renewed by two people.

One person prepares a client or another secret for it, and a second one approves it (games/separation, row `clients`).
The secret is made then by somebody who may approve clients and did not ask for this one; who makes it, and nobody else,
reads it on the page within ten minutes, as often as they like. A client ends at once, by `revoke_device`: a machine
belongs to the department of information technology. What happens to the rows is in `audit/clients.py`.
"""

import datetime as dt
import re
from typing import Annotated

from django.conf import settings
from django.db.models import Max

from audit import clients, clock
from audit.entry_types import entry_type
from audit.models import ApiClient, Person
from games.act_forms import found, text, words
from games.engine import Refusal, RefusalCode
from games.facility_runner import Forbidden, may_not_approve
from games.models import Facility
from games.separation import policy
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    tables_concerned,
)
from tables.models import Table
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.setup.devices import MAX_NAME, NO_SUCH_DEVICE, verify_free
from tables.staffing.assignments import NO_SUCH_PLACE

UNKNOWN_SCOPES = RefusalCode(
    "unknown-scopes", "A system needs at least one of these scopes, and no other: %(scopes)s.", "Scopes"
)
SCOPES_OF_ONE_TABLE = RefusalCode(
    "scopes-of-one-table",
    "A dice reader or a sign serves one table. Choose the table, or leave out %(scopes)s.",
    "Choose a table",
)
NO_SECRET_DUE = RefusalCode(
    "no-secret-due",
    "No further secret of %(client)s was approved. Have one prepared and approved first.",
    "Nothing to make",
)
SECRET_IS_DUE = RefusalCode(
    "secret-is-due", "A secret of %(client)s was approved already. It can be made now.", "Approved already"
)
SECRET_OF_ANOTHER = RefusalCode(
    "secret-of-another",
    "You asked for this secret of %(client)s. Somebody else makes and reads it: %(who)s.",
    "Not yours to read",
)
FINGERPRINT = re.compile(r"[0-9a-f]{64}")
NOT_A_FINGERPRINT = RefusalCode(
    "not-a-fingerprint",
    "The fingerprint of a certificate is its SHA-256: 64 digits of hex, with or without colons.",
    "No fingerprint",
)
NO_CERTIFICATES_HERE = RefusalCode(
    "no-certificates-here",
    "The proxy of this installation does not say which certificate a machine shows. An administrator of the server "
    "sets that up first.",
    "Not set up",
)
BOUND_ALREADY = RefusalCode(
    "bound-already", "%(client)s shows this certificate, or none, already.", "Nothing to change"
)


# What the record says


ClientName = Annotated[str, "name of the machine"]


@entry_type("client.added")
def CLIENT_ADDED(
    *,
    device: ClientName,
    scopes: Annotated[list[str], "what it may read and do, in alphabetical order"],
    table: Annotated[str | None, "code of the only table that it serves; null for the whole facility"],
) -> str:
    """A machine was let in, which reads and writes through the API with a secret of its own."""
    return f"{device} let in for {table or 'the whole facility'}: {', '.join(scopes)}"


@entry_type("client.renewal_approved")
def CLIENT_RENEWED(*, device: ClientName) -> str:
    """Another secret of a machine was approved. The ones before are accepted for a week after it is made."""
    return f"Another secret of {device} approved"


@entry_type("client.secret_given")
def SECRET_GIVEN(
    *,
    device: ClientName,
    number: Annotated[int, "number of the secret: 1, and one more for each further one"],
    ends_at: Annotated[str, "when the secret ends"],
) -> str:
    """A secret of a machine was made, and could be read for ten minutes by the person who made it."""
    return f"Secret {number} of {device} made"


@entry_type("client.certificate_chosen")
def CERTIFICATE_CHOSEN(
    *,
    device: ClientName,
    certificate_sha256: Annotated[str, "SHA-256 of the certificate, in hex; empty for none"],
) -> str:
    """A machine shows this certificate beside its secret from now on, or none any more."""
    return f"{device} shows {'a certificate' if certificate_sha256 else 'no certificate'} beside its secret"


# Acts


SUBJECT = "clients"
PREPARERS = policy.roles_of(SUBJECT, "prepare")
APPROVERS = policy.roles_of(SUBJECT, "approve")


def client_by_name(ctx: FacilityContext, name: str) -> ApiClient:
    """The client with this name, locked, if it was not revoked. Raises `no-such-device`."""
    rows = ApiClient.objects.filter(
        device__facility=ctx.facility.code, device__name=name, device__revoked_at=None
    )
    client = rows.select_for_update(of=("self",)).select_related("device", "person").first()
    if client is None:
        raise Refusal(NO_SUCH_DEVICE)
    return client


_Client = Annotated[ApiClient, found(text(MAX_NAME), client_by_name)]


@facility_act(SETUP, roles=PREPARERS, subject=SUBJECT, step_up="office")
def add_client(
    ctx: FacilityContext,
    *,
    name: Annotated[str, text(MAX_NAME)],
    scopes: Annotated[tuple[str, ...], words(len(clients.SCOPES))],
    table_code: Annotated[str, text(20)] = "",
) -> ActOutcome:
    """Let a machine in. Who approves this, or somebody else who might, makes its secret then (`make_client_secret`).

    Raises `device-name-taken`, `unknown-scopes`, `scopes-of-one-table` or `no-such-place`.
    """
    table = _table(ctx, table_code)
    unplaced = sorted(clients.OF_ONE_TABLE.intersection(scopes)) if table is None else []
    if unplaced:
        raise Refusal(SCOPES_OF_ONE_TABLE, scopes=" and ".join(unplaced))
    verify_free(ctx, name)
    try:
        place = table.stream.name if table else ""
        client = clients.make(name, ctx.facility.code, scopes, place, ctx.actor, ctx.asked_by)
    except ValueError as unknown:
        raise Refusal(UNKNOWN_SCOPES, scopes=", ".join(clients.SCOPES)) from unknown
    entry = CLIENT_ADDED(device=name, scopes=client.scopes, table=table.code if table else None)
    return ActOutcome(entry, {"device": name})


@facility_act(SETUP, roles=PREPARERS, subject=SUBJECT, step_up="office")
def renew_client(ctx: FacilityContext, *, device: _Client) -> ActOutcome:
    """Let another secret of a client be made. Raises `no-such-device` or `secret-is-due`."""
    if device.may_make_secret:
        raise Refusal(SECRET_IS_DUE, client=device.device.name)
    clients.allow_secret(device, ctx.asked_by)
    return ActOutcome(
        CLIENT_RENEWED(device=device.device.name), {"device": device.device.name}, changes="nothing"
    )


@facility_act(SETUP, roles=PREPARERS, subject=SUBJECT, step_up="office")
def bind_client(
    ctx: FacilityContext, *, device: _Client, certificate_sha256: Annotated[str, text(95)] = ""
) -> ActOutcome:
    """Accept a client only with this certificate beside its secret. Empty: its secret is enough again.

    Raises `no-such-device`, `not-a-fingerprint`, `no-certificates-here` or `bound-already`.
    """
    fingerprint = certificate_sha256.replace(":", "").replace(" ", "").lower()
    if fingerprint and (not FINGERPRINT.fullmatch(fingerprint) or fingerprint == clients.NO_CERTIFICATE):
        raise Refusal(NOT_A_FINGERPRINT)
    if fingerprint and not settings.CLIENT_CERTIFICATES:
        raise Refusal(NO_CERTIFICATES_HERE)
    if fingerprint == device.certificate_sha256:
        raise Refusal(BOUND_ALREADY, client=device.device.name)
    clients.bind(device, fingerprint, ctx.actor)
    entry = CERTIFICATE_CHOSEN(device=device.device.name, certificate_sha256=fingerprint)
    return ActOutcome(entry, {"device": device.device.name}, changes="nothing")


@facility_act(SETUP, roles=APPROVERS, step_up="always")
def make_client_secret(ctx: FacilityContext, *, device: _Client) -> ActOutcome:
    """Make the secret of a client that was approved. Who made it reads it on the page for ten minutes.

    Raises `no-such-device` or `no-secret-due`; as Forbidden, `may-not-approve` or `secret-of-another`.
    """
    refusal = why_not_make_secret(ctx.facility, ctx.actor, device)
    if refusal is not None:
        raise refusal
    secret, _text = clients.make_secret(device, ctx.actor, ctx.command)
    entry = SECRET_GIVEN(
        device=device.device.name, number=secret.number, ends_at=clock.format_moment(secret.ends_at)
    )
    return ActOutcome(entry, {"device": device.device.name}, changes="nothing")


def why_not_make_secret(facility: Facility, person: Person, client: ApiClient) -> Refusal | None:
    """Why this person may not make a secret of a client now and read it, or None."""
    row = policy.row_of(facility.law, SUBJECT)
    if not policy.may_approve(row, person):
        return may_not_approve(row, person)
    if not client.may_make_secret:
        return Refusal(NO_SECRET_DUE, client=client.device.name)
    if client.asked_by_id == person.pk:
        return Forbidden(SECRET_OF_ANOTHER, client=client.device.name, who=policy.in_words(row.approve))
    return None


def _table(ctx: FacilityContext, code: str) -> Table | None:
    if not code:
        return None
    table = Table.objects.filter(facility=ctx.facility, code=code).select_related("stream").first()
    if table is None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return table


# Alerts about secrets that end


WARN_BEFORE = dt.timedelta(
    days=7
)  # a change may wait for a day (policy), and a machine has to be given the secret
USED_WITHIN = dt.timedelta(days=1)  # of the end, so that an end ended something
SECRET_TICKS = 60
SECRET_ENDS = AlertKind(
    "client-secret",
    "client-secret:ends:{cause}",
    Level.INFO,
    "Secret of a system",
    "The secret of a system ends",
    "The secret of %(device)s ends %(day)s, and it stops then. Have another one prepared and approved under "
    "People, Systems.",
    at_the_pit=True,
    is_everywhere=True,
)
SECRET_ENDED = AlertKind(
    "client-secret",
    "client-secret:ended:{cause}",
    Level.WARN,
    "Secret of a system",
    "The secret of a system has ended",
    "The secret of %(device)s ended %(day)s while it was in use. Nothing comes from it now. Have another one "
    "prepared and approved under People, Systems, or have the system ended there.",
    at_the_pit=True,
    is_everywhere=True,
)


def secret_alerts(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the systems whose newest secret ends within a week, or ended while they were in use, where they serve."""
    rows = (
        ApiClient.objects.filter(device__revoked_at=None)
        .annotate(ends_at=Max("secrets__ends_at"))
        .filter(ends_at__lte=now + WARN_BEFORE)
        .select_related("device")
    )
    facilities = {facility.code: facility for facility in Facility.objects.all()}
    alerts = []
    for client in rows.order_by("device__facility", "device__name"):
        device, ends_at = client.device, client.ends_at
        if ends_at <= now and (device.last_seen_at is None or device.last_seen_at < ends_at - USED_WITHIN):
            continue
        kind = SECRET_ENDED if ends_at <= now else SECRET_ENDS
        local = facilities[device.facility].local(ends_at)
        alerts += [
            kind.expected(pk, cause=device.pk, device=device.name, day=f"{local.day} {local:%b %H:%M}")
            for pk in tables_concerned(device.facility, device.place)
            if table_id in (None, pk)
        ]
    return alerts


alert_rule(AlertRule((SECRET_ENDS, SECRET_ENDED), secret_alerts, SECRET_TICKS))

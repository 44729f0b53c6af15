"""Clients of the API: make one, give it secrets, let it have tokens, and find out who sends a request.

A client is a machine: an enrolled device of the station `machine`, with scopes, and a person of the role `machine` as
whom it acts (`audit/models/clients.py`). It asks for a token by its id (that of its device) and a secret of 256 random
bits, of which the database holds only the SHA-256. The token is signed by the server, is accepted for ten minutes, and
names the client, the secret and the scopes. Each request reads client, device, secret and person in one statement, so a
secret that has ended, and a device that was revoked, open nothing from that moment on. A client may be bound to a
certificate, which it shows beside its secret and each token; the proxy says which one it showed.

A secret ends after ninety days. Another one may be made before: the ones before are accepted for a week more, so that
every server of the machine can be given the new one meanwhile.
"""

import datetime as dt
import hashlib
import secrets
import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.core.signing import BadSignature, Signer
from django.db import transaction
from django.utils.crypto import constant_time_compare

from audit import clock, registration
from audit.devices import append_sign_in, enroll, lock_sign_in_stream
from audit.entries import CLIENT_BOUND, CLIENT_MADE, CLIENT_READ_ENTRIES, CLIENT_SECRET_MADE
from audit.models import ApiClient, ClientSecret, Department, Device, Entry, Person, Role, Station
from audit.one_time import READABLE_FOR, derived_token, readable, token_hash

READS = {
    "floor": "tables, rounds, wagers, dice, limits, submissions, odds and the guide",
    "money": "figures, inventories, fills, credits and drops",
    "people": "people on duty, ratings and players",
    "cases": "alerts and cases",
    "entries": "entries of the record, and webhooks",
}
WRITES = {
    "acts": "does acts at tables and of the facility",
    "readings": "posts readings of dice",
    "signs": "says what a sign shows",
    "bookmarks": "marks moments of video (surveillance)",
    "staff": "prepares people and changes of their access, and ends access (SCIM)",
}
SCOPES = READS | WRITES
OF_ONE_TABLE = frozenset({"readings", "signs"})  # of a device that stands at a table
SECRET_PREFIX = "pitside_"  # so that a scanner for secrets recognizes one
SECRET_SALT = "pitside.client-secret.v1"
TOKEN_SALT = "pitside.client-token.v1"
SECRET_LIFETIME = dt.timedelta(days=90)
OVERLAP = dt.timedelta(days=7)  # for which the secrets before are accepted beside a new one
NO_CERTIFICATE = hashlib.sha256(b"").hexdigest()  # as a proxy may say it of a connection without one
TOKEN_LIFETIME = dt.timedelta(minutes=10)


# Clients and their secrets


def make(
    name: str, facility: str, scopes: Iterable[str], place: str = "", by: Person | None = None,
    asked_by: Person | None = None, new_id: uuid.UUID | None = None,
) -> ApiClient:  # fmt: skip
    """Create a client with its device and its person, and state each on the record. It has no secret yet.

    `place`: the stream of the only table that it serves, or "". `asked_by` never makes or reads its secret. Without
    `by` the record says that the server's operator did it. `new_id`: of a demo, which prints it before. Raises
    ValidationError as `devices.enroll`, and ValueError for an unknown scope or none.
    """
    scope_names = sorted(set(scopes))
    if not scope_names or {*scope_names} - SCOPES.keys():
        raise ValueError(f"a client needs scopes of {', '.join(SCOPES)}")
    with transaction.atomic():
        # Nobody reads this token: no browser becomes a machine.
        device, _token = enroll(name, facility, Station.MACHINE, place, by, asked_by=asked_by, new_id=new_id)
        person = Person.objects.create_person(
            f"machine-{device.pk.hex[:12]}",
            "",
            name=name,
            role=Role.MACHINE,
            department=Department.INFORMATION_TECHNOLOGY,
            facility=facility,
        )
        # People are compared from the first statement on. In a demo, where nobody is stated, no machine is either.
        if registration.newest_statements():
            # Nobody signs twice: whoever prepares it tries it alone.
            registration.record_person(person, by, None if asked_by == by else asked_by)
        stream = lock_sign_in_stream(facility)
        moment = clock.never_before(stream, clock.now())
        client = ApiClient.objects.create(
            device=device, person=person, scopes=scope_names, made_at=moment, made_by=by, asked_by=asked_by
        )
        entry = CLIENT_MADE(name=name, person=person.code, scopes=scope_names)
        append_sign_in(stream, entry, actor=by, device=device, moment=moment)
    return client


def allow_secret(client: ApiClient, asked_by: Person | None) -> None:
    """Let another secret be made, once, by somebody else than who asked for it."""
    client.asked_by, client.may_make_secret = asked_by, True
    client.save(update_fields=["asked_by", "may_make_secret"])


def make_secret(
    client: ApiClient, by: Person | None = None, command: uuid.UUID | None = None, text: str = ""
) -> tuple[ClientSecret, str]:
    """Make a secret of a client and record it. Returns it with its text, which is stored nowhere.

    The secrets before end after a week, or when they would have ended. `command`: the text is derived from this id, so
    that who made it on a screen can read it for ten minutes (`readable_secrets`). `text`: the one of a demo.
    """
    if not text:
        text = SECRET_PREFIX + (
            secrets.token_urlsafe(32) if command is None else derived_token(SECRET_SALT, command)
        )
    with transaction.atomic():
        stream = lock_sign_in_stream(client.device.facility)
        moment = clock.never_before(stream, clock.now())
        before = list(ClientSecret.objects.select_for_update().filter(client=client).order_by("number"))
        ended = [row for row in before if row.ends_at > moment + OVERLAP]
        for row in ended:
            row.ends_at = moment + OVERLAP
            row.save(update_fields=["ends_at"])
        secret = ClientSecret.objects.create(
            client=client,
            number=len(before) + 1,
            sha256=token_hash(text),
            made_at=moment,
            made_by=by,
            ends_at=moment + SECRET_LIFETIME,
            command=command,
        )
        client.may_make_secret = False
        client.save(update_fields=["may_make_secret"])
        entry = CLIENT_SECRET_MADE(
            name=client.device.name,
            number=secret.number,
            sha256=token_hash(text).hex(),
            ends_at=clock.format_moment(secret.ends_at),
            before=[row.number for row in ended],
            before_end_at=clock.format_moment(moment + OVERLAP),
        )
        append_sign_in(stream, entry, actor=by, device=client.device, moment=moment)
    return secret, text


def readable_secrets(person: Person, facility: str, now: dt.datetime) -> list[tuple[ClientSecret, str]]:
    """The secrets that this person made on a screen within ten minutes, and their texts."""
    made = ClientSecret.objects.filter(
        client__device__facility=facility, client__device__revoked_at=None, made_by=person,
        made_at__gt=now - READABLE_FOR, ends_at__gt=now, command__isnull=False,
    ).select_related("client__device").order_by("client__device__name")  # fmt: skip
    return readable(SECRET_SALT, ((secret, secret.command, secret.sha256) for secret in made), SECRET_PREFIX)


def bind(client: ApiClient, certificate_sha256: str, by: Person | None = None) -> None:
    """Let a client be accepted only with this certificate (SHA-256 in hex), or with none, and record it."""
    with transaction.atomic():
        stream = lock_sign_in_stream(client.device.facility)
        moment = clock.never_before(stream, clock.now())
        client.certificate_sha256 = certificate_sha256
        client.save(update_fields=["certificate_sha256"])
        entry = CLIENT_BOUND(name=client.device.name, certificate_sha256=certificate_sha256)
        append_sign_in(stream, entry, actor=by, device=client.device, moment=moment)


def has_certificate(client: ApiClient, presented: str) -> bool:
    """Whether a client shows the certificate to which it is bound. `presented`: SHA-256 in hex; "" for none."""
    bound_to = client.certificate_sha256
    if bound_to == NO_CERTIFICATE:
        return False
    return not bound_to or constant_time_compare(presented.lower(), bound_to)


# Tokens


@dataclass(frozen=True, slots=True)
class Granted:
    """A client whose secret or token is accepted now: the secret, and the scopes that it was granted.

    `sign_in`: the sign-in of a person at the machine that gave this token; "" for a token of the machine itself.
    """

    secret: ClientSecret
    scopes: frozenset[str]
    sign_in: str = ""

    @property
    def client(self) -> ApiClient:
        return self.secret.client


def client_of_secret(client_id: str, text: str) -> ClientSecret | None:
    """The secret with this text, if it is one of this client and is accepted now. Locks nothing."""
    key = _uuid(client_id)
    if key is None:
        return None
    return _accepted(client=key, sha256=token_hash(text))


def issue_token(secret: ClientSecret, scopes: Iterable[str], sign_in: str = "") -> str:
    """A signed token for these scopes. It is accepted for ten minutes, and no longer than its secret.

    `sign_in`: as in `Granted`.
    """
    return Signer(salt=TOKEN_SALT).sign_object(
        {
            "client": secret.client_id.hex,
            "secret": secret.number,
            "scopes": sorted(scopes),
            "until": int((clock.now() + TOKEN_LIFETIME).timestamp()),
            **({"sign_in": sign_in} if sign_in else {}),
        }
    )


def check_token(token: str) -> Granted | None:
    """Who has this token, if this server signed it, its time is not over, and its secret is accepted now.

    One statement; locks nothing. A scope that the client no longer has is not granted.
    """
    try:
        content: dict[str, Any] = Signer(salt=TOKEN_SALT).unsign_object(token)
    except (BadSignature, ValueError):
        return None
    if clock.now().timestamp() >= content["until"]:
        return None
    secret = _accepted(client=uuid.UUID(content["client"]), number=content["secret"])
    if secret is None:
        return None
    scopes = frozenset(content["scopes"]) & {*secret.client.scopes}
    return Granted(secret, scopes, content.get("sign_in", ""))


def is_accepted(secret: ClientSecret) -> bool:
    """Whether a secret is still accepted, read again: for a stream that is open longer than a request."""
    return _accepted(client=secret.client_id, number=secret.number) is not None


def accepted_ids(ids: Iterable[int]) -> set[int]:
    """Those of these secrets (primary keys) that are still accepted, in one statement."""
    secrets_ = ClientSecret.objects.filter(
        pk__in=list(ids),
        ends_at__gt=clock.now(),
        client__device__revoked_at=None,
        client__person__is_active=True,
    )
    return set(secrets_.values_list("pk", flat=True))


def note_reading_of_entries(client: ApiClient) -> None:
    """Record that a client reads entries, once a gaming day: an entry for each page would be more to read each time."""
    if _has_noted(client):
        return
    with transaction.atomic():
        stream = lock_sign_in_stream(client.device.facility)
        if not _has_noted(client):
            moment = clock.never_before(stream, clock.now())
            entry = CLIENT_READ_ENTRIES(name=client.device.name)
            append_sign_in(stream, entry, actor=client.person, device=client.device, moment=moment)


def _has_noted(client: ApiClient) -> bool:
    day = clock.gaming_day(client.device.facility, clock.now())
    rows = Entry.objects.filter(actor=client.person.code, type=CLIENT_READ_ENTRIES.name, gaming_day=day)
    return rows.exists()


def _accepted(**which: Any) -> ClientSecret | None:
    rows = ClientSecret.objects.select_related("client__device__person", "client__person").filter(**which)
    secret = rows.filter(client__device__revoked_at=None, client__person__is_active=True).first()
    return secret if secret is not None and clock.now() < secret.ends_at else None


def _uuid(text: str) -> uuid.UUID | None:
    try:
        return uuid.UUID(text)
    except ValueError:
        return None


def client_id(device: Device) -> str:
    """The id by which a client names itself."""
    return str(device.pk)

"""Passwords of people who sign in outside a floor tablet; and one-time passwords and PINs.

After two people allowed a one-time password or PIN (`allow_secret`), who approved it makes it while its person is
there, and reads it once, for ten minutes. Who asked for it never reads it. Its person uses it within a quarter of an
hour, to choose a password or a PIN of their own. A command of the server prints a one-time password too, which ends
after a day. Each is derived from a random id with a key of the server: no request, answer, log or row has it.
"""

import base64
import datetime as dt
import hashlib
import itertools
import uuid
from collections.abc import Iterator

from django.conf import settings
from django.contrib.auth.hashers import check_password, make_password
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.utils.crypto import constant_time_compare

from audit import clock, people, registration
from audit.entries import PasswordGiven
from audit.models import PIN_DIGITS, OneTimeSecret, Password, Person
from audit.one_time import READABLE_FOR, derived
from audit.registration import credential_digest

ONE_TIME_SALT = "pitside.one-time-password.v1"
ONE_TIME_PREFIX = "one-time$"
ONE_TIME_LENGTH = 20  # characters of base32: 100 bits
PRINTED_LIFETIME = dt.timedelta(hours=24)  # of one that a command of the server printed
LENGTH_MAX = 128  # so that nobody sends a megabyte to be hashed


def password_of(person: Person) -> Password | None:
    """The password of a person, also one whose time is over; None without one."""
    return Password.objects.filter(person=person).first()


def give_one_time(
    person: Person,
    command: uuid.UUID,
    moment: dt.datetime,
    by: Person | None,
    lifetime: dt.timedelta = PRINTED_LIFETIME,
) -> Password:
    """Put a one-time password in the place of whatever the person has. The caller records it and locks the sign-ins."""
    row, _created = Password.objects.update_or_create(
        person=person,
        defaults={
            "hash": _one_time_hash(next(_derived_passwords(command))),
            "set_at": moment,
            "ends_at": moment + lifetime,
            "given_by": by,
            "command": command,
        },
    )
    return row


def one_time_text(row: Password) -> str | None:
    """The one-time password of a row, as it is given to its person; None if the server's key has changed since."""
    if row.command is None:
        return None
    for text in _derived_passwords(row.command):
        if constant_time_compare(_one_time_hash(text), row.hash):
            return "-".join(text[start : start + 5] for start in range(0, ONE_TIME_LENGTH, 5))
    return None


def statement_of(row: Password) -> PasswordGiven:
    """What the record says of a one-time password."""
    assert row.ends_at is not None
    return {
        "code": row.person.code,
        "credential_sha256": credential_digest(row.person.code, row.hash),
        "ends_at": clock.format_moment(row.ends_at),
    }


def readable_by(person: Person, now: dt.datetime) -> list[Password]:
    """The one-time passwords that this person gave a moment ago, and that nobody has used yet."""
    rows = Password.objects.filter(given_by=person, ends_at__isnull=False, set_at__gt=now - READABLE_FOR)
    return list(rows.select_related("person"))


def is_right(row: Password | None, typed: str, now: dt.datetime) -> bool:
    """Whether this is the password. Takes as long without a row. Hash it in `people.hashing`, in no transaction."""
    typed = typed[:LENGTH_MAX]
    if row is None or (row.ends_at is not None and row.ends_at <= now):
        make_password(typed)
        return False
    if row.is_one_time:
        return constant_time_compare(_one_time_hash(_normalized(typed)), row.hash)
    return check_password(typed, row.hash)


def fingerprint(row: Password) -> str:
    """A digest by which a later step of a sign-in sees that the password is still the one that was right."""
    return hashlib.sha256(f"{row.pk} {row.set_at.isoformat()} {row.hash}".encode()).hexdigest()


def problems(password: str, person: Person) -> list[str]:
    """Why this cannot be the person's password, as sentences. Empty: it can."""
    if len(password) > LENGTH_MAX:
        return [f"This password is too long. Use at most {LENGTH_MAX} characters."]
    try:
        validate_password(password, person)
    except ValidationError as error:
        return list(error.messages)
    return []


def _derived_passwords(command: uuid.UUID) -> Iterator[str]:
    """The one-time password of an id under the current key of the server, then under each earlier one."""
    for key in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        yield base64.b32encode(derived(ONE_TIME_SALT, command.bytes, key)).decode()[:ONE_TIME_LENGTH]


def _one_time_hash(text: str) -> str:
    return ONE_TIME_PREFIX + hashlib.sha256(text.encode()).hexdigest()


def _normalized(typed: str) -> str:
    return typed.replace("-", "").replace(" ", "").upper()


# What two people allowed


ONE_TIME_PIN_SALT = "pitside.one-time-pin.v1"
SECRET_LIFETIME = dt.timedelta(minutes=15)
SecretKind = OneTimeSecret.Kind


def allow_secret(
    person: Person,
    kind: OneTimeSecret.Kind,
    asked_by: Person,
    approved_by: Person | None,
    moment: dt.datetime,
) -> None:
    """Let who approved it make a one-time secret of this person, in the place of any that was allowed before."""
    OneTimeSecret.objects.update_or_create(
        person=person,
        kind=kind,
        defaults={
            "asked_by": asked_by,
            "approved_by": approved_by,
            "allowed_at": moment,
            "made_at": None,
            "command": None,
        },
    )


def make_pin(allowed: OneTimeSecret, command: uuid.UUID, moment: dt.datetime) -> None:
    """Put the one-time PIN in the place of the person's PIN, and state the person on the record."""
    person = allowed.person
    person.set_pin(_derived_pin(command, settings.SECRET_KEY))
    person.pin_must_change, person.pin_ends_at = True, moment + SECRET_LIFETIME
    person.save(update_fields=["password", "pin_must_change", "pin_ends_at"])
    allowed.command, allowed.made_at = command, moment
    allowed.save(update_fields=["command", "made_at"])
    registration.record_person(person, allowed.approved_by)


def give_password(allowed: OneTimeSecret, command: uuid.UUID, moment: dt.datetime) -> Password:
    """Put a one-time password in the place of the person's password. The caller records it."""
    allowed.made_at = moment
    allowed.save(update_fields=["made_at"])
    return give_one_time(allowed.person, command, moment, allowed.approved_by, SECRET_LIFETIME)


def readable_pins(person: Person, facility: str, now: dt.datetime) -> list[tuple[Person, str]]:
    """The one-time PINs that this person made a moment ago and nobody has used yet, each with its person."""
    rows = OneTimeSecret.objects.filter(
        kind=SecretKind.PIN, approved_by=person, made_at__gt=now - READABLE_FOR, person__pin_must_change=True
    )
    pins = []
    for row in rows.select_related("person"):
        assert row.command is not None
        pin = _derived_pin(row.command, settings.SECRET_KEY)
        if row.person.belongs_to(facility) and check_password(pin, row.person.password):
            pins.append((row.person, pin))
    return pins


def _derived_pin(command: uuid.UUID, key: str) -> str:
    """The PIN of an id: six digits that nobody would try first."""
    for number in itertools.count():
        value = command.bytes + number.to_bytes(4, "big")
        digest = derived(ONE_TIME_PIN_SALT, value, key)
        pin = f"{int.from_bytes(digest, 'big') % 10**PIN_DIGITS:0{PIN_DIGITS}}"
        if not people.is_simple(pin):
            return pin
    raise AssertionError("unreachable")

"""One-time PINs and passwords: after two people allowed one, who approved it makes it while its person is there.

Who asked for it never reads it. Who approved it reads it once, for ten minutes; and its person uses it within a quarter
of an hour, to choose a PIN or a password of their own. A PIN is derived from a random id with a key of the server, as
one-time passwords are (`audit/passwords.py`): no request, answer, log or row has it.
"""

import datetime as dt
import itertools
import uuid

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.utils.crypto import salted_hmac

from audit import passwords, people, registration
from audit.models import PIN_DIGITS, OneTimeSecret, Password, Person

SALT = "pitside.one-time-pin.v1"
LIFETIME = dt.timedelta(minutes=15)
READABLE_FOR = dt.timedelta(minutes=10)
Kind = OneTimeSecret.Kind


def allow(
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
    person.set_pin(_derived(command, settings.SECRET_KEY))
    person.pin_must_change, person.pin_ends_at = True, moment + LIFETIME
    person.save(update_fields=["password", "pin_must_change", "pin_ends_at"])
    allowed.command, allowed.made_at = command, moment
    allowed.save(update_fields=["command", "made_at"])
    registration.record_person(person, allowed.approved_by)


def give_password(allowed: OneTimeSecret, command: uuid.UUID, moment: dt.datetime) -> Password:
    """Put a one-time password in the place of the person's password. The caller records it."""
    allowed.made_at = moment
    allowed.save(update_fields=["made_at"])
    return passwords.give_one_time(allowed.person, command, moment, allowed.approved_by, LIFETIME)


def readable_pins(person: Person, facility: str, now: dt.datetime) -> list[tuple[Person, str]]:
    """The one-time PINs that this person made a moment ago and nobody has used yet, each with its person."""
    rows = OneTimeSecret.objects.filter(
        kind=Kind.PIN, approved_by=person, made_at__gt=now - READABLE_FOR, person__pin_must_change=True
    )
    pins = []
    for row in rows.select_related("person"):
        assert row.command is not None
        pin = _derived(row.command, settings.SECRET_KEY)
        if row.person.belongs_to(facility) and check_password(pin, row.person.password):
            pins.append((row.person, pin))
    return pins


def _derived(command: uuid.UUID, key: str) -> str:
    """The PIN of an id: six digits that nobody would try first."""
    for number in itertools.count():
        value = command.bytes + number.to_bytes(4, "big")
        digest = salted_hmac(SALT, value, secret=key, algorithm="sha256").digest()
        pin = f"{int.from_bytes(digest, 'big') % 10**PIN_DIGITS:0{PIN_DIGITS}}"
        if not people.is_simple(pin):
            return pin
    raise AssertionError("unreachable")

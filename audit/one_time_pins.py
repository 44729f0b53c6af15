"""One-time PINs: after two people allowed one, who asked for it makes it, reads it, and hands it over.

It is derived from a random id with a key of the server, as one-time passwords are (`audit/passwords.py`): no request,
answer, log or row has it. It is made once. Who made it can read it for ten minutes, and its person can use it for a
day, to choose a PIN of their own at a sign-in.
"""

import datetime as dt
import itertools
import uuid

from django.conf import settings
from django.contrib.auth.hashers import check_password
from django.utils.crypto import salted_hmac

from audit import people, registration
from audit.models import PIN_DIGITS, OneTimePin, Person

SALT = "pitside.one-time-pin.v1"
LIFETIME = dt.timedelta(hours=24)
READABLE_FOR = dt.timedelta(minutes=10)


def allow(person: Person, asked_by: Person, moment: dt.datetime) -> None:
    """Let somebody make a one-time PIN of this person, in the place of any that was allowed before."""
    OneTimePin.objects.update_or_create(
        person=person,
        defaults={"asked_by": asked_by, "allowed_at": moment, "made_at": None, "command": None},
    )


def make(allowed: OneTimePin, command: uuid.UUID, moment: dt.datetime) -> None:
    """Put the one-time PIN in the place of the person's PIN, and state the person on the record."""
    person = allowed.person
    person.set_pin(_derived(command, settings.SECRET_KEY))
    person.pin_must_change, person.pin_ends_at = True, moment + LIFETIME
    person.save(update_fields=["password", "pin_must_change", "pin_ends_at"])
    allowed.command, allowed.made_at = command, moment
    allowed.save(update_fields=["command", "made_at"])
    registration.record_person(person, allowed.asked_by)


def readable_by(person: Person, facility: str, now: dt.datetime) -> list[tuple[Person, str]]:
    """The one-time PINs that this person made a moment ago and nobody has used yet, each with its person."""
    rows = OneTimePin.objects.filter(asked_by=person, made_at__gt=now - READABLE_FOR)
    pins = []
    for row in rows.filter(person__pin_must_change=True).select_related("person"):
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

"""What the record states about each person: name, role, department, facility, and a digest of the stored PIN hash.

Without such an entry nobody would notice that a superuser of the database changed a role or put another PIN under a
name. `manage.py record_people` states every person whose row is new or changed; a verification compares the rows with
the newest statements (`people_record_checks.py`).

The digest is SHA-256 over the person's code and the stored hash of the PIN, which contains a random salt of over 120
bits. So the record and its exports help nobody to guess a PIN of six digits: that takes the salt, which only the
database has, and who has the database has the hash itself. No key is involved that could be lost or rotated.
"""

import hashlib
import json
from collections.abc import Iterable
from typing import cast

from django.db import transaction

from audit import clock, record
from audit.devices import append_sign_in, lock_sign_in_stream
from audit.entries import PERSON_RECORDED, LeaveReasonCode, PersonRecorded
from audit.models import Entry, Person, Stream

SIGN_IN = "/sign-in"
DIGEST_TAG = "pitside person 1"
Statements = dict[
    tuple[str, str], tuple[str, int, PersonRecorded]
]  # stream, number and data by facility and code


def statement_of(person: Person) -> PersonRecorded:
    """State a person's row as it is now. What nobody set is left out, as in statements from before the field."""
    statement: PersonRecorded = {
        "active": person.is_active,
        "code": person.code,
        "credential_sha256": credential_digest(person.code, person.password),
        "department": person.department,
        "licence": person.licence,
        "name": person.name,
        "role": person.role,
        "works_in": person.facility,
    }
    if person.badge:
        statement["badge"] = person.badge
    if person.licence_ends_on:
        statement["licence_ends_on"] = person.licence_ends_on.isoformat()
    if person.leave_from:
        statement["leave_from"] = person.leave_from.isoformat()
        statement["leave_reason"] = cast(LeaveReasonCode, person.leave_reason)
    if person.leave_until:
        statement["leave_until"] = person.leave_until.isoformat()
    if person.pin_must_change:
        statement["pin_must_change"] = True
    if person.pin_ends_at:
        statement["pin_ends_at"] = clock.format_moment(person.pin_ends_at)
    return statement


def credential_digest(code: str, pin_hash: str) -> str:
    """The digest (hex) of a stored PIN hash, bound to its person's code."""
    return hashlib.sha256(f"{DIGEST_TAG}\0{code}\0{pin_hash}".encode()).hexdigest()


def newest_statements() -> Statements:
    """The newest statement about each person, by facility and code. An entry that cannot be read is passed over."""
    statements: Statements = {}
    entries = Entry.objects.filter(type=PERSON_RECORDED.name, stream__name__contains=SIGN_IN)
    rows = entries.order_by("stream", "seq").values_list("stream__name", "seq", "body")
    for stream, seq, body in rows.iterator(chunk_size=1000):
        try:
            data = json.loads(bytes(body))["data"]
            data.pop("by_operator", None)  # of the entry, not of the person
            statements[stream.partition("/")[0], data["code"]] = (stream, seq, cast(PersonRecorded, data))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    return statements


def facilities_of(person: Person, facilities: Iterable[str]) -> list[str]:
    """The facilities on whose stream a person is stated: their own, or every one for somebody who works in all."""
    return [person.facility] if person.facility else list(facilities)


def facilities_on_record() -> list[str]:
    """The codes of the facilities that have a stream of sign-ins."""
    names = Stream.objects.filter(name__endswith=SIGN_IN).order_by("name").values_list("name", flat=True)
    return [name.partition("/")[0] for name in names if name != record.INSTALLATION]


def record_people(by: Person | None = None) -> list[Person]:
    """State every person who is new on the record or differs from the newest statement. Returns them.

    `by` is the person who answers for the changes; None where a command of the server does.
    """
    statements, facilities, recorded = newest_statements(), facilities_on_record(), []
    for person in Person.objects.order_by("code"):
        for facility in facilities_of(person, facilities):
            if statements.get((facility, person.code), ("", 0, None))[2] != statement_of(person):
                _append(facility, person, by)
                recorded.append(person)
    return list(dict.fromkeys(recorded))


def record_person(person: Person, by: Person | None = None, witness: Person | None = None) -> None:
    """State a person who was added or changed, on the stream of each facility where they work."""
    for facility in facilities_of(person, facilities_on_record()):
        _append(facility, person, by, witness)


def record_new_hash(person: Person, pin_hash_before: str) -> None:
    """State that a sign-in hashed the same PIN again, because the hasher of the software changed.

    Only where the record stated the hash before: a hash that somebody put there must not become a stated one.
    """
    digest = credential_digest(person.code, pin_hash_before)
    for (facility, code), (_stream, _seq, data) in newest_statements().items():
        if code == person.code and data.get("credential_sha256") == digest:
            _append(facility, person, person)


def _append(facility: str, person: Person, by: Person | None, witness: Person | None = None) -> None:
    with transaction.atomic():
        stream = lock_sign_in_stream(facility)
        moment = clock.never_before(stream, clock.now())
        statement = statement_of(person)
        if by is None:
            statement["by_operator"] = True
        entry = PERSON_RECORDED(statement)
        append_sign_in(stream, entry, actor=by, witness=witness, moment=moment)

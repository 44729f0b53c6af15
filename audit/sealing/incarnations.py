"""Incarnations of the record: the first opens by itself; after a restored backup, two people declare the next.

A declaration is recorded on `installation/system` with the last known state of the previous log. It sends the signal
`incarnation_declared` in its transaction, with `incarnation`, `at`, `actor` and `witness`, so that halted tables
resume.
"""

import datetime as dt

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.dispatch import Signal

from audit import clock, notes
from audit.entries import INCARNATION_DECLARED, INCARNATION_OPENED, IncarnationDeclared
from audit.errors import AuditRefusal, SamePerson, WrongPin
from audit.models import Department, Incarnation, Person
from audit.people import person_by_code
from audit.refusal_codes import RefusalCode
from audit.sealing import system
from audit.sealing.log import Log, current_incarnation
from audit.sealing.state import State

incarnation_declared = Signal()
WHY_LENGTH_MAX = 500


DEPARTMENTS = RefusalCode(
    "declaration-departments", "The two people who declare must be from different departments."
)
COMPLIANCE = RefusalCode(
    "declaration-compliance", "One of the two people who declare must be from compliance."
)
WHY = RefusalCode("declaration-why", "Give a reason of at most %(most)s characters.")
NOTE = RefusalCode("declaration-note", "This file is not a signed checkpoint.")


class DeclarationRefused(AuditRefusal):
    """A declaration was refused. The code says why."""

    code = RefusalCode("declaration-refused", "A new incarnation cannot be declared like this.")


def current_number() -> int:
    """The number of the current incarnation: 1 before the first sealer."""
    return Incarnation.objects.aggregate(newest=Max("number"))["newest"] or 1


def origin_of(number: int) -> str:
    """The name of an incarnation's log, which is the first line of each of its checkpoints."""
    return f"{settings.LOG_ORIGIN}/{number}"


def open_first() -> Incarnation:
    """Create the first incarnation and record it."""
    with transaction.atomic():
        moment = clock.now()
        system.write(INCARNATION_OPENED({"number": 1, "origin": origin_of(1)}), moment)
        return Incarnation.objects.create(number=1, origin=origin_of(1), opened_at=moment)


def is_declared(incarnation: Incarnation) -> bool:
    """Whether the record has an entry that declares this incarnation."""
    declared = system.entries(INCARNATION_DECLARED.name).values_list("body", flat=True)
    pattern = b'"number":%d,"origin":"%b"' % (incarnation.number, incarnation.origin.encode())
    return any(pattern in bytes(body) for body in declared)


def authenticate(code: str, pin: str) -> Person:
    """The active person with this code and PIN. Raises WrongPin."""
    person = person_by_code(code)
    if person is None or not person.check_password(pin) or not person.is_active:
        raise WrongPin()
    return person


def declare(actor: Person, witness: Person, why: str, state: State | None, signed: str = "") -> Incarnation:
    """Declare the next incarnation. The caller has authenticated both people.

    `state` is the state in the sealer's folder, or None. If the folder is lost, `signed` is the note of a checkpoint
    from a witness or a copy. Raises SamePerson, and DeclarationRefused: DEPARTMENTS, COMPLIANCE, WHY or
    NOTE.
    """
    verify_declarers(actor, witness)
    why = verified_reason(why)
    last = signed or (state.signed if state else "")
    with transaction.atomic():
        moment = clock.now()
        before = current_incarnation()
        number = 1 + max(before.number if before else 0, state.incarnation if state else 0, _number_in(last))
        newest = Log(before).newest() if before else None
        after = {"found": newest.note if newest else None, "signed": last or None}
        data: IncarnationDeclared = {
            "number": number,
            "origin": origin_of(number),
            "why": why,
            "found": after["found"],
            "signed": after["signed"],
        }
        system.write(INCARNATION_DECLARED(data), moment, actor, witness)
        incarnation = _create(number, moment, why, actor, witness, after)
        incarnation_declared.send(
            Incarnation, incarnation=incarnation, at=moment, actor=actor, witness=witness
        )
        return incarnation


def _create(
    number: int, moment: dt.datetime, why: str, actor: Person, witness: Person, after: dict[str, str | None]
) -> Incarnation:
    return Incarnation.objects.create(
        number=number,
        origin=origin_of(number),
        opened_at=moment,
        why=why,
        opened_by=actor,
        opened_with=witness,
        after=after,
    )


def verified_reason(why: str) -> str:
    """The reason of a declaration in one line. Raises DeclarationRefused(WHY) if it is empty or too long."""
    why = " ".join(why.split())
    if not why or len(why) > WHY_LENGTH_MAX:
        raise DeclarationRefused(WHY, most=WHY_LENGTH_MAX)
    return why


def verify_declarers(actor: Person, witness: Person) -> None:
    """Check that two people may declare something about the record: of two departments, one of them compliance.

    Raises SamePerson, and DeclarationRefused: DEPARTMENTS or COMPLIANCE.
    """
    if actor.pk == witness.pk:
        raise SamePerson(person=actor.code)
    departments = {actor.department, witness.department}
    if len(departments) == 1:
        raise DeclarationRefused(DEPARTMENTS)
    if Department.COMPLIANCE not in departments:
        raise DeclarationRefused(COMPLIANCE)


def _number_in(note: str) -> int:
    """The incarnation's number in a checkpoint's origin; 0 if there is no note or it is from another log."""
    if not note:
        return 0
    try:
        origin = notes.Checkpoint.read(notes.Note.read(note).text).origin
    except notes.Malformed as error:
        raise DeclarationRefused(NOTE) from error
    base, _slash, number = origin.rpartition("/")
    return int(number) if base == settings.LOG_ORIGIN and number.isdecimal() else 0

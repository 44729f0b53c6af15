"""Incarnations of the record: the first opens by itself; after a restored backup, two people declare the next.

A declaration holds for the log of each facility. It is recorded on `installation/system`, which is in every
facility's bundles: with the last known state of the previous first log, and digests of those of the others. It sends
the signal `incarnation_declared` in its transaction, with `incarnation`, `at`, `actor` and `witness`, so that halted
tables resume.
"""

import datetime as dt
import hashlib
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import Max
from django.dispatch import Signal

from audit import chain, clock, notes
from audit.entries import INCARNATION_DECLARED, INCARNATION_OPENED, IncarnationDeclared
from audit.models import Checkpoint, Department, Incarnation, Person
from audit.refusals import AuditRefusal, RefusalCode, SamePerson
from audit.sealing import system
from audit.sealing.log import current_incarnation, logs_of
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
    """The name of an incarnation's first log, which is the first line of each of its checkpoints."""
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


def declare(
    actor: Person,
    witness: Person,
    why: str,
    states: Mapping[str, State] = MappingProxyType({}),
    signed: Sequence[str] = (),
) -> Incarnation:
    """Declare the next incarnation of every log. The caller has authenticated both people.

    `states` are those of the logs in the sealer's folder, by facility; "" is the first log. If the folder is lost, each
    of `signed` is the note of a checkpoint from a witness or a copy. Raises SamePerson, and DeclarationRefused:
    DEPARTMENTS, COMPLIANCE, WHY or NOTE.
    """
    verify_declarers(actor, witness)
    why = verified_reason(why)
    last = {facility: saved.signed for facility, saved in states.items()}
    checkpoints = [_log_of(note) for note in [*last.values(), *signed] if note]
    last |= {facility: note for note in signed if note for facility in [_log_of(note)[0]]}
    with transaction.atomic():
        moment = clock.now()
        before = current_incarnation()
        numbers = [saved.incarnation for saved in states.values()] + [number for _, number in checkpoints]
        number = 1 + max([before.number if before else 0, *numbers])
        newest = {log.facility: log.newest() for log in logs_of(before)} if before else {}
        facilities = sorted({"", *newest, *last})
        ends = {facility: _log_end(newest.get(facility), last.get(facility)) for facility in facilities}
        first = ends.pop("")
        others = {facility: end for facility, end in ends.items() if end["found"] or end["signed"]}
        after: dict[str, Any] = {**first, **({"logs": others} if others else {})}
        data: IncarnationDeclared = {
            "number": number,
            "origin": origin_of(number),
            "why": why,
            "found": first["found"],
            "signed": first["signed"],
        }
        if others:
            data["other_logs"] = sorted(map(_digest, others.values()))
        system.write(INCARNATION_DECLARED(data), moment, actor, witness)
        incarnation = _create(number, moment, why, actor, witness, after)
        incarnation_declared.send(
            Incarnation, incarnation=incarnation, at=moment, actor=actor, witness=witness
        )
        return incarnation


def _log_end(newest: Checkpoint | None, signed: str | None) -> dict[str, str | None]:
    """The state of a log at a declaration: its last checkpoint in the database, and the last one that was signed."""
    return {"found": newest.note if newest else None, "signed": signed or None}


def _digest(end: dict[str, str | None]) -> str:
    """What the declaration says of a log that its other readers must not know. The signatures make it unguessable."""
    return hashlib.sha256(chain.canonical(end)).hexdigest()


def _create(
    number: int, moment: dt.datetime, why: str, actor: Person, witness: Person, after: dict[str, Any]
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


def _log_of(note: str) -> tuple[str, int]:
    """The facility ("": the first log) and incarnation of a checkpoint's log. The number is 0 if it is not ours."""
    try:
        origin = notes.Checkpoint.read(notes.Note.read(note).text).origin
    except notes.Malformed as error:
        raise DeclarationRefused(NOTE) from error
    name, _slash, number = origin.rpartition("/")
    if not number.isdecimal() or not f"{name}/".startswith(f"{settings.LOG_ORIGIN}/"):
        return "", 0
    return name.removeprefix(settings.LOG_ORIGIN).removeprefix("/"), int(number)

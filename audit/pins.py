"""Count wrong PINs for each device and each person, and lock out those that reach a limit (docs/security.md).

- A person at one device: few, so that a colleague's PIN cannot be guessed there. Other devices still accept the person.
- A device: more, of whatever people, so that nobody tries one PIN with many codes.
- A person at all devices together: most, so that this needs several devices, each of which has called the floor before.
  It never locks a person out of the device where they are signed in.

The server's terminal, where commands ask for PINs, counts like one more device (None). What counts and what is locked
ends after `SPAN`. Callers hold the lock of the facility's sign-in stream, so that two
PINs at once cannot both be the last one allowed.
"""

import datetime as dt

from django.db.models import Q, QuerySet

from audit.models import Device, Lockout, Person, WrongPin

SPAN = dt.timedelta(minutes=15)
Scope = Lockout.Scope
MAX_WRONG = {Scope.PERSON_AT_DEVICE: 5, Scope.DEVICE: 10, Scope.PERSON: 20}


def active_lockouts(now: dt.datetime) -> QuerySet[Lockout]:
    """The lock-outs that have neither passed nor been ended by a supervisor."""
    return Lockout.objects.filter(ends_at__gt=now, unlocked_at=None)


def is_locked_out(device: Device | None, person: Person | None, now: dt.datetime) -> bool:
    """Whether no PIN is accepted at this device from this person (None: from an unknown code)."""
    locked = Q(scope=Scope.DEVICE, device=device)
    if person is not None:
        locked |= Q(scope=Scope.PERSON_AT_DEVICE, device=device, person=person)
        if device is None or device.person_id != person.pk:
            locked |= Q(scope=Scope.PERSON, person=person)
    return active_lockouts(now).filter(locked).exists()


def count_wrong_pin(
    device: Device | None,
    person: Person | None,
    signed_in: Person | None,
    now: dt.datetime,
    facility: str = "",
) -> list[Lockout]:
    """Count one wrong PIN. Return the lock-outs that it starts. `facility`: of one typed at the server's terminal."""
    WrongPin.objects.filter(typed_at__lte=now - SPAN).delete()
    WrongPin.objects.create(device=device, person=person, typed_at=now)
    scopes = [scope for scope in MAX_WRONG if scope == Scope.DEVICE or person is not None]
    lockouts = []
    for scope in scopes:
        locked_person = None if scope == Scope.DEVICE else person
        if _wrong_pins(scope, device, locked_person, now) < MAX_WRONG[scope]:
            continue
        if _lockouts(scope, device, locked_person).filter(ends_at__gt=now, unlocked_at=None).exists():
            continue
        lockouts.append(
            Lockout.objects.create(
                scope=scope,
                facility=device.facility if device is not None else facility,
                device=device,
                person=locked_person,
                signed_in=signed_in,
                started_at=now,
                ends_at=now + SPAN,
            )
        )
    return lockouts


def last_try_scope(device: Device | None, person: Person | None, now: dt.datetime) -> Lockout.Scope | None:
    """What the next wrong PIN of this person at this device locks: the device, the person there, or None: nothing."""
    if _wrong_pins(Scope.DEVICE, device, None, now) == MAX_WRONG[Scope.DEVICE] - 1:
        return Scope.DEVICE
    if (
        person is not None
        and _wrong_pins(Scope.PERSON_AT_DEVICE, device, person, now) == MAX_WRONG[Scope.PERSON_AT_DEVICE] - 1
    ):
        return Scope.PERSON_AT_DEVICE
    return None


def forgive(device: Device | None, person: Person) -> None:
    """Forget a person's wrong PINs at this device: the right one shows that they were slips."""
    WrongPin.objects.filter(device=device, person=person).delete()


def _wrong_pins(scope: Lockout.Scope, device: Device | None, person: Person | None, now: dt.datetime) -> int:
    """How many wrong PINs count, from the newest that a supervisor has forgiven by unlocking."""
    unlocked = _lockouts(scope, device, person).filter(unlocked_at__isnull=False)
    since = unlocked.order_by("unlocked_at").values_list("unlocked_at", flat=True).last()
    typed = WrongPin.objects.filter(typed_at__gt=max(now - SPAN, since) if since else now - SPAN)
    if scope != Scope.PERSON:
        typed = typed.filter(device=device)
    return (typed if person is None else typed.filter(person=person)).count()


def _lockouts(scope: Lockout.Scope, device: Device | None, person: Person | None) -> QuerySet[Lockout]:
    lockouts = Lockout.objects.filter(scope=scope, person=person)
    return lockouts if scope == Scope.PERSON else lockouts.filter(device=device)

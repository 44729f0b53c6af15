"""Lock-outs after wrong PINs: the alert that somebody guesses, and how a supervisor ends one before its time.

Sign-in counts wrong PINs of a person at a device, at a whole device and of a person anywhere, and locks each out for
fifteen minutes (`audit.people`). The tables that must know have an alert (`guessed_pins`). Once the person has been
asked who typed the wrong PINs, a supervisor may unlock (`unlock_pins`): not the locked one, nor one who was signed in
there. After the number of the policy (row `unlocks`) an unlock takes a person of another department too.
"""

import datetime as dt
from typing import Annotated, Any

from django.db.models import Q

from audit import clock, people
from audit.columns import AT, DEVICE, FACILITY, UNSTATED, Body, Rows, constant, declare
from audit.entries import DEVICE_LOCKED_OUT, PERSON_LOCKED_OUT
from audit.entry_types import ABSENT, entry_type
from audit.models import Lockout, Person
from games.act_forms import whole
from games.engine import Refusal, RefusalCode
from games.facility_runner import may_not_prepare
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
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act

# Refusals

NO_SUCH_LOCKOUT = RefusalCode(
    "no-such-lockout",
    "This lock-out has already ended. Reload the page.",
    "Already unlocked",
)
YOUR_OWN_LOCKOUT = RefusalCode(
    "your-own-lockout",
    "You cannot unlock your own PIN. Ask another supervisor.",
    "Another supervisor needed",
)
TYPED_WHERE_YOU_ARE_SIGNED_IN = RefusalCode(
    "typed-where-you-are-signed-in",
    "The wrong PINs were typed while you were signed in at %(device)s. Ask another supervisor to unlock.",
    "Another supervisor needed",
)
UNLOCK_TAKES_TWO = RefusalCode(
    "unlock-takes-two",
    "This person or device was unlocked %(times)s times within %(time)s. Another unlock needs the PIN of a "
    "second person, who is not the locked one: %(who)s.",
    "This takes two",
)


# What the record says


@entry_type("pins.unlocked")
def PINS_UNLOCKED(
    *,
    device: Annotated[str | None, "name of the device; null where a person was locked out at every device"],
    lockout: Annotated[int, "id of the lock-out"],
    person: Annotated[str | None, "code of the person; null where a device accepted nobody's PIN"],
    since: Annotated[str, "when the lock-out began"],
    times: Annotated[
        int, "so many unlocks of this person or device in a day, with this one; absent in older entries"
    ] = ABSENT,
) -> str:
    """A supervisor ended a lock-out after wrong PINs before its time."""
    if device is None:
        return f"Unlocked: {person} at every device"
    return f"Unlocked: {person} at {device}" if person else f"Unlocked: {device}"


PERSON_SCOPES = ("person-at-device", "person")


def locked_out(rows: Rows, body: Body) -> None:
    data = body["data"]
    person = data.get("code")
    scope = "device" if person is None else PERSON_SCOPES[bool(data.get("everywhere"))]
    key = scope, body["device"], person, body["at"]
    rows.memory[scope, person or data["name"], body["at"]] = key
    rows.remove(*key)
    # An entry of before the field says nothing of who was signed in.
    signed_in: Any = data.get("signed_in") if "ends_at" in data else UNSTATED
    rows.put(
        body,
        *key,
        facility=FACILITY(body),
        ends_at=data.get("ends_at", UNSTATED),
        signed_in=signed_in,
        unlocked_at=None,
    )


def unlocked(rows: Rows, body: Body) -> None:
    data = body["data"]
    person, device = data["person"], data["device"]
    scope = "device" if person is None else PERSON_SCOPES[device is None]
    key = rows.memory.pop((scope, person or device, data["since"]), None)
    if key is not None:
        rows.put(body, *key, unlocked_at=body["at"])


declare(
    Lockout,
    "lock-out",
    key={"scope": constant(None), "device": DEVICE, "person": "code", "started_at": AT},
    folded={DEVICE_LOCKED_OUT: locked_out, PERSON_LOCKED_OUT: locked_out, PINS_UNLOCKED: unlocked},
    folded_columns=("facility", "ends_at", "signed_in", "unlocked_at"),
    unproven={"read_at": "when its person was told of the wrong PINs; an entry says so"},
)


# Ending a lock-out

UNLOCKS = "unlocks"  # the row of the policy
SUPERVISORS = policy.roles_of(UNLOCKS, "prepare")


@facility_act(STAFF, roles=SUPERVISORS, witness=True)
def unlock_pins(ctx: FacilityContext, *, lockout_id: Annotated[int, whole(1, 2**53)]) -> ActOutcome:
    """End a lock-out of this facility before its time. Wrong PINs are counted from zero again.

    Neither the locked person nor a person who was signed in where a second signature was guessed unlocks or signs:
    people who guess PINs must not give themselves more tries. Unlocks of the same person or at the same device are
    counted; after the number of the policy a person of another department signs.

    Raises `no-such-lockout`, `your-own-lockout`, `typed-where-you-are-signed-in` or `unlock-takes-two`; as Forbidden,
    `may-not-prepare`.
    """
    row = policy.row_of(ctx.facility.law, UNLOCKS)
    if not policy.may_prepare(row, ctx.actor):
        raise may_not_prepare(row, ctx.actor)
    active = (
        people.active_lockouts(clock.now()).select_for_update(of=("self",)).select_related("device", "person")
    )
    lockout = active.filter(facility=ctx.facility.code, pk=lockout_id).first()
    if lockout is None:
        raise Refusal(NO_SUCH_LOCKOUT)
    if lockout.person_id == ctx.actor.pk:
        raise Refusal(YOUR_OWN_LOCKOUT)
    if lockout.signed_in_id == ctx.actor.pk:
        raise Refusal(TYPED_WHERE_YOU_ARE_SIGNED_IN, device=lockout.where)
    times = unlocks_before(ctx.facility, lockout, ctx.now) + 1
    if times > row.free_count and not _is_signed(ctx, lockout):
        time, who = policy.free_time_in_words(row), policy.in_words(row.approve)
        raise Refusal(UNLOCK_TAKES_TWO, row.section, times=row.free_count, time=time, who=who)
    lockout.unlocked_at = ctx.now
    lockout.save(update_fields=["unlocked_at"])
    entry = PINS_UNLOCKED(
        lockout=lockout.pk,
        person=lockout.person.code if lockout.person else None,
        device=lockout.where if lockout.scope != Lockout.Scope.PERSON else None,
        since=clock.format_moment(lockout.started_at),
        times=times,
    )
    return ActOutcome(entry, {"lockout": lockout.pk}, changes="nothing")


def takes_two(facility: Facility, lockout: Lockout, now: dt.datetime) -> bool:
    """Whether this lock-out is ended only together with a person of another department."""
    row = policy.row_of(facility.law, UNLOCKS)
    return unlocks_before(facility, lockout, now) >= row.free_count


def unlocks_before(facility: Facility, lockout: Lockout, now: dt.datetime) -> int:
    """How many lock-outs of the same person or at the same device were ended early within the time of the policy."""
    minutes = policy.row_of(facility.law, UNLOCKS).free_minutes
    same = Q(device=lockout.device, facility=facility.code)
    if lockout.person_id is not None:
        same |= Q(person=lockout.person)
    unlocked = Lockout.objects.filter(same, unlocked_at__gt=now - dt.timedelta(minutes=minutes))
    return unlocked.exclude(pk=lockout.pk).count()


def may_sign_unlock(facility: Facility, person: Person) -> bool:
    """Whether the person signs the end of a lock-out as the second one."""
    return policy.may_sign(policy.row_of(facility.law, UNLOCKS), person)


def _is_signed(ctx: FacilityContext, lockout: Lockout) -> bool:
    signer = ctx.witness
    if signer is None or signer.pk in (lockout.person_id, lockout.signed_in_id):
        return False
    return signer.department != ctx.actor.department and may_sign_unlock(ctx.facility, signer)


# Alerts about PINs that are being guessed

PIN_TICKS = 5
GUESSED_PINS = {
    people.Scope.PERSON_AT_DEVICE: AlertKind(
        "pins-guessed",
        "pins:person-at-device:{cause}",
        Level.WARN,
        "PINs being guessed",
        "A PIN is being guessed",
        "Five wrong PINs of %(person)s at %(device)s, which now refuses %(person)s for fifteen minutes. Find out "
        "who typed them. A supervisor can unlock on the staff page.",
        is_everywhere=True,
    ),
    people.Scope.DEVICE: AlertKind(
        "pins-guessed",
        "pins:device:{cause}",
        Level.WARN,
        "PINs being guessed",
        "PINs are being guessed",
        "Ten wrong PINs at %(device)s, which now accepts none for fifteen minutes. Go there and find out who typed "
        "them. A supervisor can unlock on the staff page.",
        is_everywhere=True,
    ),
    people.Scope.PERSON: AlertKind(
        "pins-guessed",
        "pins:person:{cause}",
        Level.WARN,
        "PINs being guessed",
        "A PIN is being guessed",
        "Twenty wrong PINs of %(person)s at several devices, the last at %(device)s. All refuse %(person)s "
        "for fifteen minutes. Find out who typed them. A supervisor can unlock on the staff page.",
        is_everywhere=True,
    ),
}


def guessed_pins(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the lock-outs at the tables that must know: all of the facility that are not closed, or all live ones.

    A dealer's slips at the tablet of a table are that table's own concern. A podium, a whole device, or a person at
    several devices concern the floor.
    """
    alerts = []
    for lockout in people.active_lockouts(now).select_related("device", "person").order_by("pk"):
        kind = GUESSED_PINS[people.Scope(lockout.scope)]
        params = {"device": lockout.where}
        if lockout.person is not None:
            params["person"] = lockout.person.name
        is_of_table = lockout.device is not None and lockout.scope == people.Scope.PERSON_AT_DEVICE
        place = lockout.device.place if lockout.device is not None and is_of_table else ""
        alerts += [
            kind.expected(pk, cause=lockout.pk, since=lockout.started_at, **params)
            for pk in tables_concerned(lockout.facility, place)
            if table_id in (None, pk)
        ]
    return alerts


alert_rule(AlertRule(tuple(GUESSED_PINS.values()), guessed_pins, PIN_TICKS))

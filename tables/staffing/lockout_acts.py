"""A supervisor ends a lock-out early: once the person has been asked who typed the wrong PINs."""

import datetime as dt
from typing import Annotated

from django.db.models import Q

from audit import clock, pins
from audit.models import Lockout, Person
from games.act_forms import whole
from games.engine import Refusal
from games.facility_runner import may_not_prepare
from games.models import Facility
from games.separation import policy
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.entry_types import PINS_UNLOCKED, PinsUnlocked
from tables.staffing.refusals import (
    NO_SUCH_LOCKOUT,
    TYPED_WHERE_YOU_ARE_SIGNED_IN,
    UNLOCK_TAKES_TWO,
    YOUR_OWN_LOCKOUT,
)

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
        pins.active_lockouts(clock.now()).select_for_update(of=("self",)).select_related("device", "person")
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
    data: PinsUnlocked = {
        "lockout": lockout.pk,
        "person": lockout.person.code if lockout.person else None,
        "device": lockout.where if lockout.scope != Lockout.Scope.PERSON else None,
        "since": clock.format_moment(lockout.started_at),
        "times": times,
    }
    return ActOutcome(PINS_UNLOCKED(data), {"lockout": lockout.pk}, changes="nothing")


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

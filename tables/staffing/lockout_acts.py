"""A supervisor ends a lock-out early: once the person has been asked who typed the wrong PINs."""

from audit import clock, pins
from audit.models import Lockout
from games.engine import Refusal
from games.params import Params
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.entry_types import PINS_UNLOCKED, PinsUnlocked
from tables.staffing.refusals import NO_SUCH_LOCKOUT, TYPED_WHERE_YOU_ARE_SIGNED_IN, YOUR_OWN_LOCKOUT

SUPERVISORS = frozenset({"casino-supervisor", "pit-manager", "shift-manager"})


@facility_act(STAFF, roles=SUPERVISORS)
def unlock_pins(ctx: FacilityContext, params: Params) -> ActOutcome:
    """End a lock-out of this facility before its time. Wrong PINs are counted from zero again.

    The locked person never does it, nor a person who was signed in where a second signature was guessed: people who
    guess PINs must not give themselves more tries. Raises `no-such-lockout`, `your-own-lockout` or
    `typed-where-you-are-signed-in`.
    """
    pk = params.integer("lockout", 1, 2**53)
    active = (
        pins.active_lockouts(clock.now()).select_for_update(of=("self",)).select_related("device", "person")
    )
    lockout = active.filter(facility=ctx.facility.code, pk=pk).first()
    if lockout is None:
        raise Refusal(NO_SUCH_LOCKOUT)
    if lockout.person_id == ctx.actor.pk:
        raise Refusal(YOUR_OWN_LOCKOUT)
    if lockout.signed_in_id == ctx.actor.pk:
        raise Refusal(TYPED_WHERE_YOU_ARE_SIGNED_IN, device=lockout.device.name)
    lockout.unlocked_at = ctx.now
    lockout.save(update_fields=["unlocked_at"])
    data: PinsUnlocked = {
        "lockout": lockout.pk,
        "person": lockout.person.code if lockout.person else None,
        "device": lockout.device.name if lockout.scope != Lockout.Scope.PERSON else None,
        "since": clock.format_moment(lockout.started_at),
    }
    return ActOutcome(PINS_UNLOCKED(data), {"lockout": lockout.pk}, changes="nothing")

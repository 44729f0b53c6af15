"""Legal holds: placing and releasing them. Nothing is deleted by either; a hold only keeps what would end."""

from typing import Annotated

from audit.models import LegalHold
from games.act_forms import text
from games.engine import Refusal
from games.jurisdictions import KEPT_KINDS
from games.params import Params, malformed
from tables.desk.entry_types import (
    LEGAL_HOLD_PLACED,
    LEGAL_HOLD_RELEASED,
    LegalHoldFields,
    LegalHoldPlaced,
)
from tables.desk.refusals import HOLD_RANGE, NO_SUCH_HOLD
from tables.desk.runner import ActOutcome, DeskContext, desk_act

MAX_REASON = 300
MAX_CODE = 20
COMPLIANCE = ("compliance",)


@desk_act(roles=COMPLIANCE)
def place_legal_hold(ctx: DeskContext, params: Params) -> ActOutcome:
    """Place a legal hold on `kinds` of what is kept, for a `reason`.

    It covers the gaming days `first_day` to `last_day`, each optional, and stands to the end of `until`, or until it is
    released. Raises `hold-range`.
    """
    reason = params.text("reason", max_length=MAX_REASON)
    kinds = sorted(set(params.texts("kinds", max_items=len(KEPT_KINDS))))
    if not kinds or not set(kinds) <= set(KEPT_KINDS):
        raise malformed("kinds")
    first, last = (params.date(name, optional=True) for name in ("first_day", "last_day"))
    until = params.date("until", optional=True)
    if (first and last and last < first) or (until and until < ctx.gaming_day):
        raise Refusal(HOLD_RANGE)
    newest = LegalHold.objects.filter(facility=ctx.facility.code).order_by("-number").first()
    hold = LegalHold.objects.create(
        facility=ctx.facility.code,
        number=newest.number + 1 if newest else 1,
        reason=reason,
        kinds=kinds,
        first_day=first,
        last_day=last,
        until=until,
        placed_by=ctx.actor,
        placed_at=ctx.now,
    )
    data: LegalHoldPlaced = {
        "first_day": str(first) if first else None,
        "hold": hold.code,
        "kinds": kinds,
        "last_day": str(last) if last else None,
        "reason": reason,
        "until": str(until) if until else None,
    }
    return ActOutcome(LEGAL_HOLD_PLACED(data), {"hold": hold.code})


@desk_act(roles=COMPLIANCE)
def release_legal_hold(
    ctx: DeskContext, *, hold_code: Annotated[str, text(MAX_CODE)], reason: Annotated[str, text(MAX_REASON)]
) -> ActOutcome:
    """Release the legal hold `hold` for a `reason`. Raises `no-such-hold`."""
    holds = LegalHold.objects.filter(facility=ctx.facility.code, released_at=None)
    hold = next((hold for hold in holds if hold.code == hold_code), None)
    if hold is None:
        raise Refusal(NO_SUCH_HOLD, hold=hold_code)
    hold.released_by, hold.released_at, hold.release_reason = ctx.actor, ctx.now, reason
    hold.save(update_fields=["released_by", "released_at", "release_reason"])
    data: LegalHoldFields = {"hold": hold.code, "reason": reason}
    return ActOutcome(LEGAL_HOLD_RELEASED(data))

"""One-time passwords, and lost second factors: what administrators do for people who cannot sign in.

Nobody does it for themselves. A lost factor takes two administrators: one asks, another one confirms and hands over the
one-time password. Nothing else of the person changes.
"""

import datetime as dt

from django.db.models import QuerySet

from audit import factors, passwords, people
from audit.entries import (
    FACTORS_RESET,
    PASSWORD_GIVEN,
    RESET_ASKED,
    RESET_WITHDRAWN,
    FactorsReset,
    ResetAsked,
    ResetWithdrawn,
)
from audit.models import FactorReset, Person, SecondFactor
from games.engine import Refusal
from games.params import Params
from tables.core.duty import person_here
from tables.runner.facility import SIGN_INS, ActOutcome, FacilityContext, facility_act
from tables.staffing.refusals import (
    LOST_FACTOR_TAKES_TWO,
    NO_SUCH_RESET,
    NOT_FOR_YOURSELF,
    NOTHING_TO_RESET,
    RESET_IS_OPEN,
    YOU_ASKED_FOR_IT,
)

ADMINISTRATORS = frozenset({"system-administrator"})
RESET_LIFETIME = dt.timedelta(hours=24)
MAX_REASON = 200


@facility_act(SIGN_INS, roles=ADMINISTRATORS, step_up="always")
def give_password(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give a person a one-time password: the first one, or after they forgot theirs. Their second factors stay.

    Who had second factors and has none now needs a reset by two. Raises `no-such-person`, `not-for-yourself` or
    `lost-factor-takes-two`.
    """
    person = _other_person(ctx, params)
    registered = SecondFactor.objects.filter(person=person)
    if registered.exists() and not registered.filter(ended_at=None).exists():
        raise Refusal(LOST_FACTOR_TAKES_TWO, person=person.name)
    row = passwords.give_one_time(person, ctx.command, ctx.now, ctx.actor)
    return ActOutcome(PASSWORD_GIVEN(passwords.statement_of(row)), changes="nothing")


@facility_act(SIGN_INS, roles=ADMINISTRATORS, step_up="always")
def ask_factor_reset(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Ask another administrator to end the second factors of a person who lost them.

    Raises `no-such-person`, `not-for-yourself`, `nothing-to-reset` or `reset-is-open`.
    """
    person = _other_person(ctx, params)
    reason = params.text("reason", max_length=MAX_REASON)
    if not SecondFactor.objects.filter(person=person).exists():
        raise Refusal(NOTHING_TO_RESET, person=person.name)
    if open_resets(ctx.facility.code, ctx.now).filter(person=person).exists():
        raise Refusal(RESET_IS_OPEN, person=person.name)
    reset = FactorReset.objects.create(
        facility=ctx.facility.code,
        person=person,
        reason=reason,
        asked_by=ctx.actor,
        asked_at=ctx.now,
        ends_at=ctx.now + RESET_LIFETIME,
    )
    data: ResetAsked = {"reset": reset.pk, "person": person.code, "reason": reason}
    return ActOutcome(RESET_ASKED(data), {"reset": reset.pk}, changes="nothing")


@facility_act(SIGN_INS, roles=ADMINISTRATORS, step_up="always")
def confirm_factor_reset(ctx: FacilityContext, params: Params) -> ActOutcome:
    """End the second factors of a person for whom another administrator asked, and give a one-time password.

    Who found the key may have an open sign-in too, so the person is signed off everywhere but at a table.

    Raises `no-such-reset`, `you-asked-for-it` or `not-for-yourself`.
    """
    reset = _open_reset(ctx, params)
    if reset.asked_by_id == ctx.actor.pk:
        raise Refusal(YOU_ASKED_FOR_IT)
    if reset.person_id == ctx.actor.pk:
        raise Refusal(NOT_FOR_YOURSELF)
    reset.confirmed_by, reset.closed_at = ctx.actor, ctx.now
    reset.save(update_fields=["confirmed_by", "closed_at"])
    ended = factors.end_all(reset.person, ctx.now)
    row = passwords.give_one_time(reset.person, ctx.command, ctx.now, ctx.actor)
    data: FactorsReset = {
        **passwords.statement_of(row),
        "reset": reset.pk,
        "asked_by": reset.asked_by.code,
        "devices": people.end_sessions(reset.person),
        "factors": [factor["factor"] for factor in ended],
    }
    return ActOutcome(FACTORS_RESET(data), {"reset": reset.pk}, changes="nothing")


@facility_act(SIGN_INS, roles=ADMINISTRATORS)
def withdraw_factor_reset(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Close a reset that was asked for, and change nothing: the key was found again. Raises `no-such-reset`."""
    reset = _open_reset(ctx, params)
    reset.closed_at = ctx.now
    reset.save(update_fields=["closed_at"])
    data: ResetWithdrawn = {"reset": reset.pk, "person": reset.person.code}
    return ActOutcome(RESET_WITHDRAWN(data), {"reset": reset.pk}, changes="nothing")


def open_resets(facility: str, now: dt.datetime) -> QuerySet[FactorReset]:
    """The resets of a facility that may still be confirmed."""
    resets = FactorReset.objects.filter(facility=facility, closed_at=None, ends_at__gt=now)
    return resets.select_related("person", "asked_by")


def _open_reset(ctx: FacilityContext, params: Params) -> FactorReset:
    """Read and lock an open reset. Raises `no-such-reset`."""
    pk = params.integer("factor_reset", 1, 2**53)
    reset = open_resets(ctx.facility.code, ctx.now).select_for_update(of=("self",)).filter(pk=pk).first()
    if reset is None:
        raise Refusal(NO_SUCH_RESET)
    return reset


def _other_person(ctx: FacilityContext, params: Params) -> Person:
    """Read a person of this facility other than the actor. Raises `no-such-person` or `not-for-yourself`."""
    person = person_here(ctx.facility, params.text("person"))
    if person.pk == ctx.actor.pk:
        raise Refusal(NOT_FOR_YOURSELF)
    return person

"""Acts that link a provider's service to a game and record the steps of 58 Pa. Code § 528.7."""

from typing import Annotated, cast

from games.act_forms import Code, Day, Text, Words, found, one_of, text, whole
from games.engine import Refusal
from games.models import GameRequest, Service
from games.models.patrons import ReviewStatus
from games.office.core.next_code import next_code
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.providers import services
from games.office.providers.entry_types import (
    SERVICE_COSTS,
    SERVICE_ENDED,
    SERVICE_LABORATORY,
    SERVICE_REGISTERED,
    SERVICE_REQUESTED,
    ServiceCosts,
    ServiceEnded,
    ServiceLaboratory,
    ServiceRegistered,
    ServiceRequested,
)
from games.office.providers.files import (
    FileOfProvider,
    OptionalPastDay,
    PastDay,
    ProviderFile,
    iso_date,
    verify_investigated,
)
from games.office.providers.refusals import (
    APPROVED_BEFORE_SENT,
    END_IN_THE_PAST,
    NO_SUCH_REQUEST_HERE,
    NO_SUCH_SERVICE,
    NO_SUCH_WAGER_HERE,
    PROVIDER_NOT_APPLIED,
    REQUEST_FOR_ANOTHER_GAME,
    REQUEST_WITHOUT_WAGER,
    SERVICE_ENDED_ALREADY,
)
from games.params import MOST_CENTS
from games.registry import GAMES


def service_by_code(ctx: OfficeContext, code: str) -> Service:
    """Return the service with this code. Raises Refusal(`no-such-service`)."""
    rows = Service.objects.filter(provider__facility=ctx.facility, code=code)
    service = rows.select_related("provider", "request").first()
    if service is None:
        raise Refusal(NO_SUCH_SERVICE, code=code)
    return service


ServiceOnFile = Annotated[Service, found(Code, service_by_code)]


@office_act()
def register_service(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    name: Annotated[str, text(100)],
    game: Annotated[str, one_of(tuple(GAMES))],
    wagers: Words = (),
) -> ActOutcome:
    """Link a game, or some of its wagers, to a provider. From then on § 528.7 decides whether they are dealt.

    Refused without a filed application (§ 528.1) or an investigation, and with an adverse finding (§ 528.9). An empty
    list of wagers means the whole game.
    """
    verify_investigated(provider_file)
    verify_applied(provider_file)
    labels = services.wagers_of_game(game)
    for code in sorted(services.expand_codes(game, wagers)):
        if code not in labels:
            raise Refusal(NO_SUCH_WAGER_HERE, wager=code)
    service = Service.objects.create(
        provider=provider_file.provider,
        code=next_code(Service.objects.filter(provider__facility=ctx.facility), "SV"),
        name=name,
        game=game,
        wagers=sorted(set(wagers)),
    )
    data: ServiceRegistered = {
        "provider": provider_file.provider.code,
        "service": service.code,
        "name": name,
        "game": game,
        "wagers": service.wagers,
        "covers": sorted(services.covered_codes(service)),
    }
    return ActOutcome(SERVICE_REGISTERED(data), {"service": service.code})


@office_act()
def record_laboratory(
    ctx: OfficeContext,
    *,
    service: ServiceOnFile,
    submitted_on: PastDay,
    approved_on: OptionalPastDay = None,
    reference: Annotated[str, text(60)] = "",
) -> ActOutcome:
    """Record when the laboratory received the service and when it approved it (§ 528.7(1))."""
    if approved_on and approved_on < submitted_on:
        raise Refusal(
            APPROVED_BEFORE_SENT, ctx.facility.law.section("services.laboratory"), on=iso_date(submitted_on)
        )
    service.lab_submitted_on, service.lab_approved_on, service.lab_reference = (
        submitted_on,
        approved_on,
        reference,
    )
    service.save(update_fields=["lab_submitted_on", "lab_approved_on", "lab_reference"])
    data: ServiceLaboratory = {
        "provider": service.provider.code,
        "service": service.code,
        "submitted_on": iso_date(submitted_on),
        "approved_on": iso_date(approved_on),
        "reference": reference or None,
    }
    return ActOutcome(SERVICE_LABORATORY(data))


@office_act()
def record_laboratory_costs(
    ctx: OfficeContext,
    *,
    service: ServiceOnFile,
    costs_cents: Annotated[int, whole(0, MOST_CENTS)],
    paid_on: OptionalPastDay = None,
) -> ActOutcome:
    """Record the total cost of the laboratory's review in cents, and when it was paid in full (§ 528.7(2)).

    Without a date it is unpaid. If nothing was charged, send 0 and the date on which that was known.
    """
    service.costs_cents, service.costs_paid_on = costs_cents, paid_on
    service.save(update_fields=["costs_cents", "costs_paid_on"])
    data: ServiceCosts = {
        "provider": service.provider.code,
        "service": service.code,
        "costs_cents": costs_cents,
        "paid_on": iso_date(paid_on),
    }
    return ActOutcome(SERVICE_COSTS(data))


@office_act()
def link_request(ctx: OfficeContext, *, service: ServiceOnFile, request_code: Code) -> ActOutcome:
    """Link the request under § 521.4 whose approval completes the third step."""
    request = GameRequest.objects.filter(facility=ctx.facility, code=request_code).first()
    if request is None:
        raise Refusal(NO_SUCH_REQUEST_HERE, code=request_code)
    verify_covers(ctx, request, service)
    service.request = request
    service.save(update_fields=["request"])
    data: ServiceRequested = {
        "provider": service.provider.code,
        "service": service.code,
        "request": request.code,
        "status": cast(ReviewStatus, request.status),
    }
    return ActOutcome(SERVICE_REQUESTED(data))


@office_act()
def end_service(ctx: OfficeContext, *, service: ServiceOnFile, on: Day, why: Text) -> ActOutcome:
    """End the use of a service from a gaming day on."""
    if service.ended_on is not None and service.ended_on <= ctx.gaming_day:
        raise Refusal(SERVICE_ENDED_ALREADY, on=iso_date(service.ended_on))
    if on < ctx.gaming_day:
        raise Refusal(END_IN_THE_PAST, on=iso_date(ctx.gaming_day))
    service.ended_on = on
    service.save(update_fields=["ended_on"])
    data: ServiceEnded = {
        "provider": service.provider.code,
        "service": service.code,
        "on": iso_date(on),
        "why": why,
    }
    return ActOutcome(SERVICE_ENDED(data))


def verify_applied(file: ProviderFile) -> None:
    """Refuse a provider without a filed application or with a denied one (§ 528.1).

    Raises Refusal(`provider-not-applied`).
    """
    if file.certification.state in ("none", "denied"):
        raise Refusal(PROVIDER_NOT_APPLIED, file.law.section("providers.class"), name=file.provider.name)


def verify_covers(ctx: OfficeContext, request: GameRequest, service: Service) -> None:
    """Refuse a request for another game or without all wagers of the service.

    Raises Refusal(`request-for-another-game` or `request-without-wager`).
    """
    section = ctx.facility.law.section("services.approval")
    if request.game and request.game != service.game:
        raise Refusal(REQUEST_FOR_ANOTHER_GAME, section, code=request.code, service=service.name)
    if not request.wagers:
        return
    asked_for = services.expand_codes(service.game, request.wagers)
    beyond = sorted(services.covered_codes(service) - asked_for)
    if beyond:
        wager = services.wager_label(service.game, beyond[0])
        raise Refusal(REQUEST_WITHOUT_WAGER, section, code=request.code, wager=wager)

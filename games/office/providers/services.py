"""What a provider supplies to a game, and which wagers may be dealt at a moment: the four steps of 58 Pa. Code § 528.7.

A service is a whole game or some of its wagers. Once registered, it is dealt only while all four steps are done;
otherwise it is suspended. Wagers that no provider supplies are never suspended here.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, TypeVar, Unpack, cast

from django.db.models import QuerySet

from audit.columns import FACILITY, NONE, constant, declare, named, same
from audit.entry_types import entry_type
from audit.rows import CompiledRead
from games.act_forms import Code, Day, Text, Words, found, one_of, text, whole
from games.engine import Refusal, RefusalCode, Rules, editions
from games.engine.editions import all_editions
from games.facility_runner import next_code
from games.jurisdictions import Jurisdiction
from games.models import Application, Facility, GameRequest, InterimPermission, Review, Service
from games.models.patrons import ReviewStatus
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.providers.register import (
    OF_PROVIDER,
    Certification,
    FileOfProvider,
    OptionalPastDay,
    PastDay,
    ProviderEntry,
    ProviderFile,
    Trading,
    certification_on,
    iso_date,
    trading_permission,
    verify_investigated,
)
from games.params import MOST_CENTS
from games.registry import GAMES, game_of

# Services


class ServiceEntry(ProviderEntry):
    """The service that an entry is about."""

    service: str


@entry_type("service.registered")
def SERVICE_REGISTERED(
    *,
    name: Annotated[str, "name of the service"],
    game: str,
    wagers: Annotated[list[str], "wager codes or families of the service; empty: the game as a whole"],
    covers: Annotated[list[str], "codes of all wagers that it covers"],
    **data: Unpack[ServiceEntry],
) -> None:
    """A service of a provider was registered, with the wagers that it covers."""


@entry_type("service.laboratory")
def SERVICE_LABORATORY(
    *,
    submitted_on: Annotated[str, "the day on which the laboratory received the service"],
    approved_on: Annotated[str | None, "the day on which the laboratory approved it; null: not yet"],
    reference: Annotated[str | None, "reference of the laboratory; null if there is none"],
    **data: Unpack[ServiceEntry],
) -> None:
    """When the laboratory received a service of a provider, and when it approved it."""


@entry_type("service.costs")
def SERVICE_COSTS(
    *,
    costs_cents: Annotated[int, "the total cost of the laboratory's review"],
    paid_on: Annotated[str | None, "the day on which it was paid in full; null: not yet"],
    **data: Unpack[ServiceEntry],
) -> None:
    """The laboratory's costs for a service of a provider."""


@entry_type("service.requested")
def SERVICE_REQUESTED(
    *, request: str, status: Annotated[ReviewStatus, "status of the request"], **data: Unpack[ServiceEntry]
) -> None:
    """A service was linked to the request for its game or feature."""


@entry_type("service.ended")
def SERVICE_ENDED(
    *,
    on: Annotated[str, "the first gaming day without the service"],
    why: Annotated[str, "the reason, in a person's words"],
    **data: Unpack[ServiceEntry],
) -> None:
    """A service of a provider ended."""


# Refusals


WAGER_STOPPED_LABORATORY = RefusalCode(
    "wager-stopped-laboratory",
    "%(wager)s is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
    "Return the wager, and call compliance.",
    "Wager not dealt",
)


WAGER_STOPPED_COSTS = RefusalCode(
    "wager-stopped-costs",
    "%(wager)s is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are "
    "unpaid. Return the wager, and call compliance.",
    "Wager not dealt",
)


WAGER_STOPPED_APPROVAL = RefusalCode(
    "wager-stopped-approval",
    "%(wager)s is not dealt: %(service)s of %(provider)s (%(code)s) has no approved request. Return "
    "the wager, and call compliance.",
    "Wager not dealt",
)


WAGER_STOPPED_CERTIFIED = RefusalCode(
    "wager-stopped-certified",
    "%(wager)s is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted "
    "to trade. Return the wager, and call compliance.",
    "Wager not dealt",
)


WAGER_STOPPED_ENDED = RefusalCode(
    "wager-stopped-ended",
    "%(wager)s is not dealt: this casino no longer uses %(service)s of %(provider)s (%(code)s). "
    "Return the wager.",
    "Wager not dealt",
)


GAME_STOPPED_LABORATORY = RefusalCode(
    "game-stopped-laboratory",
    "This game is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
    "Call compliance.",
    "Game not dealt",
)


GAME_STOPPED_COSTS = RefusalCode(
    "game-stopped-costs",
    "This game is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are "
    "unpaid. Call compliance.",
    "Game not dealt",
)


GAME_STOPPED_APPROVAL = RefusalCode(
    "game-stopped-approval",
    "This game is not dealt: %(service)s of %(provider)s (%(code)s) has no approved request. Call "
    "compliance.",
    "Game not dealt",
)


GAME_STOPPED_CERTIFIED = RefusalCode(
    "game-stopped-certified",
    "This game is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted "
    "to trade. Call compliance.",
    "Game not dealt",
)


GAME_STOPPED_ENDED = RefusalCode(
    "game-stopped-ended",
    "This game is not dealt: this casino no longer uses %(service)s of %(provider)s (%(code)s).",
    "Game not dealt",
)


NO_SUCH_SERVICE = RefusalCode("no-such-service", "No service %(code)s is on file.", "No such service")


NO_SUCH_WAGER_HERE = RefusalCode(
    "no-such-wager-here",
    "This game has no wager %(wager)s. Choose one from its list.",
    "No such wager",
)


PROVIDER_NOT_APPLIED = RefusalCode(
    "provider-not-applied",
    "%(name)s has no application on file. File its application before you link it to a game.",
    "Not applied for",
)


APPROVED_BEFORE_SENT = RefusalCode(
    "approved-before-sent",
    "The service was submitted on %(on)s. The approval cannot be earlier: check its day.",
    "Days do not agree",
)


NO_SUCH_REQUEST_HERE = RefusalCode(
    "no-such-request-here",
    "There is no request %(code)s on file.",
    "No such request",
)


REQUEST_FOR_ANOTHER_GAME = RefusalCode(
    "request-for-another-game",
    "%(code)s is for another game than %(service)s. Link the right request.",
    "Another game",
)


REQUEST_WITHOUT_WAGER = RefusalCode(
    "request-without-wager",
    "%(code)s does not ask for %(wager)s. Link the request that does.",
    "Wager not in request",
)


SERVICE_ENDED_ALREADY = RefusalCode(
    "service-ended-already",
    "Its use already ended on %(on)s.",
    "Already ended",
)


END_IN_THE_PAST = RefusalCode(
    "end-in-the-past",
    "A past day cannot be changed. Choose %(on)s or later.",
    "Day in the past",
)


# Why a service stops a wager or its whole game, by the step that is open, or "ended"
WAGER_STOPPED = {
    "laboratory": WAGER_STOPPED_LABORATORY,
    "costs": WAGER_STOPPED_COSTS,
    "approval": WAGER_STOPPED_APPROVAL,
    "certified": WAGER_STOPPED_CERTIFIED,
    "ended": WAGER_STOPPED_ENDED,
}


GAME_STOPPED = {
    "laboratory": GAME_STOPPED_LABORATORY,
    "costs": GAME_STOPPED_COSTS,
    "approval": GAME_STOPPED_APPROVAL,
    "certified": GAME_STOPPED_CERTIFIED,
    "ended": GAME_STOPPED_ENDED,
}


# Services on a day


Row = TypeVar("Row", Application, InterimPermission)
WHOLE_GAME = "*"
LABORATORY, COSTS, APPROVAL, CERTIFIED = "laboratory", "costs", "approval", "certified"


@dataclass(frozen=True)
class ServiceStep:
    """One of the four steps on a day. `state` gives the reason if it is open.

    `cite` is the paragraph that requires the step, or the one that ended it.
    """

    name: str
    is_done: bool
    state: str
    date: dt.date | None
    cite: str


@dataclass(frozen=True)
class ServiceStatus:
    """A service on a day: its four steps, and whether the facility has ended its use."""

    law: Jurisdiction
    service: Service
    steps: tuple[ServiceStep, ...]
    ended: bool
    certification: Certification
    trading: Trading

    @property
    def may_be_dealt(self) -> bool:
        """Return whether all four steps are done and the service is in use."""
        return not self.ended and all(step.is_done for step in self.steps)

    @property
    def first_open(self) -> ServiceStep | None:
        """Return the first step that is not done."""
        return next((step for step in self.steps if not step.is_done), None)

    @property
    def codes(self) -> frozenset[str]:
        """Return the codes of the wagers it covers; only `*` for the whole game."""
        return covered_codes(self.service)


def suspended_codes(facility: Facility, game: str, moment: dt.datetime) -> frozenset[str]:
    """Return the codes of this game's wagers that may not be dealt at this moment; only `*` for the whole game.

    Takes one query if no provider supplies the game, otherwise three. Nothing is cached.
    """
    codes = frozenset(suspensions(facility, game, moment))
    return frozenset({WHOLE_GAME}) if WHOLE_GAME in codes else codes


def suspensions(facility: Facility, game: str, moment: dt.datetime) -> dict[str, ServiceStatus]:
    """Return each suspended code with the service that suspends it."""
    services = SERVICES_OF_GAME(facility.pk, game)
    if not services:
        return {}
    service_uses = _statuses(
        facility,
        services,
        APPLICATIONS_OF_GAME(facility.pk, game),
        PERMISSIONS_OF_GAME(facility.pk, game),
        facility.gaming_day(moment),
        moment,
    )
    live = {code for use in service_uses if use.may_be_dealt for code in use.codes}
    stopped_codes: dict[str, ServiceStatus] = {}
    for use in service_uses:
        # a service that was ended is dealt again only if another provider supplies it
        for code in () if use.may_be_dealt else use.codes - (live if use.ended else frozenset()):
            stopped_codes.setdefault(code, use)
    return stopped_codes


SERVICES_OF_GAME = CompiledRead(
    lambda facility, game: Service.objects.filter(provider__facility=facility, game=game).select_related(
        "provider", "request"
    ),
    is_of_epoch=True,
)
APPLICATIONS_OF_GAME = CompiledRead(
    lambda facility, game: Application.objects.filter(provider__in=_providers_of_game(facility, game)),
    is_of_epoch=True,
)
PERMISSIONS_OF_GAME = CompiledRead(
    lambda facility, game: InterimPermission.objects.filter(provider__in=_providers_of_game(facility, game)),
    is_of_epoch=True,
)


def _providers_of_game(facility: int, game: str) -> QuerySet[Service, int]:
    return Service.objects.filter(provider__facility=facility, game=game).values_list("provider", flat=True)


def service_refusal(use: ServiceStatus, wager: str = "") -> Refusal:
    """Return why a service is not dealt: the section, the provider, and the step that is open."""
    service = use.service
    params = {
        "service": service.name,
        "provider": service.provider.name,
        "code": service.provider.code,
        "wager": wager,
    }
    codes = WAGER_STOPPED if wager else GAME_STOPPED
    step = use.first_open
    if use.ended or step is None:
        return Refusal(codes["ended"], use.law.section("services"), **params)
    return Refusal(codes[step.name], step.cite, **params)


def service_statuses(
    facility: Facility, services: Sequence[Service], day: dt.date, moment: dt.datetime
) -> list[ServiceStatus]:
    """Return each service with its steps on a day. Takes two queries however many services there are."""
    if not services:
        return []
    providers = {service.provider_id for service in services}
    return _statuses(
        facility,
        services,
        Application.objects.filter(provider__in=providers),
        InterimPermission.objects.filter(provider__in=providers),
        day,
        moment,
    )


def _statuses(
    facility: Facility,
    services: Sequence[Service],
    applications: Iterable[Application],
    permissions: Iterable[InterimPermission],
    day: dt.date,
    moment: dt.datetime,
) -> list[ServiceStatus]:
    """Return the same, from the applications and permissions of the providers of these services."""
    providers = {service.provider_id for service in services}
    applied, permitted = _by_provider(applications, providers), _by_provider(permissions, providers)
    certified = {
        provider_id: certification_on(facility, applied[provider_id], day) for provider_id in providers
    }
    service_uses = []
    for service in services:
        provider_id = service.provider_id
        trading = trading_permission(facility, applied[provider_id], permitted[provider_id], day)
        steps = (
            *first_three_steps(facility, service, day, moment),
            _certified_step(facility.law, certified[provider_id], trading),
        )
        ended = service.ended_on is not None and service.ended_on <= day
        service_uses.append(
            ServiceStatus(facility.law, service, steps, ended, certified[provider_id], trading)
        )
    return service_uses


def _by_provider(rows: Iterable[Row], providers: Iterable[int]) -> dict[int, list[Row]]:
    grouped: dict[int, list[Row]] = {provider_id: [] for provider_id in providers}
    for row in rows:
        grouped[row.provider_id].append(row)
    return grouped


def first_three_steps(
    facility: Facility, service: Service, day: dt.date, moment: dt.datetime
) -> tuple[ServiceStep, ...]:
    """Return the first three steps on a day. A permission to trade requires them (§ 528.8(a)(4), A09)."""
    return (
        _laboratory_step(facility.law, service, day),
        _costs_step(facility.law, service, day),
        _approval_step(facility, service, moment),
    )


def _laboratory_step(law: Jurisdiction, service: Service, day: dt.date) -> ServiceStep:
    sent, approved = service.lab_submitted_on, service.lab_approved_on
    section = law.section("services.laboratory")
    if sent and approved and approved <= day:
        return ServiceStep(LABORATORY, True, "approved", approved, section)
    return ServiceStep(LABORATORY, False, "submitted" if sent else "not-submitted", sent, section)


def _costs_step(law: Jurisdiction, service: Service, day: dt.date) -> ServiceStep:
    paid, section = service.costs_paid_on, law.section("services.costs")
    if paid and paid <= day:
        return ServiceStep(COSTS, True, "paid" if service.costs_cents else "none-charged", paid, section)
    return ServiceStep(COSTS, False, "unpaid" if service.costs_cents else "not-told", None, section)


def _approval_step(facility: Facility, service: Service, moment: dt.datetime) -> ServiceStep:
    request, section = service.request, facility.law.section("services.approval")
    if request is None:
        return ServiceStep(APPROVAL, False, "no-request", None, section)
    if request.status != Review.APPROVED or request.decided_at is None or request.decided_at > moment:
        return ServiceStep(APPROVAL, False, "not-approved", None, section)
    return ServiceStep(APPROVAL, True, "approved", facility.local(request.decided_at).date(), section)


def _certified_step(law: Jurisdiction, certified: Certification, trading: Trading) -> ServiceStep:
    section = law.section("services.certified")
    if certified.holds:
        return ServiceStep(CERTIFIED, True, certified.state, certified.since, section)
    if trading.holds:
        assert trading.permission is not None
        return ServiceStep(CERTIFIED, True, "interim", trading.permission.granted_on, section)
    if trading.permission and trading.permission.cease_on and certified.state != "ended":
        return ServiceStep(
            CERTIFIED, False, "rescinded", trading.permission.cease_on, law.section("interim.notice")
        )
    if certified.state == "ended":
        return ServiceStep(CERTIFIED, False, "ended", certified.ends, law.section("providers.term"))
    return ServiceStep(CERTIFIED, False, certified.state, None, section)


@lru_cache(maxsize=16)
def wagers_of_game(game: str) -> dict[str, tuple[str, str]]:
    """Return every wager of a game in any edition: its name and family by code. Empty for an unknown game."""
    wagers: dict[str, tuple[str, str]] = {}
    for edition in all_editions().values():
        if edition.game == game:
            rules = Rules.of(edition.key)
            for wager_type in game_of(rules).wager_types(rules):
                wagers.setdefault(wager_type.code, (str(wager_type.label), wager_type.family))
    return wagers


editions.forget_with(wagers_of_game.cache_clear)


def covered_codes(service: Service) -> frozenset[str]:
    """Return the codes of a service's wagers, with families expanded; only `*` for the whole game."""
    return expand_codes(service.game, service.wagers) if service.wagers else frozenset({WHOLE_GAME})


def expand_codes(game: str, names: Iterable[str]) -> frozenset[str]:
    """Return these codes with families replaced by the codes of their wagers. Unknown codes stay."""
    wagers, names_wanted = wagers_of_game(game), set(names)
    families = {family for _, family in wagers.values()}
    return frozenset(
        code for code, (_, family) in wagers.items() if code in names_wanted or family in names_wanted
    ) | (names_wanted - families)


def wager_label(game: str, code: str) -> str:
    """Return a wager's name; "the whole game" for `*`, and an unknown code unchanged."""
    if code == WHOLE_GAME:
        return "the whole game"
    return wagers_of_game(game).get(code, (code, ""))[0]


# Acts


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
    labels = wagers_of_game(game)
    for code in sorted(expand_codes(game, wagers)):
        if code not in labels:
            raise Refusal(NO_SUCH_WAGER_HERE, wager=code)
    service = Service.objects.create(
        provider=provider_file.provider,
        code=next_code(Service.objects.filter(provider__facility=ctx.facility), "SV"),
        name=name,
        game=game,
        wagers=sorted(set(wagers)),
    )
    return ActOutcome(
        SERVICE_REGISTERED(
            provider=provider_file.provider.code,
            service=service.code,
            name=name,
            game=game,
            wagers=service.wagers,
            covers=sorted(covered_codes(service)),
        ),
        {"service": service.code},
    )


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
    return ActOutcome(
        SERVICE_LABORATORY(
            provider=service.provider.code,
            service=service.code,
            submitted_on=iso_date(submitted_on),
            approved_on=iso_date(approved_on),
            reference=reference or None,
        )
    )


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
    return ActOutcome(
        SERVICE_COSTS(
            provider=service.provider.code,
            service=service.code,
            costs_cents=costs_cents,
            paid_on=iso_date(paid_on),
        )
    )


@office_act()
def link_request(ctx: OfficeContext, *, service: ServiceOnFile, request_code: Code) -> ActOutcome:
    """Link the request under § 521.4 whose approval completes the third step."""
    request = GameRequest.objects.filter(facility=ctx.facility, code=request_code).first()
    if request is None:
        raise Refusal(NO_SUCH_REQUEST_HERE, code=request_code)
    verify_covers(ctx, request, service)
    service.request = request
    service.save(update_fields=["request"])
    return ActOutcome(
        SERVICE_REQUESTED(
            provider=service.provider.code,
            service=service.code,
            request=request.code,
            status=cast(ReviewStatus, request.status),
        )
    )


@office_act()
def end_service(ctx: OfficeContext, *, service: ServiceOnFile, on: Day, why: Text) -> ActOutcome:
    """End the use of a service from a gaming day on."""
    if service.ended_on is not None and service.ended_on <= ctx.gaming_day:
        raise Refusal(SERVICE_ENDED_ALREADY, on=iso_date(service.ended_on))
    if on < ctx.gaming_day:
        raise Refusal(END_IN_THE_PAST, on=iso_date(ctx.gaming_day))
    service.ended_on = on
    service.save(update_fields=["ended_on"])
    return ActOutcome(
        SERVICE_ENDED(provider=service.provider.code, service=service.code, on=iso_date(on), why=why)
    )


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
    asked_for = expand_codes(service.game, request.wagers)
    beyond = sorted(covered_codes(service) - asked_for)
    if beyond:
        wager = wager_label(service.game, beyond[0])
        raise Refusal(REQUEST_WITHOUT_WAGER, section, code=request.code, wager=wager)


declare(
    Service,
    "service",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "service"},
    created={
        SERVICE_REGISTERED: {
            **same("provider", "name", "game", "wagers"),
            **dict.fromkeys(("lab_submitted_on", "lab_approved_on", "lab_reference", "costs_paid_on"), NONE),
            "costs_cents": constant(0),
            "request": NONE,
            "ended_on": NONE,
        }
    },
    changed={
        SERVICE_LABORATORY: {
            "lab_submitted_on": "submitted_on",
            "lab_approved_on": "approved_on",
            "lab_reference": "reference",
        },
        SERVICE_COSTS: {"costs_cents": "costs_cents", "costs_paid_on": "paid_on"},
        SERVICE_REQUESTED: same("request"),
        SERVICE_ENDED: {"ended_on": "on"},
    },
    readings={**OF_PROVIDER, "request": named("request__code", "request")},
)

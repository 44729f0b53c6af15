"""Which wagers of a provider may be dealt at a moment: the four steps of 58 Pa. Code § 528.7.

A service is a whole game or some of its wagers. Once registered, it is dealt only while all four steps are done;
otherwise it is suspended. Wagers that no provider supplies are never suspended here.
"""

import datetime as dt
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from audit.compiled_reads import CompiledRead
from games.engine import Refusal, Rules, editions
from games.engine.editions import all_editions
from games.jurisdictions import Jurisdiction
from games.models import Application, Facility, InterimPermission, Review, Service
from games.office.providers.certifications import Certification, Trading, certification_on, trading_permission
from games.office.providers.refusals import GAME_STOPPED, WAGER_STOPPED
from games.registry import game_of

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

    Takes one query if no provider supplies the game, otherwise two or three. Nothing is cached.
    """
    codes = frozenset(suspensions(facility, game, moment))
    return frozenset({WHOLE_GAME}) if WHOLE_GAME in codes else codes


def suspensions(facility: Facility, game: str, moment: dt.datetime) -> dict[str, ServiceStatus]:
    """Return each suspended code with the service that suspends it."""
    service_uses = service_statuses(
        facility, SERVICES_OF_GAME(facility.pk, game), facility.gaming_day(moment), moment
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
    )
)


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
    applications = _by_provider(Application.objects.filter(provider__in=providers), providers)
    certified = {
        provider_id: certification_on(facility, applications[provider_id], day) for provider_id in providers
    }
    others = {provider_id for provider_id in providers if not certified[provider_id].holds}
    permissions = _by_provider(
        InterimPermission.objects.filter(provider__in=others) if others else (), others
    )
    service_uses = []
    for service in services:
        provider_id = service.provider_id
        trading = trading_permission(
            facility, applications[provider_id], permissions.get(provider_id, []), day
        )
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

"""The file of a provider as acts and pages read it."""

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, overload

from games.act_forms import Code, Day, found
from games.engine import Refusal
from games.jurisdictions import Jurisdiction
from games.models import Application, Facility, InterimPermission, Provider, Qualifier, Service
from games.office.core.runner import OfficeContext
from games.office.providers import certifications, qualifiers
from games.office.providers.certifications import Certification, Trading
from games.office.providers.refusals import (
    DAY_TO_COME,
    NO_SUCH_PROVIDER,
    PROVIDER_ADVERSE,
    PROVIDER_NOT_INVESTIGATED,
)


@dataclass(frozen=True)
class ProviderFile:
    """The file of one provider on a day. In an act, the caller holds the lock of the office's stream."""

    facility: Facility
    provider: Provider
    day: dt.date

    @property
    def law(self) -> Jurisdiction:
        return self.facility.law

    @cached_property
    def applications(self) -> list[Application]:
        """Return all applications, the newest first."""
        return list(
            self.provider.applications.select_related("filed_by", "decision").defer("decision__content")
        )

    @cached_property
    def permissions(self) -> list[InterimPermission]:
        """Return all permissions to trade before certification, the newest first."""
        return list(
            self.provider.permissions.select_related("diligence", "acknowledgement", "notice").defer(
                "diligence__content", "acknowledgement__content", "notice__content"
            )
        )

    @cached_property
    def services(self) -> list[Service]:
        """Return every service that the provider supplies or supplied."""
        return list(self.provider.services.select_related("provider", "request"))

    @cached_property
    def people(self) -> list[Qualifier]:
        """Return everybody on file, including those who have left."""
        return list(self.provider.qualifiers.prefetch_related("credentials"))

    @property
    def certification(self) -> Certification:
        """Return the provider's certification on this day."""
        return certifications.certification_on(self.facility, self.applications, self.day)

    @property
    def trading(self) -> Trading:
        """Return the permission to trade before certification on this day."""
        return certifications.trading_permission(self.facility, self.applications, self.permissions, self.day)

    @property
    def undecided(self) -> Application | None:
        """Return the application that is drafted or undecided. There is at most one."""
        return next(
            (application for application in self.applications if application.decided_on is None), None
        )

    @property
    def must_qualify(self) -> list[Qualifier]:
        """Return those with the provider who must be found qualified."""
        return [
            person
            for person in self.people
            if qualifiers.is_with_provider(person, self.day) and qualifiers.duties(person)
        ]

    @property
    def outstanding(self) -> list[Qualifier]:
        """Return those with the provider who must be found qualified and are not yet."""
        return [person for person in self.people if qualifiers.is_outstanding(person, self.day)]

    @property
    def unpaid(self) -> list[Service]:
        """Return the services whose laboratory costs are unpaid (§ 528.2(c))."""
        return [service for service in self.services if service.costs_cents and service.costs_paid_on is None]


def file_of_provider(ctx: OfficeContext, code: str) -> ProviderFile:
    """Return the file of the provider with this code. Raises Refusal(`no-such-provider`)."""
    provider = Provider.objects.filter(facility=ctx.facility, code=code).first()
    if provider is None:
        raise Refusal(NO_SUCH_PROVIDER, code=code)
    return ProviderFile(ctx.facility, provider, ctx.gaming_day)


def verify_investigated(file: ProviderFile) -> None:
    """Refuse to deal with a provider without an investigation or with an adverse finding (§ 528.9).

    Raises Refusal(`provider-not-investigated` or `provider-adverse`).
    """
    provider = file.provider
    if provider.investigated_on is None:
        raise Refusal(
            PROVIDER_NOT_INVESTIGATED, file.law.section("providers.investigation"), name=provider.name
        )
    if provider.adverse:
        raise Refusal(
            PROVIDER_ADVERSE,
            file.law.section("providers.finding"),
            name=provider.name,
            finding=provider.adverse,
        )


def verify_not_future(ctx: OfficeContext, day: dt.date) -> dt.date:
    """Return a date that is today or earlier. Raises Refusal(`day-to-come`)."""
    if day > ctx.today:
        raise Refusal(DAY_TO_COME, on=day.isoformat())
    return day


# The file of a provider that an act names by its code, and days of today or earlier.
FileOfProvider = Annotated[ProviderFile, found(Code, file_of_provider)]
PastDay = Annotated[dt.date, found(Day, verify_not_future)]
OptionalPastDay = Annotated[dt.date | None, found(Day, verify_not_future)]


@overload
def iso_date(day: dt.date) -> str: ...


@overload
def iso_date(day: dt.date | None) -> str | None: ...


def iso_date(day: dt.date | None) -> str | None:
    """Return a date as entries write it."""
    return day.isoformat() if day else None

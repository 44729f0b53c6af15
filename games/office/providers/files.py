"""A provider as an act finds it: its rows read under the office's lock, and how it stands today."""

import datetime as dt
from dataclasses import dataclass
from functools import cached_property

from games.engine import Refusal
from games.models import Application, Facility, InterimPermission, Provider, Qualifier, Service
from games.office.core.runner import OfficeContext
from games.office.providers import certifications, qualifiers
from games.office.providers.certifications import Certification, Trading
from games.params import Params

PA_CODE = "58 Pa. Code "


@dataclass(frozen=True)
class ProviderFile:
    """The file of one provider on a day."""

    house: Facility
    provider: Provider
    day: dt.date

    @cached_property
    def applications(self) -> list[Application]:
        """All of them, the newest first."""
        return list(
            self.provider.applications.select_related("filed_by", "decision").defer("decision__content")
        )

    @cached_property
    def permissions(self) -> list[InterimPermission]:
        """All permissions to trade before certification, the newest first."""
        return list(
            self.provider.permissions.select_related("diligence", "acknowledgement", "notice").defer(
                "diligence__content", "acknowledgement__content", "notice__content"
            )
        )

    @cached_property
    def services(self) -> list[Service]:
        """Everything that it supplies or supplied."""
        return list(self.provider.services.select_related("provider", "request"))

    @cached_property
    def people(self) -> list[Qualifier]:
        """Everybody on file, gone or not."""
        return list(self.provider.qualifiers.prefetch_related("credentials"))

    @property
    def certification(self) -> Certification:
        """How the provider stands on this day."""
        return certifications.certification_on(self.house, self.applications, self.day)

    @property
    def trading(self) -> Trading:
        """Its permission to trade before certification on this day."""
        return certifications.trading_permission(self.house, self.applications, self.permissions, self.day)

    @property
    def undecided(self) -> Application | None:
        """The application that is drafted or waits for its decision; there is one at a time."""
        return next(
            (application for application in self.applications if application.decided_on is None), None
        )

    @property
    def must_qualify(self) -> list[Qualifier]:
        """Who is here and must be found qualified."""
        return [
            person
            for person in self.people
            if qualifiers.is_with_provider(person, self.day) and qualifiers.duties(person)
        ]

    @property
    def outstanding(self) -> list[Qualifier]:
        """Who is here, must be found qualified, and has not been."""
        return [person for person in self.people if qualifiers.is_outstanding(person, self.day)]

    @property
    def unpaid(self) -> list[Service]:
        """Services whose laboratory costs are not paid (§ 528.2(c))."""
        return [service for service in self.services if service.costs_cents and service.costs_paid_on is None]


def read_provider(ctx: OfficeContext, params: Params, name: str = "provider") -> ProviderFile:
    """The file of the provider that an act names. Raises `no-such-provider`."""
    code = params.code(name)
    provider = Provider.objects.filter(facility=ctx.facility, code=code).first()
    if provider is None:
        raise Refusal("no-such-provider", code=code)
    return ProviderFile(ctx.facility, provider, ctx.gaming_day)


def verify_investigated(provider: Provider) -> None:
    """Raises `provider-not-investigated` or `provider-adverse`: the house may not bind itself to it (§ 528.9)."""
    if provider.investigated_on is None:
        raise Refusal("provider-not-investigated", PA_CODE + "§ 528.9(a)", name=provider.name)
    if provider.adverse:
        raise Refusal(
            "provider-adverse", PA_CODE + "§ 528.9(b)", name=provider.name, finding=provider.adverse
        )


def verify_not_future(ctx: OfficeContext, day: dt.date) -> dt.date:
    """The day itself, unless it has yet to come. Raises `day-to-come`."""
    if day > ctx.today:
        raise Refusal("day-to-come", on=day.isoformat())
    return day


def read_past_date(ctx: OfficeContext, params: Params, name: str) -> dt.date:
    """A day that a parameter names, today or before. Raises `day-to-come` or `malformed`."""
    day: dt.date = params.date(name)
    return verify_not_future(ctx, day)


def read_optional_past_date(ctx: OfficeContext, params: Params, name: str) -> dt.date | None:
    """The same where it may be left out."""
    day: dt.date | None = params.date(name, optional=True)
    return verify_not_future(ctx, day) if day else None


def iso_date(day: dt.date | None) -> str | None:
    """A day as an entry of the record says it."""
    return day.isoformat() if day else None

"""Permission to trade before certification, and its rescission (58 Pa. Code § 528.8)."""

import datetime as dt
from typing import Annotated

from games.act_forms import Day, text
from games.engine import Refusal
from games.models import InterimPermission
from games.office.core.runner import ActOutcome, OfficeContext, office_act
from games.office.documents.filing import (
    FiledDocument,
    OptionalDocument,
    document_reference,
)
from games.office.providers import services
from games.office.providers.certifications import filed_on
from games.office.providers.entry_types import (
    PROVIDER_PERMITTED,
    PROVIDER_RESCINDED,
    PROVIDER_RESCISSION_RECEIVED,
    ProviderPermitted,
    ProviderRescinded,
    ProviderRescissionReceived,
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
    CEASE_BEFORE_NOTICE,
    CEASE_LATER_THAN_NOTICE,
    NO_APPLICATION_FILED,
    NO_PERMISSION,
    NO_RESCISSION,
    PERMISSION_BEFORE,
    PERMISSION_WITHOUT_ACKNOWLEDGEMENT,
    PERMISSION_WITHOUT_DILIGENCE,
    PERMISSION_WITHOUT_SERVICE,
    PERMITTED_BEFORE_FILED,
    PERMITTED_BEFORE_RESCINDED,
    RECEIVED_BEFORE_SENT,
    RESCINDED_BEFORE_GRANTED,
)


@office_act(step_up="always")
def record_permission(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    on: PastDay,
    reference: Annotated[str, text(60)],
    diligence: OptionalDocument = None,
    acknowledgement: OptionalDocument = None,
) -> ActOutcome:
    """Record the Bureau of Licensing's permission to trade before certification.

    Refused unless all four conditions of § 528.8(a) are met: the application is filed, due diligence is certified,
    the acknowledgement is signed, and the first three steps of § 528.7 are done for every service (A09).
    """
    section, name = ctx.facility.law.section, provider_file.provider.name
    verify_investigated(provider_file)
    verify_applicant(ctx, provider_file, on)
    if diligence is None:
        raise Refusal(PERMISSION_WITHOUT_DILIGENCE, section("interim.diligence"), name=name)
    if acknowledgement is None:
        raise Refusal(PERMISSION_WITHOUT_ACKNOWLEDGEMENT, section("interim.acknowledgement"), name=name)
    verify_first_three(ctx, provider_file)
    permission = InterimPermission.objects.create(
        provider=provider_file.provider,
        diligence=diligence,
        acknowledgement=acknowledgement,
        granted_on=on,
        reference=reference,
    )
    data: ProviderPermitted = {
        "provider": provider_file.provider.code,
        "on": iso_date(permission.granted_on),
        "reference": reference,
        "diligence": document_reference(diligence),
        "acknowledgement": document_reference(acknowledgement),
    }
    return ActOutcome(PROVIDER_PERMITTED(data))


@office_act()
def rescind_permission(
    ctx: OfficeContext,
    *,
    provider_file: FileOfProvider,
    on: PastDay,
    cease_on: Day,
    notice: FiledDocument,
    received_on: OptionalPastDay = None,
) -> ActOutcome:
    """Record the Bureau's notice that rescinds the permission.

    `cease_on` is the first gaming day without permission: trading ends with the gaming day before it (§ 528.8(b) and
    (c)). A second notice may not name a later day.
    """
    permission, section = _current_permission(provider_file), ctx.facility.law.section("interim.notice")
    if on < permission.granted_on:
        raise Refusal(RESCINDED_BEFORE_GRANTED, on=iso_date(permission.granted_on))
    if cease_on < on:
        raise Refusal(CEASE_BEFORE_NOTICE, section, on=iso_date(on))
    if permission.cease_on is not None and cease_on > permission.cease_on:
        raise Refusal(CEASE_LATER_THAN_NOTICE, section, on=iso_date(permission.cease_on))
    _verify_received(ctx, on, received_on)
    permission.rescinded_on, permission.cease_on = on, cease_on
    permission.notice, permission.received_on = notice, received_on
    permission.save(update_fields=["rescinded_on", "cease_on", "notice", "received_on"])
    data: ProviderRescinded = {
        "provider": provider_file.provider.code,
        "reference": permission.reference,
        "on": iso_date(on),
        "cease_on": iso_date(cease_on),
        "received_on": iso_date(received_on),
        "notice": document_reference(notice),
    }
    return ActOutcome(PROVIDER_RESCINDED(data))


@office_act()
def record_receipt(ctx: OfficeContext, *, provider_file: FileOfProvider, on: PastDay) -> ActOutcome:
    """Record the day on which the registered letter with the rescission arrived (§ 528.8(c))."""
    permission = next((item for item in provider_file.permissions if item.rescinded_on), None)
    if permission is None or permission.rescinded_on is None:
        raise Refusal(
            NO_RESCISSION, ctx.facility.law.section("interim.notice"), name=provider_file.provider.name
        )
    _verify_received(ctx, permission.rescinded_on, on)
    permission.received_on = on
    permission.save(update_fields=["received_on"])
    data: ProviderRescissionReceived = {
        "provider": provider_file.provider.code,
        "reference": permission.reference,
        "received_on": iso_date(on),
    }
    return ActOutcome(PROVIDER_RESCISSION_RECEIVED(data))


def verify_applicant(ctx: OfficeContext, file: ProviderFile, granted_on: dt.date) -> None:
    """Refuse a permission without an undecided first application, or dated before its filing or a rescission.

    Raises Refusal(`no-application-filed`, `permitted-before-filed` or `permitted-before-rescinded`), § 528.8(a)(1)
    and (b).
    """
    section, waiting = ctx.facility.law.section("interim.application"), file.undecided
    if waiting is None or waiting.filed_at is None or waiting.kind != "certification":
        raise Refusal(NO_APPLICATION_FILED, section, name=file.provider.name)
    filed = filed_on(ctx.facility, waiting.filed_at)
    if granted_on < filed:
        raise Refusal(PERMITTED_BEFORE_FILED, section, on=iso_date(filed))
    for permission in file.permissions:
        if permission.rescinded_on is not None and granted_on < permission.rescinded_on:
            raise Refusal(
                PERMITTED_BEFORE_RESCINDED,
                ctx.facility.law.section("interim.rescission"),
                on=iso_date(permission.rescinded_on),
            )


def verify_first_three(ctx: OfficeContext, file: ProviderFile) -> None:
    """Refuse a permission while one of the first three steps of § 528.7 is open (§ 528.8(a)(4), A09).

    Raises Refusal(`permission-without-service` or `permission-before-…`).
    """
    section = ctx.facility.law.section("interim.steps")
    live = [service for service in file.services if service.ended_on is None]
    if not live:
        raise Refusal(PERMISSION_WITHOUT_SERVICE, section, name=file.provider.name)
    for service in live:
        for step in services.first_three_steps(ctx.facility, service, ctx.gaming_day, ctx.now):
            if not step.is_done:
                raise Refusal(PERMISSION_BEFORE[step.name], section, service=service.name, step=step.cite)


def _current_permission(file: ProviderFile) -> InterimPermission:
    permission = file.trading.permission
    if permission is None or not file.trading.holds:
        raise Refusal(NO_PERMISSION, file.law.section("interim.rescission"), name=file.provider.name)
    return permission


def _verify_received(ctx: OfficeContext, sent_on: dt.date, received_on: dt.date | None) -> None:
    if received_on is not None and received_on < sent_on:
        raise Refusal(RECEIVED_BEFORE_SENT, ctx.facility.law.section("interim.notice"), on=str(sent_on))

"""Permission to trade before certification, and its rescission (58 Pa. Code § 528.8)."""

import datetime as dt
from typing import Annotated, Unpack

from audit.columns import FACILITY, NONE, declare, document_code, same
from audit.entry_types import entry_type
from games.act_forms import Day, text
from games.engine import Refusal, RefusalCode
from games.models import InterimPermission
from games.office.core import ActOutcome, OfficeContext, office_act
from games.office.documents import DocumentReference, FiledDocument, OptionalDocument, document_reference
from games.office.providers import services
from games.office.providers.register import (
    NO_APPLICATION_FILED,
    OF_PROVIDER,
    FileOfProvider,
    OptionalPastDay,
    PastDay,
    ProviderEntry,
    ProviderFile,
    filed_on,
    iso_date,
    verify_investigated,
)

# Permission to trade before certification


@entry_type("provider.permitted")
def PROVIDER_PERMITTED(
    *,
    on: Annotated[str, "the day on which it was granted"],
    reference: Annotated[str, "reference of the permission"],
    diligence: Annotated[DocumentReference, "the certificate of due diligence: code and SHA-256"],
    acknowledgement: Annotated[DocumentReference, "the signed acknowledgement: code and SHA-256"],
    **data: Unpack[ProviderEntry],
) -> None:
    """A provider got permission to trade before its certification."""


@entry_type("provider.rescinded")
def PROVIDER_RESCINDED(
    *,
    reference: Annotated[str, "reference of the permission"],
    on: Annotated[str, "the day of the notice"],
    cease_on: Annotated[str, "the first gaming day without the permission"],
    received_on: Annotated[str | None, "the day on which the notice arrived; null: not known yet"],
    notice: Annotated[DocumentReference, "the notice: code of the document and SHA-256 of its bytes"],
    **data: Unpack[ProviderEntry],
) -> None:
    """The permission of a provider to trade was rescinded by notice."""


@entry_type("provider.rescission_received")
def PROVIDER_RESCISSION_RECEIVED(
    *,
    reference: Annotated[str, "reference of the permission"],
    received_on: Annotated[str, "the day on which the notice arrived"],
    **data: Unpack[ProviderEntry],
) -> None:
    """The provider received the notice of rescission."""


# Refusals


PERMISSION_WITHOUT_DILIGENCE = RefusalCode(
    "permission-without-diligence",
    "Attach the certificate holder's signed certification of due diligence on %(name)s.",
    "Diligence missing",
)


PERMISSION_WITHOUT_ACKNOWLEDGEMENT = RefusalCode(
    "permission-without-acknowledgement",
    "Attach %(name)s's signed acknowledgment that the permission gives no lasting right and may end "
    "at any time.",
    "Acknowledgment missing",
)


PERMISSION_WITHOUT_SERVICE = RefusalCode(
    "permission-without-service",
    "%(name)s has no service on file. Link its service first.",
    "No service",
)


PERMISSION_BEFORE_LABORATORY = RefusalCode(
    "permission-before-laboratory",
    "The laboratory has not approved %(service)s. Record its approval first.",
    "Step open",
)


PERMISSION_BEFORE_COSTS = RefusalCode(
    "permission-before-costs",
    "The laboratory's costs for %(service)s are unpaid. Record the payment first.",
    "Step open",
)


PERMISSION_BEFORE_APPROVAL = RefusalCode(
    "permission-before-approval",
    "%(service)s has no approved request. Link the request and record its approval first.",
    "Step open",
)


PERMITTED_BEFORE_FILED = RefusalCode(
    "permitted-before-filed",
    "The application was filed on %(on)s. The permission cannot be earlier: check its day.",
    "Days do not agree",
)


NO_PERMISSION = RefusalCode(
    "no-permission",
    "%(name)s has no permission to trade before certification.",
    "No permission",
)


RESCINDED_BEFORE_GRANTED = RefusalCode(
    "rescinded-before-granted",
    "The permission was granted on %(on)s. The notice cannot be earlier: check its day.",
    "Days do not agree",
)


CEASE_BEFORE_NOTICE = RefusalCode(
    "cease-before-notice",
    "The notice is dated %(on)s. It cannot name an earlier day.",
    "Days do not agree",
)


CEASE_LATER_THAN_NOTICE = RefusalCode(
    "cease-later-than-notice",
    "The first notice ends trading by %(on)s. A second notice may name an earlier day, but not a later one.",
    "First notice applies",
)


PERMITTED_BEFORE_RESCINDED = RefusalCode(
    "permitted-before-rescinded",
    "The permission was rescinded on %(on)s. A new permission must be dated that day or later, with "
    "its own letter.",
    "Days do not agree",
)


RECEIVED_BEFORE_SENT = RefusalCode(
    "received-before-sent",
    "The notice is dated %(on)s. It cannot have arrived earlier: check the day.",
    "Days do not agree",
)


NO_RESCISSION = RefusalCode("no-rescission", "No permission of %(name)s has been rescinded.", "Not rescinded")


# Why a permission comes too early, by the step that is open
PERMISSION_BEFORE = {
    "laboratory": PERMISSION_BEFORE_LABORATORY,
    "costs": PERMISSION_BEFORE_COSTS,
    "approval": PERMISSION_BEFORE_APPROVAL,
}


# Acts


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
    return ActOutcome(
        PROVIDER_PERMITTED(
            provider=provider_file.provider.code,
            on=iso_date(permission.granted_on),
            reference=reference,
            diligence=document_reference(diligence),
            acknowledgement=document_reference(acknowledgement),
        )
    )


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
    return ActOutcome(
        PROVIDER_RESCINDED(
            provider=provider_file.provider.code,
            reference=permission.reference,
            on=iso_date(on),
            cease_on=iso_date(cease_on),
            received_on=iso_date(received_on),
            notice=document_reference(notice),
        )
    )


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
    return ActOutcome(
        PROVIDER_RESCISSION_RECEIVED(
            provider=provider_file.provider.code, reference=permission.reference, received_on=iso_date(on)
        )
    )


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


declare(
    InterimPermission,
    "permission",
    key={"facility": FACILITY, "provider": "provider", "reference": "reference"},
    created={
        PROVIDER_PERMITTED: {
            "granted_on": "on",
            "diligence": document_code("diligence"),
            "acknowledgement": document_code("acknowledgement"),
            **dict.fromkeys(("rescinded_on", "received_on", "cease_on", "notice"), NONE),
        }
    },
    changed={
        PROVIDER_RESCINDED: {
            **same("cease_on", "received_on"),
            "rescinded_on": "on",
            "notice": document_code("notice"),
        },
        PROVIDER_RESCISSION_RECEIVED: same("received_on"),
    },
    readings=OF_PROVIDER,
)

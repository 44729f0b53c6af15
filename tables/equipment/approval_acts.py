"""Acts on approvals of equipment: recorded as a body gave them, and withdrawn."""

import datetime as dt
from typing import get_args

from audit import clock
from games import submissions
from games.engine import Refusal
from games.engine.editions import Edition, all_editions, edition
from games.jurisdictions import is_body
from games.office.documents.filing import document_reference
from games.office.documents.letters import read_letter
from games.params import Params
from games.snapshot_types import ShakerKind
from tables.equipment.checks import SHAKER_SUBJECTS
from tables.equipment.entry_types import (
    APPROVAL_RECORDED,
    APPROVAL_WITHDRAWN,
    SHAKER_REGISTERED,
    ApprovalData,
)
from tables.equipment.refusals import (
    APPROVAL_ENDS_BEFORE_IT_BEGINS,
    APPROVAL_OF_ANOTHER_THING,
    APPROVAL_OF_ONE_THING,
    BODY_DOES_NOT_APPROVE,
    NO_SUCH_APPROVAL,
    NO_SUCH_EQUIPMENT,
    SHAKER_CODE_TAKEN,
)
from tables.models import Approval, Shaker, Table
from tables.runner.facility import EQUIPMENT, ActOutcome, FacilityContext, facility_act

OFFICE_ROLES = frozenset({"compliance", "games-administrator"})
PRINTS = ("odds", "payout-limit")
SHAKER_KINDS: tuple[ShakerKind, ...] = get_args(ShakerKind)


@facility_act(EQUIPMENT, roles=OFFICE_ROLES, step_up="always", subject="equipment")
def record_approval(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record an approval of a table's equipment, or of one shaker: by whom, when, and by which letter, which it needs.

    `lines` are the edition's physical requirements that the approval confirms.
    """
    subject, printed = params.choice("subject", approval_subjects()), params.texts("prints")
    approval = Approval(
        facility=ctx.facility,
        subject=subject,
        body=params.text("body", default="", max_length=60),
        reference=params.text("reference", max_length=60),
        approved_on=params.date("approved_on"),
        ends_on=params.date("ends_on", optional=True),
        lines=sorted(set(params.texts("lines"))),
        prints=[word for word in PRINTS if word in printed],
        version=params.text("version", default="", max_length=40),
    )
    _set_subject(ctx, approval, params.text("table", default=""), params.text("shaker", default=""))
    if approval.ends_on and approval.ends_on <= approval.approved_on:
        raise Refusal(APPROVAL_ENDS_BEFORE_IT_BEGINS)
    _verify_body(approval)
    approval.letter = read_letter(ctx.facility, params)
    approval.save()
    _affect_table(ctx, approval)
    return ActOutcome(APPROVAL_RECORDED(approval_data(approval)))


@facility_act(EQUIPMENT, roles=OFFICE_ROLES)
def withdraw_approval(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record that an approval was withdrawn. A table that needs it can no longer open."""
    pk, why = params.integer("approval", 1, 2**53), params.text("why")
    approval = (
        Approval.objects.select_for_update(of=("self",))
        .filter(facility=ctx.facility, pk=pk, withdrawn_at=None)
        .first()
    )
    if approval is None:
        raise Refusal(NO_SUCH_APPROVAL)
    approval.withdrawn_at = ctx.now
    approval.save(update_fields=["withdrawn_at"])
    _affect_table(ctx, approval)
    return ActOutcome(APPROVAL_WITHDRAWN({**approval_data(approval), "why": why}))


@facility_act(EQUIPMENT, roles=OFFICE_ROLES)
def register_shaker(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Register a new shaker. It needs its approval before a table opens with it."""
    code, kind = params.code("shaker"), params.choice("kind", SHAKER_KINDS)
    if Shaker.objects.filter(facility=ctx.facility, code=code).exists():
        raise Refusal(SHAKER_CODE_TAKEN, shaker=code)
    Shaker.objects.create(facility=ctx.facility, code=code, kind=kind)
    return ActOutcome(SHAKER_REGISTERED({"shaker": code, "kind": kind}))


def approval_subjects() -> tuple[str, ...]:
    """Every subject for which any edition requires an approval."""
    return tuple(sorted({rule.subject for edition in all_editions().values() for rule in edition.approvals}))


def _verify_body(approval: Approval) -> None:
    """Raises `body-does-not-approve` for another body than the table's edition names for this subject.

    For a shaker, or a table without rules in force, any edition of the jurisdiction may name it.
    """
    editions = [text for text in all_editions().values() if text.jurisdiction == approval.facility.law.code]
    if approval.table is not None and (dealt := _edition_of(approval.table)):
        editions = [dealt]
    rules = [rule for text in editions for rule in text.approvals if rule.subject == approval.subject]
    bodies = sorted({rule.body for rule in rules if rule.body})
    if bodies and not any(is_body(approval.body, body) for body in bodies):
        names = {"subject": approval.subject, "named": approval.body, "body": " or the ".join(bodies)}
        raise Refusal(BODY_DOES_NOT_APPROVE, rules[0].section, **names)


def _edition_of(table: Table) -> Edition | None:
    """The edition that a table deals under, if it has rules in force."""
    submission = submissions.in_force(table.facility, table.game, clock.now(), code=table.submission_code)
    return edition(submission.edition) if submission else None


def approval_data(approval: Approval) -> ApprovalData:
    """An approval as the record stores it."""
    data: ApprovalData = {
        "approval": approval.pk,
        "subject": approval.subject,
        "of_table": approval.table.code if approval.table else None,
        "of_shaker": approval.shaker.code if approval.shaker else None,
        "body": approval.body,
        "reference": approval.reference,
        "approved_on": approval.approved_on.isoformat(),
        "ends_on": _day(approval.ends_on),
        "lines": approval.lines,
        "prints": approval.prints,
        "version": approval.version,
    }
    if approval.letter is not None:
        data["letter"] = document_reference(approval.letter)
    return data


def _affect_table(ctx: FacilityContext, approval: Approval) -> None:
    """Refresh the table that the approval is for, or where the shaker is: its screens list what is missing."""
    table = approval.table or (approval.shaker and approval.shaker.table)
    ctx.affect([table] if table else [])


def _day(day: dt.date | None) -> str | None:
    return day.isoformat() if day else None


def _set_subject(ctx: FacilityContext, approval: Approval, table: str, shaker: str) -> None:
    """Point the approval to one table or one shaker.

    Raises `approval-of-one-thing`, `approval-of-another-thing` or `no-such-equipment`.
    """
    if bool(table) == bool(shaker):
        raise Refusal(APPROVAL_OF_ONE_THING)
    if bool(shaker) != (approval.subject in SHAKER_SUBJECTS):
        raise Refusal(APPROVAL_OF_ANOTHER_THING, subject=approval.subject)
    if table:
        approval.table = Table.objects.filter(facility=ctx.facility, code=table).first()
    else:
        approval.shaker = Shaker.objects.filter(facility=ctx.facility, code=shaker).first()
    if approval.table is None and approval.shaker is None:
        raise Refusal(NO_SUCH_EQUIPMENT, code=table or shaker)

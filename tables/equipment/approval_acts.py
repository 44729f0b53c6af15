"""Acts on approvals of equipment: recorded as a body gave them, and withdrawn."""

import datetime as dt
from copy import copy
from typing import Annotated

from audit import clock
from games import submissions
from games.act_forms import Code, Text, integers, whole
from games.engine import Refusal
from games.engine.editions import Edition, all_editions, edition
from games.jurisdictions import is_body
from games.office.documents import document_reference, letter_by_code
from games.params import Params, malformed
from games.snapshot_types import ShakerKind
from tables.equipment.checks import DEVICE, SHAKER_SUBJECTS
from tables.equipment.entry_types import (
    APPROVAL_RECORDED,
    APPROVAL_WITHDRAWN,
    APPROVALS_RECORDED,
    APPROVALS_WITHDRAWN,
    SHAKER_REGISTERED,
    ApprovalData,
)
from tables.equipment.refusals import (
    APPROVAL_ENDS_BEFORE_IT_BEGINS,
    APPROVAL_OF_ANOTHER_THING,
    APPROVAL_OF_ONE_THING,
    APPROVAL_WITHOUT_VERSION,
    BODY_DOES_NOT_APPROVE,
    NO_SUCH_APPROVAL,
    NO_SUCH_EQUIPMENT,
    SHAKER_CODE_TAKEN,
)
from tables.models import Approval, Shaker, Table
from tables.runner.facility import EQUIPMENT, ActOutcome, FacilityContext, facility_act

OFFICE_ROLES = frozenset({"compliance", "games-administrator"})
MOST_AT_ONCE = 500  # tables or shakers of one letter
PRINTS = ("odds", "payout-limit")


@facility_act(EQUIPMENT, roles=OFFICE_ROLES, step_up="always", subject="equipment")
def record_approval(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record an approval of equipment: by whom, when, and by which letter, which it needs.

    It is of one table or shaker (`table`, `shaker`), or of each of several that the same letter names (`tables`,
    `shakers`). `lines` are the edition's physical requirements that the approval confirms.
    """
    subject, printed = params.choice("subject", approval_subjects()), params.texts("prints")
    versions = _versions(params)
    terms = Approval(
        facility=ctx.facility,
        subject=subject,
        body=params.text("body", default="", max_length=60),
        reference=params.text("reference", max_length=60),
        approved_on=params.date("approved_on"),
        ends_on=params.date("ends_on", optional=True),
        lines=sorted(set(params.texts("lines"))),
        prints=[word for word in PRINTS if word in printed],
        version=versions[0] if versions else "",
        further_versions=versions[1:],
    )
    approvals = _for_each(ctx, terms, params)
    if terms.ends_on and terms.ends_on <= terms.approved_on:
        raise Refusal(APPROVAL_ENDS_BEFORE_IT_BEGINS)
    if subject == DEVICE and not versions:
        raise Refusal(APPROVAL_WITHOUT_VERSION)
    for approval in approvals:
        _verify_body(approval)
    letter = letter_by_code(ctx.facility, params.code("letter"))
    for approval in approvals:
        approval.letter = letter
        approval.save()
        _affect_table(ctx, approval)
    data = [approval_data(approval) for approval in approvals]
    return ActOutcome(
        APPROVAL_RECORDED(data[0]) if len(data) == 1 else APPROVALS_RECORDED({"approvals": data})
    )


@facility_act(EQUIPMENT, roles=OFFICE_ROLES)
def withdraw_approval(
    ctx: FacilityContext,
    *,
    approval_id: Annotated[int, whole(0, 2**53)] = 0,
    approvals: Annotated[tuple[int, ...], integers(MOST_AT_ONCE)] = (),
    why: Text,
) -> ActOutcome:
    """Record that an approval was withdrawn, or several. A table that needs it can no longer open."""
    pks = (*approvals, *((approval_id,) if approval_id else ()))
    if not pks:
        raise malformed("approvals")
    rows = list(
        Approval.objects.select_for_update(of=("self",))
        .filter(facility=ctx.facility, pk__in=pks, withdrawn_at=None)
        .order_by("pk")
    )
    if len(rows) != len(pks):
        raise Refusal(NO_SUCH_APPROVAL)
    for approval in rows:
        approval.withdrawn_at = ctx.now
        approval.save(update_fields=["withdrawn_at"])
        _affect_table(ctx, approval)
    data = [approval_data(approval) for approval in rows]
    if len(data) == 1:
        return ActOutcome(APPROVAL_WITHDRAWN({**data[0], "why": why}))
    return ActOutcome(APPROVALS_WITHDRAWN({"approvals": data, "why": why}))


@facility_act(EQUIPMENT, roles=OFFICE_ROLES)
def register_shaker(ctx: FacilityContext, *, shaker: Code, kind: ShakerKind) -> ActOutcome:
    """Register a new shaker. It needs its approval before a table opens with it."""
    if Shaker.objects.filter(facility=ctx.facility, code=shaker).exists():
        raise Refusal(SHAKER_CODE_TAKEN, shaker=shaker)
    Shaker.objects.create(facility=ctx.facility, code=shaker, kind=kind)
    return ActOutcome(SHAKER_REGISTERED({"shaker": shaker, "kind": kind}))


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
    if approval.further_versions:
        data["further_versions"] = approval.further_versions
    return data


def _affect_table(ctx: FacilityContext, approval: Approval) -> None:
    """Refresh the table that the approval is for, or where the shaker is: its screens list what is missing."""
    table = approval.table or (approval.shaker and approval.shaker.table)
    ctx.affect([table] if table else [])


def _day(day: dt.date | None) -> str | None:
    return day.isoformat() if day else None


def _versions(params: Params) -> list[str]:
    """The software versions that an approval names: of `versions`, or of `version` alone."""
    version, versions = params.text("version", default="", max_length=40), params.texts("versions")
    if (version and versions) or not all(0 < len(text) <= 40 and text == text.strip() for text in versions):
        raise malformed("versions")
    return list(dict.fromkeys(versions)) or ([version] if version else [])


def _for_each(ctx: FacilityContext, terms: Approval, params: Params) -> list[Approval]:
    """Return an approval with these terms for each table or shaker that is named.

    Raises `approval-of-one-thing`, `approval-of-another-thing` or `no-such-equipment`.
    """
    tables, shakers = (_codes(params, name) for name in ("table", "shaker"))
    if bool(tables) == bool(shakers):
        raise Refusal(APPROVAL_OF_ONE_THING)
    if bool(shakers) != (terms.subject in SHAKER_SUBJECTS):
        raise Refusal(APPROVAL_OF_ANOTHER_THING, subject=terms.subject)
    rows = (Shaker if shakers else Table).objects.filter(facility=ctx.facility, code__in=shakers or tables)
    rows_by_code = {row.code: row for row in rows}
    approvals = []
    for code in shakers or tables:
        if code not in rows_by_code:
            raise Refusal(NO_SUCH_EQUIPMENT, code=code)
        approval = copy(terms)
        setattr(approval, "shaker" if shakers else "table", rows_by_code[code])
        approvals.append(approval)
    return approvals


def _codes(params: Params, name: str) -> tuple[str, ...]:
    """The codes of a parameter and of its plural. Raises `approval-of-one-thing` if both were sent."""
    code, codes = params.text(name, default=""), params.texts(f"{name}s", max_items=MOST_AT_ONCE)
    if code and codes:
        raise Refusal(APPROVAL_OF_ONE_THING)
    if len(set(codes)) != len(codes):
        raise malformed(f"{name}s")
    return codes or ((code,) if code else ())

"""Approvals of equipment, shakers, and what an edition asks of both before gaming (docs/pit.md).

1. The office records an approval as a body gave it, of tables or of shakers, by one letter (`record_approval`), and
   withdraws one (`withdraw_approval`). A new shaker is registered (`register_shaker`).
2. An edition says which approvals a table needs, by which body, and which lines its opening inspection has
   (`Equipment`). An approval of a shaker belongs to it at any table. This console is the table's electrical device, so
   an approval must name the version that runs. No table opens, and no round begins, without all of them.
3. An approval that ends or is withdrawn while its table is open raises an alert; a round in play ends as usual.

`tables.opening` inspects, `tables.failures` replaces shakers, and `tables.equipment.register` shows what is on file.

The words of lines and subjects are our own, never the regulation's. Those of a single game are in the `words.py` of
its folder, as `INSPECTION_LINES` and `APPROVAL_SUBJECTS`.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any, Literal, NotRequired, TypedDict, Unpack

from django.conf import settings
from django.db.models import Exists, OuterRef, Q, QuerySet

from audit import clock
from audit.columns import (
    AT,
    FACILITY,
    NONE,
    PLACE,
    Body,
    Fold,
    Rows,
    constant,
    declare,
    document_code,
    same,
    value_of,
)
from audit.entry_types import entry_type
from audit.rows import CompiledRead
from games import submissions
from games.act_forms import Code, Text, integers, whole
from games.engine import Refusal, RefusalCode
from games.engine.editions import ApprovalRule, Edition, InspectionLine, all_editions, edition
from games.jurisdictions import is_body
from games.office.documents import DocumentReference, document_reference, letter_by_code
from games.office.signs import verify_form
from games.params import Params, malformed
from games.snapshot_types import ShakerKind
from games.wording import with_games
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_rule, live_tables
from tables.core.context import TableContext
from tables.equipment.signs import SIGN_OF_LINE
from tables.models import Approval, Shaker, Table
from tables.runner.facility import EQUIPMENT, ActOutcome, FacilityContext, facility_act
from tables.words import register

NOT_APPROVED = RefusalCode(
    "not-approved",
    "No approval of the %(subject)s by the %(body)s is on file. No round can begin.",
    "Approval missing",
)
NOT_ON_RECORD = RefusalCode("not-on-record", "The %(subject)s is not on record. No round can begin.")
APPROVED_BY_ANOTHER_BODY = RefusalCode(
    "approved-by-another-body",
    "Approval %(reference)s is by %(named)s; it takes one by the %(body)s. No round can begin.",
    "Another body approves",
)
APPROVAL_SAYS_LESS = RefusalCode(
    "approval-says-less",
    "Approval %(reference)s does not confirm: %(line)s No round can begin.",
    "Approval incomplete",
)
DEVICE_OF_ANOTHER_VERSION = RefusalCode(
    "device-of-another-version",
    "This console runs version %(runs)s; the approval is for %(approved)s. No round can begin until the office has "
    "recorded an approval of %(runs)s.",
)
ODDS_NOT_ON_LAYOUT = RefusalCode(
    "odds-not-on-layout",
    "The odds are not printed on the layout, and a sign may not replace them here. No round can begin.",
)
INSPECTION_LINE_MISSING = RefusalCode(
    "inspection-line-missing",
    "Not confirmed: %(line)s Check it, then confirm it.",
    "Inspection incomplete",
)
CAMERAS_MISSING = RefusalCode(
    "cameras-missing",
    "Name %(cameras)s different cameras, one for each end of the table.",
)
TOO_FEW_TOSSES = RefusalCode(
    "too-few-tosses",
    "The automated shaker was run %(tosses)s times; the inspection requires at least three.",
)
BODY_DOES_NOT_APPROVE = RefusalCode(
    "body-does-not-approve",
    "An approval of the %(subject)s is given by the %(body)s, not by the body that you entered (%(named)s).",
    "Another body approves",
)
APPROVAL_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "approval-ends-before-it-begins",
    "The approval would end on or before the day it was given. Check both days.",
)
APPROVAL_OF_ONE_THING = RefusalCode(
    "approval-of-one-thing",
    "An approval is for tables or for shakers. Choose at least one table, or at least one shaker.",
)
APPROVAL_OF_ANOTHER_THING = RefusalCode(
    "approval-of-another-thing",
    "This approval does not fit: choose a shaker for a shaker's approval, and a table for every "
    "other. It is for: %(subject)s.",
)
APPROVAL_WITHOUT_VERSION = RefusalCode(
    "approval-without-version",
    "An approval of the electrical device names the version of its software. Enter the versions that the letter names.",
    "Version missing",
)
NO_SUCH_EQUIPMENT = RefusalCode("no-such-equipment", "There is no %(code)s at this facility.")
NO_SUCH_APPROVAL = RefusalCode(
    "no-such-approval",
    "This approval does not exist or is no longer in effect. Reload the page.",
)
SHAKER_CODE_TAKEN = RefusalCode(
    "shaker-code-taken",
    "There is already a shaker %(shaker)s. Use another code.",
)


# Lines of an inspection, subjects of approvals and posts, in words


# A line of the inspection or of an approval, as a person confirms it
LINES = {
    # At each opening
    "boxes": "Drop box and tip box are on the dealer's side, one at each hand, where approved.",
    "cover-conceals": "The shaker's own cover hides the dice while it runs.",
    "dice-sealed": "The dice are sealed in the shaker.",
    "layout-odds": "The layout shows the odds now in force.",
    "odds-sign": "A sign at the table shows the odds.",
    "shaker-seals": "The shaker seals or locks, with the dice inside.",
    "shaker-uncovered": "Nothing covers the automated shaker.",
    # Once, when the approval of the table or its layout is recorded
    "layout-areas": "Every wager has its own marked area.",
    "layout-logo": "The layout carries our name or logo.",
    # Once, when the approval of the shaker or the system is recorded
    "shaker-compartment": "The dice are in a transparent compartment.",
    "shaker-cover": "It has its own opaque cover.",
    "shaker-integrity": "It is built so that nobody can tamper with the result.",
    "shaker-logo": "It carries our name or logo.",
    "shaker-sealable": "It can be sealed or locked.",
    "shaker-shakes-all": "It shakes all the dice of the game well.",
    "shaker-without-cover": "It has no separate cover.",
}
# What an approval is of
SUBJECTS = {
    "boxes": "Places of the drop box and the tip box",
    "device": "Electrical device",
    "layout": "Layout",
    "shaker": "Shaker",
    "shaker-automated": "Automated shaker, laboratory",
    "shaker-place": "Place of the automated shaker",
    "shaker-procedure": "Procedure of the automated shaker",
}
# The posts at a table
POSTS = {
    "dealer": "the dealer",
    "dealer-left": "the left dealer",
    "stick": "the stickperson",
}


def inspection_lines() -> Mapping[str, str]:
    """Return every line of an inspection or approval by its code, those of single games included."""
    return with_games("INSPECTION_LINES", LINES)


def approval_subjects() -> Mapping[str, str]:
    """Return what approvals are of by code, those of single games included."""
    return with_games("APPROVAL_SUBJECTS", SUBJECTS)


def words_for_codes(params: Mapping[str, Any]) -> dict[str, Any]:
    """Replace codes of subjects, inspection lines and posts among a refusal's parameters with words."""
    labels_by_name = {"subject": approval_subjects(), "line": inspection_lines(), "post": POSTS}
    return {
        name: str(labels_by_name[name].get(value, value)) if name in labels_by_name else value
        for name, value in params.items()
    }


register(act_lines=(), params=words_for_codes)


# What the record says of approvals and shakers


class ApprovalData(TypedDict):
    """An approval of a table's equipment, or of a shaker: exactly one of `of_table` and `of_shaker` is set."""

    approval: int
    approved_on: Annotated[str, "since when it is in effect"]
    body: Annotated[str, "the body that approved; may be empty"]
    ends_on: Annotated[str | None, "the first day on which it is no longer in effect; null without an end"]
    lines: Annotated[list[str], "codes of the requirements of the edition that it confirms"]
    of_shaker: Annotated[str | None, "code of the shaker that it is for"]
    of_table: Annotated[str | None, "code of the table that it is for"]
    prints: Annotated[list[Literal["odds", "payout-limit"]], "what the layout prints"]
    reference: Annotated[str, "reference of the approval"]
    subject: Annotated[str, "what was approved, as the edition names it: layout, device, shaker, …"]
    version: Annotated[str, "software version of a device; otherwise empty"]
    letter: NotRequired[Annotated[DocumentReference, "the document that says it"]]
    further_versions: NotRequired[Annotated[list[str], "further software versions that it approves"]]


APPROVAL_RECORDED = entry_type(
    "approval.recorded",
    ApprovalData,
    "An approval of equipment was recorded, of one table or of one shaker.",
    lambda data: "Approval %(reference)s of the %(subject)s recorded" % data,
)


@entry_type("approval.withdrawn")
def APPROVAL_WITHDRAWN(
    *, why: Annotated[str, "why, in a person's words"], **data: Unpack[ApprovalData]
) -> str:
    """An approval of equipment was withdrawn."""
    return f"Approval {data['reference']} of the {data['subject']} withdrawn"


def _approvals_in_words(approvals: Sequence[ApprovalData]) -> str:
    """Such as "Approval BGL-7 (electrical device) of T-01, T-02"."""
    words = approval_subjects()
    names = dict.fromkeys(
        "%s (%s)" % (approval["reference"], words.get(approval["subject"], approval["subject"]).lower())
        for approval in approvals
    )
    codes = [str(approval["of_table"] or approval["of_shaker"]) for approval in approvals]
    return "Approval %s of %s" % (" and ".join(names), ", ".join(codes))


class ApprovalsRecorded(TypedDict):
    approvals: Annotated[list[ApprovalData], "one for each table or shaker"]


APPROVALS_RECORDED = entry_type(
    "approvals.recorded",
    ApprovalsRecorded,
    "An approval of several tables or shakers was recorded, by one letter.",
    lambda data: "%s recorded" % _approvals_in_words(data["approvals"]),
)


@entry_type("approvals.withdrawn")
def APPROVALS_WITHDRAWN(
    *, why: Annotated[str, "why, in a person's words"], **data: Unpack[ApprovalsRecorded]
) -> str:
    """Several approvals of equipment were withdrawn at once."""
    return "%s withdrawn" % _approvals_in_words(data["approvals"])


@entry_type("shaker.registered")
def SHAKER_REGISTERED(*, kind: Annotated[ShakerKind, "kind of shaker"], shaker: str) -> str:
    """A new shaker was registered in the facility."""
    return f"Shaker {shaker} registered"


# What an edition requires of a table's equipment


DEVICE = "device"  # the table's electrical device: this console
SHAKER_SUBJECTS = ("shaker", "shaker-automated")  # an approval of these belongs to the shaker, at any table
ON_FILE, INCOMPLETE, OTHER_BODY, OTHER_VERSION, MISSING = (
    "on-file", "says-less", "other-body", "other-version", "missing"
)  # fmt: skip


@dataclass(frozen=True)
class ApprovalState:
    """The state of an approval that an edition requires.

    `missing_lines` are the edition's lines that the approval does not confirm.
    """

    rule: ApprovalRule
    state: str
    approval: Approval | None = None
    missing_lines: tuple[str, ...] = ()


NO_SHAKER_ID = 0
APPROVALS_IN_EFFECT = CompiledRead(
    lambda table, shaker, day: (
        Approval.objects.in_effect(day)
        .filter(
            Q(table=table) & ~Q(subject__in=SHAKER_SUBJECTS)
            | Q(shaker=shaker) & Q(subject__in=SHAKER_SUBJECTS)
        )
        .order_by("approved_on", "id")
    ),
    is_of_epoch=True,
)


class Equipment:
    """A table's equipment at the moment of an act or of a snapshot; read once."""

    def __init__(self, ctx: TableContext, shaker: Shaker | None = None) -> None:
        """`shaker` is another shaker to check in place of the working one."""
        self.ctx = ctx
        self.shaker = shaker or ctx.shaker

    @cached_property
    def approvals(self) -> dict[str, Approval]:
        """The newest approval of each subject in effect today, for the table or for its shaker.

        Of the electrical device, the newest that names the running version: while workers are replaced, two versions
        deal beside each other, each under its own approval.
        """
        approvals = self.approvals_in_effect
        runs = [
            approval
            for approval in approvals
            if approval.subject == DEVICE and settings.BUILD in approval.versions
        ]
        return {approval.subject: approval for approval in [*approvals, *runs]}

    @cached_property
    def approvals_in_effect(self) -> list[Approval]:
        """Every approval in effect today for the table or for its shaker, the newest last."""
        ctx, today = self.ctx, self.ctx.table.facility.local(self.ctx.now).date()
        return APPROVALS_IN_EFFECT(ctx.table.pk, self.shaker.pk if self.shaker else NO_SHAKER_ID, today)

    @cached_property
    def conditions(self) -> frozenset[str]:
        """The edition's named conditions that hold here."""
        ctx = self.ctx
        kind = ctx.rules.shaker(self.shaker.kind if self.shaker else ctx.shaker_kind)
        prints = self.approvals["layout"].prints if "layout" in self.approvals else []
        holds = {
            "automated": kind.automated or kind.by_player,
            "manual": not (kind.automated or kind.by_player),
            "covered": kind.automated and not kind.in_view,
            "odds-not-on-layout": "odds" not in prints,
            "payout-limit": ctx.rules.payout_limit_cents is not None,
            "limit-not-on-layout": ctx.rules.payout_limit_cents is not None and "payout-limit" not in prints,
        }
        return frozenset(name for name, here in holds.items() if here)

    def applies(self, rule: InspectionLine | ApprovalRule) -> bool:
        """Whether this table needs the line or the approval."""
        return not rule.when or rule.when in self.conditions

    @property
    def lines(self) -> list[InspectionLine]:
        """The lines that the floorperson confirms before this table opens."""
        return [line for line in self.ctx.rules.edition.inspection if self.applies(line)]

    @property
    def required_approvals(self) -> list[ApprovalRule]:
        """The approvals that this table needs before it opens."""
        return [rule for rule in self.ctx.rules.edition.approvals if self.applies(rule)]

    def approval_state(self, rule: ApprovalRule) -> ApprovalState:
        """The state of the approval that this rule requires. The table opens only with `ON_FILE`.

        This console is the table's electrical device, so its running version must be the approved one.
        """
        approval = self.approvals.get(rule.subject)
        if approval is None:
            return ApprovalState(rule, MISSING)
        if rule.body and not is_body(approval.body, rule.body):
            return ApprovalState(rule, OTHER_BODY, approval)
        missing_lines = tuple(line for line in rule.lines if line not in approval.lines)
        if missing_lines:
            return ApprovalState(rule, INCOMPLETE, approval, missing_lines)
        is_other_version = rule.subject == DEVICE and settings.BUILD not in approval.versions
        return ApprovalState(rule, OTHER_VERSION if is_other_version else ON_FILE, approval)

    def verify_approved(self) -> None:
        """Refuse the first approval that is missing, incomplete, of another version or by another body.

        Raises `not-approved`, `not-on-record`, `approved-by-another-body`, `approval-says-less`,
        `device-of-another-version` or `odds-not-on-layout`.
        """
        for rule in self.required_approvals:
            self._verify(rule)
        self._verify_odds_on_layout()

    def verify_shaker_approved(self) -> None:
        """The same check for the shaker alone, whenever one is placed at a table."""
        for rule in self.required_approvals:
            if rule.subject.startswith("shaker"):
                self._verify(rule)

    def _verify(self, rule: ApprovalRule) -> None:
        approval_state = self.approval_state(rule)
        approval = approval_state.approval
        if approval is None:
            code = NOT_APPROVED if rule.body else NOT_ON_RECORD
            raise Refusal(code, rule.section, subject=rule.subject, body=rule.body)
        if approval_state.state == OTHER_BODY:
            bodies = {"body": rule.body, "named": approval.body, "reference": approval.reference}
            raise Refusal(APPROVED_BY_ANOTHER_BODY, rule.section, **bodies)
        if approval_state.state == INCOMPLETE:
            line = approval_state.missing_lines[0]
            raise Refusal(APPROVAL_SAYS_LESS, rule.lines[line], reference=approval.reference, line=line)
        if approval_state.state == OTHER_VERSION:
            version = {"approved": " and ".join(approval.versions), "runs": settings.BUILD}
            raise Refusal(DEVICE_OF_ANOTHER_VERSION, self.ctx.rules.section("device"), **version)

    def _verify_odds_on_layout(self) -> None:
        """Raises `odds-not-on-layout` if they must be printed there: 539.1(c)(3) lets no sign replace them (A20)."""
        rules = self.ctx.rules
        section = rules.section("layout-odds")
        if section and not rules.section("layout-odds-sign") and "odds-not-on-layout" in self.conditions:
            raise Refusal(ODDS_NOT_ON_LAYOUT, section)

    def verify_lines(self, confirmed: tuple[str, ...]) -> None:
        """Refuse an inspection with an unconfirmed line, an unknown line, or a sign without an approved form.

        Raises `inspection-line-missing`, `malformed`, or the refusal of the sign's form (§ 521.8(d)).
        """
        sections_by_line = {line.code: line.section for line in self.lines}
        for code, section in sections_by_line.items():
            if code not in confirmed:
                raise Refusal(INSPECTION_LINE_MISSING, section, line=code)
            if code in SIGN_OF_LINE:
                verify_form(self.ctx.table.facility, SIGN_OF_LINE[code], self.ctx.table.game)
        if set(confirmed) - set(sections_by_line):
            raise malformed("lines")

    def verify_cameras(self, cameras: tuple[str, ...]) -> None:
        """Refuse unless the required number of different cameras is named, one for each end.

        Raises `cameras-missing`, or `malformed` for cameras that the edition does not require.
        """
        required, section = self.ctx.rules.edition.cameras, self.ctx.rules.section("cameras")
        names = [camera.strip() for camera in cameras]
        if required and (len(set(names)) != required or not all(names)):
            raise Refusal(CAMERAS_MISSING, section, cameras=required)
        if len(names) != required:
            raise malformed("cameras")


TOSSES = 3  # test runs of an automated shaker before gaming


def verify_tosses(ctx: TableContext, kind: str, tosses: int) -> None:
    """Raises `too-few-tosses` if an automated shaker had fewer test runs than `TOSSES`."""
    if ctx.rules.shaker(kind).automated and tosses < TOSSES:
        raise Refusal(TOO_FEW_TOSSES, ctx.rules.section("inspection-shaker"), tosses=tosses)


# Approvals: recorded as a body gave them, and withdrawn


OFFICE_ROLES = frozenset({"compliance", "games-administrator"})
MOST_AT_ONCE = 500  # tables or shakers of one letter
PRINTS = ("odds", "payout-limit")


@facility_act(EQUIPMENT, roles=OFFICE_ROLES, step_up="always", subject="equipment")
def record_approval(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Record an approval of equipment: by whom, when, and by which letter, which it needs.

    It is of one table or shaker (`table`, `shaker`), or of each of several that the same letter names (`tables`,
    `shakers`). `lines` are the edition's physical requirements that the approval confirms.
    """
    subject, printed = params.choice("subject", required_subjects()), params.texts("prints")
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
        return ActOutcome(APPROVAL_WITHDRAWN(**data[0], why=why))
    return ActOutcome(APPROVALS_WITHDRAWN(approvals=data, why=why))


def required_subjects() -> tuple[str, ...]:
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


@facility_act(EQUIPMENT, roles=OFFICE_ROLES)
def register_shaker(ctx: FacilityContext, *, shaker: Code, kind: ShakerKind) -> ActOutcome:
    """Register a new shaker. It needs its approval before a table opens with it."""
    if Shaker.objects.filter(facility=ctx.facility, code=shaker).exists():
        raise Refusal(SHAKER_CODE_TAKEN, shaker=shaker)
    Shaker.objects.create(facility=ctx.facility, code=shaker, kind=kind)
    return ActOutcome(SHAKER_REGISTERED(shaker=shaker, kind=kind))


# The alert about an approval that ended or was withdrawn


WIDEST_ZONE = dt.timedelta(hours=14)
APPROVAL_ENDED = AlertKind(
    "approval-ended",
    "approval:{subject}",
    Level.STOP,
    "Approval ended",
    "Approval ended",
    "The approval of the %(subject)s is no longer in effect. A round in play ends as usual; no other round begins "
    "until the office has recorded an approval. Close the table, or call the office.",
)


def ended_approvals(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the approvals that tables in play require and no longer have, with the section that requires each.

    Only a table with an approval that is over and was not replaced is checked against its edition.
    """
    return [
        alert
        for table in _tables_with_ended_approvals(now, table_id)
        for alert in _missing_approvals(table, now)
    ]


def _tables_with_ended_approvals(now: dt.datetime, table_id: int | None) -> QuerySet[Table]:
    """Return open tables that may lack an approval. One statement, whatever day it is at each facility."""
    first, last = ((now + shift).date() for shift in (-WIDEST_ZONE, WIDEST_ZONE))
    ended = Approval.objects.filter(~Q(withdrawn_at=None) | Q(ends_on__lte=last), approved_on__lte=last)
    in_effect = Approval.objects.in_effect(last).filter(approved_on__lte=first, subject=OuterRef("subject"))
    of_table = ended.filter(~Exists(in_effect.filter(table=OuterRef("table"))), table=OuterRef("pk"))
    of_shaker = ended.filter(
        ~Exists(in_effect.filter(shaker=OuterRef("shaker"))),
        shaker__table=OuterRef("pk"),
        shaker__out_of_order=False,
    )
    tables = live_tables(table_id).exclude(status=Table.Status.CLOSED)
    rows = tables.filter(Exists(of_table) | Exists(of_shaker))
    return rows.select_related("facility", "stream", "pit").order_by("pk")


def _missing_approvals(table: Table, now: dt.datetime) -> list[ExpectedAlert]:
    """Return an alert for each approval that the table's edition requires and that is not there."""
    ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, now))
    equipment = Equipment(ctx)
    try:
        required = equipment.required_approvals
    except Refusal:  # without rules in force, which has an alert of its own
        return []
    return [
        APPROVAL_ENDED.expected(table.pk, section=rule.section, subject=rule.subject)
        for rule in required
        if equipment.approval_state(rule).state == MISSING
    ]


alert_rule(AlertRule((APPROVAL_ENDED,), ended_approvals))


# What the entries state of approvals and shakers


# Types of higher packages, by their names
SHAKER_REPAIRED, SHAKER_REPLACED = "shaker.repaired", "shaker.replaced"
TABLE_CLOSED, TABLE_OPENED = "table.closed", "table.opened"
BY_HAND = ("manual", "dice-cup")  # which never stay at a table out of order
APPROVAL = {
    **same("subject", "body", "reference", "approved_on", "ends_on", "lines", "prints", "version"),
    "facility": FACILITY,
    "table": "of_table",
    "shaker": "of_shaker",
    "letter": document_code("letter"),
    "further_versions": lambda body: body["data"].get("further_versions", []),
}


def each(**withdrawn: Any) -> Fold:
    """Fold an entry about several approvals, each as an entry about one."""

    def fold(rows: Rows, body: Body) -> None:
        for data in body["data"]["approvals"]:
            part = {**body, "data": data}
            values = {name: value_of(part, source) for name, source in {**APPROVAL, **withdrawn}.items()}
            rows.put(body, data["approval"], **values)

    return fold


declare(
    Approval,
    "approval",
    may_be_seeded=True,
    key={"id": "approval"},
    created={APPROVAL_RECORDED: {**APPROVAL, "withdrawn_at": NONE}},
    changed={APPROVAL_WITHDRAWN: {**APPROVAL, "withdrawn_at": AT}},
    folded={APPROVALS_RECORDED: each(withdrawn_at=NONE), APPROVALS_WITHDRAWN: each(withdrawn_at=AT)},
)


def replaced(rows: Rows, body: Body) -> None:
    """A shaker goes to its table; the one before stays there out of order, or leaves it, as the entry says."""
    data, facility, table = body["data"], FACILITY(body), PLACE(body)
    if data["replaces"] is not None:
        old = facility, data["replaces"]
        kind = (rows.get(*old) or {}).get("kind")
        stays = kind not in BY_HAND and not data["removed_from_table"]
        rows.put(body, *old, secured=True, table=table if stays else None)
        if stays:
            rows.put(body, *old, out_of_order=True)
        else:  # another entry says whether it had failed
            rows.forget(*old, names=["out_of_order"])
        if kind is None:
            rows.forget(*old, names=["out_of_order", "table"])
    is_open = rows.memory.get((facility, table), False)
    rows.put(body, facility, data["shaker"], kind=data["kind"], table=table, secured=not is_open)


def opened(rows: Rows, body: Body) -> None:
    rows.memory[FACILITY(body), PLACE(body)] = True
    rows.put(body, FACILITY(body), body["data"]["shaker"], secured=False)


def closed(rows: Rows, body: Body) -> None:
    rows.memory[FACILITY(body), PLACE(body)] = False
    if body["data"]["shaker"] is not None:
        rows.put(body, FACILITY(body), body["data"]["shaker"], secured=True)


declare(
    Shaker,
    "shaker",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "shaker"},
    created={
        SHAKER_REGISTERED: {
            "kind": "kind",
            "table": NONE,
            "out_of_order": constant(False),
            "secured": constant(True),
        }
    },
    changed={
        SHAKER_REPAIRED: {
            "kind": "kind",
            "table": NONE,
            "out_of_order": constant(False),
            "secured": constant(True),
        }
    },
    folded={SHAKER_REPLACED: replaced, TABLE_OPENED: opened, TABLE_CLOSED: closed},
)

"""What an edition requires of a table's equipment: approvals, and the lines of its opening inspection."""

from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.db.models import Q

from games.engine import Refusal
from games.engine.editions import ApprovalRule, InspectionLine
from games.jurisdictions import is_body
from games.office.signs import verify_form
from games.refusals import MALFORMED
from tables.core.context import TableContext
from tables.equipment.refusals import (
    APPROVAL_SAYS_LESS,
    APPROVED_BY_ANOTHER_BODY,
    CAMERAS_MISSING,
    DEVICE_OF_ANOTHER_VERSION,
    INSPECTION_LINE_MISSING,
    NOT_APPROVED,
    NOT_ON_RECORD,
    ODDS_NOT_ON_LAYOUT,
)
from tables.equipment.table_signs import SIGN_OF_LINE
from tables.models import Approval, Shaker

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
        goes_with_it = Q(subject__in=SHAKER_SUBJECTS)
        of = Q(table=ctx.table.pk) & ~goes_with_it
        if self.shaker is not None:
            of |= Q(shaker=self.shaker.pk) & goes_with_it
        return list(Approval.objects.in_effect(today).filter(of).order_by("approved_on", "id"))

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
            raise Refusal(MALFORMED, name="lines")

    def verify_cameras(self, cameras: tuple[str, ...]) -> None:
        """Refuse unless the required number of different cameras is named, one for each end.

        Raises `cameras-missing`, or `malformed` for cameras that the edition does not require.
        """
        required, section = self.ctx.rules.edition.cameras, self.ctx.rules.section("cameras")
        names = [camera.strip() for camera in cameras]
        if required and (len(set(names)) != required or not all(names)):
            raise Refusal(CAMERAS_MISSING, section, cameras=required)
        if len(names) != required:
            raise Refusal(MALFORMED, name="cameras")

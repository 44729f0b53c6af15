"""What an edition asks of a table's equipment: the approvals on file and the lines of its opening inspection."""

from dataclasses import dataclass
from functools import cached_property

from django.conf import settings
from django.db.models import Q

from games.engine import Refusal
from games.engine.editions import ApprovalRule, InspectionLine
from games.office.signs.forms import verify_form
from tables.core.context import TableContext
from tables.equipment.table_signs import SIGN_OF_LINE
from tables.models import Approval, Shaker

SHAKER_SUBJECTS = ("shaker", "shaker-automated")  # goes with the shaker to whatever table it stands at

ON_FILE, INCOMPLETE, OTHER_VERSION, MISSING = "on-file", "says-less", "other-version", "missing"


@dataclass(frozen=True)
class ApprovalState:
    """How an approval that an edition asks of a table stands; `lacks` are the lines that it does not confirm."""

    rule: ApprovalRule
    state: str
    approval: Approval | None = None
    lacks: tuple[str, ...] = ()


class Equipment:
    """A table's equipment as it stands at the moment of an act or of a snapshot; read once."""

    def __init__(self, ctx: TableContext, shaker: Shaker | None = None) -> None:
        """`shaker` is one that would stand here in place of the working one."""
        self.at = ctx
        self.shaker = shaker or ctx.shaker

    @cached_property
    def approvals(self) -> dict[str, Approval]:
        """The newest approval of each subject that is in effect on this day, of the table or of its shaker."""
        ctx, today = self.at, self.at.table.facility.local(self.at.now).date()
        goes_with_it = Q(subject__in=SHAKER_SUBJECTS)
        of = Q(table=ctx.table.pk) & ~goes_with_it
        if self.shaker is not None:
            of |= Q(shaker=self.shaker.pk) & goes_with_it
        approvals = Approval.objects.in_effect(today).filter(of)
        return {approval.subject: approval for approval in approvals.order_by("approved_on", "id")}

    @cached_property
    def conditions(self) -> frozenset[str]:
        """The named conditions of the edition's lines that hold here."""
        ctx = self.at
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
        """Whether a line or an approval is asked for at this table as it stands."""
        return not rule.when or rule.when in self.conditions

    @property
    def lines(self) -> list[InspectionLine]:
        """What the floorperson confirms by hand before this table opens."""
        return [line for line in self.at.rules.edition.inspection if self.applies(line)]

    @property
    def wanted(self) -> list[ApprovalRule]:
        """The approvals that must be on file before this table opens."""
        return [rule for rule in self.at.rules.edition.approvals if self.applies(rule)]

    def standing(self, rule: ApprovalRule) -> ApprovalState:
        """How the approval that this rule asks for stands; anything but `ON_FILE` keeps the table from opening.

        This console is the table's electrical device: the version that runs is the one that was approved.
        """
        approval = self.approvals.get(rule.subject)
        if approval is None:
            return ApprovalState(rule, MISSING)
        lacks = tuple(line for line in rule.lines if line not in approval.lines)
        if lacks:
            return ApprovalState(rule, INCOMPLETE, approval, lacks)
        is_other_version = rule.subject == "device" and approval.version != settings.BUILD
        return ApprovalState(rule, OTHER_VERSION if is_other_version else ON_FILE, approval)

    def verify_approved(self) -> None:
        """Raises `Refusal` for the first approval that is missing, or that does not say all that the edition asks."""
        for rule in self.wanted:
            self._verify(rule)
        self._verify_odds_are_shown()

    def verify_shaker_approved(self) -> None:
        """The same for what concerns the shaker alone: it is asked whenever one is put on a table."""
        for rule in self.wanted:
            if rule.subject.startswith("shaker"):
                self._verify(rule)

    def _verify(self, rule: ApprovalRule) -> None:
        approval_state = self.standing(rule)
        approval = approval_state.approval
        if approval is None:
            code = "not-approved" if rule.body else "not-on-record"
            raise Refusal(code, rule.section, subject=rule.subject, body=rule.body)
        if approval_state.state == INCOMPLETE:
            line = approval_state.lacks[0]
            raise Refusal("approval-says-less", rule.lines[line], reference=approval.reference, line=line)
        if approval_state.state == OTHER_VERSION:
            version = {"approved": approval.version, "runs": settings.BUILD}
            raise Refusal("device-of-another-version", self.at.rules.section("device"), **version)

    def _verify_odds_are_shown(self) -> None:
        """Where an edition lets no sign replace the odds on the layout, they are printed there (539.1(c)(3), A20)."""
        rules = self.at.rules
        section = rules.section("layout-odds")
        if section and not rules.section("layout-odds-sign") and "odds-not-on-layout" in self.conditions:
            raise Refusal("odds-not-on-layout", section)

    def verify_lines(self, confirmed: tuple[str, ...]) -> None:
        """Raises `Refusal` for the first line that was not confirmed, and for one that is not asked for here; and where
        a sign is confirmed whose form is not approved (§ 521.8(d)).
        """
        sections_by_line = {line.code: line.section for line in self.lines}
        for code, section in sections_by_line.items():
            if code not in confirmed:
                raise Refusal("inspection-line-missing", section, line=code)
            if code in SIGN_OF_LINE:
                verify_form(self.at.table.facility, SIGN_OF_LINE[code], self.at.table.game)
        if set(confirmed) - set(sections_by_line):
            raise Refusal("malformed", name="lines")

    def verify_cameras(self, cameras: tuple[str, ...]) -> None:
        """Raises `Refusal` unless as many different cameras are named as the edition asks, one for each end."""
        required, section = self.at.rules.edition.cameras, self.at.rules.section("cameras")
        names = [camera.strip() for camera in cameras]
        if required and (len(set(names)) != required or not all(names)):
            raise Refusal("cameras-missing", section, cameras=required)
        if len(names) != required:
            raise Refusal("malformed", name="cameras")

"""What an edition asks of a table's equipment: the approvals on file and the lines of its opening inspection."""

from functools import cached_property

from django.conf import settings
from django.db.models import Q

from games.engine import Refusal
from games.engine.editions import ApprovalRule, InspectionLine

from .at_table import AtTable
from .models import Approval, Shaker

OF_SHAKER = ("shaker", "shaker-automated")  # goes with the shaker to whatever table it stands at


class Equipment:
    """A table's equipment as it stands at the moment of an act or of a snapshot; read once."""

    def __init__(self, at: AtTable, shaker: Shaker | None = None) -> None:
        """`shaker` is one that would stand here in place of the working one."""
        self.at = at
        self.shaker = shaker or at.shaker

    @cached_property
    def approvals(self) -> dict[str, Approval]:
        """The newest approval of each subject that is in effect on this day, of the table or of its shaker."""
        at, today = self.at, self.at.table.facility.local(self.at.now).date()
        of = Q(table=at.table.pk)
        if self.shaker is not None:
            of |= Q(shaker=self.shaker.pk)
        found = Approval.objects.filter(of, withdrawn_at=None, approved_on__lte=today)
        found = found.filter(Q(ends_on=None) | Q(ends_on__gt=today))
        return {one.subject: one for one in found.order_by("approved_on", "id")}

    @cached_property
    def conditions(self) -> frozenset[str]:
        """The named conditions of the edition's lines that hold here."""
        at = self.at
        kind = at.rules.shaker(self.shaker.kind if self.shaker else at.shaker_kind)
        prints = self.approvals["layout"].prints if "layout" in self.approvals else []
        holds = {
            "automated": kind.automated or kind.by_player,
            "manual": not (kind.automated or kind.by_player),
            "covered": kind.automated and not kind.in_view,
            "odds-not-on-layout": "odds" not in prints,
            "payout-limit": at.rules.payout_limit_cents is not None,
            "limit-not-on-layout": at.rules.payout_limit_cents is not None and "payout-limit" not in prints,
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

    def verify_approved(self) -> None:
        """Raises `Refusal` for the first approval that is missing, or that does not say all that the edition asks."""
        for rule in self.wanted:
            self._verify(rule)
        self._verify_version()
        self._verify_odds_are_shown()

    def verify_shaker_approved(self) -> None:
        """The same for what concerns the shaker alone: it is asked whenever one is put on a table."""
        for rule in self.wanted:
            if rule.subject.startswith("shaker"):
                self._verify(rule)

    def _verify(self, rule: ApprovalRule) -> None:
        found = self.approvals.get(rule.subject)
        if found is None:
            code = "not-approved" if rule.body else "not-on-record"
            raise Refusal(code, rule.section, subject=rule.subject, body=rule.body)
        for line, section in rule.lines.items():
            if line not in found.lines:
                raise Refusal("approval-says-less", section, reference=found.reference, line=line)

    def _verify_version(self) -> None:
        """This console is the table's electrical device: the version that runs is the one that was approved."""
        found = self.approvals.get("device")
        if found is not None and found.version != settings.BUILD:
            section = self.at.rules.section("device")
            raise Refusal("device-of-another-version", section, approved=found.version, runs=settings.BUILD)

    def _verify_odds_are_shown(self) -> None:
        """Where an edition lets no sign replace the odds on the layout, they are printed there (539.1(c)(3), A20)."""
        rules = self.at.rules
        section = rules.section("layout-odds")
        if section and not rules.section("layout-odds-sign") and "odds-not-on-layout" in self.conditions:
            raise Refusal("odds-not-on-layout", section)

    def verify_lines(self, confirmed: tuple[str, ...]) -> None:
        """Raises `Refusal` for the first line that was not confirmed, and for one that is not asked for here."""
        asked = {line.code: line.section for line in self.lines}
        for code, section in asked.items():
            if code not in confirmed:
                raise Refusal("inspection-line-missing", section, line=code)
        if set(confirmed) - set(asked):
            raise Refusal("malformed", name="lines")

    def verify_cameras(self, cameras: tuple[str, ...]) -> None:
        """Raises `Refusal` unless as many different cameras are named as the edition asks, one for each end."""
        wanted, section = self.at.rules.edition.cameras, self.at.rules.section("cameras")
        named = [camera.strip() for camera in cameras]
        if wanted and (len(set(named)) != wanted or not all(named)):
            raise Refusal("cameras-missing", section, cameras=wanted)
        if len(named) != wanted:
            raise Refusal("malformed", name="cameras")

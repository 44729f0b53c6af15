"""What is missing before workers of another version of this software may deal (docs/deployment.md)."""

from dataclasses import dataclass, field

from django.conf import settings

from audit import clock
from games.engine import Refusal
from games.engine.editions import ApprovalRule
from games.jurisdictions import is_body
from games.models import Facility, PreparedChange
from tables.core.context import TableContext
from tables.equipment.checks import DEVICE, Equipment
from tables.models import Table


@dataclass(frozen=True)
class TableVersion:
    """A table whose edition requires an approval of the version: whether it has it, and whether the way back has it.

    `waits` is the code of the prepared change that would approve the version here, or "".
    """

    table: Table
    section: str
    is_approved: bool
    is_way_back: bool
    waits: str = ""


@dataclass
class UpgradeCheck:
    """The tables of all facilities that need an approval of a version."""

    version: str
    tables: list[TableVersion] = field(default_factory=list)

    @property
    def missing(self) -> list[TableVersion]:
        """The tables at which no round would begin with this version."""
        return [row for row in self.tables if not row.is_approved]

    @property
    def no_way_back(self) -> list[TableVersion]:
        """The tables at which no round would begin with the version that runs now."""
        return [row for row in self.tables if not row.is_way_back]


def check_upgrade(version: str) -> UpgradeCheck:
    """Look at every table that is not a simulation. A table without rules in force or a device needs nothing."""
    check = UpgradeCheck(version)
    for facility in Facility.objects.order_by("code"):
        waiting = _waiting_changes(facility, version)
        tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
        for table in tables.select_related("facility", "stream", "pit").order_by("code"):
            ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, clock.now()))
            equipment = Equipment(ctx)
            try:
                rules = [rule for rule in equipment.required_approvals if rule.subject == DEVICE]
            except Refusal:  # without rules in force, the table deals with no version
                continue
            for rule in rules:
                versions = _approved_versions(equipment, rule)
                check.tables.append(
                    TableVersion(
                        table,
                        ctx.rules.section(DEVICE),
                        version in versions,
                        settings.BUILD in versions,
                        waiting.get(table.code, ""),
                    )
                )
    return check


def _approved_versions(equipment: Equipment, rule: ApprovalRule) -> set[str]:
    """The versions that approvals in effect name, each by the body and with the lines that the edition requires."""
    return {
        version
        for approval in equipment.approvals_in_effect
        if approval.subject == DEVICE
        and (not rule.body or is_body(approval.body, rule.body))
        and set(rule.lines) <= set(approval.lines)
        for version in approval.versions
    }


def _waiting_changes(facility: Facility, version: str) -> dict[str, str]:
    """The codes of prepared changes that would approve the version, by the code of the table."""
    waiting: dict[str, str] = {}
    rows = PreparedChange.objects.filter(facility=facility, status=PreparedChange.Status.WAITING)
    for change in rows.filter(act="record_approval").order_by("pk"):
        params = change.params
        if params.get("subject") != DEVICE:
            continue
        if version in [params.get("version"), *params.get("versions", [])]:
            for code in [params.get("table"), *params.get("tables", [])]:
                waiting[str(code)] = change.code
    return waiting

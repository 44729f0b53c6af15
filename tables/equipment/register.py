"""The register of equipment: what each table's edition requires, the approvals of each shaker, and a coming version.

A version of this software deals at a table only where the approval of its electrical device names it. Before workers
of another version start, `check_upgrade` says at which tables that is missing (docs/deployment.md).
"""

import datetime as dt
from dataclasses import dataclass, field, replace
from typing import Any

from django.conf import settings

from audit import clock
from games import submissions
from games.engine import Refusal
from games.engine.editions import ApprovalRule, edition
from games.engine.refusals import refusal_of
from games.jurisdictions import is_body
from games.models import Facility, PreparedChange
from tables.core.context import TableContext
from tables.equipment.approvals import (
    DEVICE,
    INCOMPLETE,
    MISSING,
    ON_FILE,
    OTHER_BODY,
    OTHER_VERSION,
    SHAKER_SUBJECTS,
    Equipment,
)
from tables.models import Approval, Shaker, Table

SOON = dt.timedelta(days=30)
ENDS_SOON = "ends-soon"  # on file and in effect, but not for long
BLOCKING = frozenset({INCOMPLETE, OTHER_BODY, OTHER_VERSION, MISSING})


@dataclass(frozen=True)
class RequiredApproval:
    """An approval that an edition requires of a table, with its state.

    `former` is the newest approval that no longer holds. `missing_lines` are the edition's lines that the approval
    does not confirm. `shaker` is the code of the shaker that the approval is for, if any. `others` are in effect beside
    the approval: of further versions. `alike` are the codes of all tables, or of all their shakers, that need the same.
    """

    rule: ApprovalRule
    state: str
    approval: Approval | None = None
    former: Approval | None = None
    missing_lines: tuple[str, ...] = ()
    shaker: str = ""
    others: tuple[Approval, ...] = ()
    alike: tuple[str, ...] = ()

    @property
    def blocks_opening(self) -> bool:
        """Whether the table cannot open because of it."""
        return self.state in BLOCKING


@dataclass
class TableEquipment:
    """A table with every approval that it needs. `refusal` is what opening it would raise."""

    table: Table
    edition: str = ""
    shaker: Shaker | None = None
    requirements: list[RequiredApproval] = field(default_factory=list)
    refusal: Refusal | None = None

    @property
    def blocking(self) -> int:
        """How many approvals keep the table from opening."""
        return sum(requirement.blocks_opening for requirement in self.requirements)

    @property
    def ending_soon(self) -> int:
        """How many approvals end within thirty days."""
        return sum(requirement.state == ENDS_SOON for requirement in self.requirements)


@dataclass(frozen=True)
class ApprovedVersions:
    """Versions that the same approvals name: their references and ids, and the tables at which they are in effect."""

    versions: list[str]
    references: list[str]
    tables: list[str]
    approvals: list[int]

    @property
    def runs(self) -> bool:
        """Whether the running version is among them."""
        return settings.BUILD in self.versions


@dataclass(frozen=True)
class Software:
    """The console's software: the tables whose edition requires an approval of its version, and those on file.

    `rule` is what the editions require, as the approval form has it. `missing` are the tables at which the running
    version is not approved.
    """

    rule: ApprovalRule
    tables: tuple[str, ...]
    missing: list[str]
    approved: list[ApprovedVersions]


@dataclass(frozen=True)
class ShakerRequirement:
    """An approval that editions in force require of a kind of shaker: the body, and every line of any of them.

    `alike` are the codes of the shakers of this kind that no table uses.
    """

    subject: str
    body: str
    lines: dict[str, str]
    alike: tuple[str, ...] = ()


@dataclass
class ShakerApprovals:
    """A shaker with its approvals in effect, and what any table may require of it."""

    shaker: Shaker
    approvals: list[Approval]
    requirements: list[ShakerRequirement]

    @property
    def is_spare(self) -> bool:
        """Whether no table uses it, so that its approvals are recorded here."""
        return self.shaker.table_id is None or self.shaker.out_of_order


def equipment_by_table(facility: Facility, now: dt.datetime) -> list[TableEquipment]:
    """Every table of the facility, those that cannot open first. Without rules in force a table needs nothing."""
    former = _former_approvals(facility, now)
    tables = Table.objects.filter(facility=facility).exclude(kind=Table.Kind.SIMULATED)
    registers = [
        _table_equipment(table, now, former) for table in tables.select_related("facility", "stream", "pit")
    ]
    _note_alike(registers)
    return sorted(registers, key=lambda register: (register.refusal is None, register.ending_soon == 0))


def _note_alike(registers: list[TableEquipment]) -> None:
    """Note with each requirement which tables or shakers need the same: one letter may be for all of them."""
    alike: dict[tuple[Any, ...], list[str]] = {}
    for register in registers:
        for requirement in register.requirements:
            alike.setdefault(_what_is_required(requirement), []).append(
                requirement.shaker or register.table.code
            )
    for register in registers:
        register.requirements = [
            replace(requirement, alike=tuple(sorted(alike[_what_is_required(requirement)])))
            for requirement in register.requirements
        ]


def _what_is_required(requirement: RequiredApproval) -> tuple[Any, ...]:
    rule = requirement.rule
    return (rule.subject, rule.body, tuple(rule.lines), bool(requirement.shaker))


def software(registers: list[TableEquipment]) -> list[Software]:
    """Return what is on file of the console's versions: one for each way in which editions require it."""
    rows: dict[tuple[str, ...], list[tuple[Table, RequiredApproval]]] = {}
    for register in registers:
        for requirement in register.requirements:
            if requirement.rule.subject == DEVICE:
                rows.setdefault(requirement.alike, []).append((register.table, requirement))
    return [
        Software(
            group[0][1].rule,
            codes,
            sorted(table.code for table, requirement in group if requirement.blocks_opening),
            _approved_versions(group),
        )
        for codes, group in sorted(rows.items())
    ]


def _approved_versions(group: list[tuple[Table, RequiredApproval]]) -> list[ApprovedVersions]:
    """The versions on file, that which runs first."""
    rows_by_versions: dict[tuple[str, ...], list[tuple[str, Approval]]] = {}
    for table, requirement in group:
        for approval in [requirement.approval, *requirement.others]:
            if approval is not None:
                rows_by_versions.setdefault(tuple(approval.versions), []).append((table.code, approval))
    approved = [
        ApprovedVersions(
            list(versions),
            sorted({approval.reference for _, approval in rows}),
            sorted({code for code, _ in rows}),
            [approval.pk for _, approval in rows],
        )
        for versions, rows in rows_by_versions.items()
    ]
    return sorted(approved, key=lambda versions: (not versions.runs, versions.versions))


def approvals_by_shaker(facility: Facility, now: dt.datetime) -> list[ShakerApprovals]:
    """Every shaker of the facility with its approvals in effect, those out of order first."""
    today = facility.local(now).date()
    by_shaker: dict[int, list[Approval]] = {}
    in_effect = Approval.objects.in_effect(today).filter(facility=facility, shaker__isnull=False)
    for approval in in_effect.order_by("subject", "pk"):
        if approval.shaker_id:
            by_shaker.setdefault(approval.shaker_id, []).append(approval)
    shakers = Shaker.objects.filter(facility=facility).select_related("table")
    required_by_kind = {
        kind: _shaker_requirements(facility, kind, now) for kind in {shaker.kind for shaker in shakers}
    }
    rows = [
        ShakerApprovals(shaker, by_shaker.get(shaker.pk, []), required_by_kind[shaker.kind])
        for shaker in shakers.order_by("-out_of_order", "code")
    ]
    for row in rows:
        alike = sorted(
            other.shaker.code for other in rows if other.is_spare and other.shaker.kind == row.shaker.kind
        )
        row.requirements = [replace(required, alike=tuple(alike)) for required in row.requirements]
    return rows


def _shaker_requirements(facility: Facility, kind: str, now: dt.datetime) -> list[ShakerRequirement]:
    """What the editions in force here require of a shaker of this kind, by subject."""
    required: dict[str, ShakerRequirement] = {}
    for key in sorted(set(submissions.editions_in_force([facility.pk], now).values())):
        text = edition(key)
        if kind not in text.shakers:
            continue
        automated = text.shakers[kind].automated or text.shakers[kind].by_player
        holds = {"", "automated" if automated else "manual"}
        for rule in text.approvals:
            if rule.subject in SHAKER_SUBJECTS and rule.when in holds:
                before = required.get(rule.subject, ShakerRequirement(rule.subject, rule.body, {}))
                required[rule.subject] = ShakerRequirement(
                    rule.subject, before.body, {**before.lines, **rule.lines}
                )
    return list(required.values())


def _table_equipment(
    table: Table, now: dt.datetime, former: dict[tuple[str, int | None, int | None], Approval]
) -> TableEquipment:
    ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, now))
    register = TableEquipment(table)
    try:
        register.edition, register.shaker = ctx.rules.edition.title, ctx.shaker
        equipment = Equipment(ctx)
        for rule in equipment.required_approvals:
            register.requirements.append(_required_approval(equipment, rule, table, ctx.shaker, former))
    except Refusal as refusal:
        register.refusal = refusal
        return register
    register.refusal = refusal_of(equipment.verify_approved)
    return register


def _required_approval(
    equipment: Equipment,
    rule: ApprovalRule,
    table: Table,
    shaker: Shaker | None,
    former: dict[tuple[str, int | None, int | None], Approval],
) -> RequiredApproval:
    of_shaker = shaker if rule.subject in SHAKER_SUBJECTS else None
    approval_state = equipment.approval_state(rule)
    approval, state = approval_state.approval, approval_state.state
    code = of_shaker.code if of_shaker else ""
    if approval is None:
        key = (rule.subject, None, of_shaker.pk) if of_shaker else (rule.subject, table.pk, None)
        return RequiredApproval(rule, state, former=former.get(key), shaker=code)
    today = table.facility.local(equipment.ctx.now).date()
    if state == ON_FILE and approval.ends_on and approval.ends_on - today <= SOON:
        state = ENDS_SOON
    others = tuple(
        other
        for other in equipment.approvals_in_effect
        if rule.subject == DEVICE == other.subject and other != approval
    )
    return RequiredApproval(
        rule, state, approval, missing_lines=approval_state.missing_lines, shaker=code, others=others
    )


def _former_approvals(
    facility: Facility, now: dt.datetime
) -> dict[tuple[str, int | None, int | None], Approval]:
    """The newest approval that was withdrawn or has ended, by subject and by table or shaker."""
    today = facility.local(now).date()
    over = Approval.objects.filter(facility=facility).exclude(pk__in=Approval.objects.in_effect(today))
    every = over.order_by("approved_on", "pk")
    return {(approval.subject, approval.table_id, approval.shaker_id): approval for approval in every}


# What is missing before workers of another version may deal


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
                versions = _versions_in_effect(equipment, rule)
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


def _versions_in_effect(equipment: Equipment, rule: ApprovalRule) -> set[str]:
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

"""The steps of a submission's version, from its draft to its end."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from games.models import RulesSubmission
from games.office.submissions.gate import Finding
from games.submissions import Standing, standing_of


@dataclass(frozen=True)
class Step:
    """One step of a version's way. `state`: done, now, stop or todo."""

    label: str
    state: str
    at: dt.datetime | None = None
    who: str = ""
    note: str = ""


def steps_of(row: RulesSubmission, now: dt.datetime, findings: Sequence[Finding]) -> list[Step]:
    """Drafted, asked at the gate, filed, decided, in force; as far as it has come."""
    version_state = standing_of(row, now)
    drafter = row.drafted_by.name if row.drafted_by else ""
    steps = [Step("Drafted", "done", row.drafted_at, drafter, row.why)]
    if version_state == Standing.DRAFT:
        gate = f"{len(findings)} to mend" if findings else "nothing stands against filing"
        steps.append(Step("Gate", "stop" if findings else "done", note=gate))
        steps.append(Step("Filed", "todo" if findings else "now"))
    else:
        filer = row.filed_by.name if row.filed_by else ""
        steps.append(Step("Filed", "done" if row.filed_at else "todo", row.filed_at, filer))
    return [*steps, *_decided(row, version_state), *_ended(row, version_state)]


def _decided(row: RulesSubmission, version_state: Standing) -> list[Step]:
    if row.decided_at is None:
        state = "now" if version_state == Standing.FILED else "todo"
        return (
            [] if version_state == Standing.WITHDRAWN else [Step("Decided", state), Step("In force", "todo")]
        )
    authority = f"{row.decided_by}, {row.reference}" if row.reference else row.decided_by
    if row.status == RulesSubmission.Status.DENIED:
        return [Step("Denied", "stop", row.decided_at, note=authority)]
    force = "In force" if version_state != Standing.COMING else "Comes into force"
    note = "each table from its next round on"
    return [
        Step("Approved", "done", row.decided_at, note=authority),
        Step(force, "now" if version_state == Standing.COMING else "done", row.in_force_from, note=note),
    ]


def _ended(row: RulesSubmission, version_state: Standing) -> list[Step]:
    if version_state == Standing.WITHDRAWN:
        return [Step("Withdrawn", "stop", row.withdrawn_at, note=row.withdrawn_why)]
    if version_state == Standing.SUPERSEDED:
        return [Step("Superseded", "done", row.superseded_at, note="stays on file")]
    return []

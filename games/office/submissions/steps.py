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


def steps_of(row: RulesSubmission, now: dt.datetime, found: Sequence[Finding]) -> list[Step]:
    """Drafted, asked at the gate, filed, decided, in force; as far as it has come."""
    standing = standing_of(row, now)
    drafter = row.drafted_by.name if row.drafted_by else ""
    steps = [Step("Drafted", "done", row.drafted_at, drafter, row.why)]
    if standing == Standing.DRAFT:
        gate = f"{len(found)} to mend" if found else "nothing stands against filing"
        steps.append(Step("Gate", "stop" if found else "done", note=gate))
        steps.append(Step("Filed", "todo" if found else "now"))
    else:
        filer = row.filed_by.name if row.filed_by else ""
        steps.append(Step("Filed", "done" if row.filed_at else "todo", row.filed_at, filer))
    return [*steps, *_decided(row, standing), *_ended(row, standing)]


def _decided(row: RulesSubmission, standing: Standing) -> list[Step]:
    if row.decided_at is None:
        state = "now" if standing == Standing.FILED else "todo"
        return [] if standing == Standing.WITHDRAWN else [Step("Decided", state), Step("In force", "todo")]
    said = f"{row.decided_by}, {row.reference}" if row.reference else row.decided_by
    if row.status == RulesSubmission.Status.DENIED:
        return [Step("Denied", "stop", row.decided_at, note=said)]
    force = "In force" if standing != Standing.COMING else "Comes into force"
    note = "each table from its next round on"
    return [
        Step("Approved", "done", row.decided_at, note=said),
        Step(force, "now" if standing == Standing.COMING else "done", row.in_force_from, note=note),
    ]


def _ended(row: RulesSubmission, standing: Standing) -> list[Step]:
    if standing == Standing.WITHDRAWN:
        return [Step("Withdrawn", "stop", row.withdrawn_at, note=row.withdrawn_why)]
    if standing == Standing.SUPERSEDED:
        return [Step("Superseded", "done", row.superseded_at, note="stays on file")]
    return []

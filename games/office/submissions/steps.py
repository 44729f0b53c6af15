"""The steps of a version of a submission, from its draft to its end."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

from games.models import RulesSubmission
from games.office.submissions.gate import Finding
from games.submissions import VersionState, state_of_version


@dataclass(frozen=True)
class SubmissionStep:
    """One step of a version. `state`: done, now, stop or todo."""

    label: str
    state: str
    moment: dt.datetime | None = None
    who: str = ""
    note: str = ""


def submission_steps(
    row: RulesSubmission, now: dt.datetime, findings: Sequence[Finding]
) -> list[SubmissionStep]:
    """Return the steps: drafted, checked by the gate, filed, decided, in force."""
    version_state = state_of_version(row, now)
    drafter = row.drafted_by.name if row.drafted_by else ""
    steps = [SubmissionStep("Drafted", "done", row.drafted_at, drafter, row.why)]
    if version_state == VersionState.DRAFT:
        gate = f"{len(findings)} to correct" if findings else "ready to file"
        steps.append(SubmissionStep("Gate", "stop" if findings else "done", note=gate))
        steps.append(SubmissionStep("Filed", "todo" if findings else "now"))
    else:
        filer = row.filed_by.name if row.filed_by else ""
        steps.append(SubmissionStep("Filed", "done" if row.filed_at else "todo", row.filed_at, filer))
    return [*steps, *_decision_steps(row, version_state), *_end_steps(row, version_state)]


def _decision_steps(row: RulesSubmission, version_state: VersionState) -> list[SubmissionStep]:
    if row.decided_at is None:
        state = "now" if version_state == VersionState.FILED else "todo"
        return (
            []
            if version_state == VersionState.WITHDRAWN
            else [SubmissionStep("Decided", state), SubmissionStep("In force", "todo")]
        )
    authority = f"{row.decided_by}, {row.reference}" if row.reference else row.decided_by
    if row.status == RulesSubmission.Status.DENIED:
        return [SubmissionStep("Denied", "stop", row.decided_at, note=authority)]
    force = "In force" if version_state != VersionState.COMING else "Comes into force"
    note = "each table from its next round on"
    return [
        SubmissionStep("Approved", "done", row.decided_at, note=authority),
        SubmissionStep(
            force, "now" if version_state == VersionState.COMING else "done", row.in_force_from, note=note
        ),
    ]


def _end_steps(row: RulesSubmission, version_state: VersionState) -> list[SubmissionStep]:
    if version_state == VersionState.WITHDRAWN:
        return [SubmissionStep("Withdrawn", "stop", row.withdrawn_at, note=row.withdrawn_why)]
    if version_state == VersionState.SUPERSEDED:
        return [SubmissionStep("Superseded", "done", row.superseded_at, note="stays on file")]
    return []

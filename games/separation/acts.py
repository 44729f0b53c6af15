"""Acts on prepared changes: approve, send back, take back, acknowledge. Every runner without a table has them."""

import datetime as dt

from django.db.models import QuerySet

from audit.factors import StepUp
from audit.models import Person
from audit.runner import ActOutcome
from games.engine import Refusal
from games.facility_runner import CHANGE_ACTS, Forbidden, P, StreamContext, StreamRunner, may_not_approve
from games.jurisdictions import APPROVAL, SeparationRow
from games.jurisdictions import CHANGES as CHANGES_OF_JURISDICTIONS
from games.models import ChangeNotice, Facility, PreparedChange
from games.params import Params
from games.separation import policy
from games.separation.changes import (
    APPROVED_BY_YOU,
    CHANGE_ACKNOWLEDGED,
    CHANGE_ACKNOWLEDGED_ALREADY,
    CHANGE_HAS_ENDED,
    CHANGE_NOT_APPROVED,
    CHANGE_SENT_BACK,
    CHANGE_TAKEN_BACK,
    MADE_BY_YOU,
    NO_SUCH_CHANGE,
    NOT_MADE_BY_YOU,
    NOT_TOLD,
    ChangeEnded,
)
from games.separation.signatures import (
    PAPER_SIGNED_BY_YOU,
    PAPERS,
    Paper,
    Step,
    UnsignedPaper,
    declare_paper,
    further_signers,
    sign,
    signatures_on,
    unsigned,
)

CHANGES = policy.changed(policy.practice())
PREPARERS = frozenset(role for row in CHANGES.values() for role in row.prepare)
APPROVERS = frozenset(role for row in CHANGES.values() for role in row.approve)
TOLD = frozenset(role for row in CHANGES.values() for role in row.told)


def register(runner: StreamRunner[P]) -> None:
    """Give a runner the acts on changes of its own acts."""

    def approve_change(ctx: P, params: Params) -> ActOutcome:
        """Do the act of a change for good, as a second person; or sign it before that, as the next of its list.

        Raises what the act refuses now; `no-such-change`, `change-has-ended`, and, as Forbidden, `may-not-approve` or
        `made-by-you`.
        """
        change = _waiting_change(runner, ctx, params)
        _verify_may_approve(ctx, change)
        paper = PAPERS[change.subject]
        if next_signer(change) is not None:
            entry = sign(ctx, paper, change, ctx.actor)
            answer = {"change": change.code, "signature": entry.data["signature"]}
            return ActOutcome(entry, answer, changes="nothing")
        act, act_params = runner.acts[change.act], runner.read_params(change.params)
        ctx.approving = change
        outcome = act.do(ctx, act_params)
        runner.reject_unknown(act_params)
        return ActOutcome(
            outcome.entry, {**outcome.answer, "change": change.code}, outcome.changes, outcome.seats
        )

    def send_back_change(ctx: P, params: Params) -> ActOutcome:
        """Send a change back with a reason, instead of approving it. Nothing is done. Raises as `approve_change`."""
        change, why = _waiting_change(runner, ctx, params), params.text("why")
        _verify_may_approve(ctx, change)
        _end(ctx, change, PreparedChange.Status.SENT_BACK, why)
        return ActOutcome(CHANGE_SENT_BACK(_ended(change)), {"change": change.code}, changes="nothing")

    def take_back_change(ctx: P, params: Params) -> ActOutcome:
        """Take back a change that one prepared oneself. Nothing is done. Raises `not-made-by-you` as Forbidden."""
        change, why = _waiting_change(runner, ctx, params), params.text("why")
        if change.prepared_by_id != ctx.actor.pk:
            raise Forbidden(NOT_MADE_BY_YOU, change=change.code, by=change.prepared_by.name)
        _end(ctx, change, PreparedChange.Status.TAKEN_BACK, why)
        return ActOutcome(CHANGE_TAKEN_BACK(_ended(change)), {"change": change.code}, changes="nothing")

    def acknowledge_change(ctx: P, params: Params) -> ActOutcome:
        """Acknowledge, for one's department, that one was told of an approved change.

        Raises `no-such-change`, `change-not-approved`, `change-acknowledged-already`, and, as Forbidden, `not-told` or
        `approved-by-you`.
        """
        change = _locked_change(runner, ctx, params)
        notice = _notice_for(ctx, change)
        notice.acknowledged_by, notice.acknowledged_at = ctx.actor, ctx.now
        notice.save(update_fields=["acknowledged_by", "acknowledged_at"])
        entry = CHANGE_ACKNOWLEDGED(
            change=change.code, subject=change.subject, act=change.act, department=notice.department
        )
        return ActOutcome(entry, {"change": change.code}, changes="nothing")

    # The roles of the trade: the runner asks the policy of the jurisdiction, and the act that of its subject.
    for do, roles in (
        (approve_change, APPROVERS),
        (send_back_change, APPROVERS),
        (take_back_change, PREPARERS),
        (acknowledge_change, TOLD),
    ):
        assert do.__name__ in CHANGE_ACTS
        step_up: StepUp = "always" if do is approve_change else "never"
        runner.act(roles=roles, depends_on="nothing", step_up=step_up)(do)


class ChangePaper(Paper[PreparedChange]):
    """A prepared change: further people of its jurisdiction sign it before it is approved, by the same act."""

    is_listed = False  # the list of changes has it
    place_path = "stream"

    def __init__(self, subject: str) -> None:
        self.code, self.title = subject, "Change"

    def rows(self, facility: Facility) -> QuerySet[PreparedChange]:
        rows = PreparedChange.objects.filter(facility=facility, subject=self.code)
        return rows.select_related("facility", "prepared_by", "decided_by")

    def numbered(self, facility: Facility, place: str, number: int) -> PreparedChange | None:
        return self.of_place(facility, place).filter(code=f"CH-{number:04d}").first()

    def key(self, row: PreparedChange) -> tuple[Facility, str, int]:
        return row.facility, row.stream, int(row.code.rpartition("-")[2])

    def name(self, row: PreparedChange) -> str:
        return row.code

    def day(self, row: PreparedChange) -> dt.date:
        return row.facility.gaming_day(row.prepared_at)

    def is_ended(self, row: PreparedChange) -> bool:
        return row.status not in (PreparedChange.Status.WAITING, PreparedChange.Status.APPROVED)

    def steps(self, row: PreparedChange) -> dict[str, Step]:
        is_approved = row.status == PreparedChange.Status.APPROVED
        return {APPROVAL: Step(row.decided_at if is_approved else None, (row.decided_by,), is_next=True)}


for subject in CHANGES_OF_JURISDICTIONS:
    declare_paper(ChangePaper(subject))


def next_signer(change: PreparedChange) -> UnsignedPaper | None:
    """The change, if somebody signs it before it is approved."""
    return (
        unsigned(PAPERS[change.subject], change) if change.status == PreparedChange.Status.WAITING else None
    )


def obstacle(change: PreparedChange, person: Person) -> Refusal | None:
    """Why this person may not approve the change now, or sign it as the next of its list; None if they may."""
    row = policy.row_of(change.facility.law, change.subject)
    paper = PAPERS[change.subject]
    if further_signers(paper, change):
        missing = next_signer(change)
        if missing is not None and not missing.may_sign(person):
            return missing.refusal(person)
        if missing is not None:
            return _made_by(change, row, missing.who) if _has_made(change, person) else None
        if person in [place.person for place in signatures_on(paper, change)]:
            names = {"paper": change.code, "post": "Approval", "who": policy.in_words(row.approve)}
            return Forbidden(PAPER_SIGNED_BY_YOU, row.section, person=person.name, **names)
    if not policy.may_approve(row, person):
        return may_not_approve(row, person)
    return _made_by(change, row, policy.in_words(row.approve)) if _has_made(change, person) else None


def _has_made(change: PreparedChange, person: Person) -> bool:
    return person.code in change.makers or person.pk == change.prepared_by_id


def _made_by(change: PreparedChange, row: SeparationRow, who: str) -> Refusal:
    return Forbidden(MADE_BY_YOU, row.section, change=change.code, who=who)


def _waiting_change(runner: StreamRunner[P], ctx: StreamContext, params: Params) -> PreparedChange:
    """The waiting change that an act names, locked. Raises `no-such-change` or `change-has-ended`."""
    change = _locked_change(runner, ctx, params)
    if change.status != PreparedChange.Status.WAITING:
        raise Refusal(CHANGE_HAS_ENDED, change=change.code, status=change.get_status_display())
    return change


def _locked_change(runner: StreamRunner[P], ctx: StreamContext, params: Params) -> PreparedChange:
    """The change that an act names, locked. Raises `no-such-change`."""
    code = params.code("change")
    change = (
        PreparedChange.objects.select_for_update(of=("self",))
        .filter(facility=ctx.facility, code=code)
        .select_related("prepared_by", "facility")
        .first()
    )
    if change is None or change.act not in runner.acts:
        raise Refusal(NO_SUCH_CHANGE, change=code)
    return change


def _notice_for(ctx: StreamContext, change: PreparedChange) -> ChangeNotice:
    """The notice of the actor's department, which nobody has acknowledged yet."""
    refusal = why_not_acknowledged(change, ctx.actor)
    if refusal is not None:
        raise refusal
    return change.notices.get(department=ctx.actor.department)


def why_not_acknowledged(change: PreparedChange, person: Person) -> Refusal | None:
    """Why this person may not acknowledge the change now, or None."""
    row = policy.row_of(change.facility.law, change.subject)
    if change.status != PreparedChange.Status.APPROVED:
        return Refusal(CHANGE_NOT_APPROVED, change=change.code)
    notice = change.notices.filter(department=person.department).select_related("acknowledged_by").first()
    department = person.get_department_display().lower()
    if notice is None or not policy.is_told(row, person):
        role, who = person.get_role_display().lower(), policy.roles_in_words(row.told)
        return Forbidden(NOT_TOLD, change=change.code, role=role, department=department, who=who)
    if notice.acknowledged_by is not None:
        by = notice.acknowledged_by.name
        return Refusal(CHANGE_ACKNOWLEDGED_ALREADY, change=change.code, by=by, department=department)
    if change.decided_by_id == person.pk:
        return Forbidden(APPROVED_BY_YOU, change=change.code)
    return None


def changes_to_acknowledge(facility: Facility, person: Person) -> list[PreparedChange]:
    """The approved changes that this person is told of and may acknowledge, the oldest first."""
    notices = ChangeNotice.objects.filter(
        change__facility=facility, department=person.department, acknowledged_at=None
    )
    notices = notices.exclude(change__decided_by=person).order_by("change__decided_at", "pk")
    rows = policy.rows_of(facility.law)
    changes = [
        notice.change for notice in notices.select_related("change__prepared_by", "change__decided_by")
    ]
    return [
        change
        for change in changes
        if change.subject in rows and policy.is_told(rows[change.subject], person)
    ]


def _verify_may_approve(ctx: StreamContext, change: PreparedChange) -> None:
    refusal = obstacle(change, ctx.actor)
    if refusal is not None:
        raise refusal


def _end(ctx: StreamContext, change: PreparedChange, status: PreparedChange.Status, why: str) -> None:
    change.status, change.decided_by, change.decided_at, change.why = status, ctx.actor, ctx.now, why
    change.save(update_fields=["status", "decided_by", "decided_at", "why"])


def _ended(change: PreparedChange) -> ChangeEnded:
    return {
        "change": change.code,
        "subject": change.subject,
        "act": change.act,
        "prepared_by": change.prepared_by.code,
        "why": change.why,
    }

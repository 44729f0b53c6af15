"""Acts on calls to the floor. The table calls, explains, cancels, reads; the floor answers, decides, mutes.

A call is an alert with an entry for each step. A dispute that was reported in words is answered and decided by
the same acts.
"""

import datetime as dt
from typing import Annotated

from games.act_forms import Text, found, one_of, whole
from games.engine import Refusal
from games.params import Params
from games.snapshot_types import Addressee
from tables.alerts.acts import MAX_ID, acknowledgment
from tables.alerts.alert_rules import CALLS
from tables.alerts.entry_types import (
    ALERT_ANSWERED,
    ALERT_MUTED,
    CALL_CANCELED,
    CALL_EXPLAINED,
    DECISION_READ,
    DISPUTE_REPORTED,
    FLOOR_CALLED,
    DisputeReported,
)
from tables.alerts.floor_calls import DECISIONS, IN_WORDS, REASONS, addressee_of
from tables.alerts.refusals import (
    ALREADY_CALLED,
    ALREADY_COMING,
    NO_SUCH_ALERT,
    SAY_HOW_IT_WAS_DECIDED,
)
from tables.core.alert_kinds import kind_of
from tables.core.alerts import acknowledge, end_alert, held, raise_alert
from tables.core.context import TableContext
from tables.core.entry_types import ALERT_DECIDED
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.core.refusals import TABLE_IS_CLOSED
from tables.models import Alert, Table
from tables.rounds.wagers import NO_SUCH_SEAT
from tables.runner.table import ActOutcome, act

MUTE_MINUTES = (5, 10, 15)
NO_WORDS = "(tapped, without words)"


def _open_call(ctx: TableContext, pk: int) -> Alert:
    """Return the call of this table with this id. Raises `no-such-alert` once it has ended."""
    kinds = {kind.code for kind in CALLS.values()}
    for alert in held(ctx.table.pk):
        if alert.pk == pk and alert.kind in kinds and alert.ended_at is None:
            return alert
    raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)


def _undecided(ctx: TableContext, pk: int) -> Alert:
    """Return the dispute or call with this id. Raises `no-such-alert` once it has ended."""
    for alert in held(ctx.table.pk):
        if alert.pk == pk and alert.ended_at is None and kind_of(alert.kind, alert.key).needs_note:
            return alert
    raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)


_OpenCall = Annotated[Alert, found(whole(1, MAX_ID), _open_call)]
_Undecided = Annotated[Alert, found(whole(1, MAX_ID), _undecided)]


@act(roles=AT_THE_TABLE, depends_on="nothing")
def call_floor(ctx: TableContext, *, to: Addressee = "floor") -> ActOutcome:
    """Call the floor, or Security with `to`. Its reason and seat may follow (`explain_call`).

    Raises `already-called` while a call to them is open.
    """
    if ctx.table.status == Table.Status.CLOSED:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    kind = CALLS[to]
    if any(alert.kind == kind.code and alert.ended_at is None for alert in held(ctx.table.pk)):
        raise Refusal(ALREADY_CALLED)
    round_ = ctx.round.number if ctx.round else ctx.table.last_round or None
    alert = kind.expected(ctx.table.pk, cause=ctx.stream.seq + 1, to=to, round=round_)
    raise_alert(ctx, alert)
    entry = FLOOR_CALLED({"kind": kind.code, "key": alert.key, "to": to, "round": round_})
    return ActOutcome(entry, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def explain_call(ctx: TableContext, params: Params) -> ActOutcome:
    """Add the reason or the seat of an open call. A dispute with its seat is a reported dispute, too (§ 577.5(g))."""
    alert = _open_call(ctx, params.integer("alert", 1, MAX_ID))
    to = addressee_of(alert.kind) or "floor"
    reason = params.choice("reason", ("", *REASONS[to]), default="")
    seat: int | None = params.integer("seat", 0, 64, default=0)
    if seat and seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=seat, seats=ctx.table.seats)
    before = alert.params
    reason, seat = reason or before.get("reason", ""), seat or before.get("seat") or None
    alert.params = {**before, "reason": reason, "seat": seat}
    is_dispute = reason == "dispute"
    alert.section = ctx.rules.edition.no_rolls.get("disputed", "") if is_dispute else ""
    alert.save(update_fields=["params", "section"])
    if is_dispute and seat and alert.params != before:
        report: DisputeReported = {
            "round": before["round"],
            "seat": seat,
            "about": NO_WORDS,
            "section": alert.section,
        }
        ctx.extra_entries.append(DISPUTE_REPORTED(report))
    entry = CALL_EXPLAINED({"kind": alert.kind, "key": alert.key, "reason": reason, "seat": seat})
    return ActOutcome(entry, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def cancel_call(ctx: TableContext, *, alert: _OpenCall) -> ActOutcome:
    """Cancel an open call of this table. If somebody is coming, the pit still has to acknowledge it."""
    assert ctx.actor is not None
    end_alert(ctx, alert.key)
    if alert.coming_at is None and alert.acknowledged_at is None:
        ctx.extra_entries.append(acknowledgment(alert, held(ctx.table.pk), ""))
        acknowledge(ctx, alert, ctx.actor, "")
    return ActOutcome(CALL_CANCELED({"kind": alert.kind, "key": alert.key}), changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def answer_alert(ctx: TableContext, *, alert: _Undecided) -> ActOutcome:
    """Say that you are coming, so that the table sees it. Somebody else may come instead later."""
    assert ctx.actor is not None
    if alert.coming_by_id == ctx.actor.pk:
        raise Refusal(ALREADY_COMING, person=ctx.actor.name)
    alert.coming_at, alert.coming_by = ctx.now, ctx.actor
    alert.save(update_fields=["coming_at", "coming_by"])
    return ActOutcome(ALERT_ANSWERED({"kind": alert.kind, "key": alert.key}), changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def decide_alert(
    ctx: TableContext,
    *,
    alert: _Undecided,
    decision: Annotated[str, one_of((*DECISIONS, IN_WORDS))] = IN_WORDS,
    note: Text = "",
) -> ActOutcome:
    """Decide a dispute or a call: with a code of `DECISIONS`, or in words (`words`), where the `note` is needed.

    The decision goes back to the table, which reads it (`read_decision`). It also acknowledges and ends the alert.
    """
    assert ctx.actor is not None
    if decision == IN_WORDS and not note:
        raise Refusal(SAY_HOW_IT_WAS_DECIDED, alert.section)
    alert.decision, alert.decided_at, alert.decided_by = decision, ctx.now, ctx.actor
    alert.save(update_fields=["decision", "decided_at", "decided_by"])
    if alert.acknowledged_at is None:
        ctx.extra_entries.append(acknowledgment(alert, held(ctx.table.pk), note))
        acknowledge(ctx, alert, ctx.actor, note)
    end_alert(ctx, alert.key)
    entry = ALERT_DECIDED(
        {
            "kind": alert.kind,
            "key": alert.key,
            "decision": decision,
            "note": note,
            "seat": alert.params.get("seat"),
        }
    )
    return ActOutcome(entry, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def read_decision(ctx: TableContext, *, alert_id: Annotated[int, whole(1, MAX_ID)]) -> ActOutcome:
    """Record that the table read the decision of the floor, which then leaves its screen."""
    alert = next(
        (
            alert
            for alert in held(ctx.table.pk)
            if alert.pk == alert_id and alert.decided_at and not alert.read_at
        ),
        None,
    )
    if alert is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    alert.read_at = ctx.now
    alert.save(update_fields=["read_at"])
    return ActOutcome(DECISION_READ({"kind": alert.kind, "key": alert.key}), changes="nothing")


@act(roles=FLOOR, depends_on="nothing")
def mute_alert(
    ctx: TableContext,
    *,
    alert_id: Annotated[int, whole(1, MAX_ID)],
    minutes: Annotated[int, whole(1, max(MUTE_MINUTES))],
) -> ActOutcome:
    """Turn off the sound of an alert for some minutes. It stays on the screens and is still passed on."""
    alert = next(
        (alert for alert in held(ctx.table.pk) if alert.pk == alert_id and alert.ended_at is None), None
    )
    if alert is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    alert.muted_until, alert.muted_by = ctx.now + dt.timedelta(minutes=minutes), ctx.actor
    alert.save(update_fields=["muted_until", "muted_by"])
    return ActOutcome(
        ALERT_MUTED({"kind": alert.kind, "key": alert.key, "minutes": minutes}), changes="nothing"
    )

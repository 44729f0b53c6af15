"""Acts on alerts: the floor acknowledges one, and a dispute is reported."""

from typing import Annotated

from audit.clock import format_moment
from audit.entry_types import EntryBody
from games.act_forms import Text, whole
from games.engine import Refusal
from tables.alerts.alert_rules import DISPUTE
from tables.alerts.entry_types import DISPUTE_REPORTED, DisputeReported
from tables.alerts.floor_calls import IN_WORDS
from tables.alerts.refusals import NO_SUCH_ALERT, SAY_HOW_IT_WAS_DECIDED
from tables.core.alert_kinds import kind_of
from tables.core.alerts import (
    acknowledge,
    acknowledged_with,
    end_alert,
    held,
    raise_alert,
)
from tables.core.context import TableContext
from tables.core.entry_types import ALERT_ACKNOWLEDGED, AlertAcknowledged
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.core.refusals import TABLE_IS_CLOSED
from tables.models import Alert, Table
from tables.rounds.wagers import NO_SUCH_SEAT
from tables.rules import NEW_RULES, acknowledge_rules
from tables.runner.table import ActOutcome, act

MAX_ID = 2**53 - 1


@act(roles=FLOOR, depends_on="nothing")
def acknowledge_alert(
    ctx: TableContext, *, alert_id: Annotated[int, whole(1, MAX_ID)], note: Text = ""
) -> ActOutcome:
    """Acknowledge an alert of this table, with the others on its line of the screens.

    A dispute needs a `note` on how it was decided. New rules may be dealt once they are acknowledged. Acknowledging
    ends the alert of an event that happened once.
    """
    assert ctx.actor is not None
    here = held(ctx.table.pk)
    alert_to_acknowledge = next(
        (alert for alert in here if alert.pk == alert_id and alert.acknowledged_at is None), None
    )
    if alert_to_acknowledge is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    kind = kind_of(alert_to_acknowledge.kind, alert_to_acknowledge.key)
    if kind.needs_note and not note:
        raise Refusal(SAY_HOW_IT_WAS_DECIDED, alert_to_acknowledge.section)
    others = [
        alert for alert in acknowledged_with(alert_to_acknowledge, here) if alert.acknowledged_at is None
    ]
    entry, *more_entries = [acknowledgment(alert, here, note) for alert in (alert_to_acknowledge, *others)]
    for alert in (alert_to_acknowledge, *others):
        acknowledge(ctx, alert, ctx.actor, note)
    ctx.extra_entries += more_entries
    if kind.needs_note:
        alert_to_acknowledge.decision, alert_to_acknowledge.decided_at = IN_WORDS, ctx.now
        alert_to_acknowledge.decided_by = ctx.actor
        alert_to_acknowledge.save(update_fields=["decision", "decided_at", "decided_by"])
    if kind is NEW_RULES:
        acknowledge_rules(ctx, alert_to_acknowledge.key)
    if alert_to_acknowledge.ended_at is None and kind.ends_when_acknowledged:
        end_alert(ctx, alert_to_acknowledge.key)
    return ActOutcome(entry, changes="nothing")


def acknowledgment(alert: Alert, here: list[Alert], note: str) -> EntryBody:
    """Return the entry of an acknowledgment. `here` are the alerts of its table, before it is acknowledged."""
    data: AlertAcknowledged = {"kind": alert.kind, "key": alert.key, "note": note}
    if any(_waits_too(other, alert) for other in here):
        data["raised_at"] = format_moment(alert.raised_at)
    return ALERT_ACKNOWLEDGED(data)


def _waits_too(alert: Alert, acknowledged: Alert) -> bool:
    """Whether another alert with the same key waits for its acknowledgment: it was raised again after its end."""
    return alert.pk != acknowledged.pk and alert.key == acknowledged.key and alert.acknowledged_at is None


@act(roles=AT_THE_TABLE, depends_on="nothing")
def report_dispute(ctx: TableContext, *, seat: Annotated[int, whole(1, 64)], about: Text) -> ActOutcome:
    """Report a player's dispute at this table, for the floor to decide.

    The section is the edition's on a disputed face, if it has one (§ 577.5(g)).
    """
    if ctx.table.status == Table.Status.CLOSED:
        raise Refusal(TABLE_IS_CLOSED, table=ctx.table.code)
    if seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=seat, seats=ctx.table.seats)
    section = ctx.rules.edition.no_rolls.get("disputed", "")
    # Once a round is cleared, a dispute is about the last one.
    round_ = ctx.round.number if ctx.round else ctx.table.last_round or None
    alert = DISPUTE.expected(
        ctx.table.pk, section=section, cause=ctx.stream.seq + 1, seat=seat, about=about, round=round_
    )
    raise_alert(ctx, alert)
    data: DisputeReported = {"round": round_, "seat": seat, "about": about, "section": section}
    return ActOutcome(DISPUTE_REPORTED(data), changes="nothing")

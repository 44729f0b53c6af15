"""Acts on alerts: the floor acknowledges one, and a dispute is reported."""

from audit.clock import format_moment
from games.engine import Refusal
from games.params import Params
from tables.alerts.alert_rules import DISPUTE
from tables.alerts.entry_types import DISPUTE_REPORTED, DisputeReported
from tables.alerts.refusals import NO_SUCH_ALERT, SAY_HOW_IT_WAS_DECIDED
from tables.core.alert_kinds import kind_of
from tables.core.alerts import (
    acknowledge,
    end_alert,
    held,
    raise_alert,
    replaced_by,
)
from tables.core.context import TableContext
from tables.core.entry_types import ALERT_ACKNOWLEDGED, AlertAcknowledged
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.core.refusals import TABLE_IS_CLOSED
from tables.models import Alert, Table
from tables.rounds.refusals import NO_SUCH_SEAT
from tables.runner.table import ActOutcome, act

MAX_ID = 2**53 - 1


@act(roles=FLOOR, depends_on="nothing")
def acknowledge_alert(ctx: TableContext, params: Params) -> ActOutcome:
    """Acknowledge an alert of this table, with the earlier warnings that it replaced.

    A dispute needs a `note` on how it was decided. Acknowledging ends the alert of an event that happened once.
    """
    assert ctx.actor is not None
    pk, note = params.integer("alert", 1, MAX_ID), params.text("note", default="")
    here = held(ctx.table.pk)
    alert_to_acknowledge = next(
        (alert for alert in here if alert.pk == pk and alert.acknowledged_at is None), None
    )
    if alert_to_acknowledge is None:
        raise Refusal(NO_SUCH_ALERT, table=ctx.table.code)
    kind = kind_of(alert_to_acknowledge.kind, alert_to_acknowledge.key)
    if kind.needs_note and not note:
        raise Refusal(SAY_HOW_IT_WAS_DECIDED, alert_to_acknowledge.section)
    acknowledge(ctx, alert_to_acknowledge, ctx.actor, note)
    for earlier in replaced_by(alert_to_acknowledge, here):
        if earlier.acknowledged_at is None:
            acknowledge(ctx, earlier, ctx.actor, note)
            ctx.extra_entries.append(
                ALERT_ACKNOWLEDGED({"kind": earlier.kind, "key": earlier.key, "note": note})
            )
    if alert_to_acknowledge.ended_at is None and kind.ends_when_acknowledged:
        end_alert(ctx, alert_to_acknowledge.key)
    data: AlertAcknowledged = {
        "kind": alert_to_acknowledge.kind,
        "key": alert_to_acknowledge.key,
        "note": note,
    }
    if any(_waits_too(alert, alert_to_acknowledge) for alert in here):
        data["raised_at"] = format_moment(alert_to_acknowledge.raised_at)
    return ActOutcome(ALERT_ACKNOWLEDGED(data), changes="nothing")


def _waits_too(alert: Alert, acknowledged: Alert) -> bool:
    """Whether another alert with the same key waits for its acknowledgment: it was raised again after its end."""
    return alert.pk != acknowledged.pk and alert.key == acknowledged.key and alert.acknowledged_at is None


@act(roles=AT_THE_TABLE, depends_on="nothing")
def report_dispute(ctx: TableContext, params: Params) -> ActOutcome:
    """Report a player's dispute at this table, for the floor to decide.

    The section is the edition's on a disputed face, if it has one (§ 577.5(g)).
    """
    seat, about = params.integer("seat", 1, 64), params.text("about")
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

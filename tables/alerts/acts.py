"""Alerts: somebody of the floor acknowledges one, and anybody at the table reports a dispute."""

from games.engine import Refusal
from games.params import Params
from tables.core.alerts import (
    NEEDS_A_NOTE,
    Level,
    acknowledge,
    end_alert,
    held,
    is_event,
    raise_alert,
    replaced_by,
)
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE, FLOOR
from tables.models import Table
from tables.runner.table import Recorded, act

MOST_ID = 2**53 - 1


@act(roles=FLOOR, depends_on="nothing")
def acknowledge_alert(at: AtTable, params: Params) -> Recorded:
    """Says that somebody has an alert of this table in hand, with the earlier warnings that it took the place of.

    A dispute needs a `note`: how it was decided; that ends it, as acknowledging ends whatever happened once.
    """
    assert at.actor is not None
    pk, note = params.whole("alert", 1, MOST_ID), params.text("note", default="")
    here = held(at.table.pk)
    found = next((alert for alert in here if alert.pk == pk and alert.acknowledged_at is None), None)
    if found is None:
        raise Refusal("no-such-alert", table=at.table.code)
    if found.kind in NEEDS_A_NOTE and not note:
        raise Refusal("say-how-it-was-decided", found.section)
    acknowledge(at, found, at.actor, note)
    for earlier in replaced_by(found, here):
        if earlier.acknowledged_at is None:
            acknowledge(at, earlier, at.actor, note)
            data = {"kind": earlier.kind, "key": earlier.key, "note": note}
            at.also.append(("alert.acknowledged", data))
    if found.ended_at is None and is_event(found.key):
        end_alert(at, found.key)
    data = {"kind": found.kind, "key": found.key, "note": note}
    return Recorded("alert.acknowledged", data, changes="nothing")


@act(roles=AT_THE_TABLE, depends_on="nothing")
def report_dispute(at: AtTable, params: Params) -> Recorded:
    """A player disputes something at this table; the floor comes and decides. A dispute over the face that lies
    uppermost has a section of its own where the edition has one (§ 577.5(g)).
    """
    seat, about = params.whole("seat", 1, 64), params.text("about")
    if at.table.status == Table.Status.CLOSED:
        raise Refusal("table-closed", table=at.table.code)
    if seat > at.table.seats:
        raise Refusal("no-such-seat", seat=seat, seats=at.table.seats)
    section = at.rules.edition.no_rolls.get("disputed", "")
    round_ = (
        at.round.number if at.round else at.table.last_round or None
    )  # once it is cleared, it is the last one
    raise_alert(
        at,
        "dispute",
        f"dispute:{at.stream.seq + 1}",
        Level.WARN,
        section,
        seat=seat,
        about=about,
        round=round_,
    )
    data = {"round": round_, "seat": seat, "about": about, "section": section}
    return Recorded("dispute.reported", data, changes="nothing")

"""The act that logs a device that § 521.6 forbids: what it was, where, and what was done about it."""

from typing import Annotated

from games.act_forms import Text, whole
from games.engine import Refusal
from games.guide.content import section
from games.models import DeviceIncident
from tables.core.context import TableContext
from tables.core.permissions import FLOOR
from tables.failures.entry_types import DEVICE_INCIDENT
from tables.failures.entry_types import DeviceIncident as IncidentData
from tables.rounds.wagers import NO_SUCH_SEAT
from tables.runner.table import ActOutcome, act


@act(roles=FLOOR, depends_on="nothing")
def log_device_incident(
    ctx: TableContext, *, what: Text, action: Text, seat: Annotated[int, whole(0, 64)] = 0
) -> ActOutcome:
    """Log the incident for the facility and in this table's record, open or closed.

    `seat` is 0 if nobody used the device from a seat: a bystander's counts too. Raises `no-such-seat` or
    `malformed`.
    """
    if seat > ctx.table.seats:
        raise Refusal(NO_SUCH_SEAT, seat=seat, seats=ctx.table.seats)
    round_ = ctx.round.number if ctx.round else None
    DeviceIncident.objects.create(
        facility=ctx.table.facility,
        table=ctx.table.code,
        round=round_,
        seat=seat or None,
        at=ctx.now,
        what=what,
        action=action,
        by=ctx.actor,
    )
    cite = section(ctx.table.facility, "device")
    data: IncidentData = {
        "round": round_,
        "seat": seat or None,
        "what": what,
        "action": action,
        "section": cite,
    }
    return ActOutcome(DEVICE_INCIDENT(data), changes="nothing")

"""A device that § 521.6 forbids, seen at a table: what it was, where, and what was done about it."""

from games.engine import Refusal
from games.guide.sections import section
from games.models import DeviceIncident
from games.params import Params
from tables.core.context import AtTable
from tables.core.permissions import FLOOR
from tables.runner.table import Recorded, act


@act(roles=FLOOR, depends_on="nothing")
def log_device_incident(at: AtTable, params: Params) -> Recorded:
    """Logs it for the house and in the record of this table, open or closed. Raises `no-such-seat`, `malformed`.

    `seat` is 0 where nobody sat at one: somebody standing by counts as much.
    """
    what, action = params.text("what"), params.text("action")
    seat = params.whole("seat", 0, 64, default=0)
    if seat > at.table.seats:
        raise Refusal("no-such-seat", seat=seat, seats=at.table.seats)
    round_ = at.round.number if at.round else None
    DeviceIncident.objects.create(
        facility=at.table.facility,
        table=at.table.code,
        round=round_,
        seat=seat or None,
        at=at.now,
        what=what,
        action=action,
        by=at.actor,
    )
    cite = section(at.table.facility, "device")
    data = {"round": round_, "seat": seat or None, "what": what, "action": action, "section": cite}
    return Recorded("device.incident", data, changes="nothing")

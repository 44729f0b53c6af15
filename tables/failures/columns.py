"""What the entries state of devices that may help to cheat."""

from audit.columns import ACTOR, AT, FACILITY, PLACE, declare, same
from games.models import DeviceIncident
from tables.failures.entry_types import DEVICE_INCIDENT

declare(
    DeviceIncident,
    "device incident",
    key={"facility": FACILITY, "table": PLACE, "at": AT},
    created={DEVICE_INCIDENT: {**same("round", "seat", "what", "action"), "by": ACTOR}},
)

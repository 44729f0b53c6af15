"""The alerts about a dispute, and about a call to the floor or Security."""

from games.snapshot_types import Addressee
from tables.alerts.floor_calls import TITLES, describe_call
from tables.core.alert_kinds import AlertKind, Level, alert_kind

DISPUTE = alert_kind(
    AlertKind(
        "dispute",
        "dispute:{cause}",
        Level.WARN,
        "Dispute",
        "Dispute at seat %(seat)s",
        "Disputed: “%(about)s”. Decide it, and write how.",
        is_typed=True,
        needs_note=True,
        ends_when_acknowledged=True,
    )
)

CALLS: dict[Addressee, AlertKind] = {
    "floor": alert_kind(
        AlertKind(
            "floor-call",
            "call:floor:{cause}",
            Level.WARN,
            "Floor called",
            TITLES["floor"],
            describe=describe_call,
            needs_note=True,
            ends_when_acknowledged=True,
        )
    ),
    "security": alert_kind(
        AlertKind(
            "security-call",
            "call:security:{cause}",
            Level.STOP,
            "Security called",
            TITLES["security"],
            describe=describe_call,
            needs_note=True,
            ends_when_acknowledged=True,
        )
    ),
}

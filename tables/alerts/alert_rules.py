"""The alerts about a dispute, and about a call to the floor or Security."""

from collections.abc import Mapping
from typing import Any

from games.snapshot_types import Addressee
from tables.alerts.floor_calls import TITLES, describe_call
from tables.core.alert_kinds import AlertKind, Level, alert_kind
from tables.core.alerts import DISPUTE as DISPUTE_CODE


def describe_dispute(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of a dispute, with one period after the words of the table."""
    about = params["about"].rstrip(". ")
    end = "" if about.endswith(("?", "!")) else "."
    return "Dispute at seat %s" % params["seat"], f"Disputed: “{about}{end}” Decide it, and write how."


DISPUTE = alert_kind(
    AlertKind(
        DISPUTE_CODE,
        "dispute:{cause}",
        Level.WARN,
        "Dispute",
        "Dispute at seat %(seat)s",
        describe=describe_dispute,
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

"""The alert about a dispute."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

DISPUTE = alert_kind(
    AlertKind(
        "dispute",
        "dispute:{cause}",
        Level.WARN,
        "Dispute",
        "Dispute at seat %(seat)s",
        "Disputed: “%(about)s”. Decide it, and write how.",
        needs_note=True,
        ends_when_acknowledged=True,
    )
)

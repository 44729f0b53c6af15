"""The notice about an Error Notification Slip whose money has not been handed over."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

UNSETTLED_SLIP = alert_kind(
    AlertKind(
        "slip",
        "slip:{slip}",
        Level.INFO,
        "Slip to be settled",
        "Slip %(slip)s to be settled",
        "Round %(round)s was put right. Move the money that is due, and both of you sign it.",
    )
)

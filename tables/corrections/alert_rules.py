"""The notice about an Error Notification Slip whose money has not been handed over."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

UNSETTLED_SLIP = alert_kind(
    AlertKind(
        "slip",
        "slip:{slip}",
        Level.INFO,
        "Slip to settle",
        "Slip %(slip)s to settle",
        "Round %(round)s was corrected. Move the money that is due, then both of you sign.",
    )
)

"""The notices about an Error Notification Slip: its money has not moved, its review is awaited, its review differs."""

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
AWAITED_REVIEW = alert_kind(
    AlertKind(
        "slip-review",
        "slip-review:{slip}",
        Level.INFO,
        "Slip to review",
        "Slip %(slip)s waits for its review",
        "Round %(round)s was corrected. Somebody outside the table reviews the slip first: no money moves before.",
    )
)
DIFFERING_REVIEW = alert_kind(
    AlertKind(
        "slip-differs",
        "slip-differs:{slip}",
        Level.WARN,
        "Slip: its review differs",
        "Slip %(slip)s: the review differs",
        "Read on the page of round %(round)s what differs. File another slip if one is needed.",
        ends_when_acknowledged=True,
    )
)

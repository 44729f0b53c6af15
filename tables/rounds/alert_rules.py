"""The alert about a throw that was called no roll for cheating."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

CHEATING = alert_kind(
    AlertKind(
        "cheating",
        "cheating:{round}:{throw}",
        Level.WARN,
        "Cheating suspected",
        "Cheating suspected",
        "A throw of round %(round)s was called no roll for a device or technique. "
        "Look at the dice, and at the pictures of the throw.",
        ends_when_acknowledged=True,
    )
)

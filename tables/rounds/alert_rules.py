"""The alert about a throw that was called no roll for cheating."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

CHEATING = alert_kind(
    AlertKind(
        "cheating",
        "cheating:{round}:{throw}",
        Level.WARN,
        "Cheating suspected",
        "Cheating suspected",
        "A throw of round %(round)s was called no roll because of a cheating device or technique. "
        "Check the dice, and the video of the throw.",
        ends_when_acknowledged=True,
    )
)

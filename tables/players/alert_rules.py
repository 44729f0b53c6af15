"""The alert about an excluded player at a table."""

from tables.core.alert_kinds import AlertKind, Level, alert_kind

EXCLUDED_PLAYER = alert_kind(
    AlertKind(
        "excluded-player",
        "excluded:{cause}",
        Level.STOP,
        "Excluded player",
        "Excluded player at seat %(seat)s",
        "Seat %(seat)s was rated as %(player)s, who is excluded now. The rating has ended. Refuse the seat, "
        "and call Security.",
        ends_when_acknowledged=True,
        at_the_pit=True,
    )
)

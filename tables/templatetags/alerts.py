"""Template filters of alerts: their order, and the alert that a tile shows."""

from django import template

from games.snapshot_types import AlertFacts, Snapshot
from tables.alerts.view import rank
from tables.words.forms import span

from .floor import PitTables, moment

register = template.Library()


class TableAlert(AlertFacts):
    """An alert with the snapshot of its table."""

    s: Snapshot


@register.filter
def alert_rank(alert: AlertFacts) -> int:
    """Return the number by which a screen sorts an alert."""
    return rank(alert)[0]


@register.simple_tag
def alerts_of(pits: list[PitTables]) -> list[TableAlert]:
    """Return the alerts of all tables, unacknowledged alerts first, then by urgency."""
    alerts: list[TableAlert] = [
        {**alert, "s": s} for pit in pits for s in pit["tables"] for alert in s["alerts"]
    ]
    return sorted(alerts, key=rank)


@register.filter
def bright(alerts: list[AlertFacts]) -> list[AlertFacts]:
    """Return the alerts that nobody has acknowledged."""
    return [alert for alert in alerts if not alert["acknowledged"]]


@register.filter
def calling(alerts: list[AlertFacts]) -> list[AlertFacts]:
    """Return the alerts that nobody has acknowledged and that have not ended."""
    return [alert for alert in bright(alerts) if alert["standing"]]


@register.filter
def left_until(alert: AlertFacts, as_of: str) -> str:
    """Return the time left until the moment that an alert counts down to; under a minute in seconds."""
    assert alert["until"] is not None
    seconds = max(0, int((moment(alert["until"]) - moment(as_of)).total_seconds()))
    return span(seconds) if seconds >= 60 else f"{seconds} s"

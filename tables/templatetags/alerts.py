"""Template tags of the alerts of a pit."""

from django import template

from games.snapshot_types import AlertFacts, Snapshot
from tables.alerts.view import rank

from .floor import PitTables

register = template.Library()


class TableAlert(AlertFacts):
    """An alert with the snapshot of its table."""

    s: Snapshot


@register.simple_tag
def alerts_of(pits: list[PitTables]) -> list[TableAlert]:
    """Return the alerts of all tables, unacknowledged alerts first, then by urgency."""
    alerts: list[TableAlert] = [
        {**alert, "s": s} for pit in pits for s in pit["tables"] for alert in s["alerts"]
    ]
    return sorted(alerts, key=rank)


@register.filter
def bright(alerts: list[AlertFacts]) -> list[AlertFacts]:
    """Return the alerts that nobody has answered."""
    return [alert for alert in alerts if not alert["acknowledged"] and not alert["coming"]]

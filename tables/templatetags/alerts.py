"""Template filters of the alerts: their order, and the one that a tile shows."""

from typing import Any

from django import template

from tables.alerts.view import rank
from tables.words.forms import span

from .floor import moment

register = template.Library()


@register.filter
def alert_rank(alert: dict[str, Any]) -> int:
    """The number by which a screen puts an alert among the others."""
    return rank(alert)[0]


@register.simple_tag
def alerts_of(pits: list[dict]) -> list[dict]:
    """The alerts of all tables, the bright ones first and among them the gravest."""
    found = [{**alert, "s": s} for pit in pits for s in pit["tables"] for alert in s["alerts"]]
    return sorted(found, key=rank)


@register.filter
def bright(alerts: list[dict]) -> list[dict]:
    """Those that nobody has acknowledged."""
    return [alert for alert in alerts if not alert["acknowledged"]]


@register.filter
def calling(alerts: list[dict]) -> list[dict]:
    """Those that nobody has acknowledged and that are not over."""
    return [alert for alert in bright(alerts) if alert["standing"]]


@register.filter
def left_until(alert: dict[str, Any], as_of: str) -> str:
    """What is left until the moment that an alert counts down to; under a minute in seconds."""
    seconds = max(0, int((moment(alert["until"]) - moment(as_of)).total_seconds()))
    return span(seconds) if seconds >= 60 else f"{seconds} s"

"""The alerts of a table as its screens show them: those that were raised, and those that need not wait for it."""

import datetime as dt
from typing import Any, cast

from games.snapshot_types import ALERT_LEVELS, AlertFacts, AlertLevel, AlertWords
from tables.alerts.words import alert_words
from tables.core.alert_kinds import ALERT_RULES, ExpectedAlert
from tables.core.alerts import group
from tables.core.context import TableContext
from tables.models import Alert
from tables.words.sentences import moment, short

ACKNOWLEDGED, ENDED = 10, 5


def alerts_of(ctx: TableContext, open_alerts: list[Alert]) -> list[AlertFacts]:
    """Return the alerts of the snapshot, in the order of `rank`."""
    raised_keys = {alert.key for alert in open_alerts if alert.ended_at is None}
    computed_alerts = [alert for alert in _computed_alerts(ctx) if alert.key not in raised_keys]
    newest = _newest_stages([*open_alerts, *computed_alerts])
    rows = [_stored_row(alert) for alert in open_alerts if alert.key in newest]
    rows += [_computed_row(alert) for alert in computed_alerts]
    return sorted(rows, key=rank)


def _newest_stages(alerts: list[Alert | ExpectedAlert]) -> set[str]:
    """Return the keys to show: of the warnings about the same dice only the newest."""
    last = {
        group(alert.key): alert.key
        for alert in sorted(alerts, key=lambda alert: alert.key)
        if alert.key.startswith("dice:")
    }
    return {alert.key for alert in alerts if not alert.key.startswith("dice:")} | set(last.values())


def rank(alert: AlertFacts) -> tuple[int, str]:
    """Return the sort key of an alert: unacknowledged before acknowledged, open before ended, by level, then by age.

    Screens sort alerts of several tables by the number alone (`data-rank`).
    """
    is_acknowledged, has_ended = alert["acknowledged"] is not None, not alert["standing"]
    return ACKNOWLEDGED * is_acknowledged + ENDED * has_ended + ALERT_LEVELS.index(alert["level"]), alert[
        "since"
    ] or ""


def _computed_alerts(ctx: TableContext) -> list[ExpectedAlert]:
    """Return the alerts that screens show even where nobody has raised them."""
    alerts = (rule.at_table(ctx) for rule in ALERT_RULES if rule.at_table)
    return [alert for alert in alerts if alert is not None]


def _stored_row(alert: Alert) -> AlertFacts:
    by = alert.acknowledged_by
    return {
        **_alert_words(alert.kind, alert.key, alert.params),
        "id": alert.pk,
        "level": alert.level,
        "section": short(alert.section),
        "since": moment(alert.raised_at),
        "standing": alert.ended_at is None,
        "acknowledged": {"by": by.short_name, "at": moment(alert.acknowledged_at)} if by else None,
    }


def _computed_row(alert: ExpectedAlert) -> AlertFacts:
    return {
        **_alert_words(alert.kind.code, alert.key, alert.params),
        "id": None,
        "level": cast(AlertLevel, alert.kind.level.value),
        "section": short(alert.section),
        "since": moment(alert.since),
        "standing": True,
        "acknowledged": None,
    }


def _alert_words(code: str, key: str, params: dict[str, Any]) -> AlertWords:
    title, text = alert_words(code, key, params)
    until = params.get("until")
    return {
        "kind": code,
        "round": params.get("round"),
        "title": title,
        "text": text,
        "until": moment(dt.datetime.fromisoformat(until)) if until else None,
    }

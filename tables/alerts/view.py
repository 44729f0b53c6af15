"""The alerts of a table as its screens show them: stored alerts, and conditions that must not wait for the ticker."""

import datetime as dt
from dataclasses import dataclass, field
from typing import Any, cast

from games.engine import Refusal
from tables.alerts.words import alert_words
from tables.core.alerts import Level, dice_key, failure_kind, group
from tables.core.context import TableContext
from tables.failures.words import ceased_text
from tables.models import Alert, Table
from tables.snapshot_types import ALERT_LEVELS, AlertFacts, AlertLevel, AlertWords
from tables.words import sentences
from tables.words.sentences import moment, short

CALM, OVER = 10, 5


@dataclass(frozen=True)
class ComputedAlert:
    """A condition of the table at this moment that has no stored alert. Nobody can acknowledge it yet."""

    kind: str
    key: str
    level: str
    section: str = ""
    since: dt.datetime | None = None
    params: dict[str, Any] = field(default_factory=dict)


def alerts_of(ctx: TableContext, open_alerts: list[Alert]) -> list[AlertFacts]:
    """The snapshot's `alerts`, in the order of `rank`. `open_alerts` are the stored ones."""
    raised_keys = {alert.key for alert in open_alerts if alert.ended_at is None}
    computed_alerts = [alert for alert in _computed_alerts(ctx) if alert.key not in raised_keys]
    newest = _newest_stages([*open_alerts, *computed_alerts])
    rows = [_stored_row(alert) for alert in open_alerts if alert.key in newest]
    rows += [_computed_row(alert) for alert in computed_alerts]
    return sorted(rows, key=rank)


def _newest_stages(alerts: list[Alert | ComputedAlert]) -> set[str]:
    """The keys to show: only the last of the warnings about the same dice."""
    last = {
        group(alert.key): alert.key
        for alert in sorted(alerts, key=lambda alert: alert.key)
        if alert.key.startswith("dice:")
    }
    return {alert.key for alert in alerts if not alert.key.startswith("dice:")} | set(last.values())


def rank(alert: AlertFacts) -> tuple[int, str]:
    """The place of an alert in every list: unacknowledged first, ended alerts last among them; then by level; then
    the oldest.

    Screens merge lists by the number alone (`data-rank`).
    """
    calm, over = alert["acknowledged"] is not None, not alert["standing"]
    return CALM * calm + OVER * over + ALERT_LEVELS.index(alert["level"]), alert["since"] or ""


def _computed_alerts(ctx: TableContext) -> list[ComputedAlert]:
    """No rules in force, gaming ceased, dice expired, no dice: conditions that do not depend on the ticker."""
    table, lot = ctx.table, ctx.lot
    alerts = []
    if not ctx.deals:
        alerts.append(
            ComputedAlert("no-rules", "no-rules", Level.STOP, params={"code": table.submission_code})
        )
    if table.ceased_what:
        alerts.append(
            ComputedAlert(
                failure_kind(table.ceased_what),
                "failure",
                Level.STOP,
                table.ceased_section,
                table.ceased_since,
                {"what": table.ceased_what},
            )
        )
    if table.status == Table.Status.CLOSED:
        return alerts
    if lot is not None and lot.expires_at is not None and ctx.now >= lot.expires_at:
        key, params = dice_key(lot.code, 4), {"lot": lot.code}
        alerts.append(
            ComputedAlert("dice-expired", key, Level.STOP, lot.clock_section, lot.expires_at, params)
        )
    if ctx.shaker is not None and lot is None:
        alerts.append(ComputedAlert("no-dice", "no-dice", Level.WARN, params={"shaker": ctx.shaker.code}))
    return alerts


def _stored_row(alert: Alert) -> AlertFacts:
    by = alert.acknowledged_by
    return {
        **_alert_words(alert.kind, alert.params),
        "id": alert.pk,
        "level": cast(AlertLevel, alert.level),
        "section": short(alert.section),
        "since": moment(alert.raised_at),
        "standing": alert.ended_at is None,
        "acknowledged": {"by": by.short_name, "at": moment(alert.acknowledged_at)} if by else None,
    }


def _computed_row(alert: ComputedAlert) -> AlertFacts:
    return {
        **_alert_words(alert.kind, alert.params),
        "id": None,
        "level": cast(AlertLevel, str(alert.level)),
        "section": short(alert.section),
        "since": moment(alert.since),
        "standing": True,
        "acknowledged": None,
    }


def _alert_words(kind: str, params: dict[str, Any]) -> AlertWords:
    title, text = alert_words(kind, {**params, "text": _quoted_text(params)})
    if "breach" in params:
        title = sentences.title(_breach_refusal(params))
    until = params.get("until")
    return {
        "kind": kind,
        "round": params.get("round"),
        "title": title,
        "text": text,
        "until": moment(dt.datetime.fromisoformat(until)) if until else None,
    }


def _quoted_text(params: dict[str, Any]) -> str:
    """A sentence that other screens use too: about a failure, or about supervision."""
    if "what" in params:
        return ceased_text(params["what"])
    return sentences.say(_breach_refusal(params)) if "breach" in params else ""


def _breach_refusal(params: dict[str, Any]) -> Refusal:
    return Refusal(params["breach"], **{name: value for name, value in params.items() if name != "breach"})

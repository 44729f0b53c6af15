"""The alerts of a table as its screens show them: those that were raised, and those that need not wait for it."""

import datetime as dt
from typing import Any, cast

from audit.models.people import Role
from games.snapshot_types import ALERT_LEVELS, AlertFacts, AlertLevel, AlertWords, DecisionFacts
from tables.alerts.calls import addressee_of, alert_words, decision_words, next_role, passes_on_at
from tables.core.alerts import ALERT_RULES, ExpectedAlert, group, kind_of, line_of
from tables.core.context import TableContext
from tables.models import Alert, Table
from tables.words.sentences import moment, short

ENDED, LEVEL, ANSWERED = 12, 4, 2


def alerts_of(ctx: TableContext, open_alerts: list[Alert]) -> list[AlertFacts]:
    """Return the alerts of the snapshot, in the order of `rank`."""
    raised_keys = {alert.key for alert in open_alerts if alert.ended_at is None}
    computed_alerts = [alert for alert in _computed_alerts(ctx) if alert.key not in raised_keys]
    newest = _newest_stages([*open_alerts, *computed_alerts])
    lines: dict[object, list[Alert]] = {}
    for alert in open_alerts:
        if alert.key in newest:
            is_grouped = kind_of(alert.kind, alert.key).describe_group is not None
            lines.setdefault(line_of(alert) if is_grouped else alert.pk, []).append(alert)
    is_live = ctx.table.kind == Table.Kind.LIVE
    rows = [_stored_row(line, is_live=is_live) for line in lines.values()]
    rows += [_computed_row(alert) for alert in computed_alerts]
    return sorted(rows, key=rank)


def is_decided(alert: Alert) -> bool:
    """Whether the floor has decided this dispute or call, so that only its table still shows the decision."""
    return alert.decided_at is not None and alert.ended_at is not None and alert.acknowledged_at is not None


def decisions_of(table: Table, alerts: list[Alert]) -> list[DecisionFacts]:
    """Return the decisions that a table has not read yet, oldest first; none at a closed table."""
    if table.status == Table.Status.CLOSED:
        return []
    return [
        {
            "id": alert.pk,
            "title": alert_words(alert.kind, alert.key, alert.params)[0],
            "seat": alert.params.get("seat"),
            "decision": decision_words(alert.decision, alert.note),
            "by": alert.decided_by.short_name if alert.decided_by else "",
            "at": cast(str, moment(alert.decided_at)),
            "called_at": moment(alert.raised_at),
            "coming_at": moment(alert.coming_at),
        }
        for alert in alerts
        if is_decided(alert) and alert.read_at is None
    ]


def _newest_stages(alerts: list[Alert | ExpectedAlert]) -> set[str]:
    """Return the keys to show: of the warnings about the same dice only the newest."""
    last = {
        group(alert.key): alert.key
        for alert in sorted(alerts, key=lambda alert: alert.key)
        if alert.key.startswith("dice:")
    }
    return {alert.key for alert in alerts if not alert.key.startswith("dice:")} | set(last.values())


def rank(alert: AlertFacts) -> tuple[int, float]:
    """Return the sort key of an alert: open before ended, by level, unanswered before answered, the newest first.

    Of a level, calls and disputes come first: a person waits there. So a stop stays on top until it has ended, and no
    line is above a new one of its kind because it is older. Screens sort alerts of several tables by the number
    (`data-rank`) and then by their age.
    """
    is_answered, has_ended = alert["acknowledged"] or alert["coming"], not alert["standing"]
    level = LEVEL * ALERT_LEVELS.index(alert["level"])
    place = ENDED * has_ended + level + ANSWERED * bool(is_answered) + (alert["to"] is None)
    return place, -dt.datetime.fromisoformat(alert["since"]).timestamp() if alert["since"] else 0.0


def _computed_alerts(ctx: TableContext) -> list[ExpectedAlert]:
    """Return the alerts that screens show even where nobody has raised them."""
    alerts = (rule.at_table(ctx) for rule in ALERT_RULES if rule.at_table)
    return [alert for alert in alerts if alert is not None]


def _stored_row(line: list[Alert], *, is_live: bool) -> AlertFacts:
    """Return the row of an alert, or of several of a kind, oldest first. It is about the newest of them."""
    alert = line[-1]
    by, coming, muter = alert.acknowledged_by, alert.coming_by, alert.muted_by
    passes_on = passes_on_at(alert) if is_live else None
    words = _alert_words(alert.kind, alert.key, alert.params)
    describe_group = kind_of(alert.kind, alert.key).describe_group
    if describe_group is not None and len(line) > 1:
        words["title"], words["text"] = describe_group([member.params for member in line])
    return {
        **words,
        "id": alert.pk,
        "count": len(line),
        "level": alert.level,
        "section": short(alert.section),
        "since": moment(alert.raised_at),
        "standing": alert.ended_at is None,
        "acknowledged": {"by": by.short_name, "at": moment(alert.acknowledged_at)} if by else None,
        "coming": {"by": coming.short_name, "at": moment(alert.coming_at)} if coming else None,
        "asked": {"role": _role(alert.asked_role), "at": moment(alert.asked_at)}
        if alert.asked_role
        else None,
        "passes_on": {"at": moment(passes_on), "role": _role(next_role(alert))} if passes_on else None,
        "muted": {"by": muter.short_name, "until": cast(str, moment(alert.muted_until))} if muter else None,
    }


def _role(code: str) -> str:
    return str(Role(code).label)


def _computed_row(alert: ExpectedAlert) -> AlertFacts:
    return {
        **_alert_words(alert.kind.code, alert.key, alert.params),
        "id": None,
        "count": 1,
        "level": cast(AlertLevel, alert.kind.level.value),
        "section": short(alert.section),
        "since": moment(alert.since),
        "standing": True,
        "acknowledged": None,
        "coming": None,
        "asked": None,
        "passes_on": None,
        "muted": None,
    }


def _alert_words(code: str, key: str, params: dict[str, Any]) -> AlertWords:
    title, text = alert_words(code, key, params)
    until = params.get("until")
    return {
        "kind": code,
        "to": addressee_of(code),
        "reason": params.get("reason") or None,
        "seat": params.get("seat"),
        "round": params.get("round"),
        "title": title,
        "text": text,
        "until": moment(dt.datetime.fromisoformat(until)) if until else None,
    }

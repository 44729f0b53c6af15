"""The alert about a table without rules in force."""

from tables.core.alert_kinds import AlertKind, AlertRule, ExpectedAlert, Level, alert_kind, alert_rule
from tables.core.context import TableContext

NO_RULES = alert_kind(
    AlertKind(
        "no-rules",
        "no-rules",
        Level.STOP,
        "No rules in force",
        "No rules in force",
        "Rules submission %(code)s is not in force. The table cannot deal: close it.",
    )
)


def no_rules(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where no rules are in force and no round is in play."""
    return None if ctx.deals else NO_RULES.expected(ctx.table.pk, code=ctx.table.submission_code)


alert_rule(AlertRule((NO_RULES,), at_table=no_rules))

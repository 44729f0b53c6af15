"""The alerts about a table without rules in force, and about rules that changed at an open table."""

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

NEW_RULES = alert_kind(
    AlertKind(
        "new-rules",
        "new-rules:{code}:{version}",
        Level.WARN,
        "New rules in force",
        "New rules in force",
        "Version %(version)s of %(code)s is in force. Read what it changes, tell the dealers, and acknowledge it: no "
        "round begins before.",
        ends_when_acknowledged=True,
    )
)


def no_rules(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where no rules are in force and no round is in play."""
    return None if ctx.deals else NO_RULES.expected(ctx.table.pk, code=ctx.table.submission_code)


alert_rule(AlertRule((NO_RULES,), at_table=no_rules))

"""The alert about equipment that failed."""

from collections.abc import Mapping
from typing import Any

from tables.core.alert_kinds import AlertKind, AlertRule, ExpectedAlert, Level, alert_kind, alert_rule
from tables.core.context import TableContext
from tables.failures.words import ceased_text

TITLE = "Gaming ceased"


def _describe(params: Mapping[str, Any]) -> tuple[str, str]:
    return TITLE, ceased_text(params["what"])


DEVICE_FAILURE = alert_kind(
    AlertKind("device-failure", "failure", Level.STOP, "Failure", TITLE, describe=_describe)
)
SHAKER_FAILURE = alert_kind(
    AlertKind("shaker-failure", "failure", Level.STOP, "Shaker failure", TITLE, describe=_describe)
)


def failure(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where gaming has ceased, as the table's row says."""
    table = ctx.table
    if not table.ceased_what:
        return None
    kind = SHAKER_FAILURE if table.ceased_what == "shaker" else DEVICE_FAILURE
    return kind.expected(
        table.pk, section=table.ceased_section, since=table.ceased_since, what=table.ceased_what
    )


alert_rule(AlertRule((DEVICE_FAILURE, SHAKER_FAILURE), at_table=failure))

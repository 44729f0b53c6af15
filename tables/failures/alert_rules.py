"""The alerts about equipment that failed, and about a round that was settled by hand meanwhile."""

from collections.abc import Mapping
from typing import Any

from tables.core.alert_kinds import AlertKind, AlertRule, ExpectedAlert, Level, alert_kind, alert_rule
from tables.core.context import TableContext
from tables.failures.words import ceased_text
from tables.words.sentences import dollars

TITLE = "Gaming ceased"


def _describe(params: Mapping[str, Any]) -> tuple[str, str]:
    return TITLE, ceased_text(params["what"])


DEVICE_FAILURE = alert_kind(
    AlertKind("device-failure", "failure", Level.STOP, "Failure", TITLE, describe=_describe)
)
SHAKER_FAILURE = alert_kind(
    AlertKind("shaker-failure", "failure", Level.STOP, "Shaker failure", TITLE, describe=_describe)
)


def describe_hand_settled(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a round that was settled by hand."""
    paid = f"It pays {dollars(params['cents'])} net" if params["cents"] else "It pays nothing net"
    held = ", held back until its slip is reviewed" if params["held"] else ""
    signed = f"{params['person']} recorded round {params['round']}, and {params['signed_with']} signed."
    return "A round was settled by hand", f"{signed} {paid}{held}. Compare it with the video."


HAND_SETTLED = alert_kind(
    AlertKind(
        "hand-settled",
        "hand-settled:{round}",
        Level.WARN,
        "Round settled by hand",
        "A round was settled by hand",
        describe=describe_hand_settled,
        ends_when_acknowledged=True,
    )
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

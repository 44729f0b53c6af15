"""Words of alerts: their lines of the record, and what `alert_rules` declare of each kind."""

from typing import Any

from tables.alerts.entry_types import (
    ALERT_ANSWERED,
    ALERT_MUTED,
    ALERT_PASSED_ON,
    CALL_CANCELED,
    CALL_EXPLAINED,
    DECISION_READ,
    DISPUTE_REPORTED,
    FLOOR_CALLED,
    CallExplained,
)
from tables.alerts.floor_calls import TITLES, decision_words, describe_call
from tables.core.alert_kinds import ALERT_KINDS, kind_of
from tables.core.entry_types import (
    ALERT_ACKNOWLEDGED,
    ALERT_DECIDED,
    ALERT_ENDED,
    ALERT_RAISED,
    AlertAcknowledged,
    AlertRaised,
)
from tables.equipment.approvals import words_for_codes
from tables.failures import DEVICE_INCIDENT
from tables.runner.entry_types import TABLE_HALTED, TABLE_RESUMED
from tables.words.registry import line, register


def alert_words(code: str, key: str, params: dict[str, Any]) -> tuple[str, str]:
    """Return the title and the text of an alert."""
    kind = kind_of(code, key)
    if kind.describe is not None:
        return kind.describe(params)
    words = words_for_codes(params)
    return kind.title % words, kind.text % words


def alert_title(data: AlertRaised) -> str:
    """Return the title of an alert for the line of its entry."""
    return kind_of(data["kind"], str(data.get("key", ""))).title % words_for_codes(data)


def alert_names() -> dict[str, str]:
    """Return the names of the kinds of alerts, by code."""
    return {kind.code: kind.name for kind in ALERT_KINDS}


def _acknowledged(data: AlertAcknowledged) -> str:
    words = {"what": alert_names()[data["kind"]], "note": data["note"]}
    return "Acknowledged: %(what)s. %(note)s" % words if data["note"] else "Acknowledged: %(what)s" % words


def _explained(data: CallExplained) -> str:
    to = "security" if data["kind"] == "security-call" else "floor"
    return "Called about: %s" % describe_call({**data, "to": to})[0]


ACT_LINES = [
    line(FLOOR_CALLED, lambda data: TITLES[data["to"]]),
    line(CALL_EXPLAINED, _explained),
    line(CALL_CANCELED, lambda data: "Call canceled"),
    line(ALERT_ANSWERED, lambda data: "Coming: %s" % alert_names()[data["kind"]]),
    line(ALERT_DECIDED, lambda data: "Decided: %s" % decision_words(data["decision"], data["note"])),
    line(DECISION_READ, lambda data: "Decision read at the table"),
    line(
        ALERT_MUTED,
        lambda data: "Sound off for %s minutes: %s" % (data["minutes"], alert_names()[data["kind"]]),
    ),
    line(
        ALERT_PASSED_ON,
        lambda data: (
            "Passed on to the %s: %s" % (data["role"].replace("-", " "), alert_names()[data["kind"]])
        ),
    ),
    line(ALERT_RAISED, lambda data: "Alert: %s" % alert_title(data)),
    line(ALERT_ENDED, lambda data: "Ended: %s" % alert_names()[data["kind"]]),
    line(ALERT_ACKNOWLEDGED, _acknowledged),
    line(TABLE_HALTED, lambda data: "Halted: the record does not have entry %(seen)s" % data),
    line(TABLE_RESUMED, lambda data: "Resumed: the record was declared"),
    line(DISPUTE_REPORTED, lambda data: "Dispute at seat %(seat)s: %(about)s" % data),
    line(DEVICE_INCIDENT, lambda data: "Forbidden device: %(what)s. %(action)s" % data),
]


register(act_lines=ACT_LINES)

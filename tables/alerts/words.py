"""Words of alerts: their lines of the record, and what `alert_rules` declare of each kind."""

from collections.abc import Callable
from typing import Any

from tables.core.alert_kinds import ALERT_KINDS, kind_of
from tables.dice.words import words_for_codes
from tables.words.registry import register


def alert_words(code: str, key: str, params: dict[str, Any]) -> tuple[str, str]:
    """Return the title and the text of an alert."""
    kind = kind_of(code, key)
    if kind.describe is not None:
        return kind.describe(params)
    words = words_for_codes(params)
    return kind.title % words, kind.text % words


def alert_title(data: dict[str, Any]) -> str:
    """Return the title of an alert for the line of its entry."""
    return kind_of(data["kind"], str(data.get("key", ""))).title % words_for_codes(data)


def alert_names() -> dict[str, str]:
    """Return the names of the kinds of alerts, by code."""
    return {kind.code: kind.name for kind in ALERT_KINDS}


def _acknowledged(data: dict[str, Any]) -> str:
    words = {"what": alert_names()[data["kind"]], "note": data["note"]}
    return "Acknowledged: %(what)s. %(note)s" % words if data["note"] else "Acknowledged: %(what)s" % words


ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "alert.raised": lambda data: "Alert: %s" % alert_title(data),
    "alert.ended": lambda data: "Ended: %s" % alert_names()[data["kind"]],
    "alert.acknowledged": _acknowledged,
    "table.halted": lambda data: "Halted: the record does not have entry %(seen)s" % data,
    "table.resumed": lambda data: "Resumed: the record was declared",
    "dispute.reported": lambda data: "Dispute at seat %(seat)s: %(about)s" % data,
    "device.incident": lambda data: "Forbidden device: %(what)s. %(action)s" % data,
}


register(act_lines=ACT_LINES)

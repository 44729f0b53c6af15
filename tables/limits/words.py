"""Lines of the record about limits, signs and the rules in force."""

from collections.abc import Callable
from typing import Any

from games.engine.odds import in_dollars
from tables.words.registry import register


def _new(data: dict[str, Any]) -> dict[str, str]:
    return {"min": in_dollars(data["min_cents"]), "max": in_dollars(data["max_cents"])}


def _offer(data: dict[str, Any]) -> str:
    """The line when rules take effect: another version, no rules at all, or other suspensions."""
    if data["version"] is None:
        return "No rules in force: %(submission)s is no longer dealt" % data
    if data["version"] != data["was"]:
        return "Now dealt under %(submission)s version %(version)s" % data
    return "Suspended wagers changed"


ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "limits.changed": lambda data: "Limits %(min)s–%(max)s from now on" % _new(data),
    "limits.change_begun": lambda data: "Limits %(min)s–%(max)s: notice begun" % _new(data),
    "limits.sign_posted": lambda data: "Sign of the new limits posted",
    "limits.announced": lambda data: "New limits announced",
    "limits.players_left": lambda data: "All players left: limits %(min)s–%(max)s" % _new(data),
    "limits.took_effect": lambda data: "Limits %(min)s–%(max)s in effect" % _new(data),
    "limits.change_cancelled": lambda data: "Change of limits canceled",
    "rules.took_effect": _offer,
    "signs.took_effect": lambda data: "Approved sign forms changed",
}


register(act_lines=ACT_LINES)

"""Sentences about limits, and lines of the record about limits, signs and the rules in force."""

from collections.abc import Callable
from typing import Any

from games.engine.odds import in_dollars
from tables.words.registry import register

TITLES: dict[str, Any] = {
    "maximum-under-minimum": "Limits not changed",
    "limits-unchanged": "Nothing changes",
    "change-is-pending": "Change pending",
    "no-change-is-pending": "No change pending",
    "somebody-plays": "Players at the table",
    "limits-announced-already": "Already announced",
    "limits-sign-stands": "Sign already posted",
}
SENTENCES: dict[str, Any] = {
    "maximum-under-minimum": "The maximum %(max)s is under the minimum %(min)s. Swap them.",
    "limits-unchanged": "These are already the limits: %(min)s to %(max)s.",
    "change-is-pending": "A change to %(min)s–%(max)s is already pending here. Cancel it first.",
    "no-change-is-pending": "No change of limits is pending at %(table)s. Begin one first.",
    "somebody-plays": (
        "There is play at seat %(seats)s, so players must get 30 minutes' notice. Say that players are here, then post "
        "the sign and announce the change."
    ),
    "limits-announced-already": "The change was already announced at %(at)s.",
    "limits-sign-stands": "The sign has been posted since %(at)s.",
}


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


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)

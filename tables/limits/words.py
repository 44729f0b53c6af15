"""Lines of the record about limits, signs and the rules in force."""

from games.engine.odds import in_dollars
from tables.limits.entry_types import (
    LIMITS_ANNOUNCED,
    LIMITS_CHANGE_BEGUN,
    LIMITS_CHANGE_CANCELLED,
    LIMITS_CHANGED,
    LIMITS_PLAYERS_LEFT,
    LIMITS_SIGN_POSTED,
    LIMITS_TOOK_EFFECT,
    SIGNS_TOOK_EFFECT,
    LimitsChange,
)
from tables.words.registry import line, register


def _new(data: LimitsChange) -> dict[str, str]:
    return {"min": in_dollars(data["min_cents"]), "max": in_dollars(data["max_cents"])}


ACT_LINES = [
    line(LIMITS_CHANGED, lambda data: "Limits %(min)s–%(max)s from now on" % _new(data)),
    line(LIMITS_CHANGE_BEGUN, lambda data: "Limits %(min)s–%(max)s: notice begun" % _new(data)),
    line(LIMITS_SIGN_POSTED, lambda data: "Sign of the new limits posted"),
    line(LIMITS_ANNOUNCED, lambda data: "New limits announced"),
    line(LIMITS_PLAYERS_LEFT, lambda data: "All players left: limits %(min)s–%(max)s" % _new(data)),
    line(LIMITS_TOOK_EFFECT, lambda data: "Limits %(min)s–%(max)s in effect" % _new(data)),
    line(LIMITS_CHANGE_CANCELLED, lambda data: "Change of limits canceled"),
    line(SIGNS_TOOK_EFFECT, lambda data: "Approved sign forms changed"),
]


register(act_lines=ACT_LINES)

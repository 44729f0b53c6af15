"""What the entries state of changes of limits."""

from audit.columns import ACTOR, AT, FACILITY, NONE, PLACE, Reading, constant, declare, plain, same
from tables.limits.entry_types import (
    LIMITS_ANNOUNCED,
    LIMITS_CHANGE_BEGUN,
    LIMITS_CHANGE_CANCELLED,
    LIMITS_CHANGED,
    LIMITS_PLAYERS_LEFT,
    LIMITS_SIGN_POSTED,
    LIMITS_TOOK_EFFECT,
)
from tables.models import LimitsChange

CHANGE = same(
    *("min_cents", "max_cents", "was_min_cents", "was_max_cents", "posted_at", "announced_at", "effective_at")
)
ASKED = {**CHANGE, "asked_at": AT, "asked_by": ACTOR, "announced_by": NONE}
IN_EFFECT = {
    **CHANGE,
    "nobody_played": "nobody_played",
    "status": constant("done"),
    "took_effect_at": AT,
}

declare(
    LimitsChange,
    "change of limits",
    key={"facility": FACILITY, "table": PLACE, "number": "change"},
    created={
        LIMITS_CHANGE_BEGUN: {
            **ASKED,
            "status": constant("pending"),
            "nobody_played": constant(False),
            "took_effect_at": NONE,
        },
        LIMITS_CHANGED: {**ASKED, **IN_EFFECT},
    },
    changed={
        LIMITS_SIGN_POSTED: CHANGE,
        LIMITS_ANNOUNCED: {**CHANGE, "announced_by": ACTOR},
        LIMITS_PLAYERS_LEFT: IN_EFFECT,
        LIMITS_TOOK_EFFECT: IN_EFFECT,
        LIMITS_CHANGE_CANCELLED: {**CHANGE, "status": constant("cancelled")},
    },
    readings={"facility": Reading(("table__facility__code",), plain, ("table",))},
)

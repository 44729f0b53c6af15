"""What the entries state of planned moves."""

from typing import Any

from audit.columns import ACTOR, AT, FACILITY, NONE, Body, Rows, constant, declare, same
from tables.models import PlannedMove
from tables.rotation.entry_types import MOVE_CANCELED, MOVE_PLANNED
from tables.staffing.entry_types import (
    ACCESS_ENDED,
    ASSIGNMENT_ENDED,
    DEALER_BEGAN,
    DEALER_RELIEVED,
    LEAVE_BEGAN,
    LEAVE_RECORDED,
)

OFF_DUTY = (ASSIGNMENT_ENDED, ACCESS_ENDED, LEAVE_RECORDED, LEAVE_BEGAN)
OFF_DUTY_NAMES = frozenset(type_.name for type_ in OFF_DUTY)


def ended(rows: Rows, body: Body) -> None:
    """A move ends when somebody takes the post, or when its person goes off duty."""
    data: dict[str, Any] = body["data"]
    for number in data.get("planned_moves", ()):
        move = rows.get(FACILITY(body), number) or {}
        if body["_type"] in OFF_DUTY_NAMES:
            outcome = "off-duty"
        else:
            # The person who came takes the post named here; who was relieved there takes the post that was left.
            is_post = data.get("post", move.get("post")) == move.get("post")
            arrived = data.get("dealer") if is_post else data.get("follows")
            outcome = "taken" if arrived == move.get("person") else "overtaken"
        rows.put(body, FACILITY(body), number, outcome=outcome, ended_by=body["actor"], ended_at=body["at"])


declare(
    PlannedMove,
    "planned move",
    key={"facility": FACILITY, "number": "move"},
    created={
        MOVE_PLANNED: {
            **same("person", "table", "post", "planned_for"),
            "planned_by": ACTOR,
            "planned_at": AT,
            "outcome": constant(""),
            "ended_by": NONE,
            "ended_at": NONE,
        }
    },
    changed={MOVE_CANCELED: {"outcome": constant("canceled"), "ended_by": ACTOR, "ended_at": AT}},
    folded=dict.fromkeys((DEALER_BEGAN, DEALER_RELIEVED, *OFF_DUTY), ended),
)

"""What a full verification checks of planned moves: each row against the entries that planned and ended it."""

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from audit.clock import format_moment
from audit.models import Entry
from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from games.models import Facility
from tables.models import PlannedMove
from tables.rotation.entry_types import MOVE_CANCELED, MOVE_PLANNED
from tables.staffing.entry_types import ACCESS_ENDED, ASSIGNMENT_ENDED, DEALER_BEGAN, DEALER_RELIEVED

PLAN_DIFFERS = declare_finding(
    "planned-move-differs",
    "%(facility)s: planned move %(move)s differs from its entries in %(column)s. The entries count.",
)
PLAN_WITHOUT_ENTRY = declare_finding(
    "planned-move-without-entry",
    "%(facility)s: planned move %(move)s is in the database, and no entry of the record states it.",
)
PLAN_WITHOUT_ROW = declare_finding(
    "planned-move-without-row",
    "%(facility)s: planned move %(move)s of the record is not in the database.",
)
RELIEFS = (DEALER_BEGAN.name, DEALER_RELIEVED.name)
OFF_DUTY = (ASSIGNMENT_ENDED.name, ACCESS_ENDED.name)
COUNTED = (MOVE_PLANNED.name, MOVE_CANCELED.name, *RELIEFS, *OFF_DUTY)
PEOPLE = ("person", "planned_by", "ended_by")
MARKS = dict.fromkeys((*RELIEFS, *OFF_DUTY), b'"planned_moves"')


@dataclass
class StatedMove:
    """A planned move as its entries state it. `outcome` is "" while it is open."""

    person: str
    table: str
    post: str
    planned_for: str
    planned_by: str
    planned_at: str
    outcome: str = ""
    ended_by: str = ""
    ended_at: str = ""


@record_check
def check_planned_moves(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the planned moves of every facility with its entries."""
    for facility in Facility.objects.order_by("pk"):
        stated = _stated_moves(facility, tick)
        rows = PlannedMove.objects.filter(facility=facility).select_related("table", *PEOPLE)
        rows = rows.defer(*(f"{name}__password" for name in PEOPLE))  # which an auditor may not read
        for row in rows.order_by("number"):
            where: dict[str, Any] = {"facility": facility.code, "move": row.number}
            move = stated.pop(row.number, None)
            if move is None:
                yield Finding(PLAN_WITHOUT_ENTRY, where)
                continue
            for column, value in _stored(row).items():
                if getattr(move, column) != value:
                    yield Finding(PLAN_DIFFERS, {**where, "column": column})
        for number in stated:
            yield Finding(PLAN_WITHOUT_ROW, {"facility": facility.code, "move": number})


def _stored(row: PlannedMove) -> dict[str, str]:
    return {
        "person": row.person.code,
        "table": row.table.code,
        "post": row.post,
        "planned_for": format_moment(row.planned_for),
        "planned_by": row.planned_by.code,
        "planned_at": format_moment(row.planned_at),
        "outcome": row.outcome,
        "ended_by": row.ended_by.code if row.ended_by else "",
        "ended_at": format_moment(row.ended_at) if row.ended_at else "",
    }


def _stated_moves(facility: Facility, tick: Callable[[], None]) -> dict[int, StatedMove]:
    """The planned moves that the entries state, by number. An end is applied after every plan is read."""
    moves: dict[int, StatedMove] = {}
    ends: list[tuple[str, dict[str, Any]]] = []  # types and bodies
    entries = Entry.objects.filter(stream__name__startswith=f"{facility.code}/", type__in=COUNTED)
    rows = entries.order_by("pk").values_list("type", "body")
    for type_, content in rows.iterator(chunk_size=1000):
        tick()
        if MARKS.get(type_, b"") not in bytes(content):
            continue
        try:
            body = json.loads(bytes(content))
            if type_ == MOVE_PLANNED.name:
                moves[body["data"]["move"]] = _stated_move(body)
            else:
                ends.append((type_, body))
        except (ValueError, KeyError, TypeError, RecursionError):
            continue  # the verification of the chain names it
    for type_, body in ends:
        data = body["data"]
        numbers = [data.get("move")] if type_ == MOVE_CANCELED.name else data.get("planned_moves", [])
        for number in numbers:
            if number in moves:
                move = moves[number]
                move.outcome = _outcome(type_, data, move)
                move.ended_by, move.ended_at = body["actor"], body["at"]
    return moves


def _stated_move(body: dict[str, Any]) -> StatedMove:
    data = body["data"]
    return StatedMove(
        data["person"],
        data["table"],
        data["post"],
        data["planned_for"],
        planned_by=body["actor"],
        planned_at=body["at"],
    )


def _outcome(type_: str, data: dict[str, Any], move: StatedMove) -> str:
    outcomes = PlannedMove.Outcome
    if type_ == MOVE_CANCELED.name:
        return outcomes.CANCELED
    if type_ in OFF_DUTY:
        return outcomes.OFF_DUTY
    # The person who came takes the post named here; who was relieved there takes the post that was left.
    arrived = data.get("dealer") if data.get("post", move.post) == move.post else data.get("follows")
    return outcomes.TAKEN if arrived == move.person else outcomes.OVERTAKEN

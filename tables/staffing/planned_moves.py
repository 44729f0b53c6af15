"""How a planned move ends: the post gets another person, or the dealer's duty there ends.

Planning and canceling are acts of the rotation board (`tables/rotation`).
"""

import datetime as dt
from collections.abc import Iterable, Mapping

from audit.models import Person
from games.engine.game import PostCode
from games.models import Facility
from tables.core.duty import covers
from tables.models import Assignment, PlannedMove, Table

Outcome = PlannedMove.Outcome


def end_moves_to_posts(
    table: Table, holders: Mapping[PostCode, Person], by: Person, now: dt.datetime
) -> list[int]:
    """End the planned moves to posts of a table that got another person. Return their numbers.

    `holders`: those posts, and who is there now. The caller holds the lock of the table.
    """
    ended = []
    for post, person in holders.items():
        for move in PlannedMove.objects.open_moves().filter(table=table, post=post):
            took = move.person_id == person.pk
            ended.append(_end(move, Outcome.TAKEN if took else Outcome.OVERTAKEN, by, now))
    return ended


def end_moves_without_duty(
    person: Person, facility: Facility, remaining: Iterable[Assignment], by: Person | None, now: dt.datetime
) -> list[int]:
    """End the planned move of a person whose remaining duties do not cover its table. Return the numbers.

    `by` is None where the clock ends the duty.
    """
    duty = list(remaining)
    moves = PlannedMove.objects.open_moves(facility).filter(person=person).select_related("table")
    return [_end(move, Outcome.OFF_DUTY, by, now) for move in moves if not covers(duty, move.table)]


def _end(move: PlannedMove, outcome: Outcome, by: Person | None, now: dt.datetime) -> int:
    move.outcome, move.ended_by, move.ended_at = outcome, by, now
    move.save(update_fields=["outcome", "ended_by", "ended_at"])
    return move.number

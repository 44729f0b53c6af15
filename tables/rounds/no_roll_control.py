"""Who signs a throw or a round that is undone on somebody's word, and when surveillance is alerted.

The rows of the policy (games/separation) say it: `no-rolls` where wagers go back after no more bets, `rethrows` where
the dice are only thrown again. Two people sign, of whom one may approve, so nobody of the floor does it alone. Counted
are the entries that a person made or signed, at every table of the facility; and for what is free, those of the table,
so that another dealer has none of their own.
"""

import datetime as dt
from collections.abc import Iterable

from django.db.models import Q, QuerySet

from audit.models import Entry, Person
from games.engine import Refusal
from games.engine.state import RoundState
from games.jurisdictions import SeparationRow
from games.separation import policy
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.models import Table
from tables.rounds.alert_rules import MANY_NO_ROLLS, MANY_RETHROWS
from tables.rounds.entry_types import ROUND_NO_ROLL, ROUND_VOIDED, THROW_NO_ROLL
from tables.rounds.refusals import NO_ROLL_MUST_BE_SIGNED, NO_ROLL_TAKES_TWO, NO_ROLLS_ABOVE_THE_RATE
from tables.runner.signatures import is_signed_by_two

NO_ROLL_ROW, RETHROW_ROW = "no-rolls", "rethrows"  # of the policy
ALERTS = {NO_ROLL_ROW: MANY_NO_ROLLS, RETHROW_ROW: MANY_RETHROWS}
COUNTED_TYPES = {
    NO_ROLL_ROW: (ROUND_NO_ROLL.name, ROUND_VOIDED.name),
    RETHROW_ROW: (THROW_NO_ROLL.name,),
}


def no_roll_row(ctx: TableContext, subject: str) -> SeparationRow:
    """The row of the policy at this table."""
    return policy.row_of(ctx.table.facility.law, subject)


def are_bets_open(state: RoundState) -> bool:
    """Whether players may still take every wager off, so that nothing is gained by undoing the round.

    After the first throw some wagers stand, although others may be placed.
    """
    return not state.throws and (state.phase, "place_wagers") in state.procedure.moves


def verify_may_undo(ctx: TableContext, subject: str, section: str) -> None:
    """Refuse to undo a throw or a round unless two people sign, one of them of the floor, except up to a rate.

    Raises `no-roll-must-be-signed`, or `no-rolls-above-the-rate` once the person or the table has had all that are
    free; and `no-roll-takes-two` where somebody of the floor acts alone.
    """
    row, people = no_roll_row(ctx, subject), _people(ctx)
    if is_signed_by_two(ctx, row):
        return
    count = 0
    if row.free_count:
        counts = [undone_by(ctx, subject, person, row.free_minutes) for person in people]
        count = max(undone_at(ctx, subject, row.free_minutes), *counts)
        if count < row.free_count:
            return
    if any(policy.may_approve(row, person) for person in people):
        raise Refusal(NO_ROLL_TAKES_TWO, section)
    if not row.free_count:
        raise Refusal(NO_ROLL_MUST_BE_SIGNED, section)
    raise Refusal(NO_ROLLS_ABOVE_THE_RATE, section, count=count, minutes=row.free_minutes)


def alert_if_many(ctx: TableContext, subject: str, *, round_number: int) -> None:
    """Raise an alert once a person has undone or signed as many as the policy names, this act included.

    Real play only.
    """
    row = no_roll_row(ctx, subject)
    if not row.alert_count or ctx.table.kind != Table.Kind.LIVE:
        return
    for person in _people(ctx):
        count = undone_by(ctx, subject, person, row.alert_minutes) + 1
        if count >= row.alert_count:
            alert = ALERTS[subject].expected(
                ctx.table.pk,
                cause=person.code,
                person=person.name,
                undone=count,
                within_minutes=row.alert_minutes,
                round=round_number,
            )
            raise_alert(ctx, alert)


def undone_by(ctx: TableContext, subject: str, person: Person, minutes: int) -> int:
    """How many throws or rounds this person has undone or signed in these minutes, at any table of the facility."""
    entries = _undone(ctx, subject, minutes).filter(Q(actor=person.code) | Q(witness=person.code))
    at_the_facility = entries.filter(
        stream__name__startswith=f"{ctx.table.facility.code}/", stream__real_play=ctx.stream.real_play
    )
    return at_the_facility.count()


def undone_at(ctx: TableContext, subject: str, minutes: int) -> int:
    """How many throws or rounds were undone at this table in these minutes, whoever was here."""
    return _undone(ctx, subject, minutes).filter(stream=ctx.stream).count()


def _undone(ctx: TableContext, subject: str, minutes: int) -> QuerySet[Entry]:
    since = ctx.now - dt.timedelta(minutes=minutes)
    return Entry.objects.filter(type__in=COUNTED_TYPES[subject], at__gt=since)


def _people(ctx: TableContext) -> list[Person]:
    people: Iterable[Person | None] = (ctx.actor, ctx.witness)
    return [person for person in people if person is not None]

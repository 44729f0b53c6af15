"""Acts of the rotation board: the floor plans that a dealer takes a post next, and cancels it.

A planned move ends by itself when the post gets another person, or when the dealer goes off duty
(`tables/staffing/planned_moves.py`).
"""

import datetime as dt
from typing import Annotated

from django.db.models import Max

from audit.clock import format_moment
from audit.models import Person
from games.act_forms import whole
from games.engine import Refusal
from games.engine.game import PostCode
from games.params import Params, malformed
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import locked_duty, person_here
from tables.core.permissions import FLOOR
from tables.core.reads import locked_table
from tables.models import PlannedMove, Table
from tables.rotation.checks import dealer_facts, planned_time, verify_move
from tables.rotation.entry_types import MOVE_CANCELED, MOVE_PLANNED, MoveCanceled, MovePlanned
from tables.rotation.refusals import NO_SUCH_MOVE
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.refusals import NO_SUCH_PLACE

FARTHEST = dt.timedelta(hours=12)


@facility_act(STAFF, roles=FLOOR)
def plan_move(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Plan that a dealer takes a post of a table: when the break there is due, or at a chosen time.

    Nothing changes at the table before the dealer takes the post there with their PIN. Raises what `verify_move`
    raises, and `no-such-person` or `no-such-place`.
    """
    person, table = person_here(ctx.facility, params.text("person")), _locked_table(ctx, params.code("table"))
    post: PostCode = params.choice("post", posts.POSTS, default=posts.post_for(table, person))
    planned_for = _moment(params, ctx.now) or planned_time(table, post, ctx.now)
    duty = [row for row in locked_duty(person) if row.facility_id == ctx.facility.pk]
    table_ctx = TableContext(table, ctx.actor, ctx.device, None, ctx.now)
    verify_move(dealer_facts(ctx.facility, person, duty), table_ctx, post, planned_for)
    relieved: Person | None = posts.holder(table, post)
    moves = PlannedMove.objects.filter(facility=ctx.facility)
    move = PlannedMove.objects.create(
        facility=ctx.facility,
        number=(moves.aggregate(newest=Max("number"))["newest"] or 0) + 1,
        person=person,
        table=table,
        post=post,
        planned_for=planned_for,
        planned_by=ctx.actor,
        planned_at=ctx.now,
    )
    data: MovePlanned = {
        "move": move.number,
        "person": person.code,
        "table": table.code,
        "post": post,
        "planned_for": format_moment(planned_for),
        "relieves": relieved.code if relieved else None,
    }
    return ActOutcome(MOVE_PLANNED(data), {"move": move.number}, changes="nothing")


@facility_act(STAFF, roles=FLOOR)
def cancel_planned_move(ctx: FacilityContext, *, move_id: Annotated[int, whole(1, 2**31 - 1)]) -> ActOutcome:
    """Cancel a planned move. Raises `no-such-move` for one that has ended."""
    move = (
        PlannedMove.objects.open_moves(ctx.facility)
        .select_for_update(of=("self",))
        .filter(number=move_id)
        .select_related("person", "table")
        .first()
    )
    if move is None:
        raise Refusal(NO_SUCH_MOVE)
    move.outcome, move.ended_by, move.ended_at = PlannedMove.Outcome.CANCELED, ctx.actor, ctx.now
    move.save(update_fields=["outcome", "ended_by", "ended_at"])
    data: MoveCanceled = {"move": move.number, "person": move.person.code, "table": move.table.code}
    return ActOutcome(MOVE_CANCELED(data), {"move": move.number}, changes="nothing")


def _locked_table(ctx: FacilityContext, code: str) -> Table:
    """The table, locked, so that nobody takes its post meanwhile. Raises `no-such-place`."""
    try:
        table = locked_table(ctx.facility.code, code).table
    except Table.DoesNotExist:
        raise Refusal(NO_SUCH_PLACE, place=code) from None
    if table.kind == Table.Kind.SIMULATED or table.stream.closed_at is not None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return table


def _moment(params: Params, now: dt.datetime) -> dt.datetime | None:
    """The chosen time, a moment with its offset; None if none was sent. Raises `malformed` for one that is far away."""
    text = params.text("planned_for", default="")
    if not text:
        return None
    try:
        moment = dt.datetime.fromisoformat(text).astimezone(dt.UTC).replace(microsecond=0)
    except (ValueError, OverflowError):
        raise malformed("planned_for") from None
    if not dt.datetime.fromisoformat(text).tzinfo or abs(moment - now) > FARTHEST:
        raise malformed("planned_for")
    return moment

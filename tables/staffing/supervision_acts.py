"""Who answers for the table: a floorperson takes it, or is put there by a pit manager."""

from audit.models import Person
from games.engine import Refusal
from games.params import Params
from tables.core.context import TableContext
from tables.core.duty import person_here
from tables.core.permissions import FLOOR, STAFFERS
from tables.models import Table
from tables.runner.table import ActOutcome, act
from tables.staffing.spans import verify_may_supervise


@act(roles=FLOOR, depends_on="nothing")
def take_supervision(ctx: TableContext, params: Params) -> ActOutcome:
    """The floorperson or above who is signed in answers for this table from now on, and relieves whoever did."""
    assert ctx.actor is not None
    return ActOutcome("supervision.taken", supervise(ctx, ctx.actor), changes="nothing")


@act(roles=STAFFERS, depends_on="nothing")
def assign_floorperson(ctx: TableContext, params: Params) -> ActOutcome:
    """Puts a person of the floor who is on duty here over this table."""
    person = person_here(ctx.table.facility, params.text("person"))
    return ActOutcome("supervision.assigned", supervise(ctx, person), changes="nothing")


def supervise(ctx: TableContext, person: Person) -> dict[str, str | None]:
    """Makes this person the table's floorperson; returns what the record says.

    Raises `already-supervising`, and what `verify_may_supervise` refuses with (§ 577.9(c), § 465a.35).
    """
    before = ctx.table.floorperson
    if before is not None and before.pk == person.pk:
        raise Refusal("already-supervising", person=person.name, table=ctx.table.code)
    verify_may_supervise(ctx, person, in_play=ctx.table.status != Table.Status.CLOSED)
    ctx.change_table(floorperson=person)
    return {"floorperson": person.code, "relieves": before.code if before else None}

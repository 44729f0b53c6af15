"""Acts that change a table's floorperson: a floorperson takes it, or a pit manager assigns one."""

from audit.models import Person
from games.act_forms import Text
from games.engine import Refusal
from tables.core.context import TableContext
from tables.core.duty import person_here, verify_not_on_leave
from tables.core.permissions import FLOOR, STAFFERS
from tables.models import Table
from tables.runner.table import ActOutcome, act
from tables.staffing.entry_types import SUPERVISION_ASSIGNED, SUPERVISION_TAKEN, Supervision
from tables.staffing.refusals import ALREADY_SUPERVISING
from tables.staffing.spans import verify_may_supervise


@act(roles=FLOOR, depends_on="nothing")
def take_supervision(ctx: TableContext) -> ActOutcome:
    """Make the signed-in floorperson or above the supervisor of this table, in place of the previous one."""
    assert ctx.actor is not None
    return ActOutcome(SUPERVISION_TAKEN(supervise(ctx, ctx.actor)), changes="nothing")


@act(roles=STAFFERS, depends_on="nothing")
def assign_floorperson(ctx: TableContext, *, person_code: Text) -> ActOutcome:
    """Make another floorperson who is on duty here the supervisor of this table."""
    person = person_here(ctx.table.facility, person_code)
    return ActOutcome(SUPERVISION_ASSIGNED(supervise(ctx, person)), changes="nothing")


def supervise(ctx: TableContext, person: Person) -> Supervision:
    """Make this person the table's floorperson and return the data of the entry.

    Raises `already-supervising`, or what `verify_may_supervise` raises (§ 577.9(c), § 465a.35).
    """
    before = ctx.table.floorperson
    if before is not None and before.pk == person.pk:
        raise Refusal(ALREADY_SUPERVISING, person=person.name, table=ctx.table.code)
    verify_not_on_leave(person, ctx.gaming_day)
    verify_may_supervise(ctx, person, in_play=ctx.table.status != Table.Status.CLOSED)
    ctx.change_table(floorperson=person)
    return {"floorperson": person.code, "relieves": before.code if before else None}

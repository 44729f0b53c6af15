"""The personnel office: a machine that prepares people, and ends the access of who leaves.

Whoever comes, and whatever gives somebody more, is prepared by the machine as by a person, and approved by a person
(tables.staffing.access, row `people`). An end does not wait for anybody: the machine ends access by itself
(`end_employment`), also of somebody at work at an open table, whose alerts then ask for a relief, as when a leave
begins. Nobody is locked out of a whole casino by a fault of that machine: it ends the access of few people an hour, and
never that of the last who could give access.
"""

import datetime as dt
from typing import Annotated

from audit import staff
from audit.entry_types import ABSENT
from audit.models import Entry
from games.act_forms import text
from games.engine import Refusal, RefusalCode
from tables.core.duty import MACHINES, locked_duty
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing.access import (
    ACCESS_ENDED,
    MAX_WHY,
    PersonToChange,
    answerable_for,
    verify_not_last,
)
from tables.staffing.assignments import end_all_duty, tables_of

MOST_ENDS = 10
ENDS_WITHIN = dt.timedelta(hours=1)
TOO_MANY_ENDS = RefusalCode(
    "too-many-ends",
    "%(device)s has ended the access of %(count)s people within an hour, and ends no more. Look whether that is right. "
    "A person prepares further ends under People.",
    "Too many at once",
)


@facility_act(STAFF, roles=MACHINES)
def end_employment(
    ctx: FacilityContext, *, person: PersonToChange, why: Annotated[str, text(MAX_WHY)]
) -> ActOutcome:
    """End a person's access at once, because their employment has ended. A machine alone does it, without an approval.

    Raises `too-many-ends`, `last-with-access-rights`, `no-such-person` or `works-everywhere`.
    """
    _verify_few(ctx)
    verify_not_last(person, "")
    tables = tables_of(person)
    tables.select_for_update(of=("self",)).in_bulk()
    duty = [row for row in locked_duty(person) if row.facility_id == ctx.facility.pk]
    ctx.affect(tables.all())
    assignments, moves = end_all_duty(person, ctx.facility, duty, ctx.actor, ctx.now)
    devices = staff.change(person, answerable_for(ctx), leaves=True, at_tables=True)
    entry = ACCESS_ENDED(
        person=person.code, why=why, devices=devices, assignments=assignments, planned_moves=moves or ABSENT
    )
    return ActOutcome(entry, {"person": person.code})


def _verify_few(ctx: FacilityContext) -> None:
    """Raise `too-many-ends` for a machine that has ended as much access within the hour as it may."""
    ended = Entry.objects.filter(
        stream=ctx.stream, type=ACCESS_ENDED.name, actor=ctx.actor.code, at__gt=ctx.now - ENDS_WITHIN
    ).count()
    if ended >= MOST_ENDS:
        raise Refusal(TOO_MANY_ENDS, device=ctx.actor.name, count=ended)

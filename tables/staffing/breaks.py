"""How long dealers work at tables, and when their break is due.

The facility's `work_minutes` and `break_minutes` decide it. They are house figures: no section of the law asks for
them, and no relief is refused because of them; only a planned move is. A pause that is shorter than a break counts as
work, so that the time does not start over when a dealer goes from table to table. Closing the table begins a pause.
"""

import datetime as dt

from django.conf import settings

from audit.models import Person
from games.engine.game import PostCode
from games.models import Facility
from tables.core import posts
from tables.core.context import TableContext
from tables.models import Assignment, Table
from tables.models.staffing import AssignmentSet


def break_due(facility: Facility, works_since: dt.datetime | None) -> dt.datetime | None:
    """Return when a break is due; None without a house figure, or where the beginning of the work is not known."""
    if facility.work_minutes is None or works_since is None:
        return None
    return works_since + dt.timedelta(minutes=facility.work_minutes)


def overdue_at(due: dt.datetime) -> dt.datetime:
    """Return when a break that was due calls for somebody, by the practice figure `BREAK_OVERDUE_MINUTES`.

    Until then it is information: a relief comes within a round or two of the time.
    """
    return due + dt.timedelta(minutes=settings.BREAK_OVERDUE_MINUTES)


def is_break(facility: Facility, pause: dt.timedelta) -> bool:
    """Return whether a pause is a break. Without a house figure any pause is."""
    return pause > dt.timedelta() and pause >= dt.timedelta(minutes=facility.break_minutes or 0)


def begin_work(ctx: TableContext, person: Person, post: PostCode) -> None:
    """Note that a person takes a post now. The caller has locked the person's duty."""
    field = posts.FIELDS[post]
    ctx.change_table(**{f"{field}_since": ctx.now})
    _count_from_now(ctx, person, field)


def end_work(ctx: TableContext, person: Person, post: PostCode) -> None:
    """Note that a person leaves a post now. The caller has locked the person's duty."""
    field = posts.FIELDS[post]
    ctx.change_table(**{f"{field}_since": None, f"{field}_works_since": None})
    elsewhere = Table.objects.filter(posts.at_any_post(person)).exclude(pk=ctx.table.pk)
    if not elsewhere.exclude(status=Table.Status.CLOSED).exists():
        _duty(ctx, person).filter(rests_since=None).update(rests_since=ctx.now)


def pause_work(ctx: TableContext) -> None:
    """Note that the table closes with people at its posts. The caller has locked their duty."""
    for post in posts.posts_of(ctx.table):
        person = posts.holder(ctx.table, post)
        if person is not None:
            _duty(ctx, person).filter(rests_since=None).update(rests_since=ctx.now)


def resume_work(ctx: TableContext) -> None:
    """Note that the table opens with people at its posts. The caller has locked their duty."""
    for post in posts.posts_of(ctx.table):
        person = posts.holder(ctx.table, post)
        if person is not None:
            _count_from_now(ctx, person, posts.FIELDS[post])


def _count_from_now(ctx: TableContext, person: Person, field: str) -> None:
    """Set when the person's work began: as before, or now if they come from a break."""
    facility, works_since = ctx.table.facility, ctx.now
    duty = _duty(ctx, person)
    for began, rests_since in duty.exclude(works_since=None).values_list("works_since", "rests_since")[:1]:
        if began is not None and (rests_since is None or not is_break(facility, ctx.now - rests_since)):
            works_since = began
    duty.update(works_since=works_since, rests_since=None)
    ctx.change_table(**{f"{field}_works_since": works_since})


def _duty(ctx: TableContext, person: Person) -> AssignmentSet:
    """The unended assignments of a person at this facility."""
    return Assignment.objects.at_facility(ctx.table.facility).filter(person=person)

"""Saved filters: searches that a person keeps under a name. Both acts are recorded; nothing else depends on them."""

from typing import Annotated

from audit.models import SavedFilter
from games.act_forms import text
from games.engine import Refusal
from tables.desk.access import DESK_ROLES
from tables.desk.entry_types import FILTER_REMOVED, FILTER_SAVED, FilterQuery
from tables.desk.query import MAX_QUERY, clean_query_string
from tables.desk.refusals import (
    FILTER_NAME_TAKEN,
    FILTER_NOT_UNDERSTOOD,
    FILTER_SAYS_NOTHING,
    NO_SUCH_FILTER,
    TOO_MANY_FILTERS,
)
from tables.desk.runner import ActOutcome, DeskContext, desk_act

MAX_FILTERS = 40
MAX_NAME = 60


@desk_act(roles=DESK_ROLES)
def save_filter(
    ctx: DeskContext,
    *,
    name: Annotated[str, text(MAX_NAME)],
    query: Annotated[str, text(4 * MAX_QUERY)] = "",
) -> ActOutcome:
    """Save a search under a name for the person who acts.

    `name` is one line; of the query string `query` only the known fields are kept. Raises `filter-says-nothing`,
    `filter-not-understood`, `filter-name-taken` or `too-many-filters`.
    """
    known = clean_query_string(query, ctx.facility)
    if known is None:
        raise Refusal(FILTER_NOT_UNDERSTOOD, filter=name)
    if not known:
        raise Refusal(FILTER_SAYS_NOTHING, filter=name)
    own = SavedFilter.objects.filter(facility=ctx.facility.code, person=ctx.actor)
    if own.filter(name=name).exists():
        raise Refusal(FILTER_NAME_TAKEN, filter=name)
    if own.count() >= MAX_FILTERS:
        raise Refusal(TOO_MANY_FILTERS, most=MAX_FILTERS)
    SavedFilter.objects.create(
        facility=ctx.facility.code, person=ctx.actor, name=name, query=known, saved_at=ctx.now
    )
    return ActOutcome(FILTER_SAVED({"filter": name, "query": known}))


@desk_act(roles=DESK_ROLES)
def remove_filter(ctx: DeskContext, *, name: Annotated[str, text(MAX_NAME)]) -> ActOutcome:
    """Remove one of the person's own saved filters by its name. Raises `no-such-filter`."""
    own = SavedFilter.objects.filter(facility=ctx.facility.code, person=ctx.actor, name=name).first()
    if own is None:
        raise Refusal(NO_SUCH_FILTER, filter=name)
    data: FilterQuery = {"filter": own.name, "query": own.query}
    own.delete()
    return ActOutcome(FILTER_REMOVED(data))

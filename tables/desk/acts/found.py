"""Taking what a search found: a copy that leaves the casino, so the record says who took which bytes."""

import hashlib
from typing import Annotated

from django.http import QueryDict

from games.act_forms import text
from games.engine import Refusal
from tables.desk.entry_types import SEARCH_TAKEN
from tables.desk.found import found_csv
from tables.desk.query import MAX_QUERY, clean_query_string, parse_query, typed_fields
from tables.desk.refusals import FILTER_NOT_UNDERSTOOD
from tables.desk.runner import ActOutcome, DeskContext, desk_act


@desk_act(step_up="always")
def take_search(ctx: DeskContext, *, query: Annotated[str, text(4 * MAX_QUERY)] = "") -> ActOutcome:
    """Make the CSV of what a search finds for download, and record its SHA-256. `query` is the search's query string.

    Raises `filter-not-understood`, `found-nothing` or `found-too-much`.
    """
    known = clean_query_string(query, ctx.facility)
    if known is None:
        raise Refusal(FILTER_NOT_UNDERSTOOD, filter="This search")
    search = parse_query(typed_fields(QueryDict(known)), ctx.facility)
    content, entries = found_csv(search, ctx.facility, ctx.now)
    sha256 = hashlib.sha256(content).hexdigest()
    entry = SEARCH_TAKEN({"query": known, "entries": entries, "bytes": len(content), "sha256": sha256})
    return ActOutcome(entry, {"sha256": sha256, "entries": entries})

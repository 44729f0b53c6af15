"""The planned reliefs of live tables that a wall announces beside new limits and the time of the dice."""

from dataclasses import dataclass
from typing import cast

from django.template.loader import render_to_string

from games.engine.game import PostCode
from tables.core import posts
from tables.models import PlannedMove, Table
from tables.staffing.roster import POSTS
from tables.words.sentences import moment

TEMPLATE = "tables/parts/wall_reliefs.html"
MOST_RELIEFS = 12  # the wall has room for three events, of reliefs and others


@dataclass(frozen=True)
class WallRelief:
    """A planned relief: its table, when it is due (a moment in UTC), and what happens in words."""

    table: str
    due_at: str
    text: str


def wall_reliefs(facility: str) -> list[WallRelief]:
    """Return the open planned moves to live tables of a facility (its code), the first due first."""
    moves = (
        PlannedMove.objects.open_moves()
        .filter(facility__code=facility, table__kind=Table.Kind.LIVE, table__stream__closed_at=None)
        .select_related("person", "table__dealer", "table__dealer_left", "table__stickperson")
    )
    return [_wall_relief(move) for move in moves[:MOST_RELIEFS]]


def wall_reliefs_html(facility: str) -> str:
    """Return these reliefs as the list items that a wall shows, the same for its page and its socket."""
    return render_to_string(TEMPLATE, {"reliefs": wall_reliefs(facility)}).strip()


def _wall_relief(move: PlannedMove) -> WallRelief:
    post = cast(PostCode, move.post)
    holder = posts.holder(move.table, post)
    text = f"{move.person.short_name} {f'relieves {holder.short_name}' if holder else 'takes the post'}"
    if len(posts.posts_of(move.table)) > 1:
        text = f"{text}, {POSTS[post].lower()}"
    return WallRelief(move.table.code, moment(move.planned_for), text)

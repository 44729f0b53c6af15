"""The breaks that are due and the planned reliefs: a wall announces them beside limits and dice, as the board does."""

from dataclasses import dataclass
from typing import cast

from django.template.loader import render_to_string

from audit import clock
from games.engine.game import PostCode
from tables.core import posts
from tables.models import PlannedMove
from tables.staffing.relief import breaks_due, posts_in_relief, tables_in_rotation
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
    """Return the breaks that are due, on one line, and the open planned moves of a facility (its code) by time."""
    moves = (
        PlannedMove.objects.open_moves()
        .filter(table__in=tables_in_rotation(facility))
        .select_related("person", "table__dealer", "table__dealer_left", "table__stickperson")
    )
    return [*_breaks_due(facility), *(_wall_relief(move) for move in moves[:MOST_RELIEFS])]


def _breaks_due(facility: str) -> list[WallRelief]:
    """Return one line for the breaks that are due now, counted as the rotation board counts them."""
    tables = tables_in_rotation(facility).select_related("facility", "dealer", "dealer_left", "stickperson")
    now = clock.now()
    due = breaks_due({table.code: posts_in_relief(table, now) for table in tables})
    if not due:
        return []
    tables_due = sorted({code for code, _post in due})
    where = tables_due[0] if len(tables_due) == 1 else "Pits"
    text = "A break is due" if len(due) == 1 else f"{len(due)} breaks are due"
    return [WallRelief(where, moment(min(post.break_due for _code, post in due if post.break_due)), text)]


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

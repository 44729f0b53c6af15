"""The lanes of the board: where each dealer was in the last hour and will be in the next, drawn as blocks in time.

What was comes from the entries of the tables, and what is now from their rows. What comes is a break that is due or a
planned move; the board draws both dashed, because neither has happened.
"""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from audit.models import Entry
from games.engine.game import PostCode
from games.models import Facility
from games.registry import GAMES
from tables.core import posts
from tables.models import PlannedMove, Table
from tables.staffing.breaks import break_due
from tables.staffing.entry_types import DEALER_BEGAN, DEALER_LEFT, DEALER_RELIEVED

MIN_TEXT_WIDTH, MIN_TEXT_WIDTH_ON_A_PHONE = 8, 17  # percent of a lane
STEP = dt.timedelta(minutes=20)
BEFORE, AFTER = 4, 4  # steps of the board before and after the moment
TONES = 3
MINUTE = dt.timedelta(minutes=1)
BlockKind = Literal["past", "now", "overdue", "break", "next", "next-break"]
LABELS = {
    "past": "{table}",
    "now": "{table}",
    "overdue": "break due",
    "break": "break",
    "next": "{table} planned",
    "next-break": "break after the relief",
}


@dataclass(frozen=True)
class Window:
    """The time that the board shows, in steps of 20 minutes."""

    begins: dt.datetime
    ends: dt.datetime
    now: dt.datetime

    @classmethod
    def around(cls, now: dt.datetime) -> "Window":
        step = now - dt.timedelta(minutes=now.minute % 20, seconds=now.second, microseconds=now.microsecond)
        return cls(step - BEFORE * STEP, step + (AFTER + 1) * STEP, now)

    def percent(self, moment: dt.datetime) -> float:
        """Where a moment is, in percent of the width; within it."""
        inside = min(max(moment, self.begins), self.ends)
        return round(100 * ((inside - self.begins) / (self.ends - self.begins)), 2)

    def ticks(self, facility: Facility) -> list[tuple[float, str]]:
        """The lines of the time, with the clock of the facility."""
        moments = [self.begins + step * STEP for step in range(BEFORE + AFTER + 1)]
        return [(self.percent(moment), f"{facility.local(moment):%H:%M}") for moment in moments]


@dataclass(frozen=True)
class Stay:
    """A time that a dealer spent, spends or will spend somewhere. `table` and `game` are "" on a break."""

    kind: BlockKind
    begins: dt.datetime
    ends: dt.datetime
    table: str = ""
    game: str = ""
    note: str = ""


@dataclass(frozen=True)
class Block:
    """A stay as it is drawn, in percent of the width."""

    kind: BlockKind
    x: float
    width: float
    table: str
    game: str
    text: str
    tone: int  # the color of its game

    @property
    def has_room(self) -> bool:
        """Whether the block is wide enough for its text on a podium."""
        return self.width >= MIN_TEXT_WIDTH

    @property
    def has_room_on_a_phone(self) -> bool:
        return self.width >= MIN_TEXT_WIDTH_ON_A_PHONE


@dataclass(frozen=True)
class Lane:
    """The blocks of a dealer, and the same in words."""

    blocks: list[Block]
    words: str


def lane(stays: Sequence[Stay], window: Window, facility: Facility) -> Lane:
    """Draw the stays of a dealer that the board shows."""
    within = [stay for stay in stays if stay.ends > window.begins and stay.begins < window.ends]
    blocks = []
    for stay in within:
        x, end = window.percent(stay.begins), window.percent(stay.ends)
        blocks.append(
            Block(
                stay.kind, x, round(max(end - x, 0.4), 2), stay.table, stay.game, stay.note, _tone(stay.game)
            )
        )
    words = ", ".join(
        f"{LABELS[stay.kind].format(table=stay.table)} {_clock(facility, max(stay.begins, window.begins))} to "
        f"{_clock(facility, min(stay.ends, window.ends))}"
        for stay in within
    )
    return Lane(blocks, words or "at no table in this time")


def past_stays(facility: Facility, tables: Iterable[Table], window: Window) -> dict[str, list[Stay]]:
    """Where dealers were until now, by the code of the person: the posts that ended within the window."""
    by_stream = {table.stream_id: table for table in tables}
    entries = Entry.objects.filter(
        type__in=(DEALER_BEGAN.name, DEALER_RELIEVED.name, DEALER_LEFT.name),
        at__gte=window.begins,
        stream__in=by_stream,
    )
    stays: dict[str, list[Stay]] = defaultdict(list)
    began: dict[tuple[int, str], dt.datetime] = {}
    for stream, moment, body in entries.order_by("at", "pk").values_list("stream", "at", "body"):
        table = by_stream[stream]
        for person, arrives in _changes(_data(body)):
            if arrives:
                began[table.pk, person] = moment
                continue
            begins = began.pop((table.pk, person), window.begins)
            stays[person].append(Stay("past", begins, moment, table.code, table.game))
    return stays


def _data(body: bytes | memoryview) -> dict[str, Any]:
    try:
        data = json.loads(bytes(body))["data"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return {}
    return data if isinstance(data, dict) else {}


def _changes(data: dict[str, Any]) -> Iterable[tuple[str, bool]]:
    """Who leaves a post by an entry, and then who arrives. Somebody who changes the post does both."""
    dealer, relieved = data.get("dealer"), data.get("relieves")
    if not isinstance(dealer, str):
        return
    if "takes_shaker" not in data:
        yield dealer, False
        return
    if isinstance(relieved, str):
        yield relieved, False
    if data.get("leaves_post"):
        yield dealer, False
    yield dealer, True
    if data.get("follows"):
        yield data["follows"], True


def stays_at_post(table: Table, post: PostCode, relief: PlannedMove | None, window: Window) -> list[Stay]:
    """The stay of the person at a post, until they are relieved by plan or their break is due, and the break then."""
    since = getattr(table, f"{posts.FIELDS[post]}_since") or window.begins
    now, where = window.now, (table.code, table.game)
    if table.status == Table.Status.CLOSED:
        return [Stay("past", since, table.closed_at or now, *where)]
    due = break_due(table.facility, getattr(table, f"{posts.FIELDS[post]}_works_since"))
    leaves = (
        max(relief.planned_for, now + MINUTE) if relief else max(due, now + MINUTE) if due else window.ends
    )
    stays = [Stay("now", since, leaves, *where)]
    if due is not None and due < now:
        stays.append(Stay("overdue", max(due, since), leaves))
    if relief is not None or due is not None:
        break_time = dt.timedelta(minutes=table.facility.break_minutes or 0) or STEP
        minutes = int(break_time.total_seconds() // 60)
        stays.append(Stay("next-break", leaves, leaves + break_time, note=str(minutes)))
    return stays


def with_breaks(stays: Iterable[Stay], free_since: dt.datetime, window: Window) -> list[Stay]:
    """Add the breaks between the stays of a dealer, until now or the next stay.

    `free_since`: the beginning of the duty or of the last rest. A break that began before the board does, and after
    stays that it does not show, has no minutes.
    """
    filled: list[Stay] = []
    cursor, is_exact = free_since, True
    ordered = sorted(stays, key=lambda stay: stay.begins)
    if any(stay.begins < window.now for stay in ordered):
        cursor, is_exact = max(free_since, window.begins), free_since >= window.begins
    for stay in ordered:
        if stay.begins - cursor >= MINUTE:
            filled.append(_break(cursor, stay.begins, window.now, is_exact))
        filled.append(stay)
        cursor, is_exact = max(cursor, stay.ends), True
    if window.now - cursor >= MINUTE:
        filled.append(_break(cursor, window.now, window.now, is_exact))
    return filled


def _break(begins: dt.datetime, ends: dt.datetime, now: dt.datetime, is_exact: bool) -> Stay:
    minutes = int((min(ends, now) - begins).total_seconds() // 60)
    return Stay("break", begins, ends, note=str(minutes) if is_exact and minutes > 0 else "")


def _tone(game: str) -> int:
    return list(GAMES).index(game) % TONES if game in GAMES else 0


def _clock(facility: Facility, moment: dt.datetime) -> str:
    return f"{facility.local(moment):%H:%M}"

"""The floor of a facility: its pits and tables, added, moved and arranged on the floor plan.

A pit and a table are added (`add_pit`, `add_table`), and a closed table moves to another pit or submission
(`move_table`). The tables of a pit, and the pits and landmarks of the floor, are arranged (`arrange_pit`,
`arrange_floor`); `manage.py declare_floor` declares floor, shifts and target paces from a file.
"""

from collections.abc import Collection
from typing import Annotated, TypedDict, Unpack

from django.db.models import Q

from audit.columns import FACILITY, NONE, Body, Rows, constant, declare, same
from audit.entry_types import entry_type
from games.act_forms import Code, text
from games.engine import Refusal, RefusalCode
from games.engine.editions import edition
from games.models import Facility, RulesSubmission
from games.office.submissions.filing import NO_SUCH_SUBMISSION
from games.params import MOST_CENTS, Params, malformed
from games.registry import game_by_code
from games.snapshot_types import TableKind
from tables.core import posts
from tables.core.context import locked_table
from tables.core.duty import STAFFERS
from tables.limits import verify_range
from tables.models import Pit, Table
from tables.models.floor import FLOOR_ITEMS, FLOOR_ROWS, LANDMARK_LENGTH, PLAN_COLUMNS, PLAN_ROWS
from tables.money.chips import CHIPS_DECLARED, KEEPING_CHANGED
from tables.opening.opening import RESERVED_CODES, TableMade, make_table, newest_submission
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.staffing.assignments import NO_SUCH_PLACE

PIT_CODE_TAKEN = RefusalCode(
    "pit-code-taken", "Another pit has the code %(pit)s or the name %(name)s already.", "Another code or name"
)
TABLE_CODE_TAKEN = RefusalCode("table-code-taken", "Table %(table)s exists already.", "Another code")
TABLE_CODE_RESERVED = RefusalCode(
    "table-code-reserved", "%(table)s is the address of a page. Give the table another code.", "Another code"
)
TOO_MANY_SEATS = RefusalCode(
    "too-many-seats", "%(edition)s has places for %(seats)s players.", "Too many seats"
)
TABLE_MUST_BE_CLOSED = RefusalCode(
    "table-must-be-closed",
    "%(table)s is open. Close it first: a table moves to another pit or submission only while it is closed.",
    "Close the table first",
)
SOMEBODY_AT_A_POST = RefusalCode(
    "somebody-at-a-post",
    "%(person)s is still signed in at %(table)s. They must sign off first.",
    "Sign off first",
)
TABLE_IS_THERE = RefusalCode(
    "table-is-there", "%(table)s belongs to this pit and this submission already.", "Nothing to move"
)
SUBMISSION_OF_ANOTHER_GAME = RefusalCode(
    "submission-of-another-game",
    "%(submission)s is about %(game)s, and %(table)s is a table of another game. A table never changes its game.",
    "Another game",
)
SETUP_ROLES = frozenset({"system-administrator", "games-administrator", "compliance"})
MAX_NAME, MAX_SEATS = 60, 24
KINDS: tuple[TableKind, ...] = ("live", "training")


# What the record says of a facility and its floor


@entry_type("facility.made")
def FACILITY_MADE(
    *,
    code: str,
    gaming_day_start: Annotated[str, "local time at which the gaming day begins, such as 06:00"],
    jurisdiction: Annotated[str, "code of the jurisdiction"],
    name: str,
    time_zone: str,
) -> str:
    """The facility was created on the server."""
    return f"{name} created, jurisdiction {jurisdiction}"


@entry_type("pit.made")
def PIT_MADE(*, name: str, pit: Annotated[str, "code of the pit"]) -> str:
    """A pit was added to the facility."""
    return f"Pit {pit} added: {name}"


@entry_type("table.added")
def TABLE_ADDED(*, table: str, **data: Unpack[TableMade]) -> str:
    """A table was added to the facility."""
    return f"{table} added to pit {data['pit']}, under {data['submission']}"


@entry_type("table.moved")
def TABLE_MOVED(
    *,
    pit: Annotated[str, "code of the pit to which the table belongs now"],
    pit_before: str,
    submission: Annotated[str, "code of the rules submission that the table deals under now"],
    submission_before: str,
    table: str,
) -> str:
    """A closed table was moved to another pit, or to another rules submission."""
    parts = [f"from pit {pit_before} to {pit}"] if pit != pit_before else []
    if submission != submission_before:
        parts.append(f"from {submission_before} to {submission}")
    return f"{table} moved {' and '.join(parts)}"


@entry_type("pit.arranged")
def PIT_ARRANGED(
    *,
    pit: Annotated[str, "code of the pit"],
    places: Annotated[dict[str, list[int]], "row and column of each table by its code"],
) -> str:
    """The tables of a pit have other places on the floor plan."""
    return f"Tables of pit {pit} arranged on the floor plan"


class FloorItem(TypedDict):
    row: Annotated[int, "row of the floor plan, 1 at the top"]
    pit: Annotated[str, "code of the pit; empty for a landmark"]
    landmark: Annotated[str, "what stands there, such as Cage; empty for a pit"]


@entry_type("floor.arranged")
def FLOOR_ARRANGED(
    *, items: Annotated[list[FloorItem], "pits and landmarks, from left to right in each row"]
) -> str:
    """The pits and landmarks of the floor plan have other places."""
    return "Pits and landmarks arranged on the floor plan"


@entry_type("floor.declared")
def FLOOR_DECLARED(
    *,
    floor_items: Annotated[list[FloorItem] | None, "pits and landmarks, from left to right in each row"],
    places: Annotated[dict[str, dict[str, list[int]]], "row and column of each table by its code, by pit"],
    shifts: Annotated[dict[str, str], "local time at which each shift begins, by its code"],
    target_paces: Annotated[dict[str, int], "rounds an hour that the house aims at, by game"],
) -> str:
    """A command of the server declared target paces, shifts and places on the floor plan.

    Figures of the house, from a file on the server.
    """
    return "Floor, shifts and target paces declared from a file"


# Pits and tables


@facility_act(SETUP, roles=SETUP_ROLES)
def add_pit(ctx: FacilityContext, *, pit: Code, name: Annotated[str, text(MAX_NAME)]) -> ActOutcome:
    """Add a pit to the facility. Raises `pit-code-taken`, also for a name that another pit has."""
    if Pit.objects.filter(Q(code__iexact=pit) | Q(name__iexact=name), facility=ctx.facility).exists():
        raise Refusal(PIT_CODE_TAKEN, pit=pit, name=name)
    Pit.objects.create(facility=ctx.facility, code=pit, name=name)
    return ActOutcome(PIT_MADE(pit=pit, name=name), {"pit": pit})


@facility_act(SETUP, roles=SETUP_ROLES)
def add_table(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Add a table that deals under a rules submission. It is closed, without a shaker, dice or approvals.

    Raises `no-such-submission`, `no-such-place`, `table-code-taken`, `table-code-reserved`, `too-many-seats` or
    what `tables.limits.verify_range` raises.
    """
    submission = _submission(ctx, params)
    pit = _pit(ctx, params.text("pit"))
    code, kind = params.code("table"), params.choice("kind", KINDS, default="live")
    seats = params.integer("seats", 1, MAX_SEATS)
    min_cents, max_cents = (
        params.integer("min_cents", 1, MOST_CENTS),
        params.integer("max_cents", 1, MOST_CENTS),
    )
    if code.lower() in RESERVED_CODES:
        raise Refusal(TABLE_CODE_RESERVED, table=code)
    if Table.objects.filter(facility=ctx.facility, code__iexact=code).exists():
        raise Refusal(TABLE_CODE_TAKEN, table=code)
    _verify_seats(submission, seats)
    verify_range(ctx.facility, min_cents, max_cents)
    table = make_table(
        ctx.facility,
        code=code,
        pit=pit,
        submission=submission.code,
        kind=kind,
        by=ctx.actor,
        device=ctx.device,
        seats=seats,
        min_cents=min_cents,
        max_cents=max_cents,
    )
    entry = TABLE_ADDED(
        table=code,
        pit=pit.code,
        submission=submission.code,
        game=table.game,
        kind=kind,
        seats=seats,
        min_cents=min_cents,
        max_cents=max_cents,
    )
    return ActOutcome(entry, {"table": code})


@facility_act(SETUP, roles=SETUP_ROLES)
def move_table(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Move a closed table to another pit, or to another submission of its game. Its rounds and its record stay.

    Raises `no-such-place`, `no-such-submission`, `table-must-be-closed`, `somebody-at-a-post`, `table-is-there`,
    `submission-of-another-game` or `too-many-seats`.
    """
    code = params.text("table")
    if not Table.objects.filter(facility=ctx.facility, code=code).exists():
        raise Refusal(NO_SUCH_PLACE, place=code)
    submission, pit = _submission(ctx, params), _pit(ctx, params.text("pit"))
    table = locked_table(ctx.facility.code, code).table
    _verify_may_move(table)
    if submission.game != table.game:
        names = {"submission": submission.code, "game": game_by_code(submission.game).name, "table": code}
        raise Refusal(SUBMISSION_OF_ANOTHER_GAME, **names)
    _verify_seats(submission, table.seats)
    before = Pit.objects.get(pk=table.pit_id)
    entry = TABLE_MOVED(
        table=code,
        pit=pit.code,
        pit_before=before.code,
        submission=submission.code,
        submission_before=table.submission_code,
    )
    if (pit.pk, submission.code) == (before.pk, table.submission_code):
        raise Refusal(TABLE_IS_THERE, table=code)
    if before.pk != pit.pk and before.places.pop(code, None) is not None:
        before.save(update_fields=["places"])
    table.pit, table.submission_code = pit, submission.code
    table.save(update_fields=["pit", "submission_code"])
    ctx.affect([table])
    return ActOutcome(entry, {"table": code})


def _verify_may_move(table: Table) -> None:
    """Raises `table-must-be-closed` or `somebody-at-a-post`: who works there may not be on duty in the other pit."""
    if table.status != Table.Status.CLOSED or table.stream.closed_at is not None:
        raise Refusal(TABLE_MUST_BE_CLOSED, table=table.code)
    for post in posts.posts_of(table):
        person = posts.holder(table, post)
        if person is not None:
            raise Refusal(SOMEBODY_AT_A_POST, person=person.name, table=table.code)


def _verify_seats(submission: RulesSubmission, seats: int) -> None:
    """Raises `too-many-seats` if the edition of a submission has fewer places."""
    dealt = edition(submission.edition)
    if dealt.places and seats > dealt.places:
        raise Refusal(TOO_MANY_SEATS, edition=dealt.title, seats=dealt.places)


def _pit(ctx: FacilityContext, code: str) -> Pit:
    pit = Pit.objects.filter(facility=ctx.facility, code=code).first()
    if pit is None:
        raise Refusal(NO_SUCH_PLACE, place=code)
    return pit


def _submission(ctx: FacilityContext, params: Params) -> RulesSubmission:
    """The newest version of the submission that an act names. Raises `no-such-submission`."""
    code = params.text("submission", max_length=20)
    try:
        return newest_submission(ctx.facility, code)
    except RulesSubmission.DoesNotExist:
        raise Refusal(NO_SUCH_SUBMISSION, code=code, version=1) from None


# Where they are on the floor plan


@facility_act(SETUP, roles=STAFFERS)
def arrange_pit(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give the tables of a pit (by its name) their places on the floor plan, each another row and column.

    Only screens show the places. A table that is left out takes a free place. Raises `no-such-place` for a pit or table
    that is not there.
    """
    name = params.text("pit", max_length=60)
    pit = Pit.objects.filter(facility=ctx.facility, name=name).first()
    if pit is None:
        raise Refusal(NO_SUCH_PLACE, place=name)
    places = dict(params.objects("places", _place))
    codes = set(Table.objects.filter(pit=pit).values_list("code", flat=True))
    if unknown := sorted(places.keys() - codes):
        raise Refusal(NO_SUCH_PLACE, place=unknown[0])
    if len({tuple(place) for place in places.values()}) < len(places):
        raise malformed("places")
    pit.places = dict(sorted(places.items()))
    pit.save(update_fields=["places"])
    return ActOutcome(PIT_ARRANGED(pit=pit.code, places=pit.places), {"pit": pit.code})


def _place(params: Params) -> tuple[str, list[int]]:
    """The code of a table, with its row and column."""
    return params.code("table"), [
        params.integer("row", 1, PLAN_ROWS),
        params.integer("column", 1, PLAN_COLUMNS),
    ]


@facility_act(SETUP, roles=STAFFERS)
def arrange_floor(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Give the pits of the facility, and landmarks such as the cage, their rows on the floor plan, from left to right.

    Only screens show them. A pit that is left out follows the last row. Raises `no-such-place` for a pit that is not
    there.
    """
    codes = Pit.objects.filter(facility=ctx.facility).values_list("code", flat=True)
    ctx.facility.floor_items = sorted(_read_items(params, set(codes)), key=lambda item: item["row"])
    ctx.facility.save(update_fields=["floor_items"])
    return ActOutcome(FLOOR_ARRANGED(items=ctx.facility.floor_items), {})


def unsaved_items(sent: object, codes: Collection[str]) -> list[FloorItem] | None:
    """Return the items of an arrangement that nobody has saved yet; None for what the act would refuse."""
    try:
        return _read_items(Params({"items": sent}), codes)
    except Refusal:
        return None


def _read_items(params: Params, codes: Collection[str]) -> list[FloorItem]:
    """Return pits, each at most once, and landmarks. Raises `no-such-place` for a pit that is not among these codes."""
    items = list(params.objects("items", _item, max_items=FLOOR_ITEMS, optional=True))
    pits = [item["pit"] for item in items if item["pit"]]
    if unknown := [pit for pit in pits if pit not in codes]:
        raise Refusal(NO_SUCH_PLACE, place=unknown[0])
    if len(set(pits)) < len(pits) or any(bool(item["pit"]) == bool(item["landmark"]) for item in items):
        raise malformed("items")
    return items


def _item(params: Params) -> FloorItem:
    return {
        "row": params.integer("row", 1, FLOOR_ROWS),
        "pit": params.text("pit", default="", max_length=20),
        "landmark": params.text("landmark", default="", max_length=LANDMARK_LENGTH),
    }


# What the entries state of facilities and pits


DECLARED = same("target_paces", "shifts", "floor_items")
declare(
    Facility,
    "facility",
    may_be_seeded=True,
    key={"code": FACILITY},
    created={
        FACILITY_MADE: {
            **same("name", "jurisdiction", "time_zone", "gaming_day_start"),
            "review_first_from_cents": NONE,
            "keeps_inventory": constant(False),
            "chips_cents": constant([]),
        }
    },
    changed={
        "review_sum.set": {"review_first_from_cents": "cents"},
        KEEPING_CHANGED: {"keeps_inventory": "keeps"},
        CHIPS_DECLARED: same("chips_cents"),
        FLOOR_ARRANGED: {"floor_items": "items"},
        FLOOR_DECLARED: DECLARED,
    },
    unproven={
        "work_minutes": "set in the database: only says when a break is due on screens",
        "break_minutes": "set in the database: only says when a break is due on screens",
    },
)


def floor_declared(rows: Rows, body: Body) -> None:
    for pit, places in body["data"]["places"].items():
        rows.put(body, FACILITY(body), pit, places=places)


declare(
    Pit,
    "pit",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "pit"},
    created={PIT_MADE: {"name": "name"}},
    changed={PIT_ARRANGED: {"places": "places"}},
    folded={FLOOR_DECLARED: floor_declared},
)

"""Acts that add pits and tables to a facility, and that move a table to another pit or submission."""

from typing import Annotated

from django.db.models import Q

from games.act_forms import Code, text
from games.engine import Refusal
from games.engine.editions import edition
from games.models import RulesSubmission
from games.office.submissions.filing import NO_SUCH_SUBMISSION
from games.params import MOST_CENTS, Params
from games.registry import game_by_code
from games.snapshot_types import TableKind
from tables.core import posts
from tables.core.reads import locked_table
from tables.limits import MAXIMUM_UNDER_MINIMUM
from tables.models import Pit, Table
from tables.opening.new_tables import RESERVED_CODES, make_table, newest_submission
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.setup.entry_types import PIT_MADE, TABLE_ADDED, TABLE_MOVED, TableMoved
from tables.setup.refusals import (
    PIT_CODE_TAKEN,
    SOMEBODY_AT_A_POST,
    SUBMISSION_OF_ANOTHER_GAME,
    TABLE_CODE_RESERVED,
    TABLE_CODE_TAKEN,
    TABLE_IS_THERE,
    TABLE_MUST_BE_CLOSED,
    TOO_MANY_SEATS,
)
from tables.staffing.refusals import NO_SUCH_PLACE
from tables.words.sentences import dollars

SETUP_ROLES = frozenset({"system-administrator", "games-administrator", "compliance"})
MAX_NAME, MAX_SEATS = 60, 24
KINDS: tuple[TableKind, ...] = ("live", "training")


@facility_act(SETUP, roles=SETUP_ROLES)
def add_pit(ctx: FacilityContext, *, pit: Code, name: Annotated[str, text(MAX_NAME)]) -> ActOutcome:
    """Add a pit to the facility. Raises `pit-code-taken`, also for a name that another pit has."""
    if Pit.objects.filter(Q(code__iexact=pit) | Q(name__iexact=name), facility=ctx.facility).exists():
        raise Refusal(PIT_CODE_TAKEN, pit=pit, name=name)
    Pit.objects.create(facility=ctx.facility, code=pit, name=name)
    return ActOutcome(PIT_MADE({"pit": pit, "name": name}), {"pit": pit})


@facility_act(SETUP, roles=SETUP_ROLES)
def add_table(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Add a table that deals under a rules submission. It is closed, without a shaker, dice or approvals.

    Raises `no-such-submission`, `no-such-place`, `table-code-taken`, `table-code-reserved`, `too-many-seats` or
    `maximum-under-minimum`.
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
    if max_cents < min_cents:
        section = ctx.facility.law.section("limits")
        raise Refusal(MAXIMUM_UNDER_MINIMUM, section, min=dollars(min_cents), max=dollars(max_cents))
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
        {
            "table": code,
            "pit": pit.code,
            "submission": submission.code,
            "game": table.game,
            "kind": kind,
            "seats": seats,
            "min_cents": min_cents,
            "max_cents": max_cents,
        }
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
    data: TableMoved = {
        "table": code,
        "pit": pit.code,
        "pit_before": before.code,
        "submission": submission.code,
        "submission_before": table.submission_code,
    }
    if (pit.pk, submission.code) == (before.pk, table.submission_code):
        raise Refusal(TABLE_IS_THERE, table=code)
    if before.pk != pit.pk and before.places.pop(code, None) is not None:
        before.save(update_fields=["places"])
    table.pit, table.submission_code = pit, submission.code
    table.save(update_fields=["pit", "submission_code"])
    ctx.affect([table])
    return ActOutcome(TABLE_MOVED(data), {"table": code})


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

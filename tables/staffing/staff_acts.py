"""The staff room: who is on duty where, who supervises what elsewhere, and who is trained to deal which game."""

from collections.abc import Iterable
from typing import Any

from django.db.models import Q, QuerySet

from audit.models import Person
from games.engine import Refusal
from games.params import Params
from games.registry import GAMES
from tables.core.context import TableContext
from tables.core.duty import covers, locked_duty, person_here
from tables.core.permissions import FLOOR, STAFFERS
from tables.models import Assignment, Pit, Qualification, Table
from tables.models.staffing import GAMES_ELSEWHERE
from tables.runner.facility import STAFF, ActOutcome, FacilityContext, facility_act
from tables.staffing import posts
from tables.staffing.spans import verify_may_supervise_elsewhere

MAX_REFERENCE_LENGTH = 60


@facility_act(STAFF, roles=STAFFERS)
def assign_person(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Puts a person on duty at a table, at all tables of a pit, or (neither named) at the whole facility."""
    person = person_here(ctx.facility, params.text("person"))
    pit, table = params.text("pit", default=""), params.text("table", default="")
    duty = Assignment(person=person, facility=ctx.facility, started_at=ctx.now)
    duty.pit, duty.table = _place(ctx, pit, table)
    same = Assignment.objects.standing(ctx.facility).filter(person=person)
    if same.filter(pit=duty.pit, table=duty.table).exists():
        raise Refusal("already-assigned", person=person.name, place=table or pit or ctx.facility.name)
    duty.save()
    ctx.affect(_tables_of(person))
    return _assignment_outcome("assignment.started", duty)


@facility_act(STAFF, roles=STAFFERS)
def assign_elsewhere(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Notes that a floorperson supervises one more table of a game that is not dealt with Pitside. It counts in the
    floorperson's span (§ 577.9(c), § 465a.35).
    """
    person = person_here(ctx.facility, params.text("person"))
    game = params.choice("game", GAMES_ELSEWHERE)
    if person.role not in FLOOR:
        raise Refusal("role-does-not-supervise", person=person.name)
    verify_may_supervise_elsewhere(person, game, locked_duty(person), ctx.now)
    duty = Assignment.objects.create(person=person, facility=ctx.facility, elsewhere=game, started_at=ctx.now)
    return _assignment_outcome("assignment.started", duty)


@facility_act(STAFF, roles=STAFFERS)
def end_assignment(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Ends a duty, unless the person still answers for a table in play, or stands at a post of one, that no other duty
    of that person covers: first somebody relieves there.
    """
    pk = params.integer("assignment", 1, 2**53)
    ending = Assignment.objects.filter(facility=ctx.facility, pk=pk).select_related("person").first()
    if ending is None:
        raise Refusal("no-such-assignment")
    tables = _tables_of(ending.person)
    tables.select_for_update(of=("self",)).in_bulk()
    duty = locked_duty(ending.person)
    if ending not in duty:
        raise Refusal("no-such-assignment")
    verify_not_needed(ctx, ending, [assignment for assignment in duty if assignment != ending], tables.all())
    ctx.affect(tables.all())
    ending.ended_at = ctx.now
    ending.save(update_fields=["ended_at"])
    return _assignment_outcome("assignment.ended", ending)


def verify_not_needed(
    ctx: FacilityContext, ending: Assignment, remaining: list[Assignment], tables: Iterable[Table]
) -> None:
    """Raises `still-supervises` or `still-at-a-post` for the first table in play that only this duty covers.

    The section is the one on the span, or the one that wants somebody at every post.
    """
    person = ending.person
    for table in tables:
        in_play = table.status != Table.Status.CLOSED and table.kind != Table.Kind.SIMULATED
        if not in_play or not covers([ending], table) or covers(remaining, table):
            continue
        here = TableContext(table, None, None, None, ctx.now)
        post = posts.post_of(table, person)
        if post is not None:
            section = posts.staffing_section(here.rules) if here.deals else ""
            raise Refusal("still-at-a-post", section, person=person.name, post=post, table=table.code)
        section = here.rules.section("span") if here.deals else ""
        raise Refusal("still-supervises", section, person=person.name, table=table.code)


def _tables_of(person: Person) -> QuerySet[Table]:
    """The tables that this person answers for or stands at, closed ones too, for they show it.

    They are locked before the assignments are, and read afterwards: what the person took while we waited is among them.
    """
    mine = Table.objects.filter(Q(floorperson=person) | posts.at_any_post(person))
    return mine.select_related("stream", "facility").order_by("pk")


@facility_act(STAFF, roles=STAFFERS)
def record_qualification(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Files a person's training to deal a game: under which reference, and from which day on."""
    filed = Qualification(
        person=person_here(ctx.facility, params.text("person")),
        game=params.choice("game", tuple(GAMES)),
        reference=params.text("reference", max_length=MAX_REFERENCE_LENGTH),
        since=params.date("since"),
        ends_on=params.date("ends_on", optional=True),
    )
    if filed.ends_on and filed.ends_on <= filed.since:
        raise Refusal("qualification-ends-before-it-begins")
    same = Qualification.objects.filter(person=filed.person, game=filed.game, since=filed.since)
    if same.exists():
        raise Refusal("qualification-filed-already", person=filed.person.name, game=filed.game)
    filed.save()
    return _qualification_outcome("qualification.recorded", filed)


@facility_act(STAFF, roles=STAFFERS)
def end_qualification(ctx: FacilityContext, params: Params) -> ActOutcome:
    """Ends a training that is on file: `ends_on` is the first day on which it no longer holds, its first day for one
    that was filed by mistake.
    """
    pk, ends_on = params.integer("qualification", 1, 2**53), params.date("ends_on")
    assignment = (
        Qualification.objects.select_for_update(of=("self",)).filter(pk=pk).select_related("person").first()
    )
    if assignment is None or not assignment.person.belongs_to(ctx.facility.code):
        raise Refusal("no-such-qualification")
    if assignment.ends_on is not None and assignment.ends_on <= ends_on:
        raise Refusal("qualification-has-ended", on=assignment.ends_on)
    if ends_on < assignment.since:
        raise Refusal("qualification-ends-before-it-begins")
    assignment.ends_on = ends_on
    assignment.save(update_fields=["ends_on"])
    return _qualification_outcome("qualification.ended", assignment)


def _place(ctx: FacilityContext, pit: str, table: str) -> tuple[Pit | None, Table | None]:
    """The pit or the table of this facility that is named. Raises `no-such-place`, or `malformed` for both."""
    if pit and table:
        raise Refusal("malformed", name="table")
    found_pit = Pit.objects.filter(facility=ctx.facility, code=pit).first() if pit else None
    found_table = Table.objects.filter(facility=ctx.facility, code=table).first() if table else None
    if (pit and found_pit is None) or (table and found_table is None):
        raise Refusal("no-such-place", place=table or pit)
    return found_pit, found_table


def _assignment_outcome(type_: str, duty: Assignment) -> ActOutcome:
    data: dict[str, Any] = {
        "assignment": duty.pk,
        "person": duty.person.code,
        "pit": duty.pit.code if duty.pit else None,
        "table": duty.table.code if duty.table else None,
        "elsewhere": duty.elsewhere or None,
    }
    return ActOutcome(type_, data, {"assignment": duty.pk}, changes="nothing")


def _qualification_outcome(type_: str, filed: Qualification) -> ActOutcome:
    data: dict[str, Any] = {
        "qualification": filed.pk,
        "person": filed.person.code,
        "game": filed.game,
        "reference": filed.reference,
        "since": filed.since.isoformat(),
        "ends_on": filed.ends_on.isoformat() if filed.ends_on else None,
    }
    return ActOutcome(type_, data, {"qualification": filed.pk}, changes="nothing")

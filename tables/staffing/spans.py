"""A floorperson's span: how many tables one person may supervise at once (§ 577.9(c), § 465a.35, A40).

A floorperson's set has the live tables that are open or ceased under that name, and the tables of other games that
the person supervises elsewhere. The edition of each table says how many tables its floorperson may have, and which
games may not be among them. A set is allowed if every table in it allows it.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.db.models import Q, QuerySet

from audit.models import Person
from games import submissions
from games.engine import Refusal, RefusalCode
from games.engine.editions import Edition, Staffing, edition
from tables.core.context import TableContext
from tables.core.duty import covers, is_on_duty, locked_duty
from tables.core.permissions import FLOOR
from tables.models import Assignment, Table
from tables.runner.signatures import floor_signer
from tables.staffing.refusals import (
    ROLE_DOES_NOT_SUPERVISE,
    SPAN_EXCEEDED,
    SUPERVISOR_NOT_ON_DUTY,
    SUPERVISOR_OFF_DUTY,
    UNSUPERVISED,
)


@dataclass(frozen=True)
class SupervisedTable:
    """One table of a floorperson's set, by its code. A table elsewhere has its game's code and no edition."""

    name: str
    game: str
    edition: Edition | None = None
    table_id: int | None = None


@dataclass(frozen=True)
class SupervisionBreach:
    """What is wrong with the supervision of an open table.

    `code` is `unsupervised`, `supervisor-off-duty` or `span-exceeded`; `params` are the values of its sentence.
    """

    table_id: int
    code: RefusalCode
    params: dict[str, Any] = field(default_factory=dict)
    section: str = ""


def supervisor_at_opening(ctx: TableContext) -> Person:
    """The person who supervises a table that opens now.

    The current supervisor if on duty here, otherwise the floorperson who signs. Raises `floorperson-must-sign`, or
    what `verify_may_supervise` raises.
    """
    person = current_supervisor(ctx) or floor_signer(ctx)
    verify_may_supervise(ctx, person, in_play=True)
    return person


def current_supervisor(ctx: TableContext) -> Person | None:
    """The supervisor assigned to the table, if one is and is on duty there."""
    current = ctx.table.floorperson
    stays = current is not None and _supervises(current) and is_on_duty(current, ctx.table)
    return current if stays else None


def verify_may_supervise(ctx: TableContext, person: Person, *, in_play: bool) -> None:
    """Refuse a person who is no floorperson, is not on duty at the table, or has too many tables.

    `in_play`: the table is open or ceased, or opens now; a closed table counts in nobody's span. Locks the person's
    assignments, so that two openings at once do not both pass.
    """
    if person.role not in FLOOR:
        raise Refusal(ROLE_DOES_NOT_SUPERVISE, person=person.name)
    duty = locked_duty(person)
    if not (person.is_active and covers(duty, ctx.table)):
        raise Refusal(SUPERVISOR_NOT_ON_DUTY, person=person.name, table=ctx.table.code)
    if in_play and ctx.table.kind == Table.Kind.LIVE:
        verify_span(person, [*_tables_of(person, except_table=ctx.table), ctx.table], duty, ctx.now)


def verify_may_supervise_elsewhere(
    person: Person, game: str, duty: Sequence[Assignment], now: dt.datetime
) -> None:
    """Raises `span-exceeded` unless this person may also supervise a table of this game elsewhere.

    `duty` is the result of `locked_duty`.
    """
    verify_span(person, _tables_of(person), [*duty, Assignment(elsewhere=game)], now)


def verify_span(
    person: Person, tables: Sequence[Table], duty: Iterable[Assignment], now: dt.datetime
) -> None:
    """Raises `span-exceeded` unless one person may supervise these tables together.

    Tables elsewhere come from the assignments. The section is that of the strictest edition that forbids it.
    """
    supervised = _supervised_tables(tables, duty, _editions_of(tables, now))
    forbidding = [table.edition for table in _forbidding(supervised) if table.edition]
    if forbidding:
        strictest = min(forbidding, key=lambda edition: edition.staffing.span)
        raise Refusal(SPAN_EXCEEDED, span_section(strictest), **_span_params(person, supervised))


def breaches(now: dt.datetime, only: int | None = None) -> list[SupervisionBreach]:
    """What is wrong now with the supervision of each open or ceased live table, in the order of the tables.

    `only` limits the result to one table (its id); the other tables of its floorperson are still read. Takes three
    queries for any number of tables and no locks.
    """
    tables = _in_play()
    if only is not None:
        supervisor = Table.objects.filter(pk=only, floorperson__isnull=False).values("floorperson")
        tables = tables.filter(Q(pk=only) | Q(floorperson__in=supervisor))
    return [breach for breach in _breaches_among(tables, now) if only in (None, breach.table_id)]


def breach_in_play(table: Table, now: dt.datetime) -> SupervisionBreach | None:
    """What would be wrong with the supervision of this live table, if it were open now beside the others; or None.

    It is open already, or would open. Takes no locks.
    """
    beside = (
        _in_play().filter(floorperson=table.floorperson_id) if table.floorperson_id else Table.objects.none()
    )
    tables = Table.objects.filter(Q(pk=table.pk) | Q(pk__in=beside.values("pk")))
    among = _breaches_among(tables, now)
    own = [breach for breach in among if breach.table_id == table.pk or breach.code == SPAN_EXCEEDED]
    return own[0] if own else None


def _breaches_among(in_play: QuerySet[Table], now: dt.datetime) -> list[SupervisionBreach]:
    tables = list(in_play.select_related("floorperson").order_by("pk"))
    supervisors = {table.floorperson_id for table in tables if table.floorperson_id}
    duty: dict[int, list[Assignment]] = {pk: [] for pk in supervisors}
    for assignment in Assignment.objects.unended().filter(person__in=supervisors).order_by("pk"):
        duty[assignment.person_id].append(assignment)
    editions = _editions_of(tables, now)
    breaches = [_supervisor_breach(table, duty, editions) for table in tables]
    for pk in sorted(supervisors):
        breaches += _span_breaches(
            [table for table in tables if table.floorperson_id == pk], duty[pk], editions
        )
    return sorted((breach for breach in breaches if breach), key=lambda breach: breach.table_id)


def _supervises(person: Person) -> bool:
    """Whether this person is still active and a floorperson or above."""
    return person.is_active and person.role in FLOOR


def _supervisor_breach(
    table: Table, duty: Mapping[int, list[Assignment]], editions: Mapping[int, Edition]
) -> SupervisionBreach | None:
    """The breach of a table without a floorperson on duty, if it is one."""
    section = span_section(editions.get(table.pk))
    person = table.floorperson
    if person is None:
        return SupervisionBreach(table.pk, UNSUPERVISED, {"table": table.code}, section)
    if _supervises(person) and covers(duty[person.pk], table):
        return None
    return SupervisionBreach(
        table.pk, SUPERVISOR_OFF_DUTY, {"person": person.name, "table": table.code}, section
    )


def _span_breaches(
    tables: list[Table], duty: list[Assignment], editions: Mapping[int, Edition]
) -> list[SupervisionBreach | None]:
    """A breach for each table of one floorperson whose edition forbids this set."""
    supervised, person = _supervised_tables(tables, duty, editions), tables[0].floorperson
    assert person is not None
    return [
        SupervisionBreach(
            table.table_id, SPAN_EXCEEDED, _span_params(person, supervised), span_section(table.edition)
        )
        for table in _forbidding(supervised)
        if table.table_id
    ]


def _forbidding(supervised: Sequence[SupervisedTable]) -> list[SupervisedTable]:
    """The tables of a set whose edition forbids it."""
    return [
        table
        for table in supervised
        if table.edition and not _allows(table.edition.staffing, table, supervised)
    ]


def _allows(staffing: Staffing, own: SupervisedTable, supervised: Sequence[SupervisedTable]) -> bool:
    other_games = {table.game for table in supervised if table is not own}
    return (staffing.span == 0 or len(supervised) <= staffing.span) and not other_games & staffing.never_with


def _supervised_tables(
    tables: Iterable[Table], duty: Iterable[Assignment], editions: Mapping[int, Edition]
) -> list[SupervisedTable]:
    here = [SupervisedTable(table.code, table.game, editions.get(table.pk), table.pk) for table in tables]
    elsewhere = [
        SupervisedTable(assignment.elsewhere, assignment.elsewhere)
        for assignment in duty
        if assignment.elsewhere
    ]
    return sorted(here, key=lambda table: table.name) + sorted(elsewhere, key=lambda table: table.name)


def _span_params(person: Person, supervised: Sequence[SupervisedTable]) -> dict[str, Any]:
    names = [table.name for table in supervised]
    return {"person": person.name, "count": len(names), "tables": names}


def _in_play() -> QuerySet[Table]:
    """The tables that count: live, open or ceased, and not continued by another table."""
    tables = Table.objects.filter(kind=Table.Kind.LIVE, stream__closed_at=None)
    return tables.exclude(status=Table.Status.CLOSED)


def _tables_of(person: Person, except_table: Table | None = None) -> list[Table]:
    tables = _in_play().filter(floorperson=person)
    return list(tables.exclude(pk=except_table.pk) if except_table else tables)


def span_section(edition: Edition | None) -> str:
    """The section of this edition on a floorperson's span; empty if it has none."""
    return edition.sections.get("span", "") if edition else ""


def _editions_of(tables: Iterable[Table], now: dt.datetime) -> dict[int, Edition]:
    """The edition in force at each of these tables, by id. A table without rules in force has none."""
    submissions_by_table = {
        table.pk: (table.facility_id, table.game, table.submission_code) for table in tables
    }
    keys = submissions.editions_in_force({facility for facility, _, _ in submissions_by_table.values()}, now)
    return {pk: edition(keys[place]) for pk, place in submissions_by_table.items() if place in keys}

"""Who supervises a table: the floorperson, and the span of how many tables one person may have (§ 577.9(c), § 465a.35).

1. A table opens under its floorperson, or under the one who signs the opening (`supervisor_at_opening`,
   tables.opening). A floorperson takes a table (`take_supervision`), or a pit manager gives it to one who is on duty
   there (`assign_floorperson`).
2. A floorperson's set has the live tables that are open or ceased under that name, and the tables of other games that
   the person supervises elsewhere (`assign_elsewhere`, tables.staffing.assignments). The edition of each table says how
   many tables its floorperson may have, and which games may not be among them. A set is allowed if every table in it
   allows it (`verify_span`, reading A40).
3. A set that was allowed may stop being so: a duty ends, other rules take effect. Nothing stops then; an alert tells
   the floor until another floorperson has the table (`broken_spans`). Roster and opening show the same `breaches`.

Tables elsewhere are named by the codes of `models.staffing.GAMES_ELSEWHERE`; their words are here.
"""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from django.db.models import Q, QuerySet

from audit.entry_types import entry_type
from audit.models import Person
from games import submissions
from games.act_forms import Text
from games.engine import Refusal, RefusalCode
from games.engine.editions import Edition, Staffing, edition
from games.registry import GAMES
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_rule
from tables.core.context import TableContext
from tables.core.duty import (
    FLOOR,
    STAFFERS,
    covers,
    is_on_duty,
    locked_duty,
    person_here,
    verify_not_on_leave,
)
from tables.models import Assignment, Table
from tables.runner.signatures import floor_signer
from tables.runner.table import ActOutcome, act
from tables.words import register, sentences

# Refusals

SPAN_EXCEEDED = RefusalCode(
    "span-exceeded",
    "%(person)s may not supervise these %(count)s tables at once: %(tables)s. Another floorperson "
    "must take one.",
    "Too many tables",
)
UNSUPERVISED = RefusalCode(
    "unsupervised",
    "Nobody supervises %(table)s. A floorperson must take it.",
    "No floorperson",
)
SUPERVISOR_OFF_DUTY = RefusalCode(
    "supervisor-off-duty",
    "%(person)s, who supervises %(table)s, is not on duty there. Another floorperson must take it.",
    "No floorperson",
)
ALREADY_SUPERVISING = RefusalCode("already-supervising", "%(person)s already supervises %(table)s.")
ROLE_DOES_NOT_SUPERVISE = RefusalCode(
    "role-does-not-supervise",
    "%(person)s is not a floorperson and cannot supervise a table.",
)
SUPERVISOR_NOT_ON_DUTY = RefusalCode(
    "supervisor-not-on-duty",
    "%(person)s is not on duty at %(table)s and cannot supervise it. Assign them first.",
)


# Games elsewhere, in words

# By the codes of `models.staffing.GAMES_ELSEWHERE`
ELSEWHERE = {
    "baccarat": "Baccarat",
    "midibaccarat": "Midibaccarat",
    "craps": "Craps",
    "mini-craps": "Mini-Craps",
    "pai-gow": "Pai Gow",
    "other-banking": "Another banking game",
}


def game_or_table_name(code: str) -> str:
    """A game's name, dealt here or elsewhere; any other code unchanged."""
    return str(GAMES[code].name if code in GAMES else ELSEWHERE.get(code, code))


def words_for_codes(params: Mapping[str, Any]) -> dict[str, Any]:
    """Replace codes of tables and games among a refusal's parameters with names."""
    words = dict(params)
    if isinstance(words.get("tables"), list):
        words["tables"] = ", ".join(map(game_or_table_name, words["tables"]))
    if "game" in words:
        words["game"] = game_or_table_name(words["game"])
    return words


register(act_lines=(), params=words_for_codes)


# What the record says


class Supervision(TypedDict):
    floorperson: Annotated[str, "code of the floorperson"]
    relieves: Annotated[str | None, "code of the floorperson before; null without one"]


SUPERVISION_TAKEN = entry_type(
    "supervision.taken",
    Supervision,
    "A floorperson took this table.",
    lambda data: "Supervises the table",
)
SUPERVISION_ASSIGNED = entry_type(
    "supervision.assigned",
    Supervision,
    "A floorperson was assigned to this table.",
    lambda data: "%(floorperson)s supervises the table" % data,
)


# What a set of tables may be


@dataclass(frozen=True)
class SupervisedTable:
    """One table of a floorperson's set, by its code. A table elsewhere has its game's code and no edition."""

    name: str
    game: str
    edition: Edition | None = None
    table_id: int | None = None


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


# Who takes a table


@act(roles=FLOOR, depends_on="nothing")
def take_supervision(ctx: TableContext) -> ActOutcome:
    """Make the signed-in floorperson or above the supervisor of this table, in place of the previous one."""
    assert ctx.actor is not None
    return ActOutcome(SUPERVISION_TAKEN(supervise(ctx, ctx.actor)), changes="nothing")


@act(roles=STAFFERS, depends_on="nothing")
def assign_floorperson(ctx: TableContext, *, person_code: Text) -> ActOutcome:
    """Make another floorperson who is on duty here the supervisor of this table."""
    person = person_here(ctx.table.facility, person_code)
    return ActOutcome(SUPERVISION_ASSIGNED(supervise(ctx, person)), changes="nothing")


def supervise(ctx: TableContext, person: Person) -> Supervision:
    """Make this person the table's floorperson and return the data of the entry.

    Raises `already-supervising`, or what `verify_may_supervise` raises (§ 577.9(c), § 465a.35).
    """
    before = ctx.table.floorperson
    if before is not None and before.pk == person.pk:
        raise Refusal(ALREADY_SUPERVISING, person=person.name, table=ctx.table.code)
    verify_not_on_leave(person, ctx.gaming_day)
    verify_may_supervise(ctx, person, in_play=ctx.table.status != Table.Status.CLOSED)
    ctx.change_table(floorperson=person)
    return {"floorperson": person.code, "relieves": before.code if before else None}


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


def _supervises(person: Person) -> bool:
    """Whether this person is still active and a floorperson or above."""
    return person.is_active and person.role in FLOOR


# What is wrong with the supervision of the tables in play


def breaches(now: dt.datetime, only: int | None = None) -> list[tuple[int, Refusal]]:
    """What is wrong now with the supervision of each open or ceased live table, in the order of the tables (their ids).

    That is `unsupervised`, `supervisor-off-duty` or `span-exceeded`. `only` limits the result to one table (its id);
    the other tables of its floorperson are still read. Takes three queries for any number of tables and no locks.
    """
    tables = _in_play()
    if only is not None:
        supervisor = Table.objects.filter(pk=only, floorperson__isnull=False).values("floorperson")
        tables = tables.filter(Q(pk=only) | Q(floorperson__in=supervisor))
    return [(pk, breach) for pk, breach in _breaches_among(tables, now) if only in (None, pk)]


def breach_in_play(table: Table, now: dt.datetime) -> Refusal | None:
    """What would be wrong with the supervision of this live table, if it were open now beside the others; or None.

    It is open already, or would open. Takes no locks.
    """
    beside = (
        _in_play().filter(floorperson=table.floorperson_id) if table.floorperson_id else Table.objects.none()
    )
    tables = Table.objects.filter(Q(pk=table.pk) | Q(pk__in=beside.values("pk")))
    among = _breaches_among(tables, now)
    own = [breach for pk, breach in among if pk == table.pk or breach.code == SPAN_EXCEEDED]
    return own[0] if own else None


def _breaches_among(in_play: QuerySet[Table], now: dt.datetime) -> list[tuple[int, Refusal]]:
    tables = list(in_play.select_related("floorperson").order_by("pk"))
    supervisors = {table.floorperson_id for table in tables if table.floorperson_id}
    duty: dict[int, list[Assignment]] = {pk: [] for pk in supervisors}
    for assignment in Assignment.objects.unended().filter(person__in=supervisors).order_by("pk"):
        duty[assignment.person_id].append(assignment)
    editions = _editions_of(tables, now)
    breaches = [
        (table.pk, breach) for table in tables if (breach := _supervisor_breach(table, duty, editions))
    ]
    for pk in sorted(supervisors):
        breaches += _span_breaches(
            [table for table in tables if table.floorperson_id == pk], duty[pk], editions
        )
    return sorted(breaches, key=lambda breach: breach[0])


def _supervisor_breach(
    table: Table, duty: Mapping[int, list[Assignment]], editions: Mapping[int, Edition]
) -> Refusal | None:
    """The breach of a table without a floorperson on duty, if it is one."""
    section = span_section(editions.get(table.pk))
    person = table.floorperson
    if person is None:
        return Refusal(UNSUPERVISED, section, table=table.code)
    if _supervises(person) and covers(duty[person.pk], table):
        return None
    return Refusal(SUPERVISOR_OFF_DUTY, section, person=person.name, table=table.code)


def _span_breaches(
    tables: list[Table], duty: list[Assignment], editions: Mapping[int, Edition]
) -> list[tuple[int, Refusal]]:
    """A breach for each table of one floorperson whose edition forbids this set."""
    supervised, person = _supervised_tables(tables, duty, editions), tables[0].floorperson
    assert person is not None
    return [
        (
            table.table_id,
            Refusal(SPAN_EXCEEDED, span_section(table.edition), **_span_params(person, supervised)),
        )
        for table in _forbidding(supervised)
        if table.table_id
    ]


SPAN_TICKS = 5
BREACHES = {code: code for code in (UNSUPERVISED, SUPERVISOR_OFF_DUTY, SPAN_EXCEEDED)}  # as alerts store them


def _describe_breach(params: Mapping[str, Any]) -> tuple[str, str]:
    refusal = Refusal(
        BREACHES[params["breach"]], **{name: value for name, value in params.items() if name != "breach"}
    )
    return sentences.title(refusal), sentences.say(refusal)


BROKEN_SPAN = AlertKind(
    "span",
    "span:{breach}",
    Level.WARN,
    "Floorperson's span",
    "Supervision",
    describe=_describe_breach,
)


def broken_spans(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return tables without a supervisor on duty, and tables that break their supervisor's span."""
    return [
        BROKEN_SPAN.expected(pk, section=breach.section, breach=breach.code, **breach.params)
        for pk, breach in breaches(now, table_id)
    ]


alert_rule(AlertRule((BROKEN_SPAN,), broken_spans, SPAN_TICKS))

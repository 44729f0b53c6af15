"""The posts at a table: one dealer, and at Three Dice Football two dealers and a stickperson (§ 577.9(b)).

The first post of a game's list is where its dealer stands; its last one keeps the dice or the shaker.
"""

from collections.abc import Iterable

from django.db.models import Q

from audit.models import Person
from games.engine import Refusal, Rules
from games.registry import game_by_code
from tables.core.context import TableContext
from tables.core.reads import at_work, at_work_at
from tables.models import Table

FIELDS = {"dealer": "dealer", "dealer-left": "dealer_left", "stick": "stickperson"}


def posts_of(table: Table) -> tuple[str, ...]:
    """The posts of a table's game."""
    return game_by_code(table.game).posts


def post_of(table: Table, person: Person) -> str | None:
    """The post that this person stands at here, if any."""
    return next((post for post in posts_of(table) if holder_id(table, post) == person.pk), None)


def holder(table: Table, post: str) -> Person | None:
    """Who stands at a post."""
    person: Person | None = getattr(table, FIELDS[post])
    return person


def holder_id(table: Table, post: str) -> int | None:
    """The same as a key, without a query."""
    person_id: int | None = getattr(table, f"{FIELDS[post]}_id")
    return person_id


def holder_ids(table: Table) -> list[int]:
    """Who stands at the posts of a table, as keys."""
    return [pk for post in posts_of(table) if (pk := holder_id(table, post)) is not None]


def keeper_post(table: Table) -> str:
    """The post that keeps the dice or the shaker."""
    return posts_of(table)[-1]


def post_for(table: Table, person: Person) -> str:
    """The post that a person who signs in at a tablet takes: the one held already, else a stickperson the stick and a
    dealer the first free one.
    """
    posts, own_post = posts_of(table), post_of(table, person)
    if own_post is not None:
        return own_post
    if person.role == "stickperson":
        return posts[-1]
    return next((post for post in posts[:-1] if holder_id(table, post) is None), posts[0])


def at_any_post(person: Person) -> Q:
    """The tables at which this person stands at some post."""
    return Q(dealer=person) | Q(dealer_left=person) | Q(stickperson=person)


def verify_staffed(ctx: TableContext) -> None:
    """Raises `Refusal` unless somebody on duty stands at every post of this table, and nowhere else: three dealers at
    Three Dice Football (§ 577.9(b)), elsewhere the dealer, who is responsible for the shaker. A simulated table has
    no people.
    """
    for post in empty_posts(ctx.table):
        raise Refusal("post-is-empty", staffing_section(ctx.rules), post=post, table=ctx.table.code)


def empty_posts(table: Table) -> list[str]:
    """The posts of a table where nobody on duty stands."""
    if table.kind == Table.Kind.SIMULATED:
        return []
    person_ids = [holder_id(table, post) for post in posts_of(table)]
    return _unstaffed(table, at_work(table, [pk for pk in person_ids if pk is not None]))


def empty_posts_by_table(tables: Iterable[Table]) -> dict[int, list[str]]:
    """The same of many tables that people work at, by their keys, in one statement."""
    tables = list(tables)
    there = at_work_at([table.pk for table in tables])
    return {table.pk: _unstaffed(table, there[table.pk]) for table in tables}


def _unstaffed(table: Table, there: set[int]) -> list[str]:
    """The posts of a table at which none of these people stands."""
    return [post for post in posts_of(table) if holder_id(table, post) not in there]


def unattended_shaker_section(ctx: TableContext) -> str | None:
    """The section under which nobody may leave the working shaker of this table alone, "" where the text names none or
    no rules are in force; None where it may stand alone, or there is none.

    § 625a.1(e) speaks of the manual shaker only; § 539.1(f) and New Jersey of any (A20).
    """
    if ctx.shaker is None or (ctx.deals and ctx.rules.shaker(ctx.shaker.kind).may_stand_alone):
        return None
    return ctx.rules.section("shaker-unattended") if ctx.deals else ""


def staffing_section(rules: Rules) -> str:
    """The section that wants somebody at every post of a table under these rules."""
    return rules.section("dealers") or rules.section("shaker-unattended")

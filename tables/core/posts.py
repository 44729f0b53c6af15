"""The posts at a table: one dealer; at Three Dice Football two dealers and a stickperson (§ 577.9(b)).

The first post in a game's list is the dealer's. The last one keeps the dice or the shaker.

A game says which acts belong to a post (`Game.post_acts`), and who settles which seat (`Game.settling_post`). At Three
Dice Football the stickperson has the dice and the call, and each dealer settles their own half of the table.
`verify_post` refuses the act of another post, unless its tablet is lost and its person signs here.
"""

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import get_args

from django.db.models import Q

from audit.models import Person
from games.engine import Refusal, RefusalCode, Rules
from games.engine.game import PostAct, PostCode
from games.game_acts import ActedFor
from games.params import Params
from games.registry import game_by_code
from tables.core.context import TableContext
from tables.core.duty import at_work, at_work_by_table
from tables.models import Table
from tables.words.sentences import seats_words

POST_IS_EMPTY = RefusalCode(
    "post-is-empty",
    "The post of %(post)s at %(table)s is empty. Someone on duty must sign in there first.",
    "Dealer needed",
)
ACT_OF_ANOTHER_POST = RefusalCode(
    "act-of-another-post",
    "This belongs to the %(post)s. If the tablet there is lost, say why, and have that person enter their PIN here.",
    "Another post",
)
SEATS_OF_ANOTHER_POST = RefusalCode(
    "seats-of-another-post",
    "The %(post)s, %(person)s, settles %(seats)s. If the tablet there is lost, say why, and have that person enter "
    "their PIN here.",
    "Another half",
)
NOT_AT_THAT_POST = RefusalCode(
    "not-at-that-post",
    "%(witness)s is not the %(post)s of %(table)s. The person at that post must enter their PIN.",
    "Another post",
)
TABLET_REASON_MISSING = RefusalCode(
    "tablet-reason-missing",
    "Say why the %(post)s cannot use their own tablet.",
    "Say why",
)


# Posts and the people at them


POSTS: tuple[PostCode, ...] = get_args(PostCode)
FIELDS: dict[PostCode, str] = {"dealer": "dealer", "dealer-left": "dealer_left", "stick": "stickperson"}


def posts_of(table: Table) -> tuple[PostCode, ...]:
    """The posts of a table's game."""
    return game_by_code(table.game).posts


def post_of(table: Table, person: Person) -> PostCode | None:
    """The post at which this person works here, if any."""
    return next((post for post in posts_of(table) if holder_id(table, post) == person.pk), None)


def holder(table: Table, post: PostCode) -> Person | None:
    """The person at a post, if any."""
    person: Person | None = getattr(table, FIELDS[post])
    return person


def holder_id(table: Table, post: PostCode) -> int | None:
    """The id of the person at a post, without a query."""
    person_id: int | None = getattr(table, f"{FIELDS[post]}_id")
    return person_id


def holder_ids(table: Table) -> list[int]:
    """The ids of the people at the posts of a table."""
    return [pk for post in posts_of(table) if (pk := holder_id(table, post)) is not None]


def keeper_post(table: Table) -> PostCode:
    """The post that keeps the dice or the shaker."""
    return posts_of(table)[-1]


def post_for(table: Table, person: Person) -> PostCode:
    """The post for a person who signs in at a tablet.

    The post that they work already; otherwise the stick for a stickperson, and the first free dealer's post for a
    dealer.
    """
    posts, own_post = posts_of(table), post_of(table, person)
    if own_post is not None:
        return own_post
    if person.role == "stickperson":
        return posts[-1]
    return next((post for post in posts[:-1] if holder_id(table, post) is None), posts[0])


def at_any_post(person: Person) -> Q:
    """A filter for the tables at which this person works a post."""
    return Q(dealer=person) | Q(dealer_left=person) | Q(stickperson=person)


def verify_staffed(ctx: TableContext) -> None:
    """Raises `post-is-empty` unless each post has a person on duty who works at no other table.

    Three Dice Football has three posts (§ 577.9(b)); elsewhere the dealer is responsible for the shaker. A
    simulated table has no people.
    """
    _refuse_empty(ctx, empty_posts(ctx.table))


def verify_staffed_in_play(ctx: TableContext) -> None:
    """As `verify_staffed`, for an act of play: it changes nobody's post or duty, and has read them with the round.

    An act that locks duties needs `verify_staffed`, which reads them after the lock.
    """
    if ctx.table.kind == Table.Kind.SIMULATED or not ctx.play.holders.issuperset(holder_ids(ctx.table)):
        verify_staffed(ctx)
    else:
        _refuse_empty(ctx, _unstaffed(ctx.table, ctx.play.at_work))


def _refuse_empty(ctx: TableContext, empty: list[PostCode]) -> None:
    for post in empty:
        raise Refusal(POST_IS_EMPTY, staffing_section(ctx.rules), post=post, table=ctx.table.code)


def empty_posts(table: Table) -> list[PostCode]:
    """The posts of a table without a person on duty."""
    if table.kind == Table.Kind.SIMULATED:
        return []
    person_ids = [holder_id(table, post) for post in posts_of(table)]
    return _unstaffed(table, at_work(table, [pk for pk in person_ids if pk is not None]))


def empty_posts_by_table(tables: Iterable[Table]) -> dict[int, list[PostCode]]:
    """The empty posts of many tables, by table id, in one statement. None of the tables is simulated."""
    tables = list(tables)
    at_work_ids = at_work_by_table([table.pk for table in tables])
    return {table.pk: _unstaffed(table, at_work_ids[table.pk]) for table in tables}


def _unstaffed(table: Table, person_ids: AbstractSet[int]) -> list[PostCode]:
    """The posts of a table held by none of these people (ids)."""
    return [post for post in posts_of(table) if holder_id(table, post) not in person_ids]


def unattended_shaker_section(ctx: TableContext) -> str | None:
    """The section that forbids to leave this table's working shaker alone.

    Empty if the text names no section or no rules are in force; None if the shaker may be left alone, or there is
    none. § 625a.1(e) covers the manual shaker only; § 539.1(f) and New Jersey cover every kind (A20).
    """
    if ctx.shaker is None or (ctx.deals and ctx.rules.shaker(ctx.shaker.kind).may_stand_alone):
        return None
    return ctx.rules.section("shaker-unattended") if ctx.deals else ""


def staffing_section(rules: Rules) -> str:
    """The section that requires a person at each post under these rules."""
    return rules.section("dealers") or rules.section("shaker-unattended")


# Acts of a post


POST_NAMES: dict[PostCode, str] = {
    "dealer": "dealer on the right",
    "dealer-left": "dealer on the left",
    "stick": "stickperson",
}


def verify_post(ctx: TableContext, act: str, params: Params) -> ActedFor | None:
    """Refuse an act that belongs to a post of this table at which the person does not work.

    Where that post's own tablet is lost (`tablet_lost` says why), the person at the post signs on another one with
    their PIN. Return whom the act was done for then, as the entry says it. `ctx.post` is the post of the act from here
    on. A simulated table has no people.

    Raises `act-of-another-post`, `not-at-that-post` or `tablet-reason-missing`, or what `posts.verify_staffed` raises.
    """
    needed = game_by_code(ctx.table.game).post_acts.get(act)
    if needed is None or ctx.table.kind == Table.Kind.SIMULATED:
        return None
    reason, witness = params.text("tablet_lost", default=""), ctx.witness
    own_post = post_of(ctx.table, ctx.actor) if ctx.actor else None
    if own_post in needed.posts and not reason:
        ctx.post = own_post
        return None
    verify_staffed(ctx)
    if witness is None:
        people = [f"{POST_NAMES[post]}, {_holder_name(ctx, post)}" for post in needed.posts]
        raise Refusal(ACT_OF_ANOTHER_POST, _section_of_act(ctx, needed), post=" or the ".join(people))
    post = post_of(ctx.table, witness)
    if post is None or post not in needed.posts:
        names = " or ".join(POST_NAMES[code] for code in needed.posts)
        section = _section_of_act(ctx, needed)
        raise Refusal(NOT_AT_THAT_POST, section, witness=witness.name, post=names, table=ctx.table.code)
    if not reason:
        raise Refusal(TABLET_REASON_MISSING, _section_of_act(ctx, needed), post=POST_NAMES[post])
    ctx.post = post
    return {"post": post, "person": witness.code, "reason": reason}


def seats_to_settle(ctx: TableContext, seats: Iterable[int], unsettled: Iterable[int]) -> tuple[int, ...]:
    """Return the seats that an act settles: those named, or without a name all unsettled ones of its post.

    Raises `seats-of-another-post` for a seat that another post settles.
    """
    seats, game = tuple(seats), game_by_code(ctx.table.game)
    if ctx.post is None:
        return seats or tuple(unsettled)
    for post in game.posts:
        others = [seat for seat in seats if game.settling_post(seat) == post != ctx.post]
        if others:
            verify_staffed(ctx)
            raise Refusal(
                SEATS_OF_ANOTHER_POST,
                _section_of_act(ctx, game.post_acts["settle_seats"]),
                seats=seats_words(others),
                post=POST_NAMES[post],
                person=_holder_name(ctx, post),
            )
    return seats or tuple(seat for seat in unsettled if game.settling_post(seat) == ctx.post)


def _holder_name(ctx: TableContext, post: PostCode) -> str:
    person = holder(ctx.table, post)
    return person.name if person else ""


def _section_of_act(ctx: TableContext, needed: PostAct) -> str:
    return ctx.rules.section(needed.duty) if ctx.deals else ""

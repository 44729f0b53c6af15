"""Which post of a table an act belongs to, and who acts for a post whose tablet is lost.

A game says which acts belong to a post (`Game.post_acts`), and who settles which seat (`Game.settling_post`). At Three
Dice Football the stickperson has the dice and the call, and each dealer settles their own half of the table.
"""

from collections.abc import Iterable

from games.engine import Refusal
from games.engine.game import PostAct, PostCode
from games.game_acts import ActedFor
from games.params import Params
from games.registry import game_by_code
from tables.core import posts
from tables.core.context import TableContext
from tables.core.refusals import (
    ACT_OF_ANOTHER_POST,
    NOT_AT_THAT_POST,
    SEATS_OF_ANOTHER_POST,
    TABLET_REASON_MISSING,
)
from tables.models import Table
from tables.words.sentences import seats_words

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
    own_post = posts.post_of(ctx.table, ctx.actor) if ctx.actor else None
    if own_post in needed.posts and not reason:
        ctx.post = own_post
        return None
    posts.verify_staffed(ctx)
    if witness is None:
        people = [f"{POST_NAMES[post]}, {_holder_name(ctx, post)}" for post in needed.posts]
        raise Refusal(ACT_OF_ANOTHER_POST, _section(ctx, needed), post=" or the ".join(people))
    post = posts.post_of(ctx.table, witness)
    if post is None or post not in needed.posts:
        names = " or ".join(POST_NAMES[code] for code in needed.posts)
        section = _section(ctx, needed)
        raise Refusal(NOT_AT_THAT_POST, section, witness=witness.name, post=names, table=ctx.table.code)
    if not reason:
        raise Refusal(TABLET_REASON_MISSING, _section(ctx, needed), post=POST_NAMES[post])
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
            posts.verify_staffed(ctx)
            raise Refusal(
                SEATS_OF_ANOTHER_POST,
                _section(ctx, game.post_acts["settle_seats"]),
                seats=seats_words(others),
                post=POST_NAMES[post],
                person=_holder_name(ctx, post),
            )
    return seats or tuple(seat for seat in unsettled if game.settling_post(seat) == ctx.post)


def _holder_name(ctx: TableContext, post: PostCode) -> str:
    holder = posts.holder(ctx.table, post)
    return holder.name if holder else ""


def _section(ctx: TableContext, needed: PostAct) -> str:
    return ctx.rules.section(needed.duty) if ctx.deals else ""

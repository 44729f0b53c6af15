"""Who deals: taking a post at the table over, which takes the shaker too, and leaving it."""

from audit.models import Person
from games.engine import Refusal
from games.facility_runner import Forbidden
from games.params import Params
from tables.core.context import TableContext
from tables.core.duty import covers, locked_duty
from tables.core.permissions import DEALERS
from tables.models import Qualification, Table
from tables.runner.table import ActOutcome, act
from tables.staffing import posts


@act(roles=DEALERS, depends_on="nothing")
def take_over_table(ctx: TableContext, params: Params) -> ActOutcome:
    """The person signed in here works a post of this table from now on; relief in mid-round is this.

    Without a `post` it is the one that `posts.for_person` says. Whoever takes the keeper's post is responsible for
    the shaker or the dice. At a live table the person is trained for its game. Two who stand at posts of a table in
    play change places, so that none is empty.
    """
    actor = ctx.actor
    assert actor is not None
    post = params.choice("post", tuple(posts.FIELDS), default=posts.post_for(ctx.table, actor))
    verify_post(ctx, actor, post)
    verify_free_to_deal(ctx, actor)
    before = posts.holder(ctx.table, post)
    if before is not None and before.pk == actor.pk:
        raise Refusal("already-dealing", dealer=before.name)
    verify_qualified(ctx, actor)
    post_left = posts.post_of(ctx.table, actor)
    follows = successor(ctx, post_left, before)
    ctx.change_table(
        **({posts.FIELDS[post_left]: follows} if post_left else {}), **{posts.FIELDS[post]: actor}
    )
    if "dealer" in (post, post_left):
        ctx.change_table(dealer_since=ctx.now)
    keeps = post == posts.keeper_post(ctx.table)
    data = {
        "dealer": actor.code,
        "relieves": before.code if before else None,
        "takes_shaker": ctx.shaker.code if keeps and ctx.shaker else None,
        "round": ctx.round and ctx.round.number,
    }
    if len(posts.posts_of(ctx.table)) > 1:
        data |= {"post": post, "leaves_post": post_left, "follows": follows.code if follows else None}
    return ActOutcome("dealer.relieved" if before else "dealer.began", data, changes="nothing")


@act(roles=DEALERS, depends_on="nothing")
def leave_table(ctx: TableContext, params: Params) -> ActOutcome:
    """Leaves without relief: at a closed table, or where nothing would be left unattended and no post may be empty."""
    assert ctx.actor is not None
    post = posts.post_of(ctx.table, ctx.actor)
    if post is None:
        raise Refusal("not-dealing", table=ctx.table.code)
    if ctx.table.status != Table.Status.CLOSED:
        verify_may_leave(ctx, post)
    ctx.change_table(**{posts.FIELDS[post]: None}, **({"dealer_since": None} if post == "dealer" else {}))
    data = {"dealer": ctx.actor.code}
    if len(posts.posts_of(ctx.table)) > 1:
        data["post"] = post
    return ActOutcome("dealer.left", data, changes="nothing")


def successor(ctx: TableContext, post_left: str | None, before: Person | None) -> Person | None:
    """Who takes the post that somebody leaves for another at the same table: at a table in play whoever is relieved
    there, if their role works it. Raises `Refusal` when the post would stay empty.
    """
    if post_left is None or ctx.table.status == Table.Status.CLOSED:
        return None
    if before is None:
        verify_may_leave(ctx, post_left)
        return None
    verify_post(ctx, before, post_left)
    return before


def verify_post(ctx: TableContext, person: Person, post: str) -> None:
    """Raises `Refusal` for a post that this table has not, or that this person's role does not work."""
    if post not in posts.posts_of(ctx.table):
        raise Refusal("no-such-post", table=ctx.table.code)
    if person.role == "stickperson" and post != "stick":
        raise Refusal("post-of-another")


def verify_qualified(ctx: TableContext, person: Person) -> None:
    """Raises `not-qualified` at a live table unless a training for its game is on file and in effect today, by the
    facility's clocks. A training table takes anybody assigned.
    """
    table = ctx.table
    if table.kind != Table.Kind.LIVE:
        return
    today = table.facility.local(ctx.now).date()
    filed = Qualification.objects.in_effect(today)
    if not filed.filter(person=person, game=table.game).exists():
        section = ctx.rules.section("qualified") if ctx.deals else ""
        raise Refusal("not-qualified", section, person=person.name, game=table.game)


def verify_free_to_deal(ctx: TableContext, person: Person) -> None:
    """Raises `Refusal` unless the person is on duty here and stands at no other table in play: one who may leave it
    does so first, any other is relieved there.

    The assignments are locked, so that nobody takes two tables at once, or one while the duty ends.
    """
    if not covers(locked_duty(person), ctx.table):
        raise Forbidden("not-assigned", table=ctx.table.code)
    works = Table.objects.select_related("stream", "facility").filter(posts.at_any_post(person))
    in_play = works.exclude(pk=ctx.table.pk).exclude(status=Table.Status.CLOSED)
    for table in in_play.order_by("pk"):
        post = posts.post_of(table, person) or posts.keeper_post(table)
        verify_may_leave(TableContext(table, person, ctx.device, None, ctx.now), post)
        raise Refusal("at-another-table", person=person.name, table=table.code)


def verify_may_leave(ctx: TableContext, post: str) -> None:
    """Raises `Refusal` when nobody may leave this post of a table in play without relief.

    Where a game has several posts each is kept as long as the table is open: three dealers (§ 577.9(b)).
    """
    if len(posts.posts_of(ctx.table)) > 1:
        section = ctx.rules.section("dealers") if ctx.deals else ""
        raise Refusal("post-left-empty", section, post=post, table=ctx.table.code)
    verify_nothing_unattended(ctx, post)


def verify_nothing_unattended(ctx: TableContext, post: str) -> None:
    """Raises `Refusal` when a round, or a shaker that this edition lets nobody leave, would lose its keeper."""
    if post != posts.keeper_post(ctx.table):
        return
    section = posts.unattended_shaker_section(ctx)
    if section is not None and ctx.shaker is not None:
        raise Refusal("shaker-left-unattended", section, shaker=ctx.shaker.code)
    if ctx.round is not None:
        raise Refusal("round-in-play", round=ctx.round.number)

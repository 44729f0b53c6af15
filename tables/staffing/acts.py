"""Acts at the posts of a table: a dealer takes one over, with its shaker, or leaves it; the floor sends a relief."""

from audit.models import Person
from games.engine import Refusal
from games.engine.game import PostCode
from games.facility_runner import Forbidden
from games.params import Params
from tables.core import posts
from tables.core.context import TableContext
from tables.core.duty import covers, lock_duty_of, locked_duty
from tables.core.permissions import DEALERS, FLOOR
from tables.core.refusals import NOT_ASSIGNED, ROUND_IN_PLAY
from tables.models import Qualification, Table
from tables.runner.table import ActOutcome, act, act_without_post
from tables.staffing.breaks import begin_work, end_work
from tables.staffing.entry_types import DEALER_BEGAN, DEALER_LEFT, DEALER_RELIEVED, DealerLeft, PostTaken
from tables.staffing.planned_moves import end_moves_to_posts
from tables.staffing.refusals import (
    ALREADY_DEALING,
    AT_ANOTHER_TABLE,
    NEEDED_AT_ANOTHER_TABLE,
    NO_SUCH_POST,
    NOT_DEALING,
    NOT_QUALIFIED,
    POST_LEFT_EMPTY,
    POST_OF_ANOTHER,
    RELIEF_MUST_SIGN,
    SHAKER_LEFT_UNATTENDED,
)


@act(roles=DEALERS, depends_on="nothing")
@act_without_post
def take_over_table(ctx: TableContext, params: Params) -> ActOutcome:
    """Put the signed-in person at a post of this table. A relief in mid-round is the same act.

    Without `post` the post is that of `posts.post_for`. The person who takes the keeper's post is responsible for
    the shaker or the dice. A live table needs a person trained for its game. Two people at posts of the same open table
    swap, so that no post is left empty.
    """
    assert ctx.actor is not None
    return _take_post(ctx, ctx.actor, params)


@act(roles=FLOOR, witness=True, depends_on="nothing")
def relieve_dealer(ctx: TableContext, params: Params) -> ActOutcome:
    """Put the dealer who signs at a post of this table: the floor sends them, and they take it with their own PIN.

    It is `take_over_table` from another device than the tablet, with the same checks. Raises `relief-must-sign`.
    """
    if ctx.witness is None or ctx.witness.role not in DEALERS:
        raise Refusal(RELIEF_MUST_SIGN)
    return _take_post(ctx, ctx.witness, params)


def _take_post(ctx: TableContext, dealer: Person, params: Params) -> ActOutcome:
    """Put a dealer, who acts or signs, at a post of this table, and the dealer who was there off it."""
    assert ctx.actor is not None
    post = params.choice("post", posts.POSTS, default=posts.post_for(ctx.table, dealer))
    verify_post(ctx, dealer, post)
    relieved = posts.holder(ctx.table, post)
    lock_duty_of([dealer.pk] if relieved is None else [dealer.pk, relieved.pk])
    verify_free_to_deal(ctx, dealer)
    if relieved is not None and relieved.pk == dealer.pk:
        raise Refusal(ALREADY_DEALING, dealer=relieved.name)
    verify_qualified(ctx, dealer)
    post_left = posts.post_of(ctx.table, dealer)
    successor_person = successor(ctx, post_left, relieved)
    ctx.change_table(
        **({posts.FIELDS[post_left]: successor_person} if post_left else {}), **{posts.FIELDS[post]: dealer}
    )
    if relieved is not None:
        end_work(ctx, relieved, post)
    if post_left is not None:
        end_work(ctx, dealer, post_left)
    begin_work(ctx, dealer, post)
    if post_left is not None and successor_person is not None:
        begin_work(ctx, successor_person, post_left)
    is_keeper = post == posts.keeper_post(ctx.table)
    data: PostTaken = {
        "dealer": dealer.code,
        "takes_shaker": ctx.shaker.code if is_keeper and ctx.shaker else None,
        "round": ctx.round.number if ctx.round else None,
    }
    if len(posts.posts_of(ctx.table)) > 1:
        data["post"] = post
        data["leaves_post"] = post_left
        data["follows"] = successor_person.code if successor_person else None
    if dealer.pk != ctx.actor.pk:
        data["sent_by"] = ctx.actor.code
    moves = end_moves_to_posts(
        ctx.table, _new_holders(dealer, post, post_left, successor_person), ctx.actor, ctx.now
    )
    if moves:
        data["planned_moves"] = moves
    entry = (
        DEALER_RELIEVED({**data, "relieves": relieved.code})
        if relieved
        else DEALER_BEGAN({**data, "relieves": None})
    )
    return ActOutcome(entry, changes="nothing")


def _new_holders(
    dealer: Person, post: PostCode, post_left: PostCode | None, successor_person: Person | None
) -> dict[PostCode, Person]:
    """The posts that got another person, and who is there now."""
    holders = {post: dealer}
    if post_left is not None and successor_person is not None:
        holders[post_left] = successor_person
    return holders


@act(roles=DEALERS, depends_on="nothing")
@act_without_post
def leave_table(ctx: TableContext) -> ActOutcome:
    """Leave a post without relief: at a closed table, or where no post may become empty and nothing is left
    unattended.
    """
    assert ctx.actor is not None
    post = posts.post_of(ctx.table, ctx.actor)
    if post is None:
        raise Refusal(NOT_DEALING, table=ctx.table.code)
    if ctx.table.status != Table.Status.CLOSED:
        verify_may_leave(ctx, post)
    lock_duty_of([ctx.actor.pk])
    ctx.change_table(**{posts.FIELDS[post]: None})
    end_work(ctx, ctx.actor, post)
    data: DealerLeft = {"dealer": ctx.actor.code}
    if len(posts.posts_of(ctx.table)) > 1:
        data["post"] = post
    return ActOutcome(DEALER_LEFT(data), changes="nothing")


def successor(ctx: TableContext, post_left: PostCode | None, before: Person | None) -> Person | None:
    """The person who takes the post that somebody leaves for another at the same open table.

    That is the person relieved there, if their role fits. Raises `Refusal` if the post would become empty.
    """
    if post_left is None or ctx.table.status == Table.Status.CLOSED:
        return None
    if before is None:
        verify_may_leave(ctx, post_left)
        return None
    verify_post(ctx, before, post_left)
    return before


def verify_post(ctx: TableContext, person: Person, post: str) -> None:
    """Raises `no-such-post`, or `post-of-another` for a post that this person's role does not work."""
    if post not in posts.posts_of(ctx.table):
        raise Refusal(NO_SUCH_POST, table=ctx.table.code)
    if person.role == "stickperson" and post != "stick":
        raise Refusal(POST_OF_ANOTHER)


def verify_qualified(ctx: TableContext, person: Person) -> None:
    """Raises `not-qualified` at a live table unless the person has a training for its game in effect today.

    Today is the facility's local day. A training table takes anybody who is assigned.
    """
    table = ctx.table
    if table.kind != Table.Kind.LIVE:
        return
    today = table.facility.local(ctx.now).date()
    trainings = Qualification.objects.in_effect(today)
    if not trainings.filter(person=person, game=table.game).exists():
        section = ctx.rules.section("qualified") if ctx.deals else ""
        raise Refusal(NOT_QUALIFIED, section, person=person.name, game=table.game)


def verify_free_to_deal(ctx: TableContext, person: Person) -> None:
    """Refuse a person who is not on duty here, or who works a post of another open table.

    Raises `Forbidden`, `at-another-table` for a person who may leave the other table, or `needed-at-another-table`
    with the section that requires a relief there. Locks the person's assignments, so that nobody takes two tables at
    once, or one while the duty ends.
    """
    if not covers(locked_duty(person), ctx.table):
        raise Forbidden(NOT_ASSIGNED, table=ctx.table.code)
    tables = Table.objects.select_related("stream", "facility").filter(posts.at_any_post(person))
    in_play = tables.exclude(pk=ctx.table.pk).exclude(status=Table.Status.CLOSED)
    for table in in_play.order_by("pk"):
        post = posts.post_of(table, person) or posts.keeper_post(table)
        try:
            verify_may_leave(TableContext(table, person, ctx.device, None, ctx.now), post)
        except Refusal as refusal:
            raise Refusal(
                NEEDED_AT_ANOTHER_TABLE, refusal.section, person=person.name, table=table.code
            ) from refusal
        raise Refusal(AT_ANOTHER_TABLE, person=person.name, table=table.code)


def verify_may_leave(ctx: TableContext, post: str) -> None:
    """Refuse to leave a post of an open table that needs a relief.

    A game with several posts keeps each of them staffed while the table is open: three dealers (§ 577.9(b)). Raises
    `post-left-empty`, `shaker-left-unattended` or `round-in-play`.
    """
    if len(posts.posts_of(ctx.table)) > 1:
        section = ctx.rules.section("dealers") if ctx.deals else ""
        raise Refusal(POST_LEFT_EMPTY, section, post=post, table=ctx.table.code)
    verify_nothing_unattended(ctx, post)


def verify_nothing_unattended(ctx: TableContext, post: str) -> None:
    """Refuse if a live round, or a shaker that must be attended, would lose its keeper.

    Raises `shaker-left-unattended` or `round-in-play`.
    """
    if post != posts.keeper_post(ctx.table):
        return
    section = posts.unattended_shaker_section(ctx)
    if section is not None and ctx.shaker is not None:
        raise Refusal(SHAKER_LEFT_UNATTENDED, section, shaker=ctx.shaker.code)
    if ctx.round is not None:
        raise Refusal(ROUND_IN_PLAY, round=ctx.round.number)

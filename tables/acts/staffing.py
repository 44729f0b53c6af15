"""Who deals: taking a post at the table over, which takes the shaker too, and leaving it."""

from audit.models import Person
from games.engine import Refusal

from .. import posts
from ..at_table import AtTable
from ..models import Table
from ..params import Params
from ..permissions import DEALERS
from ..road import Recorded, act


@act(roles=DEALERS, depends_on="nothing")
def take_over_table(at: AtTable, params: Params) -> Recorded:
    """The person signed in here works a post of this table from now on; relief in mid-round is this.

    Without a `post` it is the one that `posts.for_person` says. Whoever takes the keeper's post is responsible for
    the shaker or the dice.
    """
    actor = at.actor
    assert actor is not None
    post = params.choice("post", tuple(posts.FIELDS), default=posts.for_person(at.table, actor))
    verify_post(at, actor, post)
    before = posts.holder(at.table, post)
    if before is not None and before.pk == actor.pk:
        raise Refusal("already-dealing", dealer=before.name)
    verify_nothing_left_elsewhere(at)
    left = posts.held_by(at.table, actor)
    if left is not None and at.table.status != Table.Status.CLOSED:
        verify_nothing_left_alone(at, left)
    at.change_table(**({posts.FIELDS[left]: None} if left else {}), **{posts.FIELDS[post]: actor})
    if post == "dealer":
        at.change_table(dealer_since=at.now)
    keeps = post == posts.keeper(at.table)
    data = {
        "dealer": actor.code,
        "relieves": before.code if before else None,
        "takes_shaker": at.shaker.code if keeps and at.shaker else None,
        "round": at.round and at.round.number,
    }
    if len(posts.of(at.table)) > 1:
        data |= {"post": post, "leaves_post": left}
    return Recorded("dealer.relieved" if before else "dealer.began", data, changes="nothing")


@act(roles=DEALERS, depends_on="nothing")
def leave_table(at: AtTable, params: Params) -> Recorded:
    """Leaves without relief: at a closed table, or where nothing would be left unattended."""
    assert at.actor is not None
    post = posts.held_by(at.table, at.actor)
    if post is None:
        raise Refusal("not-dealing", table=at.table.code)
    if at.table.status != Table.Status.CLOSED:
        verify_nothing_left_alone(at, post)
    at.change_table(**{posts.FIELDS[post]: None}, **({"dealer_since": None} if post == "dealer" else {}))
    data = {"dealer": at.actor.code}
    if len(posts.of(at.table)) > 1:
        data["post"] = post
    return Recorded("dealer.left", data, changes="nothing")


def verify_post(at: AtTable, person: Person, post: str) -> None:
    """Raises `Refusal` for a post that this table has not, or that this person's role does not work."""
    if post not in posts.of(at.table):
        raise Refusal("no-such-post", table=at.table.code)
    if person.role == "stickperson" and post != "stick":
        raise Refusal("post-of-another")


def verify_nothing_left_elsewhere(at: AtTable) -> None:
    """Raises `Refusal` when the person would walk away from a table that may not be left without relief."""
    assert at.actor is not None
    works = Table.objects.select_related("stream", "facility").filter(posts.anywhere(at.actor))
    for table in works.exclude(pk=at.table.pk).exclude(status=Table.Status.CLOSED):
        there = AtTable(table, at.actor, at.device, None, at.now)
        verify_nothing_left_alone(there, posts.held_by(table, at.actor) or posts.keeper(table))


def verify_nothing_left_alone(at: AtTable, post: str) -> None:
    """Raises `Refusal` when a round, or a shaker that this edition lets nobody leave, would lose its keeper.

    § 625a.1(e) speaks of the manual shaker only; § 539.1(f) and New Jersey of any (A20).
    """
    if post != posts.keeper(at.table):
        return
    shaker = at.shaker
    if shaker is not None and not at.rules.shaker(shaker.kind).may_stand_alone:
        raise Refusal("shaker-left-unattended", at.rules.section("shaker-unattended"), shaker=shaker.code)
    if at.round is not None:
        raise Refusal("round-in-play", round=at.round.number)

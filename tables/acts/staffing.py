"""Who deals: taking the table over, which takes the shaker too, and leaving it."""

from games.engine import Refusal

from ..at_table import AtTable
from ..models import Table
from ..params import Params
from ..permissions import DEALERS
from ..road import Recorded, act


@act(roles=DEALERS, depends_on="nothing")
def take_over_table(at: AtTable, params: Params) -> Recorded:
    """The dealer signed in here deals from now on and is responsible for the shaker; relief in mid-round is this."""
    assert at.actor is not None
    before = at.table.dealer
    if before is not None and before.pk == at.actor.pk:
        raise Refusal("already-dealing", dealer=before.name)
    verify_nothing_left_elsewhere(at)
    at.change_table(dealer=at.actor, dealer_since=at.now)
    return Recorded(
        "dealer.relieved" if before else "dealer.began",
        {
            "dealer": at.actor.code,
            "relieves": before.code if before else None,
            "takes_shaker": at.shaker and at.shaker.code,
            "round": at.round and at.round.number,
        },
        changes="nothing",
    )


@act(roles=DEALERS, depends_on="nothing")
def leave_table(at: AtTable, params: Params) -> Recorded:
    """The dealer leaves without relief: at a closed table, or where nothing would be left unattended."""
    assert at.actor is not None
    if at.table.dealer_id != at.actor.pk:
        raise Refusal("not-dealing", table=at.table.code)
    if at.table.status != Table.Status.CLOSED:
        verify_nothing_left_alone(at)
    at.change_table(dealer=None, dealer_since=None)
    return Recorded("dealer.left", {"dealer": at.actor.code}, changes="nothing")


def verify_nothing_left_elsewhere(at: AtTable) -> None:
    """Raises `Refusal` when the dealer would walk away from a table that may not be left without relief."""
    dealing = Table.objects.select_related("stream", "facility").filter(dealer=at.actor)
    for table in dealing.exclude(pk=at.table.pk).exclude(status=Table.Status.CLOSED):
        verify_nothing_left_alone(AtTable(table, at.actor, at.device, None, at.now))


def verify_nothing_left_alone(at: AtTable) -> None:
    """Raises `Refusal` when a round, or a shaker that this edition lets nobody leave, would be left alone.

    § 625a.1(e) speaks of the manual shaker only; § 539.1(f) and New Jersey of any (A20).
    """
    shaker = at.shaker
    if shaker is not None and not at.rules.shaker(shaker.kind).may_stand_alone:
        raise Refusal("shaker-left-unattended", at.rules.section("shaker-unattended"), shaker=shaker.code)
    if at.round is not None:
        raise Refusal("round-in-play", round=at.round.number)

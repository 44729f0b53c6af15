"""A round that was settled by hand while the tablet was dead, written down afterwards by the floor."""

from dataclasses import replace

from games.engine import Refusal, RoundState

from ..at_table import AtTable
from ..models import Round, Wager
from ..params import Params
from ..permissions import FLOOR
from ..road import Recorded, act
from .rounds import settle_throw
from .wagers import Lying, read_lying, verify_seats, write_wagers


@act(roles=FLOOR)
def record_hand_settled_round(at: AtTable, params: Params) -> Recorded:
    """Records the dice and wagers of a round whose money has moved already; it ends cleared, marked by hand.

    A round in play that the dead tablet had begun is the one that is completed: its wagers become those given,
    and the record keeps what the tablet had. Refused once that round's dice were entered. Gaming may have ceased
    since: what was played was played.
    """
    lying = params.each("wagers", read_lying)
    dice, reason = params.dice(), params.text("reason")
    verify_seats(at, lying)
    if at.round is not None and at.round.last_throw:
        raise Refusal("dice-entered-already", round=at.round.number)
    if not any(one.cents for one in lying):
        raise Refusal("nothing-placed", at.rules.section("placement"))
    round_ = at.live_round(though_ceased=True)
    before = [{"seat": row.seat, "wager": row.code, "cents": row.cents} for row in at.wagers]
    state = _played(at, lying, dice or ())
    _rewrite_wagers(at, round_, lying)
    more = {"mended": {"before": before, "reason": reason}}
    return settle_throw(at, round_, state, "round.recorded_by_hand", state.settled, more=more)


def _played(at: AtTable, lying: tuple[Lying, ...], dice: tuple[int, ...]) -> RoundState:
    """The round played through by the engine, so that nothing it would refuse is written down."""
    game = at.game
    state = game.open_round(at.rules, at.round.shaker_kind if at.round else at.shaker_kind)
    state, _ = game.place_wagers(state, [(one.seat, one.wager, one.cents, one.made_in) for one in lying])
    ready = game.restore(at.rules, state.shaker, phase="ready", wagers=state.wagers)
    state, _ = game.call_dice(ready, dice)
    if state.phase == "lit":
        state, _ = game.take_losers(state)
    if state.phase == "taken":
        state, _ = game.pay_seats(state, game.unpaid_seats(state))
    state, _ = game.clear_layout(state)
    return replace(state, by_hand=True)


def _rewrite_wagers(at: AtTable, round_: Round, lying: tuple[Lying, ...]) -> None:
    """The wagers as they lay. No throw has settled the old rows yet; the record keeps what they said."""
    given = {(one.seat, one.wager) for one in lying}
    Wager.objects.filter(pk__in=[row.pk for row in at.wagers if (row.seat, row.code) not in given]).delete()
    write_wagers(at, round_, lying)
    at.wagers[:] = round_.wagers.filter(struck=False).order_by("id")

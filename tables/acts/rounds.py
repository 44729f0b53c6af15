"""The round as the edition orders it: no more bets, shake, dice, take, pay, clear; no roll and void."""

from typing import Any

from games.engine import Refusal
from games.engine.rounds import RoundState
from games.engine.settlement import Settled

from ..at_table import AtTable
from ..models import Round, Settlement, Throw
from ..params import Params
from ..permissions import AT_THE_TABLE, FLOOR
from ..road import Recorded, act


@act(roles=AT_THE_TABLE)
def no_more_bets(at: AtTable, params: Params) -> Recorded:
    """Announces no more bets; from here on wagers are refused."""
    round_ = at.live_round()
    state, _ = at.game.no_more_bets(at.state)
    advance(at, state)
    return Recorded(
        "bets.closed",
        {"round": round_.number, "wagered_cents": round_.wagered_cents},
        _answer(round_),
        "phase",
    )


@act(roles=AT_THE_TABLE)
def shake(at: AtTable, params: Params) -> Recorded:
    """Attests at least three shakes of a manual shaker, or who activated an automated one (dealer, or a seat)."""
    shakes = params.whole("shakes", 0, 99, default=0)
    seat = params.whole("activated_by_seat", 0, 64, default=0)
    round_ = at.live_round()
    at.verify_dice_in_time()
    state, _ = at.game.shake(at.state, times=shakes or 1, by_seat=seat or None)
    advance(at, state)
    data = {"round": round_.number, "lot": at.lot and at.lot.code, "shaker": at.shaker and at.shaker.code}
    return Recorded(
        "dice.shaken", {**data, "shakes": shakes, "activated_by_seat": seat}, _answer(round_), "phase"
    )


@act(roles=AT_THE_TABLE)
def call_dice(at: AtTable, params: Params) -> Recorded:
    """Records the shaker uncovered and the dice announced, enters them, lights the layout and settles every wager."""
    dice = params.dice()
    round_ = verify_live(at)
    state, _ = at.game.call_dice(at.state, dice or ())
    return settle_throw(at, round_, state, "round.settled", state.settled)


@act(roles=AT_THE_TABLE)
def call_no_roll(at: AtTable, params: Params) -> Recorded:
    """Calls a no roll: the round ends and every wager is returned (A12, A44)."""
    reason = params.text("reason")
    round_ = verify_live(at)
    state, called = at.game.call_no_roll(at.state)
    return settle_throw(at, round_, state, "round.no_roll", called.settled, reason=reason)


@act(roles=AT_THE_TABLE, witness=True)
def void_round(at: AtTable, params: Params) -> Recorded:
    """The house voids a round before its dice are entered: every wager is returned (A47). The floor signs."""
    reason = params.text("reason")
    round_ = verify_live(at)
    verify_signed_by_floor(at)
    state, voided = at.game.void_round(at.state, reason)
    return settle_throw(at, round_, state, "round.voided", voided.settled, reason=reason)


@act(roles=AT_THE_TABLE)
def take_losers(at: AtTable, params: Params) -> Recorded:
    """Losing wagers collected, all of them, before any winner is paid."""
    round_ = verify_live(at)
    state, _ = at.game.take_losers(at.state)
    advance(at, state)
    return Recorded(
        "losers.taken", {"round": round_.number, "taken_cents": round_.taken_cents}, _answer(round_), "phase"
    )


@act(roles=AT_THE_TABLE)
def pay_seats(at: AtTable, params: Params) -> Recorded:
    """Winners paid: the seats named, or all that are left.

    A payment moves the phase only when it is the last one, so that two may be under way at once; a list that was
    mended since it was shown is stale.
    """
    seats = params.whole_numbers("seats")
    round_ = verify_live(at)
    state, paid = at.game.pay_seats(at.state, seats or at.game.unpaid_seats(at.state))
    changes = "nothing" if state.phase == at.state.phase else "phase"
    advance(at, state, paid_seats=sorted(state.paid_seats))
    cents = sum(one.paid_cents for one in paid.settled)
    data = {"round": round_.number, "seats": list(paid.seats), "paid_cents": cents}
    return Recorded("winners.paid", data, _answer(round_), changes)


@act(roles=AT_THE_TABLE)
def clear_layout(at: AtTable, params: Params) -> Recorded:
    """Clears the lit combinations, which ends the round."""
    round_ = verify_live(at)
    state, _ = at.game.clear_layout(at.state)
    advance(at, state)
    data = {"round": round_.number, "taken_cents": round_.taken_cents, "paid_cents": round_.paid_cents}
    return Recorded("layout.cleared", data, _answer(round_))


def verify_live(at: AtTable) -> Round:
    """The round in play. Raises `Refusal` when there is none."""
    if at.round is None:
        at.verify_open()
        raise Refusal("no-round")
    return at.round


def verify_signed_by_floor(at: AtTable) -> None:
    """Raises `Refusal` unless a floorperson or above acts, or signed in as the second person."""
    signers = [person for person in (at.actor, at.witness) if person is not None and person.role in FLOOR]
    if not signers:
        raise Refusal("floorperson-must-sign")


def advance(at: AtTable, state: RoundState, **values: Any) -> None:
    """The round's new phase, and its end when it has ended, with whatever else of it changed."""
    at.change_round(phase=state.phase, **values)
    if state.ended:
        at.change_round(ended_at=at.now)


def settle_throw(
    at: AtTable,
    round_: Round,
    state: RoundState,
    type_: str,
    settled: tuple[Settled, ...],
    *,
    corrects: Throw | None = None,
    reason: str = "",
    more: dict[str, Any] | None = None,
) -> Recorded:
    """Writes a throw with the settlement of every wager, and says them in the record, in the order of settlement.

    The throw is the next one of the round, or the next revision of the one that it `corrects`.
    """
    throw = Throw.objects.create(
        round=round_,
        number=corrects.number if corrects else len(at.throws) + 1,
        revision=corrects.revision + 1 if corrects else 1,
        dice=list(state.dice),
        void_reason=reason,
        lot=at.lot,
        shaker=at.shaker,
        called_at=at.now,
    )
    write_settlements(at, throw, settled)
    advance(
        at,
        state,
        last_throw=throw.number,
        by_hand=state.by_hand,
        wagered_cents=sum(one.wager.cents for one in settled),
        taken_cents=sum(one.wager.cents for one in settled if one.outcome == "lose"),
        paid_cents=sum(one.paid_cents for one in settled),
        paid_seats=sorted(state.paid_seats),
    )
    data = {**throw_data(at, round_, throw, state, settled), **(more or {})}
    return Recorded(type_, data, _answer(round_), changes="table" if round_.ended_at else "phase")


def write_settlements(at: AtTable, throw: Throw, settled: tuple[Settled, ...]) -> None:
    """One row for each settled wager. The wagers' rows are those that `at` read under the lock."""
    rows = {(wager.seat, wager.code, wager.play or None): wager.pk for wager in at.wagers}
    Settlement.objects.write(
        [
            (
                throw.pk,
                rows[one.wager.key],
                place,
                one.wager.cents,
                one.outcome,
                str(one.pays or ""),
                one.paid_cents,
                one.returned_cents,
                one.cite,
                {"code": one.why.code, "params": dict(one.why.params)},
            )
            for place, one in enumerate(settled)
        ]
    )


def throw_data(
    at: AtTable, round_: Round, throw: Throw, state: RoundState, settled: tuple[Settled, ...]
) -> dict[str, Any]:
    """What the record says of a throw; `docs/record.md` names each field."""
    return {
        "round": round_.number,
        "throw": throw.number,
        "revision": throw.revision,
        "dice": throw.dice,
        "reason": throw.void_reason,
        "lot": at.lot and at.lot.code,
        "shaker": at.shaker and at.shaker.code,
        "uncovered": state.phase != "void",
        "announced": bool(throw.dice),
        "lit": sorted(at.game.lit(state)),
        "by_hand": state.by_hand,
        "settled": [settled_data(one) for one in settled],
        "taken_cents": round_.taken_cents,
        "paid_cents": round_.paid_cents,
        "returned_cents": sum(one.returned_cents for one in settled),
    }


def settled_data(one: Settled) -> dict[str, Any]:
    """One settled wager as the record and `adjudicate` say it."""
    return {
        "seat": one.wager.seat,
        "wager": one.wager.code,
        "cents": one.wager.cents,
        "outcome": one.outcome,
        "pays": str(one.pays) if one.pays else None,
        "paid_cents": one.paid_cents,
        "returned_cents": one.returned_cents,
        "cite": one.cite,
    }


def _answer(round_: Round) -> dict[str, Any]:
    return {"round": round_.number, "phase": round_.phase}

"""The round as the edition orders it: no more bets, shake, dice, take, pay, clear; no roll and void."""

from collections.abc import Iterable, Sequence
from typing import Any

from games.engine import Refusal
from games.engine.rounds import RoundState
from games.engine.settlement import FEE, LOSE, RETURN, STEPS_A_THROW, Settled
from games.params import Params

from .. import offer
from ..alerts import Level, raise_alert
from ..at_table import AtTable
from ..models import Round, Settlement, Throw
from ..permissions import AT_THE_TABLE
from ..road import Recorded, act
from ..signatures import verify_signed_by_floor


@act(roles=AT_THE_TABLE)
def no_more_bets(at: AtTable, params: Params) -> Recorded:
    """Announces no more bets; from here on wagers are refused."""
    round_ = at.live_round()
    state, _ = at.game.no_more_bets(at.state)
    advance(at, state)
    return Recorded(
        "bets.closed",
        {"round": round_.number, "wagered_cents": round_.wagered_cents},
        answer_of(round_),
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
        "dice.shaken", {**data, "shakes": shakes, "activated_by_seat": seat}, answer_of(round_), "phase"
    )


@act(roles=AT_THE_TABLE)
def call_dice(at: AtTable, params: Params) -> Recorded:
    """Records the dice uncovered and announced, enters them, lights the layout and settles what they decide."""
    dice = params.dice()
    ruled = read_ruled(params, len(dice or ()))
    round_ = verify_live(at)
    state, _ = at.game.call_dice(at.state, dice or ())
    at.verify_as_they_lie(state.dice)
    type_ = "round.settled" if state.standing.ending else "throw.settled"
    return settle_throw(at, round_, state, type_, decided_now(state), dice=state.dice, more=ruled)


def read_ruled(params: Params, dice: int) -> dict[str, Any]:
    """How faces were found where they were not plain: `leaning`, the dice read by the face opposite to the one that
    leans (§§ 577.5(f), 675a.4(c)), and whether a face was `disputed` and decided (§ 577.5(g)).
    """
    leaning, disputed = params.whole("leaning", 0, dice, default=0), params.yes("disputed")
    return ({"leaning": leaning} if leaning else {}) | ({"disputed": True} if disputed else {})


@act(roles=AT_THE_TABLE)
def call_no_roll(at: AtTable, params: Params) -> Recorded:
    """Calls a no roll. In Sic Bo the round ends and every wager is returned (A12, A44); elsewhere wagers stand and
    the dice are thrown again (A33).
    """
    reason = params.text("reason")
    round_ = verify_live(at)
    state, called = at.game.call_no_roll(at.state, reason)
    if state.ended:
        return settle_throw(at, round_, state, "round.no_roll", called.settled, reason=reason)
    throw = write_throw(at, round_, (), reason)
    if reason == "cheating-device":
        key = f"cheating:{round_.number}:{throw.number}"
        raise_alert(at, "cheating", key, Level.WARN, called.section, round=round_.number, throw=throw.number)
    advance(at, state, last_throw=throw.number)
    data = {"round": round_.number, "throw": throw.number, "reason": reason, "section": called.section}
    data |= {"lot": at.lot and at.lot.code, "shaker": at.shaker and at.shaker.code}
    return Recorded("throw.no_roll", data, answer_of(round_), "phase")


@act(roles=AT_THE_TABLE, witness=True)
def void_round(at: AtTable, params: Params) -> Recorded:
    """The house voids a round before its dice are entered: every wager is returned (A47). The floor signs.

    Between two throws what the first one decided stands; what is still open goes back, with a fee already paid.
    """
    reason = params.text("reason")
    round_ = verify_live(at)
    verify_signed_by_floor(at)
    state, voided = at.game.void_round(at.state, reason)
    returned = tuple(one for one in voided.settled if one.outcome == RETURN)
    return settle_throw(at, round_, state, "round.voided", returned, reason=reason)


@act(roles=AT_THE_TABLE)
def take_losers(at: AtTable, params: Params) -> Recorded:
    """Losing wagers collected, all of them, before any winner is paid."""
    round_ = verify_live(at)
    state, _ = at.game.take_losers(at.state)
    advance(at, state)
    return Recorded(
        "losers.taken",
        {"round": round_.number, "taken_cents": round_.taken_cents},
        answer_of(round_),
        "phase",
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
    advance(at, state)
    cents = sum(one.paid_cents for one in paid.settled)
    data = {"round": round_.number, "seats": list(paid.seats), "paid_cents": cents}
    return Recorded("winners.paid", data, answer_of(round_), changes)


@act(roles=AT_THE_TABLE)
def settle_seats(at: AtTable, params: Params) -> Recorded:
    """Takes and pays the step under way, where a game settles in steps: the seats named, or all that are left.

    Only the last seat of a step moves the round on, so that two dealers may each settle a side at once.
    """
    seats = params.whole_numbers("seats")
    round_ = verify_live(at)
    before = at.state
    state, done = at.game.settle_seats(before, seats or at.game.unsettled_seats(before))
    moved = (state.phase, state.step) != (before.phase, before.step)
    advance(at, state)
    data = {
        "round": round_.number,
        "throw": round_.last_throw,
        "seats": list(done.seats),
        "taken_cents": sum(one.wager.cents for one in done.settled if one.outcome == LOSE),
        "paid_cents": sum(one.paid_cents for one in done.settled),
    }
    return Recorded("seats.settled", data, answer_of(round_), "phase" if moved else "nothing")


@act(roles=AT_THE_TABLE)
def clear_layout(at: AtTable, params: Params) -> Recorded:
    """Clears the lit combinations, which ends the round."""
    round_ = verify_live(at)
    state, _ = at.game.clear_layout(at.state)
    advance(at, state)
    data = {"round": round_.number, "taken_cents": round_.taken_cents, "paid_cents": round_.paid_cents}
    return Recorded("layout.cleared", data, answer_of(round_))


def verify_live(at: AtTable) -> Round:
    """The round in play. Raises `Refusal` when there is none."""
    if at.round is None:
        at.verify_open()
        raise Refusal("no-round")
    return at.round


def advance(at: AtTable, state: RoundState, **values: Any) -> None:
    """The round as it now stands, and its end when it has ended, with whatever else of it changed."""
    assert at.round is not None
    stands = {
        "phase": state.phase,
        "paid_seats": sorted(state.paid_seats),
        "step": state.step,
        "quarterback": state.quarterback,
        "offered": state.offered,
        **values,
    }
    at.change_round(**{name: value for name, value in stands.items() if getattr(at.round, name) != value})
    if state.ended:
        at.change_round(ended_at=at.now, ending=state.phase if state.returned_for else state.standing.ending)
        quarterback, offered = at.game.next_quarterback(state)
        if (quarterback, offered) != (at.table.quarterback, at.table.offered):
            at.change_table(quarterback=quarterback, offered=offered)
        offer.tell(at)


def decided_now(state: RoundState) -> tuple[Settled, ...]:
    """What the newest throw decided, and with the first one the fees that were collected before it."""
    first = STEPS_A_THROW * len(state.throws) if len(state.throws) > 1 else 0
    return tuple(one for one in state.settled if one.step >= first)


def write_throw(
    at: AtTable, round_: Round, dice: Sequence[int], reason: str = "", corrects: Throw | None = None
) -> Throw:
    """The next throw of the round, or the next revision of the one that it `corrects`, thrown with the same dice.

    With a new throw the dice that a training table's machine drew lie there no longer.
    """
    if round_.drawn and corrects is None:
        at.change_round(drawn=[])
    return Throw.objects.create(
        round=round_,
        number=corrects.number if corrects else round_.last_throw + 1,
        revision=corrects.revision + 1 if corrects else 1,
        dice=list(dice),
        void_reason=reason,
        lot=corrects.lot if corrects else at.lot,
        shaker=corrects.shaker if corrects else at.shaker,
        called_at=at.now,
    )


def settle_throw(
    at: AtTable,
    round_: Round,
    state: RoundState,
    type_: str,
    settled: tuple[Settled, ...],
    *,
    dice: Sequence[int] = (),
    corrects: Throw | None = None,
    reason: str = "",
    more: dict[str, Any] | None = None,
) -> Recorded:
    """Writes a throw with the wagers that it settles, and says them in the record, in the order of settlement.

    Without dice it is where the wagers of a void round go back.
    """
    throw = write_throw(at, round_, dice, reason, corrects)
    write_settlements(at, throw, settled)
    everything = state.settled
    advance(
        at,
        state,
        last_throw=max(round_.last_throw, throw.number),
        by_hand=state.by_hand,
        wagered_cents=sum(wager.cents for wager in state.wagers),
        taken_cents=taken_cents(everything),
        paid_cents=sum(one.paid_cents for one in everything),
    )
    data = {**throw_data(at, round_, throw, state, settled), **(more or {})}
    return Recorded(type_, data, answer_of(round_), changes="table" if round_.ended_at else "phase")


def taken_cents(settled: Iterable[Settled]) -> int:
    """What the house keeps of the stakes: lost wagers, and fees."""
    return sum(one.wager.cents for one in settled if one.outcome in (LOSE, FEE))


def write_settlements(at: AtTable, throw: Throw, settled: tuple[Settled, ...]) -> None:
    """One row for each settled wager. The wagers' rows are those that `at` read under the lock."""
    rows = {wager.key: wager.pk for wager in at.wagers}
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
        "lot": throw.lot and throw.lot.code,
        "shaker": throw.shaker and throw.shaker.code,
        "uncovered": state.phase != "void",
        "announced": bool(throw.dice),
        "called": _called(at, state) if throw.dice else None,
        "lit": sorted(at.game.lit(state)) if throw.dice else [],
        "by_hand": state.by_hand,
        "settled": [settled_data(one) for one in settled],
        "taken_cents": taken_cents(settled),
        "paid_cents": sum(one.paid_cents for one in settled),
        "returned_cents": sum(one.returned_cents for one in settled),
    }


def _called(at: AtTable, state: RoundState) -> dict[str, Any]:
    """What the throw comes to, as it is called out, by code."""
    reason = at.game.called(state.throws)
    return {"code": reason.code, **reason.params}


def settled_data(one: Settled) -> dict[str, Any]:
    """One settled wager as the record and `adjudicate` say it."""
    said = {
        "seat": one.wager.seat,
        "wager": one.wager.code,
        "cents": one.wager.cents,
        "outcome": one.outcome,
        "pays": str(one.pays) if one.pays else None,
        "paid_cents": one.paid_cents,
        "returned_cents": one.returned_cents,
        "cite": one.cite,
    }
    if one.wager.play is not None:
        said["play"] = one.wager.play
    if one.cut_cents:
        said["cut_cents"] = one.cut_cents
    return said


def answer_of(round_: Round) -> dict[str, Any]:
    """What a screen is told of an act that went on with the round."""
    return {"round": round_.number, "phase": round_.phase}

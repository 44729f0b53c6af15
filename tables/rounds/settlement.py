"""Write a throw and the wagers that it settles, as rows and as data of the record."""

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from audit.entry_types import EntryBody
from audit.rows import insert
from games.engine.settlement import FEE, LOSE, Settled
from games.engine.state import RoundState
from tables.core.context import TableContext
from tables.core.held_back import raise_of_throw
from tables.models import Round, Settlement, Throw
from tables.rounds.entry_types import Called, SettledWager, ThrowData
from tables.rounds.held import Raise, hold, hold_raises
from tables.rounds.progress import advance, round_answer
from tables.runner.table import ActOutcome


def write_throw(
    ctx: TableContext, round_: Round, dice: Sequence[int], reason: str = "", corrects: Throw | None = None
) -> Throw:
    """Write the next throw of the round, or the next revision of the one that it `corrects`, with the same dice
    lot.

    A new throw removes the dice that the machine of a training table drew.
    """
    if round_.drawn and corrects is None:
        ctx.change_round(drawn=[])
    throw = Throw(
        round=round_,
        number=corrects.number if corrects else round_.last_throw + 1,
        revision=corrects.revision + 1 if corrects else 1,
        dice=list(dice),
        void_reason=reason,
        lot=corrects.lot if corrects else ctx.lot,
        shaker=corrects.shaker if corrects else ctx.shaker,
        called_at=ctx.now,
    )
    insert(throw)
    ctx.written_throws.append(throw)
    return throw


def settle_throw(
    ctx: TableContext,
    round_: Round,
    state: RoundState,
    entry: Callable[[ThrowData], EntryBody],
    settled: tuple[Settled, ...],
    *,
    dice: Sequence[int] = (),
    corrects: Throw | None = None,
    reason: str = "",
    raised: Raise | None = None,
) -> ActOutcome:
    """Write a throw with the wagers that it settles, in the order of settlement, and return the outcome.

    `entry` makes the act's entry of the throw's data. `raised`: what it pays beside a settlement that the table saw,
    where the throw itself does not tell.

    Without dice it is the throw under which the wagers of a void round are returned.
    """
    throw = write_throw(ctx, round_, dice, reason, corrects)
    write_settlements(ctx, throw, settled)
    raised_before = raise_of_throw(round_, throw.number)
    if raised is None:
        hold_raises(ctx, round_, throw, settled)
    else:
        hold(ctx, round_, throw.number, raised)
    everything = state.settled
    advance(
        ctx,
        state,
        last_throw=max(round_.last_throw, throw.number),
        by_hand=state.manual_settlement,
        wagered_cents=sum(wager.cents for wager in state.wagers),
        taken_cents=taken_cents(everything),
        paid_cents=sum(wager.paid_cents for wager in everything),
    )
    data = throw_data(ctx, round_, throw, state, settled)
    if (raised_now := raise_of_throw(round_, throw.number)) != raised_before:
        data["raised"] = raised_now
    body = entry(data)
    return ActOutcome(body, round_answer(round_), changes="table" if round_.ended_at else "phase")


def taken_cents(settled: Iterable[Settled]) -> int:
    """What the facility keeps of the stakes: lost wagers, and fees."""
    return sum(wager.wager.cents for wager in settled if wager.outcome in (LOSE, FEE))


def write_settlements(ctx: TableContext, throw: Throw, settled: tuple[Settled, ...]) -> None:
    """Write a row for each settled wager. The wagers' rows are those that `ctx` read under the lock."""
    rows = {wager.key: wager.pk for wager in ctx.wagers}
    Settlement.objects.write(
        [
            (
                throw.pk,
                rows[wager.wager.key],
                place,
                wager.wager.cents,
                wager.outcome,
                str(wager.pays or ""),
                wager.paid_cents,
                wager.returned_cents,
                wager.cite,
                {"code": wager.why.code, "params": dict(wager.why.params)},
            )
            for place, wager in enumerate(settled)
        ]
    )


def throw_data(
    ctx: TableContext, round_: Round, throw: Throw, state: RoundState, settled: tuple[Settled, ...]
) -> ThrowData:
    """The data of the record about a throw."""
    return {
        "round": round_.number,
        "throw": throw.number,
        "revision": throw.revision,
        "dice": throw.dice,
        "reason": throw.void_reason,
        "lot": throw.lot.code if throw.lot else None,
        "shaker": throw.shaker.code if throw.shaker else None,
        "uncovered": state.phase != "void",
        "announced": bool(throw.dice),
        "called": _call_data(ctx, state) if throw.dice else None,
        "lit": sorted(ctx.game.lit_codes(state)) if throw.dice else [],
        "by_hand": state.manual_settlement,
        "settled": [settled_data(wager) for wager in settled],
        "taken_cents": taken_cents(settled),
        "paid_cents": sum(wager.paid_cents for wager in settled),
        "returned_cents": sum(wager.returned_cents for wager in settled),
    }


def _call_data(ctx: TableContext, state: RoundState) -> Called:
    """The throw as it is called out, by code."""
    reason = ctx.game.announcement(state.throws)
    return cast(Called, {"code": reason.code, **reason.params})


def settled_data(settled: Settled) -> SettledWager:
    """A settled wager as the record and `adjudicate` write it."""
    data: SettledWager = {
        "seat": settled.wager.seat,
        "wager": settled.wager.code,
        "cents": settled.wager.cents,
        "outcome": settled.outcome,
        "pays": str(settled.pays) if settled.pays else None,
        "paid_cents": settled.paid_cents,
        "returned_cents": settled.returned_cents,
        "cite": settled.cite,
    }
    if settled.wager.play is not None:
        data["play"] = settled.wager.play
    if settled.cut_cents:
        data["cut_cents"] = settled.cut_cents
    return data

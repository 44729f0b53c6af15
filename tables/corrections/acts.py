"""Mistakes, mended before money moves: until the first payment, with a floorperson's own sign-in.

Each mending is an entry of its own that keeps both values; nothing that was written before is edited.
"""

from typing import Any

from games.engine import Placing, Refusal
from games.engine.rounds import RoundState
from games.params import MOST_CENTS, Params
from tables.core.context import AtTable
from tables.core.permissions import AT_THE_TABLE
from tables.core.wager_input import MADE_IN, read_play
from tables.limits.rules import wager_flag
from tables.models import Round, Wager
from tables.rounds.progress import advance, decided_now, verify_live
from tables.rounds.seats import verify_seated
from tables.rounds.settlement import settle_throw
from tables.rules.suspensions import verify_was_dealt
from tables.runner.signatures import verify_signed_by_floor
from tables.runner.table import Recorded, act


@act(roles=AT_THE_TABLE, witness=True)
def correct_dice(at: AtTable, params: Params) -> Recorded:
    """Enters the dice again where they were entered wrongly; every wager is settled anew."""
    dice = params.dice()
    reason = params.text("reason")
    round_ = verify_mendable(at)
    before = list(at.state.dice)
    state, _ = at.game.correct_dice(at.state, dice or ())
    return resettle(
        at, round_, state, "dice.corrected", {"before": before, "after": list(dice or ()), "reason": reason}
    )


@act(roles=AT_THE_TABLE, witness=True)
def record_missed_wager(at: AtTable, params: Params) -> Recorded:
    """Writes down a wager that lay on the layout when bets closed and was not entered."""
    seat, code = params.whole("seat", 1, at.table.seats), params.text("wager")
    cents = params.whole("cents", 1, MOST_CENTS)
    made_in, play = params.choice("made_in", MADE_IN, default="chips"), read_play(params)
    reason = params.text("reason")
    round_ = verify_mendable(at)
    verify_seated(at, {seat})
    verify_was_dealt(at, code)
    state, missed = at.game.record_missed_wager(at.state, Placing(seat, code, cents, made_in, play))
    flag = wager_flag(at, code, cents)
    values = {"cents": cents, "made_in": made_in, "flag": flag, "missed": True, "struck": False}
    wager, _ = Wager.objects.update_or_create(
        round=round_, seat=seat, code=code, play=play or 0, defaults=values
    )
    at.wagers[:] = [*(row for row in at.wagers if row.pk != wager.pk), wager]
    mended = {"seat": seat, "wager": code, "before_cents": missed.before_cents, "after_cents": cents}
    mended |= {"made_in": made_in, "flag": flag} | ({"play": play} if play else {})
    return resettle(at, round_, state, "wager.missed", {**mended, "reason": reason})


@act(roles=AT_THE_TABLE, witness=True)
def strike_mistaken_wager(at: AtTable, params: Params) -> Recorded:
    """Strikes a wager that was entered and did not lie there. Its row stays, struck."""
    seat, code, reason = params.whole("seat", 1, at.table.seats), params.text("wager"), params.text("reason")
    play = read_play(params)
    round_ = verify_mendable(at)
    state, _ = at.game.strike_mistaken_wager(at.state, seat, code, play)
    wager = next(row for row in at.wagers if row.key == (seat, code, play))
    wager.struck = True
    wager.save(update_fields=["struck"])
    at.wagers.remove(wager)
    struck = {"seat": seat, "wager": code, "before_cents": wager.cents, "after_cents": 0, "reason": reason}
    struck |= {"play": play} if play else {}
    return resettle(at, round_, state, "wager.struck", struck)


def verify_mendable(at: AtTable) -> Round:
    """The live round, before its first payment and with the floor's signature. Raises `Refusal` otherwise."""
    round_ = verify_live(at)
    if at.state.money_moved:
        raise Refusal("money-has-moved", round=round_.number)
    verify_signed_by_floor(at)
    return round_


def resettle(at: AtTable, round_: Round, state: RoundState, type_: str, mended: dict[str, Any]) -> Recorded:
    """Settles the newest throw anew; before the first one the round goes on with what now lies there."""
    newest = next((throw for throw in reversed(at.throws) if throw.dice), None)
    if newest is not None:
        settled, more = decided_now(state), {"mended": mended}
        return settle_throw(at, round_, state, type_, settled, dice=state.dice, corrects=newest, more=more)
    advance(at, state, wagered_cents=sum(wager.cents for wager in state.wagers))
    data = {"round": round_.number, "mended": mended, "wagered_cents": round_.wagered_cents}
    return Recorded(type_, data, changes="phase")

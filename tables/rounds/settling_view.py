"""The throws of the live round and the settlement of the newest, as the snapshot shows them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from games.engine.game import Game
from games.engine.settlement import LOSE, WIN, Settled
from games.engine.state import RoundState
from games.engine.wagers import Wager
from games.snapshot_types import Call, Settle, SettleLine, SettleSeat, SettleStep, ThrowFacts
from games.wording import reason_text
from tables.core.context import TableContext
from tables.core.held_back import WagerKey, key_of
from tables.rounds.end_reasons import end_reason_text
from tables.words.sentences import number_words, short, step_label


def throws(ctx: TableContext) -> list[ThrowFacts]:
    """Every throw of the live round in order, void throws with the words of their reason."""
    rows: list[ThrowFacts] = []
    valid: list[tuple[int, ...]] = []
    for throw in ctx.throws:
        if throw.dice:
            valid.append(tuple(throw.dice))
        rows.append(
            {
                "number": throw.number,
                "dice": list(ctx.game.arranged(throw.dice)),
                "corrected": throw.revision > 1,
                "void": None if throw.dice else end_reason_text(throw.void_reason),
                "call": call(ctx.game, valid) if throw.dice else None,
            }
        )
    return rows


def call(game: Game, valid: Sequence[Sequence[int]]) -> Call:
    """The newest throw as it is called: the faces, their sum, and the result."""
    dice = list(game.arranged(valid[-1]))
    return {"total": sum(dice), "words": number_words(dice), "summary": reason_text(game.announcement(valid))}


def steps(
    ctx: TableContext, state: RoundState, names: dict[str, str], held: Mapping[WagerKey, int]
) -> Settle | None:
    """What the newest throw settles, by step and seat. None if nothing is being settled in steps.

    `held`: how much of each winning wager is held back.
    """
    if state.phase != "lit" or ("lit", "settle_seats") not in state.procedure.moves:
        return None
    by_step: dict[int, list[Settled]] = defaultdict(list)
    for settled in state.of_newest_throw:
        by_step[settled.step].append(settled)
    current = ctx.game.current_step(state)
    now = current[0].step if current else 0
    stays = ctx.game.undecided(state)
    steps = [
        _step(ctx, state, number, settled, now, stays, names, held)
        for number, settled in sorted(by_step.items())
    ]
    return {
        "take_cents": sum(step["take_cents"] for step in steps),
        "pay_cents": sum(step["pay_cents"] for step in steps),
        "stay_cents": sum(wager.cents for wager in stays),
        "steps": steps,
    }


def _step(
    ctx: TableContext,
    state: RoundState,
    number: int,
    wagers: list[Settled],
    now: int,
    stays: Sequence[Wager],
    names: dict[str, str],
    held: Mapping[WagerKey, int],
) -> SettleStep:
    code = ctx.game.step_code(state, number)
    settled_seats = state.paid_seats if number == now else frozenset()
    by_seat: dict[int, list[Settled]] = defaultdict(list)
    for settled in wagers:
        by_seat[settled.wager.seat].append(settled)
    seats = [
        _seat(
            ctx,
            seat,
            lines,
            number < now or number <= state.step or seat in settled_seats,
            stays,
            names,
            held,
        )
        for seat, lines in sorted(by_seat.items())
    ]
    return {
        "step": number,
        "code": code,
        "label": step_label(code),
        "section": short(ctx.game.step_section(state, number)),
        "state": "done" if number <= state.step else "now" if number == now else "todo",
        "take_cents": sum(seat["take_cents"] for seat in seats),
        "pay_cents": sum(seat["pay_cents"] for seat in seats),
        "seats": seats,
    }


def _seat(
    ctx: TableContext,
    seat: int,
    wagers: list[Settled],
    is_settled: bool,
    stays: Sequence[Wager],
    names: dict[str, str],
    held: Mapping[WagerKey, int],
) -> SettleSeat:
    staying = [wager for wager in stays if wager.seat == seat]
    return {
        "seat": seat,
        "done": is_settled,
        "take_cents": sum(wager.wager.cents for wager in wagers if wager.outcome == LOSE),
        "pay_cents": sum(wager.paid_cents - held.get(key_of(wager), 0) for wager in wagers),
        "stay_cents": sum(wager.cents for wager in staying),
        "lines": [_line(ctx, settled, names, held.get(key_of(settled), 0)) for settled in wagers]
        + [_stay(ctx, wager, names) for wager in staying],
    }


def _line(ctx: TableContext, settled: Settled, names: dict[str, str], held_cents: int) -> SettleLine:
    return {
        "wager": settled.wager.code,
        "label": names.get(settled.wager.code, settled.wager.code),
        "play": settled.wager.play,
        "outcome": settled.outcome,
        "stake_cents": settled.wager.cents,
        "pays": ctx.rules.state_odds(settled.pays) if settled.pays else None,
        "cents": settled.paid_cents - held_cents if settled.outcome == WIN else settled.wager.cents,
        "cut_cents": settled.cut_cents,
        "why": reason_text(settled.why),
        "cite": short(settled.cite),
    }


def _stay(ctx: TableContext, wager: Wager, names: dict[str, str]) -> SettleLine:
    """A wager that this throw leaves open, with the odds of the next one."""
    return {
        "wager": wager.code,
        "label": names.get(wager.code, wager.code),
        "play": wager.play,
        "outcome": "stay",
        "stake_cents": wager.cents,
        "pays": ctx.rules.state_odds(ctx.game.possible_odds(ctx.rules, wager.code)[-1]),
        "cents": wager.cents,
        "cut_cents": 0,
        "why": "",
        "cite": "",
    }

"""What screens show of the live round: the wagers with their odds, the throws, the settlement of the newest, and Undo.

The snapshot shows the layout, the throws and the steps of the settlement. What Undo can take back at a tablet is read
from the record, for a page that is loaded again.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NotRequired, TypedDict

from audit.models import Device, Entry
from games.engine import RoundState, Rules
from games.engine.game import Game
from games.engine.wagers import LOSE, WIN, Settled, Wager
from games.registry import game_of
from games.snapshot_types import (
    Call,
    DiceToCall,
    DifferingWager,
    LayoutWager,
    OtherReadingFacts,
    ReadingFacts,
    Settle,
    SettleLine,
    SettleSeat,
    SettleStep,
    ThrowFacts,
)
from games.wording import reason_text
from tables.core.context import TableContext
from tables.core.held_back import WagerKey, key_of
from tables.models import Round, Table
from tables.models.dice import PendingReading
from tables.rounds.no_rolls import end_reason_text
from tables.rounds.play import BETS_CLOSED
from tables.rounds.wagers import WAGERS_PLACED, PlacedWager
from tables.rules import suspension_data
from tables.words.sentences import number_words, short, step_label

# The wagers of some rules, with their odds


@lru_cache(maxsize=64)
def _layout(rules: Rules) -> tuple[tuple[str, str, str, tuple[str, ...]], ...]:
    game = game_of(rules)
    return tuple(
        (
            type_.code,
            str(type_.label),
            type_.family,
            tuple(rules.state_odds(odds) for odds in game.possible_odds(rules, type_.code)),
        )
        for type_ in game.wager_types(rules)
    )


def layout(ctx: TableContext) -> list[LayoutWager]:
    """Every wager of the edition with its odds in force in the submission's words, and its suspension if any."""
    wagers: list[LayoutWager] = [
        {
            "wager": code,
            "label": label,
            "family": family,
            "odds": list(odds),
            "stopped": suspension_data(ctx, code),
        }
        for code, label, family, odds in _layout(ctx.rules)
    ]
    if ctx.rules.increments:
        for wager in wagers:
            increment_cents = ctx.rules.increment(wager["family"])
            if increment_cents > 1:
                wager["increment_cents"] = increment_cents
    return wagers


@lru_cache(maxsize=64)
def labels(rules: Rules) -> dict[str, str]:
    """The labels of wagers by their codes."""
    return {code: label for code, label, _, _ in _layout(rules)}


# The throws, and the settlement of the newest


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


def reading(ctx: TableContext, state: RoundState | None, names: dict[str, str]) -> ReadingFacts | None:
    """What a reader read of the dice that are to be called, and where they differ from it those that were entered.

    None without a reading, and while the dice cannot be called.
    """
    pending = ctx.round.reading if ctx.round is not None else None
    if pending is None or state is None or "call_dice" not in ctx.game.legal_acts(state):
        return None
    entered = pending.get("entered")
    read = _dice_to_call(ctx, state, pending["dice"])
    other = _dice_to_call(ctx, state, entered) if entered is not None else None
    return {
        "device": pending["device"],
        "number": pending["number"],
        "read_at": pending["read_at"],
        "confidence": pending["confidence"],
        "read": read[0],
        "other": _other_reading(ctx, pending),
        "entered": other[0] if other else None,
        "differing": _differing(read[1], other[1], names) if other else [],
    }


def _other_reading(ctx: TableContext, pending: PendingReading) -> OtherReadingFacts | None:
    other = pending.get("other")
    return {"device": other["device"], "dice": list(ctx.game.arranged(other["dice"]))} if other else None


def _dice_to_call(
    ctx: TableContext, state: RoundState, dice: Sequence[int]
) -> tuple[DiceToCall, tuple[Settled, ...]]:
    """Dice as they would be called, and what they would settle."""
    settled = ctx.game.call_dice(state, dice)[0].of_newest_throw
    facts: DiceToCall = {
        "dice": list(ctx.game.arranged(dice)),
        "call": call(ctx.game, [*state.throws, dice]),
        "wins": sum(wager.outcome == WIN for wager in settled),
        "losses": sum(wager.outcome == LOSE for wager in settled),
        "take_cents": sum(wager.wager.cents for wager in settled if wager.outcome == LOSE),
        "pay_cents": sum(wager.paid_cents for wager in settled),
    }
    return facts, settled


def _differing(
    read: Sequence[Settled], entered: Sequence[Settled], names: dict[str, str]
) -> list[DifferingWager]:
    """The wagers that either dice would pay otherwise, by area: at which seats, and what each pays them together."""
    paid = {wager.wager.key: wager.paid_cents for wager in read}
    other = {wager.wager.key: wager.paid_cents for wager in entered}
    rows: dict[str, DifferingWager] = {}
    for seat, code, play in sorted(paid.keys() | other.keys(), key=str):
        read_cents, entered_cents = paid.get((seat, code, play), 0), other.get((seat, code, play), 0)
        if read_cents == entered_cents:
            continue
        label = names.get(code, code)
        row = rows.setdefault(code, {"label": label, "seats": [], "read_cents": 0, "entered_cents": 0})
        row["seats"] = sorted({*row["seats"], seat})
        row["read_cents"] += read_cents
        row["entered_cents"] += entered_cents
    return list(rows.values())


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


# What Undo can take back


SINCE = (WAGERS_PLACED.name, BETS_CLOSED.name)
WagerPlace = tuple[int, str, int]  # seat, code, play or 0


class UndoneWager(TypedDict):
    """One wager of a step: its total in cents before the step and after it."""

    seat: int
    wager: str
    before: int
    after: int
    play: NotRequired[int]


def undo_steps(table: Table, round_: Round | None, device: Device | None) -> list[list[UndoneWager]]:
    """Return the changes of wagers since bets opened, oldest first, that this device may take back.

    Each is an act of this device at wagers that no other device has changed since. An act that took back the one
    before it cancels out with it. Empty once bets have closed, because nothing can be undone then.
    """
    if device is None or round_ is None or round_.ended_at is not None:
        return []
    rows = Entry.objects.filter(stream=table.stream_id, round=round_.number, type__in=SINCE)
    totals: dict[WagerPlace, int] = {}
    steps: list[list[UndoneWager]] = []
    for type_, body in rows.order_by("seq").values_list("type", "body"):
        if type_ == BETS_CLOSED.name:
            steps = []
            continue
        entry = json.loads(bytes(body))
        step = [_change(line, totals) for line in entry["data"]["placed"]]
        if entry["device"] != str(device.pk):
            changed = {_place(line) for line in step}
            steps = [earlier for earlier in steps if changed.isdisjoint(map(_place, earlier))]
        elif steps and _takes_back(step, steps[-1]):
            steps.pop()
        else:
            steps.append(step)
    return steps


def _change(line: PlacedWager, totals: dict[WagerPlace, int]) -> UndoneWager:
    """The change that a line of an entry made. Updates `totals`."""
    place = (line["seat"], line["wager"], line.get("play", 0))
    before, totals[place] = totals.get(place, 0), line["cents"]
    change: UndoneWager = {
        "seat": line["seat"],
        "wager": line["wager"],
        "before": before,
        "after": line["cents"],
    }
    if "play" in line:
        change["play"] = line["play"]
    return change


def _place(line: UndoneWager) -> WagerPlace:
    return line["seat"], line["wager"], line.get("play", 0)


def _takes_back(step: Iterable[UndoneWager], earlier: Iterable[UndoneWager]) -> bool:
    """Whether a step set the wagers of an earlier one back."""
    set_back = {(*_place(line), line["after"], line["before"]) for line in earlier}
    return {(*_place(line), line["before"], line["after"]) for line in step} == set_back

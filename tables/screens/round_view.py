"""The live round in the snapshot: seats, wagers, lit areas, what to take and pay, and the next step."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from games.chips import breakdown
from games.engine import Refusal, Rules
from games.engine.rounds import GameView, Phase, RoundState, has_ended
from games.engine.wagers import LOSE, WIN, Settled, WagerOutcome
from games.game_acts import game_act
from games.snapshot_types import (
    AheadStep,
    HeldSeat,
    Missing,
    NextParams,
    NextStep,
    Pay,
    PayLine,
    PaySeat,
    Reason,
    RibbonStep,
    RoundFacts,
    RoundPart,
    SeatFacts,
    SeatState,
    StepState,
    Take,
    TakeLine,
    TakeSeat,
    WagerFacts,
)
from games.wording import reason_text
from tables.core.context import NO_RULES_IN_FORCE, TableContext
from tables.core.held_back import WagerKey as HeldKey
from tables.core.held_back import held_amounts, held_of_throw, held_winnings_of, key_of
from tables.core.seats import mark_of
from tables.models import Round, Table, Wager
from tables.opening.view import Opening
from tables.rounds import views
from tables.rounds.views import labels
from tables.rules import (
    RULES_NOT_ACKNOWLEDGED,
    awaits_acknowledgment,
    current_rules,
    verify_game_not_suspended,
)
from tables.words.sentences import (
    dollars,
    instruction,
    missing_by,
    moment,
    next_label,
    next_says,
    short,
    step_label,
)

WagerKey = tuple[int, str, int | None]  # seat, code, play


def round_part(ctx: TableContext, opening: Opening) -> RoundPart:
    """Return the keys of the snapshot about the round."""
    round_ = _round(ctx)
    next_, missing = _next_step(ctx, round_, opening)
    return {
        "round": round_,
        "next": next_,
        "missing": missing,
        "instruction": _instruction(ctx),
        "offers": offers(ctx, opening),
        "ahead": [] if next_ is None else _ahead(ctx, round_),
    }


def _round(ctx: TableContext) -> RoundFacts:
    state, row, names = _state(ctx), ctx.round, labels(ctx.rules)
    settled = state.of_newest_throw if state else ()
    held = held_winnings_of(row, settled) if row else {}
    phase: Phase = state.phase if state else "open"
    outcomes = _outcomes(state)
    wagers = [_wager(wager, names, outcomes) for wager in ctx.all_wagers]
    placed = [wager for wager in wagers if not wager["struck"]]
    return {
        "number": row.number if row else ctx.table.last_round + 1,
        "phase": phase,
        "bets_open": bool(state and "place_wagers" in legal_acts(ctx, state)),
        "mendable": state is not None and "strike_mistaken_wager" in legal_acts(ctx, state),
        "by_hand": bool(row and row.by_hand),
        "opened_at": moment(row.opened_at) if row else None,
        "steps": _steps(ctx, state),
        "seats": _seats(ctx, placed),
        "wagers": wagers,
        "wagered_cents": sum(wager["cents"] for wager in placed),
        "playing": len({wager["seat"] for wager in placed}),
        "dice": list(ctx.game.arranged(state.dice)) if state and state.dice else None,
        "drawn": list(row.drawn) if row else [],
        "call": views.call(ctx.game, state.throws) if state and state.dice else None,
        "lit": list(ctx.game.lit_codes(state)) if state else [],
        "throws": views.throws(ctx),
        "settle": views.steps(ctx, state, names, held) if state else None,
        "game": _game(ctx, state) if state else {},
        "take": _take([result for result in settled if result.outcome == LOSE], names),
        "pay": _pay(
            ctx.rules,
            [result for result in settled if result.outcome == WIN],
            names,
            state,
            held,
        ),
        "held": _held(row, held, settled) if row else [],
        "ending": phase if has_ended(phase) else None,
    }


def _outcomes(state: RoundState | None) -> dict[WagerKey, WagerOutcome]:
    """Return the outcome of each decided wager, by its key."""
    if state is None or not state.throws:
        return {}
    return {settled.wager.key: settled.outcome for settled in state.settled}


def _game(ctx: TableContext, state: RoundState) -> GameView:
    """Return the game's own view. A table with fewer seats than the game allows offers dice to its own seats only."""
    view = ctx.game.view(state)
    offer = view.get("offer")
    if offer and offer["next"] > ctx.table.seats:
        offer["next"] = 1
    return view


def _state(ctx: TableContext) -> RoundState | None:
    return ctx.state if ctx.round or ctx.shaker else None


def _steps(ctx: TableContext, state: RoundState | None) -> list[RibbonStep]:
    return [
        {"key": step.code, "label": step_label(step.code), "state": _step_state(step.status)}
        for step in (ctx.game.steps(state) if state else ())
    ]


def _step_state(status: str) -> StepState:
    """Return the state of a step of the ribbon. In a round that ended early, the remaining steps stay to do."""
    return "done" if status == "done" else "now" if status == "now" else "todo"


def legal_acts(ctx: TableContext, state: RoundState) -> set[str]:
    """Return the acts that are legal in this phase; corrections only until the first payment."""
    acts = ctx.game.legal_acts(state)
    if "settle_manually" in acts:
        acts = acts - {"settle_manually"} | {"report_device_failure"}
    if "report_shaker_failure" in acts:
        acts = acts - {"report_shaker_failure"} | {"report_device_failure"}
    return acts


def _wager(wager: Wager, names: dict[str, str], outcomes: dict[WagerKey, WagerOutcome]) -> WagerFacts:
    return {
        "seat": wager.seat,
        "wager": wager.code,
        "play": wager.play or None,
        "outcome": None if wager.struck else outcomes.get(wager.key),
        "label": names.get(wager.code, wager.code),
        "cents": wager.cents,
        "flag": wager.flag or None,
        "struck": wager.struck,
        "missed": wager.missed,
    }


def _seats(ctx: TableContext, placed: list[WagerFacts]) -> list[SeatFacts]:
    by_seat: dict[int, list[WagerFacts]] = defaultdict(list)
    for wager in placed:
        by_seat[wager["seat"]].append(wager)
    return [
        {
            "seat": seat,
            "count": len(by_seat[seat]),
            "cents": sum(wager["cents"] for wager in by_seat[seat]),
            "flags": [_flag(ctx.table, wager) for wager in by_seat[seat] if wager["flag"]],
            "taken": seat in ctx.table.seated,
            "state": _seat_state(ctx, seat, bool(by_seat[seat])),
            "post": ctx.game.settling_post(seat),
            "player": ctx.table.rated_seats.get(str(seat)),
            "refused": seat in ctx.table.refused_seats,
        }
        for seat in range(1, ctx.table.seats + 1)
    ]


def _seat_state(ctx: TableContext, seat: int, has_wagers: bool) -> SeatState:
    seat_mark = mark_of(ctx, seat)
    if seat_mark != "here":
        return seat_mark
    if has_wagers:
        return "playing"
    return "seated" if seat in ctx.table.seated else "open"


def _flag(table: Table, wager: WagerFacts) -> str:
    if wager["flag"] == "under-min":
        return f"{dollars(wager['cents'])} is under {dollars(table.min_cents)}"
    return f"{dollars(wager['cents'])} is over {dollars(table.max_cents)}"


def _take(losers: list[Settled], names: dict[str, str]) -> Take:
    seats: list[TakeSeat] = []
    for seat, wagers in _by_seat(losers).items():
        lines = [_take_line(settled, names) for settled in wagers]
        seats.append({"seat": seat, "cents": sum(line["cents"] for line in lines), "lines": lines})
    return {"count": len(losers), "cents": sum(settled.wager.cents for settled in losers), "seats": seats}


def _take_line(settled: Settled, names: dict[str, str]) -> TakeLine:
    return {
        "wager": settled.wager.code,
        "label": names.get(settled.wager.code, settled.wager.code),
        "why": reason_text(settled.why),
        "cite": short(settled.cite),
        "cents": settled.wager.cents,
    }


def _held(row: Round, by_wager: Mapping[HeldKey, int], settled: Sequence[Settled]) -> list[HeldSeat]:
    """Return what is held back by seat. What exceeds the winnings held back are stakes of the newest throw."""
    newest = held_of_throw(row, row.last_throw) if settled else {}
    stakes = {
        seat: cents - sum(held for key, held in by_wager.items() if key[0] == seat)
        for seat, cents in newest.items()
    }
    return [{**amount, "stake_cents": stakes.get(amount["seat"], 0)} for amount in held_amounts(row)]


def _pay(
    rules: Rules,
    winners: list[Settled],
    names: dict[str, str],
    state: RoundState | None,
    held: Mapping[HeldKey, int],
) -> Pay:
    paid_seats = state.paid_seats if state else frozenset()
    paid_areas = state.paid_areas if state else frozenset()
    seats: list[PaySeat] = []
    for seat, wagers in _by_seat(winners).items():
        is_paid = seat in paid_seats
        lines = [
            _pay_line(
                rules,
                settled,
                names,
                is_paid=is_paid or (seat, settled.wager.code) in paid_areas,
                held_cents=held.get(key_of(settled), 0),
            )
            for settled in wagers
        ]
        seats.append(_pay_seat(seat, wagers, lines, is_paid=is_paid))
    return {
        "count": len(winners),
        "cents": sum(seat["cents"] for seat in seats),
        "paid_cents": sum(line["cents"] for seat in seats for line in seat["lines"] if line["paid"]),
        "seats": seats,
    }


def _pay_seat(seat: int, wagers: list[Settled], lines: list[PayLine], *, is_paid: bool) -> PaySeat:
    cents = sum(line["cents"] for line in lines)
    return {
        "seat": seat,
        "paid": is_paid,
        "cents": cents,
        "returned_cents": sum(settled.returned_cents for settled in wagers),
        "chips": breakdown(cents),
        "lines": lines,
    }


def _pay_line(
    rules: Rules, settled: Settled, names: dict[str, str], *, is_paid: bool, held_cents: int
) -> PayLine:
    return {
        "wager": settled.wager.code,
        "label": names.get(settled.wager.code, settled.wager.code),
        "why": reason_text(settled.why),
        "cite": short(settled.cite),
        "stake_cents": settled.wager.cents,
        "pays": rules.state_odds(settled.pays) if settled.pays else None,
        "cents": settled.paid_cents - held_cents,
        "held_cents": held_cents,
        "paid": is_paid,
    }


def _by_seat(wagers: list[Settled]) -> dict[int, list[Settled]]:
    by_seat: dict[int, list[Settled]] = defaultdict(list)
    for settled in wagers:
        by_seat[settled.wager.seat].append(settled)
    return dict(sorted(by_seat.items()))


def offers(ctx: TableContext, opening: Opening) -> list[str]:
    """Return the acts that are legal now, for everybody together. Buttons use this; the server checks again."""
    if ctx.stream.closed_at is not None:  # another table continues this one
        return []
    if not ctx.deals:
        return _offers_without_rules(ctx.table)
    if _waits_for_opening(ctx):
        dice = _dice_acts(ctx) if ctx.shaker else []
        by_hand = ["record_hand_settled_round"] if ctx.table.status == Table.Status.CEASED else []
        return [*opening.available_acts(), *dice, "replace_shaker", *by_hand]
    if ctx.shaker is None:
        return ["close_table", "replace_shaker"]
    ceased = {"report_device_failure"} if ctx.table.status == Table.Status.CEASED else set()
    tossed = {"void_round"} if ctx.game.is_tossed(ctx.state) else set()  # they are settled
    legal = sorted(legal_acts(ctx, ctx.state) - ceased - tossed)
    if ctx.round is None:
        legal = [name for name in legal if name != "void_round" and ctx.lot is not None]
        more = ["close_table", *_dice_acts(ctx), "report_device_failure", "replace_shaker"]
        return [*dict.fromkeys([*legal, *more])]
    shaker = ["replace_shaker"] if ctx.round.phase == "open" and not ctx.round.last_throw else []
    return [*legal, *_training_acts(ctx, legal), *_dice_acts(ctx), *shaker]


def _training_acts(ctx: TableContext, legal: list[str]) -> list[str]:
    """At a training table the machine throws the dice before they can be called."""
    if ctx.table.kind != Table.Kind.TRAINING or "call_dice" not in legal or ctx.round is None:
        return []
    return [] if ctx.round.drawn else ["draw_dice"]


def _dice_acts(ctx: TableContext) -> list[str]:
    if not ctx.dice_at_rest:
        return []
    if ctx.lot is None:
        return ["change_dice_lot"]
    month = ctx.rules.shaker(ctx.shaker_kind).months
    return ["change_dice_lot", "withdraw_dice", *(["unlock_shaker"] if month else [])]


def _waits_for_opening(ctx: TableContext) -> bool:
    """Whether this table waits for its opening, or for its repair after a failure."""
    ceased = ctx.table.status == Table.Status.CEASED and ctx.round is None
    return ceased or ctx.table.status == Table.Status.CLOSED


def _offers_without_rules(table: Table) -> list[str]:
    repair = ["record_repair"] if table.ceased_what else []
    return repair if table.status == Table.Status.CLOSED else [*repair, "close_table"]


def _no_rules(ctx: TableContext) -> Missing:
    return missing_by(Refusal(NO_RULES_IN_FORCE, code=ctx.table.submission_code))


def _new_rules(ctx: TableContext) -> Missing:
    rules = current_rules(ctx)
    section = ctx.table.facility.law.section("submissions.in-force")
    return missing_by(Refusal(RULES_NOT_ACKNOWLEDGED, section, code=rules.submission, version=rules.version))


def _next_step(
    ctx: TableContext, round_: RoundFacts, opening: Opening
) -> tuple[NextStep | None, Missing | None]:
    """Return the next step, and what is still missing for it."""
    if not ctx.deals:
        return None, _no_rules(ctx)
    if _waits_for_opening(ctx):
        return opening.next_step(round_["number"])
    if ctx.round is None and awaits_acknowledgment(ctx):
        return None, _new_rules(ctx)
    if ctx.shaker is None:
        return None, {
            "code": "no-shaker",
            "text": "There is no working shaker at this table.",
            "section": "",
        }
    next_act = ctx.game.next_act(ctx.state)
    if next_act is None:
        return None, None
    name = next_act.act
    step: NextStep = {
        "act": name,
        "label": next_label(name, ctx.state.shaker),
        "say": next_says(name, round_, ctx.state.shaker),
        "params": _params(ctx, name),
        "dice": ctx.state.result.dice if name == "call_dice" else None,
    }
    return step, _missing(ctx, name)


def _ahead(ctx: TableContext, round_: RoundFacts) -> list[AheadStep]:
    """Return the steps up to the dice. At a training table the machine throws first, which takes the line."""
    if ctx.table.status != Table.Status.OPEN:
        return []
    throws_itself = ctx.table.kind == Table.Kind.TRAINING and not round_["drawn"]
    closed_by_fee = [ctx.game.fee.code] if ctx.game.fee else []
    steps: list[AheadStep] = []
    for state, coming in ctx.game.course_to_dice(ctx.state):
        name = coming.act
        if name == "call_dice" and throws_itself:
            break
        bets_open = "place_wagers" in ctx.game.legal_acts(state)
        says: RoundFacts = {**round_, "bets_open": bets_open}
        steps.append(
            {
                "act": name,
                "label": next_label(name, state.shaker),
                "say": next_says(name, says, state.shaker),
                "params": _params(ctx, name),
                "dice": state.result.dice if name == "call_dice" else None,
                "instruction": instruction(name, state.shaker),
                "duty": ctx.game.duties[name],
                "bets_open": bets_open,
                "unless": closed_by_fee if round_["bets_open"] and not bets_open else [],
                "steps": _steps(ctx, state),
            }
        )
    return steps


def _params(ctx: TableContext, name: str) -> NextParams:
    """Return the parameters that the screen sends with the next step."""
    shaker = ctx.rules.shaker(ctx.state.shaker)
    if name == "shake" and not shaker.automated:
        return {"shakes": shaker.shakes_least}
    declared = game_act(name)
    return declared.next_params(_game(ctx, ctx.state)) if declared else {}


def _missing(ctx: TableContext, name: str) -> Missing | None:
    declared = game_act(name)
    uses_the_dice = name == "shake" or (declared is not None and declared.throws_dice)
    if not uses_the_dice and ctx.round is not None:
        return None
    try:
        if ctx.round is None:
            verify_game_not_suspended(ctx)
        if uses_the_dice:
            ctx.verify_dice_in_time()
        else:
            ctx.verify_dice_for_a_round()
        if declared is not None and uses_the_dice:
            declared.verify(ctx.state)
    except Refusal as refusal:
        return missing_by(refusal)
    return None


def _instruction(ctx: TableContext) -> Reason | None:
    if ctx.table.status != Table.Status.OPEN or ctx.shaker is None or not ctx.deals:
        return None
    next_act = ctx.game.next_act(ctx.state)
    if next_act is None:
        return None
    text = instruction(next_act.act, ctx.state.shaker)
    return {"text": text, "section": short(next_act.section)} if text else None

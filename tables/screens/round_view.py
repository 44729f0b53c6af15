"""The live round as the snapshot shows it: seats, wagers, lit areas, what to take and pay, and the one next step."""

from collections import defaultdict
from typing import Any

from games.engine import Refusal, Rules
from games.engine.procedures import ENDED
from games.engine.settlement import Settled
from games.engine.state import RoundState
from games.wording import why
from tables.core.chips import breakdown
from tables.core.context import TableContext
from tables.models import Table, Wager
from tables.opening.view import Opening
from tables.rounds import settling_view
from tables.rounds.layout import labels
from tables.rounds.quarterback import verify_quarterback_plays
from tables.rules import suspensions
from tables.words.sentences import (
    dollars,
    instruction,
    moment,
    next_label,
    next_says,
    say,
    short,
    step_label,
)

USES_THE_DICE = frozenset({"shake", "throw_dice"})


def of(ctx: TableContext, opening: Opening) -> dict[str, Any]:
    """The parts of the snapshot that belong to the round: `round`, `next`, `missing`, `instruction`, `offers`."""
    round_ = _round(ctx)
    next_, missing = _next_step(ctx, round_, opening)
    return {
        "round": round_,
        "next": next_,
        "missing": missing,
        "instruction": _instruction(ctx),
        "offers": offers(ctx, opening),
    }


def _round(ctx: TableContext) -> dict[str, Any]:
    state, row, names = _state(ctx), ctx.round, labels(ctx.rules)
    settled = state.of_newest_throw if state else ()
    phase = state.phase if state else "open"
    outcomes = {one.wager.key: one.outcome for one in state.settled} if state and state.throws else {}
    wagers = [_wager(wager, names, outcomes) for wager in ctx.all_wagers]
    standing = [wager for wager in wagers if not wager["struck"]]
    return {
        "number": row.number if row else ctx.table.last_round + 1,
        "phase": phase,
        "bets_open": bool(state and "place_wagers" in legal_acts(ctx, state)),
        "mendable": state is not None and "strike_mistaken_wager" in legal_acts(ctx, state),
        "by_hand": bool(row and row.by_hand),
        "opened_at": moment(row.opened_at) if row else None,
        "steps": _steps(ctx, state),
        "seats": _seats(ctx, standing),
        "wagers": wagers,
        "wagered_cents": sum(wager["cents"] for wager in standing),
        "playing": len({wager["seat"] for wager in standing}),
        "dice": list(ctx.game.arranged(state.dice)) if state and state.dice else None,
        "drawn": list(row.drawn) if row else [],
        "call": settling_view.call(ctx.game, state.throws) if state and state.dice else None,
        "lit": list(ctx.game.lit_codes(state)) if state else [],
        "throws": settling_view.throws(ctx),
        "settle": settling_view.steps(ctx, state, names) if state else None,
        "game": _game(ctx, state) if state else {},
        "take": _take([one for one in settled if one.outcome == "lose"], names),
        "pay": _pay(
            ctx.rules,
            [one for one in settled if one.outcome == "win"],
            names,
            frozenset(row.paid_seats if row else ()),
        ),
        "ending": phase if phase in ENDED else None,
    }


def _game(ctx: TableContext, state: RoundState) -> dict[str, Any]:
    """The game's own view. A table with fewer places than the game allows offers its dice to its own alone."""
    view = ctx.game.view(state)
    offer = view.get("offer")
    if offer and offer["next"] > ctx.table.seats:
        offer["next"] = 1
    return view


def _state(ctx: TableContext) -> RoundState | None:
    return ctx.state if ctx.round or ctx.shaker else None


def _steps(ctx: TableContext, state: RoundState | None) -> list[dict[str, Any]]:
    """The ribbon. A round that ended early has nothing left to do."""
    return [
        {
            "key": step.code,
            "label": step_label(step.code),
            "state": step.status if step.status in ("done", "now") else "todo",
        }
        for step in (ctx.game.steps(state) if state else ())
    ]


def legal_acts(ctx: TableContext, state: RoundState) -> set[str]:
    """The acts that lead on from this phase, mending only until the first payment."""
    acts = ctx.game.legal_acts(state)
    if "settle_manually" in acts:
        acts = acts - {"settle_manually"} | {"report_device_failure"}
    if "report_shaker_failure" in acts:
        acts = acts - {"report_shaker_failure"} | {"report_device_failure"}
    return acts


def _wager(wager: Wager, names: dict[str, str], outcomes: dict[Any, str]) -> dict[str, Any]:
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


def _seats(ctx: TableContext, standing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_seat: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for wager in standing:
        by_seat[wager["seat"]].append(wager)
    seated = bool(ctx.rules.section("seated"))
    return [
        {
            "seat": seat,
            "count": len(by_seat[seat]),
            "cents": sum(wager["cents"] for wager in by_seat[seat]),
            "flags": [_flag(ctx.table, wager) for wager in by_seat[seat] if wager["flag"]],
            "taken": seat in ctx.table.seated if seated else bool(by_seat[seat]),
        }
        for seat in range(1, ctx.table.seats + 1)
    ]


def _flag(table: Table, wager: dict[str, Any]) -> str:
    if wager["flag"] == "under-min":
        return f"{dollars(wager['cents'])} is under {dollars(table.min_cents)}"
    return f"{dollars(wager['cents'])} is over {dollars(table.max_cents)}"


def _take(losers: list[Settled], names: dict[str, str]) -> dict[str, Any]:
    seats = []
    for seat, ones in _grouped(losers).items():
        lines = [{**_line(one, names), "cents": one.wager.cents} for one in ones]
        seats.append({"seat": seat, "cents": sum(line["cents"] for line in lines), "lines": lines})
    return {"count": len(losers), "cents": sum(one.wager.cents for one in losers), "seats": seats}


def _pay(rules: Rules, winners: list[Settled], names: dict[str, str], paid: frozenset[int]) -> dict[str, Any]:
    seats = [_pay_seat(rules, seat, ones, names, seat in paid) for seat, ones in _grouped(winners).items()]
    return {
        "count": len(winners),
        "cents": sum(seat["cents"] for seat in seats),
        "paid_cents": sum(seat["cents"] for seat in seats if seat["paid"]),
        "seats": seats,
    }


def _pay_seat(
    rules: Rules, seat: int, ones: list[Settled], names: dict[str, str], paid: bool
) -> dict[str, Any]:
    lines = [
        {
            **_line(one, names),
            "stake_cents": one.wager.cents,
            "pays": rules.state_odds(one.pays) if one.pays else None,
            "cents": one.paid_cents,
        }
        for one in ones
    ]
    cents = sum(line["cents"] for line in lines)
    returned = sum(one.returned_cents for one in ones)
    return {
        "seat": seat,
        "paid": paid,
        "cents": cents,
        "returned_cents": returned,
        "chips": breakdown(cents),
        "lines": lines,
    }


def _grouped(settled: list[Settled]) -> dict[int, list[Settled]]:
    by_seat: dict[int, list[Settled]] = defaultdict(list)
    for one in settled:
        by_seat[one.wager.seat].append(one)
    return dict(sorted(by_seat.items()))


def _line(one: Settled, names: dict[str, str]) -> dict[str, Any]:
    return {
        "wager": one.wager.code,
        "label": names.get(one.wager.code, one.wager.code),
        "why": why(one.why),
        "cite": short(one.cite),
    }


def offers(ctx: TableContext, opening: Opening) -> list[str]:
    """The acts that are legal now, whoever may do them. Buttons ask this; the server asks again."""
    if not ctx.deals:
        return _offers_without_rules(ctx.table)
    if _leads_to_gaming(ctx):
        dice = _about_the_dice(ctx) if ctx.shaker else []
        return [*opening.offers(), *dice, "replace_shaker"]
    if ctx.shaker is None:
        return ["close_table", "replace_shaker"]
    ceased = {"report_device_failure"} if ctx.table.status == Table.Status.CEASED else set()
    legal = sorted(legal_acts(ctx, ctx.state) - ceased)
    if ctx.round is None:
        legal = [name for name in legal if name != "void_round" and ctx.lot is not None]
        more = ["close_table", *_about_the_dice(ctx), "report_device_failure", "replace_shaker"]
        return [*dict.fromkeys([*legal, *more])]
    shaker = ["replace_shaker"] if ctx.round.phase == "open" and not ctx.round.last_throw else []
    return [*legal, *_of_training(ctx, legal), *_about_the_dice(ctx), *shaker]


def _of_training(ctx: TableContext, legal: list[str]) -> list[str]:
    """At a training table the dice are thrown before they can be called."""
    if ctx.table.kind != Table.Kind.TRAINING or "call_dice" not in legal or ctx.round is None:
        return []
    return [] if ctx.round.drawn else ["draw_dice"]


def _about_the_dice(ctx: TableContext) -> list[str]:
    if not ctx.dice_at_rest:
        return []
    if ctx.lot is None:
        return ["change_dice_lot"]
    month = ctx.rules.shaker(ctx.shaker_kind).months
    return ["change_dice_lot", "withdraw_dice", *(["unlock_shaker"] if month else [])]


def _leads_to_gaming(ctx: TableContext) -> bool:
    """Whether this table waits to be opened, or to go on after a failure."""
    ceased = ctx.table.status == Table.Status.CEASED and ctx.round is None
    return ceased or ctx.table.status == Table.Status.CLOSED


def _offers_without_rules(table: Table) -> list[str]:
    repair = ["record_repair"] if table.ceased_what else []
    return repair if table.status == Table.Status.CLOSED else [*repair, "close_table"]


def without_rules(ctx: TableContext) -> dict[str, str]:
    """What stands where the next step would, at a table whose rules are not in force."""
    return {"text": say(Refusal("no-rules-in-force", code=ctx.table.submission_code)), "section": ""}


def _next_step(
    ctx: TableContext, round_: dict[str, Any], opening: Opening
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The one next step, or what is missing for it."""
    if not ctx.deals:
        return None, {"code": "no-rules-in-force", **without_rules(ctx)}
    if _leads_to_gaming(ctx):
        return opening.next_step(round_["number"])
    if ctx.shaker is None:
        return None, {
            "code": "no-shaker",
            "text": "No working shaker stands at this table.",
            "section": "",
        }
    following = ctx.game.next_act(ctx.state)
    if following is None:
        return None, None
    name = following.act
    step = {
        "act": name,
        "label": next_label(name, ctx.state.shaker),
        "say": next_says(name, round_, ctx.state.shaker),
        "params": _params(ctx, name),
        "dice": ctx.state.result.dice if name == "call_dice" else None,
    }
    return step, _missing(ctx, name)


def _params(ctx: TableContext, name: str) -> dict[str, Any]:
    """What the screen sends with the next step."""
    shaker = ctx.rules.shaker(ctx.state.shaker)
    if name == "shake" and not shaker.automated:
        return {"shakes": shaker.shakes_least}
    if name == "offer_dice":
        return {"seat": _game(ctx, ctx.state)["offer"]["next"], "accepted": True}
    return {}


def _missing(ctx: TableContext, name: str) -> dict[str, Any] | None:
    if name not in USES_THE_DICE and ctx.round is not None:
        return None
    try:
        if ctx.round is None:
            suspensions.verify_game_not_suspended(ctx)
        if name in USES_THE_DICE:
            ctx.verify_dice_in_time()
        else:
            ctx.verify_dice_for_a_round()
        if name == "throw_dice":
            verify_quarterback_plays(ctx)
    except Refusal as refusal:
        return {"code": refusal.code, "text": say(refusal), "section": short(refusal.section)}
    return None


def _instruction(ctx: TableContext) -> dict[str, Any] | None:
    if ctx.table.status != Table.Status.OPEN or ctx.shaker is None or not ctx.deals:
        return None
    following = ctx.game.next_act(ctx.state)
    if following is None:
        return None
    text = instruction(following.act, ctx.state.shaker)
    return {"text": text, "section": short(following.section)} if text else None

"""The live round as the snapshot shows it: seats, wagers, lit areas, what to take and pay, and the one next step."""

from collections import defaultdict
from typing import Any

from games.engine import Refusal, Rules
from games.engine.procedures import ENDED
from games.engine.rounds import RoundState
from games.engine.settlement import Settled
from games.wording import why
from tables.core.chips import breakdown
from tables.core.context import AtTable
from tables.models import Table, Wager
from tables.opening.view import Opening
from tables.rounds import settling_view
from tables.rounds.layout import labels
from tables.rounds.quarterback import verify_quarterback_plays
from tables.rules import suspensions
from tables.words.sentences import (
    INSTRUCTIONS,
    NEXT_LABELS,
    SHAKE_LABELS,
    dollars,
    moment,
    next_says,
    say,
    short,
    step_label,
)

USES_THE_DICE = frozenset({"shake", "throw_dice"})


def of(at: AtTable, opening: Opening) -> dict[str, Any]:
    """The parts of the snapshot that belong to the round: `round`, `next`, `missing`, `instruction`, `offers`."""
    round_ = _round(at)
    next_, missing = _next_step(at, round_, opening)
    return {
        "round": round_,
        "next": next_,
        "missing": missing,
        "instruction": _instruction(at),
        "offers": offers(at, opening),
    }


def _round(at: AtTable) -> dict[str, Any]:
    state, row, names = _state(at), at.round, labels(at.rules)
    settled = state.of_newest_throw if state else ()
    phase = state.phase if state else "open"
    outcomes = {one.wager.key: one.outcome for one in state.settled} if state and state.throws else {}
    wagers = [_wager(wager, names, outcomes) for wager in at.all_wagers]
    standing = [wager for wager in wagers if not wager["struck"]]
    return {
        "number": row.number if row else at.table.last_round + 1,
        "phase": phase,
        "bets_open": bool(state and "place_wagers" in legal_acts(state)),
        "mendable": state is not None and "strike_mistaken_wager" in legal_acts(state),
        "by_hand": bool(row and row.by_hand),
        "opened_at": moment(row.opened_at) if row else None,
        "steps": _steps(at, state),
        "seats": _seats(at, standing),
        "wagers": wagers,
        "wagered_cents": sum(wager["cents"] for wager in standing),
        "playing": len({wager["seat"] for wager in standing}),
        "dice": list(at.game.arranged(state.dice)) if state and state.dice else None,
        "drawn": list(row.drawn) if row else [],
        "call": settling_view.call(at.game, state.throws) if state and state.dice else None,
        "lit": list(at.game.lit(state)) if state else [],
        "throws": settling_view.throws(at),
        "settle": settling_view.steps(at, state, names) if state else None,
        "game": _game(at, state) if state else {},
        "take": _take([one for one in settled if one.outcome == "lose"], names),
        "pay": _pay(
            at.rules,
            [one for one in settled if one.outcome == "win"],
            names,
            frozenset(row.paid_seats if row else ()),
        ),
        "ending": phase if phase in ENDED else None,
    }


def _game(at: AtTable, state: RoundState) -> dict[str, Any]:
    """The game's own view. A table with fewer places than the game allows offers its dice to its own alone."""
    view = at.game.view(state)
    offer = view.get("offer")
    if offer and offer["next"] > at.table.seats:
        offer["next"] = 1
    return view


def _state(at: AtTable) -> RoundState | None:
    return at.state if at.round or at.shaker else None


def _steps(at: AtTable, state: RoundState | None) -> list[dict[str, Any]]:
    """The ribbon. A round that ended early has nothing left to do."""
    return [
        {
            "key": step.code,
            "label": step_label(step.code),
            "state": step.status if step.status in ("done", "now") else "todo",
        }
        for step in (at.game.steps(state) if state else ())
    ]


def legal_acts(state: RoundState) -> set[str]:
    """The acts that lead on from this phase, mending only until the first payment."""
    acts = state.rules.game.legal_acts(state)
    if "settle_by_hand" in acts:
        acts = acts - {"settle_by_hand"} | {"report_device_failure"}
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


def _seats(at: AtTable, standing: list[dict[str, Any]]) -> list[dict[str, Any]]:
    by_seat: dict[int, list[dict[str, Any]]] = defaultdict(list)
    for wager in standing:
        by_seat[wager["seat"]].append(wager)
    seated = bool(at.rules.section("seated"))
    return [
        {
            "seat": seat,
            "count": len(by_seat[seat]),
            "cents": sum(wager["cents"] for wager in by_seat[seat]),
            "flags": [_flag(at.table, wager) for wager in by_seat[seat] if wager["flag"]],
            "taken": seat in at.table.seated if seated else bool(by_seat[seat]),
        }
        for seat in range(1, at.table.seats + 1)
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


def offers(at: AtTable, opening: Opening) -> list[str]:
    """The acts that are legal now, whoever may do them. Buttons ask this; the server asks again."""
    if not at.deals:
        return _offers_without_rules(at.table)
    if _leads_to_gaming(at):
        dice = _about_the_dice(at) if at.shaker else []
        return [*opening.offers(), *dice, "replace_shaker"]
    if at.shaker is None:
        return ["close_table", "replace_shaker"]
    ceased = {"report_device_failure"} if at.table.status == Table.Status.CEASED else set()
    legal = sorted(legal_acts(at.state) - ceased)
    if at.round is None:
        legal = [name for name in legal if name != "void_round" and at.lot is not None]
        more = ["close_table", *_about_the_dice(at), "report_device_failure", "replace_shaker"]
        return [*dict.fromkeys([*legal, *more])]
    shaker = ["replace_shaker"] if at.round.phase == "open" and not at.round.last_throw else []
    return [*legal, *_of_training(at, legal), *_about_the_dice(at), *shaker]


def _of_training(at: AtTable, legal: list[str]) -> list[str]:
    """At a training table the dice are thrown before they can be called."""
    if at.table.kind != Table.Kind.TRAINING or "call_dice" not in legal or at.round is None:
        return []
    return [] if at.round.drawn else ["draw_dice"]


def _about_the_dice(at: AtTable) -> list[str]:
    if not at.dice_at_rest:
        return []
    if at.lot is None:
        return ["change_dice_lot"]
    month = at.rules.shaker(at.shaker_kind).months
    return ["change_dice_lot", "withdraw_dice", *(["unlock_shaker"] if month else [])]


def _leads_to_gaming(at: AtTable) -> bool:
    """Whether this table waits to be opened, or to go on after a failure."""
    ceased = at.table.status == Table.Status.CEASED and at.round is None
    return ceased or at.table.status == Table.Status.CLOSED


def _offers_without_rules(table: Table) -> list[str]:
    repair = ["record_repair"] if table.ceased_what else []
    return repair if table.status == Table.Status.CLOSED else [*repair, "close_table"]


def without_rules(at: AtTable) -> dict[str, str]:
    """What stands where the next step would, at a table whose rules are not in force."""
    return {"text": say(Refusal("no-rules-in-force", code=at.table.submission_code)), "section": ""}


def _next_step(
    at: AtTable, round_: dict[str, Any], opening: Opening
) -> tuple[dict[str, Any] | None, dict[str, Any] | None]:
    """The one next step, or what is missing for it."""
    if not at.deals:
        return None, {"code": "no-rules-in-force", **without_rules(at)}
    if _leads_to_gaming(at):
        return opening.next_step(round_["number"])
    if at.shaker is None:
        return None, {
            "code": "no-shaker",
            "text": "No working shaker stands at this table.",
            "section": "",
        }
    following = at.game.next_act(at.state)
    if following is None:
        return None, None
    name = following.act
    label = SHAKE_LABELS.get(at.state.shaker, NEXT_LABELS[name]) if name == "shake" else NEXT_LABELS[name]
    step = {
        "act": name,
        "label": str(label),
        "say": next_says(name, round_, at.state.shaker),
        "params": _params(at, name),
        "dice": at.state.standing.dice if name == "call_dice" else None,
    }
    return step, _missing(at, name)


def _params(at: AtTable, name: str) -> dict[str, Any]:
    """What the screen sends with the next step."""
    shaker = at.rules.shaker(at.state.shaker)
    if name == "shake" and not shaker.automated:
        return {"shakes": shaker.shakes_least}
    if name == "offer_dice":
        return {"seat": _game(at, at.state)["offer"]["next"], "accepted": True}
    return {}


def _missing(at: AtTable, name: str) -> dict[str, Any] | None:
    if name not in USES_THE_DICE and at.round is not None:
        return None
    try:
        if at.round is None:
            suspensions.verify_game_dealt(at)
        if name in USES_THE_DICE:
            at.verify_dice_in_time()
        else:
            at.verify_dice_for_a_round()
        if name == "throw_dice":
            verify_quarterback_plays(at)
    except Refusal as refusal:
        return {"code": refusal.code, "text": say(refusal), "section": short(refusal.section)}
    return None


def _instruction(at: AtTable) -> dict[str, Any] | None:
    if at.table.status != Table.Status.OPEN or at.shaker is None or not at.deals:
        return None
    following = at.game.next_act(at.state)
    if following is None:
        return None
    name = following.act
    text = INSTRUCTIONS.get((name, at.state.shaker)) or INSTRUCTIONS.get((name, ""))
    return {"text": str(text), "section": short(following.section)} if text else None

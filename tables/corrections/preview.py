"""What a correction would change, computed by the engine before anybody signs: seat by seat, wager by wager.

Nothing is written and no lock is taken. The act computes it again under the lock.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import Literal, TypedDict, get_args

from games.engine import Placing, Refusal, Rules
from games.engine.settlement import LOSE, WIN, Settled
from games.engine.state import RoundState
from games.engine.wagers import Wager
from games.params import MOST_CENTS, Params
from tables.core.context import TableContext
from tables.core.wager_input import MADE_IN, read_play
from tables.corrections.refusals import MONEY_HAS_MOVED
from tables.rounds.layout import labels
from tables.rounds.progress import require_round
from tables.words.sentences import dollars

CorrectionAct = Literal["correct_dice", "record_missed_wager", "strike_mistaken_wager"]
CORRECTION_ACTS: tuple[CorrectionAct, ...] = get_args(CorrectionAct)
Key = tuple[int, str, int | None]


class LineChange(TypedDict):
    """One wager with another end: what to do with its chips, and what that is worth to the player, in cents."""

    label: str
    say: str
    cents: int


class SeatChange(TypedDict):
    """The changes of a seat, and its win before and after in words."""

    seat: int
    say: str
    loses: bool
    lines: list[LineChange]


class Sum(TypedDict):
    """A sum of the round in cents, before and after."""

    label: str
    before: int
    after: int


class CorrectionPreview(TypedDict):
    """What a correction changes; no seats if every wager ends as before."""

    seats: list[SeatChange]
    sums: list[Sum]


def preview(ctx: TableContext, act: CorrectionAct, params: Params) -> CorrectionPreview:
    """Return what this correction of the round in play would change. Raises what the act raises, but for signatures."""
    require_round(ctx)
    before = ctx.state
    if before.money_moved:
        raise Refusal(MONEY_HAS_MOVED, round=require_round(ctx).number)
    after = _READERS[act](ctx, params)
    return {"seats": _seats(ctx.rules, before, after), "sums": _sums(before, after)}


def _dice(ctx: TableContext, params: Params) -> RoundState:
    return ctx.game.correct_dice(ctx.state, params.dice() or ())[0]


def _missed(ctx: TableContext, params: Params) -> RoundState:
    seat, code = params.integer("seat", 1, ctx.table.seats), params.text("wager")
    cents = params.integer("cents", 1, MOST_CENTS)
    made_in, play = params.choice("made_in", MADE_IN, default="chips"), read_play(params)
    return ctx.game.record_missed_wager(ctx.state, Placing(seat, code, cents, made_in, play))[0]


def _struck(ctx: TableContext, params: Params) -> RoundState:
    seat, code, play = params.integer("seat", 1, ctx.table.seats), params.text("wager"), read_play(params)
    return ctx.game.strike_mistaken_wager(ctx.state, seat, code, play)[0]


_READERS: dict[CorrectionAct, Callable[[TableContext, Params], RoundState]] = {
    "correct_dice": _dice,
    "record_missed_wager": _missed,
    "strike_mistaken_wager": _struck,
}


def _seats(rules: Rules, before: RoundState, after: RoundState) -> list[SeatChange]:
    names = labels(rules)
    ends_before, ends_after = _ends(before), _ends(after)
    wagers_before = {wager.key: wager for wager in before.wagers}
    wagers_after = {wager.key: wager for wager in after.wagers}
    are_taken = before.phase in ("taken", "paid")  # the losing chips are in the rack
    by_seat: dict[int, list[LineChange]] = defaultdict(list)
    for key in dict.fromkeys([*wagers_before, *wagers_after]):
        change = _change(
            wagers_before.get(key),
            wagers_after.get(key),
            ends_before.get(key),
            ends_after.get(key),
            are_taken=are_taken,
        )
        if change is not None:
            say, cents = change
            by_seat[key[0]].append({"label": names.get(key[1], key[1]), "say": say, "cents": cents})
    return [
        {
            "seat": seat,
            "say": _seat_words(_won(before, seat), _won(after, seat), sum(line["cents"] for line in lines)),
            "loses": sum(line["cents"] for line in lines) < 0,
            "lines": lines,
        }
        for seat, lines in sorted(by_seat.items())
    ]


def _ends(state: RoundState) -> dict[Key, Settled]:
    return {settled.wager.key: settled for settled in state.of_newest_throw} if state.throws else {}


def _won(state: RoundState, seat: int) -> int:
    return sum(end.paid_cents for end in _ends(state).values() if end.wager.seat == seat)


def _change(
    wager_before: Wager | None,
    wager_after: Wager | None,
    before: Settled | None,
    after: Settled | None,
    *,
    are_taken: bool,
) -> tuple[str, int] | None:
    """Return what happens to one wager, in words, and what its player gets more; None if it ends as before."""
    if wager_after is None:
        assert wager_before is not None
        return f"{dollars(wager_before.cents)} struck: it was not on the layout", -_worth(before)
    if wager_before is None:
        return f"{dollars(wager_after.cents)} recorded{_end_words(after)}", _worth(after)
    same_end = (
        (before.outcome, before.paid_cents) == (after.outcome, after.paid_cents) if before and after else True
    )
    if wager_before.cents == wager_after.cents and same_end and (before is None) == (after is None):
        return None
    stake = dollars(wager_after.cents)
    if wager_before.cents != wager_after.cents:
        return f"{stake}, not {dollars(wager_before.cents)}{_end_words(after)}", _worth(after) - _worth(
            before
        )
    assert before is not None and after is not None
    worth = _worth(after) - _worth(before)
    if after.outcome == LOSE:
        return f"{stake} now loses: take it", worth
    if before.outcome == LOSE and after.outcome == WIN:
        put_back = f"{stake} put back, wins" if are_taken else f"{stake} wins"
        return f"{put_back} {dollars(after.paid_cents)}", worth
    return f"{stake} wins {dollars(after.paid_cents)}, not {dollars(before.paid_cents)}", worth


def _worth(end: Settled | None) -> int:
    """Return what a wager is worth to its player: its win, or minus its stake."""
    if end is None:
        return 0
    return -end.wager.cents if end.outcome == LOSE else end.paid_cents


def _end_words(end: Settled | None) -> str:
    if end is None:
        return ""
    if end.outcome == WIN:
        return f", wins {dollars(end.paid_cents)}"
    return ", loses: take it" if end.outcome == LOSE else ""


def _seat_words(before: int, after: int, worth: int) -> str:
    if after and before:
        return (
            f"Wins {dollars(after)}, not {dollars(before)}"
            if after != before
            else f"Wins {dollars(after)} as before"
        )
    if after:
        return f"Wins {dollars(after)}, won nothing before"
    if before:
        return "No longer wins"
    return (
        f"{dollars(-worth)} taken"
        if worth < 0
        else f"{dollars(worth)} no longer taken"
        if worth
        else "Wins nothing"
    )


def _sums(before: RoundState, after: RoundState) -> list[Sum]:
    def taken(ends: Iterable[Settled]) -> int:
        return sum(end.wager.cents for end in ends if end.outcome == LOSE)

    ends_before, ends_after = _ends(before).values(), _ends(after).values()
    return [
        {
            "label": "Wagered",
            "before": sum(wager.cents for wager in before.wagers),
            "after": sum(wager.cents for wager in after.wagers),
        },
        {"label": "Take", "before": taken(ends_before), "after": taken(ends_after)},
        {
            "label": "Pay",
            "before": sum(end.paid_cents for end in ends_before),
            "after": sum(end.paid_cents for end in ends_after),
        },
    ]

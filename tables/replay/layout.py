"""The layout after a step, in the form in which the floor's templates read a table."""

from collections import defaultdict
from collections.abc import Iterable
from typing import TypedDict, cast

from games.engine import RoundState
from games.engine.rounds import GameView, Phase
from games.engine.wagers import LOSE, WIN, Settled, WagerOutcome
from games.snapshot_types import Call, LayoutWager, Settle
from tables.core.context import TableContext
from tables.replay.replayed_round import EnteredWager, ReplayedRound, WagerKey
from tables.rounds import views

BETS_OPEN = frozenset({"", "open", "shaken"})


class LayoutContext:
    """What the floor's templates need of a table: the rules and their game."""

    def __init__(self, replayed: ReplayedRound) -> None:
        self.rules, self.game = replayed.rules, replayed.game


class ReplayedWager(TypedDict):
    """A wager as the layout shows it."""

    seat: int
    wager: str
    play: int | None
    label: str
    cents: int
    outcome: WagerOutcome | None
    flag: None
    struck: bool


class WagerCode(TypedDict):
    """The code of a wager that is taken or paid."""

    wager: str


class SeatLines(TypedDict):
    """The wagers of a seat that are taken or paid."""

    seat: int
    paid: bool
    lines: list[WagerCode]


class SeatsPart(TypedDict):
    """The seats that lose or win."""

    seats: list[SeatLines]


class ReplayedFacts(TypedDict):
    """The snapshot's `round`, as far as the layouts read it."""

    phase: Phase
    bets_open: bool
    wagers: list[ReplayedWager]
    wagered_cents: int
    dice: list[int] | None
    call: Call | None
    lit: list[str]
    settle: Settle | None
    game: GameView
    take: SeatsPart
    pay: SeatsPart


class ReplayedTable(TypedDict):
    """The snapshot's `table`, as far as the layouts read it."""

    game: str
    seats: int


class ReplayedSnapshot(TypedDict):
    """The part of a snapshot that the layouts read."""

    table: ReplayedTable
    layout: list[LayoutWager]
    round: ReplayedFacts


def layout_snapshot(replayed: ReplayedRound, seats: int) -> ReplayedSnapshot:
    """Return the snapshot's `table`, `layout` and `round` (`games.snapshot_types`), as far as the layouts read them."""
    state = replayed.state
    names = {
        wager_type.code: str(wager_type.label) for wager_type in replayed.game.wager_types(replayed.rules)
    }
    return {
        "table": {"game": replayed.game.code, "seats": seats},
        "layout": _layout_wagers(replayed),
        "round": _round(replayed, state, names),
    }


def _layout_wagers(replayed: ReplayedRound) -> list[LayoutWager]:
    game, rules = replayed.game, replayed.rules
    return [
        {
            "wager": wager_type.code,
            "label": str(wager_type.label),
            "family": wager_type.family,
            "odds": [rules.state_odds(odds) for odds in game.possible_odds(rules, wager_type.code)],
            "stopped": None,
        }
        for wager_type in game.wager_types(rules)
    ]


def _round(replayed: ReplayedRound, state: RoundState, names: dict[str, str]) -> ReplayedFacts:
    outcomes = {settled_wager.wager.key: settled_wager.outcome for settled_wager in replayed.all_settled}
    decided = [
        settled_wager
        for settled_wager in replayed.settled
        if settled_wager.wager.key not in replayed.off_layout
    ]
    is_lit = bool(replayed.throws) and not replayed.has_ended
    ctx = cast(TableContext, LayoutContext(replayed))
    return {
        "phase": state.phase,
        "bets_open": replayed.has_begun and state.phase in BETS_OPEN,
        "wagers": [_wager(entered, outcomes, names, replayed) for entered in replayed.entered.values()],
        "wagered_cents": replayed.wagered_cents,
        "dice": list(replayed.game.arranged(state.dice)) if is_lit else None,
        "call": views.call(replayed.game, state.throws) if replayed.throws else None,
        "lit": list(replayed.game.lit_codes(state)) if is_lit else [],
        "settle": views.steps(ctx, state, names, {}),
        "game": replayed.game.view(state),
        "take": {"seats": _wagers_by_seat(decided, LOSE)},
        "pay": {"seats": _wagers_by_seat(decided, WIN)},
    }


def _wager(
    entered: EnteredWager,
    outcomes: dict[WagerKey, WagerOutcome],
    names: dict[str, str],
    replayed: ReplayedRound,
) -> ReplayedWager:
    key = entered.wager.key
    return {
        "seat": entered.wager.seat,
        "wager": entered.wager.code,
        "play": entered.wager.play,
        "label": names.get(entered.wager.code, entered.wager.code),
        "cents": entered.wager.cents,
        "outcome": outcomes.get(key),
        "flag": None,
        "struck": entered.struck or key in replayed.off_layout,
    }


def _wagers_by_seat(settled: Iterable[Settled], outcome: WagerOutcome) -> list[SeatLines]:
    seats: dict[int, list[WagerCode]] = defaultdict(list)
    for settled_wager in settled:
        if settled_wager.outcome == outcome:
            seats[settled_wager.wager.seat].append({"wager": settled_wager.wager.code})
    return [{"seat": seat, "paid": False, "lines": lines} for seat, lines in sorted(seats.items())]

"""A round from its records: every record says enough to do its act again."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, Protocol

from games.catalog.football.engine import game
from games.catalog.high_roll.engine import course as high_roll
from games.engine import RoundState, rounds
from games.engine.game import Game


class Record(Protocol):
    """A record of an act, with the section that the act cites."""

    @property
    def section(self) -> str: ...


ACTS: Mapping[type, tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    rounds.WagersPlaced: ("place_wagers", lambda record: (record.placings,)),
    rounds.BetsClosed: ("no_more_bets", lambda record: ()),
    rounds.DiceShaken: ("shake", lambda record: (record.times, record.by_seat)),
    rounds.DiceCalled: ("call_dice", lambda record: (record.dice,)),
    rounds.NoRollCalled: ("call_no_roll", lambda record: (record.reason,)),
    rounds.LosersTaken: ("take_losers", lambda record: ()),
    rounds.SeatsPaid: ("pay_seats", lambda record: (record.seats,)),
    rounds.SeatsSettled: ("settle_seats", lambda record: (record.seats,)),
    rounds.LayoutCleared: ("clear_layout", lambda record: ()),
    rounds.RoundVoided: ("void_round", lambda record: (record.reason,)),
    rounds.DiceCorrected: ("correct_dice", lambda record: (record.dice, record.reason)),
    rounds.MissedWagerRecorded: ("record_missed_wager", lambda record: (record.placing, record.reason)),
    rounds.MistakenWagerStruck: ("strike_mistaken_wager", lambda record: (*record.wager.key, record.reason)),
    rounds.DeviceFailed: ("report_device_failure", lambda record: (record.dice,)),
    rounds.ShakerFailed: ("report_shaker_failure", lambda record: ()),
    high_roll.DiceMoved: ("move_dice", lambda record: ()),
    high_roll.ExtraRollsLockedOut: ("lock_out_extra_rolls", lambda record: ()),
    high_roll.FeesCollected: ("collect_fees", lambda record: ()),
    high_roll.LooseDiceGathered: ("gather_loose_dice", lambda record: ()),
    game.DiceOffered: ("offer_dice", lambda record: (record.seat, record.accepted)),
    game.DiceThrown: ("throw_dice", lambda record: ()),
}


def replayed(game: Game, opening: RoundState, entries: Iterable[Record]) -> RoundState:
    """The state after doing the acts of these records again, from the opening on."""

    def again(state: RoundState, record: Record) -> RoundState:
        act, arguments = ACTS[type(record)]
        after: RoundState = getattr(game, act)(state, *arguments(record))[0]
        return after

    return reduce(again, entries, opening)

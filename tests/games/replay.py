"""A round from its records: every record says enough to do its act again."""

from collections.abc import Callable, Iterable, Mapping
from functools import reduce
from typing import Any, Protocol

from games.catalog.football.engine import quarterback
from games.catalog.high_roll.engine import records as high_roll
from games.engine import RoundState, records
from games.engine.game import Game


class Record(Protocol):
    """A record of an act, with the section that the act cites."""

    @property
    def section(self) -> str: ...


ACTS: Mapping[type, tuple[str, Callable[[Any], tuple[Any, ...]]]] = {
    records.WagersPlaced: ("place_wagers", lambda record: (record.placings,)),
    records.BetsClosed: ("no_more_bets", lambda record: ()),
    records.DiceShaken: ("shake", lambda record: (record.times, record.by_seat)),
    records.DiceCalled: ("call_dice", lambda record: (record.dice,)),
    records.NoRollCalled: ("call_no_roll", lambda record: (record.reason,)),
    records.LosersTaken: ("take_losers", lambda record: ()),
    records.SeatsPaid: ("pay_seats", lambda record: (record.seats,)),
    records.SeatsSettled: ("settle_seats", lambda record: (record.seats,)),
    records.LayoutCleared: ("clear_layout", lambda record: ()),
    records.RoundVoided: ("void_round", lambda record: (record.reason,)),
    records.DiceCorrected: ("correct_dice", lambda record: (record.dice, record.reason)),
    records.MissedWagerRecorded: ("record_missed_wager", lambda record: (record.placing, record.reason)),
    records.MistakenWagerStruck: ("strike_mistaken_wager", lambda record: (*record.wager.key, record.reason)),
    records.DeviceFailed: ("report_device_failure", lambda record: (record.dice,)),
    records.ShakerFailed: ("report_shaker_failure", lambda record: ()),
    high_roll.DiceMoved: ("move_dice", lambda record: ()),
    high_roll.ExtraRollsLockedOut: ("lock_out_extra_rolls", lambda record: ()),
    high_roll.FeesCollected: ("collect_fees", lambda record: ()),
    high_roll.LooseDiceGathered: ("gather_loose_dice", lambda record: ()),
    quarterback.DiceOffered: ("offer_dice", lambda record: (record.seat, record.accepted)),
    quarterback.DiceThrown: ("throw_dice", lambda record: ()),
}


def replayed(game: Game, opening: RoundState, entries: Iterable[Record]) -> RoundState:
    """The state after doing the acts of these records again, from the opening on."""

    def again(state: RoundState, record: Record) -> RoundState:
        act, arguments = ACTS[type(record)]
        after: RoundState = getattr(game, act)(state, *arguments(record))[0]
        return after

    return reduce(again, entries, opening)

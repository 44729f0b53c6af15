"""The wagers that a game's `simulation` invents."""

from typing import NotRequired, TypedDict


class SeatWager(TypedDict):
    """A wager of a seat that is named elsewhere."""

    wager: str
    cents: int


class TableWager(SeatWager):
    """A wager as `place_wagers` takes it. `play` belongs to single play wagers."""

    seat: int
    play: NotRequired[int]

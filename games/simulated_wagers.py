"""The wagers that a game's `simulation` invents."""

from typing import NotRequired, TypedDict

from games.snapshot_types import RoundPart


class TableInPlay(RoundPart):
    """What a simulation reads of a table between two acts: its round, the next step, and how many seats it has."""

    seats: int
    refused_seats: list[int]


class SeatWager(TypedDict):
    """A wager of a seat that is named elsewhere."""

    wager: str
    cents: int


class TableWager(SeatWager):
    """A wager as `place_wagers` takes it. `play` belongs to single play wagers."""

    seat: int
    play: NotRequired[int]

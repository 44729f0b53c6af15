"""A wager as a screen sends it."""

from dataclasses import dataclass

from games.engine import Placing
from games.params import MOST_CENTS, Params

MADE_IN = ("chips", "plaques", "cash")


MOST_PLAYS = 6


@dataclass(frozen=True)
class WagerInput:
    """The total that a seat has on one area, in cents; 0 takes the wager off.

    `play` is the play that the wager is made on, in a game that has such wagers.
    """

    seat: int
    wager: str
    cents: int
    made_in: str
    play: int | None

    @property
    def key(self) -> tuple[int, str, int | None]:
        return self.seat, self.wager, self.play

    @property
    def placing(self) -> Placing:
        """The same value for the engine."""
        return Placing(self.seat, self.wager, self.cents, self.made_in, self.play)


def read_wager_input(params: Params) -> WagerInput:
    """Read `{"seat", "wager", "cents", "made_in", "play"}`. Cash is accepted here, so that the engine can refuse
    it.
    """
    return WagerInput(
        params.integer("seat", 1, 64),
        params.text("wager"),
        params.integer("cents", 0, MOST_CENTS),
        params.choice("made_in", MADE_IN, default="chips"),
        read_play(params),
    )


def read_play(params: Params) -> int | None:
    """The play that a wager is made on; None where none is named."""
    return params.integer("play", 0, MOST_PLAYS, default=0) or None

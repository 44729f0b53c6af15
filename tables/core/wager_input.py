"""A wager as a screen sends it."""

from dataclasses import dataclass

from games.engine import Placing
from games.params import MOST_CENTS, Params

MADE_IN = ("chips", "plaques", "cash")


MOST_PLAYS = 6


@dataclass(frozen=True)
class WagerInput:
    """What now lies on one area for one seat, in cents; nothing lies there any more at 0.

    `play` is the play that a wager is made on, where a game has such wagers.
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
        """The same as the engine takes it."""
        return Placing(self.seat, self.wager, self.cents, self.made_in, self.play)


def read_wager_input(params: Params) -> WagerInput:
    """Reads `{"seat", "wager", "cents", "made_in", "play"}`. Cash is read, so that the engine can refuse it."""
    return WagerInput(
        params.whole("seat", 1, 64),
        params.text("wager"),
        params.whole("cents", 0, MOST_CENTS),
        params.choice("made_in", MADE_IN, default="chips"),
        read_play(params),
    )


def read_play(params: Params) -> int | None:
    """The play that a wager is made on; None where none is named."""
    return params.whole("play", 0, MOST_PLAYS, default=0) or None

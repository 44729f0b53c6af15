"""What simulated players bet at Three Dice Football."""

from random import Random
from typing import cast

from games.catalog.football.engine.game import FootballView
from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.simulated_wagers import SeatWager, TableInPlay, TableWager

STAKES_CENTS = (500, 1_000, 2_500, 5_000, 10_000)


def wagers_of_seat(codes: list[str], draw: Random) -> list[SeatWager]:
    """Return some full game wagers."""
    full = [code for code in codes if code not in SINGLE_PLAY_CODES]
    return [
        {"wager": code, "cents": draw.choice(STAKES_CENTS)} for code in draw.sample(full, draw.randint(1, 4))
    ]


def wagers_before_act(state: TableInPlay, draw: Random) -> list[TableWager]:
    """Return single play wagers of some seats, before the dice are thrown for a play."""
    next_step, game = state["next"], cast(FootballView, state["round"]["game"])
    if next_step is None or next_step["act"] != "throw_dice" or game["score"] is not None:
        return []
    play, seats = game["play"], state["seats"]
    return [
        {"seat": seat, "wager": code, "play": play, "cents": draw.choice(STAKES_CENTS)}
        for seat in sorted(draw.sample(range(1, seats + 1), draw.randint(1, 4)))
        for code in draw.sample(SINGLE_PLAY_CODES, draw.randint(1, 3))
    ]

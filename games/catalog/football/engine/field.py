"""The field of Three Dice Football: what three dice mean, and where a game is after its throws.

Source: 58 Pa. Code §§ 577.1, 577.6(a), (c), (e) (text of 2012-07-28). This module knows no wagers.

* Trips TD is tested first, then the turnover, then the totals (reading A36).
* The 10 yard line or nearer is a 1st & Goal: a new series of three downs begins with the next throw (A35), and a
  later penalty does not end it. So no game has more than six plays.
* The 0 yard line or beyond is a touchdown (A34).
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

Faces = tuple[int, ...]  # offensive, offensive, defensive

START_YARD, GOAL_YARD, DOWNS = 20, 10, 3
TRIPS_TD, TURNOVER, PENALTY, NO_GAIN, GAIN = "trips-td", "turnover", "penalty", "no-gain", "gain"
TOUCHDOWN, ON_DOWNS = "touchdown", "downs"
SCORES = frozenset({TOUCHDOWN, TRIPS_TD})


class Meaning(NamedTuple):
    """What a throw means by its dice alone, at any spot of the Yard Marker: § 577.6(c), (d)."""

    kind: str
    yards: int  # gained by the dice; -1 for a penalty


class Spot(NamedTuple):
    """Where the Yard Marker and the pucks are before a throw. The defaults begin a round: § 577.6(a)."""

    yard: int = START_YARD
    down: int = 1
    goal: bool = False
    play: int = 1


class Play(NamedTuple):
    """One throw on the field: the spot before it, what it means, the yard after it, and how it ended the game."""

    spot: Spot
    meaning: Meaning
    to: int
    ending: str


class Course(NamedTuple):
    """A game so far: its plays, the spot of the next one (None once it ended), and the extra point roll."""

    plays: tuple[Play, ...] = ()
    spot: Spot | None = Spot()
    extra: Faces = ()

    @property
    def ending(self) -> str:
        """Return "touchdown", "trips-td", "turnover", "downs", or "" while another play is to come."""
        return self.plays[-1].ending if self.plays else ""

    @property
    def scored(self) -> bool:
        return self.ending in SCORES


@lru_cache(maxsize=216)
def meaning_of(dice: Faces) -> Meaning:
    """Return what two Offensive Dice and the Defensive Die mean on a down."""
    first, second, defensive = dice
    offensive = first + second
    if first == second == defensive:
        return Meaning(TRIPS_TD, 0)
    if defensive == 6 and offensive <= 3:
        return Meaning(TURNOVER, 0)
    if offensive < defensive:
        return Meaning(PENALTY, -1)
    if offensive == defensive:
        return Meaning(NO_GAIN, 0)
    return Meaning(GAIN, offensive - defensive)


def play_on(spot: Spot, meaning: Meaning) -> tuple[Play, Spot | None]:
    """Return one play from a spot, and the spot of the next one, None if the game has ended: § 577.6(c), (e)."""
    to = 0 if meaning.kind == TRIPS_TD else max(spot.yard - meaning.yards, 0)
    reached = to <= GOAL_YARD and not spot.goal
    ending = _ending(spot, meaning, to, reached)
    played = Play(spot, meaning, to, ending)
    if ending:
        return played, None
    down = 1 if reached else spot.down + 1
    return played, Spot(to, down, spot.goal or reached, spot.play + 1)


def _ending(spot: Spot, meaning: Meaning, to: int, reached: bool) -> str:
    if meaning.kind in (TRIPS_TD, TURNOVER):
        return meaning.kind
    if to == 0:
        return TOUCHDOWN
    return ON_DOWNS if spot.down == DOWNS and not reached else ""


@lru_cache(maxsize=20_000)
def course_of(throws: tuple[Faces, ...]) -> Course:
    """Return the game after its valid throws. A throw after a score is the extra point roll: no down and no play
    (A37).

    ValueError for a throw after the end of the game.
    """
    if not throws:
        return Course()
    before = course_of(throws[:-1])
    if before.spot is None:
        if not before.scored or before.extra:
            raise ValueError("no throw follows the end of a game")
        return before._replace(extra=throws[-1])
    played, spot = play_on(before.spot, meaning_of(throws[-1]))
    return Course((*before.plays, played), spot)


# Probabilities

THROWS = 216


@lru_cache(maxsize=1)
def chances_of_a_throw() -> Mapping[Meaning, int]:
    """Return in how many of the 216 throws each meaning occurs."""
    return Counter(meaning_of(dice) for dice in product(range(1, 7), repeat=3))


@lru_cache(maxsize=1)
def chances_of_a_game() -> Mapping[tuple[str, int], Fraction]:
    """Return the probability of each way to end a game and the play that it ends on, exact."""
    chances_by_end: dict[tuple[str, int], Fraction] = {}
    for chance, played in _all_plays():
        if played.ending:
            key = played.ending, played.spot.play
            chances_by_end[key] = chances_by_end.get(key, Fraction(0)) + chance
    return chances_by_end


def _all_plays() -> Iterator[tuple[Fraction, Play]]:
    """Return every play from every spot that a game can reach, with its probability."""
    spots = {Spot(): Fraction(1)}
    while spots:
        following: dict[Spot, Fraction] = {}
        for spot, chance in spots.items():
            for meaning, ways in chances_of_a_throw().items():
                played, after = play_on(spot, meaning)
                here = chance * Fraction(ways, THROWS)
                yield here, played
                if after is not None:
                    following[after] = following.get(after, Fraction(0)) + here
        spots = following

"""Whether simulated rounds win as often inside the bands as the exact figures say: `python -m script.bands`.

Each rule set is dealt by the engine, with the wagers that simulated players make and drawn dice. For a round whose
wagers all stand before the first throw the exact chance of every win is known, so the number of such rounds inside a
band is compared with the sum of their exact chances. Every round counts in the sums: what was won beyond the
expectation, in standard deviations, and the squares of that over the variances, whose mean is 1.

Docs: docs/figures.md#expected-win-and-variance.
"""

import argparse
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import sqrt
from random import Random

import django

from games.engine import Rules
from games.engine.expectations import house_win
from games.engine.game import Game
from games.engine.wagers import Wager
from games.exposure import exposure, round_expectation
from games.registry import game_of, part

DEVIATIONS = (1, 2, 3)
SESSION_ROUNDS = 200
KEYS: tuple[tuple[str, int | None], ...] = (  # rules and payout limit in cents
    ("pa-625a/A", None),
    ("pa-625a/B", None),
    ("pa-675a", None),
    ("pa-675a", 5_006_000),
    ("pa-675a.6", None),
    ("pa-577", None),
)


@dataclass
class Band:
    """Rounds with a known chance to win within a number of standard deviations: how many do, and should."""

    inside: int = 0
    expected: float = 0.0
    variance: float = 0.0

    def add(self, *, is_inside: bool, chance: float) -> None:
        self.inside += is_inside
        self.expected += chance
        self.variance += chance * (1 - chance)

    @property
    def deviation(self) -> float:
        """How many standard deviations the number inside is from the expected number."""
        return (self.inside - self.expected) / sqrt(self.variance) if self.variance > 0 else 0.0


@dataclass
class Bands:
    """The figures of one rule set."""

    name: str
    rounds: int = 0
    win_cents: int = 0
    expected_cents: float = 0.0
    variance: float = 0.0
    squares: float = 0.0
    known_rounds: int = 0
    bands: dict[int, Band] = field(default_factory=lambda: {number: Band() for number in DEVIATIONS})
    sessions: list[float] = field(default_factory=list)

    @property
    def deviation(self) -> float:
        """How many standard deviations the win is from the expected win."""
        return (self.win_cents - self.expected_cents) / sqrt(self.variance)

    def share_of_sessions(self, deviations: int) -> float:
        inside = sum(abs(session) <= deviations for session in self.sessions)
        return inside / len(self.sessions) if self.sessions else 0.0


def simulate(key: str, limit_cents: int | None, rounds: int, draw: Random) -> Bands:
    """Deal so many rounds and compare each with its expectation."""
    rules = Rules.of(key, payout_limit_cents=limit_cents)
    figures = Bands(key if limit_cents is None else f"{key}, limit ${limit_cents // 100:,}")
    session_win = session_variance = 0.0
    for number in range(1, rounds + 1):
        wagers, throws = deal(rules, draw)
        _ending, settled = game_of(rules).adjudicate(rules, throws, wagers)
        win = sum(map(house_win, settled))
        expectation = round_expectation(rules, wagers, throws)
        assert expectation is not None
        mean, variance = float(expectation.expected_win), float(expectation.variance)
        figures.rounds += 1
        figures.win_cents += win
        figures.expected_cents += mean
        figures.variance += variance
        figures.squares += (win - mean) ** 2
        _add_bands(figures, rules, wagers, win, mean, sqrt(max(variance, 0.0)))
        session_win, session_variance = session_win + win - mean, session_variance + variance
        if number % SESSION_ROUNDS == 0:
            figures.sessions.append(session_win / sqrt(session_variance))
            session_win = session_variance = 0.0
    return figures


def deal(rules: Rules, draw: Random) -> tuple[list[Wager], list[tuple[int, ...]]]:
    """Return the wagers and the throws of one round."""
    game = game_of(rules)
    codes = [wager_type.code for wager_type in game.wager_types(rules)]
    players = part(game.code, "simulation")
    wagers = [
        Wager(seat, wager["wager"], wager["cents"])
        for seat in draw.sample(range(1, game.seats + 1), draw.randint(1, 5))
        for wager in players.wagers_of_seat(codes, draw)
    ]
    bets_on_plays = game.has_plays and draw.random() < 0.5
    throws: list[tuple[int, ...]] = []
    result = game.result(rules, wagers, throws)
    while not result.ending:
        placed = _wagers_on_play(game, codes, len(throws) + 1, draw) if bets_on_plays else []
        dice = tuple(draw.randint(1, game.faces) for _ in range(result.dice))
        throws.append(dice)
        result = game.result(rules, [*wagers, *placed], throws)
        decided = {line.wager.key for line in result.settled}
        wagers += [wager for wager in placed if wager.key in decided]  # a throw after a score is no play
    return wagers, throws


def _wagers_on_play(game: Game, codes: Sequence[str], play: int, draw: Random) -> list[Wager]:
    """Return wagers of some seats on the next play."""
    single_codes = [code for code in codes if game.is_single_play(code)]
    return [
        Wager(seat, code, 500 * draw.randint(1, 20), play)
        for seat in draw.sample(range(1, game.seats + 1), draw.randint(1, 3))
        for code in draw.sample(single_codes, draw.randint(1, 2))
    ]


def _add_bands(
    figures: Bands, rules: Rules, wagers: Sequence[Wager], win: int, mean: float, sigma: float
) -> None:
    if any(wager.play is not None for wager in wagers):
        return
    chances = exposure(rules, wagers)
    assert chances is not None
    figures.known_rounds += 1
    distances = [(abs(possible - mean), ways) for possible, ways in chances.wins]
    for number, band in figures.bands.items():
        ways_inside = sum(ways for distance, ways in distances if distance <= number * sigma)
        band.add(is_inside=abs(win - mean) <= number * sigma, chance=ways_inside / chances.ways)


def lines(every: Sequence[Bands]) -> list[str]:
    """Return the table for people, in Markdown."""
    heads = [
        *("rules", "rounds", "win beyond the expectation", "squares over variances"),
        *(f"inside {number} σ (should)" for number in DEVIATIONS),
        f"sessions of {SESSION_ROUNDS} inside 2 σ",
    ]
    rows = [
        [
            *(figures.name, f"{figures.rounds:,}"),
            *(f"{figures.deviation:+.2f} σ", f"{figures.squares / figures.variance:.3f}"),
            *(
                f"{band.inside / figures.known_rounds:.2%} ({band.expected / figures.known_rounds:.2%})"
                for band in figures.bands.values()
            ),
            f"{figures.share_of_sessions(2):.1%}",
        ]
        for figures in every
    ]
    return [f"| {' | '.join(row)} |" for row in [heads, ["---"] * len(heads), *rows]]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rounds", type=int, default=100_000, help="of all rule sets together")
    parser.add_argument("--seed", type=int, default=17)
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    per_key = -(-options.rounds // len(KEYS))
    every = [simulate(key, limit, per_key, Random(options.seed)) for key, limit in KEYS]
    print("\n".join(lines(every)))
    worst = max(abs(band.deviation) for figures in every for band in figures.bands.values())
    print(f"\nThe share inside a band is at most {worst:.2f} standard deviations from what it should be.")


if __name__ == "__main__":
    main()

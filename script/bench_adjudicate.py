"""Measure rounds adjudicated per second on one core: each game alone, and a mix of all of them."""

import argparse
import json
import random
import time
from collections.abc import Iterator, Sequence

from games.adjudication import adjudicate
from games.engine import Rules
from games.engine.game import Game
from games.engine.wagers import Wager
from games.registry import game_of, part
from script.figures import Figure

TITLE = "Adjudication: rounds as JSON lines, settled and written again, on one core"
KEYS = {
    "Sic Bo": ("pa-625a/A", "pa-539", "nj-19-47-9"),
    "High Roll Dice": ("pa-675a", "pa-675a.6"),
    "Football": ("pa-577",),
}
LINES = 2_000
FEWEST, MOST = 10, 16  # wagers of a round


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Adjudicate rounds of about thirteen wagers, reading and writing each line as the command does."""
    draw = random.Random(11)
    lines = {name: [_line(draw, draw.choice(keys)) for _ in range(LINES)] for name, keys in KEYS.items()}
    mixed = [draw.choice(list(lines.values()))[draw.randrange(LINES)] for _ in range(LINES)]
    for name, rounds in lines.items():
        yield f"{name}: {_rounds_a_second(rounds, options.seconds / 4):,.0f} rounds a second"
    wagers = sum(line.count(b'"seat"') for line in mixed) / LINES
    label = f"rounds adjudicated a second, all three games mixed, {wagers:.0f} wagers each"
    rate = _rounds_a_second(mixed, options.seconds / 4)
    yield Figure("adjudicate.rate", label, rate, better="higher", goal=5_000)


def _rounds_a_second(lines: list[bytes], seconds: float) -> float:
    count, began = 0, time.process_time()
    while (spent := time.process_time() - began) < seconds:
        json.dumps(adjudicate(lines[count % len(lines)]))
        count += 1
    return count / spent


def _line(draw: random.Random, key: str) -> bytes:
    """A round of simulated players as a line of JSON."""
    rules = Rules.of(key)
    wagers, throws = deal(rules, draw)
    while not FEWEST <= len(wagers) <= MOST:
        wagers, throws = deal(rules, draw)
    rows = [
        {"seat": wager.seat, "wager": wager.code, "cents": wager.cents}
        | ({} if wager.play is None else {"play": wager.play})
        for wager in wagers
    ]
    return json.dumps({"id": "x", "rules": key, "throws": throws, "wagers": rows}).encode()


def deal(rules: Rules, draw: random.Random) -> tuple[list[Wager], list[tuple[int, ...]]]:
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


def _wagers_on_play(game: Game, codes: Sequence[str], play: int, draw: random.Random) -> list[Wager]:
    """Return wagers of some seats on the next play."""
    single_codes = [code for code in codes if game.is_single_play(code)]
    return [
        Wager(seat, code, 500 * draw.randint(1, 20), play)
        for seat in draw.sample(range(1, game.seats + 1), draw.randint(1, 3))
        for code in draw.sample(single_codes, draw.randint(1, 2))
    ]

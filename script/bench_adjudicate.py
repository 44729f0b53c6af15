"""Measure rounds adjudicated per second on one core: each game alone, and a mix of all of them."""

import argparse
import json
import random
import time
from collections.abc import Iterator
from typing import Any

from games.adjudication import adjudicate
from games.catalog.football.engine.wagers import SINGLE_PLAY_CODES
from games.engine import Rules
from games.registry import game_of
from script.figures import Figure

TITLE = "Adjudication: rounds as JSON lines, settled and written again, on one core"
SIC_BO, HIGH_ROLL, FOOTBALL = ("pa-625a/A", "pa-539", "nj-19-47-9"), ("pa-675a", "pa-675a.6"), ("pa-577",)
LINES = 4_000


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Adjudicate rounds of about twelve wagers, reading and writing each line as the command does."""
    draw = random.Random(11)
    games = {"Sic Bo": SIC_BO, "High Roll Dice": HIGH_ROLL, "Football": FOOTBALL}
    lines = {name: [_line(draw, draw.choice(keys)) for _ in range(LINES)] for name, keys in games.items()}
    mixed = [draw.choice(list(lines.values()))[draw.randrange(LINES)] for _ in range(LINES)]
    for name, rounds in (*lines.items(), ("mixed", mixed)):
        wagers = sum(line.count(b'"seat"') for line in rounds) / len(rounds)
        rate = _rounds_a_second(rounds, options.seconds / 4)
        if name == "mixed":
            label = f"rounds adjudicated a second, all three games mixed, {wagers:.0f} wagers each"
            yield Figure("adjudicate.rate", label, rate, better="higher", goal=5_000)
        else:
            yield f"{name}: {rate:,.0f} rounds a second of {wagers:.0f} wagers"


def _rounds_a_second(lines: list[bytes], seconds: float) -> float:
    count, began = 0, time.process_time()
    while (spent := time.process_time() - began) < seconds:
        line = lines[count % len(lines)]
        json.dumps(adjudicate(line))
        count += 1
    return count / spent


def _line(draw: random.Random, key: str) -> bytes:
    rules = Rules.of(key)
    made = {"sic-bo": _sic_bo, "high-roll": _high_roll, "football": _football}[rules.edition.game]
    throws, wagers = made(draw, rules)
    return json.dumps({"id": "x", "rules": key, "throws": throws, "wagers": wagers}).encode()


def _sic_bo(draw: random.Random, rules: Rules) -> tuple[list[Any], list[Any]]:
    codes = [wager_type.code for wager_type in game_of(rules).wager_types(rules)]
    seats = range(1, 5)
    wagers = [{"seat": seat, "wager": code, "cents": 500} for seat in seats for code in draw.sample(codes, 3)]
    return [[draw.randint(1, 6) for _ in range(3)]], wagers


def _high_roll(draw: random.Random, rules: Rules) -> tuple[list[Any], list[Any]]:
    """Make a round. Half of those with ten dice have an Extra Roll, which is thrown if dice are loose."""
    dice = rules.edition.dice
    codes = [wager_type.code for wager_type in game_of(rules).wager_types(rules)]
    pips, circles = ([code for code in codes if code.startswith(name)] for name in ("pip", "like"))
    wagers, extra = [], dice == 10 and draw.random() < 0.5
    for seat in range(1, 4):
        picked = (
            draw.sample(pips, 2) + draw.sample(circles, 2) + (["extra-roll"] if extra and seat == 1 else [])
        )
        wagers += [{"seat": seat, "wager": code, "cents": 1_000} for code in picked]
    first = [draw.randint(1, 6) for _ in range(dice)]
    loose = dice - max(first.count(face) for face in range(1, 7)) if extra else 0
    return [first, *([[draw.randint(1, 6) for _ in range(loose)]] if loose else [])], wagers


def _football(draw: random.Random, rules: Rules) -> tuple[list[Any], list[Any]]:
    full = [
        wager_type.code
        for wager_type in game_of(rules).wager_types(rules)
        if wager_type.code not in SINGLE_PLAY_CODES
    ]
    wagers = [
        {"seat": seat, "wager": code, "cents": 500} for seat in range(1, 4) for code in draw.sample(full, 2)
    ]
    throws: list[Any] = []
    laid = game_of(rules).open_round(rules).wagers
    while not game_of(rules).result(rules, laid, throws).ending:
        play = len(throws) + 1
        wagers += [
            {"seat": seat, "wager": code, "cents": 500, "play": play}
            for seat, code in enumerate(draw.sample(SINGLE_PLAY_CODES, 2), start=1)
        ]
        throws.append(tuple(draw.randint(1, 6) for _ in range(3)))
    scored = game_of(rules).result(rules, laid, throws).ending in ("touchdown", "trips-td")
    if scored and any(wager_type["wager"] == "extra-point" for wager_type in wagers):
        throws.append([draw.randint(1, 6) for _ in range(3)])
    return throws, wagers

"""Odds, and rounds on paper as `adjudicate` reads them: no database is asked."""

import json
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.golden.installation import manage

Json = dict[str, Any]
RULES = ("pa-539", "nj-19-47-9", "pa-625a/A", "pa-625a/B", "pa-675a", "pa-675a.6", "pa-577")
SIC_BO_RULES = RULES[:4]
PAYOUTS: tuple[tuple[str, Json], ...] = (
    ("pa-539", {"three-of-a-kind": "180 to 1", "total:4": "60 to 1", "two-dice": "6 to 1"}),
    ("nj-19-47-9", {"two-dice": "6 to 1", "total:9": "7 to 1"}),
    ("nj-19-47-9", {"three-of-a-kind": "250 to 1"}),
    ("pa-539", {"two-dice": "1 to 1"}),
    ("pa-539", {"no-such-wager": "9 to 1"}),
    ("pa-625a/A", {"two-dice": "6 to 1"}),
)


def odds(folder: Path) -> list[Json]:
    """Every `odds` of every rules key: as JSON, as a table, with other payouts, and refused."""
    answers = []
    for key in (*RULES, "pa-625a@2019-08-31/A", "pa-999"):
        for options in ((), ("--json",)):
            text, status = manage("odds", key, *options)
            answers.append({"words": [key, *options], "status": status, "out": _as_json(text)})
    for key, payouts in PAYOUTS:
        file = folder / "payouts.json"
        file.write_text(json.dumps(payouts))
        text, status = manage("odds", key, "--json", "--payouts", str(file))
        answers.append({"words": [key, payouts], "status": status, "out": _as_json(text)})
    return answers


def _as_json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def sic_bo_codes() -> list[str]:
    pairs = [f"two-dice:{low}-{high}" for low in range(1, 7) for high in range(low + 1, 7)]
    faces = [
        f"{family}:{n}"
        for family in ("three-of-a-kind", "two-of-a-kind", "one-of-a-kind")
        for n in range(1, 7)
    ]
    return [*faces, "any-three-of-a-kind", *(f"total:{n}" for n in range(4, 18)), *pairs, "small", "big"]


SINGLE_PLAY = (
    "trips-td", "penalty", "turnover", "cover-three", "no-gain", "big-play", "over-four", "under-four",
)  # fmt: skip
FULL_GAME = (
    "touchdown", "defense", "extra-point", "quick-strike", "game-changer",
    *(f"game-length:{n}" for n in range(1, 7)),
)  # fmt: skip
STAKES = (500, 1_000, 2_500, 5_000, 10_000)


def some_dice(draw: random.Random, count: int, *, alike: float = 0.0) -> list[int]:
    """Faces of a throw; with the chance `alike` each die shows the same face as the first."""
    first = draw.randint(1, 6)
    return [first if draw.random() < alike else draw.randint(1, 6) for _ in range(count)]


def matching(dice: Sequence[int]) -> int:
    """How many dice show the face that shows most often."""
    return max(dice.count(face) for face in set(dice))


def high_roll_lines(draw: random.Random, dice: int, stakes: Sequence[int] = STAKES) -> list[Json]:
    """One seat's wagers of one unit: some of Pip Street, some circles, perhaps an Extra Roll and Millionaire Row."""
    unit = draw.choice(stakes)
    circles = [f"like-kind:{n}" for n in range(2, 9 if dice == 10 else 7)]
    circles += ["like-kind:none"] if dice == 6 else []
    codes = draw.sample([f"pip:{n}" for n in range(1, 7)], draw.randint(1, 3))
    bet_circles = draw.sample(circles, draw.randint(0, 4))
    codes += bet_circles
    if dice == 10 and bet_circles and draw.random() < 0.5:
        codes.append("extra-roll")
    lines = [{"wager": code, "cents": unit} for code in codes]
    if dice == 10 and draw.random() < 0.4:
        lines.append({"wager": draw.choice(("millionaire:9", "millionaire:10")), "cents": 100})
    return lines


def paper_rounds() -> list[Json]:
    """Some hundred rounds of all rules, good and bad, as `adjudicate` reads them."""
    draw = random.Random(577)
    rounds = [round_ for key in SIC_BO_RULES for _ in range(60) for round_ in [_sic_bo_round(draw, key)]]
    rounds += [
        round_
        for key in ("pa-675a", "pa-675a.6")
        for _ in range(60)
        for round_ in [_high_roll_round(draw, key)]
    ]
    for _ in range(40):
        rounds += _football_rounds(draw)
    return [{"id": f"r{number}", **round_} for number, round_ in enumerate(rounds)]


def _sic_bo_round(draw: random.Random, key: str) -> Json:
    codes = sic_bo_codes()
    wagers = [
        {"seat": draw.randint(1, 8), "wager": draw.choice(codes), "cents": draw.choice((*STAKES, 100, 33, 1))}
        for _ in range(draw.randint(1, 12))
    ]
    line: Json = {"rules": key, "throws": [some_dice(draw, 3, alike=0.25)], "wagers": wagers}
    chance = draw.random()
    if chance < 0.1:
        line["throws"] = [{"void": draw.choice(("a die is cocked", "off the table"))}]
    elif chance < 0.15:
        line |= {"throws": [], "voided": "the light failed"}
    elif chance < 0.2:
        line["throws"].append(some_dice(draw, 3))
    elif chance < 0.25:
        line["throws"][0][0] = draw.choice((0, 7, True, 2.5, "4", None))
    if key in ("pa-539", "nj-19-47-9") and draw.random() < 0.3:
        line["payouts"] = {"three-of-a-kind": "200 to 1", "two-dice": "6 to 1"}
    return line


def _high_roll_round(draw: random.Random, key: str) -> Json:
    dice = 10 if key == "pa-675a" else 6
    seats = draw.sample(range(1, 7), draw.randint(1, 4))
    wagers = [{"seat": seat, **line} for seat in seats for line in high_roll_lines(draw, dice)]
    first = some_dice(draw, dice, alike=draw.choice((0.1, 0.4, 0.8)))
    throws: list[Any] = [first]
    loose = dice - matching(first)
    if loose and any(wager["wager"] == "extra-roll" for wager in wagers):
        throws.append(some_dice(draw, loose, alike=0.4))
        if draw.random() < 0.2:
            throws[1] = [first[0]] * loose
    line: Json = {"rules": key, "throws": throws, "wagers": wagers}
    chance = draw.random()
    if chance < 0.1:
        throws.insert(0, {"void": "off the table"})
    elif chance < 0.15:
        line["voided"] = "the fire alarm"
    elif chance < 0.2:
        throws.pop()
    elif chance < 0.25:
        wagers[-1]["cents"] += 500
    if draw.random() < 0.3:
        line["payout_limit_cents"] = draw.choice((100_000, 2_500_000, 5_000_000))
    return line


def _football_rounds(draw: random.Random) -> list[Json]:
    """The same game after each of its throws: one of them is its end, and the others say what is missing."""
    seats = draw.sample(range(1, 17), 4)
    full: list[Json] = [
        {"seat": seat, "wager": code, "cents": draw.choice(STAKES)}
        for seat in seats
        for code in draw.sample(FULL_GAME, draw.randint(1, 4))
        if draw.random() < 0.8
    ]
    single: list[Json] = [
        {"seat": seat, "wager": code, "cents": draw.choice(STAKES), "play": play}
        for play in range(1, 7)
        for seat in draw.sample(seats, 2)
        for code in draw.sample(SINGLE_PLAY, 2)
    ]
    throws: list[Any] = [some_dice(draw, 3, alike=0.2) for _ in range(8)]
    if draw.random() < 0.3:
        throws.insert(draw.randint(0, 2), {"void": "cocked"})
    rounds = []
    for count in range(1, 9):
        valid_throws = sum(isinstance(throw, list) for throw in throws[:count])
        laid = full + [wager for wager in single if wager["play"] <= valid_throws]
        rounds.append({"rules": "pa-577", "throws": throws[:count], "wagers": laid})
    rounds.append({"rules": "pa-577", "throws": throws[:2], "wagers": full, "voided": "the lights went out"})
    return rounds


BAD_LINES = (
    b"", b"not json", b"[]", b"17", b'{"id": 1}', b'{"id": 1.5, "rules": "pa-539"}', b"\xff\xfe",
    b'{"id": "a", "id": "b", "rules": "pa-539", "throws": [[1,2,3]], "wagers": []}',
    b'{"id": "a", "rules": "pa-999", "throws": [[1,2,3]], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [], "more": 1}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]]}',
    b'{"id": "a", "rules": "pa-539", "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 0, "wager": "small", "cents": 500}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "huge", "cents": 500}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "small", "cents": 0}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "small", "cents": true}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "small"}]}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2]], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [{"void": ""}], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [{"void": "x", "dice": 1}], "wagers": []}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [], "voided": ""}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [], "payout_limit_cents": null}',
    b'{"id": "a", "rules": "pa-539", "throws": [[1,2,3]], "wagers": [NaN]}',
    b'{"id": "a", "rules": "pa-577", "throws": [[1,2,3]], "wagers": [{"seat": 1, "wager": "no-gain", "cents": 5}]}',
    b'{"id": "a", "rules": "pa-675a.6", "throws": [[1,1,1,1,1,1]], "wagers": [{"seat": 1, "wager": "pip:1"}]}',
)  # fmt: skip


def adjudicated() -> str:
    """What `adjudicate` answers to all of these."""
    lines = [json.dumps(round_).encode() for round_ in paper_rounds()]
    return manage("adjudicate", stdin=b"\n".join([*lines, *BAD_LINES]) + b"\n")[0]

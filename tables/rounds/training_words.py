"""Sentences about training."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

TITLES: dict[str, Any] = {
    "draw-first": "Throw the dice",
    "dice-drawn-already": "Dice already thrown",
    "not-these-dice": "Read them again",
}

SENTENCES: dict[str, Any] = {
    "draws-only-in-training": "%(table)s is not a training table. People throw the dice there.",
    "dice-drawn-already": "The dice of round %(round)s are already thrown. Call what they show.",
    "draw-first": "The dice of round %(round)s have not been thrown yet. Throw them, then call them.",
    "not-these-dice": "These are not the dice on the table. Read them again.",
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "dice.drawn": lambda data: "Dice %s thrown by the machine" % " ".join(map(str, data["dice"])),
}


register(titles=TITLES, sentences=SENTENCES, act_lines=ACT_LINES)

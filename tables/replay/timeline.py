"""The steps of a round on a line: half by their time, half by their order, so that no two fall together."""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from tables.replay.history import ReplayStep

LEFT, RIGHT, WIDTH = 8, 592, 600
LETTER = 6.6  # about the width of one in the line's labels
LABELS = {
    "wagers.placed": "Wagers",
    "bets.closed": "No more bets",
    "round.settled": "Dice",
    "throw.settled": "Dice",
    "round.settled_by_hand": "By hand",
    "round.recorded_by_hand": "On paper",
    "dice.corrected": "Corrected",
    "wager.missed": "Mended",
    "wager.struck": "Mended",
    "losers.taken": "Take",
    "winners.paid": "Pay",
    "seats.settled": "Settle",
    "layout.cleared": "Clear",
    "throw.no_roll": "No roll",
    "round.no_roll": "No roll",
    "round.voided": "Void",
    "dispute.reported": "Dispute",
    "slip.filed": "Slip",
}


class Tick(NamedTuple):
    """A step on the line: where it stands, and whether the replay has come to it."""

    x: str
    step: int
    state: str  # gone, here, later


class Label(NamedTuple):
    """A word under the line."""

    x: str
    text: str


class Timeline(NamedTuple):
    """The line, in a box of 600 by 36."""

    ticks: list[Tick]
    labels: list[Label]
    here: str


def timeline_of(steps: Sequence[ReplayStep], place: int) -> Timeline:
    """The line of these steps, with the step at `place` chosen."""
    positions = _positions(steps)
    states = [
        "gone" if number < place else "here" if number == place else "later"
        for number in range(len(positions))
    ]
    ticks = [
        Tick(f"{x:.1f}", number + 1, state)
        for number, (x, state) in enumerate(zip(positions, states, strict=True))
    ]
    return Timeline(ticks, _labels(steps, positions), ticks[place].x)


def _positions(steps: Sequence[ReplayStep]) -> list[float]:
    """Time counts while the round is played; what is said of it later follows at its end."""
    moments = [dt.datetime.fromisoformat(step.entry.at).timestamp() for step in steps]
    played = [moment for moment, step in zip(moments, steps, strict=True) if step.is_round_act] or moments
    first, span = played[0], max(played[-1] - played[0], 1e-6)
    last_place = max(len(steps) - 1, 1)
    shares = [min(max((moment - first) / span, 0.0), 1.0) for moment in moments]
    return [
        LEFT + (RIGHT - LEFT) * (share + place / last_place) / 2 if len(steps) > 1 else float(LEFT)
        for place, share in enumerate(shares)
    ]


def _labels(steps: Sequence[ReplayStep], positions: Sequence[float]) -> list[Label]:
    """A word for each kind of step where it first comes, as far as there is room."""
    labels: list[Label] = []
    last_text, last_end = "", -8.0
    for step, x in zip(steps, positions, strict=True):
        text = str(LABELS.get(step.entry.type, ""))
        width = LETTER * len(text)
        start = min(max(x - width / 2, 0), WIDTH - width)
        if not text or text == last_text or start < last_end + 8:
            continue
        labels.append(Label(f"{start:.1f}", text))
        last_text, last_end = text, start + width
    return labels

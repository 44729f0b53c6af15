"""The timeline of a round's steps, spaced half by time and half by order, so that no two steps overlap."""

import datetime as dt
from collections.abc import Sequence
from typing import NamedTuple

from tables.alerts.calls import DISPUTE_REPORTED
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.slips import SLIP_FILED
from tables.failures import ROUND_RECORDED_BY_HAND
from tables.replay.history import ReplayStep
from tables.rounds.no_rolls import ROUND_NO_ROLL, ROUND_VOIDED, THROW_NO_ROLL
from tables.rounds.play import (
    BETS_CLOSED,
    LAYOUT_CLEARED,
    LOSERS_TAKEN,
    ROUND_SETTLED,
    SEATS_SETTLED,
    THROW_SETTLED,
    WINNERS_PAID,
)
from tables.rounds.settlement import ROUND_SETTLED_BY_HAND
from tables.rounds.wagers import WAGERS_PLACED

LEFT, RIGHT, WIDTH = 8, 592, 600
LETTER = 6.6  # the approximate width of a letter in the labels
LABELS = {
    WAGERS_PLACED.name: "Wagers",
    BETS_CLOSED.name: "No more bets",
    ROUND_SETTLED.name: "Dice",
    THROW_SETTLED.name: "Dice",
    ROUND_SETTLED_BY_HAND.name: "By hand",
    ROUND_RECORDED_BY_HAND.name: "On paper",
    DICE_CORRECTED.name: "Corrected",
    WAGER_MISSED.name: "Missed",
    WAGER_STRUCK.name: "Struck",
    LOSERS_TAKEN.name: "Take",
    WINNERS_PAID.name: "Pay",
    SEATS_SETTLED.name: "Settle",
    LAYOUT_CLEARED.name: "Clear",
    THROW_NO_ROLL.name: "No roll",
    ROUND_NO_ROLL.name: "No roll",
    ROUND_VOIDED.name: "Void",
    DISPUTE_REPORTED.name: "Dispute",
    SLIP_FILED.name: "Slip",
}


class Tick(NamedTuple):
    """A step on the timeline: its position, and whether the replay has reached it."""

    x: str
    step: int
    state: str  # past, current, later


class Label(NamedTuple):
    """A word under the timeline."""

    x: str
    text: str


class Timeline(NamedTuple):
    """The timeline, in a box of 600 by 36."""

    ticks: list[Tick]
    labels: list[Label]
    here: str


def timeline_of(steps: Sequence[ReplayStep], place: int) -> Timeline:
    """Build the timeline of these steps, with the step at `place` selected."""
    positions = _positions(steps)
    states = [
        "past" if number < place else "current" if number == place else "later"
        for number in range(len(positions))
    ]
    ticks = [
        Tick(f"{x:.1f}", number + 1, state)
        for number, (x, state) in enumerate(zip(positions, states, strict=True))
    ]
    return Timeline(ticks, _labels(steps, positions), ticks[place].x)


def _positions(steps: Sequence[ReplayStep]) -> list[float]:
    """Time counts while the round is played; later entries follow at its end."""
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
    """A word where each kind of step first occurs, as far as there is room."""
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

"""The drawings of the dice watch: geometry in pixels for attributes of SVG, at the size at which they are shown."""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

from games.dice_watch import deviations, sigma
from tables.dice_watch.words import sigma_words

BAND = 2  # standard deviations
FACES_LEFT, FACES_MIDDLE, FACES_RIGHT = 68, 150, 232  # of the band
FACES_LEAST, FACES_MOST = 40, 260
ROW_TOP, ROW_HEIGHT = 42, 32
LINE_LEFT, LINE_RIGHT, LINE_TOP, LINE_FOOT = 64, 304, 20, 190
LOWEST_LOG = math.log(1 / 1000)
DRAWN_POINTS = 400


@dataclass(frozen=True)
class FaceRow:
    """The count of one face: where its dot is, and its words."""

    face: int
    x: str
    y: int
    count: int
    deviation: str
    is_outside: bool


@dataclass(frozen=True)
class FacesPlot:
    """The faces against their expectation, in a band of two standard deviations."""

    rows: list[FaceRow]
    expected: int
    band: int
    label: str


def faces_plot(counts: Sequence[int]) -> FacesPlot | None:
    """Draw the six counts; None before the first throw."""
    if not sum(counts):
        return None
    pixels = (FACES_RIGHT - FACES_MIDDLE) / BAND
    rows = [
        FaceRow(
            face,
            f"{min(FACES_MOST, max(FACES_LEAST, FACES_MIDDLE + deviation * pixels)):.1f}",
            ROW_TOP + ROW_HEIGHT * (face - 1) + ROW_HEIGHT // 2,
            count,
            sigma_words(deviation),
            abs(deviation) > BAND,
        )
        for face, (count, deviation) in enumerate(zip(counts, deviations(counts), strict=True), 1)
    ]
    expected = round(sum(counts) / len(counts))
    words = ", ".join(f"{row.face}: {row.count:,} ({row.deviation} σ)" for row in rows)
    return FacesPlot(
        rows, expected, round(BAND * sigma(sum(counts))), f"Faces against {expected:,} expected. {words}"
    )


@dataclass(frozen=True)
class EvidenceLine:
    """The evidence by time on a logarithmic scale, with the alarm line.

    `rose`: since when it has been above 1 at the end of every hour or day, in words; empty where it is not.
    """

    points: str
    last_x: str
    last_y: str
    alarm_y: str
    even_y: str
    days: list[tuple[str, str]]
    rose: str = ""
    rose_x: str = ""


def evidence_line(
    points: Sequence[tuple[dt.datetime, float]], first: dt.datetime, log_alarm: float
) -> EvidenceLine | None:
    """Draw evidence from 1 at the first round on; None without points: moments in local time, and logarithms."""
    if not points:
        return None
    first = min(first, points[0][0])
    every = -(-len(points) // DRAWN_POINTS)
    drawn = [(first, 0.0), *points[:-1:every], points[-1]]
    seconds = max(1.0, (points[-1][0] - first).total_seconds())
    highest = max(log_alarm, *(log for _moment, log in drawn)) + 1

    def x_of(moment: dt.datetime) -> float:
        return LINE_LEFT + (LINE_RIGHT - LINE_LEFT) * (moment - first).total_seconds() / seconds

    def y_of(log: float) -> str:
        share = (max(log, LOWEST_LOG) - LOWEST_LOG) / (highest - LOWEST_LOG)
        return f"{LINE_FOOT - (LINE_FOOT - LINE_TOP) * share:.1f}"

    last = points[-1]
    at_most_even = [moment for moment, log in points if log <= 0]
    rose_at = (at_most_even[-1] if at_most_even else first) if last[1] > 0 else None
    ends = [(first, LINE_LEFT), (last[0], LINE_RIGHT)]
    within_days = last[0].date() == first.date()
    days = [(str(x), f"{moment:%H:%M}" if within_days else f"{moment.day} {moment:%b}") for moment, x in ends]
    return EvidenceLine(
        " ".join(f"{x_of(moment):.1f},{y_of(log)}" for moment, log in drawn),
        f"{x_of(last[0]):.1f}",
        y_of(last[1]),
        y_of(log_alarm),
        y_of(0),
        days,
        f"{rose_at.day} {rose_at:%b %H:%M}" if rose_at else "",
        f"{x_of(rose_at):.1f}" if rose_at else "",
    )

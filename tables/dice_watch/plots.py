"""The drawings of the dice watch, at the size at which they are shown."""

import datetime as dt
import math
from collections.abc import Sequence
from dataclasses import dataclass

from games.dice_watch import deviations, sigma
from games.kit.plots import Circle, Line, Mark, Path, Plot, Rect, Scale, Sign, Text
from tables.dice_watch.words import sigma_words

BAND = 2  # standard deviations
FACES_WIDTH, FACES_HEIGHT = 400, 242
FACES_LEFT, FACES_MIDDLE, FACES_RIGHT = 68, 150, 232  # of the band
FACES_LEAST, FACES_MOST = 40, 260
DEVIATION_X, COUNT_X = 318, 388
HEADS_Y, BAND_TOP, ROW_TOP, ROW_HEIGHT = 24, 34, 42, 32
DIE = 22
LINE_WIDTH, LINE_HEIGHT = 400, 216
LINE_LEFT, LINE_RIGHT, LINE_TOP, LINE_FOOT = 64, 304, 20, 190
WORDS_X = 316
LOWEST_LOG = math.log(1 / 1000)
DRAWN_POINTS = 400


def faces_plot(counts: Sequence[int]) -> Plot | None:
    """Draw the six counts against their expectation, in a band of two standard deviations; None before a throw."""
    if not sum(counts):
        return None
    expected, band = round(sum(counts) / len(counts)), round(BAND * sigma(sum(counts)))
    x_of, foot = Scale(0, BAND, FACES_MIDDLE, FACES_RIGHT), FACES_HEIGHT - 4
    marks: list[Mark] = [
        Rect(FACES_LEFT, BAND_TOP, FACES_RIGHT - FACES_LEFT, foot - BAND_TOP, "watch-band"),
        Line(FACES_MIDDLE, BAND_TOP, FACES_MIDDLE, foot, "watch-mid"),
        Text(FACES_LEFT, HEADS_Y, f"−{band:,}", anchor="middle"),
        Text(FACES_MIDDLE, HEADS_Y, f"{expected:,}", anchor="middle"),
        Text(FACES_RIGHT, HEADS_Y, f"+{band:,}", anchor="middle"),
        Text(DEVIATION_X, HEADS_Y, "σ", anchor="end"),
        Text(COUNT_X, HEADS_Y, "thrown", anchor="end"),
    ]
    words = []
    for face, (count, deviation) in enumerate(zip(counts, deviations(counts), strict=True), 1):
        x, y = x_of(deviation), ROW_TOP + ROW_HEIGHT * (face - 1) + ROW_HEIGHT // 2
        x, outside = min(FACES_MOST, max(FACES_LEAST, x)), " watch-outside" if abs(deviation) > BAND else ""
        marks += [
            Sign(0, y - DIE // 2, DIE, f"d{face}", f"watch-die{outside}"),
            Line(FACES_MIDDLE, y, x, y, "watch-stem"),
            Circle(x, y, 4.5, f"watch-dot{outside}"),
            Text(DEVIATION_X, y + 5, sigma_words(deviation), outside.strip(), "end"),
            Text(COUNT_X, y + 5, f"{count:,}", outside.strip(), "end"),
        ]
        words.append(f"{face}: {count:,} ({sigma_words(deviation)} σ)")
    said = f"Faces against {expected:,} expected. {', '.join(words)}"
    return Plot(FACES_WIDTH, FACES_HEIGHT, marks, "watch-plot", said)


@dataclass(frozen=True)
class EvidenceWords:
    """What stands beside the line of the evidence: how strong it is now, and where the alarm is."""

    now: str
    alarm: str
    is_found: bool


@dataclass(frozen=True)
class EvidenceLine:
    """The evidence by time on a logarithmic scale, with the alarm line.

    `rose`: since when it has been above 1 at the end of every hour or day, in words; empty where it is not.
    """

    plot: Plot
    rose: str


def evidence_line(
    points: Sequence[tuple[dt.datetime, float]], first: dt.datetime, log_alarm: float, words: EvidenceWords
) -> EvidenceLine | None:
    """Draw evidence from 1 at the first round on; None without points: moments in local time, and logarithms."""
    if not points:
        return None
    first = min(first, points[0][0])
    every = -(-len(points) // DRAWN_POINTS)
    drawn = [(first, 0.0), *points[:-1:every], points[-1]]
    last_moment, last_log = points[-1]
    seconds = max(1.0, (last_moment - first).total_seconds())
    highest = max(log_alarm, *(log for _moment, log in drawn)) + 1
    x_of, y_of_log = (
        Scale(0, seconds, LINE_LEFT, LINE_RIGHT),
        Scale(LOWEST_LOG, highest, LINE_FOOT, LINE_TOP),
    )

    def point(moment: dt.datetime, log: float) -> tuple[float, float]:
        return x_of((moment - first).total_seconds()), y_of_log(max(log, LOWEST_LOG))

    at_most_even = [moment for moment, log in points if log <= 0]
    rose_at = (at_most_even[-1] if at_most_even else first) if last_log > 0 else None
    rose = f"{rose_at.day} {rose_at:%b %H:%M}" if rose_at else ""
    (now_x, now_y), alarm_y, even_y = point(last_moment, last_log), y_of_log(log_alarm), y_of_log(0)
    marks: list[Mark] = []
    if rose_at:
        rose_x = point(rose_at, 0)[0]
        marks.append(Line(rose_x, LINE_TOP, rose_x, LINE_FOOT, "watch-rose"))
    marks += [
        Line(LINE_LEFT, alarm_y, LINE_RIGHT, alarm_y, "watch-alarm"),
        Text(0, alarm_y, words.alarm, "watch-alarm-text", below=4),
        Text(WORDS_X, alarm_y, "alarm", "watch-alarm-text", below=4),
        Line(LINE_LEFT, even_y, LINE_RIGHT, even_y, "watch-even"),
        Text(0, even_y, "1", below=4),
        Line(LINE_LEFT, LINE_FOOT, LINE_RIGHT, LINE_FOOT, "watch-rule"),
        Text(0, LINE_FOOT + 4, "1/1,000"),
        Path([point(moment, log) for moment, log in drawn], "watch-line"),
        Circle(now_x, now_y, 4, "watch-dot"),
        Text(WORDS_X, now_y, f"{words.now} now", "watch-now", below=22 if words.is_found else 4),
        Text(LINE_LEFT, LINE_HEIGHT - 4, _day(first, first, last_moment)),
        Text(LINE_RIGHT, LINE_HEIGHT - 4, _day(last_moment, first, last_moment), anchor="end"),
    ]
    said = f"Evidence against fair dice: {words.now} now, alarm at {words.alarm}"
    said += f", above 1 since {rose}" if rose else ""
    return EvidenceLine(Plot(LINE_WIDTH, LINE_HEIGHT, marks, "watch-plot", said), rose)


def _day(moment: dt.datetime, first: dt.datetime, last: dt.datetime) -> str:
    """A label of the axis: within a day, the time."""
    return f"{moment:%H:%M}" if first.date() == last.date() else f"{moment.day} {moment:%b}"

"""The pages of the dice watch: a lot or shaker in full, the lots in use, and counts of a table or of days.

The drawings are made first, at the size at which they are shown: how often each face fell beside the band of fair dice,
and the evidence as it grew. Nobody but staff sees them.
"""

import datetime as dt
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from games.dice_watch import (
    Comparison,
    DiceTally,
    comparisons,
    deviations,
    log_evidence,
    sigma,
    total_chances,
)
from games.kit.plots import Circle, Line, Mark, Path, Plot, Rect, Scale, Sign, Text
from games.models import Facility
from tables.dice_watch.counting import evidence_words, rarity_words, sigma_words, years_words
from tables.models import DiceLot, HourOfDice, Table, WatchedDice
from tables.models.dice import CountedDice

# The drawings

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
    description = f"Faces against {expected:,} expected. {', '.join(words)}"
    return Plot(FACES_WIDTH, FACES_HEIGHT, marks, "watch-plot", description)


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
    description = f"Evidence against fair dice: {words.now} now, alarm at {words.alarm}"
    description += f", above 1 since {rose}" if rose else ""
    return EvidenceLine(Plot(LINE_WIDTH, LINE_HEIGHT, marks, "watch-plot", description), rose)


def _day(moment: dt.datetime, first: dt.datetime, last: dt.datetime) -> str:
    """A label of the axis: within a day, the time."""
    return f"{moment:%H:%M}" if first.date() == last.date() else f"{moment.day} {moment:%b}"


# The pages


Kind = WatchedDice.Kind
PAST_LOTS = 60
WatchState = Literal["nothing", "watching", "found"]
OUTSIDE, FAR_OUTSIDE = 2, 3  # standard deviations
WATCHED_FROM = 100  # evidence: fair dice ever reach it for at most one lot in so many


@dataclass(frozen=True)
class WatchRow:
    """A lot or a shaker in a list."""

    watched: WatchedDice
    evidence: str
    highest: str
    line: str
    state: WatchState


@dataclass(frozen=True)
class TotalRow:
    """How often a total came up, with its expectation and the deviation."""

    total: int
    count: int
    expected: str
    deviation: str
    is_outside: bool


@dataclass(frozen=True)
class Watch:
    """A lot or a shaker in full: the sentence first, the faces, the totals, and the evidence by time."""

    watched: WatchedDice
    title: str
    sentence: str
    text: str
    state: WatchState
    is_in_use: bool
    faces: Plot | None
    colors: list[tuple[str, Plot]]
    totals: list[TotalRow]
    line: EvidenceLine | None
    evidence: str
    alarm: str
    dice: int
    years: str
    section: str


def watch_of(watched: WatchedDice) -> Watch:
    """Return a lot or shaker in full."""
    tally, line = watched.tally, f"{watched.alarm_line:,}"
    faces = faces_plot(tally.counts)
    highest, state = evidence_words(watched.highest), state_of(watched)
    if watched.found_at is not None:
        moment = watched.facility.local(watched.found_at)
        reached = evidence_words(watched.found_log_evidence or 0)
        sentence = "These dice need a look."
        text = (
            f"In round {watched.found_round:,}, on {moment.day} {moment:%b at %H:%M}, after "
            f"{watched.found_rounds:,} rounds, the evidence reached {reached}; the alarm line is {line}. "
            "Withdraw the dice and inspect them."
        )
    elif state == "watching":
        sentence = "Worth watching."
        text = f"{_far_off_words(tally, watched)} At {line} somebody is asked to look."
    else:
        sentence = "Nothing unusual."
        text = (
            f"{_within_words(tally)}. {_looks_words(watched)}: it never passed {highest}. At {line} somebody is asked "
            "to look."
        )
    return Watch(
        watched=watched,
        title=f"Lot {watched.name}" if watched.lot else f"Shaker {watched.name} in {watched.year}",
        sentence=sentence,
        text=text,
        state=state,
        is_in_use=is_in_use(watched),
        faces=faces,
        colors=[(color, plot) for color, plot in _color_plots(tally) if plot is not None],
        totals=total_rows(tally),
        line=_line(watched, EvidenceWords(evidence_words(watched.log_evidence), line, state == "found")),
        evidence=evidence_words(watched.log_evidence),
        alarm=line,
        dice=tally.dice,
        years=years_words(),
        section=watched.facility.law.section("guide.device"),
    )


def state_of(watched: WatchedDice) -> WatchState:
    """Return whether the alarm line was reached, or a count or the evidence is rare with fair dice."""
    if watched.found_at is not None:
        return "found"
    is_far_off = any(abs(compared.deviation) > FAR_OUTSIDE for compared in comparisons(watched.tally))
    return "watching" if is_far_off or watched.highest >= math.log(WATCHED_FROM) else "nothing"


def _far_off_words(tally: DiceTally, watched: WatchedDice) -> str:
    """Say what is rare about dice that are worth watching, among how many comparisons and looks."""
    compared = comparisons(tally)
    far_off = sorted(
        (comparison for comparison in compared if abs(comparison.deviation) > FAR_OUTSIDE),
        key=lambda comparison: comparison.chance,
    )
    sentences = []
    if far_off:
        names = ", ".join(f"{_name_of(row)} ({sigma_words(row.deviation)} σ)" for row in far_off)
        chance = len(compared) * far_off[0].chance
        sentences.append(
            f"Outside 3 σ: {names}. With fair dice one of these {len(compared)} comparisons is as far off as the first "
            f"in about {rarity_words(chance)}."
        )
    reached = evidence_words(watched.highest)
    sentences.append(f"{_looks_words(watched)}: its highest was {reached}.")
    if watched.highest >= math.log(WATCHED_FROM):
        sentences.append(f"Fair dice ever reach that for at most one lot or shaker in {reached}.")
    return " ".join(sentences)


def _within_words(tally: DiceTally) -> str:
    """Say how far the faces are from their expectation, where none is outside 3 σ."""
    faces = [row for row in comparisons(tally) if row.face]
    outside = [row for row in faces if abs(row.deviation) > OUTSIDE]
    if not outside:
        return "Every face is within 2 σ"
    names = ", ".join(f"{_name_of(row)} ({sigma_words(row.deviation)} σ)" for row in outside)
    return f"Outside 2 σ: {names}, of {len(faces)} compared. Chance alone puts about one of 22 there"


def _looks_words(watched: WatchedDice) -> str:
    looks = f"{watched.rounds:,} round{'s'[: watched.rounds != 1]}"
    return f"The evidence counts every look, after each of {looks}"


def _name_of(compared: Comparison) -> str:
    if compared.total:
        return f"total {compared.total}"
    return f"face {compared.face} of the {compared.color} dice" if compared.color else f"face {compared.face}"


def is_in_use(watched: WatchedDice) -> bool:
    """Whether the lot is in a shaker, or the shaker at a table."""
    if watched.lot is not None:
        return watched.lot.status == DiceLot.Status.PLACED
    return watched.shaker.table_id is not None and not watched.shaker.out_of_order


def _color_plots(tally: DiceTally) -> Iterable[tuple[str, Plot | None]]:
    return ((color, faces_plot(counts)) for color, counts in sorted(tally.faces.items()) if color)


def total_rows(tally: DiceTally) -> list[TotalRow]:
    """Return the totals of the throws of all dice, with their exact expectation."""
    rows = []
    for dice, counts in sorted(tally.totals.items()):
        throws = sum(counts)
        for offset, (count, chance) in enumerate(zip(counts, total_chances(int(dice)), strict=True)):
            expected, spread = throws * float(chance), math.sqrt(throws * float(chance * (1 - chance)))
            deviation = (count - expected) / spread if spread else 0.0
            expected_words = f"{expected:,.1f}" if expected < 1000 else f"{expected:,.0f}"
            rows.append(
                TotalRow(
                    int(dice) + offset, count, expected_words, sigma_words(deviation), abs(deviation) > 2
                )
            )
    return rows


def hours_of(watched: WatchedDice) -> list[HourOfDice]:
    """Return the counted hours of a lot, or of a shaker in its year, in order."""
    rows = HourOfDice.objects.order_by("hour", "pk")
    if watched.lot is not None:
        return list(rows.filter(lot=watched.lot))
    first, last = dt.date(watched.year, 1, 1), dt.date(watched.year, 12, 31)
    return list(rows.filter(shaker=watched.shaker, gaming_day__gte=first, gaming_day__lte=last))


def _line(watched: WatchedDice, words: EvidenceWords) -> EvidenceLine | None:
    facility, tally, points = watched.facility, DiceTally(), []
    rows = hours_of(watched)
    for number, row in enumerate(rows, 1):
        tally.add(row.tally)
        moment = min(row.hour + dt.timedelta(hours=1), watched.last_at)
        # a shaker has thousands of hours in a year
        if watched.lot is not None or number == len(rows) or rows[number].gaming_day != row.gaming_day:
            points.append((facility.local(moment), log_evidence(tally)))
    return evidence_line(points, facility.local(watched.first_at), math.log(watched.alarm_line), words)


def watched_rows(facility: Facility, kind: str = Kind.LIVE) -> tuple[list[WatchRow], list[WatchRow]]:
    """Return the lots in use and the shakers at tables of this year, those nearest to their alarm line first."""
    rows = WatchedDice.objects.filter(facility=facility, kind=kind).select_related("lot", "shaker", "table")
    lots = rows.filter(lot__status=DiceLot.Status.PLACED)
    newest = rows.filter(lot=None).order_by("-year").values_list("year", flat=True).first()
    shakers = rows.filter(lot=None, year=newest or 0, shaker__table__isnull=False, shaker__out_of_order=False)
    return _rows(lots), _rows(shakers)


def past_rows(facility: Facility, kind: str = Kind.LIVE) -> list[WatchRow]:
    """Return the lots that left play, those that were findings first, then the newest."""
    rows = WatchedDice.objects.filter(facility=facility, kind=kind, lot__isnull=False)
    rows = rows.exclude(lot__status=DiceLot.Status.PLACED).select_related("lot", "shaker", "table")
    newest = list(rows.order_by("-last_at")[:PAST_LOTS])
    findings = list(rows.filter(found_at__isnull=False).order_by("-found_at")[:PAST_LOTS])
    return [_row(row) for row in {row.pk: row for row in (*findings, *newest)}.values()]


def _rows(rows: Iterable[WatchedDice]) -> list[WatchRow]:
    ordered = sorted(
        rows, key=lambda row: (row.found_at is None, math.log(row.alarm_line) - row.highest, row.name)
    )
    return [_row(row) for row in ordered]


def _row(row: WatchedDice) -> WatchRow:
    return WatchRow(
        row,
        evidence_words(row.log_evidence),
        evidence_words(row.highest),
        f"{row.alarm_line:,}",
        state_of(row),
    )


@dataclass(frozen=True)
class LotAtTable:
    """A lot that was thrown at a table in some days: the rounds and dice of those days, and its highest evidence."""

    code: str
    first: dt.date
    last: dt.date
    rounds: int
    dice: int
    highest: str
    state: str
    has_finding: bool


def lots_at(table: Table, first: dt.date, last: dt.date) -> list[LotAtTable]:
    """Return the lots that were thrown at a table from one gaming day to another, the newest first."""
    hours = HourOfDice.objects.filter(table=table, gaming_day__range=(first, last)).order_by("hour", "pk")
    by_lot: dict[int, list[HourOfDice]] = defaultdict(list)
    for hour in hours:
        by_lot[hour.lot_id].append(hour)
    watched = WatchedDice.objects.filter(lot__in=by_lot).select_related("lot")
    rows = [_lot_at_table(row, by_lot[row.lot_id]) for row in watched if row.lot_id is not None]
    return sorted(rows, key=lambda row: (row.last, row.first, row.code), reverse=True)


def _lot_at_table(watched: WatchedDice, hours: list[HourOfDice]) -> LotAtTable:
    assert watched.lot is not None
    return LotAtTable(
        watched.lot.code,
        hours[0].gaming_day,
        hours[-1].gaming_day,
        sum(hour.rounds for hour in hours),
        sum(hour.tally.dice for hour in hours),
        evidence_words(watched.highest),
        watched.lot.get_status_display(),
        watched.found_at is not None,
    )


def watched_at(table: Table) -> WatchedDice | None:
    """Return the lot in the shaker of a table, or the last one that was counted there; None before the first round."""
    rows = WatchedDice.objects.filter(table=table, lot__isnull=False)
    rows = rows.select_related("lot", "shaker__table", "table", "facility")
    in_use = rows.filter(lot__status=DiceLot.Status.PLACED).order_by("-last_at").first()
    return in_use or rows.order_by("-last_at").first()


@dataclass(frozen=True)
class Period:
    """The counts of a table, a shaker, or the whole floor over some gaming days, without a verdict."""

    first: dt.date
    last: dt.date
    rounds: int
    throws: int
    faces: Plot | None
    totals: list[TotalRow]


def period(facility: Facility, kind: str, first: dt.date, last: dt.date, **of: Any) -> Period:
    """Return what was thrown from one gaming day to another, of one table or shaker by its code, or everywhere."""
    rows = HourOfDice.objects.filter(
        table__facility=facility, table__kind=kind, gaming_day__gte=first, gaming_day__lte=last
    )
    counted: list[CountedDice] = list(
        rows.filter(**{f"{name}__code": code for name, code in of.items() if code})
    )
    tally = DiceTally()
    for row in counted:
        tally.add(row.tally)
    rounds = sum(row.rounds for row in counted)
    return Period(first, last, rounds, tally.throws, faces_plot(tally.counts), total_rows(tally))

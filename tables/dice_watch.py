"""Count the dice of ended rounds, by lot and by shaker, weigh the evidence against fair dice, and raise its alerts.

The ticker counts the rounds that ended since it last counted, each table in a transaction of its own (`count_dice`).
A throw counts in its newest revision; a void throw does not. Dice that the machine of a training table drew are none.
After each round the evidence is weighed (`games.dice_watch`). A lot or a shaker whose throws speak against fair dice
is a finding: an alert while it is in use, and a case (`tables.cases.kinds`). Nothing happens by itself.

No entry states the counts. They are made again from the throws, which are compared with their entries.

Its pages show a lot or shaker in full, the lots in use, and counts of a table or of days. The drawings are made first,
at the size at which they are shown: how often each face fell beside the band of fair dice, and the evidence as it grew.
Nobody but staff sees them.
"""

import datetime as dt
import logging
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import Exists, F, Max, OuterRef, Q, QuerySet

from audit.columns import declare
from audit.logs import OutageLog
from games.dice_watch import (
    FALSE_ALARMS_A_YEAR,
    Comparison,
    DiceTally,
    comparisons,
    deviations,
    is_finding,
    log_evidence,
    sigma,
    total_chances,
)
from games.kit.plots import Circle, Line, Mark, Path, Plot, Rect, Scale, Sign, Text
from games.models import Facility
from games.registry import game_by_code
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_rule
from tables.models import (
    Case,
    DiceCursor,
    DiceLot,
    HourOfDice,
    Round,
    Shaker,
    Table,
    Throw,
    TickerStatus,
    WatchedDice,
)
from tables.models.dice import CountedDice

# Count the rounds that ended


COUNTED_KINDS = tuple(WatchedDice.Kind.values)
BATCH = 500  # rounds of a table that are counted in one transaction
ATTEMPTS = 5


class EndedRound(NamedTuple):
    """An ended round."""

    pk: int
    number: int
    gaming_day: dt.date
    ended_at: dt.datetime


class RoundDice(NamedTuple):
    """What one round threw with one lot."""

    lot: DiceLot
    shaker: Shaker
    tally: DiceTally


log = logging.getLogger(__name__)
MOST_ROUNDS = 2000  # of one run, so that the other checks of the ticker do not wait
_outages: dict[int, OutageLog] = {}


def count_dice() -> list[int]:
    """Count the dice of ended rounds at live and simulated tables, each table in a transaction of its own.

    No screen shows the counts, so no table changed. A table that fails is logged, and does not stop the others.
    """
    remaining = MOST_ROUNDS
    for table in uncounted_tables():
        if remaining <= 0:
            break
        outage = _outages.setdefault(
            table.pk,
            OutageLog(log, f"The dice watch of {table.stream.name}", "It is tried again.", traceback=True),
        )
        try:
            with transaction.atomic(durable=True):
                remaining -= count_table(table)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()
    return []


def uncounted_tables() -> QuerySet[Table]:
    """The tables with ended rounds that are not counted, those with the fewest counted rounds first."""
    ended = Round.objects.filter(table=OuterRef("pk"), ended_at__isnull=False)
    tables = Table.objects.filter(kind__in=COUNTED_KINDS, last_round__gt=0)
    uncounted = Q(Exists(ended.filter(number__gt=OuterRef("dice_cursor__last_round")))) | Q(
        Exists(ended), dice_cursor=None
    )
    return (
        tables.filter(uncounted)
        .select_related("facility", "stream")
        .order_by(F("dice_cursor__last_round").asc(nulls_first=True), "pk")
    )


def count_table(table: Table) -> int:
    """Count the next rounds of a table that ended, at most `BATCH`, and return how many were counted.

    The caller is in a transaction.
    """
    DiceCursor.objects.get_or_create(table=table)
    cursor = DiceCursor.objects.select_for_update(of=("self",)).get(table=table)
    rounds = ended_rounds(table, cursor.last_round)
    if not rounds:
        return 0
    dice_of = dice_of_rounds(table, [round_.pk for round_ in rounds])
    Counter(table).count(rounds, dice_of)
    cursor.last_round = rounds[-1].number
    cursor.save(update_fields=["last_round"])
    return len(rounds)


def ended_rounds(table: Table, after: int, most: int = BATCH) -> list[EndedRound]:
    """Return the rounds after this number that ended, in order. Only the newest round of a table may be live."""
    rows = Round.objects.filter(table=table, number__gt=after, ended_at__isnull=False).order_by("number")
    values = rows.values_list("pk", "number", "gaming_day", "ended_at")[:most]
    return [EndedRound(pk, number, day, ended_at) for pk, number, day, ended_at in values if ended_at]


def dice_of_rounds(table: Table, rounds: Iterable[int]) -> dict[int, list[RoundDice]]:
    """Return what each of these rounds threw, by its id and by lot."""
    colors = game_by_code(table.game).die_colors
    throws = Throw.objects.filter(round__in=list(rounds)).select_related("lot", "shaker")
    newest = {(throw.round_id, throw.number): throw for throw in throws.order_by("number", "revision")}
    counted: dict[int, dict[int, RoundDice]] = {}
    for throw in newest.values():
        if throw.void_reason or not throw.dice or throw.lot is None or throw.shaker is None:
            continue
        lots = counted.setdefault(throw.round_id, {})
        dice = lots.setdefault(throw.lot.pk, RoundDice(throw.lot, throw.shaker, DiceTally()))
        dice.tally.add_throw(throw.dice, len(colors) or throw.lot.dice, colors)
    return {pk: list(lots.values()) for pk, lots in counted.items()}


class Counter:
    """Adds rounds to the hours and to the watched lots and shakers of one table."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self.hours: dict[tuple[int, int, dt.date, dt.datetime], HourOfDice] = {}
        self.watched: dict[tuple[str, int, int], WatchedDice] = {}

    def count(self, rounds: Sequence[EndedRound], dice_of: dict[int, list[RoundDice]]) -> None:
        """Add these rounds in order, and save what changed."""
        for round_ in rounds:
            for dice in dice_of.get(round_.pk, ()):
                add_round(self.hour(round_, dice), round_.number, dice.tally)
                for watched in (self.watched_lot(round_, dice), self.watched_shaker(round_, dice)):
                    weigh(watched, round_, dice)
        for row in (*self.hours.values(), *self.watched.values()):
            row.save()

    def hour(self, round_: EndedRound, dice: RoundDice) -> HourOfDice:
        """Return the row of the hour in which the round ended."""
        hour = round_.ended_at.astimezone(dt.UTC).replace(minute=0, second=0, microsecond=0)
        key = (dice.lot.pk, dice.shaker.pk, round_.gaming_day, hour)
        if key not in self.hours:
            values = {
                "lot": dice.lot,
                "shaker": dice.shaker,
                "table": self.table,
                "gaming_day": round_.gaming_day,
                "hour": hour,
            }
            self.hours[key] = HourOfDice.objects.filter(**values).first() or HourOfDice(**values)
        return self.hours[key]

    def watched_lot(self, round_: EndedRound, dice: RoundDice) -> WatchedDice:
        """Return the row of the lot."""
        key = ("lot", dice.lot.pk, 0)
        if key not in self.watched:
            row = WatchedDice.objects.filter(lot=dice.lot).first()
            self.watched[key] = row or self._begin(round_, dice, dice.lot)
        return self.watched[key]

    def watched_shaker(self, round_: EndedRound, dice: RoundDice) -> WatchedDice:
        """Return the row of the shaker in the year of the round."""
        key = ("shaker", dice.shaker.pk, round_.gaming_day.year)
        if key not in self.watched:
            rows = WatchedDice.objects.filter(lot=None, shaker=dice.shaker, year=round_.gaming_day.year)
            self.watched[key] = rows.first() or self._begin(round_, dice, None)
        return self.watched[key]

    def _begin(self, round_: EndedRound, dice: RoundDice, lot: DiceLot | None) -> WatchedDice:
        """Give a lot or shaker the next place of the year. Another ticker may take the same one first."""
        group = {
            "facility": self.table.facility,
            "kind": self.table.kind,
            "year": round_.gaming_day.year,
        }
        for attempt in range(ATTEMPTS):
            last = WatchedDice.objects.filter(**group).aggregate(last=Max("place"))["last"] or 0
            try:
                with transaction.atomic():
                    return WatchedDice.objects.create(
                        **group,
                        place=last + 1,
                        lot=lot,
                        shaker=dice.shaker,
                        table=self.table,
                        first_at=round_.ended_at,
                        last_at=round_.ended_at,
                    )
            except IntegrityError:
                if attempt == ATTEMPTS - 1:
                    raise
        raise AssertionError


def add_round(row: CountedDice, number: int, tally: DiceTally) -> DiceTally:
    """Add what a round threw to a row, and return the new tally of the row."""
    counts = row.tally
    counts.add(tally)
    row.rounds += 1
    row.throws, row.faces, row.totals = counts.throws, counts.faces, counts.totals
    row.first_round, row.last_round = row.first_round or number, number
    return counts


def weigh(watched: WatchedDice, round_: EndedRound, dice: RoundDice) -> None:
    """Add a round to a lot or shaker, and compare the evidence with its alarm line."""
    counts = add_round(watched, round_.number, dice.tally)
    watched.last_at, watched.shaker = round_.ended_at, dice.shaker
    watched.log_evidence = log_evidence(counts)
    watched.highest = max(watched.highest, watched.log_evidence)
    if watched.found_at is None and is_finding(watched.log_evidence, watched.place):
        watched.found_at, watched.found_round = round_.ended_at, round_.number
        watched.found_rounds, watched.found_log_evidence = watched.rounds, watched.log_evidence


# Evidence in words


LARGE = 10_000_000
MILLION, TRILLION = 10**6, 10**12


def evidence_words(log: float) -> str:
    """Return evidence as people read it: "0.09", "4.2", "1,240"; beyond ten millions as a power of ten."""
    if log >= math.log(LARGE):
        return f"10^{math.floor(log / math.log(10))}"
    evidence = math.exp(log)
    if evidence >= 100:
        return f"{math.floor(evidence):,}"
    if evidence >= 0.01:
        return f"{evidence:.2g}" if evidence < 1 else f"{evidence:.1f}"
    return "under 0.01"


def years_words() -> str:
    """Return how often a floor of fair dice raises an alarm: "20 years"."""
    years = 1 / FALSE_ALARMS_A_YEAR
    return f"{math.floor(years)} years"


def rarity_words(chance: float) -> str:
    """Return how often something of this chance happens: "one look of 84 million", "one look of 12"."""
    if chance <= 0 or (looks := 1 / chance) >= TRILLION:
        return "one look of more than a trillion"
    if looks >= MILLION:
        return f"one look of {looks / MILLION:,.0f} million"
    return f"one look of {max(1, round(looks)):,}"


def sigma_words(deviation: float) -> str:
    """Return a deviation in standard deviations with its sign: "−0.4"."""
    return f"{'−' if deviation < -0.05 else '+' if deviation > 0.05 else ''}{abs(deviation):.1f}"


def range_words(first: int, last: int) -> str:
    """Return the numbers of rounds: "round 7", "rounds 1 to 1,240"."""
    return f"round {first:,}" if first == last else f"rounds {first:,} to {last:,}"


# Alerts about a finding


FINDING_TICKS = 30
CASE_KIND = "dice"


def describe_lot(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a lot."""
    return (
        f"Dice watch: look at lot {params['lot']}",
        f"Shaker {params['shaker']}, {_evidence(params)} Withdraw the lot and have it inspected, or decide its case.",
    )


def describe_shaker(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a shaker."""
    return (
        f"Dice watch: look at shaker {params['shaker']}",
        f"All its lots of the year, {_evidence(params)} Withdraw the dice, and have shaker and dice inspected.",
    )


def _evidence(params: Mapping[str, Any]) -> str:
    rounds = range_words(params["first_round"], params["round"])
    return f"{rounds}: the evidence against fair dice is {params['evidence']}, the alarm line is {params['alarm']:,}."


UNFAIR_LOT = AlertKind(
    "dice-watch",
    "dice-watch:lot:{lot}",
    Level.WARN,
    "Dice watch",
    "Dice watch",
    describe=describe_lot,
    at_the_pit=True,
)
UNFAIR_SHAKER = AlertKind(
    "dice-watch",
    "dice-watch:shaker:{shaker}",
    Level.WARN,
    "Dice watch",
    "Dice watch",
    describe=describe_shaker,
    at_the_pit=True,
)


def subject_of(watched: WatchedDice) -> str:
    """Return the subject of the case about a finding."""
    if watched.lot is not None:
        return f"lot:{watched.lot.code}"
    return f"shaker:{watched.shaker.code}:{watched.year}"


def findings(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return an alert for each finding whose dice or shaker are still in use at a live table.

    It ends when the lot leaves the shaker, or the shaker its table, or when the case about it is closed.
    """
    rows = WatchedDice.objects.filter(found_at__isnull=False, kind=WatchedDice.Kind.LIVE)
    in_use = [
        row
        for row in rows.select_related("lot", "shaker__table", "facility")
        if _table_id(row) is not None and table_id in (None, _table_id(row))
    ]
    if not in_use:
        return []
    closed = Case.objects.filter(kind=CASE_KIND, status=Case.Status.CLOSED)
    decided = set(closed.values_list("facility_id", "subject"))
    return [_alert(row) for row in in_use if (row.facility_id, subject_of(row)) not in decided]


def _table_id(row: WatchedDice) -> int | None:
    """Return the id of the live table where the lot or the shaker is in use now."""
    shaker = row.shaker
    if shaker.out_of_order or shaker.table is None or shaker.table.kind != Table.Kind.LIVE:
        return None
    if row.lot is not None and (row.lot.status != DiceLot.Status.PLACED or row.lot.shaker_id != shaker.pk):
        return None
    return shaker.table.pk


def _alert(row: WatchedDice) -> ExpectedAlert:
    table_id = _table_id(row)
    assert table_id is not None and row.found_log_evidence is not None and row.found_round is not None
    kind = UNFAIR_LOT if row.lot is not None else UNFAIR_SHAKER
    return kind.expected(
        table_id,
        section=row.facility.law.section("guide.device"),
        since=row.found_at,
        **({"lot": row.lot.code} if row.lot is not None else {}),
        shaker=row.shaker.code,
        first_round=row.first_round,
        round=row.found_round,
        evidence=evidence_words(row.found_log_evidence),
        alarm=row.alarm_line,
    )


alert_rule(AlertRule((UNFAIR_LOT, UNFAIR_SHAKER), findings, FINDING_TICKS))


# What is known of the columns


COUNTED = "counted from throws, which are compared; a count that was changed only changes what the watch says"


def of(names: str, about: str = COUNTED) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


declare(
    HourOfDice,
    "hour of dice",
    unproven=of("rounds throws faces totals first_round last_round lot shaker table gaming_day hour"),
)
declare(
    WatchedDice,
    "watched dice",
    unproven=of(
        "rounds throws faces totals first_round last_round facility kind year place lot shaker table first_at "
        "last_at log_evidence highest found_at found_round found_rounds found_log_evidence"
    ),
)
declare(DiceCursor, "dice cursor", unproven=of("table last_round"))
declare(
    TickerStatus,
    "ticker's status",
    unproven=of(
        "beat_at failing machines", "a service's last report, which is overwritten every few seconds"
    ),
)


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
class EvidenceLine:
    """The evidence by time on a logarithmic scale, with the alarm line.

    `rose`: since when it has been above 1 at the end of every hour or day, in words; empty where it is not.
    """

    plot: Plot
    rose: str


def evidence_line(
    points: Sequence[tuple[dt.datetime, float]],
    first: dt.datetime,
    log_alarm: float,
    *,
    now: str,
    alarm: str,
    is_found: bool,
) -> EvidenceLine | None:
    """Draw evidence from 1 at the first round on; None without points: moments in local time, and logarithms.

    `now` and `alarm` stand beside the line: how strong the evidence is now, and where the alarm is.
    """
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
        Text(0, alarm_y, alarm, "watch-alarm-text", below=4),
        Text(WORDS_X, alarm_y, "alarm", "watch-alarm-text", below=4),
        Line(LINE_LEFT, even_y, LINE_RIGHT, even_y, "watch-even"),
        Text(0, even_y, "1", below=4),
        Line(LINE_LEFT, LINE_FOOT, LINE_RIGHT, LINE_FOOT, "watch-rule"),
        Text(0, LINE_FOOT + 4, "1/1,000"),
        Path([point(moment, log) for moment, log in drawn], "watch-line"),
        Circle(now_x, now_y, 4, "watch-dot"),
        Text(WORDS_X, now_y, f"{now} now", "watch-now", below=22 if is_found else 4),
        Text(LINE_LEFT, LINE_HEIGHT - 4, _day(first, first, last_moment)),
        Text(LINE_RIGHT, LINE_HEIGHT - 4, _day(last_moment, first, last_moment), anchor="end"),
    ]
    description = f"Evidence against fair dice: {now} now, alarm at {alarm}"
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
        line=_line(watched, line, is_found=state == "found"),
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


def _line(watched: WatchedDice, alarm: str, *, is_found: bool) -> EvidenceLine | None:
    facility, tally, points = watched.facility, DiceTally(), []
    rows = hours_of(watched)
    for number, row in enumerate(rows, 1):
        tally.add(row.tally)
        moment = min(row.hour + dt.timedelta(hours=1), watched.last_at)
        # a shaker has thousands of hours in a year
        if watched.lot is not None or number == len(rows) or rows[number].gaming_day != row.gaming_day:
            points.append((facility.local(moment), log_evidence(tally)))
    return evidence_line(
        points,
        facility.local(watched.first_at),
        math.log(watched.alarm_line),
        now=evidence_words(watched.log_evidence),
        alarm=alarm,
        is_found=is_found,
    )


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

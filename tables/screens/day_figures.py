"""The figures of a table's rounds for screens: docs/figures.md, as `manage.py figures` has them.

From the tables of play. The pages of figures and the daily report compute the same from the record. What a round came
to is read once: only a slip changes it.
"""

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, NamedTuple

from django.db.models import Max, OuterRef, Subquery

from audit.models import Entry
from audit.rows import CompiledValues
from games import submissions
from games.engine import Rules
from games.engine.wagers import FEE, LOSE, WIN
from games.engine.wagers import Wager as EngineWager
from games.exposure import round_expectation
from games.models import RulesSubmission
from games.registry import game_of
from tables.core.entries import MISSHAPEN
from tables.core.figure_sums import RECENT, Sums
from tables.models import Round, Settlement, Slip, Throw
from tables.words.entries import data_of

LINE_ROUNDS = 260  # more than a screen draws
MAX_CACHED = 50_000  # rounds
NO_RESULT = frozenset({"void", "no-roll"})


class SettledRow(NamedTuple):
    """A round that ended settled, and the number of the newest entry that files a slip about it (0: none)."""

    number: int
    submission: int
    ended_at: dt.datetime
    slip_seq: int


@dataclass(frozen=True, slots=True)
class RoundSums:
    """What one settled round came to with its newest slip, in cents.

    `is_void`: a slip voided it, so that it counts nothing. `expected_win` and `variance` are None if not known.
    """

    number: int
    ended_at: dt.datetime
    handle_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    fees_cents: int = 0
    expected_win: Fraction | None = None
    variance: Fraction | None = None
    is_void: bool = False

    @property
    def win_cents(self) -> int:
        return self.taken_cents + self.fees_cents - self.paid_cents


class LinePoint(NamedTuple):
    """The win of a day, what was expected of it, and its band, after one of its rounds; None if not known."""

    win_cents: int
    expected_cents: int | None
    band_cents: int | None


@dataclass(frozen=True)
class DayFigures:
    """The sums of a table's day, and the points around its last rounds.

    `settled_at`: when its settled rounds ended, of the fifteen minutes before the newest.
    """

    sums: Sums
    settled_at: Sequence[dt.datetime]
    line: Sequence[LinePoint]


SETTLED_ROUNDS = CompiledValues(
    lambda table, day: (
        Round.objects.filter(table=table, gaming_day=day, phase="cleared")
        .exclude(ended_at=None)
        .annotate(
            slip_seq=Subquery(
                Slip.objects.filter(round=OuterRef("pk"))
                .order_by()
                .values("round")
                .annotate(newest=Max("filed_seq"))
                .values("newest")
            )
        )
        .order_by("number")
        .values_list("number", "submission", "ended_at", "slip_seq")
    )
)
SETTLEMENTS = CompiledValues(
    lambda table, first, last: (
        Settlement.objects.filter(
            wager__round__table=table,
            wager__round__number__gte=first,
            wager__round__number__lte=last,
            wager__round__phase="cleared",
            wager__struck=False,
        )
        .order_by("wager__round__number", "throw__number", "throw__revision", "place")
        .values_list(
            "wager__round__number",
            "wager",
            "wager__seat",
            "wager__code",
            "wager__play",
            "cents",
            "outcome",
            "paid_cents",
        )
    )
)
DICE = CompiledValues(
    lambda table, first, last: (
        Throw.objects.filter(round__table=table, round__number__gte=first, round__number__lte=last)
        .order_by("round__number", "number", "revision")
        .values_list("round__number", "number", "dice")
    )
)
_cache: dict[tuple[uuid.UUID, SettledRow], RoundSums] = {}


class Line(NamedTuple):
    """A wager as it was settled."""

    wager: EngineWager
    outcome: str
    paid_cents: int


def settled_rows(table_id: int, day: dt.date) -> list[SettledRow]:
    """Return the rounds of a gaming day that ended settled, in the order of their numbers."""
    return [
        SettledRow(number, submission, ended_at, slip_seq or 0)
        for number, submission, ended_at, slip_seq in SETTLED_ROUNDS(table_id, day)
    ]


def sums_of_rounds(
    uid: uuid.UUID, table_id: int, stream_id: int, rows: Sequence[SettledRow]
) -> list[RoundSums]:
    """Return what these settled rounds of a table came to. Only those that were not read before are read."""
    missing = [row for row in rows if (uid, row) not in _cache]
    if missing:
        if len(_cache) + len(missing) > MAX_CACHED:
            _cache.clear()
            missing = list(rows)
        for row, sums in zip(missing, _read_sums(table_id, stream_id, missing), strict=True):
            _cache[uid, row] = sums
    return [_cache[uid, row] for row in rows]


def day_figures(uid: uuid.UUID, table_id: int, stream_id: int, day: dt.date) -> DayFigures:
    """Return the figures of a table's gaming day. Void rounds and no rolls count nothing."""
    rounds = [
        sums
        for sums in sums_of_rounds(uid, table_id, stream_id, settled_rows(table_id, day))
        if not sums.is_void
    ]
    total, line = Sums(), [LinePoint(0, 0, 0)]
    drawn_from = len(rounds) - LINE_ROUNDS
    for place, round_ in enumerate(rounds):
        _add(total, round_)
        if place >= drawn_from - 1:
            is_known = total.is_known
            line.append(
                LinePoint(
                    total.win_cents,
                    total.expected_cents if is_known else None,
                    total.band_cents if is_known else None,
                )
            )
    ended = sorted(round_.ended_at for round_ in rounds)
    settled_at = [moment for moment in ended if moment > ended[-1] - RECENT]
    return DayFigures(total, settled_at, line if drawn_from <= 0 else line[1:])


def _add(total: Sums, round_: RoundSums) -> None:
    total.rounds += 1
    total.handle_cents += round_.handle_cents
    total.taken_cents += round_.taken_cents
    total.paid_cents += round_.paid_cents
    total.fees_cents += round_.fees_cents
    if round_.expected_win is None or round_.variance is None:
        total.unknown_rounds += 1
    else:
        total.expected.add(round_.expected_win)
        total.variance.add(round_.variance)


def _read_sums(table_id: int, stream_id: int, rows: Sequence[SettledRow]) -> list[RoundSums]:
    first, last = min(row.number for row in rows), max(row.number for row in rows)
    lines: dict[int, dict[int, Line]] = defaultdict(dict)
    for number, wager, seat, code, play, cents, outcome, paid in SETTLEMENTS(table_id, first, last):
        lines[number][wager] = Line(EngineWager(seat, code, cents, play or None), outcome, paid)
    rules_by_id = {
        submission.pk: submissions.rules_of(submission)
        for submission in RulesSubmission.objects.filter(pk__in={row.submission for row in rows})
    }
    dice = _dice(table_id, first, last, list(rules_by_id.values()))
    slips = _slips(stream_id, [row.slip_seq for row in rows if row.slip_seq])
    sums = []
    for row in rows:
        rules = rules_by_id[row.submission]
        if row.slip_seq:
            sums.append(_sums_of_slip(row, rules, slips.get(row.slip_seq, {})))
        else:
            sums.append(_sums(row, rules, list(lines[row.number].values()), dice.get(row.number, [])))
    return sums


def _slips(stream_id: int, seqs: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return what the entries that file these slips say, by their numbers."""
    if not seqs:
        return {}
    return {entry.seq: data_of(entry) for entry in Entry.objects.filter(stream=stream_id, seq__in=seqs)}


def _sums_of_slip(row: SettledRow, rules: Rules, slip: Mapping[str, Any]) -> RoundSums:
    """Return what the newest slip made of a round. Of an entry that cannot be read nothing is known."""
    try:
        if slip["ending"] in NO_RESULT:
            return RoundSums(row.number, row.ended_at, is_void=True)
        lines = [
            Line(
                EngineWager(int(line["seat"]), line["wager"], int(line["cents"]), line.get("play") or None),
                line["outcome"],
                int(line["paid_cents"]),
            )
            for line in slip["settled"]
        ]
        return _sums(row, rules, lines, [list(throw["dice"]) for throw in slip["throws"]])
    except MISSHAPEN:
        return RoundSums(row.number, row.ended_at)


def _sums(row: SettledRow, rules: Rules, lines: Sequence[Line], dice: Sequence[Sequence[int]]) -> RoundSums:
    played = [line for line in lines if line.outcome in (WIN, LOSE)]
    fees = [line for line in lines if line.outcome == FEE]
    wagers = [line.wager for line in lines if line.outcome in (WIN, LOSE, FEE)]
    expectation = round_expectation(rules, wagers, dice)
    return RoundSums(
        row.number,
        row.ended_at,
        handle_cents=sum(line.wager.cents for line in played),
        taken_cents=sum(line.wager.cents for line in played if line.outcome == LOSE),
        paid_cents=sum(line.paid_cents for line in played),
        fees_cents=sum(line.wager.cents for line in fees),
        expected_win=expectation.expected_win if expectation else None,
        variance=expectation.variance if expectation else None,
    )


def _dice(table_id: int, first: int, last: int, rules: Sequence[Rules]) -> dict[int, list[list[int]]]:
    """Return the valid throws of each of these rounds, in a game with plays; nothing in other games."""
    if not any(game_of(of_round).has_plays for of_round in rules):
        return {}
    newest: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for number, throw, dice in DICE(table_id, first, last):
        newest[number][throw] = dice
    return {number: [dice for dice in throws.values() if dice] for number, throws in newest.items()}

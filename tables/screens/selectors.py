"""What the snapshot shows in addition to the live round: past rounds, figures, the newest acts, people.

The figures of a table's rounds (docs/figures.md) are as `manage.py figures` has them, from the tables of play. The
pages of figures and the daily report compute the same from the record. What a round came to is read once: only a slip
changes it.
"""

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery

from audit import clock
from audit.models import Entry, Person
from audit.record import Appended
from audit.rows import CompiledValues, read
from games import registry, submissions
from games.engine import Rules
from games.engine.editions import all_editions
from games.engine.game import Game, PostCode
from games.engine.rounds import EndedPhase
from games.engine.wagers import FEE, LOSE, WIN
from games.engine.wagers import Wager as EngineWager
from games.exposure import round_expectation
from games.formats import money
from games.models import RulesSubmission
from games.registry import game_by_code, game_of
from games.snapshot_types import (
    ActLine,
    EndedRoundsPart,
    Figures,
    LastWager,
    PastRound,
    PersonName,
    WinLines,
)
from tables.core.entries import MISSHAPEN
from tables.core.figure_sums import RECENT, Sums
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.models import Round, Settlement, Slip, Table, Throw, Wager
from tables.opening.open_time import needed_posts, open_time_since
from tables.rounds.wagers import WAGERS_PLACED
from tables.words.entries import data_of, words_of
from tables.words.sentences import moment

# Figures of rounds


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


# Past rounds, acts and people


LAST_ROUNDS = 20
LAST_ACTS = 14
MAX_CACHED_STREAMS = 2_000
CORRECTIONS = frozenset({DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name})
WIN_LINE_ROUNDS = 240
_newest_lines: "dict[int, _NewestLines]" = {}  # by the stream's id


def person_name(person: Person) -> PersonName:
    """Return a person as screens name them."""
    return {"code": person.code, "name": person.name, "short": person.short_name}


class TablePlace(NamedTuple):
    """What identifies a table and its record, and what its game needs to be staffed."""

    uid: uuid.UUID
    table_id: int
    stream_id: int
    game: str
    posts: tuple[PostCode, ...]


class Day(NamedTuple):
    """A gaming day with its first and its last moment."""

    date: dt.date
    begins: dt.datetime
    ends: dt.datetime


def ended_rounds_part(table: Table, day: dt.date) -> EndedRoundsPart:
    """Return the keys of the snapshot that only the end of a round, a slip, or a change at the posts changes."""
    newest_slip = _newest_slip_seq(table)
    place = TablePlace(table.uid, table.pk, table.stream_id, table.game, needed_posts(table))
    ends = table.facility.day_begins(day + dt.timedelta(days=1))
    posts_since = (table.dealer_since, table.dealer_left_since, table.stickperson_since)
    of_day = Day(day, table.facility.day_begins(day), ends)
    return _ended_rounds_part(place, table.status_seq, posts_since, newest_slip, of_day)


def _newest_slip_seq(table: Table) -> int:
    """Return the sequence number of the newest entry about a slip of this table; 0 without slips."""
    if not table.last_slip:
        return 0
    newest = table.slips.aggregate(filed=Max("filed_seq"), settled=Max("settled_seq", default=0))
    return int(max(newest.values()))


@lru_cache(maxsize=1024)
def _ended_rounds_part(
    place: TablePlace,
    status_seq: int,
    posts_since: tuple[dt.datetime | None, ...],
    newest_slip_seq: int,
    day: Day,
) -> EndedRoundsPart:
    """Read past rounds once. The end of a round changes `status_seq`, a slip `newest_slip_seq`."""
    return {
        "last_wagers": last_wagers(place.table_id),
        "figures": figures(place, day),
        "history": history(place.uid, place.table_id, place.stream_id, place.game),
    }


REPEATABLE_ROUNDS = 5
"""A seat that sat out longer is not offered its wagers: somebody else may sit there."""

WAGERS_OF_LAST_ROUNDS = CompiledValues(
    lambda table: (
        Wager.objects.filter(
            struck=False,
            round__in=Round.objects.filter(table=table)
            .exclude(ended_at=None)
            .filter(Exists(Wager.objects.filter(round=OuterRef("pk"), struck=False)))
            .order_by("-number")
            .values("pk")[:REPEATABLE_ROUNDS],
        )
        .order_by("seat", "-round__number", "pk")
        .values_list("seat", "round__number", "code", "play", "cents")
    )
)


def last_wagers(table_id: int) -> list[LastWager]:
    """Return for each seat the wagers of the last round in which it had any, for repeat.

    Only of the table's last `REPEATABLE_ROUNDS` ended rounds with wagers.
    """
    wagers: list[LastWager] = []
    last_round: dict[int, int] = {}
    for seat, number, code, play, cents in WAGERS_OF_LAST_ROUNDS(table_id):
        if last_round.setdefault(seat, number) == number:
            wagers.append(
                {"seat": seat, "round": number, "wager": code, "play": play or None, "cents": cents}
            )
    return wagers


def figures(place: TablePlace, day: Day) -> Figures:
    """Return the figures of a gaming day: docs/figures.md."""
    of_day = day_figures(place.uid, place.table_id, place.stream_id, day.date)
    sums = of_day.sums
    is_known = bool(sums.rounds) and sums.is_known
    open_time = open_time_since(place.uid, place.stream_id, place.posts, day.begins, day.ends)
    return {
        "gaming_day": day.date.isoformat(),
        "rounds": sums.rounds,
        "handle_cents": sums.handle_cents,
        "win_cents": sums.win_cents,
        "expected_cents": sums.expected_cents if is_known else None,
        "band_cents": sums.band_cents if is_known else None,
        "expected_win": str(sums.expected.value) if is_known else None,
        "variance": str(sums.variance.value) if is_known else None,
        "settled_at": [moment(settled) for settled in of_day.settled_at],
        "open_since": moment(open_time.running_since),
        **win_lines(of_day),
    }


def win_lines(of_day: DayFigures) -> WinLines:
    """Return the win before and after each of the day's last rounds, oldest first, and what the odds predicted then."""
    line = of_day.line[-WIN_LINE_ROUNDS - 1 :]
    known = [
        (point.expected_cents, point.band_cents)
        for point in line
        if point.expected_cents is not None and point.band_cents is not None
    ]
    if len(known) < len(line):
        known = []
    return {
        "win_line_cents": [point.win_cents for point in line],
        "expected_line_cents": [expected for expected, _band in known],
        "band_line_cents": [band for _expected, band in known],
    }


class PastRow(NamedTuple):
    """The columns of an ended round, how many wagers stood in it, and what slips there are about it."""

    number: int
    ended_at: dt.datetime
    phase: EndedPhase
    ending: str
    submission: int
    by_hand: bool
    wagers_placed: int
    slip_seq: int | None
    made_void: bool
    slip_open: bool


SLIPS_OF_ROUND = Slip.objects.filter(round=OuterRef("pk"))
NEWEST_SLIP_OF_ROUND = SLIPS_OF_ROUND.order_by("-filed_seq").values("filed_seq")[:1]
AFTER_ALL_ROUNDS = 2**31 - 1
PAST_ROUNDS = CompiledValues(
    lambda table, before: (
        Round.objects.filter(table=table, number__lt=before)
        .exclude(ended_at=None)
        .annotate(
            wagers_placed=Count("wagers", filter=Q(wagers__struck=False)),
            slip_seq=Subquery(NEWEST_SLIP_OF_ROUND),
            made_void=Exists(SLIPS_OF_ROUND.filter(kind=Slip.Kind.VOID)),
            slip_open=Exists(SLIPS_OF_ROUND.filter(status=Slip.Status.FILED)),
        )
        .order_by("-number")
        .values_list(*PastRow._fields)[:LAST_ROUNDS]
    )
)
PAST_DICE = CompiledValues(
    lambda table, first, last: (
        Throw.objects.filter(round__table=table, round__number__gte=first, round__number__lte=last)
        .order_by("round", "number", "revision")
        .values_list("round__number", "number", "dice")
    )
)


def history(
    uid: uuid.UUID, table_id: int, stream_id: int, game: str, before: int = AFTER_ALL_ROUNDS
) -> list[PastRound]:
    """Return the last rounds (before a round's number), newest first, with the dice after corrections.

    Their money is that of the figures: with the newest slip, and nothing of a round that ended without a result.
    """
    rounds = [PastRow(*row) for row in PAST_ROUNDS(table_id, before)]
    if not rounds:
        return []
    settled = [
        SettledRow(row.number, row.submission, row.ended_at, row.slip_seq or 0)
        for row in rounds
        if row.phase == "cleared"
    ]
    sums = {round_sums.number: round_sums for round_sums in sums_of_rounds(uid, table_id, stream_id, settled)}
    dice_of: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for round_number, throw, dice in PAST_DICE(table_id, rounds[-1].number, rounds[0].number):
        dice_of[round_number][throw] = dice
    return [
        _past_round(
            row,
            game_by_code(game),
            [dice for dice in dice_of[row.number].values() if dice],
            sums.get(row.number),
        )
        for row in rounds
    ]


def _past_round(row: PastRow, game: Game, thrown: list[list[int]], sums: RoundSums | None) -> PastRound:
    dice = list(game.arranged(thrown[-1])) if thrown else []
    return {
        "number": row.number,
        "at": row.ended_at.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "dice": dice,
        "throws": [list(game.arranged(throw)) for throw in thrown],
        "total": sum(dice) or None,
        "ending": row.phase,
        "result": row.ending or None,
        "wagers": row.wagers_placed,
        "handle_cents": sums.handle_cents if sums else 0,
        "win_cents": sums.win_cents if sums else 0,
        "by_hand": row.by_hand,
        "slip": "void" if row.made_void else "slip" if row.slip_seq else None,
        "slip_open": row.slip_open,
    }


@dataclass(frozen=True, slots=True)
class _NewestLines:
    """The newest entries of a stream in words, newest first, and the number and hash of the newest."""

    seq: int
    hash: bytes
    lines: tuple[ActLine, ...]


def acts(table: Table, appended: Sequence[Appended] = ()) -> list[ActLine]:
    """Return the newest entries of the table's stream in words. An entry never changes, so each is read once.

    `appended`: its newest entries, oldest first, committed. They are not read where the lines before them are cached.
    """
    stream_id = table.stream_id
    cached = _newest_lines.get(stream_id)
    if cached and appended and (cached.seq, cached.hash) == (appended[0].seq - 1, appended[0].prev):
        fresh = tuple(
            _act_line(new.entry(table.stream), new.actor, new.witness, table.game)
            for new in reversed(appended)
        )
        newest = _NewestLines(appended[-1].seq, appended[-1].hash, (*fresh, *cached.lines)[:LAST_ACTS])
        _newest_lines[stream_id] = newest
        return list(newest.lines)
    rows = _read_entries(stream_id, cached.seq if cached else 0)
    if cached and rows and (rows[-1][0].seq, bytes(rows[-1][0].hash)) == (cached.seq, cached.hash):
        older = cached.lines
        rows = rows[:-1]
    else:  # nothing was read before, more than all that is shown is new, or the record went back
        older = ()
        if cached and len(rows) < LAST_ACTS:
            rows = _read_entries(stream_id, 0)
    if rows:
        lines = (*(_act_line(*row, table.game) for row in rows), *older)[:LAST_ACTS]
        if len(_newest_lines) > MAX_CACHED_STREAMS:
            _newest_lines.clear()
        _newest_lines[stream_id] = _NewestLines(rows[0][0].seq, bytes(rows[0][0].hash), lines)
        return list(lines)
    return list(older)


def forget_lines() -> None:
    """Forget which entries were read, so that they are read again. For tests."""
    _newest_lines.clear()


def _read_entries(stream_id: int, from_seq: int) -> list[tuple[Entry, Person | None, Person | None]]:
    """The newest entries of a stream from this number on, newest first, with who acted and who witnessed."""
    sql = f"""FROM audit_entry e LEFT JOIN audit_person p ON p.code = e.actor
              LEFT JOIN audit_person w ON w.code = e.witness AND e.witness <> ''
              WHERE e.stream_id = %s AND e.seq >= %s ORDER BY e.seq DESC LIMIT {LAST_ACTS}"""
    models = (("e", Entry), ("p", Person), ("w", Person))
    return [row for row, _ in read(models, sql, [stream_id, from_seq])]


def _act_line(entry: Entry, actor: Person | None, witness: Person | None, game: str) -> ActLine:
    """Return an entry in words, from its columns, so that a body made unreadable stops no screen."""
    who = _short_name((actor.name if actor else "") or entry.actor or "Pitside")
    signer = _short_name((witness.name if witness else "") or entry.witness) if entry.witness else ""
    if not signer and entry.type in CORRECTIONS:  # a floorperson who runs the table signs what they correct
        signer = who
    return {
        "seq": entry.seq,
        "at": clock.format_moment(entry.at),
        "who": who,
        "signer": signer,
        "type": entry.type,
        "text": _act_text(entry.type, data_of(entry), game),
        "round": entry.round,
    }


MOST_NAMED_WAGERS = 2


def _act_text(type_: str, data: dict[str, Any], game: str) -> str:
    """Return an entry in words; of wagers their seat, what they are and how much, as the tables' pages list them."""
    if type_ == WAGERS_PLACED.name:
        try:
            return _wagers_text(data["placed"], game)
        except MISSHAPEN:
            pass
    return words_of(type_, data)


def _wagers_text(placed: list[dict[str, Any]], game: str) -> str:
    """`Seat 3: Total 14 $100, Small off`, `Seat 2: 5 wagers, $410`, `8 seats: 41 wagers, $515`."""
    seats, cents = {wager["seat"] for wager in placed}, sum(wager["cents"] for wager in placed)
    who = f"Seat {placed[0]['seat']}" if len(seats) == 1 else f"{len(seats)} seats"
    if len(seats) > 1 or len(placed) > MOST_NAMED_WAGERS:
        return f"{who}: {len(placed)} wagers, {money(cents)}"
    labels = wager_labels(game)
    wagers = [
        f"{labels.get(wager['wager'], wager['wager'])} {money(wager['cents']) if wager['cents'] else 'off'}"
        for wager in placed
    ]
    return f"{who}: {', '.join(wagers)}"


@lru_cache(maxsize=64)
def wager_labels(game: str) -> dict[str, str]:
    """Return the label of every wager of a game by its code, whatever the edition."""
    return {
        wager.code: wager.label
        for edition in all_editions().values()
        if edition.game == game
        for wager in game_by_code(game).wager_types(Rules(edition))
    }


registry.clear_on_change(wager_labels.cache_clear)


def _short_name(name: str) -> str:
    first, _, last = name.rpartition(" ")
    return f"{first[0]}. {last}" if first else last

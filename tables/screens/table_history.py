"""What the snapshot shows in addition to the live round: past rounds, figures, the newest acts, people.

The figures of a table's rounds (docs/figures.md) are as `manage.py figures` has them, from the tables of play. The
pages of figures and the daily report add up the same from the record. A worker keeps the sums of a table's gaming day
up to its newest settled round: the end of a round adds one round to them, and reads no earlier one. It adds all of them
again where it has none, where a slip was filed since, and where that newest round is not there as it was, as after a
restored backup.
"""

import datetime as dt
import json
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, Max, OuterRef, Subquery
from django.db.models.functions import Coalesce

from audit import clock
from audit.models import Entry, Person
from audit.record import Appended, search_columns
from audit.rows import CompiledValues, read
from games import registry, submissions
from games.engine import Rules, editions
from games.engine.editions import all_editions
from games.engine.game import Game, PostCode
from games.engine.rounds import EndedPhase
from games.engine.wagers import Wager as EngineWager
from games.formats import money
from games.models import RulesSubmission
from games.registry import game_by_code
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
from tables.core.figure_sums import RECENT, RoundFigures, SettledStake, Sums, figures_of_stakes
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.corrections.settlements import NO_RESULT, lines_of_slip, stake_of, throws_of_slip
from tables.models import Round, Settlement, Slip, Table, Throw, Wager
from tables.opening.open_time import needed_posts, open_time_since
from tables.rounds.wagers import WAGERS_PLACED
from tables.words.entries import data_of, words_of
from tables.words.sentences import moment

# Figures of rounds


WIN_LINE_ROUNDS = 240
MAX_CACHED_TABLES = 2_000


class TablePlace(NamedTuple):
    """What identifies a table and its record, and what its game needs to be staffed."""

    uid: uuid.UUID
    table_id: int
    stream_id: int
    code: str
    game: str
    posts: tuple[PostCode, ...]

    @classmethod
    def of(cls, table: Table) -> "TablePlace":
        return cls(table.uid, table.pk, table.stream_id, table.code, table.game, needed_posts(table))


class SettledRow(NamedTuple):
    """A round that ended settled, and the number of the newest entry that files a slip about it (0: none)."""

    number: int
    gaming_day: dt.date
    terms: str
    ended_at: dt.datetime
    slip_seq: int


class LinePoint(NamedTuple):
    """The win of a day, what was expected of it, and its band, after one of its rounds; None if not known."""

    win_cents: int
    expected_cents: int | None
    band_cents: int | None


@dataclass(frozen=True)
class DayFigures:
    """The sums of a table's gaming day up to its newest settled round, and the points around its last rounds.

    `settled_at`: when its settled rounds ended, of the fifteen minutes before the newest. `newest`: that round, from
    which a later reading goes on. `slip_seq`: the newest entry that files a slip of the table by then.
    """

    date: dt.date
    slip_seq: int
    sums: Sums = field(default_factory=Sums)
    settled_at: Sequence[dt.datetime] = ()
    line: Sequence[LinePoint] = (LinePoint(0, 0, 0),)
    newest: SettledRow | None = None


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
        .values_list("number", "gaming_day", "submission__terms_sha256", "ended_at", "slip_seq")
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
_days: dict[uuid.UUID, DayFigures] = {}
_last_rounds: dict[uuid.UUID, dict[SettledRow, RoundFigures | None]] = {}


def day_figures(
    place: TablePlace, day: dt.date, slip_seq: int, last_settled: Sequence[SettledRow] = ()
) -> DayFigures:
    """Return the figures of a table's gaming day. Void rounds and no rolls count nothing.

    `slip_seq` is the newest entry that files a slip of the table. `last_settled` are its last rounds that ended
    settled, in the order of their numbers: sums up to one of them need only those after it.
    """
    cached = _days.get(place.uid)
    if (
        cached is not None
        and (cached.date, cached.slip_seq) == (day, slip_seq)
        and cached.newest in last_settled
    ):
        ended = last_settled[last_settled.index(cached.newest) + 1 :]
        of_day = _with_rounds(cached, place, [row for row in ended if row.gaming_day == day])
    else:
        of_day = _with_rounds(DayFigures(day, slip_seq), place, settled_rows(place, day))
    if len(_days) >= MAX_CACHED_TABLES:
        _days.clear()
    _days[place.uid] = of_day
    return of_day


def settled_rows(place: TablePlace, day: dt.date) -> list[SettledRow]:
    """Return the rounds of a gaming day that ended settled, in the order of their numbers."""
    return [
        SettledRow(number, gaming_day, terms, ended_at, slip_seq or 0)
        for number, gaming_day, terms, ended_at, slip_seq in SETTLED_ROUNDS(place.table_id, day)
    ]


def _with_rounds(of_day: DayFigures, place: TablePlace, rows: Sequence[SettledRow]) -> DayFigures:
    """Return the figures with these newer rounds. The others are unchanged: another thread may read them."""
    if not rows:
        return of_day
    sums, settled_at, line = of_day.sums.copy(), list(of_day.settled_at), list(of_day.line)
    rounds = [round_ for round_ in figures_of_rounds(place, rows) if round_ is not None]
    for following, round_ in zip(reversed(range(len(rounds))), rounds, strict=True):
        sums.add_round(round_)
        settled_at.append(round_.settled_at)
        if following <= WIN_LINE_ROUNDS:  # older ones are not drawn
            line.append(_point(sums))
    newest = max(settled_at, default=None)
    return replace(
        of_day,
        sums=sums,
        settled_at=[moment for moment in settled_at if newest is not None and moment > newest - RECENT],
        line=line[-WIN_LINE_ROUNDS - 1 :],
        newest=rows[-1],
    )


def _point(sums: Sums) -> LinePoint:
    if not sums.is_known:
        return LinePoint(sums.win_cents, None, None)
    return LinePoint(sums.win_cents, sums.expected_cents, sums.band_cents)


# What a round came to


def figures_of_rounds(place: TablePlace, rows: Sequence[SettledRow]) -> list[RoundFigures | None]:
    """Return the figures of these settled rounds of a table with their newest slips; None where a slip voided one.

    Those of its last rounds are cached.
    """
    cached = _last_rounds.get(place.uid, {})
    missing = [row for row in rows if row not in cached]
    if missing:
        cached = cached | dict(zip(missing, _read_rounds(place, missing), strict=True))
        if len(_last_rounds) >= MAX_CACHED_TABLES:
            _last_rounds.clear()
        _last_rounds[place.uid] = {row: cached[row] for row in sorted(cached)[-LAST_ROUNDS:]}
    return [cached[row] for row in rows]


def _read_rounds(place: TablePlace, rows: Sequence[SettledRow]) -> list[RoundFigures | None]:
    first, last = min(row.number for row in rows), max(row.number for row in rows)
    stakes: dict[int, dict[int, SettledStake]] = defaultdict(dict)
    for number, wager, seat, code, play, cents, outcome, paid in SETTLEMENTS(place.table_id, first, last):
        stakes[number][wager] = SettledStake(EngineWager(seat, code, cents, play or None), outcome, paid)
    throws = dice_of_rounds(place, first, last) if game_by_code(place.game).has_plays else {}
    slips = _slips(place.stream_id, [row.slip_seq for row in rows if row.slip_seq])
    figures: list[RoundFigures | None] = []
    for row in rows:
        if row.slip_seq:
            figures.append(_figures_by_slip(place, row, slips.get(row.slip_seq, {})))
        else:
            of_round = list(stakes[row.number].values())
            figures.append(_figures(place, row, of_round, throws.get(row.number, []), _rules(row.terms)))
    return figures


def dice_of_rounds(place: TablePlace, first: int, last: int) -> dict[int, list[list[int]]]:
    """Return the valid throws of the rounds with these numbers, as corrected, in the order of play."""
    newest: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for number, throw, dice in DICE(place.table_id, first, last):
        newest[number][throw] = dice
    return {number: [dice for dice in throws.values() if dice] for number, throws in newest.items()}


def _slips(stream_id: int, seqs: Sequence[int]) -> dict[int, dict[str, Any]]:
    """Return what the entries that file these slips say, by their numbers."""
    if not seqs:
        return {}
    return {entry.seq: data_of(entry) for entry in Entry.objects.filter(stream=stream_id, seq__in=seqs)}


def _figures_by_slip(place: TablePlace, row: SettledRow, slip: Mapping[str, Any]) -> RoundFigures | None:
    """Return what the newest slip made of a round. Of an entry that cannot be read nothing is known."""
    try:
        if slip["ending"] in NO_RESULT:
            return None
        stakes, throws = [stake_of(line) for line in lines_of_slip(slip)], throws_of_slip(slip)
    except MISSHAPEN:
        return _figures(place, row, [], [], None)
    return _figures(place, row, stakes, throws, _rules(row.terms))


def _figures(
    place: TablePlace,
    row: SettledRow,
    stakes: Sequence[SettledStake],
    throws: Sequence[Sequence[int]],
    rules: Rules | None,
) -> RoundFigures:
    return figures_of_stakes(
        stakes,
        throws,
        rules,
        table_id=place.table_id,
        table=place.code,
        game=place.game,
        round_=row.number,
        gaming_day=row.gaming_day,
        settled_at=row.ended_at,
        has_slip=bool(row.slip_seq),
    )


@lru_cache(maxsize=256)
def _rules(terms_sha256: str) -> Rules:
    """Return the rules of terms by their hash: a round's submission has them."""
    submission = RulesSubmission.objects.filter(terms_sha256=terms_sha256).first()
    assert submission is not None
    return submissions.rules_of(submission)


editions.forget_with(_rules.cache_clear)


# Past rounds, acts and people


LAST_ROUNDS = 20
LAST_ACTS = 14
MAX_CACHED_STREAMS = 2_000
CORRECTIONS = frozenset({DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name})
_newest_lines: "dict[int, _NewestLines]" = {}  # by the stream's id


def person_name(person: Person) -> PersonName:
    """Return a person as screens name them."""
    return {"code": person.code, "name": person.name, "short": person.short_name}


class Day(NamedTuple):
    """A gaming day with its first and its last moment."""

    date: dt.date
    begins: dt.datetime
    ends: dt.datetime


def ended_rounds_part(table: Table, day: dt.date, incarnation: int) -> EndedRoundsPart:
    """Return the keys of the snapshot that only the end of a round, a slip, or a change at the posts changes.

    A restored record of another `incarnation` reaches the same numbers with other rounds.
    """
    newest, place = newest_slips(table), TablePlace.of(table)
    ends = table.facility.day_begins(day + dt.timedelta(days=1))
    posts_since = (table.dealer_since, table.dealer_left_since, table.stickperson_since)
    of_day = Day(day, table.facility.day_begins(day), ends)
    return _ended_rounds_part(place, incarnation, table.status_seq, posts_since, newest, of_day)


class NewestSlips(NamedTuple):
    """The numbers of the newest entries that file a slip of a table, and that settle one; 0 without."""

    filed: int = 0
    settled: int = 0


def newest_slips(table: Table) -> NewestSlips:
    """Return the newest entries about slips of this table."""
    if not table.last_slip:
        return NewestSlips()
    newest = table.slips.aggregate(filed=Max("filed_seq"), settled=Max("settled_seq"))
    return NewestSlips(newest["filed"] or 0, newest["settled"] or 0)


@lru_cache(maxsize=1024)
def _ended_rounds_part(
    place: TablePlace,
    incarnation: int,
    status_seq: int,
    posts_since: tuple[dt.datetime | None, ...],
    newest: NewestSlips,
    day: Day,
) -> EndedRoundsPart:
    """Read past rounds once. The end of a round changes `status_seq`, a slip `newest`."""
    last_rounds = past_rows(place)
    return {
        "last_wagers": last_wagers(place.table_id),
        "figures": figures(place, day, newest.filed, last_rounds),
        "history": _history(place, last_rounds),
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


def figures(place: TablePlace, day: Day, slip_seq: int, last_rounds: Sequence["PastRow"]) -> Figures:
    """Return the figures of a gaming day: docs/figures.md. `last_rounds`: the last ended rounds, newest first."""
    last_settled = [row.settled for row in reversed(last_rounds) if row.phase == "cleared"]
    of_day = day_figures(place, day.date, slip_seq, last_settled)
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
    known = [
        (point.expected_cents, point.band_cents)
        for point in of_day.line
        if point.expected_cents is not None and point.band_cents is not None
    ]
    if len(known) < len(of_day.line):
        known = []
    return {
        "win_line_cents": [point.win_cents for point in of_day.line],
        "expected_line_cents": [expected for expected, _band in known],
        "band_line_cents": [band for _expected, band in known],
    }


class PastRow(NamedTuple):
    """The columns of an ended round, how many wagers stood in it, and what slips there are about it."""

    number: int
    gaming_day: dt.date
    terms: str
    ended_at: dt.datetime
    phase: EndedPhase
    ending: str
    by_hand: bool
    wagers_placed: int
    slip_seq: int | None
    made_void: bool
    slip_open: bool

    @property
    def settled(self) -> SettledRow:
        return SettledRow(self.number, self.gaming_day, self.terms, self.ended_at, self.slip_seq or 0)


SLIPS_OF_ROUND = Slip.objects.filter(round=OuterRef("pk"))
NEWEST_SLIP_OF_ROUND = SLIPS_OF_ROUND.order_by("-filed_seq").values("filed_seq")[:1]
# Counted by round: a join would count the wagers of every round of the table, before all but the last are left out.
WAGERS_OF_ROUND = (
    Wager.objects.filter(round=OuterRef("pk"), struck=False)
    .order_by()
    .values("round")
    .annotate(count=Count("pk"))
    .values("count")
)
AFTER_ALL_ROUNDS = 2**31 - 1
PAST_ROUNDS = CompiledValues(
    lambda table, before: (
        Round.objects.filter(table=table, number__lt=before)
        .exclude(ended_at=None)
        .annotate(
            terms=F("submission__terms_sha256"),
            wagers_placed=Coalesce(Subquery(WAGERS_OF_ROUND), 0),
            slip_seq=Subquery(NEWEST_SLIP_OF_ROUND),
            made_void=Exists(SLIPS_OF_ROUND.filter(kind=Slip.Kind.VOID)),
            slip_open=Exists(SLIPS_OF_ROUND.filter(status=Slip.Status.FILED)),
        )
        .order_by("-number")
        .values_list(*PastRow._fields)[:LAST_ROUNDS]
    )
)


def past_rows(place: TablePlace, before: int = AFTER_ALL_ROUNDS) -> list[PastRow]:
    """Return the last ended rounds (before a round's number), newest first."""
    return [PastRow(*row) for row in PAST_ROUNDS(place.table_id, before)]


def history(table: Table, before: int = AFTER_ALL_ROUNDS) -> list[PastRound]:
    """Return the last rounds of a table (before a round's number), newest first, with the dice after corrections.

    Their money is that of the figures: with the newest slip, and nothing of a round that ended without a result.
    """
    place = TablePlace.of(table)
    return _history(place, past_rows(place, before))


class Result(NamedTuple):
    """A settled round as patrons may see it: nothing of seats, wagers or money."""

    number: int
    ended_at: dt.datetime
    dice: list[int]


def results(table: Table) -> list[Result]:
    """Return the last settled rounds of a table, newest first, with the dice of their last throw after corrections.

    A round without a result, or that a slip made void, is left out.
    """
    place = TablePlace.of(table)
    settled = [row for row in past_rows(place) if row.phase == "cleared" and not row.made_void]
    if not settled:
        return []
    dice, game = dice_of_rounds(place, settled[-1].number, settled[0].number), game_by_code(place.game)
    return [
        Result(row.number, row.ended_at, list(game.arranged(thrown[-1])))
        for row in settled
        if (thrown := dice.get(row.number))
    ]


def _history(place: TablePlace, rounds: Sequence[PastRow]) -> list[PastRound]:
    if not rounds:
        return []
    figures = figures_of_rounds(place, [row.settled for row in reversed(rounds) if row.phase == "cleared"])
    by_number = {of_round.round: of_round for of_round in figures if of_round is not None}
    dice, game = dice_of_rounds(place, rounds[-1].number, rounds[0].number), game_by_code(place.game)
    return [_past_round(row, game, dice.get(row.number, []), by_number.get(row.number)) for row in rounds]


def _past_round(row: PastRow, game: Game, thrown: list[list[int]], figures: RoundFigures | None) -> PastRound:
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
        "handle_cents": figures.handle_cents if figures else 0,
        "win_cents": figures.win_cents if figures else 0,
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
        fresh = tuple(_appended_line(new, table.game) for new in reversed(appended))
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
        lines = (*(_entry_line(*row, table.game) for row in rows), *older)[:LAST_ACTS]
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


def _appended_line(new: Appended, game: str) -> ActLine:
    """Return an entry that was just appended, in words."""
    data = json.loads(new.body)["data"]
    actor, witness = (person.name or person.code if person else "" for person in (new.actor, new.witness))
    return _act_line(new.seq, new.moment, new.type, data, search_columns(data)[0], actor, witness, game)


def _entry_line(entry: Entry, actor: Person | None, witness: Person | None, game: str) -> ActLine:
    """Return an entry in words, from its columns, so that a body made unreadable stops no screen."""
    by, signed_by = (
        (actor.name if actor else "") or entry.actor,
        (witness.name if witness else "") or entry.witness,
    )
    return _act_line(entry.seq, entry.at, entry.type, data_of(entry), entry.round, by, signed_by, game)


def _act_line(
    seq: int,
    at: dt.datetime,
    type_: str,
    data: dict[str, Any],
    round_: int | None,
    actor: str,
    witness: str,
    game: str,
) -> ActLine:
    who = _short_name(actor or "Pitside")
    signer = _short_name(witness) if witness else ""
    if not signer and type_ in CORRECTIONS:  # a floorperson who runs the table signs what they correct
        signer = who
    return {
        "seq": seq,
        "at": clock.format_moment(at),
        "who": who,
        "signer": signer,
        "type": type_,
        "text": _act_text(type_, data, game),
        "round": round_,
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

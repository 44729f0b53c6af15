"""What the snapshot shows in addition to the live round: past rounds, figures, the newest acts, people."""

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery

from audit import clock
from audit.models import Entry, Person
from audit.record import Appended
from audit.rows import CompiledValues, read
from games import registry
from games.engine import Rules
from games.engine.editions import all_editions
from games.engine.game import Game, PostCode
from games.engine.rounds import EndedPhase
from games.formats import money
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
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.models import Round, Slip, Table, Throw, Wager
from tables.opening.open_time import needed_posts, open_time_since
from tables.rounds.wagers import WAGERS_PLACED
from tables.screens.day_figures import DayFigures, RoundSums, SettledRow, day_figures, sums_of_rounds
from tables.words.entries import data_of, words_of
from tables.words.sentences import moment

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

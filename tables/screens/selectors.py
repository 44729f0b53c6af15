"""What the snapshot shows in addition to the live round: past rounds, figures, the newest acts, people."""

import datetime as dt
import uuid
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any, NamedTuple

from django.db.models import Count, Exists, Max, OuterRef, Q, Sum

from audit import clock
from audit.compiled_reads import CompiledValues
from audit.models import Entry, Person
from audit.record import Appended
from audit.rows import read
from games import registry
from games.engine import Rules
from games.engine.editions import all_editions
from games.engine.game import Game, PostCode
from games.engine.procedures import EndedPhase
from games.layout_drawing import money
from games.registry import game_by_code, registered_fees
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
from tables.core.pace import pace
from tables.corrections.entry_types import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.models import Round, Slip, Table, Throw, Wager
from tables.opening.open_time import needed_posts, open_time_since
from tables.rounds.entry_types import WAGERS_PLACED
from tables.screens.day_expectation import DayExpectation, day_expectation
from tables.words.entries import data_of, words_of

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
    """Return the keys of the snapshot that only the end of a round or a slip changes."""
    newest_slip = _newest_slip_seq(table)
    place = TablePlace(table.uid, table.pk, table.stream_id, table.game, needed_posts(table))
    ends = table.facility.day_begins(day + dt.timedelta(days=1))
    return _ended_rounds_part(
        place, table.status_seq, newest_slip, Day(day, table.facility.day_begins(day), ends)
    )


def _newest_slip_seq(table: Table) -> int:
    """Return the sequence number of the newest entry about a slip of this table; 0 without slips."""
    if not table.last_slip:
        return 0
    newest = table.slips.aggregate(filed=Max("filed_seq"), settled=Max("settled_seq", default=0))
    return int(max(newest.values()))


@lru_cache(maxsize=1024)
def _ended_rounds_part(place: TablePlace, status_seq: int, newest_slip_seq: int, day: Day) -> EndedRoundsPart:
    """Read past rounds once. The end of a round changes `status_seq`, a slip `newest_slip_seq`."""
    return {
        "last_wagers": last_wagers(place.table_id),
        "figures": figures(place, day),
        "history": history(place.table_id, place.game),
    }


LAST_WAGERS = CompiledValues(
    lambda table: (
        Wager.objects.filter(
            struck=False,
            round__in=Round.objects.filter(table=table)
            .exclude(ended_at=None)
            .filter(Exists(Wager.objects.filter(round=OuterRef("pk"), struck=False)))
            .order_by("-number")
            .values("pk")[:1],
        )
        .order_by("seat", "pk")
        .values_list("seat", "code", "play", "cents")
    )
)


def last_wagers(table_id: int) -> list[LastWager]:
    """Return the wagers of the last ended round that had any, for repeat."""
    return [
        {"seat": seat, "wager": code, "play": play or None, "cents": cents}
        for seat, code, play, cents in LAST_WAGERS(table_id)
    ]


PLAYED = Q(phase="cleared")
HAS_PAYMENTS = PLAYED | Q(taken_cents__gt=0) | Q(paid_cents__gt=0)
DAY_SUMS = CompiledValues(
    lambda table, day: (
        Round.objects.filter(table=table, gaming_day=day)
        .exclude(ended_at=None)
        .order_by()
        .values("table")
        .annotate(
            rounds=Count("pk", filter=PLAYED),
            handle=Sum("wagered_cents", filter=PLAYED),
            taken=Sum("taken_cents"),
            paid=Sum("paid_cents"),
            last=Max("ended_at", filter=PLAYED),
        )
        .values_list("rounds", "handle", "taken", "paid", "last")
    )
)
DAY_RESULTS = CompiledValues(
    lambda table, day: (
        Round.objects.filter(HAS_PAYMENTS, table=table, gaming_day=day)
        .exclude(ended_at=None)
        .order_by("number")
        .values_list("number", "taken_cents", "paid_cents")
    )
)
NO_SUMS = (0, None, None, None, None)


def figures(place: TablePlace, day: Day) -> Figures:
    """Return rounds, handle (without fees), win (cents) and pace of a gaming day.

    A void round or no roll does not count as a round, but what its earlier throws won or lost is in the win.
    """
    rounds, handle, taken, paid, last = next(iter(DAY_SUMS(place.table_id, day.date)), NO_SUMS)
    expectation = day_expectation(place.uid, place.table_id, day.date, rounds)
    return {
        "gaming_day": day.date.isoformat(),
        "rounds": rounds,
        "handle_cents": (handle or 0) - expectation.fees_cents,
        "win_cents": (taken or 0) - (paid or 0),
        "expected_cents": expectation.expected_cents,
        "band_cents": expectation.band_cents,
        "pace_per_hour": _pace_of_day(place, rounds, day, last),
        **win_lines(place.table_id, day.date, expectation),
    }


def _pace_of_day(place: TablePlace, rounds: int, day: Day, last: dt.datetime | None) -> int | None:
    """Return the pace of a day up to its newest settled round, rounded."""
    if last is None:
        return None
    open_time = open_time_since(place.uid, place.stream_id, place.posts, day.begins, last)
    exact = pace(rounds, open_time.between(day.begins, min(last, day.ends)))
    return None if exact is None else round(exact)


def win_lines(table_id: int, day: dt.date, expectation: DayExpectation) -> WinLines:
    """Return the win before and after each of the day's last rounds, oldest first, and what the odds predicted then."""
    results = list(DAY_RESULTS(table_id, day))
    wins = list(accumulate((taken - paid for _number, taken, paid in results), initial=0))[
        -WIN_LINE_ROUNDS - 1 :
    ]
    numbers = [0, *(number for number, _taken, _paid in results)][-len(wins) :]
    expected = [expectation.up_to(number) for number in numbers]
    known = [so_far for so_far in expected if so_far is not None]
    if len(known) < len(expected):
        known = []
    return {
        "win_line_cents": wins,
        "expected_line_cents": [so_far.expected_cents for so_far in known],
        "band_line_cents": [so_far.band_cents for so_far in known],
    }


class PastRow(NamedTuple):
    """The columns of an ended round, how many wagers stood in it, and what slips there are about it."""

    number: int
    ended_at: dt.datetime
    phase: EndedPhase
    ending: str
    wagered_cents: int
    taken_cents: int
    paid_cents: int
    by_hand: bool
    fees_cents: int
    wagers_placed: int
    slipped: bool
    made_void: bool
    slip_open: bool


def _fees_that_stood() -> Q:
    return Q(wagers__struck=False, wagers__code__in=[fee.code for fee in registered_fees()])


SLIPS_OF_ROUND = Slip.objects.filter(round=OuterRef("pk"))
AFTER_ALL_ROUNDS = 2**31 - 1
PAST_ROUNDS = CompiledValues(
    lambda table, before: (
        Round.objects.filter(table=table, number__lt=before)
        .exclude(ended_at=None)
        .annotate(
            fees_cents=Sum("wagers__cents", filter=_fees_that_stood(), default=0),
            wagers_placed=Count("wagers", filter=Q(wagers__struck=False)),
            slipped=Exists(SLIPS_OF_ROUND),
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


def history(table_id: int, game: str, before: int = AFTER_ALL_ROUNDS) -> list[PastRound]:
    """Return the last rounds (before a round's number), newest first, with the dice after corrections."""
    rounds = [PastRow(*row) for row in PAST_ROUNDS(table_id, before)]
    if not rounds:
        return []
    dice_of: dict[int, dict[int, list[int]]] = defaultdict(dict)
    for round_number, throw, dice in PAST_DICE(table_id, rounds[-1].number, rounds[0].number):
        dice_of[round_number][throw] = dice
    return [
        _past_round(row, game_by_code(game), [dice for dice in dice_of[row.number].values() if dice])
        for row in rounds
    ]


def _past_round(row: PastRow, game: Game, thrown: list[list[int]]) -> PastRound:
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
        "handle_cents": row.wagered_cents - row.fees_cents,
        "win_cents": row.taken_cents - row.paid_cents,
        "by_hand": row.by_hand,
        "slip": "void" if row.made_void else "slip" if row.slipped else None,
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

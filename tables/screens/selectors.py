"""What the snapshot shows in addition to the live round: past rounds, figures, the newest acts, people."""

import datetime as dt
import uuid
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, Sum

from audit import clock
from audit.models import Entry, Person
from audit.rows import read
from games.engine.game import Game
from games.registry import game_by_code
from games.snapshot_types import ActLine, EndedRoundsPart, Figures, LastWager, PastRound, PersonName
from tables.models import Round, Slip, Table, Wager
from tables.words.entries import said_by, words_of

LAST_ROUNDS = 12
LAST_ACTS = 14
MAX_CACHED_STREAMS = 2_000
WIN_LINE_ROUNDS = 240
SHORTEST_PACE = dt.timedelta(minutes=5)
_newest_lines: "dict[int, _NewestLines]" = {}  # by the stream's id


def person_name(person: Person) -> PersonName:
    """Return a person as screens name them."""
    return {"code": person.code, "name": person.name, "short": person.short_name}


def ended_rounds_part(table: Table, day: dt.date) -> EndedRoundsPart:
    """Return the keys of the snapshot that only the end of a round or a slip changes."""
    return _ended_rounds_part(table.uid, table.status_seq, _newest_slip_seq(table), day)


def _newest_slip_seq(table: Table) -> int:
    """Return the sequence number of the newest entry about a slip of this table; 0 without slips."""
    if not table.last_slip:
        return 0
    newest = table.slips.aggregate(filed=Max("filed_seq"), settled=Max("settled_seq", default=0))
    return int(max(newest.values()))


@lru_cache(maxsize=1024)
def _ended_rounds_part(
    uid: uuid.UUID, status_seq: int, newest_slip_seq: int, day: dt.date
) -> EndedRoundsPart:
    """Read past rounds once. The end of a round changes `status_seq`, a slip `newest_slip_seq`."""
    table = Table.objects.get(uid=uid)
    return {"last_wagers": last_wagers(table), "figures": figures(table, day), "history": history(table)}


def last_wagers(table: Table) -> list[LastWager]:
    """Return the wagers of the last ended round, for repeat."""
    last = table.rounds.exclude(ended_at=None).order_by("-number").values_list("pk", flat=True).first()
    rows = (
        Wager.objects.filter(round=last, struck=False)
        .order_by("seat", "id")
        .values("seat", "code", "play", "cents")
    )
    return [
        {"seat": row["seat"], "wager": row["code"], "play": row["play"] or None, "cents": row["cents"]}
        for row in rows
    ]


def figures(table: Table, day: dt.date) -> Figures:
    """Return rounds, handle, win (cents) and pace of a gaming day.

    A void round or no roll does not count as a round, but what its earlier throws won or lost is in the win.
    """
    played = Q(phase="cleared")
    sums = (
        Round.objects.filter(table=table, gaming_day=day)
        .exclude(ended_at=None)
        .aggregate(
            rounds=Count("pk", filter=played),
            handle=Sum("wagered_cents", filter=played),
            taken=Sum("taken_cents"),
            paid=Sum("paid_cents"),
            first=Min("opened_at", filter=played),
            last=Max("ended_at", filter=played),
        )
    )
    rounds = sums["rounds"]
    return {
        "gaming_day": day.isoformat(),
        "rounds": rounds,
        "handle_cents": sums["handle"] or 0,
        "win_cents": (sums["taken"] or 0) - (sums["paid"] or 0),
        "pace_per_hour": pace(rounds, sums["first"], sums["last"]),
        "win_line_cents": win_line(table, day),
    }


def win_line(table: Table, day: dt.date) -> list[int]:
    """Return the win of the gaming day before and after each of its last rounds, oldest first."""
    has_payments = Q(phase="cleared") | Q(taken_cents__gt=0) | Q(paid_cents__gt=0)
    ended = Round.objects.filter(table=table, gaming_day=day).exclude(ended_at=None)
    played = ended.filter(has_payments).order_by("-number")
    wins = [
        taken_cents - paid_cents
        for taken_cents, paid_cents in played.values_list("taken_cents", "paid_cents")
    ]
    line = list(accumulate(reversed(wins), initial=0))
    return line[-WIN_LINE_ROUNDS - 1 :]


def pace(rounds: int, first: dt.datetime | None, last: dt.datetime | None) -> int | None:
    """Return rounds an hour; None before three rounds and five minutes of play."""
    if rounds < 3 or first is None or last is None or last - first < SHORTEST_PACE:
        return None
    return round(rounds * 3600 / (last - first).total_seconds())


def history(table: Table, before: int | None = None) -> list[PastRound]:
    """Return the last rounds (before a round's number), newest first, with the dice after corrections."""
    rounds_here = Round.objects.filter(table=table)
    slips = Slip.objects.filter(round=OuterRef("pk"))
    rounds = list(
        (rounds_here.filter(number__lt=before) if before is not None else rounds_here)
        .exclude(ended_at=None)
        .annotate(
            count=Count("wagers", filter=Q(wagers__struck=False)),
            slipped=Exists(slips),
            made_void=Exists(slips.filter(kind=Slip.Kind.VOID)),
            slip_open=Exists(slips.filter(status=Slip.Status.FILED)),
        )
        .prefetch_related("throws")
        .order_by("-number")[:LAST_ROUNDS]
    )
    return [_past_round(round_, game_by_code(table.game)) for round_ in rounds]


def _past_round(round_: Any, game: Game) -> PastRound:
    throws = list(round_.throws.all())
    thrown = [throw.dice for throw in {throw.number: throw for throw in throws}.values() if throw.dice]
    dice = list(game.arranged(thrown[-1])) if thrown else []
    return {
        "number": round_.number,
        "at": round_.ended_at.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "dice": dice,
        "throws": [list(game.arranged(dice)) for dice in thrown],
        "total": sum(dice) or None,
        "ending": round_.phase,
        "result": round_.ending or None,
        "wagers": round_.count,
        "handle_cents": round_.wagered_cents,
        "win_cents": round_.taken_cents - round_.paid_cents,
        "by_hand": round_.by_hand,
        "slip": "void" if round_.made_void else "slip" if round_.slipped else None,
        "slip_open": round_.slip_open,
    }


@dataclass(frozen=True, slots=True)
class _NewestLines:
    """The newest entries of a stream in words, newest first, and the number and hash of the newest."""

    seq: int
    hash: bytes
    lines: tuple[ActLine, ...]


def acts(table: Table) -> list[ActLine]:
    """Return the newest entries of the table's stream in words. An entry never changes, so each is read once."""
    stream_id = table.stream_id
    cached = _newest_lines.get(stream_id)
    rows = _read_entries(stream_id, cached.seq if cached else 0)
    if cached and rows and (rows[-1][0].seq, bytes(rows[-1][0].hash)) == (cached.seq, cached.hash):
        older = cached.lines
        rows = rows[:-1]
    else:  # nothing was read before, more than all that is shown is new, or the record went back
        older = ()
        if cached and len(rows) < LAST_ACTS:
            rows = _read_entries(stream_id, 0)
    if rows:
        lines = (*(_act_line(entry, actor) for entry, actor in rows), *older)[:LAST_ACTS]
        if len(_newest_lines) > MAX_CACHED_STREAMS:
            _newest_lines.clear()
        _newest_lines[stream_id] = _NewestLines(rows[0][0].seq, bytes(rows[0][0].hash), lines)
        return list(lines)
    return list(older)


def _read_entries(stream_id: int, from_seq: int) -> list[tuple[Entry, Person | None]]:
    """The newest entries of a stream from this number on, newest first, with the person who acted."""
    sql = f"""FROM audit_entry e LEFT JOIN audit_person p ON p.code = e.actor
              WHERE e.stream_id = %s AND e.seq >= %s ORDER BY e.seq DESC LIMIT {LAST_ACTS}"""
    return [row for row, _ in read((("e", Entry), ("p", Person)), sql, [stream_id, from_seq])]


def _act_line(entry: Entry, actor: Person | None) -> ActLine:
    """Return an entry in words, from its columns, so that a body made unreadable stops no screen."""
    return {
        "seq": entry.seq,
        "at": clock.format_moment(entry.at),
        "who": _short_name((actor.name if actor else "") or entry.actor or "Pitside"),
        "type": entry.type,
        "text": words_of(entry.type, said_by(entry)),
        "round": entry.round,
    }


def _short_name(name: str) -> str:
    first, _, last = name.rpartition(" ")
    return f"{first[0]}. {last}" if first else last

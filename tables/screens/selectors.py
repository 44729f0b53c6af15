"""What screens read besides the live round: history, figures, the newest acts, the people."""

import datetime as dt
import uuid
from functools import lru_cache
from itertools import accumulate
from typing import Any

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, Sum

from audit import clock
from audit.models import Entry, Person
from games.engine.game import Game
from games.registry import game_by_code
from tables.models import Round, Slip, Table, Wager
from tables.words.entries import names_of, said_by, words_of

LAST_ROUNDS = 12
LAST_ACTS = 14
LINES_KEPT = 20_000
LINE_ROUNDS = 240
SHORTEST_PACE = dt.timedelta(minutes=5)
_lines: dict[bytes, dict[str, Any]] = {}  # by the entry's hash


def floorperson(table: Table) -> dict[str, Any] | None:
    """Who answers for this table now."""
    return person(table.floorperson) if table.floorperson else None


def person(who: Person) -> dict[str, Any]:
    """A person as screens name them."""
    return {"code": who.code, "name": who.name, "short": who.short_name}


def of_ended_rounds(table: Table, day: dt.date) -> dict[str, Any]:
    """What only the end of a round and its slips change: `last_wagers`, `figures` and `history`."""
    return _of_ended_rounds(table.uid, table.status_seq, _newest_of_slips(table), day)


def _newest_of_slips(table: Table) -> int:
    """The number of the last entry of a slip here, its filing or its settling; 0 where none was filed."""
    if not table.last_slip:
        return 0
    return max(table.slips.aggregate(filed=Max("filed_seq"), settled=Max("settled_seq", default=0)).values())


@lru_cache(maxsize=1024)
def _of_ended_rounds(uid: uuid.UUID, status_seq: int, slips: int, day: dt.date) -> dict[str, Any]:
    """Kept while the table's `status_seq` stands, which the end of a round moves, and no slip is filed or settled."""
    table = Table.objects.get(uid=uid)
    return {"last_wagers": last_wagers(table), "figures": figures(table, day), "history": history(table)}


def last_wagers(table: Table) -> list[dict[str, Any]]:
    """The wagers of the last ended round, for repeat."""
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


def figures(table: Table, day: dt.date) -> dict[str, Any]:
    """Rounds, handle, win (cents) and pace of a gaming day. A void or no roll is no round of play here, but what its
    earlier throws had moved is in the win.
    """
    played = Q(phase="cleared")
    found = (
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
    rounds = found["rounds"]
    return {
        "gaming_day": day.isoformat(),
        "rounds": rounds,
        "handle_cents": found["handle"] or 0,
        "win_cents": (found["taken"] or 0) - (found["paid"] or 0),
        "pace_per_hour": pace(rounds, found["first"], found["last"]),
        "win_line_cents": win_line(table, day),
    }


def win_line(table: Table, day: dt.date) -> list[int]:
    """The win of the gaming day after each of its last rounds, oldest first, and where it stood before them."""
    moved = Q(phase="cleared") | Q(taken_cents__gt=0) | Q(paid_cents__gt=0)
    ended = Round.objects.filter(table=table, gaming_day=day).exclude(ended_at=None)
    played = ended.filter(moved).order_by("-number")
    wins = [taken - paid for taken, paid in played.values_list("taken_cents", "paid_cents")]
    line = list(accumulate(reversed(wins), initial=0))
    return line[-LINE_ROUNDS - 1 :]


def pace(rounds: int, first: dt.datetime | None, last: dt.datetime | None) -> int | None:
    """Rounds an hour, once there has been play enough to say: three rounds and five minutes."""
    if rounds < 3 or first is None or last is None or last - first < SHORTEST_PACE:
        return None
    return round(rounds * 3600 / (last - first).total_seconds())


def history(table: Table, before: int | None = None) -> list[dict[str, Any]]:
    """The last rounds (before a round's number), newest first, each with the dice as they stood at its end."""
    asked = Round.objects.filter(table=table)
    slips = Slip.objects.filter(round=OuterRef("pk"))
    rounds = list(
        (asked.filter(number__lt=before) if before is not None else asked)
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
    return [_past(round_, game_by_code(table.game)) for round_ in rounds]


def _past(round_: Any, played: Game) -> dict[str, Any]:
    throws = list(round_.throws.all())
    thrown = [throw.dice for throw in {throw.number: throw for throw in throws}.values() if throw.dice]
    dice = list(played.arranged(thrown[-1])) if thrown else []
    return {
        "number": round_.number,
        "at": round_.ended_at.astimezone(dt.UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "dice": dice,
        "throws": [list(played.arranged(dice)) for dice in thrown],
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


def acts(table: Table) -> list[dict[str, Any]]:
    """The newest entries of the table's stream, as lines to read. An entry never changes, so each is read once."""
    newest = Entry.objects.filter(stream=table.stream_id).order_by("-seq").values_list("pk", "hash")
    keys = {bytes(digest): pk for pk, digest in newest[:LAST_ACTS]}
    # Another thread may empty what is kept at any moment: what is shown is held here.
    lines = {digest: line for digest in keys if (line := _lines.get(digest))}
    missing = [pk for digest, pk in keys.items() if digest not in lines]
    if missing:
        lines |= _read_lines(missing)
    return [lines[digest] for digest in keys]


def _read_lines(keys: list[int]) -> dict[bytes, dict[str, Any]]:
    """These entries as lines, by their hashes, in two statements; kept for the next time."""
    entries = list(Entry.objects.filter(pk__in=keys))
    names = names_of({one.actor for one in entries if one.actor})
    lines = {bytes(one.hash): _line(one, names) for one in entries}
    if len(_lines) > LINES_KEPT:
        _lines.clear()
    _lines.update(lines)
    return lines


def _line(entry: Entry, names: dict[str, str]) -> dict[str, Any]:
    """By its columns, which the body says too: one that was made unreadable stops no screen."""
    return {
        "seq": entry.seq,
        "at": clock.written(entry.at),
        "who": _short_name(names.get(entry.actor) or entry.actor or "Pitside"),
        "type": entry.type,
        "text": words_of(entry.type, said_by(entry)),
        "round": entry.round,
    }


def _short_name(name: str) -> str:
    first, _, last = name.rpartition(" ")
    return f"{first[0]}. {last}" if first else last

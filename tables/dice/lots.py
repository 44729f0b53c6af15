"""Reads about dice lots: where they are, their chain of custody, and the rounds thrown with them.

The number of queries of `custody_steps`, `lot_uses` and `throws_with_lots` does not depend on the length of the
answer.
"""

import datetime as dt
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypedDict

from django.db import connection
from django.db.models import Count, Max, Min, QuerySet

from audit.models import Entry, Person, Stream
from audit.rows import read
from games.engine.rules import A_DAY
from games.models import Facility
from tables.dice.custody import DICE_DESTROYED, DICE_LOT_ISSUED, DICE_LOT_RETURNED, DICE_RECEIVED
from tables.models import DiceLot, Round, Throw
from tables.runner.facility import DICE
from tables.words.sentences import act_line

Status = DiceLot.Status
STAGES = (Status.RECEIVED, Status.STORED, Status.ISSUED, Status.PLACED, Status.REMOVED, Status.DESTROYED)
ASIDE = Status.REJECTED
# Lots that expire first come first; among lots out of play the newest.
ORDER = {
    Status.ISSUED: ("table__code", "code"),
    Status.PLACED: ("expires_at", "code"),
    Status.REMOVED: ("-removed_at", "-pk"),
    Status.DESTROYED: ("-pk",),
}
# Why a lot left play, if the code alone is not clear
REASONS = {
    "replaced": "replaced by another lot",
    "table-closed": "the table closed",
    "shaker-replaced": "the shaker was replaced",
    "tampered": "tampered with",
}
COUNTED = {
    "received": DICE_RECEIVED.name,
    "issued": DICE_LOT_ISSUED.name,
    "returned": DICE_LOT_RETURNED.name,
    "destroyed": DICE_DESTROYED.name,
}


@dataclass(frozen=True)
class CustodyStep:
    """One entry of the record about a lot. `place` is the table or the room; `hash` is in hex."""

    stream: str
    seq: int
    hash: str
    moment: dt.datetime
    type: str
    text: str
    details: list[str]
    place: str
    section: str
    actor: Person | None
    witness: Person | None


@dataclass
class LotUse:
    """The rounds of one table that a lot was thrown in. `ranges` are their numbers, first and last."""

    table: str
    game: str
    rounds: int = 0
    throws: int = 0
    ranges: list[tuple[int, int]] = field(default_factory=list)
    first_at: dt.datetime | None = None
    last_at: dt.datetime | None = None

    def add(self, number: int, throws: int, first: dt.datetime, last: dt.datetime) -> None:
        """Add a round. Rounds come in the order of their numbers."""
        if self.ranges and self.ranges[-1][1] == number - 1:
            self.ranges[-1] = (self.ranges[-1][0], number)
        else:
            self.ranges.append((number, number))
        self.rounds += 1
        self.throws += throws
        self.first_at = min(self.first_at or first, first)
        self.last_at = max(self.last_at or last, last)


def custody_steps(lot: DiceLot) -> list[CustodyStep]:
    """The chain of custody of a lot, oldest first, with the people who signed. Two queries."""
    sql = """FROM tables_lotstep p
             JOIN audit_stream t ON t.id = p.stream_id
             JOIN audit_entry e ON e.stream_id = p.stream_id AND e.seq = p.seq
             WHERE p.lot_id = %s ORDER BY p.id"""
    entries = [(entry, stream) for (entry, stream), _x in read((("e", Entry), ("t", Stream)), sql, [lot.pk])]
    bodies = [json.loads(bytes(entry.body)) for entry, _x in entries]
    codes = {code for body in bodies for code in (body["actor"], body["witness"]) if code}
    people = {person.code: person for person in Person.objects.filter(code__in=codes)} if codes else {}
    return [
        CustodyStep(
            stream=stream.name,
            seq=entry.seq,
            hash=bytes(entry.hash).hex(),
            moment=entry.at,
            type=entry.type,
            text=_step_text(lot, entry.type, body["data"]),
            details=_step_details(lot, body["data"]),
            place=_step_place(stream, body["data"]),
            section=body["data"].get("section") or "",
            actor=people.get(body["actor"] or ""),
            witness=people.get(body["witness"] or ""),
        )
        for (entry, stream), body in zip(entries, bodies, strict=True)
    ]


def _step_text(lot: DiceLot, type_: str, data: dict[str, Any]) -> str:
    """What an entry says about this lot: an entry that places a lot may also take another one out."""
    line = act_line(type_, data)
    if data.get("removed") == lot.code or type_ == "shaker.replaced":
        return "Taken out of play: %s" % line
    return line


def _step_details(lot: DiceLot, data: dict[str, Any]) -> list[str]:
    """The details of an entry that its line leaves out."""
    own = next(
        (item for item in data.get("lots", ()) if isinstance(item, dict) and item["lot"] == lot.code),
        {"seal_intact": True},
    )
    details = [
        "from %s" % data["from"] if data.get("from") else "",
        "" if own.get("seal_intact", True) else "seal of the box broken",
        "seal %s" % data["seal"] if data.get("seal") and data.get("lot") == lot.code else "",
        str(REASONS.get(data["why"], data["why"])) if data.get("why") else "",
        data.get("found") or "",
        "found by %(finder)s, license %(licence)s" % data
        if data.get("found") and data.get("licence")
        else "",
        "dice out of tolerance: %s" % ", ".join(map(str, data["bad"])) if data.get("bad") else "",
        ", ".join(f"{tool} {number}" for tool, number in sorted(data.get("instruments", {}).items())),
    ]
    return [detail for detail in details if detail]


def _step_place(stream: Stream, data: dict[str, Any]) -> str:
    place = stream.name.partition("/")[2]
    if place == DICE:
        compartment = data.get("compartment")
        return "Dice room, %s" % compartment if compartment else "Dice room"
    shaker = data.get("shaker")
    return "%(table)s, shaker %(shaker)s" % {"table": place, "shaker": shaker} if shaker else place


def lot_uses(lot: DiceLot) -> list[LotUse]:
    """The rounds thrown with a lot, by table. A corrected throw counts once. One query."""
    thrown = (
        Throw.objects.filter(lot=lot)
        .values_list("round__table__code", "round__table__game", "round__number")
        .annotate(Count("number", distinct=True), Min("called_at"), Max("called_at"))
        .order_by("round__table__code", "round__number")
    )
    used: dict[str, LotUse] = {}
    for table, game, number, throws, first, last in thrown:
        used.setdefault(table, LotUse(table, game)).add(number, throws, first, last)
    return list(used.values())


def throws_with_lots(round_: Round) -> list[Throw]:
    """The throws of a round in order, each in its newest revision, with lot and shaker. One query."""
    throws = Throw.objects.filter(round=round_).select_related("lot", "shaker")
    return list({throw.number: throw for throw in throws.order_by("number", "revision")}.values())


def counts_by_status(facility: Facility) -> dict[str, int]:
    """How many lots have each status."""
    counts = DiceLot.objects.filter(facility=facility).values_list("status").annotate(Count("pk"))
    return dict.fromkeys(Status.values, 0) | dict(counts.order_by())


def lots_with_status(facility: Facility, status: str, code: str = "") -> QuerySet[DiceLot]:
    """The lots with this status whose code contains these letters, with their places."""
    lots = DiceLot.objects.filter(facility=facility, status=status).select_related("table", "shaker")
    if code:
        lots = lots.filter(code__icontains=code)
    return lots.order_by(*ORDER.get(Status(status), ("code",)))


def reconciliation(facility: Facility, now: dt.datetime) -> dict[str, int]:
    """The lots of this gaming day: received, issued, returned and destroyed by the record; placed, removed and in
    use now.
    """
    day = facility.gaming_day(now)
    begins, ends = facility.day_begins(day), facility.day_begins(day + dt.timedelta(days=1))
    lots = DiceLot.objects.filter(facility=facility)
    steps = _steps_of_day(facility, day, begins, ends, COUNTED.values())
    in_use = lots.filter(status=Status.PLACED)
    return {name: steps.get(type_, 0) for name, type_ in COUNTED.items()} | {
        "placed": lots.filter(placed_at__gte=begins, placed_at__lt=ends).count(),
        "removed": lots.filter(removed_at__gte=begins, removed_at__lt=ends).count(),
        "in_use": in_use.count(),
        "over_a_day": in_use.filter(placed_at__lt=now - A_DAY).count(),
        "in_storage": lots.filter(status=Status.STORED).count(),
    }


def _steps_of_day(
    facility: Facility, day: dt.date, begins: dt.datetime, ends: dt.datetime, types: Iterable[str]
) -> dict[str, int]:
    """How many entries of these types on this gaming day are about a lot of this facility.

    The range of moments lets the database use the index on time: the steps of all earlier days are many.
    """
    types = list(types)
    span = [connection.ops.adapt_datetimefield_value(moment) for moment in (begins, ends)]
    sql = f"""SELECT e.type, COUNT(*) FROM tables_lotstep p
              JOIN tables_dicelot l ON l.id = p.lot_id
              JOIN audit_entry e ON e.stream_id = p.stream_id AND e.seq = p.seq
              WHERE l.facility_id = %s AND e.gaming_day = %s AND e.at >= %s AND e.at < %s
              AND e.type IN ({", ".join(["%s"] * len(types))})
              GROUP BY e.type"""
    with connection.cursor() as cursor:
        cursor.execute(sql, [facility.pk, connection.ops.adapt_datefield_value(day), *span, *types])
        return dict(cursor.fetchall())


class LotCode(TypedDict):
    """The code of a lot in parts."""

    prefix: str
    number: str


def next_code(facility: Facility) -> LotCode:
    """The code after the highest one of real play, in parts: `{"prefix": "L-", "number": "0049"}`."""
    lots = DiceLot.objects.filter(facility=facility, training=False)
    last = lots.order_by("-code").values_list("code", flat=True).first()
    prefix, number = re.fullmatch(r"(.*?)(\d{0,9})", last or "L-0000").groups()  # type: ignore[union-attr]
    return {"prefix": prefix, "number": str(int(number or 0) + 1).zfill(len(number))}

"""The chain of custody of a dice lot (docs/pit.md): its steps, what the record says of each, and the rows they state.

A lot is received, measured die by die and stored in the dice room (`tables.dice.room`), issued to a table, placed in
its shaker and taken out of play for good (`tables.dice.at_tables`), and at last canceled or destroyed in the room.
What each step requires wherever it is done is here, with every entry about dice: a fold of them gives the rows of the
lots. At the end are reads of where lots are, of their chain of custody, and of the rounds thrown with them. The number
of queries of `custody_steps`, `lot_uses` and `throws_with_lots` does not depend on the length of the answer.

The sections on receipt, storage and destruction depend on the jurisdiction; a facility attests to those chapters.
What the games' own chapters require of dice comes from the edition.
"""

import datetime as dt
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypedDict, Unpack

from django.db import connection
from django.db.models import Count, Max, Min, QuerySet

from audit.columns import (
    FACILITY,
    NONE,
    PLACE,
    SEQ,
    STREAM,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    plain,
    same,
)
from audit.entries import ROW_RECORDED
from audit.entry_types import entry_type
from audit.models import Entry, Person, Stream
from audit.rows import read
from games.engine import Refusal, RefusalCode
from games.engine.rules import A_DAY
from games.models import Facility
from tables.models import DiceLot, LotStep, Round, Shaker, Throw
from tables.runner.facility import DICE
from tables.words.entries import words_of

LOT_IS_ELSEWHERE = RefusalCode(
    "lot-is-elsewhere",
    "Dice lot %(lot)s is %(status)s, so this cannot be done now.",
)
NO_SUCH_LOT = RefusalCode("no-such-lot", "There is no dice lot %(lot)s in this facility.")
Status = DiceLot.Status


# What the record says of dice


Section = Annotated[str, "the section behind it; empty where the jurisdiction has none"]
Dice = Annotated[int, "how many dice the lot has"]
Size = Annotated[int, "nominal side of a die"]
Expiry = Annotated[str, "when the time of the dice ends"]
Finder = Annotated[str, "name of the person who inspected the lot or took it out"]
Destruction = Literal["cancelled", "destroyed"]
DiceColors = Literal["alike", "green-red"]
WithdrawalReason = Literal["lost", "marked", "chipped", "scratched", "tampered", "unsuitable"]


class LotData(TypedDict):
    """A lot as the record names it."""

    attested: bool
    dice: Dice
    lot: str
    size_um: Size


# In the dice room: received, measured, counted, destroyed


class DiceReceivedLot(LotData):
    colours: Annotated[DiceColors, "the colors of its dice: all alike, or four green and two red"]
    maker: Annotated[str, "maker of the dice; may be empty"]
    seal_intact: Annotated[bool, "whether the seal of the box was intact"]
    serial: Annotated[str, "serial number of the box; may be empty"]
    training: Annotated[bool, "whether the dice are for training tables only"]


DiceReceived = TypedDict(
    "DiceReceived",
    {
        "from": Annotated[str, "who delivered the dice, in a person's words"],
        "lots": list[DiceReceivedLot],
        "section": Section,
    },
)
DICE_RECEIVED = entry_type(
    "dice.received",
    DiceReceived,
    "Dice lots were received from their maker; two departments signed.",
    lambda data: "%s lots received" % len(data["lots"]),
)


class MeasuredDie(TypedDict):
    balanced: bool
    clean: Annotated[bool, "whether its spots, edges and surfaces have no marks"]
    die: Annotated[int, "number of the die in its lot, from 1"]
    good: Annotated[bool, "whether it passed every test"]
    high_um: Annotated[int, "the largest of its sides"]
    low_um: Annotated[int, "the smallest of its sides"]
    square: Annotated[bool, "whether the square test passed"]


class Instruments(TypedDict):
    """The instruments of a measurement, as a person names them."""

    caliper: Annotated[str, "the balancing caliper"]
    micrometer: Annotated[str, "the micrometer"]
    square: Annotated[str, "the steel set square"]


class DiceLotMeasured(TypedDict):
    bad: Annotated[list[int], "numbers of the dice that failed a test; empty for a stored lot"]
    compartment: Annotated[str, "the compartment where the lot is"]
    dice: Annotated[list[MeasuredDie], "each die with its measures"]
    instruments: Annotated[Instruments, "the instruments that measured them, as a person names them"]
    lot: str
    section: Section
    tolerance_um: Annotated[int, "how far a side may be from the nominal side"]


DICE_LOT_STORED = entry_type(
    "dice_lot.stored",
    DiceLotMeasured,
    "A lot was measured die by die, found good and stored.",
    lambda data: "Lot %(lot)s measured and stored in %(compartment)s" % data,
)
DICE_LOT_REJECTED = entry_type(
    "dice_lot.rejected",
    DiceLotMeasured,
    "A lot was measured and rejected.",
    lambda data: "Lot %(lot)s measured and rejected" % data,
)


class CountedLots(TypedDict):
    """Lots that are at no table, by status."""

    received: int
    rejected: int
    removed: int
    stored: int


@entry_type("dice.counted")
def DICE_COUNTED(
    *,
    counted: Annotated[CountedLots, "the lots that people counted"],
    expected: Annotated[CountedLots, "the lots that were there by the record"],
    note: Annotated[str, "what was found where they differ, in a person's words"],
    section: Section,
) -> str:
    """The dice that are at no table were counted; two departments signed."""
    return (
        "Dice counted, as on the record"
        if counted == expected
        else "Dice counted, differs from the record: %s" % note
    )


@entry_type("dice.destroyed")
def DICE_DESTROYED(
    *,
    how: Annotated[Destruction, "what was done with the dice"],
    lots: Annotated[list[str], "codes of the dice lots"],
) -> str:
    """Dice lots were canceled or destroyed; two departments signed."""
    return "%(lots)s %(how)s" % {"lots": ", ".join(lots), "how": how}


# Its instruments


InstrumentKind = Literal["micrometer", "caliper", "square"]
InstrumentCode = Annotated[str, "code of the instrument"]


class InstrumentCalibrated(TypedDict):
    calibrated_on: Annotated[str, "the day of its calibration"]
    certificate: Annotated[str, "reference of the certificate; may be empty"]
    ends_on: Annotated[str, "the last day on which it may measure"]
    instrument: InstrumentCode


INSTRUMENT_CALIBRATED = entry_type(
    "instrument.calibrated",
    InstrumentCalibrated,
    "A measuring instrument of the dice room was calibrated.",
    lambda data: "Instrument %(instrument)s calibrated to %(ends_on)s" % data,
)


@entry_type("instrument.registered")
def INSTRUMENT_REGISTERED(
    *,
    kind: Annotated[InstrumentKind, "what it is"],
    serial: Annotated[str, "its serial number; may be empty"],
    **data: Unpack[InstrumentCalibrated],
) -> str:
    """A measuring instrument was added to the register of the dice room."""
    return f"Instrument {data['instrument']} registered"


@entry_type("instrument.retired")
def INSTRUMENT_RETIRED(*, instrument: InstrumentCode, why: Annotated[str, "why, in a person's words"]) -> str:
    """A measuring instrument was taken out of service."""
    return f"Instrument {instrument} out of service: {why}"


# At a table: issued, placed, inspected, out of play


DiceLotIssued = TypedDict(
    "DiceLotIssued",
    {
        "attested": bool,
        "dice": Dice,
        "from": Annotated[str, "the compartment of the dice storage that it came from"],
        "lot": str,
        "section": Section,
        "size_um": Size,
    },
)
DICE_LOT_ISSUED = entry_type(
    "dice_lot.issued",
    DiceLotIssued,
    "A lot was issued from storage to this table; two departments signed.",
    lambda data: "Lot %(lot)s issued to the table" % data,
)


@entry_type("dice_lot.returned")
def DICE_LOT_RETURNED(*, compartment: str, lot: str, section: Section) -> str:
    """A lot that was not used went back to storage; two departments signed."""
    return f"Lot {lot} returned to storage"


@entry_type("dice_lot.placed")
def DICE_LOT_PLACED(
    *,
    attested: bool,
    dice: Dice,
    expires_at: Expiry,
    lot: str,
    removed: Annotated[str | None, "code of the lot that was in the shaker before; null without one"],
    seal: Annotated[str, "the seal or lock that was put on the shaker; empty where none is required"],
    section: Annotated[str, "the section on the time of the dice"],
    shaker: str,
) -> str:
    """A lot was put into the shaker of this table."""
    return f"Lot {lot} into {shaker}"


@entry_type("shaker.unlocked")
def SHAKER_UNLOCKED(
    *,
    expires_at: Annotated[str, "when the time of the dice ends from now on"],
    lot: str,
    section: Annotated[str, "the section on the time of the dice"],
    shaker: str,
    why: Annotated[str, "why, in a person's words"],
) -> str:
    """The lock of an automated shaker was opened, which shortens the time of its dice."""
    return f"Shaker {shaker} unlocked"


@entry_type("dice_lot.expired")
def DICE_LOT_EXPIRED(
    *, expires_at: Expiry, lot: str, section: Annotated[str, "the section on the time of the dice"]
) -> str:
    """A lot in a shaker reached its time; the clock wrote this."""
    return f"Lot {lot} reached its time"


class FinderData(TypedDict):
    """Who found the dice as they are, and where."""

    finder: Finder
    licence: Annotated[str, "license number of that person; may be empty"]
    table: str


class DiceInspection(FinderData):
    found: Annotated[str, "what was found, in a person's words; empty without a finding"]
    lot: str
    section: Section


DICE_LOT_EXAMINED = entry_type(
    "dice_lot.examined",
    DiceInspection,
    "A lot was inspected at the end of the gaming day, without findings.",
    lambda data: "Lot %(lot)s inspected, sound" % data,
)
DICE_LOT_TAMPERED = entry_type(
    "dice_lot.tampered",
    DiceInspection,
    "Signs of tampering were found at the inspection of a lot.",
    lambda data: "Lot %(lot)s found tampered with" % data,
)


@entry_type("dice_lot.withdrawn")
def DICE_LOT_WITHDRAWN(
    *,
    found: Annotated[str, "what was found, in a person's words; may be empty"],
    lot: str,
    round: Annotated[int | None, "number of the round in play; null between rounds"],
    section: Annotated[str, "the section behind it"],
    shaker: str,
    why: Annotated[WithdrawalReason, "why, as a code"],
    **data: Unpack[FinderData],
) -> str:
    """A lot was taken out of play before its time."""
    return f"Lot {lot} out of play: {why}"


# A lot, locked for a step


def duty_section(facility: Facility, duty: str) -> str:
    """The section on a duty of dice custody in this facility's jurisdiction; empty for a facility's own practice."""
    return facility.law.section(f"custody.{duty}")


def locked_lot(facility: Facility, code: str) -> DiceLot:
    """Lock and return a lot of this facility, until the transaction ends. Raises `no-such-lot`."""
    lot = DiceLot.objects.select_for_update(of=("self",)).filter(facility=facility, code=code).first()
    if lot is None:
        raise Refusal(NO_SUCH_LOT, lot=code)
    return lot


def verify_status(lot: DiceLot, statuses: Iterable[str], section: str = "") -> None:
    """Raises `lot-is-elsewhere` unless the lot has one of these statuses."""
    if lot.status not in set(statuses):
        raise Refusal(LOT_IS_ELSEWHERE, section, lot=lot.code, status=str(lot.get_status_display()))


def locked_lot_in(shaker: Shaker) -> DiceLot | None:
    """Lock and return the dice in a shaker, until the transaction ends."""
    return DiceLot.objects.select_for_update(of=("self",)).filter(shaker=shaker, status=Status.PLACED).first()


def remove_from_play(lot: DiceLot, now: dt.datetime, why: str) -> None:
    """Take a lot out of play for good: its clock cannot start again (A16)."""
    lot.status, lot.removed_at, lot.removed_why = Status.REMOVED, now, why
    lot.to_destroy_since = now
    lot.tampered = lot.tampered or why == "tampered"
    lot.save(update_fields=["status", "removed_at", "removed_why", "to_destroy_since", "tampered"])


def lot_data(lot: DiceLot) -> LotData:
    """A lot as the record names it."""
    return {"lot": lot.code, "dice": lot.dice, "size_um": lot.size_um, "attested": lot.attested}


# What the entries state of lots and their steps


# What the entries state


# Types of higher packages, by their names
SHAKER_REPLACED, TABLE_CLOSED, TABLE_OPENED = "shaker.replaced", "table.closed", "table.opened"
LOT = same("dice", "size_um", "attested")
MEASURED = {DICE_LOT_STORED.name: "stored", DICE_LOT_REJECTED.name: "rejected"}


def _remember(rows: Rows, facility: str, shaker: str | None, lot: str) -> None:
    """Which lot is in a shaker: the entry that replaces a shaker does not name the lot that leaves play with it."""
    if shaker:
        rows.memory[facility, shaker] = lot


def _removed(rows: Rows, body: Body, lot: str | None, why: str) -> None:
    """A lot leaves play for good."""
    if lot is None:
        return
    values: dict[str, Any] = {"status": "removed", "removed_at": body["at"], "removed_why": why}
    if why == "tampered":
        values["tampered"] = True
    rows.put(body, FACILITY(body), lot, **values, to_destroy_since=body["at"])


def recorded(rows: Rows, body: Body) -> None:
    facility, lot = body["data"]["key"]
    _remember(rows, facility, body["data"]["values"].get("shaker"), lot)


def received(rows: Rows, body: Body) -> None:
    for lot in body["data"]["lots"]:
        rows.put(
            body,
            FACILITY(body),
            lot["lot"],
            colors=lot["colours"],
            status="received",
            tampered=False,
            compartment="",
            seal="",
            clock_section="",
            **{name: lot[name] for name in ("dice", "size_um", "attested", "maker", "serial", "seal_intact")},
            training=lot["training"],
            **dict.fromkeys(
                (
                    "table",
                    "shaker",
                    "placed_at",
                    "expires_at",
                    "removed_at",
                    "to_destroy_since",
                    "examined_at",
                )
            ),
            removed_why="",
        )


def measured(rows: Rows, body: Body) -> None:
    data, status = body["data"], MEASURED[body["_type"]]
    since = body["at"] if status == "rejected" else None
    values = {"status": status, "compartment": data["compartment"], "to_destroy_since": since}
    rows.put(body, FACILITY(body), data["lot"], **values)


def placed(rows: Rows, body: Body) -> None:
    data, facility = body["data"], FACILITY(body)
    _removed(rows, body, data["removed"], "replaced")
    _remember(rows, facility, data["shaker"], data["lot"])
    rows.put(
        body,
        facility,
        data["lot"],
        status="placed",
        placed_at=body["at"],
        clock_section=data["section"],
        **{name: data[name] for name in ("shaker", "expires_at", "seal", "dice", "attested")},
    )


def withdrawn(rows: Rows, body: Body) -> None:
    rows.memory.pop((FACILITY(body), body["data"]["shaker"]), None)
    _removed(rows, body, body["data"]["lot"], body["data"]["why"])


def examined(rows: Rows, body: Body) -> None:
    lot, facility = body["data"]["lot"], FACILITY(body)
    rows.put(body, facility, lot, examined_at=body["at"])
    if body["_type"] == DICE_LOT_TAMPERED.name:
        rows.put(body, facility, lot, tampered=True)
        if (rows.get(facility, lot) or {}).get("status") == "issued":
            _removed(rows, body, lot, "tampered")


def opened(rows: Rows, body: Body) -> None:
    _remember(rows, FACILITY(body), body["data"]["shaker"], body["data"]["lot"])


def closed(rows: Rows, body: Body) -> None:
    if body["data"]["removed"] is not None:
        rows.memory.pop((FACILITY(body), body["data"]["shaker"]), None)
        _removed(rows, body, body["data"]["removed"], "table-closed")


def replaced(rows: Rows, body: Body) -> None:
    old = body["data"]["replaces"]
    _removed(rows, body, rows.memory.pop((FACILITY(body), old), None), "shaker-replaced")


def destroyed(rows: Rows, body: Body) -> None:
    for lot in body["data"]["lots"]:
        rows.put(body, FACILITY(body), lot, status="destroyed")


declare(
    DiceLot,
    "dice lot",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "lot"},
    changed={
        DICE_LOT_ISSUED: {**LOT, "status": constant("issued"), "table": PLACE},
        DICE_LOT_RETURNED: {"status": constant("stored"), "table": NONE, "compartment": "compartment"},
        SHAKER_UNLOCKED: {"expires_at": "expires_at", "seal": constant("")},
    },
    folded={
        ROW_RECORDED: recorded,
        DICE_RECEIVED: received,
        DICE_LOT_STORED: measured,
        DICE_LOT_REJECTED: measured,
        DICE_LOT_PLACED: placed,
        DICE_LOT_WITHDRAWN: withdrawn,
        DICE_LOT_EXAMINED: examined,
        DICE_LOT_TAMPERED: examined,
        DICE_DESTROYED: destroyed,
        TABLE_OPENED: opened,
        TABLE_CLOSED: closed,
        SHAKER_REPLACED: replaced,
    },
    folded_columns=(
        *("colors", "maker", "serial", "seal_intact", "training", "shaker", "placed_at", "clock_section"),
        *("removed_at", "removed_why", "to_destroy_since", "examined_at", "tampered"),
    ),
    unproven={"warned": "which warning about its time was raised last; the entries of the alerts say it"},
)
OF_LOT = {
    "facility": Reading(("lot__facility__code",), plain, ("lot",)),
    "lot": Reading(("lot__code",), plain, ("lot",)),
}


def step(rows: Rows, body: Body) -> None:
    """Link each lot that an entry names, and the lot in a shaker that an entry replaces."""
    data, facility = body["data"], FACILITY(body)
    lots = [data.get(name) for name in ("lot", "removed", "stays")] + [
        lot["lot"] if isinstance(lot, dict) else lot for lot in data.get("lots", ())
    ]
    if body["_type"] == DICE_LOT_PLACED.name:
        _remember(rows, facility, data["shaker"], data["lot"])
    elif body["_type"] == SHAKER_REPLACED:
        lots.append(rows.memory.pop((facility, data["replaces"]), None))
    elif body["_type"] == TABLE_OPENED:  # no step of the lot's custody
        _remember(rows, facility, data["shaker"], data["lot"])
        return
    elif (body["_type"] == TABLE_CLOSED and data["removed"]) or body["_type"] == DICE_LOT_WITHDRAWN.name:
        rows.memory.pop((facility, data["shaker"]), None)
    for lot in lots:
        if lot is not None:
            rows.put(body, facility, lot, body["stream"], body["seq"])


STEPS = (
    *(DICE_RECEIVED, DICE_LOT_STORED, DICE_LOT_REJECTED, DICE_DESTROYED, DICE_LOT_ISSUED, DICE_LOT_RETURNED),
    *(DICE_LOT_PLACED, DICE_LOT_WITHDRAWN, DICE_LOT_EXAMINED, DICE_LOT_TAMPERED, DICE_LOT_EXPIRED),
    *(SHAKER_UNLOCKED, SHAKER_REPLACED, TABLE_CLOSED, TABLE_OPENED),
)
declare(
    LotStep,
    "step of lot",
    key={"facility": FACILITY, "lot": "lot", "stream": STREAM, "seq": SEQ},
    folded=dict.fromkeys(STEPS, step),
    readings=OF_LOT,
)


# Where lots are, and the chain of custody read back


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
    line = words_of(type_, data)
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

"""What the entries state of dice lots, their custody and measures, of instruments and of counts."""

from typing import Any

from audit.columns import (
    ACTOR,
    AT,
    FACILITY,
    NONE,
    PLACE,
    SEQ,
    STREAM,
    WITNESS,
    Body,
    Reading,
    Rows,
    constant,
    declare,
    plain,
    same,
)
from audit.entries import ROW_RECORDED
from tables.dice.entry_types import (
    DICE_COUNTED,
    DICE_DESTROYED,
    DICE_LOT_EXAMINED,
    DICE_LOT_EXPIRED,
    DICE_LOT_ISSUED,
    DICE_LOT_PLACED,
    DICE_LOT_REJECTED,
    DICE_LOT_RETURNED,
    DICE_LOT_STORED,
    DICE_LOT_TAMPERED,
    DICE_LOT_WITHDRAWN,
    DICE_RECEIVED,
    INSTRUMENT_CALIBRATED,
    INSTRUMENT_REGISTERED,
    INSTRUMENT_RETIRED,
    SHAKER_UNLOCKED,
)
from tables.models import DiceCount, DiceLot, DiceMeasurement, Instrument, LotStep

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


def die_measured(rows: Rows, body: Body) -> None:
    for die in body["data"]["dice"]:
        values = {name: die[name] for name in ("low_um", "high_um", "balanced", "square", "good")}
        rows.put(body, FACILITY(body), body["data"]["lot"], die["die"], unmarked=die["clean"], **values)


declare(
    DiceMeasurement,
    "measure of die",
    key={"facility": FACILITY, "lot": "lot", "die": "die"},
    folded={DICE_LOT_STORED: die_measured, DICE_LOT_REJECTED: die_measured},
    folded_columns=("low_um", "high_um", "balanced", "square", "good", "unmarked"),
    readings=OF_LOT,
)
CALIBRATION = {
    **same("calibrated_on", "certificate"),
    "calibration_ends_on": "ends_on",
    "retired_at": NONE,
    "retired_why": constant(""),
}
declare(
    Instrument,
    "instrument",
    may_be_seeded=True,
    key={"facility": FACILITY, "code": "instrument"},
    created={INSTRUMENT_REGISTERED: {**same("kind", "serial"), **CALIBRATION}},
    changed={
        INSTRUMENT_CALIBRATED: CALIBRATION,
        INSTRUMENT_RETIRED: {"retired_at": AT, "retired_why": "why"},
    },
)
declare(
    DiceCount,
    "count of dice by entry",
    key={"facility": FACILITY, "seq": SEQ},
    created={
        DICE_COUNTED: {
            **same("counted", "expected", "note"),
            "counted_at": AT,
            "counted_by": ACTOR,
            "counted_with": WITNESS,
        }
    },
)

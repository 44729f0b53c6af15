"""What the entries state of duties, trainings, lock-outs, one-time PINs, and resets of second factors."""

from typing import Any

from audit.columns import (
    ACTOR,
    AT,
    DEVICE,
    FACILITY,
    NONE,
    UNSTATED,
    Body,
    Rows,
    constant,
    declare,
    same,
)
from audit.entries import DEVICE_LOCKED_OUT, FACTORS_RESET, PERSON_LOCKED_OUT, RESET_ASKED, RESET_WITHDRAWN
from audit.models import FactorReset, Lockout, OneTimePin
from tables.models import Assignment, Qualification
from tables.staffing.entry_types import (
    ACCESS_ENDED,
    ASSIGNMENT_ENDED,
    ASSIGNMENT_STARTED,
    PERSON_ADDED,
    PIN_ENDED,
    PIN_MADE,
    PINS_UNLOCKED,
    QUALIFICATION_ENDED,
    QUALIFICATION_RECORDED,
)

DUTY = {**same("person", "pit", "table", "elsewhere"), "facility": FACILITY}


def access_ended(rows: Rows, body: Body) -> None:
    for duty in body["data"]["assignments"]:
        rows.put(body, duty, ended_at=body["at"])


declare(
    Assignment,
    "duty",
    may_be_seeded=True,
    key={"id": "assignment"},
    created={ASSIGNMENT_STARTED: {**DUTY, "started_at": AT, "ended_at": NONE}},
    changed={ASSIGNMENT_ENDED: {**DUTY, "ended_at": AT}},
    folded={ACCESS_ENDED: access_ended},
    unproven={
        "works_since": "says only when a break is due; the entries about posts say who worked when",
        "rests_since": "says only when a break is due; the entries about posts say who worked when",
    },
)

TRAINING = same("person", "game", "reference", "since", "ends_on")
declare(
    Qualification,
    "training",
    may_be_seeded=True,
    key={"id": "qualification"},
    created={QUALIFICATION_RECORDED: TRAINING},
    changed={QUALIFICATION_ENDED: TRAINING},
)

PERSON_SCOPES = ("person-at-device", "person")


def locked_out(rows: Rows, body: Body) -> None:
    data = body["data"]
    person = data.get("code")
    scope = "device" if person is None else PERSON_SCOPES[bool(data.get("everywhere"))]
    key = scope, body["device"], person, body["at"]
    rows.memory[scope, person or data["name"], body["at"]] = key
    rows.remove(*key)
    # An entry of before the field says nothing of who was signed in.
    signed_in: Any = data.get("signed_in") if "ends_at" in data else UNSTATED
    rows.put(
        body,
        *key,
        facility=FACILITY(body),
        ends_at=data.get("ends_at", UNSTATED),
        signed_in=signed_in,
        unlocked_at=None,
    )


def unlocked(rows: Rows, body: Body) -> None:
    data = body["data"]
    person, device = data["person"], data["device"]
    scope = "device" if person is None else PERSON_SCOPES[device is None]
    key = rows.memory.pop((scope, person or device, data["since"]), None)
    if key is not None:
        rows.put(body, *key, unlocked_at=body["at"])


declare(
    Lockout,
    "lock-out",
    key={"scope": constant(None), "device": DEVICE, "person": "code", "started_at": AT},
    folded={DEVICE_LOCKED_OUT: locked_out, PERSON_LOCKED_OUT: locked_out, PINS_UNLOCKED: unlocked},
    folded_columns=("facility", "ends_at", "signed_in", "unlocked_at"),
)


declare(
    FactorReset,
    "reset",
    key={"id": "reset"},
    created={
        RESET_ASKED: {
            **same("person", "reason"),
            "facility": FACILITY,
            "asked_by": ACTOR,
            "asked_at": AT,
            "confirmed_by": NONE,
            "closed_at": NONE,
        }
    },
    changed={
        RESET_WITHDRAWN: {"person": "person", "closed_at": AT},
        FACTORS_RESET: {"person": "code", "asked_by": "asked_by", "confirmed_by": ACTOR, "closed_at": AT},
    },
    unproven={"ends_at": "half a day after asked_at, and only says until when the request may be confirmed"},
)


def pin_allowed(rows: Rows, body: Body) -> None:
    """Who prepared the addition of a person, or the end of a forgotten PIN, may make a one-time PIN."""
    data = body["data"]
    asked_by: Any = data.get("pin_by", UNSTATED)
    rows.put(body, data["person"], asked_by=asked_by, allowed_at=body["at"], made_at=None, command=None)


def access_gone(rows: Rows, body: Body) -> None:
    rows.remove(body["data"]["person"])


declare(
    OneTimePin,
    "one-time PIN of",
    key={"person": "person"},
    changed={PIN_MADE: {"made_at": AT, "command": lambda body: body["command"]}},
    folded={PERSON_ADDED: pin_allowed, PIN_ENDED: pin_allowed, ACCESS_ENDED: access_gone},
    folded_columns=("asked_by", "allowed_at"),
    may_be_gone=True,  # a command of the server that sets a PIN deletes the row
)

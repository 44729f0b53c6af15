"""What the entries state of duties, trainings, lock-outs, and one-time PINs and passwords."""

from typing import Any

from audit.columns import (
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
from audit.entries import DEVICE_LOCKED_OUT, PASSWORD_GIVEN, PERSON_LOCKED_OUT, SIGN_IN_ENDED
from audit.models import Lockout, OneTimeSecret
from tables.models import Assignment, Qualification
from tables.staffing.entry_types import (
    ACCESS_ENDED,
    ASSIGNMENT_ENDED,
    ASSIGNMENT_STARTED,
    LEAVE_BEGAN,
    LEAVE_RECORDED,
    PEOPLE_ADDED,
    PERSON_ADDED,
    PIN_ENDED,
    PIN_MADE,
    PINS_UNLOCKED,
    QUALIFICATION_ENDED,
    QUALIFICATION_RECORDED,
)

DUTY = {**same("person", "pit", "table", "elsewhere"), "facility": FACILITY}


def duty_ended(rows: Rows, body: Body) -> None:
    for duty in body["data"]["assignments"]:
        rows.put(body, duty, ended_at=body["at"])


declare(
    Assignment,
    "duty",
    may_be_seeded=True,
    key={"id": "assignment"},
    created={ASSIGNMENT_STARTED: {**DUTY, "started_at": AT, "ended_at": NONE}},
    changed={ASSIGNMENT_ENDED: {**DUTY, "ended_at": AT}},
    folded=dict.fromkeys((ACCESS_ENDED, LEAVE_RECORDED, LEAVE_BEGAN), duty_ended),
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
    unproven={"read_at": "when its person was told of the wrong PINs; an entry says so"},
)


def secret_allowed(rows: Rows, body: Body) -> None:
    """Who approved the addition of a person, or the end of a sign-in that is lost, may make a one-time secret."""
    data = body["data"]
    secret = data.get("secret")
    if secret is not None:
        names = {name: secret[name] for name in ("asked_by", "approved_by")}
        rows.put(
            body, data["person"], secret["kind"], **names, allowed_at=body["at"], made_at=None, command=None
        )


def people_added(rows: Rows, body: Body) -> None:
    for person in body["data"]["people"]:
        secret_allowed(rows, {**body, "data": person})


def pin_made(rows: Rows, body: Body) -> None:
    person = body["data"]["person"]
    if rows.get(person, "pin") is not None:
        rows.put(body, person, "pin", made_at=body["at"], command=body["command"])


def password_given(rows: Rows, body: Body) -> None:
    """A command of the server gives one without asking two people."""
    if rows.get(body["data"]["code"], "password") is not None:
        rows.put(body, body["data"]["code"], "password", made_at=body["at"])


def access_gone(rows: Rows, body: Body) -> None:
    for kind in ("pin", "password"):
        rows.remove(body["data"]["person"], kind)


declare(
    OneTimeSecret,
    "one-time secret of",
    key={"person": "person", "kind": "kind"},
    folded={
        PERSON_ADDED: secret_allowed,
        PEOPLE_ADDED: people_added,
        PIN_ENDED: secret_allowed,
        SIGN_IN_ENDED: secret_allowed,
        PIN_MADE: pin_made,
        PASSWORD_GIVEN: password_given,
        ACCESS_ENDED: access_gone,
    },
    folded_columns=("asked_by", "approved_by", "allowed_at", "made_at", "command"),
    may_be_gone=True,  # a command of the server that sets a PIN deletes the row
)

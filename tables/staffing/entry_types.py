"""Entries about posts, assignments, training and supervision."""

from typing import Annotated, Literal, NotRequired, TypedDict

from audit.entries import LeaveReasonCode, SecretAllowed
from audit.entry_types import entry_type
from games.engine.game import PostCode
from tables.models.staffing import GameElsewhere


class Assignment(TypedDict):
    """Where: a table, a pit, or (all three null) the whole facility."""

    assignment: int
    elsewhere: Annotated[
        GameElsewhere | None, "the game of a table without Pitside that the person supervises; otherwise null"
    ]
    person: str
    pit: Annotated[str | None, "code of the pit; null where the assignment is not to a pit"]
    table: Annotated[str | None, "code of the table; null where the assignment is not to a table"]


PlannedMoves = Annotated[list[int], "numbers of the planned moves that ended with it; absent where none did"]


class AssignmentEnded(Assignment):
    planned_moves: NotRequired[PlannedMoves]


ASSIGNMENT_ENDED = entry_type(
    "assignment.ended",
    AssignmentEnded,
    "A person's assignment to a table, a pit, the facility or a game elsewhere ended.",
)


ASSIGNMENT_STARTED = entry_type(
    "assignment.started",
    Assignment,
    "A person was assigned to a table, a pit, the whole facility (neither named) or a game elsewhere.",
)


class PostTaken(TypedDict):
    """A person takes a post. The fields about posts are there at tables with several posts."""

    dealer: Annotated[str, "code of the person"]
    round: Annotated[int | None, "number of the round in play; null between rounds"]
    takes_shaker: Annotated[
        str | None, "code of the shaker that the person is now responsible for; null for a post without it"
    ]
    follows: NotRequired[
        Annotated[str | None, "code of the person who takes the post that was left; null without one"]
    ]
    leaves_post: NotRequired[Annotated[PostCode | None, "the post that the person left; null without one"]]
    planned_moves: NotRequired[PlannedMoves]
    post: NotRequired[Annotated[PostCode, "the post that the person took"]]
    sent_by: NotRequired[
        Annotated[
            str, "code of the floorperson who sent the person from another device, and whom they sign beside"
        ]
    ]


class DealerBegan(PostTaken):
    relieves: Annotated[None, "null: nobody held the post"]


DEALER_BEGAN = entry_type("dealer.began", DealerBegan, "A person took a post at the table that nobody held.")


class DealerLeft(TypedDict):
    dealer: Annotated[str, "code of the person"]
    post: NotRequired[Annotated[PostCode, "the post that was left, at tables with several posts"]]


DEALER_LEFT = entry_type("dealer.left", DealerLeft, "A person left a post at the table without relief.")


class DealerRelieved(PostTaken):
    relieves: str


DEALER_RELIEVED = entry_type(
    "dealer.relieved", DealerRelieved, "A person relieved another one at a post of the table."
)


class QualificationData(TypedDict):
    game: str
    person: str
    qualification: Annotated[int, "number of the training"]
    reference: Annotated[str, "reference of the training"]
    since: Annotated[str, "the first day on which it is in effect"]


class QualificationEnded(QualificationData):
    ends_on: Annotated[str, "the first day on which it is no longer in effect"]


QUALIFICATION_ENDED = entry_type(
    "qualification.ended", QualificationEnded, "A person's training for a game ends."
)


class QualificationRecorded(QualificationData):
    ends_on: Annotated[str | None, "the first day on which it is no longer in effect; null without an end"]


QUALIFICATION_RECORDED = entry_type(
    "qualification.recorded", QualificationRecorded, "A person's training for a game was recorded."
)


class Supervision(TypedDict):
    floorperson: Annotated[str, "code of the floorperson"]
    relieves: Annotated[str | None, "code of the floorperson before; null without one"]


SUPERVISION_ASSIGNED = entry_type(
    "supervision.assigned", Supervision, "A floorperson was assigned to this table."
)


SUPERVISION_TAKEN = entry_type("supervision.taken", Supervision, "A floorperson took this table.")


class PinsUnlocked(TypedDict):
    device: Annotated[str | None, "name of the device; null where a person was locked out at every device"]
    lockout: Annotated[int, "id of the lock-out"]
    person: Annotated[str | None, "code of the person; null where a device accepted nobody's PIN"]
    since: Annotated[str, "when the lock-out began"]
    times: NotRequired[
        Annotated[
            int, "so many unlocks of this person or device in a day, with this one; absent in older entries"
        ]
    ]


PINS_UNLOCKED = entry_type(
    "pins.unlocked", PinsUnlocked, "A supervisor ended a lock-out after wrong PINs before its time."
)


class PersonNamed(TypedDict):
    person: Annotated[str, "code of the person"]


class PersonAdded(PersonNamed, SecretAllowed):
    badge: Annotated[str, "number of the badge; empty without one"]
    licence: Annotated[str, "number of the license; empty without one"]
    licence_ends_on: Annotated[str | None, "the last day on which the license is in effect; null without one"]
    name: str
    role: str


PERSON_ADDED = entry_type(
    "person.added", PersonAdded, "A person was added. They have no PIN and no password yet."
)


class PeopleAdded(TypedDict):
    people: list[PersonAdded]


PEOPLE_ADDED = entry_type(
    "people.added", PeopleAdded, "Several people were added at once. They have no PIN and no password yet."
)


ChangedField = Literal["role", "badge", "licence", "licence_ends_on"]


class FieldChange(TypedDict):
    """What changed about a person."""

    after: Annotated[str, "empty without one"]
    before: Annotated[str, "empty without one"]
    field: Annotated[ChangedField, "what changed; a day is written as 2026-11-21"]


class PersonChanged(PersonNamed):
    changes: list[FieldChange]
    devices: Annotated[list[str], "names of the devices where the person was signed off"]


PERSON_CHANGED = entry_type(
    "person.changed", PersonChanged, "The role, the badge or the license of a person changed."
)


class PinEnded(PersonNamed, SecretAllowed):
    devices: Annotated[list[str], "names of the devices where the person was signed off"]


PIN_ENDED = entry_type(
    "pin.ended", PinEnded, "The PIN of a person who forgot it ended. They may get a one-time PIN."
)


class PinMade(PersonNamed):
    ends_at: Annotated[str, "until when the person can sign in with it, to choose a PIN of their own"]


PIN_MADE = entry_type(
    "pin.made",
    PinMade,
    "A one-time PIN was made, and could be read for ten minutes by the person who made it.",
)


class DutyEnded(PersonNamed):
    """What of a person ended at once."""

    assignments: Annotated[list[int], "the assignments that ended with it"]
    devices: Annotated[list[str], "names of the devices where the person was signed off"]
    planned_moves: NotRequired[PlannedMoves]


class AccessEnded(DutyEnded):
    why: Annotated[str, "why, in a person's words"]


ACCESS_ENDED = entry_type("access.ended", AccessEnded, "A person's access ended: sign-in, duty and sessions.")


class Leave(PersonNamed):
    begins_on: Annotated[str, "the first gaming day of the leave"]
    last_day: Annotated[str | None, "the last day that is planned; null for an open end"]
    reason: LeaveReasonCode


class LeaveRecorded(Leave, DutyEnded):
    """The lists of what ended are empty where the leave begins on a later day."""


LEAVE_RECORDED = entry_type(
    "leave.recorded",
    LeaveRecorded,
    "A leave of absence of a person was recorded, or its last day changed. Nobody signs in, signs or is planned on leave.",
)


LEAVE_BEGAN = entry_type(
    "leave.began",
    DutyEnded,
    "The first day of a leave that was recorded before came, and duty and sign-ins of its person ended.",
)


LEAVE_ENDED = entry_type(
    "leave.ended", Leave, "A person is back from a leave, or it was called off before it began."
)


class AccessReviewed(TypedDict):
    note: Annotated[str, "what the reviewer remarked; empty without a remark"]
    people: Annotated[int, "how many people had access"]
    sha256: Annotated[
        str, "SHA-256, in hex, of the JSON list of their codes, roles, departments and facilities"
    ]


ACCESS_REVIEWED = entry_type(
    "access.reviewed", AccessReviewed, "Somebody of compliance reviewed who has access, and with which role."
)

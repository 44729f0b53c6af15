"""Entries about posts, assignments, training and supervision."""

from typing import NotRequired, TypedDict

from audit.entry_types import entry_type


class Assignment(TypedDict):
    assignment: int
    elsewhere: str | None
    person: str
    pit: str | None
    table: str | None


ASSIGNMENT_ENDED = entry_type(
    "assignment.ended",
    Assignment,
    "A person's assignment to a table, a pit, the facility or a game elsewhere ended.",
)


ASSIGNMENT_STARTED = entry_type(
    "assignment.started",
    Assignment,
    "A person was assigned to a table, a pit, the whole facility (neither named) or a game elsewhere.",
)


class DealerBegan(TypedDict):
    dealer: str
    relieves: None
    round: None
    takes_shaker: str | None
    follows: NotRequired[None]
    leaves_post: NotRequired[str | None]
    post: NotRequired[str]


DEALER_BEGAN = entry_type("dealer.began", DealerBegan, "A person took a post at the table that nobody held.")


class DealerLeft(TypedDict):
    dealer: str
    post: NotRequired[str]


DEALER_LEFT = entry_type("dealer.left", DealerLeft, "A person left a post at the table without relief.")


class DealerRelieved(TypedDict):
    dealer: str
    relieves: str
    round: int | None
    takes_shaker: str | None
    follows: NotRequired[str | None]
    leaves_post: NotRequired[str | None]
    post: NotRequired[str]


DEALER_RELIEVED = entry_type(
    "dealer.relieved", DealerRelieved, "A person relieved another one at a post of the table."
)


class QualificationEnded(TypedDict):
    ends_on: str
    game: str
    person: str
    qualification: int
    reference: str
    since: str


QUALIFICATION_ENDED = entry_type(
    "qualification.ended", QualificationEnded, "A person's training for a game ends."
)


class QualificationRecorded(TypedDict):
    ends_on: str | None
    game: str
    person: str
    qualification: int
    reference: str
    since: str


QUALIFICATION_RECORDED = entry_type(
    "qualification.recorded", QualificationRecorded, "A person's training for a game was recorded."
)


class Supervision(TypedDict):
    floorperson: str
    relieves: str | None


SUPERVISION_ASSIGNED = entry_type(
    "supervision.assigned", Supervision, "A floorperson was assigned to this table."
)


SUPERVISION_TAKEN = entry_type("supervision.taken", Supervision, "A floorperson took this table.")

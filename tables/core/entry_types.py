"""Entries about alerts."""

from typing import NotRequired, TypedDict

from audit.entry_types import entry_type


class AlertAcknowledged(TypedDict):
    key: str
    kind: str
    note: str


ALERT_ACKNOWLEDGED = entry_type(
    "alert.acknowledged",
    AlertAcknowledged,
    "A person acknowledged an alert; who and when stand on the entry.",
)


class AlertEnded(TypedDict):
    key: str
    kind: str


ALERT_ENDED = entry_type("alert.ended", AlertEnded, "The cause of an alert is over.")


class AlertRaised(TypedDict):
    about: NotRequired[str]
    key: str
    kind: str
    level: str
    round: NotRequired[int | None]
    seat: NotRequired[int]
    section: str
    what: NotRequired[str]
    slip: NotRequired[str]
    lot: NotRequired[str]
    minutes: NotRequired[int]
    until: NotRequired[str]
    seconds: NotRequired[int]
    device: NotRequired[str]
    last: NotRequired[int]
    seen: NotRequired[int]
    breach: NotRequired[str]
    person: NotRequired[str]
    table: NotRequired[str]
    shaker: NotRequired[str]
    throw: NotRequired[int]
    post: NotRequired[str]


ALERT_RAISED = entry_type(
    "alert.raised",
    AlertRaised,
    "An alert was raised. Beside `kind`, `key`, `level` and `section` it has the values of its sentence.",
)

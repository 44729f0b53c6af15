"""Entries about disputes, calls to the floor, and how alerts are answered."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from games.snapshot_types import Addressee
from tables.core.entry_types import AlertEnded


class DisputeReported(TypedDict):
    about: Annotated[str, "what it is about, in a person's words"]
    round: Annotated[
        int | None, "number of the round in play, otherwise of the last one; null before the first round"
    ]
    seat: int
    section: Annotated[str, "the section on disputed dice; empty where the edition has none"]


DISPUTE_REPORTED = entry_type("dispute.reported", DisputeReported, "A dispute was reported.")


class FloorCalled(AlertEnded):
    round: Annotated[
        int | None, "number of the round in play, otherwise of the last one; null before the first round"
    ]
    to: Annotated[Addressee, "whom the table calls"]


FLOOR_CALLED = entry_type("floor.called", FloorCalled, "A table called the floor or Security.")


class CallExplained(AlertEnded):
    reason: Annotated[str, "code of the reason; empty while none was tapped"]
    seat: Annotated[int | None, "the seat concerned; null while none was tapped"]


CALL_EXPLAINED = entry_type(
    "floor.call_explained", CallExplained, "The table gave the reason or the seat of its call."
)
CALL_CANCELED = entry_type("floor.call_canceled", AlertEnded, "The table canceled its call.")
ALERT_ANSWERED = entry_type(
    "alert.answered",
    AlertEnded,
    "A person said that they are coming to the table. The entry says who and when.",
)


DECISION_READ = entry_type("alert.decision_read", AlertEnded, "The table read the decision of the floor.")


class AlertMuted(AlertEnded):
    minutes: Annotated[int, "for how long its sound is off"]


ALERT_MUTED = entry_type(
    "alert.muted",
    AlertMuted,
    "A person turned off the sound of an alert for some minutes. It stays on the screens.",
)


class AlertPassedOn(AlertEnded):
    role: Annotated[str, "the role that is asked now"]


ALERT_PASSED_ON = entry_type(
    "alert.passed_on", AlertPassedOn, "Nobody answered an alert in time, and the next role was asked."
)

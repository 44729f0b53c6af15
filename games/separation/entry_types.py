"""Entries about changes that one person prepares and another approves."""

from typing import Annotated, Any, NotRequired, TypedDict

from audit.entry_types import entry_type


class Change(TypedDict):
    """The change that an entry is about."""

    change: Annotated[str, "code of the change, such as CH-0001"]
    subject: Annotated[str, "the row of the policy, such as rules"]
    act: Annotated[str, "name of the act that is done when the change is approved"]


class ActOfChange(TypedDict):
    """The entry that the act would write, as it was checked when the change was prepared."""

    type: Annotated[str, "its type"]
    sha256: Annotated[str, "SHA-256 of its data, as JSON with sorted keys and without spaces"]


class ChangePrepared(Change):
    params: Annotated[dict[str, Any], "the parameters of the act, as the person who prepared it sent them"]
    makers: Annotated[list[str], "codes of the people who made it, none of whom may approve it"]
    due_at: Annotated[str, "the moment until which it is to be approved or sent back"]
    does: NotRequired[ActOfChange]


CHANGE_PREPARED = entry_type(
    "change.prepared",
    ChangePrepared,
    "A change was prepared. Nothing is done until somebody else approves it.",
)


class ChangeApproved(Change):
    prepared_by: Annotated[str, "code of the person who prepared it"]
    prepared_entry: Annotated[int, "number of its change.prepared on this stream"]
    entry: Annotated[int, "number of the entry of the act, on this stream, that the approval did"]
    told: NotRequired[Annotated[list[str], "departments that are told, and acknowledge it"]]


CHANGE_APPROVED = entry_type(
    "change.approved", ChangeApproved, "A second person approved a change, and its act was done."
)


class ChangeEnded(Change):
    prepared_by: Annotated[str, "code of the person who prepared it"]
    why: Annotated[str, "the reason, in a person's words, or what has ended"]


CHANGE_SENT_BACK = entry_type(
    "change.sent_back", ChangeEnded, "A change was sent back instead of approved. Nothing was done."
)
CHANGE_TAKEN_BACK = entry_type(
    "change.taken_back", ChangeEnded, "A change was taken back by somebody who made it. Nothing was done."
)
CHANGE_WITHDRAWN = entry_type(
    "change.withdrawn",
    ChangeEnded,
    "A change was withdrawn by the clock, because what it is about has ended. Nothing was done.",
)


class ChangeAcknowledged(Change):
    department: Annotated[str, "the department that was told of the change"]


CHANGE_ACKNOWLEDGED = entry_type(
    "change.acknowledged", ChangeAcknowledged, "A department that was told of a change acknowledged it."
)

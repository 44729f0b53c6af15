"""Entries about changes that one person prepares and another approves."""

from typing import Annotated, Any, TypedDict

from audit.entry_types import entry_type


class Change(TypedDict):
    """The change that an entry is about."""

    change: Annotated[str, "code of the change, such as CH-0001"]
    subject: Annotated[str, "the row of the policy, such as rules"]
    act: Annotated[str, "name of the act that is done when the change is approved"]


class ChangePrepared(Change):
    params: Annotated[dict[str, Any], "the parameters of the act, as the person who prepared it sent them"]
    makers: Annotated[list[str], "codes of the people who made it, none of whom may approve it"]
    due_at: Annotated[str, "the moment until which it is to be approved or sent back"]


CHANGE_PREPARED = entry_type(
    "change.prepared",
    ChangePrepared,
    "A change was prepared. Nothing is done until somebody else approves it.",
)


class ChangeApproved(Change):
    prepared_by: Annotated[str, "code of the person who prepared it"]
    prepared_entry: Annotated[int, "number of its change.prepared on this stream"]
    entry: Annotated[int, "number of the entry of the act, on this stream, that the approval did"]


CHANGE_APPROVED = entry_type(
    "change.approved", ChangeApproved, "A second person approved a change, and its act was done."
)


class ChangeEnded(Change):
    prepared_by: Annotated[str, "code of the person who prepared it"]
    why: Annotated[str, "the reason, in a person's words"]


CHANGE_SENT_BACK = entry_type(
    "change.sent_back", ChangeEnded, "A change was sent back instead of approved. Nothing was done."
)
CHANGE_TAKEN_BACK = entry_type(
    "change.taken_back", ChangeEnded, "A change was taken back by somebody who made it. Nothing was done."
)

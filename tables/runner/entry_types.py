"""Entries about halted tables, and about acts without a table that a table shows."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from tables.words.registry import entry_with_line


class ChangeElsewhere(TypedDict):
    entry: Annotated[int, "number of the entry about the act"]
    stream: Annotated[str, "name of the stream that has that entry"]


DUTY_CHANGED = entry_type(
    "duty.changed", ChangeElsewhere, "An act on the staff stream changed what this table shows."
)


EQUIPMENT_CHANGED = entry_with_line(
    "equipment.changed",
    ChangeElsewhere,
    "An act on the equipment stream changed what this table shows.",
    lambda data: "Approvals or shakers changed",
)


TABLE_CHANGED = entry_with_line(
    "table.changed",
    ChangeElsewhere,
    "An act on the setup stream moved this table to another pit or submission.",
    lambda data: "Moved to another pit or submission",
)


class TableHalted(TypedDict):
    found_head: Annotated[str, "hash of the entry with that number on the record; empty without one"]
    last: Annotated[int, "number of the newest entry on the record"]
    seen: Annotated[int, "number of the entry that the screen has shown"]
    seen_head: Annotated[str, "hash of the entry that the screen has shown"]
    seen_incarnation: Annotated[int, "the incarnation of the record that the screen has shown"]


TABLE_HALTED = entry_with_line(
    "table.halted",
    TableHalted,
    "A screen sent back a head that the record no longer has, so the table takes no act.",
    lambda data: "Halted: the record does not have entry %(seen)s" % data,
)


class TableResumed(TypedDict):
    halted_at: Annotated[str, "since when the table was halted"]
    incarnation: Annotated[int, "number of the new incarnation of the record"]


TABLE_RESUMED = entry_with_line(
    "table.resumed",
    TableResumed,
    "A new incarnation was declared, so the halted table takes acts again.",
    lambda data: "Resumed: the record was declared",
)

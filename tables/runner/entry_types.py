"""Entries about halted tables, and about acts without a table that a table shows."""

from typing import TypedDict

from audit.entry_types import entry_type


class ChangeElsewhere(TypedDict):
    entry: int
    stream: str


DUTY_CHANGED = entry_type(
    "duty.changed", ChangeElsewhere, "An act on the staff stream changed what this table shows."
)


EQUIPMENT_CHANGED = entry_type(
    "equipment.changed", ChangeElsewhere, "An act on the equipment stream changed what this table shows."
)


class TableHalted(TypedDict):
    found_head: str
    last: int
    seen: int
    seen_head: str
    seen_incarnation: int


TABLE_HALTED = entry_type(
    "table.halted",
    TableHalted,
    "A screen sent back a head that the record no longer has, so the table takes no act.",
)


class TableResumed(TypedDict):
    halted_at: str
    incarnation: int


TABLE_RESUMED = entry_type(
    "table.resumed", TableResumed, "A new incarnation was declared, so the halted table takes acts again."
)

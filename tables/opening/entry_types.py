"""Entries about inspecting, opening and closing a table."""

from typing import TypedDict

from audit.entry_types import entry_type


class TableClosed(TypedDict):
    last_round: int
    removed: str | None
    secured: bool
    shaker: str | None
    stays: str | None


TABLE_CLOSED = entry_type("table.closed", TableClosed, "The table was closed.")


class TableInspected(TypedDict):
    after_repair_of: str | None
    by: str
    cameras: list[str]
    dice: list[int]
    lines: list[str]
    lit: list[str]
    shaker: str
    tosses: int


TABLE_INSPECTED = entry_type(
    "table.inspected", TableInspected, "The floorperson inspected the table and its equipment."
)


class TableMade(TypedDict):
    game: str
    kind: str
    max_cents: int
    min_cents: int
    pit: str
    seats: int
    submission: str


TABLE_MADE = entry_type("table.made", TableMade, "The table was made. Its kind never changes.")


class TableOpened(TypedDict):
    edition: str
    floorperson: str
    inspected_by: str
    lapsed_acknowledged: bool
    lot: str
    max_cents: int
    min_cents: int
    shaker: str
    submission: str
    submission_version: int
    takes_supervision: bool
    terms_sha256: str


TABLE_OPENED = entry_type(
    "table.opened", TableOpened, "The table was opened for gaming under these rules and limits."
)

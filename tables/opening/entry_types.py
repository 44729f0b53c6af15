"""Entries about inspecting, opening and closing a table."""

from typing import Annotated, NotRequired, TypedDict

from audit.entry_types import entry_type
from games.snapshot_types import EquipmentKind, TableKind


class TableClosed(TypedDict):
    last_round: Annotated[int, "number of the last round at this table; 0 before the first"]
    removed: Annotated[str | None, "code of the lot that was taken out of play; null without one"]
    secured: bool
    shaker: Annotated[str | None, "code of the shaker; null without one"]
    stays: Annotated[str | None, "code of the lot that stays in the shaker; null without one"]


TABLE_CLOSED = entry_type("table.closed", TableClosed, "The table was closed.")


class TableInspected(TypedDict):
    after_repair_of: Annotated[
        EquipmentKind | None, "what had failed before this inspection; null at an opening"
    ]
    by: Annotated[str, "code of the floorperson who inspected the table"]
    cameras: list[str]
    dice: Annotated[
        list[int], "faces that were entered as a test of the lit layout; empty where nothing is lit"
    ]
    lines: Annotated[list[str], "codes of the inspection lines that were confirmed"]
    lit: Annotated[list[str], "codes of the wagers whose areas were lit for these faces"]
    shaker: str
    tosses: Annotated[int, "test runs of the shaker; an automated one has at least three"]


TABLE_INSPECTED = entry_type(
    "table.inspected", TableInspected, "The floorperson inspected the table and its equipment."
)


class TableMade(TypedDict):
    game: str
    kind: Annotated[TableKind, "kind of table"]
    max_cents: Annotated[int, "the maximum wager"]
    min_cents: Annotated[int, "the minimum wager"]
    pit: str
    seats: Annotated[int, "how many seats it has"]
    submission: str


TABLE_MADE = entry_type("table.made", TableMade, "The table was made. Its kind never changes.")


class TermsData(TypedDict):
    """The rules and limits of an opening."""

    edition: str
    max_cents: Annotated[int, "the maximum wager"]
    min_cents: Annotated[int, "the minimum wager"]
    stopped: NotRequired[Annotated[list[str], "codes of the wagers that are suspended; absent without any"]]
    submission: str
    submission_version: Annotated[int, "version of the rules submission"]
    terms_sha256: str


class TableOpened(TermsData):
    floorperson: str
    inspected_by: str
    lapsed_acknowledged: bool
    lot: str
    shaker: str
    takes_supervision: bool


TABLE_OPENED = entry_type(
    "table.opened", TableOpened, "The table was opened for gaming under these rules and limits."
)

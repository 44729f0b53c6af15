"""Entries about planned moves of dealers."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type
from games.engine.game import PostCode


class MovePlanned(TypedDict):
    move: Annotated[int, "number of the planned move, from 1 in each facility"]
    person: Annotated[str, "code of the dealer"]
    table: Annotated[str, "code of the table that they take"]
    post: PostCode
    planned_for: Annotated[str, "when, in UTC"]
    relieves: Annotated[str | None, "code of the person at the post when it was planned; null for nobody"]


MOVE_PLANNED = entry_type(
    "rotation.planned", MovePlanned, "The floor planned that a dealer takes a post of a table next."
)


class MoveCanceled(TypedDict):
    move: Annotated[int, "number of the planned move"]
    person: Annotated[str, "code of the dealer"]
    table: Annotated[str, "code of the table"]


MOVE_CANCELED = entry_type(
    "rotation.canceled", MoveCanceled, "The floor canceled a planned move of a dealer."
)

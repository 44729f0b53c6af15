"""Entries about the handover of a shift."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type


class OpenItemData(TypedDict):
    item: Annotated[str, "what is open: `slip:T-04:ENS-0007`"]
    kind: Annotated[str, "what kind of thing it is, in words"]
    table: Annotated[str | None, "code of its table; null for what belongs to no table"]
    title: Annotated[str, "what it is, in words"]


class ItemsAccepted(TypedDict):
    shift: Annotated[str, "the shift that ends, by its gaming day and code: `2026-11-20/swing`"]
    owner: Annotated[str, "code of the person who took the items over"]
    items: list[OpenItemData]


ITEMS_ACCEPTED = entry_type(
    "handover.items_accepted",
    ItemsAccepted,
    "A person took over open items of a shift that ends, by their own PIN.",
)


class HandedItem(OpenItemData):
    due_at: Annotated[str | None, "by when, in UTC; null where no time is set"]
    holder: Annotated[str | None, "code of the person who had it last; null for nobody"]
    owner: Annotated[str, "code of the person who took it over"]


class PitFigures(TypedDict):
    pit: Annotated[str, "code of the pit; empty for the whole floor"]
    rounds: int
    handle_cents: int
    win_cents: int
    expected_cents: Annotated[int | None, "the win that the odds predict; null where it is not known"]
    band_cents: Annotated[int | None, "two standard deviations of the win; null where they are not known"]


class HandoverSigned(TypedDict):
    handover: Annotated[int, "number of the handover, from 1 in each facility"]
    shift: Annotated[str, "the shift that ended, by its gaming day and code: `2026-11-20/swing`"]
    shift_name: str
    next_shift_name: str
    begins_at: str
    ends_at: str
    handed_over_by: Annotated[str, "code of the person who handed the shift over"]
    taken_over_by: Annotated[str, "code of the person who took it over and signed with their own PIN"]
    items: Annotated[list[HandedItem], "everything that was open, each with its owner"]
    pits: Annotated[list[PitFigures], "the figures of the shift up to the signature, by pit"]
    total: PitFigures
    note: Annotated[str, "words to the next shift; empty for none"]


HANDOVER_SIGNED = entry_type(
    "handover.signed",
    HandoverSigned,
    "Two people signed the handover of a shift, with every open item, its owner, and the figures of the shift.",
)

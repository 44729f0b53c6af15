"""Entries about Rules of the Game guides, the rules book and the permissions of the Board."""

from typing import TypedDict

from audit.entry_types import entry_type


class BoardPermissionRecorded(TypedDict):
    ends_on: str | None
    granted_on: str
    letter: dict[str, str] | None
    reference: str
    section: str
    subject: str
    tables: list[str]


BOARD_PERMISSION_RECORDED = entry_type(
    "board_permission.recorded",
    BoardPermissionRecorded,
    "A permission of the regulator's board was recorded.",
)


class BoardPermissionWithdrawn(TypedDict):
    reference: str
    section: str
    why: str


BOARD_PERMISSION_WITHDRAWN = entry_type(
    "board_permission.withdrawn",
    BoardPermissionWithdrawn,
    "A permission of the regulator's board was withdrawn.",
)


class GuideDecided(TypedDict):
    body: str
    content_sha256: str
    facts_sha256: str
    granted: bool
    letter: dict[str, str]
    reference: str
    section: str
    version: int


GUIDE_DECIDED = entry_type(
    "guide.decided", GuideDecided, "The sample of a gaming guide was decided by letter."
)


class GuideDisplay(TypedDict):
    content_sha256: str
    facts_sha256: str
    place: str
    section: str
    version: int


GUIDE_DISPLAY_ENDED = entry_type(
    "guide.display_ended", GuideDisplay, "A gaming guide is no longer displayed at a place."
)


GUIDE_DISPLAYED = entry_type("guide.displayed", GuideDisplay, "A gaming guide is displayed at a place.")


class GuideDraftedFormat(TypedDict):
    format: str
    reference: str


class GuideDrafted(TypedDict):
    content_sha256: str
    facts_sha256: str
    formats: list[GuideDraftedFormat]
    section: str
    submissions: list[str]
    version: int


GUIDE_DRAFTED = entry_type(
    "guide.drafted", GuideDrafted, "A version of the gaming guide was drafted from the rules in force."
)


class GuideFiled(TypedDict):
    content_sha256: str
    facts_sha256: str
    games: int
    section: str
    version: int


GUIDE_FILED = entry_type("guide.filed", GuideFiled, "The sample of a gaming guide was filed.")


class GuidePublished(TypedDict):
    approval: str
    content_sha256: str
    facts_sha256: str
    replaces: int | None
    section: str
    version: int


GUIDE_PUBLISHED = entry_type(
    "guide.published", GuidePublished, "A version of the gaming guide was published."
)


class GuideSameAsApproved(TypedDict):
    because: str
    content_sha256: str
    facts_sha256: str
    same_as: int
    section: str
    version: int


GUIDE_SAME_AS_APPROVED = entry_type(
    "guide.same_as_approved",
    GuideSameAsApproved,
    "A version of the gaming guide was filed as the same as an approved one.",
)


class GuideWithdrawn(TypedDict):
    also: list[int]
    content_sha256: str
    facts_sha256: str
    section: str
    version: int
    why: str


GUIDE_WITHDRAWN = entry_type(
    "guide.withdrawn", GuideWithdrawn, "A version of the gaming guide was withdrawn."
)


class RulesBookFiled(TypedDict):
    document: dict[str, str] | None
    games: list[str]
    place: str
    place_reference: str
    section: str
    version: int


RULES_BOOK_FILED = entry_type(
    "rules_book.filed", RulesBookFiled, "The complete rules were filed for the public."
)


class RulesBookInspected(TypedDict):
    book: int
    note: str
    place: str
    section: str


RULES_BOOK_INSPECTED = entry_type(
    "rules_book.inspected", RulesBookInspected, "Somebody inspected the complete rules."
)

"""Entries about Rules of the Game guides, the rules book and the permissions of the Board."""

from typing import Annotated, Literal, TypedDict

from audit.entry_types import entry_type
from games.models.patrons import GuideFormat
from games.office.documents.entry_types import DocumentReference, LetterDecision


class GuideEntry(TypedDict):
    """The version of the guide that an entry is about."""

    version: Annotated[int, "version of the guide"]
    content_sha256: Annotated[str, "SHA-256 of all that its pages show"]
    facts_sha256: Annotated[str, "SHA-256 of the facts whose change needs a new approval"]
    section: str


class FormatApproval(TypedDict):
    format: Annotated[GuideFormat, "how the guide is given out"]
    reference: Annotated[str, "reference of the approval of this format; empty if it needs none"]


class GuideDrafted(GuideEntry):
    submissions: Annotated[list[str], "the rules submissions that it describes, with their versions"]
    formats: Annotated[list[FormatApproval], "how the guide is given out, and by which approvals"]


GUIDE_DRAFTED = entry_type(
    "guide.drafted",
    GuideDrafted,
    "A version of the gaming guide was drafted from the rules in force, or from those approved to come.",
)


class GuideFiled(GuideEntry):
    games: Annotated[int, "how many games it describes"]


GUIDE_FILED = entry_type("guide.filed", GuideFiled, "The sample of a gaming guide was filed.")


class GuideDecided(GuideEntry, LetterDecision):
    pass


GUIDE_DECIDED = entry_type(
    "guide.decided", GuideDecided, "The sample of a gaming guide was decided by letter."
)


class GuideSameAsApproved(GuideEntry):
    same_as: Annotated[int, "version of the approved guide whose approval covers this version"]
    because: Annotated[str, "why the change is not material, in a person's words"]


GUIDE_SAME_AS_APPROVED = entry_type(
    "guide.same_as_approved",
    GuideSameAsApproved,
    "A draft of the gaming guide was covered by the approval of another version with the same facts.",
)


class GuidePublished(GuideEntry):
    replaces: Annotated[int | None, "version of the guide that it replaces; null if there is none"]
    approval: Annotated[str, "reference of the letter that approved it"]


GUIDE_PUBLISHED = entry_type(
    "guide.published", GuidePublished, "A version of the gaming guide was published."
)


class GuideWithdrawn(GuideEntry):
    why: Annotated[str, "the reason, in a person's words"]
    also: Annotated[list[int], "versions that ended with it, because its approval covered them"]


GUIDE_WITHDRAWN = entry_type(
    "guide.withdrawn", GuideWithdrawn, "A version of the gaming guide was withdrawn."
)


class GuideDisplayEntry(GuideEntry):
    """The place at which a guide is displayed."""

    place: Annotated[str, "where it is displayed"]


GUIDE_DISPLAYED = entry_type(
    "guide.displayed", GuideDisplayEntry, "A gaming guide was put on display at a place."
)


GUIDE_DISPLAY_ENDED = entry_type(
    "guide.display_ended", GuideDisplayEntry, "A gaming guide is no longer displayed at a place."
)


class RulesBookFiled(TypedDict):
    version: Annotated[int, "version of the rules book"]
    games: Annotated[list[str], "codes of the games whose rules it holds"]
    place: Annotated[str, "where the printed copy is kept"]
    place_reference: Annotated[str, "reference of the approval of that place; empty if there is none"]
    document: Annotated[DocumentReference, "the rules: code of the document and SHA-256 of its bytes"]
    section: str


RULES_BOOK_FILED = entry_type(
    "rules_book.filed", RulesBookFiled, "The complete rules were filed for the public."
)


class RulesBookInspected(TypedDict):
    book: Annotated[int, "version of the rules book"]
    place: Annotated[str, "where the printed copy is kept"]
    note: Annotated[str, "a note, in a person's words; empty if there is none"]
    section: str


RULES_BOOK_INSPECTED = entry_type(
    "rules_book.inspected", RulesBookInspected, "A member of the public asked to see the complete rules."
)


class BoardPermissionRecorded(TypedDict):
    subject: Annotated[Literal["roll-history"], "what is permitted: to show patrons the earlier rolls"]
    tables: Annotated[list[str], "codes of the tables; empty: every table"]
    reference: Annotated[str, "reference of the permission"]
    granted_on: Annotated[str, "the day on which it was granted"]
    ends_on: Annotated[str | None, "the first day on which it no longer applies; null: no end"]
    letter: Annotated[DocumentReference, "the letter: code of the document and SHA-256 of its bytes"]
    section: str


BOARD_PERMISSION_RECORDED = entry_type(
    "board_permission.recorded",
    BoardPermissionRecorded,
    "A permission of the regulator's board was recorded.",
)


class BoardPermissionWithdrawn(TypedDict):
    reference: Annotated[str, "reference of the permission"]
    why: Annotated[str, "the reason, in a person's words"]
    section: str


BOARD_PERMISSION_WITHDRAWN = entry_type(
    "board_permission.withdrawn",
    BoardPermissionWithdrawn,
    "A permission of the regulator's board was ended.",
)

"""Refusals about gaming guides and rules books, each with its sentence."""

from games.engine.refusals import RefusalCode

APPROVAL_IS_NONE = RefusalCode(
    "approval-is-none",
    "The sample of guide version %(version)s is not approved, so it cannot cover another guide. "
    "Choose an approved guide, or file this one.",
    "No approval",
)
ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "ends-before-it-begins",
    "The permission would end on %(ends)s but begins on %(granted)s. Correct the dates.",
    "Ends too early",
)
FORMAT_NEEDS_APPROVAL = RefusalCode(
    "format-needs-approval",
    "A guide in the format %(format)s needs an approval of the format here. Enter its reference, or "
    "leave the format out.",
    "Format not approved",
)
GUIDE_DIFFERS_MATERIALLY = RefusalCode(
    "guide-differs-materially",
    "This guide needs its own approval. It differs from the approved one in %(count)s places, first: "
    "%(first)s. File it as a new sample.",
    "Materially different",
)
GUIDE_ENDED = RefusalCode(
    "guide-ended",
    "Guide version %(version)s has ended. Draft a new one.",
    "Guide has ended",
)
GUIDE_IS_PRINTED = RefusalCode(
    "guide-is-printed",
    "Choose at least one format. Where a printed guide is required, print must be one of them.",
    "Format missing",
)
GUIDE_NOT_APPROVED = RefusalCode(
    "guide-not-approved",
    "The sample of guide version %(version)s is not approved, so it may not be given out or "
    "displayed. File it, and record the decision.",
    "Guide not approved",
)
GUIDE_NOT_DEALT = RefusalCode(
    "guide-not-dealt",
    "Guide version %(version)s does not match the rules dealt now. It differs in %(count)s places, "
    "first: %(first)s. Draft a new guide, or wait until its rules are in force.",
    "Does not match play",
)
GUIDE_NOT_PUBLISHED = RefusalCode(
    "guide-not-published",
    "Guide version %(version)s is not published. Publish it before you put it on display.",
    "Not published",
)
GUIDE_PUBLISHED_ALREADY = RefusalCode(
    "guide-published-already",
    "Guide version %(version)s is already published.",
    "Already published",
)
GUIDE_SAYS_THE_SAME = RefusalCode(
    "guide-says-the-same",
    "Guide version %(version)s already matches these rules. There is nothing new to draft.",
    "Nothing new",
)
IMMATERIAL_FORMATS = RefusalCode(
    "immaterial-formats",
    "The approval of guide version %(version)s covers fewer formats. File this guide as a sample of its own.",
    "Another format",
)
LIES_NOT_THERE = RefusalCode(
    "lies-not-there",
    "The guide is not on display at %(place)s. Reload the page.",
    "Not on display there",
)
LIES_THERE = RefusalCode("lies-there", "The guide is already on display at %(place)s.", "Already on display")
NO_RULES_BOOK = RefusalCode("no-rules-book", "No rules book is on file. File it first.", "No rules book")
NO_RULES_TO_GUIDE = RefusalCode(
    "no-rules-to-guide",
    "No rules are in force here, so the guide would be empty. Have a submission approved first.",
    "No rules in force",
)
NO_SUCH_GUIDE = RefusalCode("no-such-guide", "There is no guide version %(version)s here.", "No such guide")
NO_SUCH_PERMISSION = RefusalCode(
    "no-such-permission",
    "No permission %(reference)s is in force here.",
    "No such permission",
)
NO_SUCH_TABLE_HERE = RefusalCode(
    "no-such-table-here",
    "There is no table %(table)s in this facility. Correct the code, or leave the list empty for all tables.",
    "No such table",
)
PERMISSION_ON_FILE = RefusalCode(
    "permission-on-file",
    "Permission %(reference)s is already on file. Withdraw it before you change it.",
    "Already on file",
)
PLACE_IS_THE_PODIUM = RefusalCode(
    "place-is-the-podium",
    "Here the complete rules are kept only at the security podium, not at %(place)s. Leave the other "
    "place out.",
    "Another place",
)
PLACE_NEEDS_APPROVAL = RefusalCode(
    "place-needs-approval",
    "The complete rules are kept at the security podium unless another place is approved. Enter the "
    "reference of the approval of %(place)s.",
    "Place not approved",
)
RULES_BOOK_LEAVES_OUT = RefusalCode(
    "rules-book-leaves-out",
    "The rules book is missing %(games)s. It must contain every game that this facility may deal.",
    "A game is missing",
)
RULES_BOOK_NOT_PRINTABLE = RefusalCode(
    "rules-book-not-printable",
    "%(document)s is an image. File the rules as a PDF or as plain text.",
    "Not printable",
)

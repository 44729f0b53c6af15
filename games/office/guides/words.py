"""Refusals about guides, rules books and § 521.6."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "approval-is-none": "No approval",
    "ends-before-it-begins": "Ends too early",
    "format-needs-approval": "Format not approved",
    "guide-differs-materially": "Materially different",
    "guide-ended": "Guide has ended",
    "guide-is-printed": "Format missing",
    "guide-not-approved": "Guide not approved",
    "guide-not-dealt": "Does not match play",
    "guide-not-published": "Not published",
    "guide-published-already": "Already published",
    "guide-says-the-same": "Nothing new",
    "immaterial-formats": "Another format",
    "lies-not-there": "Not on display there",
    "lies-there": "Already on display",
    "no-rules-book": "No rules book",
    "no-rules-to-guide": "No rules in force",
    "no-such-guide": "No such guide",
    "no-such-permission": "No such permission",
    "no-such-table-here": "No such table",
    "permission-on-file": "Already on file",
    "place-is-the-podium": "Another place",
    "place-needs-approval": "Place not approved",
    "rules-book-leaves-out": "A game is missing",
    "rules-book-not-printable": "Not printable",
}
SENTENCES: dict[str, str] = {
    "approval-is-none": (
        "The sample of guide version %(version)s is not approved, so it cannot cover another guide. Choose an approved guide, or file this one."
    ),
    "ends-before-it-begins": "The permission would end on %(ends)s but begins on %(granted)s. Correct the dates.",
    "format-needs-approval": "A guide in the format %(format)s needs an approval of the format here. Enter its reference, or leave the format out.",
    "guide-differs-materially": (
        "This guide needs its own approval. It differs from the approved one in %(count)s places, first: %(first)s. File it as a new sample."
    ),
    "guide-ended": "Guide version %(version)s has ended. Draft a new one.",
    "guide-is-printed": "Choose at least one format. Where a printed guide is required, print must be one of them.",
    "guide-not-approved": (
        "The sample of guide version %(version)s is not approved, so it may not be given out or displayed. File it, and record the decision."
    ),
    "guide-not-dealt": (
        "Guide version %(version)s does not match the rules dealt now. It differs in %(count)s places, first: %(first)s. Draft a new guide, or wait until its rules are in force."
    ),
    "guide-not-published": "Guide version %(version)s is not published. Publish it before you put it on display.",
    "guide-published-already": "Guide version %(version)s is already published.",
    "guide-says-the-same": "Guide version %(version)s already matches these rules. There is nothing new to draft.",
    "immaterial-formats": "The approval of guide version %(version)s covers fewer formats. File this guide as a sample of its own.",
    "lies-not-there": "The guide is not on display at %(place)s. Reload the page.",
    "lies-there": "The guide is already on display at %(place)s.",
    "no-rules-book": "No rules book is on file. File it first.",
    "no-rules-to-guide": "No rules are in force here, so the guide would be empty. Have a submission approved first.",
    "no-such-guide": "There is no guide version %(version)s here.",
    "no-such-permission": "No permission %(reference)s is in force here.",
    "no-such-table-here": "There is no table %(table)s in this facility. Correct the code, or leave the list empty for all tables.",
    "permission-on-file": "Permission %(reference)s is already on file. Withdraw it before you change it.",
    "place-is-the-podium": "Here the complete rules are kept only at the security podium, not at %(place)s. Leave the other place out.",
    "place-needs-approval": (
        "The complete rules are kept at the security podium unless another place is approved. Enter the reference of the approval of %(place)s."
    ),
    "rules-book-leaves-out": "The rules book is missing %(games)s. It must contain every game that this facility may deal.",
    "rules-book-not-printable": "%(document)s is an image. File the rules as a PDF or as plain text.",
}

register(titles=TITLES, sentences=SENTENCES)

"""Refusals about guides, rules books and § 521.6."""

from games.office.core.words import register

TITLES: dict[str, str] = {
    "approval-is-none": "No approval",
    "ends-before-it-begins": "Ends too early",
    "format-needs-approval": "Format not approved",
    "guide-differs-materially": "Materially different",
    "guide-ended": "Guide has ended",
    "guide-is-printed": "No print",
    "guide-not-approved": "Guide not approved",
    "guide-not-dealt": "Not what is dealt",
    "guide-not-published": "Not published",
    "guide-published-already": "Published already",
    "guide-says-the-same": "Nothing new",
    "immaterial-formats": "Another format",
    "lies-not-there": "Not on display there",
    "lies-there": "There already",
    "no-guide-plan": "No guide plan",
    "no-rules-book": "No rules book",
    "no-rules-to-guide": "No rules in force",
    "no-such-guide": "No such guide",
    "no-such-permission": "No such permission",
    "no-such-table-here": "No such table",
    "permission-on-file": "On file already",
    "place-is-the-podium": "Another place",
    "place-needs-approval": "Place not approved",
    "rules-book-leaves-out": "A game is missing",
    "rules-book-not-printable": "Not printable",
}
SENTENCES: dict[str, str] = {
    "approval-is-none": (
        "The sample of guide version %(version)s is not approved, so nothing can stand on it. Choose an approved one, "
        "or file this one."
    ),
    "ends-before-it-begins": "The permission would end on %(ends)s, and begins on %(granted)s. Correct the dates.",
    "format-needs-approval": "A guide as %(format)s needs an approval of the format here. Give its reference, or leave the format out.",
    "guide-differs-materially": (
        "This guide needs an approval of its own. It differs in %(count)s places from the approved one, first: "
        "%(first)s. File it as a new sample."
    ),
    "guide-ended": "Guide version %(version)s has ended. Draft a new one.",
    "guide-is-printed": "A guide is given out in at least one format, and in Pennsylvania always in print. Choose its formats.",
    "guide-not-approved": (
        "The sample of guide version %(version)s is not approved, so it may not be given out or shown. File it, and "
        "record the decision."
    ),
    "guide-not-dealt": (
        "Guide version %(version)s does not say what is dealt now. It differs in %(count)s places, first: %(first)s. "
        "Draft a new guide, or wait until its rules are in force."
    ),
    "guide-not-published": "Guide version %(version)s is not given out now. Publish it before you put it on display.",
    "guide-published-already": "Guide version %(version)s is given out already.",
    "guide-says-the-same": "The rules in force say what guide version %(version)s says. There is nothing new to draft.",
    "immaterial-formats": "The approval of guide version %(version)s covers fewer formats. File this one as a sample of its own.",
    "lies-not-there": "The guide is not on display at %(place)s. Load the page again.",
    "lies-there": "The guide is on display at %(place)s already.",
    "no-guide-plan": "No guide was written of %(game)s. Leave the game out, or have its guide plan added.",
    "no-rules-book": "No rules book is on file. File it first.",
    "no-rules-to-guide": "No rules are in force here, so a guide would have nothing to say. Have a submission approved first.",
    "no-such-guide": "There is no guide version %(version)s here.",
    "no-such-permission": "No permission %(reference)s holds here.",
    "no-such-table-here": "There is no table %(table)s in this house. Correct it, or name none for all of them.",
    "permission-on-file": "Permission %(reference)s is on file already. Withdraw it before you change it.",
    "place-is-the-podium": "In New Jersey the complete rules are kept at the security podium and nowhere else, so not at %(place)s.",
    "place-needs-approval": (
        "The complete rules are kept at the security podium unless another place is approved. Give the reference of "
        "the approval of %(place)s."
    ),
    "rules-book-leaves-out": "The rules book leaves out %(games)s. It has to hold every game that this house may deal.",
    "rules-book-not-printable": "%(document)s is a picture. File the rules as a PDF or as plain text.",
}

register(titles=TITLES, sentences=SENTENCES)

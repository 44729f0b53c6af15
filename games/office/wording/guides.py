"""Sentences about guides, rules books and § 521.6; merged into `games.office.wording`."""

from typing import Any

from django.utils.translation import gettext_lazy as lazy

TITLES: dict[str, Any] = {
    "approval-is-none": lazy("No approval"),
    "ends-before-it-begins": lazy("Ends too early"),
    "format-needs-approval": lazy("Format not approved"),
    "guide-differs-materially": lazy("Materially different"),
    "guide-ended": lazy("Guide has ended"),
    "guide-is-printed": lazy("No print"),
    "guide-not-approved": lazy("Guide not approved"),
    "guide-not-dealt": lazy("Not what is dealt"),
    "guide-not-published": lazy("Not published"),
    "guide-published-already": lazy("Published already"),
    "guide-says-the-same": lazy("Nothing new"),
    "immaterial-formats": lazy("Another format"),
    "lies-not-there": lazy("Not on display there"),
    "lies-there": lazy("There already"),
    "no-rules-book": lazy("No rules book"),
    "no-rules-to-guide": lazy("No rules in force"),
    "no-such-guide": lazy("No such guide"),
    "no-such-permission": lazy("No such permission"),
    "no-such-table-here": lazy("No such table"),
    "permission-on-file": lazy("On file already"),
    "place-is-the-podium": lazy("Another place"),
    "place-needs-approval": lazy("Place not approved"),
    "rules-book-leaves-out": lazy("A game is missing"),
    "rules-book-not-printable": lazy("Not printable"),
}
SENTENCES: dict[str, Any] = {
    "approval-is-none": lazy(
        "The sample of guide version %(version)s is not approved, so nothing can stand on it. Choose an approved one, "
        "or file this one."
    ),
    "ends-before-it-begins": lazy(
        "The permission would end on %(ends)s, and begins on %(granted)s. Correct the dates."
    ),
    "format-needs-approval": lazy(
        "A guide as %(format)s needs an approval of the format here. Give its reference, or leave the format out."
    ),
    "guide-differs-materially": lazy(
        "This guide needs an approval of its own. It differs in %(count)s places from the approved one, first: "
        "%(first)s. File it as a new sample."
    ),
    "guide-ended": lazy("Guide version %(version)s has ended. Draft a new one."),
    "guide-is-printed": lazy(
        "A guide is given out in at least one format, and in Pennsylvania always in print. Choose its formats."
    ),
    "guide-not-approved": lazy(
        "The sample of guide version %(version)s is not approved, so it may not be given out or shown. File it, and "
        "record the decision."
    ),
    "guide-not-dealt": lazy(
        "Guide version %(version)s does not say what is dealt now. It differs in %(count)s places, first: %(first)s. "
        "Draft a new guide, or wait until its rules are in force."
    ),
    "guide-not-published": lazy(
        "Guide version %(version)s is not given out now. Publish it before you put it on display."
    ),
    "guide-published-already": lazy("Guide version %(version)s is given out already."),
    "guide-says-the-same": lazy(
        "The rules in force say what guide version %(version)s says. There is nothing new to draft."
    ),
    "immaterial-formats": lazy(
        "The approval of guide version %(version)s covers fewer formats. File this one as a sample of its own."
    ),
    "lies-not-there": lazy("The guide is not on display at %(place)s. Load the page again."),
    "lies-there": lazy("The guide is on display at %(place)s already."),
    "no-rules-book": lazy("No rules book is on file. File it first."),
    "no-rules-to-guide": lazy(
        "No rules are in force here, so a guide would have nothing to say. Have a submission approved first."
    ),
    "no-such-guide": lazy("There is no guide version %(version)s here."),
    "no-such-permission": lazy("No permission %(reference)s holds here."),
    "no-such-table-here": lazy(
        "There is no table %(table)s in this house. Correct it, or name none for all of them."
    ),
    "permission-on-file": lazy(
        "Permission %(reference)s is on file already. Withdraw it before you change it."
    ),
    "place-is-the-podium": lazy(
        "In New Jersey the complete rules are kept at the security podium and nowhere else, so not at %(place)s."
    ),
    "place-needs-approval": lazy(
        "The complete rules are kept at the security podium unless another place is approved. Give the reference of "
        "the approval of %(place)s."
    ),
    "rules-book-leaves-out": lazy(
        "The rules book leaves out %(games)s. It has to hold every game that this house may deal."
    ),
    "rules-book-not-printable": lazy("%(document)s is a picture. File the rules as a PDF or as plain text."),
}

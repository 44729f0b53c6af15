"""Refusals about approvals, inspections and signs, each with its sentence."""

from games.engine.refusals import RefusalCode

SIGN_HAS_NOTHING_TO_SAY = RefusalCode(
    "sign-has-nothing-to-say",
    "%(table)s has nothing to show on a sign of this kind (%(kind)s).",
    "No such sign here",
)

SHAKER_CODE_TAKEN = RefusalCode(
    "shaker-code-taken",
    "There is already a shaker %(shaker)s. Use another code.",
)
NOT_APPROVED = RefusalCode(
    "not-approved",
    "No approval of the %(subject)s by the %(body)s is on file. No round can begin.",
    "Approval missing",
)
NOT_ON_RECORD = RefusalCode("not-on-record", "The %(subject)s is not on record. No round can begin.")
APPROVED_BY_ANOTHER_BODY = RefusalCode(
    "approved-by-another-body",
    "Approval %(reference)s is by %(named)s; it takes one by the %(body)s. No round can begin.",
    "Another body approves",
)
BODY_DOES_NOT_APPROVE = RefusalCode(
    "body-does-not-approve",
    "An approval of the %(subject)s is given by the %(body)s, not by the body that you entered (%(named)s).",
    "Another body approves",
)
APPROVAL_SAYS_LESS = RefusalCode(
    "approval-says-less",
    "Approval %(reference)s does not confirm: %(line)s No round can begin.",
    "Approval incomplete",
)
DEVICE_OF_ANOTHER_VERSION = RefusalCode(
    "device-of-another-version",
    "This console runs version %(runs)s; the approval is for %(approved)s. No round can begin until the office has "
    "recorded an approval of %(runs)s.",
)
ODDS_NOT_ON_LAYOUT = RefusalCode(
    "odds-not-on-layout",
    "The odds are not printed on the layout, and a sign may not replace them here. No round can begin.",
)
INSPECTION_LINE_MISSING = RefusalCode(
    "inspection-line-missing",
    "Not confirmed: %(line)s Check it, then confirm it.",
    "Inspection incomplete",
)
CAMERAS_MISSING = RefusalCode(
    "cameras-missing",
    "Name %(cameras)s different cameras, one for each end of the table.",
)
APPROVAL_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "approval-ends-before-it-begins",
    "The approval would end on or before the day it was given. Check both days.",
)
APPROVAL_OF_ONE_THING = RefusalCode(
    "approval-of-one-thing",
    "An approval is for tables or for shakers. Choose at least one table, or at least one shaker.",
)
APPROVAL_OF_ANOTHER_THING = RefusalCode(
    "approval-of-another-thing",
    "This approval does not fit: choose a shaker for a shaker's approval, and a table for every "
    "other. It is for: %(subject)s.",
)
APPROVAL_WITHOUT_VERSION = RefusalCode(
    "approval-without-version",
    "An approval of the electrical device names the version of its software. Enter the versions that the letter names.",
    "Version missing",
)
NO_SUCH_EQUIPMENT = RefusalCode("no-such-equipment", "There is no %(code)s at this facility.")
NO_SUCH_APPROVAL = RefusalCode(
    "no-such-approval",
    "This approval does not exist or is no longer in effect. Reload the page.",
)
TOO_FEW_TOSSES = RefusalCode(
    "too-few-tosses",
    "The automated shaker was run %(tosses)s times; the inspection requires at least three.",
)

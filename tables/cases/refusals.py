"""Refusals of acts on cases, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_SUCH_CASE = RefusalCode("no-such-case", "There is no case %(case)s here. Check the code.", "No such case")
CASE_IS_CLOSED = RefusalCode(
    "case-is-closed", "%(case)s is closed. Reopen it first, and say why.", "Case closed"
)
CASE_IS_OPEN = RefusalCode(
    "case-is-open",
    "%(case)s is open and nobody has signed its outcome. There is nothing to reopen.",
    "Case open",
)
CASE_EXISTS = RefusalCode(
    "case-exists", "%(case)s is already about this. Add a note there instead.", "There is a case already"
)
CASE_HAS_OWNER = RefusalCode(
    "case-has-owner", "%(case)s belongs to %(owner)s. Ask compliance to assign it.", "Case taken"
)
CASE_OWNER_MAY_NOT = RefusalCode(
    "case-owner-may-not", "%(person)s may not work on cases. Choose somebody else.", "Cannot own a case"
)
CASE_NO_SUCH_OUTCOME = RefusalCode(
    "case-no-such-outcome",
    "That is not an outcome of this kind of case. Choose one from the list.",
    "No such outcome",
)
CASE_GOODWILL_CENTS = RefusalCode(
    "case-goodwill-cents", "Say how much is paid for goodwill. Other outcomes name no sum.", "How much?"
)
CASE_SIGNED_ALREADY = RefusalCode(
    "case-signed-already", "You have signed %(case)s. Somebody else has to sign too.", "Already signed"
)
CASE_SIGNED_BY_TWO = RefusalCode(
    "case-signed-by-two",
    "%(case)s has every signature. Close it, or reopen it and say why.",
    "Signed by two",
)
CASE_SIGNED_OTHERWISE = RefusalCode(
    "case-signed-otherwise",
    "%(person)s has signed another outcome or reason. Sign the same, or reopen the case and say why.",
    "Signed otherwise",
)
CASE_SIGNER_ACTED = RefusalCode(
    "case-signer-acted",
    "You acted in what this case is about. Somebody who did not has to sign it.",
    "You acted in it",
)
CASE_SIGNER_OUTSIDE = RefusalCode(
    "case-signer-outside",
    "%(person)s belongs to table games too. The second signature must come from outside table games.",
    "Outside table games",
)
CASE_NOT_SIGNED = RefusalCode(
    "case-not-signed", "%(case)s has %(count)s of %(needed)s signatures. It can be closed when none is missing.",
    "Signature missing",
)  # fmt: skip
CASE_SLIP_MISSING = RefusalCode(
    "case-slip-missing",
    "No slip about round %(number)s has been filed. File it at the table, then close the case.",
    "Slip missing",
)
CAMERA_TIME = RefusalCode(
    "camera-time", "A time of the clip is hours, minutes and seconds, such as 21:17:30.", "Time of the clip"
)
REPORT_DAY_NOT_OVER = RefusalCode(
    "report-day-not-over", "The gaming day %(day)s is not over. Accept its report afterward.", "Day not over"
)
REPORT_ROUNDS_IN_PLAY = RefusalCode(
    "report-rounds-in-play",
    "Rounds of that day still in play: %(count)s. Accept the report when they have ended.",
    "Not final",
)
REPORT_NOT_OPENED = RefusalCode(
    "report-not-opened",
    "You have not opened the report of %(day)s. Open it, read it, then accept it.",
    "Read it first",
)
REPORT_CHANGED = RefusalCode(
    "report-changed",
    "The report of %(day)s has changed since you opened it: a slip was filed. Reload the page and read it again.",
    "Report changed",
)
REPORT_ACCEPTED_ALREADY = RefusalCode(
    "report-accepted-already",
    "%(person)s has accepted this report. There is nothing more to do.",
    "Accepted already",
)
CASE_NOT_READY = RefusalCode(
    "case-not-ready", "%(case)s waits for the %(waits_for)s. Sign it after that.", "Not ready"
)
NO_LETTER_HERE = RefusalCode(
    "no-letter-here", "A letter answers a dispute. Write a note about %(case)s instead.", "No letter here"
)
LETTER_IS_SIGNED = RefusalCode(
    "letter-is-signed",
    "Somebody has signed %(case)s. Reopen it and say why, then write another letter.",
    "Signed already",
)
LETTER_NOT_READ = RefusalCode(
    "letter-not-read",
    "The letter of %(case)s was written since you opened the page. Reload the page and read it.",
    "Read the letter",
)
LETTER_SAYS_OTHERWISE = RefusalCode(
    "letter-says-otherwise",
    "The letter of %(case)s tells the patron another outcome or reason. Sign the same, or write another letter.",
    "Letter says otherwise",
)
LETTER_OUTDATED = RefusalCode(
    "letter-outdated",
    "The record of round %(number)s has grown since the letter was written. Write it again.",
    "Letter outdated",
)
LETTER_ROUND_DAMAGED = RefusalCode(
    "letter-round-damaged",
    "Round %(number)s cannot be verified: %(fault)s. Find out why before a patron is told about it.",
    "Round not verified",
)
LETTER_NOT_SIGNED = RefusalCode(
    "letter-not-signed",
    "%(case)s has no letter that two people have signed. It can be printed after that.",
    "Nothing to print",
)

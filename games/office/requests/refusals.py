"""Refusals about requests for a new game or wager, each with its sentence."""

from games.engine.refusals import RefusalCode

NO_SUCH_REQUEST = RefusalCode(
    "no-such-request",
    "There is no request %(code)s here. Choose it from the list.",
    "No such request",
)
REQUEST_INCOMPLETE = RefusalCode(
    "request-incomplete",
    "Still missing: %(missing)s. Add what is missing, then file it.",
    "Not complete",
)
REQUEST_NOT_A_DRAFT = RefusalCode(
    "request-not-a-draft",
    "%(request)s is no longer a draft and stays as filed. Draft a new request instead.",
    "Already filed",
)
REQUEST_NOT_WAITING = RefusalCode(
    "request-not-waiting",
    "%(request)s is not waiting for a decision. See its state at the top of its page.",
    "Not waiting",
)
CLASS_OF_WHAT = RefusalCode(
    "class-of-what",
    "A %(class)s is based on authorized games. Name them.",
    "Of which game?",
)
DRAWING_IS_NO_PICTURE = RefusalCode(
    "drawing-is-no-picture",
    "%(document)s is plain text. Attach a drawing or a photo: PDF, PNG or JPEG.",
    "Not a picture",
)
NONE_AND_SOME = RefusalCode(
    "none-and-some",
    "You ticked that there is none, and also entered one. Keep only one of the two.",
    "None, or some",
)
NO_SUCH_HOLDER = RefusalCode(
    "no-such-holder",
    "There is no provider %(provider)s on file. Leave the provider out, or register it first.",
    "No such provider",
)
AMOUNT_UNREADABLE = RefusalCode(
    "amount-unreadable",
    "%(said)s is not an amount in dollars. Write it as 1,250 or 1,250.50.",
    "Amount unreadable",
)
DAY_NOT_COME = RefusalCode(
    "day-not-come",
    "%(day)s is in the future. Record it after it has happened.",
    "Not yet",
)
NO_SUCH_FURTHER_REQUEST = RefusalCode(
    "no-such-further-request",
    "There is no such question about %(request)s. Reload the page.",
    "No such question",
)
ANSWERED_ALREADY = RefusalCode(
    "answered-already",
    "This was already answered on %(day)s.",
    "Already answered",
)
ANSWERED_BEFORE_ASKED = RefusalCode(
    "answered-before-asked",
    "The question was asked on %(day)s. The answer cannot be earlier: check its day.",
    "Day too early",
)
CONDITIONS_OPEN = RefusalCode(
    "conditions-open",
    "Final approval is not possible yet. Still open: %(open)s. Record what has been done, then decide.",
    "Conditions open",
)
NOT_IN_NEW_JERSEY = RefusalCode(
    "not-in-new-jersey",
    "This jurisdiction has no tests of new games. Nothing was recorded.",
    "Not in this state",
)
AMENDMENT_WITHOUT_A_DAY = RefusalCode(
    "amendment-without-a-day",
    "Enter the day on which the amended regulations take effect, or tick that none are needed.",
    "Which day?",
)
LICENSING_OPEN = RefusalCode(
    "licensing-open",
    "%(what)s is not complete for this petitioner. Complete it first.",
    "Licensing is open",
)
MORE_THAN_IS_OPEN = RefusalCode(
    "more-than-is-open",
    "Only $%(left)s is open. Enter a smaller payment, or record another bill first.",
    "Too much",
)
NO_SUCH_TEST = RefusalCode(
    "no-such-test",
    "%(request)s has no test %(number)s. Choose it from the list.",
    "No such test",
)
TEST_NOT_A_DRAFT = RefusalCode(
    "test-not-a-draft",
    "Test %(number)s is no longer a draft and stays as filed. Draft another test instead.",
    "Already filed",
)
TEST_INCOMPLETE = RefusalCode(
    "test-incomplete",
    "Still missing: %(missing)s. Add what is missing, then file it.",
    "Not complete",
)
TEST_NOT_WAITING = RefusalCode(
    "test-not-waiting",
    "Test %(number)s is not waiting for a decision. File it first.",
    "Not waiting",
)
TEST_NOT_RUNNING = RefusalCode(
    "test-not-running",
    "Test %(number)s is not granted, or its request is already decided. Nothing was recorded.",
    "Not running",
)
TEST_ENDED = RefusalCode("test-ended", "Test %(number)s has already ended.", "Already ended")
TEST_RULES_SAY_NOTHING = RefusalCode(
    "test-rules-say-nothing",
    "The new rules are empty. Write them out in full.",
    "No rules",
)
RULES_IN_THE_PAST = RefusalCode(
    "rules-in-the-past",
    "Rules cannot begin in the past. Choose a later moment, or leave it empty to begin now.",
    "In the past",
)
RULES_BEFORE_THE_LAST = RefusalCode(
    "rules-before-the-last",
    "Version %(version)s begins at that moment or later. Choose a later moment.",
    "Too early",
)
RUN_ELSEWHERE = RefusalCode(
    "run-elsewhere",
    "The test was not filed for %(casino)s. Choose one of its casinos.",
    "Another casino",
)
RUN_OUTSIDE_THE_TEST = RefusalCode(
    "run-outside-the-test",
    "%(day)s is not a day of the test. Check the day.",
    "Outside the test",
)
TEST_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "test-ends-before-it-begins",
    "The last day is before the first. Swap them.",
    "Dates reversed",
)
SIGN_NEEDS_MORE = RefusalCode(
    "sign-needs-more",
    "The sign names the casinos, the dates and the tables. Still missing: %(missing)s.",
    "No sign yet",
)

"""Refusals about staff, each with its sentence."""

from games.engine.refusals import RefusalCode

SPAN_EXCEEDED = RefusalCode(
    "span-exceeded",
    "%(person)s may not supervise these %(count)s tables at once: %(tables)s. Another floorperson "
    "must take one.",
    "Too many tables",
)
UNSUPERVISED = RefusalCode(
    "unsupervised",
    "Nobody supervises %(table)s. A floorperson must take it.",
    "No floorperson",
)
SUPERVISOR_OFF_DUTY = RefusalCode(
    "supervisor-off-duty",
    "%(person)s, who supervises %(table)s, is not on duty there. Another floorperson must take it.",
    "No floorperson",
)
ALREADY_SUPERVISING = RefusalCode("already-supervising", "%(person)s already supervises %(table)s.")
ROLE_DOES_NOT_SUPERVISE = RefusalCode(
    "role-does-not-supervise",
    "%(person)s is not a floorperson and cannot supervise a table.",
)
SUPERVISOR_NOT_ON_DUTY = RefusalCode(
    "supervisor-not-on-duty",
    "%(person)s is not on duty at %(table)s and cannot supervise it. Assign them first.",
)
POST_LEFT_EMPTY = RefusalCode(
    "post-left-empty",
    "Every post must be staffed while %(table)s is open. A relief must take over from %(post)s with "
    "their PIN.",
    "Relief needed",
)
AT_ANOTHER_TABLE = RefusalCode("at-another-table", "%(person)s is still at %(table)s. Sign off there first.")
NEEDED_AT_ANOTHER_TABLE = RefusalCode(
    "needed-at-another-table",
    "%(person)s is at %(table)s and may not leave it alone. Another dealer must sign in there first.",
    "Relief needed there",
)
NOT_QUALIFIED = RefusalCode(
    "not-qualified",
    "%(person)s has no training for %(game)s in effect today. Send a dealer who has.",
    "Not trained for this game",
)
STILL_AT_A_POST = RefusalCode(
    "still-at-a-post",
    "%(person)s works at %(table)s as %(post)s. Send a relief first.",
    "Relief needed",
)
STILL_SUPERVISES = RefusalCode(
    "still-supervises",
    "%(person)s supervises %(table)s. Another floorperson must take it first.",
    "Relief needed",
)
DUTY_OF_ANOTHER_DEPARTMENT = RefusalCode(
    "duty-of-another-department",
    "%(person)s belongs to %(department)s. Only %(who)s may change this duty.",
    "Another department",
)
SECOND_PERSON_FOR_DUTY = RefusalCode(
    "second-person-for-duty",
    "A second person must sign with their own PIN: somebody of the department of %(person)s, of compliance or of the "
    "regulator, but not %(person)s.",
    "Second person needed",
)
COLLEAGUE_STARTS_YOUR_DUTY = RefusalCode(
    "colleague-starts-your-duty",
    "%(colleague)s of your department is on duty and starts your duty.",
    "A colleague is on duty",
)
NO_SUCH_PLACE = RefusalCode("no-such-place", "There is no %(place)s at this facility.")
NO_SUCH_ASSIGNMENT = RefusalCode(
    "no-such-assignment",
    "This duty does not exist or has already ended. Reload the page.",
)
ALREADY_ASSIGNED = RefusalCode("already-assigned", "%(person)s is already on duty at %(place)s.")
NO_SUCH_QUALIFICATION = RefusalCode(
    "no-such-qualification",
    "There is no such training on file. Reload the page.",
)
QUALIFICATION_FILED_ALREADY = RefusalCode(
    "qualification-filed-already",
    "A training of %(person)s for %(game)s from that day is already on file.",
)
QUALIFICATION_HAS_ENDED = RefusalCode("qualification-has-ended", "This training already ends on %(on)s.")
QUALIFICATION_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "qualification-ends-before-it-begins",
    "The training would end before it begins. Check both days.",
)
NO_SUCH_POST = RefusalCode("no-such-post", "%(table)s has no such post.")
POST_OF_ANOTHER = RefusalCode(
    "post-of-another",
    "That post is for a stickperson; a stickperson takes no other.",
)
ALREADY_DEALING = RefusalCode("already-dealing", "%(dealer)s deals here already.")
NOT_DEALING = RefusalCode("not-dealing", "You are not the dealer of %(table)s.")
SHAKER_LEFT_UNATTENDED = RefusalCode(
    "shaker-left-unattended",
    "Shaker %(shaker)s must never be left unattended. A relief takes it over with their PIN.",
    "Relief needed",
)
RELIEF_MUST_SIGN = RefusalCode(
    "relief-must-sign",
    "The dealer who takes over signs with their own PIN. Say who comes.",
    "Who takes over?",
)
NO_SUCH_LOCKOUT = RefusalCode(
    "no-such-lockout",
    "This lock-out has already ended. Reload the page.",
    "Already unlocked",
)
YOUR_OWN_LOCKOUT = RefusalCode(
    "your-own-lockout",
    "You cannot unlock your own PIN. Ask another supervisor.",
    "Another supervisor needed",
)
TYPED_WHERE_YOU_ARE_SIGNED_IN = RefusalCode(
    "typed-where-you-are-signed-in",
    "The wrong PINs were typed while you were signed in at %(device)s. Ask another supervisor to unlock.",
    "Another supervisor needed",
)
UNLOCK_TAKES_TWO = RefusalCode(
    "unlock-takes-two",
    "This person or device was unlocked %(times)s times within %(time)s. Another unlock needs the PIN of a "
    "second person, who is not the locked one: %(who)s.",
    "This takes two",
)
NOT_YOUR_OWN_ACCESS = RefusalCode(
    "not-your-own-access",
    "Nobody prepares a change of their own access. Somebody else must.",
    "Your own access",
)
ACCESS_OF_ANOTHER_DEPARTMENT = RefusalCode(
    "access-of-another-department",
    "Table games prepares changes for people of table games alone. A system administrator prepares this one.",
    "Another department",
)
WORKS_EVERYWHERE = RefusalCode(
    "works-everywhere",
    "%(person)s works in every facility. Their access is changed on the server, with `manage.py change_person`.",
    "Changed on the server",
)
NOT_A_PERSON_CODE = RefusalCode(
    "not-a-person-code",
    "The code %(person)s is not possible. Use lowercase letters, digits and single hyphens, such as park-z.",
    "Another code",
)
PERSON_CODE_TAKEN = RefusalCode(
    "person-code-taken",
    "Somebody has the code %(person)s already, perhaps somebody who left.",
    "Another code",
)
BADGE_TAKEN = RefusalCode("badge-taken", "Badge %(badge)s is that of %(person)s.", "Another badge")
NOT_A_BADGE = RefusalCode("not-a-badge", "A badge number has at most six digits.", "Another badge")
NOTHING_TO_CHANGE = RefusalCode(
    "nothing-to-change", "%(person)s has this role, badge and license already.", "Nothing to change"
)
LAST_WITH_ACCESS_RIGHTS = RefusalCode(
    "last-with-access-rights",
    "Without %(person)s nobody could give anybody access here: it takes a system administrator who prepares, and a "
    "second person who approves, another administrator or compliance. Add somebody first.",
    "Needed for access",
)
LEAVE_BEGINS_IN_THE_PAST = RefusalCode(
    "leave-begins-in-the-past",
    "A leave begins today or later. What %(person)s did until now stays done.",
    "Another first day",
)
LEAVE_ENDS_BEFORE_IT_BEGINS = RefusalCode(
    "leave-ends-before-it-begins",
    "The leave would end before it begins. Check both days.",
    "Another last day",
)
HAS_A_LEAVE = RefusalCode(
    "has-a-leave",
    "%(person)s has a leave from %(begins)s %(until)s. Change its last day, or record the return first.",
    "On leave already",
)
NOT_ON_LEAVE = RefusalCode("not-on-leave", "%(person)s has no leave from which to return.", "Not on leave")
NO_SECRET_ALLOWED = RefusalCode(
    "no-secret-allowed",
    "There is no one-time %(secret)s of %(person)s to make: it was made already, or was not approved. Prepare another "
    "one under People.",
    "Nothing to make",
)
SECRET_FOR_ANOTHER = RefusalCode(
    "secret-for-another",
    "%(by)s approved this one-time %(secret)s, and alone makes and reads it, while its person is there.",
    "Not yours to read",
)
ACCESS_HAS_CHANGED = RefusalCode(
    "access-has-changed",
    "Somebody was added, changed or left since this page was loaded. Load it again and review it then.",
    "Changed meanwhile",
)

"""Refusals about rules submissions, each with its sentence."""

from games.engine.refusals import RefusalCode

FILED_ODDS_UNREADABLE = RefusalCode(
    "filed-odds-unreadable",
    "%(wager)s: %(figure)s is not readable as odds. Write them as 6 to 1.",
    "Odds unreadable",
)
FILED_NO_SUCH_WAGER = RefusalCode(
    "filed-no-such-wager",
    "%(wager)s at %(figure)s: these rules have no such wager. Leave it out.",
    "No such wager",
)
FILED_ODDS_FIXED = RefusalCode(
    "filed-odds-fixed",
    "%(wager)s at %(figure)s: its odds are fixed at %(fixed)s. Leave it out.",
    "Odds are fixed",
)
FILED_NOT_EXACT = RefusalCode(
    "filed-not-exact",
    "%(wager)s at %(figure)s: these rules set exact odds, %(exact)s here. Leave it out, or choose a "
    "complete paytable.",
    "Odds are exact",
)
FILED_UNDER_THE_FLOOR = RefusalCode(
    "filed-under-the-floor",
    "%(wager)s at %(figure)s is below its floor. File %(floor)s or more.",
    "Below the floor",
)
FILED_ODDS_WORDING = RefusalCode(
    "filed-odds-wording",
    "%(wager)s: odds are not written as %(figure)s under these rules. Choose one of: %(allowed)s.",
    "Wrong word",
)
FILED_FAVOURS_PLAYER = RefusalCode(
    "filed-favours-player",
    "%(wager)s at %(figure)s favors the player by %(favours)s (%(exact)s). File lower odds.",
    "Favors the player",
)
FILED_FAVOURS_PLAYER_BY_ODDS = RefusalCode(
    "filed-favours-player-by-odds",
    "%(wager)s at %(figure)s favors the player by %(favours)s (%(exact)s). It wins in %(wins)s "
    "throws: %(even)s would be even, and %(best)s leaves the house %(left)s.",
    "Favors the player",
)
FILED_NO_LIMIT_HERE = RefusalCode(
    "filed-no-limit-here",
    "%(wager)s: these rules have no aggregate payout limit. Leave %(figure)s out.",
    "No payout limit",
)
FILED_LIMIT_UNREADABLE = RefusalCode(
    "filed-limit-unreadable",
    "%(wager)s: %(figure)s is not an amount. Enter the limit in dollars.",
    "Limit unreadable",
)
FILED_LIMIT_TOO_LOW = RefusalCode(
    "filed-limit-too-low",
    "%(wager)s: a payout limit of %(figure)s is below its floor at a table minimum of %(minimum)s. "
    "File %(least)s or more, or keep the minimum lower.",
    "Payout limit too low",
)
FILED_INCREMENT_UNREADABLE = RefusalCode(
    "filed-increment-unreadable",
    "%(wager)s: %(figure)s is not an increment. Enter it in whole cents.",
    "Increment unreadable",
)
FILED_INCREMENT_SPLITS = RefusalCode(
    "filed-increment-splits",
    "%(wager)s in steps of %(figure)s would win a fraction of a cent at %(odds)s. Choose a larger step.",
    "Fraction of a cent",
)
FILED_SHAKER_NOT_ALLOWED = RefusalCode(
    "filed-shaker-not-allowed",
    "%(wager)s: these rules do not allow a %(figure)s shaker. They allow: %(allowed)s.",
    "Shaker not allowed",
)
FILED_EDITION_LAPSED = RefusalCode(
    "filed-edition-lapsed",
    "%(edition)s lapsed on %(day)s. Choose a newer edition, or write in the options why it may still be dealt.",
    "Lapsed edition",
)
NO_SUCH_SUBMISSION = RefusalCode(
    "no-such-submission",
    "There is no version %(version)s of %(code)s. Check the list.",
    "No such submission",
)
VERSION_WAITS = RefusalCode(
    "version-waits",
    "Version %(version)s of %(code)s is %(status)s. Decide or withdraw it before you draft the next one.",
    "Version pending",
)
OTHER_GAME = RefusalCode(
    "other-game",
    "%(code)s is for %(game)s. Draft a new submission for another game.",
    "Another game",
)
NOT_A_NEW_EDITION_HERE = RefusalCode(
    "not-a-new-edition-here",
    "%(edition)s belongs to another jurisdiction. Choose an edition of this facility's jurisdiction.",
    "Another jurisdiction",
)
NOTHING_CHANGED = RefusalCode(
    "nothing-changed",
    "Version %(version)s has the same rules. Change something, or leave it as it is.",
    "Nothing changed",
)
IN_FORCE_BEFORE_DECIDED = RefusalCode(
    "in-force-before-decided",
    "Rules come into force when they are approved or later. Choose %(least)s or a later moment.",
    "Too early",
)
IN_FORCE_BEFORE_EARLIER = RefusalCode(
    "in-force-before-earlier",
    "Version %(version)s comes into force at %(from)s. Choose a later moment, or withdraw that version.",
    "Too early",
)

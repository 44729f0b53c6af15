"""Refusals about rules submissions."""

from games.office.core.words import register

# The gate: each sentence names the wager, its figure and the remedy
TITLES: dict[str, str] = {
    "filed-odds-unreadable": "Odds unreadable",
    "filed-no-such-wager": "No such wager",
    "filed-odds-fixed": "Odds are fixed",
    "filed-not-exact": "Odds are exact",
    "filed-under-the-floor": "Below the floor",
    "filed-odds-wording": "Wrong word",
    "filed-favours-player": "Favors the player",
    "filed-favours-player-by-odds": "Favors the player",
    "filed-no-limit-here": "No payout limit",
    "filed-limit-unreadable": "Limit unreadable",
    "filed-limit-too-low": "Payout limit too low",
    "filed-increment-unreadable": "Increment unreadable",
    "filed-increment-splits": "Fraction of a cent",
    "filed-shaker-not-allowed": "Shaker not allowed",
    "no-such-submission": "No such submission",
    "version-waits": "Version pending",
    "other-game": "Another game",
    "not-a-new-edition-here": "Another jurisdiction",
    "nothing-changed": "Nothing changed",
    "in-force-before-decided": "Too early",
    "in-force-before-earlier": "Too early",
}
SENTENCES: dict[str, str] = {
    "filed-odds-unreadable": "%(wager)s: %(figure)s is not readable as odds. Write them as 6 to 1.",
    "filed-no-such-wager": "%(wager)s at %(figure)s: these rules have no such wager. Leave it out.",
    "filed-odds-fixed": "%(wager)s at %(figure)s: its odds are fixed at %(fixed)s. Leave it out.",
    "filed-not-exact": (
        "%(wager)s at %(figure)s: these rules set exact odds, %(exact)s here. Leave it out, or choose a complete paytable."
    ),
    "filed-under-the-floor": "%(wager)s at %(figure)s is below its floor. File %(floor)s or more.",
    "filed-odds-wording": "%(wager)s: odds are not written as %(figure)s under these rules. Choose one of: %(allowed)s.",
    "filed-favours-player": "%(wager)s at %(figure)s favors the player by %(favours)s (%(exact)s). File lower odds.",
    "filed-favours-player-by-odds": (
        "%(wager)s at %(figure)s favors the player by %(favours)s (%(exact)s). It wins in %(wins)s throws: %(even)s would be even, and %(best)s leaves the house %(left)s."
    ),
    "filed-no-limit-here": "%(wager)s: these rules have no aggregate payout limit. Leave %(figure)s out.",
    "filed-limit-unreadable": "%(wager)s: %(figure)s is not an amount. Enter the limit in dollars.",
    "filed-limit-too-low": (
        "%(wager)s: a payout limit of %(figure)s is below its floor at a table minimum of %(minimum)s. File %(least)s or more, or keep the minimum lower."
    ),
    "filed-increment-unreadable": "%(wager)s: %(figure)s is not an increment. Enter it in whole cents.",
    "filed-increment-splits": "%(wager)s in steps of %(figure)s would win a fraction of a cent at %(odds)s. Choose a larger step.",
    "filed-shaker-not-allowed": "%(wager)s: these rules do not allow a %(figure)s shaker. They allow: %(allowed)s.",
    # Acts
    "no-such-submission": "There is no version %(version)s of %(code)s. Check the list.",
    "version-waits": "Version %(version)s of %(code)s is %(status)s. Decide or withdraw it before you draft the next one.",
    "other-game": "%(code)s is for %(game)s. Draft a new submission for another game.",
    "not-a-new-edition-here": "%(edition)s belongs to another jurisdiction. Choose an edition of this facility's jurisdiction.",
    "nothing-changed": "Version %(version)s has the same rules. Change something, or leave it as it is.",
    "in-force-before-decided": "Rules come into force when they are approved or later. Choose %(least)s or a later moment.",
    "in-force-before-earlier": "Version %(version)s comes into force at %(from)s. Choose a later moment, or withdraw that version.",
}

register(titles=TITLES, sentences=SENTENCES)

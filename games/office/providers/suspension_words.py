"""Refusals of wagers and games whose provider's service is suspended."""

from games.office.core.words import register

CAUSES = ("laboratory", "costs", "approval", "certified", "ended")
TITLES: dict[str, str] = {f"wager-stopped-{cause}": "Wager not dealt" for cause in CAUSES} | {
    f"game-stopped-{cause}": "Game not dealt" for cause in CAUSES
}
SENTENCES: dict[str, str] = {
    "wager-stopped-laboratory": (
        "%(wager)s is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). Return the wager, and call compliance."
    ),
    "wager-stopped-costs": (
        "%(wager)s is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are unpaid. Return the wager, and call compliance."
    ),
    "wager-stopped-approval": (
        "%(wager)s is not dealt: %(service)s of %(provider)s (%(code)s) has no approved request. Return the wager, and call compliance."
    ),
    "wager-stopped-certified": (
        "%(wager)s is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted to trade. Return the wager, and call compliance."
    ),
    "wager-stopped-ended": (
        "%(wager)s is not dealt: this casino no longer uses %(service)s of %(provider)s (%(code)s). Return the wager."
    ),
    "game-stopped-laboratory": (
        "This game is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
        "Call compliance."
    ),
    "game-stopped-costs": (
        "This game is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are unpaid. Call compliance."
    ),
    "game-stopped-approval": (
        "This game is not dealt: %(service)s of %(provider)s (%(code)s) has no approved request. Call compliance."
    ),
    "game-stopped-certified": (
        "This game is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted to trade. "
        "Call compliance."
    ),
    "game-stopped-ended": "This game is not dealt: this casino no longer uses %(service)s of %(provider)s (%(code)s).",
}

register(titles=TITLES, sentences=SENTENCES)

"""Refusals of wagers and games whose provider's service is suspended."""

from games.office.core.words import register

WHY = {
    "laboratory": "the laboratory has not approved it",
    "costs": "the laboratory's costs are not paid",
    "approval": "no approved request stands behind it",
    "certified": "the provider is neither certified nor permitted to trade",
    "ended": "the house has ended its use",
}
TITLES: dict[str, str] = {f"wager-stopped-{why}": "Wager not dealt" for why in WHY} | {
    f"game-stopped-{why}": "Game not dealt" for why in WHY
}
SENTENCES: dict[str, str] = {
    "wager-stopped-laboratory": (
        "%(wager)s is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-costs": (
        "%(wager)s is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are not paid. "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-approval": (
        "%(wager)s is not dealt: no approved request stands behind %(service)s of %(provider)s (%(code)s). "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-certified": (
        "%(wager)s is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted to trade. "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-ended": (
        "%(wager)s is not dealt: the house has ended its use of %(service)s of %(provider)s (%(code)s). "
        "Give the wager back."
    ),
    "game-stopped-laboratory": (
        "This game is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
        "Call compliance."
    ),
    "game-stopped-costs": (
        "This game is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are not paid. "
        "Call compliance."
    ),
    "game-stopped-approval": (
        "This game is not dealt: no approved request stands behind %(service)s of %(provider)s (%(code)s). "
        "Call compliance."
    ),
    "game-stopped-certified": (
        "This game is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted to trade. "
        "Call compliance."
    ),
    "game-stopped-ended": "This game is not dealt: the house has ended its use of %(service)s of %(provider)s (%(code)s).",
}

register(titles=TITLES, sentences=SENTENCES)

"""Sentences about wagers and games of a provider that may not be dealt now; part of `providers`."""

from typing import Any

from django.utils.translation import gettext_lazy as lazy

WHY = {
    "laboratory": lazy("the laboratory has not approved it"),
    "costs": lazy("the laboratory's costs are not paid"),
    "approval": lazy("no approved request stands behind it"),
    "certified": lazy("the provider is neither certified nor permitted to trade"),
    "ended": lazy("the house has ended its use"),
}
TITLES: dict[str, Any] = {f"wager-stopped-{why}": lazy("Wager not dealt") for why in WHY} | {
    f"game-stopped-{why}": lazy("Game not dealt") for why in WHY
}
SENTENCES: dict[str, Any] = {
    "wager-stopped-laboratory": lazy(
        "%(wager)s is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-costs": lazy(
        "%(wager)s is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are not paid. "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-approval": lazy(
        "%(wager)s is not dealt: no approved request stands behind %(service)s of %(provider)s (%(code)s). "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-certified": lazy(
        "%(wager)s is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted to trade. "
        "Give the wager back, and call compliance."
    ),
    "wager-stopped-ended": lazy(
        "%(wager)s is not dealt: the house has ended its use of %(service)s of %(provider)s (%(code)s). "
        "Give the wager back."
    ),
    "game-stopped-laboratory": lazy(
        "This game is not dealt: the laboratory has not approved %(service)s of %(provider)s (%(code)s). "
        "Call compliance."
    ),
    "game-stopped-costs": lazy(
        "This game is not dealt: the laboratory's costs for %(service)s of %(provider)s (%(code)s) are not paid. "
        "Call compliance."
    ),
    "game-stopped-approval": lazy(
        "This game is not dealt: no approved request stands behind %(service)s of %(provider)s (%(code)s). "
        "Call compliance."
    ),
    "game-stopped-certified": lazy(
        "This game is not dealt: its provider %(provider)s (%(code)s) is neither certified nor permitted to trade. "
        "Call compliance."
    ),
    "game-stopped-ended": lazy(
        "This game is not dealt: the house has ended its use of %(service)s of %(provider)s (%(code)s)."
    ),
}

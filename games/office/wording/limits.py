"""Sentences about limits and the rules that took effect; merged into `games.office.wording`."""

from typing import Any

TITLES: dict[str, Any] = {
    "maximum-under-minimum": "Limits not taken",
    "limits-unchanged": "Nothing changes",
    "change-is-pending": "Announced already",
    "no-change-is-pending": "No change announced",
    "somebody-plays": "Somebody plays",
    "limits-announced-already": "Announced already",
    "limits-sign-stands": "Sign stands already",
}
SENTENCES: dict[str, Any] = {
    "maximum-under-minimum": "The maximum %(max)s is under the minimum %(min)s. Enter them the other way round.",
    "limits-unchanged": "These are the limits already: %(min)s to %(max)s.",
    "change-is-pending": "A change to %(min)s–%(max)s is under way here. Cancel it first.",
    "no-change-is-pending": "No change of the limits is under way at %(table)s.",
    "somebody-plays": (
        "There is play here, at seat %(seats)s. Players get 30 minutes' notice: say that players are here, then post "
        "the sign and announce the change."
    ),
    "limits-announced-already": "The change was announced at %(at)s.",
    "limits-sign-stands": "The sign has stood here since %(at)s.",
}

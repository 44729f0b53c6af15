"""Sentences about limits and the rules that took effect; merged into `games.office.wording`."""

from typing import Any

from django.utils.translation import gettext_lazy as lazy

TITLES: dict[str, Any] = {
    "maximum-under-minimum": lazy("Limits not taken"),
    "limits-unchanged": lazy("Nothing changes"),
    "change-is-pending": lazy("Announced already"),
    "no-change-is-pending": lazy("No change announced"),
    "somebody-plays": lazy("Somebody plays"),
    "limits-announced-already": lazy("Announced already"),
    "limits-sign-stands": lazy("Sign stands already"),
}
SENTENCES: dict[str, Any] = {
    "maximum-under-minimum": lazy(
        "The maximum %(max)s is under the minimum %(min)s. Enter them the other way round."
    ),
    "limits-unchanged": lazy("These are the limits already: %(min)s to %(max)s."),
    "change-is-pending": lazy("A change to %(min)s–%(max)s is under way here. Cancel it first."),
    "no-change-is-pending": lazy("No change of the limits is under way at %(table)s."),
    "somebody-plays": lazy(
        "There is play here, at seat %(seats)s. Players get 30 minutes' notice: say that players are here, then post "
        "the sign and announce the change."
    ),
    "limits-announced-already": lazy("The change was announced at %(at)s."),
    "limits-sign-stands": lazy("The sign has stood here since %(at)s."),
}

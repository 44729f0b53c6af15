"""Sentences about training; merged into `tables.wording`."""

from collections.abc import Callable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy as lazy

TITLES: dict[str, Any] = {
    "draw-first": lazy("Throw the dice"),
    "dice-drawn-already": lazy("The dice lie there"),
    "not-these-dice": lazy("Read them again"),
}

SENTENCES: dict[str, Any] = {
    "draws-only-in-training": lazy("%(table)s is no training table: nothing throws dice for people there."),
    "dice-drawn-already": lazy(
        "The dice of round %(round)s are thrown and lie there. Call them as they lie."
    ),
    "draw-first": lazy("The dice of round %(round)s have not been thrown yet. Throw them, then call them."),
    "not-these-dice": lazy("Look again: these are not the dice that lie there."),
}

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "dice.drawn": lambda data: _("Dice %s thrown by the machine") % " ".join(map(str, data["dice"])),
}

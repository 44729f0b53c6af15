"""How money and marks are written and drawn on a layout: amounts, chips, stars. Each game's drawing uses them."""

from collections.abc import Sequence
from typing import Any

from games.snapshot_types import Snapshot

WINS = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-star"/></svg>WINS</span>'
NOT_DEALT = '<span class="not-dealt" aria-hidden="true">not dealt</span>'
TAKE = '<svg class="icon mark mark--take" aria-hidden="true"><use href="#i-down"/></svg>'
CORRECTED = '<svg class="icon corrected-mark" aria-hidden="true"><use href="#i-edit"/></svg>'
PAYING = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-up"/></svg>PAY</span>'
PAID = '<span class="wins" aria-hidden="true"><svg class="icon"><use href="#i-check"/></svg>PAID</span>'


def listed(items: Sequence[Any]) -> str:
    """Return `3, 4, 7 and 8`."""
    words = [str(item) for item in items]
    return " and ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))


def marked_corrected(top: str) -> str:
    """Return the word of a result, if any, marked as corrected: a pencil in place of its star."""
    if "wins" not in top:
        return f"{top}{CORRECTED}"
    return top.replace('class="wins"', 'class="wins wins--corrected"').replace("#i-star", "#i-edit")


def is_dice_corrected(s: Snapshot) -> bool:
    """Return whether the faces of the newest valid throw were corrected at the table."""
    valid = [throw for throw in s["round"]["throws"] if not throw["void"]]
    return bool(valid) and valid[-1]["corrected"]


def corrected_areas(s: Snapshot) -> set[str]:
    """Return the areas of the wagers that were corrected in this round, and those that corrected dice light."""
    codes = {wager["wager"] for wager in s["round"]["wagers"] if wager["struck"] or wager["missed"]}
    return codes | set(s["round"]["lit"]) if is_dice_corrected(s) else codes

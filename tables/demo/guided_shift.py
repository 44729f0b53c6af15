"""The guided shift of the demo: three minutes as a dealer, at the pit and at the compliance desk.

It begins with *Deal a round* of the landing. The steps are data; `static/js/guided-shift.js` shows the next one and
notices when it is done, by what the visitor has done and in whatever order. A step may be skipped, or all of them.
"""

from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.urls import reverse


@dataclass(frozen=True)
class GuideStep:
    """What the visitor does next, and how the page shows that it is done.

    `go` is the name of the address to which the step's own button leads. A step is done when the page's path matches
    the regular expression `path`, when the round that the visitor found at the table has reached this `phase` or is
    over, or when the table of the page has no dispute any more (`decides`). A step with a button may be ended by it.
    """

    part: str
    text: str
    button: str = ""
    go: str = ""
    path: str = ""
    phase: str = ""
    decides: bool = False


STEPS = (
    GuideStep(
        "Dealer",
        "You are the dealer, and every player has bet. Shake the dice or start the shaker, as the next step says, then "
        "tap it.",
        phase="shaken",
    ),
    GuideStep("Dealer", "Betting ends: tap the next step again.", phase="ready"),
    GuideStep("Dealer", "Now the dice are seen. Enter any three faces, then hold the next step.", phase="lit"),
    GuideStep("Dealer", "Winning areas are lit. Take the losing chips, if any lost, by the next step.", phase="taken"),
    GuideStep("Dealer", "Pay what won, seat by seat: the dock shows the chips to cut.", phase="paid"),
    GuideStep("Dealer", "Clear the layout. Then the round is on the record.", phase="cleared"),
    GuideStep(
        "Pit boss",
        "Now see it from the pit: as its manager, at a podium.",
        "Go to the podium",
        "demo-watch",
        "^/floor/[^\\/]+/$",
    ),
    GuideStep(
        "Pit boss",
        "A player disputes a wager at T-05. Say that you are coming, then decide.",
        "It is decided",
        decides=True,
    ),
    GuideStep(
        "Compliance",
        "And as compliance, who reads what was recorded.",
        "Hand over",
        "demo-comply",
        "^/(record|inbox)/",
    ),
    GuideStep("Compliance", "Open Record in the bar. Every act of the evening is there.", path="^/record/"),
    GuideStep("Compliance", "Search for a round and open it: it says why each wager won or lost.", "I have read it"),
    GuideStep("Compliance", "Could somebody change it? Try.", "Forge one byte", "demo-record", "^/demo/record$"),
    GuideStep("Compliance", "You have seen a round from the first chip to its proof. The floor is yours.", "End"),
)  # fmt: skip


def context(_request: HttpRequest) -> dict[str, Any]:
    """The steps for the page, where the demo's evening is played; nothing elsewhere."""
    if not settings.EVENING:
        return {}
    return {"guided_shift": [{**asdict(step), "go": reverse(step.go) if step.go else ""} for step in STEPS]}

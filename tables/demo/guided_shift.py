"""The guided shift of the demo: three minutes as a dealer, at the pit and at the compliance desk.

The steps are data; `static/js/guided-shift.js` shows the next one and notices when it is done. A visitor may skip a
step, or all of them.
"""

from dataclasses import asdict, dataclass
from typing import Any

from django.conf import settings
from django.http import HttpRequest

from tables.demo import floor as demo

TABLET = f"{demo.LARKFIELD.code}/T-01"
PODIUM = demo.LARKFIELD.code


@dataclass(frozen=True)
class GuideStep:
    """What the visitor does next, and how the page shows that it is done.

    `place` is the device that this browser becomes at the tap of the step's own button. A step is done when the page's
    path matches the regular expression `path`, when the table's round has this `phase`, or this many `wagers`. A step
    with none of these ends by its button alone.
    """

    part: str
    text: str
    button: str = ""
    place: str = ""
    path: str = ""
    phase: str = ""
    wagers: int = 0


def _pin(code: str) -> str:
    return next(person.pin for person in demo.PEOPLE if person.code == code)


STEPS = (
    GuideStep("Dealer", "This browser becomes the tablet of table T-01.", "Take the tablet", TABLET, path="^/sign-in"),
    GuideStep("Dealer", f"You are Mei Tran. Tap her name, then her PIN: {_pin('mei')}.", path="/console$"),
    GuideStep("Dealer", "A player at seat 2 bets on Big: tap seat 2, the chip 25, then the area BIG.", wagers=1),
    GuideStep("Dealer", "Seat 5 bets $5 on 12: tap the seat, the chip, the area.", wagers=2),
    GuideStep("Dealer", "Shake the dice under their cover, then tap the next step: Shaken.", phase="shaken"),
    GuideStep("Dealer", "Betting is over: tap the next step again.", phase="ready"),
    GuideStep("Dealer", "You lift the cover and read 2, 5 and 5. Tap them, then hold the next step.", phase="lit"),
    GuideStep("Dealer", "Winning areas are lit. Take the losing chips, then hold the next step.", phase="taken"),
    GuideStep("Dealer", "Pay area by area: hold the first payment, tap those after it.", phase="paid"),
    GuideStep("Dealer", "Clear the layout: hold the step. The round is on the record.", phase="open"),
    GuideStep("Pit boss", "This browser becomes the pit's podium.", "Go to the podium", PODIUM, path="^/sign-in"),
    GuideStep("Pit boss", f"You are Marta Duarte, the pit manager. Her PIN: {_pin('marta')}.", path="^/floor/"),
    GuideStep("Pit boss", "A player disputes a wager at T-05. Open that table.", path="/T-05/$"),
    GuideStep("Pit boss", "Read the dispute, answer that you are coming, then decide.", "I have decided"),
    GuideStep("Compliance", "Somebody else takes over the podium.", "Hand over", PODIUM, path="^/sign-in"),
    GuideStep("Compliance", f"You are Carla Reyes of compliance. Her PIN: {_pin('carla')}.", path="^/floor/|^/record/"),
    GuideStep("Compliance", "Open the record. Every act of the evening is there.", path="^/record/"),
    GuideStep("Compliance", "Search for a round and open it: it says why each wager won or lost.", "I have read it"),
    GuideStep("Compliance", "You have seen a round from the first chip to the record. Now explore the floor.", "End"),
)  # fmt: skip


def context(_request: HttpRequest) -> dict[str, Any]:
    """The steps for the page, where the demo's evening is played; nothing elsewhere."""
    return {"guided_shift": [asdict(step) for step in STEPS]} if settings.EVENING else {}

"""The notices about corrections: a payout was raised after the dice; a slip waits for its money or its review."""

from collections.abc import Mapping
from typing import Any

from tables.core.alert_kinds import AlertKind, Level, alert_kind
from tables.words.sentences import dollars

RAISING_ACTS = {
    "record_missed_wager": "recorded a missed wager",
    "correct_dice": "corrected the dice",
    "strike_mistaken_wager": "struck a wager",
    "file_slip": "filed a slip",
}


def describe_raise(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the notice to those whose signatures may raise a payout after the dice."""
    seats = ("Seat %s: " if len(params["seats"]) == 1 else "Seats %s: ") % ", ".join(
        map(str, params["seats"])
    )
    what = f"{dollars(params['cents'])} more" if params["cents"] else "a wager"
    act = RAISING_ACTS.get(params["act"], params["act"])
    if params["act"] == "file_slip":
        what = f"a slip about {dollars(params['cents'])}"
    signed = f"Round {params['round']}: {params['person']} {act}, and {params['signed_with']} signed."
    held = " Nothing of it is paid before its slip is reviewed." if params["held"] else ""
    warning = "If that was not you, somebody knows your PIN: call surveillance, and change it."
    return f"{seats}{what}, after the dice", f"{signed}{held} {warning}"


# Both at the pit, not at the table: a person whose PIN was watched is told on another device.
RAISED_AFTER_DICE = alert_kind(
    AlertKind(
        "raised-after-dice",
        "raised-after-dice:{round}:{cause}",
        Level.INFO,
        "Payout raised after the dice",
        "",
        describe=describe_raise,
        ends_when_acknowledged=True,
        at_the_pit=True,
    )
)
HELD_AFTER_DICE = alert_kind(
    AlertKind(
        "held-after-dice",
        "held-after-dice:{round}:{cause}",
        Level.WARN,
        "Payout held back after the dice",
        "",
        describe=describe_raise,
        ends_when_acknowledged=True,
        at_the_pit=True,
    )
)
UNSETTLED_SLIP = alert_kind(
    AlertKind(
        "slip",
        "slip:{slip}",
        Level.INFO,
        "Slip to settle",
        "Slip %(slip)s to settle",
        "Round %(round)s was corrected. Move the money that is due, then both of you sign.",
    )
)
AWAITED_REVIEW = alert_kind(
    AlertKind(
        "slip-review",
        "slip-review:{slip}",
        Level.INFO,
        "Slip to review",
        "Slip %(slip)s waits for its review",
        "Round %(round)s was corrected. Somebody outside the table reviews the slip first: no money moves before.",
    )
)
DIFFERING_REVIEW = alert_kind(
    AlertKind(
        "slip-differs",
        "slip-differs:{slip}",
        Level.WARN,
        "Slip: its review differs",
        "Slip %(slip)s: the review differs",
        "Read on the page of round %(round)s what differs. File another slip if one is needed.",
        ends_when_acknowledged=True,
    )
)

"""Words of Error Notification Slips, and their lines of the record."""

from collections.abc import Iterable

from audit.models import Department
from games.engine.odds import in_dollars
from tables.corrections.entry_types import (
    DICE_CORRECTED,
    REVIEW_SUM_SET,
    SLIP_FILED,
    SLIP_REVIEWED,
    SLIP_SETTLED,
    WAGER_MISSED,
    WAGER_STRUCK,
    ReviewSumSet,
    SeatAmount,
    StruckWager,
)
from tables.words.registry import line, register
from tables.words.sentences import dice_words

KINDS = {
    "dice": "Dice",
    "wager": "Wager",
    "payment": "Payment",
    "void": "Void",
}

CHIPS = {
    "recorded": "went as recorded",
    "player": "are with the player",
    "house": "were taken by the casino",
}

OUTCOMES = {
    "": "nothing",
    "win": "won %(paid)s on %(stake)s",
    "lose": "lost %(stake)s",
    "fee": "fee %(stake)s",
    "return": "%(stake)s returned",
}

FIGURES = {
    "taken": "taken",
    "paid": "paid",
    "returned": "returned",
    "win": "win",
}

VERDICTS = {
    "agrees": "agrees",
    "differs": "differs",
}
DEPARTMENTS = {code: label.lower() for code, label in Department.choices}

ACT_LINES = [
    line(
        SLIP_FILED,
        lambda data: (
            "Slip %(slip)s, round %(round)s: %(owed)s" % {**data, "owed": owed_in_words(data["due"])}
        ),
    ),
    line(
        SLIP_SETTLED,
        lambda data: "Slip %(slip)s settled: %(moved)s" % {**data, "moved": moved_in_words(data["moved"])},
    ),
    line(
        SLIP_REVIEWED,
        lambda data: (
            "Slip %s reviewed by %s: %s"
            % (
                data["slip"],
                DEPARTMENTS.get(data["department"], data["department"]),
                VERDICTS[data["verdict"]],
            )
        ),
    ),
    line(REVIEW_SUM_SET, lambda data: _review_sum(data)),
    line(
        DICE_CORRECTED,
        lambda data: (
            "Dice corrected to %s, not %s" % (dice_words(data["dice"]), dice_words(data["mended"]["before"]))
        ),
    ),
    line(
        WAGER_MISSED,
        lambda data: "Missed wager, seat %s: %s, not %s" % _seat_and_stakes(data["mended"]),
    ),
    line(
        WAGER_STRUCK,
        lambda data: "Wager struck, seat %s: %s, not %s" % _seat_and_stakes(data["mended"]),
    ),
]


def _review_sum(data: ReviewSumSet) -> str:
    before = f", before from {in_dollars(data['before_cents'])}" if data["before_cents"] else ""
    return f"Slips from {in_dollars(data['cents'])} on are reviewed before money moves{before}"


def _seat_and_stakes(wager: StruckWager) -> tuple[int, str, str]:
    """The seat of a corrected wager, and its stake as corrected and before."""
    return wager["seat"], in_dollars(wager["after_cents"]), in_dollars(wager["before_cents"])


def owed_in_words(due: Iterable[SeatAmount]) -> str:
    """`$30 to seat 3, $10 from seat 5`: the amounts still due."""
    return _listed(due) or "no money is owed"


def moved_in_words(amounts: Iterable[SeatAmount]) -> str:
    """`$30 to seat 3, $10 from seat 5`: the amounts that moved."""
    return _listed([amount for amount in amounts if amount["cents"]]) or "no money moved"


def _listed(amounts: Iterable[SeatAmount]) -> str:
    return ", ".join(
        ("%(sum)s to seat %(seat)s" if amount["cents"] > 0 else "%(sum)s from seat %(seat)s")
        % {"sum": in_dollars(abs(amount["cents"])), "seat": amount["seat"]}
        for amount in amounts
    )


register(act_lines=ACT_LINES)

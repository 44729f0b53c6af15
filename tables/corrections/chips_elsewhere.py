"""What a slip states about the tray: chips that are not where the settlement on record says."""

from collections import defaultdict

from tables.corrections.correction import Correction
from tables.models import Round, Slip


def chips_elsewhere_cents(round_: Round, correction: Correction) -> int:
    """How much more the tray holds than the record says until this slip; negative for less.

    A slip that only settles again says nothing of it: what is due is then the difference of the two settlements. Where
    the chips went elsewhere, more or less is due. A payment slip states what a seat was paid in all, so that what
    earlier slips owed it and nobody handed over is in that sum.
    """
    before, after = correction.before, correction.after
    win_before = before["taken_cents"] - before["paid_cents"]
    win_after = after["taken_cents"] - after["paid_cents"]
    due_cents = sum(amount["cents"] for amount in correction.due)
    seats = {payment["seat"] for payment in correction.mistake.get("payments", ())}
    return due_cents - (win_before - win_after) - (_not_handed_cents(round_, seats) if seats else 0)


def _not_handed_cents(round_: Round, seats: set[int]) -> int:
    """What the settled slips of a round owed to these seats, less what was handed over."""
    owed_cents: dict[int, int] = defaultdict(int)
    for slip in Slip.objects.filter(round=round_, status=Slip.Status.SETTLED).order_by("number"):
        handed = {amount["seat"]: amount["cents"] for amount in slip.handed_over}
        for amount in slip.due:
            seat = amount["seat"]
            earlier = 0 if slip.kind == Slip.Kind.PAYMENT else owed_cents[seat]
            owed_cents[seat] = earlier + amount["cents"] - handed.get(seat, 0)
    return sum(cents for seat, cents in owed_cents.items() if seat in seats)

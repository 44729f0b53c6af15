"""What a slip states about the tray: chips that are not where the settlement on record says."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tables.corrections.entry_types import SeatAmount
from tables.models import Round, Slip
from tables.rounds.settlement import Totals


@dataclass(frozen=True)
class SettledSlip:
    """An earlier slip whose money has moved: its kind, what it owed each seat, and what was handed over."""

    kind: str
    due: Sequence[SeatAmount]
    moved: Sequence[SeatAmount]


def chips_elsewhere_cents(
    before: Totals,
    after: Totals,
    due: Iterable[SeatAmount],
    payment_seats: set[int],
    settled: Iterable[SettledSlip],
) -> int:
    """How much more the tray holds than the record says until this slip; negative for less.

    A slip that only settles again says nothing of it: what is due is then the difference of the two settlements. Where
    the chips went elsewhere, more or less is due. A payment slip states what its seats were paid in all, so that what
    earlier slips owed them and nobody handed over is in that sum. `settled` are these slips, in the order of their
    numbers.
    """
    win_before = before["taken_cents"] - before["paid_cents"]
    win_after = after["taken_cents"] - after["paid_cents"]
    due_cents = sum(amount["cents"] for amount in due)
    return due_cents - (win_before - win_after) - _not_handed_cents(settled, payment_seats)


def settled_slips(round_: Round) -> list[SettledSlip]:
    """The slips of a round whose money has moved, in the order of their numbers."""
    slips = Slip.objects.filter(round=round_, status=Slip.Status.SETTLED).order_by("number")
    return [SettledSlip(slip.kind, slip.due, slip.handed_over) for slip in slips]


def withheld_of_round(round_: Round) -> int:
    """The chips, as a negative sum, that slips of a round say are gone and no review has agreed to.

    They are of its newest slip, because each takes over those of the slip before.
    """
    newest = Slip.objects.filter(round=round_).order_by("-number").first()
    return newest.withheld_cents if newest else 0


def withheld_of_slip(slip: Slip) -> int:
    """The chips, as a negative sum, that the slip itself withholds; 0 once a later slip of its round has taken over."""
    is_newest = not Slip.objects.filter(round=slip.round, number__gt=slip.number).exists()
    return slip.withheld_cents if is_newest else 0


def _not_handed_cents(settled: Iterable[SettledSlip], seats: set[int]) -> int:
    """What settled slips owed to these seats, less what was handed over."""
    owed_cents: dict[int, int] = defaultdict(int)
    for slip in settled if seats else ():
        handed = {amount["seat"]: amount["cents"] for amount in slip.moved}
        for amount in slip.due:
            seat = amount["seat"]
            earlier = 0 if slip.kind == Slip.Kind.PAYMENT else owed_cents[seat]
            owed_cents[seat] = earlier + amount["cents"] - handed.get(seat, 0)
    return sum(cents for seat, cents in owed_cents.items() if seat in seats)

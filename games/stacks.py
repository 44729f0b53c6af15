"""Whose chips are on each area of a layout, and how they are drawn: a stack with its seat and its amount.

`static/js/stacks.js` draws the same stacks while bets are open, with chips that the server has not accepted yet.
"""

from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

from games.chips import chip_class
from games.formats import money, plain
from games.snapshot_types import WagerFacts, WagerFlag

EVERY_SEAT = 99  # an area with a place for each seat
FLAG_MARK = '<svg class="icon stk-mark"><use href="#i-flag"/></svg>'
PAID_MARK = '<svg class="icon stk-mark"><use href="#i-check"/></svg>'
LONG_AMOUNT, LONGER_AMOUNT = 4, 6  # characters from which an amount is set in smaller figures

MANY_OWNERS = 5  # more seats than a small area has room for


class Owner(NamedTuple):
    """A seat's chips on one area, in cents.

    `flag` is the limit that they break; `paid` once they were paid or went back; `running` while they are.
    """

    seat: int
    cents: int
    flag: WagerFlag | None = None
    paid: bool = False
    running: bool = False


def owners_by_area(
    wagers: Iterable[WagerFacts],
    paid: Collection[tuple[int, str]] = (),
    running: Collection[tuple[int, str]] = (),
) -> dict[str, tuple[Owner, ...]]:
    """Return the owners of every area with money by wager code, in the order of their seats.

    `paid` and `running` are chips by seat and wager code. Struck wagers do not count.
    A seat with two wagers of one code (of two plays) is one owner.
    """
    areas: dict[str, dict[int, Owner]] = {}
    for wager in wagers:
        if wager["struck"]:
            continue
        seats, seat = areas.setdefault(wager["wager"], {}), wager["seat"]
        line = (seat, wager["wager"])
        before = seats.get(seat, Owner(seat, 0, None, line in paid, line in running))
        seats[seat] = before._replace(
            cents=before.cents + wager["cents"], flag=wager.get("flag") or before.flag
        )
    return {code: tuple(seats[seat] for seat in sorted(seats)) for code, seats in areas.items()}


def sum_of(owners: Iterable[Owner]) -> int:
    """Return the cents of all owners together."""
    return sum(owner.cents for owner in owners)


def unpaid(owners: Iterable[Owner]) -> list[Owner]:
    """Return the owners who were not paid yet, and whose chips did not go back."""
    return [owner for owner in owners if not owner.paid]


def named(owners: Iterable[Owner]) -> str:
    """Return the owners in words: `seat 1 $25, seat 3 $50`."""
    return ", ".join(f"seat {owner.seat} {money(owner.cents)}" for owner in owners)


def stacks(owners: Sequence[Owner], full: int) -> str:
    """Return the owners as HTML: a stack each, or from more than `full` owners on their seats and the sum."""
    if len(owners) <= full:
        return "".join(map(_stack, owners))
    return seats_with_sum(owners)


def seats_with_sum(owners: Sequence[Owner]) -> str:
    """Return the seats of the owners as HTML, and the sum of those who were not paid yet."""
    cents = sum_of(unpaid(owners))
    sum_html = f'<b class="rest-sum">{plain(cents)}</b>' if cents else ""
    return f'<span class="rest">{seat_marks(owners)}{sum_html}</span>'


def seat_marks(owners: Sequence[Owner]) -> str:
    """Return the number of each owner's seat as HTML; of many owners neighboring seats together: `1–7`."""
    runs: list[list[Owner]] = []
    for owner in owners:
        joins = len(owners) > MANY_OWNERS and bool(runs) and _continues(runs[-1][-1], owner)
        if joins:
            runs[-1].append(owner)
        else:
            runs.append([owner])
    return "".join(_mark(run[0], run[-1]) for run in runs)


def _continues(before: Owner, owner: Owner) -> bool:
    return owner.seat == before.seat + 1 and owner[2:] == before[2:]


def _mark(first: Owner, last: Owner) -> str:
    text = str(first.seat) if first == last else f"{first.seat}–{last.seat}"
    return f'<i class="stk-seat{_state(first, "stk-seat")}">{text}</i>'


def _stack(owner: Owner) -> str:
    text = plain(owner.cents)
    long = " stk--longer" if len(text) >= LONGER_AMOUNT else " stk--long" if len(text) >= LONG_AMOUNT else ""
    mark = PAID_MARK if owner.paid else FLAG_MARK if owner.flag else ""
    return (
        f'<span class="stk {chip_class(owner.cents)}{long}{_state(owner, "stk")}" data-owner="{owner.seat}">'
        f'<i class="stk-seat">{owner.seat}</i><b class="stk-n">{text}</b>{mark}</span>'
    )


def _state(owner: Owner, part: str) -> str:
    if owner.running:
        return f" {part}--own {part}--run"
    return f" {part}--paid" if owner.paid else f" {part}--flag" if owner.flag else ""

"""What is held back of a round for a review, as its row says (`tables.rounds.settlement` decides it)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Annotated, TypedDict, cast

from games.engine.rounds import RoundState
from games.engine.wagers import WIN, Settled
from tables.models import Round


class HeldAmount(TypedDict):
    cents: Annotated[int, "what is held back of this seat"]
    seat: int


class Raised(TypedDict):
    """What a throw pays more than when its dice became known, by what was corrected or recorded late."""

    cents: Annotated[int, "of all seats, with stakes that by a correction were not there"]
    by_seat: Annotated[list[HeldAmount], "what of it can be held back, by seat"]
    held: Annotated[bool, "whether it is held back until a slip about it is reviewed"]


WagerKey = tuple[int, str, int]  # seat, code, play or 0


def raised_cents(round_: Round) -> int:
    """What corrections after the dice have raised in a round so far, at all its seats."""
    return sum(value["cents"] for value in round_.raises.values())


def held_amounts(round_: Round) -> list[HeldAmount]:
    """What is held back of a round by seat, lowest seat first."""
    by_seat: dict[int, int] = defaultdict(int)
    for value in round_.raises.values():
        for amount in value["by_seat"] if value["held"] else ():
            by_seat[amount["seat"]] += amount["cents"]
    return amounts_by_seat(by_seat)


def raised_seats(round_: Round) -> list[int]:
    """The seats to which corrections after the dice pay more, lowest first."""
    return sorted({amount["seat"] for value in round_.raises.values() for amount in value["by_seat"]})


def raise_of_throw(round_: Round, throw_number: int) -> Raised:
    """What one throw raises, as its entry states it."""
    no_raise: Raised = {"cents": 0, "by_seat": [], "held": False}
    return cast(Raised, round_.raises.get(str(throw_number), no_raise))


def held_of_throw(round_: Round, throw_number: int) -> dict[int, int]:
    """What is held back of one throw, by seat."""
    value = round_.raises.get(str(throw_number))
    return {amount["seat"]: amount["cents"] for amount in value["by_seat"]} if value and value["held"] else {}


def held_winnings(held: Mapping[int, int], winners: Iterable[Settled]) -> dict[WagerKey, int]:
    """Return how much of each winning wager is held back: of a seat's largest first. The rest is of its stakes."""
    left, by_wager = dict(held), {}
    for line in sorted(winners, key=lambda winner: -winner.paid_cents):
        cents = min(left.get(line.wager.seat, 0), line.paid_cents)
        if cents:
            left[line.wager.seat] -= cents
            by_wager[key_of(line)] = cents
    return by_wager


def held_winnings_of(round_: Round, of_newest_throw: Iterable[Settled]) -> dict[WagerKey, int]:
    """Return how much of each winning wager of the newest throw is held back."""
    if not round_.raises:
        return {}
    winners = [line for line in of_newest_throw if line.outcome == WIN]
    return held_winnings(held_of_throw(round_, round_.last_throw), winners)


def key_of(line: Settled) -> WagerKey:
    """The seat, code and play of a settled wager."""
    return line.wager.seat, line.wager.code, line.wager.play or 0


def amounts_by_seat(by_seat: Mapping[int, int]) -> list[HeldAmount]:
    """Amounts as a list, lowest seat first, without seats that have none."""
    return [{"seat": seat, "cents": cents} for seat, cents in sorted(by_seat.items()) if cents]


def held_of_paid(round_: Round, state: RoundState, paid: Iterable[Settled]) -> int:
    """How much of these wagers, which are recorded as paid, was held back. `state`: with the newest throw."""
    if not round_.raises:
        return 0
    by_wager = held_winnings_of(round_, state.of_newest_throw)
    return sum(by_wager.get(key_of(line), 0) for line in paid)


def held_in_tray(round_: Round, state: RoundState, done: Iterable[Settled]) -> int:
    """What the tray still has in play of what is recorded as paid: all of earlier throws, of the newest what is done.

    A seat's stake that is held back is put into the tray with the seat's winnings.
    """
    if not round_.raises:
        return 0
    newest = held_of_throw(round_, round_.last_throw)
    earlier_cents = sum(amount["cents"] for amount in held_amounts(round_)) - sum(newest.values())
    by_wager = held_winnings_of(round_, state.of_newest_throw)
    done_winners = [line for line in done if line.outcome == WIN and key_of(line) in by_wager]
    winnings_cents = sum(by_wager[key_of(line)] for line in done_winners)
    stakes = {
        seat: cents - sum(by_wager[key] for key in by_wager if key[0] == seat)
        for seat, cents in newest.items()
    }
    return (
        earlier_cents
        + winnings_cents
        + sum(stakes[seat] for seat in {line.wager.seat for line in done_winners})
    )

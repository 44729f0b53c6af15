"""The wagers of High Roll Dice: their places on the layout, what a throw means for each, and its exact odds.

Source: 58 Pa. Code §§ 675a.2(d), (e), 675a.5, 675a.6(d), (j), (k). The first roll holds the face that shows most often.
How often that is each face, and on how many dice, is counted by classes, a winning face and its count, so that the six
to the tenth throws are not enumerated: a face of higher rank shows less often than the winning one, a face of lower
rank not more often.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import comb

from games.engine.odds import Outcome, Pays
from games.engine.rules import Rules
from games.engine.wagers import Place, Reason

RANK = (1, 6, 5, 4, 3, 2)  # from the highest: § 675a.2(d)


@dataclass(frozen=True, slots=True)
class Held:
    """The dice that a first roll holds: the winning face, and how many show it."""

    face: int
    count: int


def held(dice: Sequence[int]) -> Held:
    """Return the face that shows most often; among faces that show equally often, the highest in rank."""
    counts = [dice.count(face) for face in RANK]
    most = max(counts)
    return Held(RANK[counts.index(most)], most)


@lru_cache(maxsize=8)
def classes(dice: int) -> Mapping[Held, int]:
    """Return in how many of the throws of this many dice each class occurs."""
    ways_by_class = {
        Held(face, count): comb(dice, count) * _ways(dice - count, _others(place, count))
        for place, face in enumerate(RANK)
        for count in range(1, dice + 1)
    }
    return {class_: ways for class_, ways in ways_by_class.items() if ways}


def chance_of_face(dice: int, face: int) -> Fraction:
    """Return the probability that a face is the winning one."""
    return Fraction(sum(ways for class_, ways in classes(dice).items() if class_.face == face), 6**dice)


def chance_of_count(dice: int, count: int) -> Fraction:
    """Return the probability that exactly this many dice of the winning face show; one is no match."""
    return Fraction(sum(ways for class_, ways in classes(dice).items() if class_.count == count), 6**dice)


def chance_of_extra(dice: int, total: int) -> Fraction:
    """Return the probability that an extra throw of the loose dice raises the held dice to this total."""
    return sum(
        (chance_of_count(dice, count) * _added(dice, count, total) for count in range(1, total)), Fraction(0)
    )


def _added(dice: int, count: int, total: int) -> Fraction:
    """Return the probability that exactly as many of the loose dice match as are missing."""
    loose, missing = dice - count, total - count
    return Fraction(comb(loose, missing) * 5 ** (loose - missing), 6**loose)


def _others(place: int, count: int) -> tuple[int, ...]:
    """Return the maximum for each of the other faces, by rank."""
    return tuple(
        count - 1 if other_place < place else count
        for other_place in range(len(RANK))
        if other_place != place
    )


def _ways(dice: int, most: tuple[int, ...]) -> int:
    """Return in how many orders this many dice show these faces, none of them more often than its maximum."""
    if not most:
        return 1 if dice == 0 else 0
    return sum(
        comb(dice, count_shown) * _ways(dice - count_shown, most[1:])
        for count_shown in range(min(dice, most[0]) + 1)
    )


# What each wager wins


EXTRA_ROLL = "extra-roll"
DOLLAR = 100  # cents: § 675a.2(e)(4)


@dataclass(frozen=True, slots=True, eq=False)
class Bet:
    """One wager of the layout, made once and compared by identity.

    `number` is the face, or how many alike; `kind` is its turn in § 675a.4(f).
    """

    code: str
    label: str
    family: str
    kind: int
    number: int
    place: Place


def _bets(dice: int) -> Iterable[Bet]:
    """In the order of the layout: § 675a.1(b)(2), § 675a.6(b)."""
    for position, face in enumerate(reversed(RANK)):
        name = "ace" if face == 1 else str(face)
        yield Bet(f"pip:{face}", f"Pip Street {name}", "pip", 0, face, Place("pip-street", position))
    if dice == 6:
        yield Bet("like-kind:none", "Like Kind, no match", "like-kind", 1, 1, Place("like-kind", 0))
    for count in range(2, 7 if dice == 6 else 9):
        place = Place("like-kind", count - (1 if dice == 6 else 2))
        yield Bet(f"like-kind:{count}", f"Like Kind {count}", "like-kind", 1, count, place)
    if dice == 6:
        return
    yield Bet(EXTRA_ROLL, "Extra Roll", EXTRA_ROLL, 1, 0, Place(EXTRA_ROLL, 0))
    for count in (9, 10):
        code, place = f"millionaire:{count}", Place("millionaire", count - 9)
        yield Bet(code, f"Millionaire Row {count}", "millionaire", 2, count, place)


BETS: Mapping[int, Mapping[str, Bet]] = {dice: {bet.code: bet for bet in _bets(dice)} for dice in (10, 6)}


def is_exempt_from_limit(code: str) -> bool:
    """Return whether the aggregate payout limit leaves a wager out: Millionaire Row, a fixed sum (reading A30)."""
    return code.startswith("millionaire")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a throw means for a code: its pay (None for a loss), the paragraph, and why."""

    pays: Pays | None
    cite: str
    why: Reason


@lru_cache(maxsize=50_000)
def first_verdict(rules: Rules, bet: Bet, face: int, count: int, own: int) -> Verdict:
    """Return the verdict on the first roll: `count` dice of the winning face are held, and `own` dice show a Pip
    Street face.
    """
    number = face if bet.family == "pip" else count
    why = _why_pip(bet.number, face, count, own) if bet.family == "pip" else why_held(face, count)
    if bet.number == number:
        payout = rules.payouts[bet.code]
        return Verdict(payout.odds, payout.cite, why)
    return Verdict(None, rules.edition.wagers[bet.family], why)


@lru_cache(maxsize=10_000)
def extra_verdict(rules: Rules, bet: Bet, face: int, count: int, added: int) -> Verdict:
    """Return the verdict on a circle that the first roll left on the layout, once `added` more dice match."""
    why = why_with_extra(face, count, added)
    if bet.number == count + added:
        payout = rules.payouts[f"like-kind/extra:{bet.number}"]
        return Verdict(payout.odds, payout.cite, why)
    return Verdict(None, rules.edition.wagers[bet.family], why)


def why_held(face: int, count: int) -> Reason:
    """Return how many alike the first roll holds, as people call it."""
    return Reason("held", {"count": count, "face": face})


def why_with_extra(face: int, count: int, added: int) -> Reason:
    """Return the total of the held dice after the extra throw."""
    return Reason("with-extra", {"count": count + added, "face": face, "added": added})


def _why_pip(number: int, face: int, count: int, own: int) -> Reason:
    if number != face and own == count:
        return Reason("outranked", {"face": face, "own": number})
    return Reason("most-alike", {"face": face})


@lru_cache(maxsize=256)
def outcomes_of(rules: Rules, bet: Bet) -> tuple[Outcome, ...]:
    """Return the payouts of one wager, smallest first; a circle as without an Extra Roll."""
    dice = rules.edition.dice
    if bet.family == EXTRA_ROLL:
        extra = [(count, f"like-kind/extra:{count}") for count in range(3, 9)]
        paid = [Outcome(chance_of_extra(dice, count), rules.payouts[row].odds) for count, row in extra]
        return tuple(sorted(paid, key=lambda outcome: outcome.pays.ratio()))
    chance = chance_of_face if bet.family == "pip" else chance_of_count
    return (Outcome(chance(dice, bet.number), rules.payouts[bet.code].odds),)

"""The wagers of High Roll Dice: their places on the layout, what a throw means for each, and its exact odds.

Source: 58 Pa. Code §§ 675a.2(e), 675a.5, 675a.6(d), (j), (k).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from games.catalog.high_roll.engine import chances
from games.catalog.high_roll.engine.chances import RANK
from games.engine.analysis import Outcome
from games.engine.odds import Pays
from games.engine.rules import Rules
from games.engine.settlement import Reason
from games.engine.wagers import Place

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
        paid = [Outcome(chances.of_extra(dice, count), rules.payouts[row].odds) for count, row in extra]
        return tuple(sorted(paid, key=lambda outcome: outcome.pays.ratio()))
    chance = chances.of_face if bet.family == "pip" else chances.of_count
    return (Outcome(chance(dice, bet.number), rules.payouts[bet.code].odds),)

"""Sic Bo: three dice in a shaker, fifty wagers, one throw.

Sources: 58 Pa. Code §§ 539.3 to 539.7 (text of 2010-04-03), §§ 625a.3 to 625a.7 (text of 2019-08-31),
N.J.A.C. 19:47-9.2 to 9.6 (text of 1993-12-06).

* Two of a Kind wins on a triple too, once (reading A10); a Total Value Bet wins on its triple (A11).
* One die that does not lie flat is a no roll and returns every wager (A12; in New Jersey too, A44).
* 58 Pa. Code § 539.5 and N.J.A.C. 19:47-9.5 close the bets first and then shake. 58 Pa. Code § 625a.5(b), (c)
  shakes first and closes the bets before the reveal; its (g) turns that round where the dice are in plain view
  or a player works the shaker. From the dice on, all of them run alike.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations, product

from games.engine.editions import Edition
from games.engine.game import Game
from games.engine.odds import Outcome, Pays
from games.engine.rounds import SINGLE_THROW, Procedure, Result, RoundState
from games.engine.rules import Rules
from games.engine.wagers import Place, Reason, Settled, Wager, WagerType, lose, win

Faces = tuple[int, ...]
Judgement = tuple[str, Reason]  # the paytable's row, "" for a loss, and why


def _shows(count: int, number: int) -> Reason:
    return (
        Reason("shows", {"count": count, "number": number})
        if count
        else Reason("none-shows", {"number": number})
    )


def _three_of_a_kind(rules: Rules, dice: Faces, number: int) -> Judgement:
    count = dice.count(number)
    if count == 3:
        return "three-of-a-kind", _shows(3, number)
    return "", Reason("too-few-show", {"count": count, "number": number, "needed": 3}) if count else _shows(
        0, number
    )


def _two_of_a_kind(rules: Rules, dice: Faces, number: int) -> Judgement:
    count = dice.count(number)
    if count == 2 or (count == 3 and rules.edition.readings["triple-wins-two-of-a-kind"]):
        return "two-of-a-kind", _shows(count, number)
    if count == 1:
        return "", Reason("too-few-show", {"count": 1, "number": number, "needed": 2})
    return "", _shows(count, number)


def _one_of_a_kind(rules: Rules, dice: Faces, number: int) -> Judgement:
    count = dice.count(number)
    return f"one-of-a-kind/{count}" if count else "", _shows(count, number)


def _any_three_of_a_kind(rules: Rules, dice: Faces) -> Judgement:
    if _is_triple(dice):
        return "any-three-of-a-kind", _triple(dice)
    return "", Reason("no-three-alike")


def _total(rules: Rules, dice: Faces, total: int) -> Judgement:
    total_shown = sum(dice)
    return f"total:{total}" if total_shown == total else "", Reason("total", {"total": total_shown})


def _two_dice(rules: Rules, dice: Faces, low: int, high: int) -> Judgement:
    missing = [number for number in (low, high) if number not in dice]
    if not missing:
        return "two-dice", Reason("both-show", {"low": low, "high": high})
    return "", Reason("neither-shows") if len(missing) == 2 else _shows(0, missing[0])


def _small(rules: Rules, dice: Faces) -> Judgement:
    if _is_triple(dice):
        return "", _triple(dice)
    total = sum(dice)
    return ("small", Reason("total", {"total": total})) if total <= 10 else ("", _beyond("over", total, 10))


def _big(rules: Rules, dice: Faces) -> Judgement:
    if _is_triple(dice):
        return "", _triple(dice)
    total = sum(dice)
    return ("big", Reason("total", {"total": total})) if total >= 11 else ("", _beyond("under", total, 11))


def _is_triple(dice: Faces) -> bool:
    return dice.count(dice[0]) == 3


def _triple(dice: Faces) -> Reason:
    return Reason("triple", {"number": dice[0]})


def _beyond(side: str, total: int, bound: int) -> Reason:
    if side == "over":
        return Reason("over", {"total": total, "bound": bound})
    return Reason("under", {"total": total, "bound": bound})


@dataclass(frozen=True, slots=True)
class Bet:
    """One of the fifty wagers, without an edition."""

    code: str
    label: str
    family: str
    numbers: tuple[int, ...]
    place: Place
    judge: Callable[..., Judgement]


def _all_bets() -> Iterable[Bet]:
    """Return them in the order of the regulations' lists (§ 625a.3)."""
    faces, pairs = range(1, 7), list(combinations(range(1, 7), 2))
    for family, label, area, judge in (
        ("three-of-a-kind", "Three of a Kind", "triples", _three_of_a_kind),
        ("two-of-a-kind", "Two of a Kind", "pairs", _two_of_a_kind),
    ):
        for n in faces:
            yield Bet(f"{family}:{n}", f"{label} {n}", family, (n,), Place(area, n - 1), judge)
    place = Place("any-triple", 0)
    yield Bet(
        "any-three-of-a-kind", "Any Three of a Kind", "any-three-of-a-kind", (), place, _any_three_of_a_kind
    )
    for total in range(4, 18):
        yield Bet(f"total:{total}", f"Total {total}", "total", (total,), Place("totals", total - 4), _total)
    for index, (low, high) in enumerate(pairs):
        label, place = f"Two dice {low} and {high}", Place("two-dice", index)
        yield Bet(f"two-dice:{low}-{high}", label, "two-dice", (low, high), place, _two_dice)
    yield Bet("small", "Small", "small", (), Place("small", 0), _small)
    yield Bet("big", "Big", "big", (), Place("big", 0), _big)
    for n in faces:
        place = Place("singles", n - 1)
        yield Bet(f"one-of-a-kind:{n}", f"One of a Kind {n}", "one-of-a-kind", (n,), place, _one_of_a_kind)


BETS: Mapping[str, Bet] = {bet.code: bet for bet in _all_bets()}


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the dice mean for a code: its odds (None for a loss), the paragraph, and why."""

    odds: Pays | None
    cite: str
    why: Reason


@lru_cache(maxsize=50_000)
def verdict(rules: Rules, code: str, dice: Faces) -> Verdict:
    """Return the meaning of three faces for one code; the same for every order of the faces."""
    bet = BETS[code]
    row, why = bet.judge(rules, dice, *bet.numbers)
    if row:
        payout = rules.payouts[row]
        return Verdict(payout.odds, payout.cite, why)
    return Verdict(None, rules.edition.wagers[bet.family], why)


def settle(rules: Rules, wagers: Iterable[Wager], dice: Faces) -> tuple[Settled, ...]:
    """Settle every wager by its position on the layout and nothing else, in the order of the input."""
    return tuple(_settle(wager, verdict(rules, wager.code, dice)) for wager in wagers)


def _settle(wager: Wager, judged: Verdict) -> Settled:
    if judged.odds is None:
        return lose(wager, judged.cite, judged.why)
    return win(wager, judged.odds, judged.cite, judged.why)


FAMILIES = {
    "three-of-a-kind": "Three of a Kind",
    "two-of-a-kind": "Two of a Kind",
    "one-of-a-kind": "One of a Kind",
    "two-dice": "Two Dice Combination",
    "total": "Total",
}


class SicBo(Game):
    """What differs in Sic Bo: its fifty wagers, what three dice mean for them, and its one throw."""

    code = "sic-bo"
    name = "Sic Bo"
    no_roll_ends = True

    def wager_types(self, rules: Rules) -> tuple[WagerType, ...]:
        return tuple(
            WagerType(
                bet.code,
                bet.label,
                bet.family,
                rules.edition.wagers[bet.family],
                bet.place,
                FAMILIES.get(bet.family, ""),
            )
            for bet in BETS.values()
        )

    def possible_odds(self, rules: Rules, code: str) -> tuple[Pays, ...]:
        return _possible_odds(rules, code)

    def result(self, rules: Rules, wagers: Sequence[Wager], throws: Sequence[Sequence[int]]) -> Result:
        """One throw decides everything."""
        if not throws:
            return Result(dice=rules.edition.dice)
        return Result(settle(rules, wagers, tuple(throws[0])), "settled")

    def winning_codes(
        self, rules: Rules, throws: Sequence[Sequence[int]], ending: str = ""
    ) -> tuple[str, ...]:
        """Return the codes that the layout lights: § 625a.5(d), § 539.5(d), N.J.A.C. 19:47-9.5(d)."""
        return _winning_codes(rules, tuple(sorted(throws[-1])))

    def announcement(self, throws: Sequence[Sequence[int]]) -> Reason:
        dice = tuple(throws[-1])
        total = sum(dice)
        if _is_triple(dice):
            return Reason("called-triple", {"total": total})
        return Reason("called-small" if total <= 10 else "called-big", {"total": total})

    def procedure(self, state: RoundState) -> Procedure:
        return SINGLE_THROW[state.rules.shaker(state.shaker).procedure]

    def outcomes(self, rules: Rules) -> dict[str, tuple[Outcome, ...]]:
        return {code: _outcomes(rules, code) for code in BETS}


@lru_cache(maxsize=4096)
def _possible_odds(rules: Rules, code: str) -> tuple[Pays, ...]:
    bet = BETS[code]
    rows = {"one-of-a-kind": [f"one-of-a-kind/{count}" for count in (1, 2, 3)], "total": [code]}
    return tuple(rules.payouts[row].odds for row in rows.get(bet.family, [bet.family]))


@lru_cache(maxsize=4096)
def _winning_codes(rules: Rules, dice: Faces) -> tuple[str, ...]:
    return tuple(code for code in BETS if verdict(rules, code, dice).odds)


def _outcomes(rules: Rules, code: str) -> tuple[Outcome, ...]:
    """Return the payouts of one code, smallest first."""
    ways: Counter[Pays] = Counter()
    for row, count in _winning_throws(rules.edition, code):
        ways[rules.payouts[row].odds] += count
    paid = sorted(ways.items(), key=lambda item: item[0].ratio())
    return tuple(Outcome(Fraction(count, 216), odds) for odds, count in paid)


@lru_cache(maxsize=1024)
def _winning_throws(edition: Edition, code: str) -> tuple[tuple[str, int], ...]:
    """Return each row of the paytable that one code can win, and by how many of the 216 throws.

    Filed payouts change no row, so the throws of an edition are counted once.
    """
    rules, bet = Rules(edition), BETS[code]
    throws = (tuple(sorted(dice)) for dice in product(range(1, 7), repeat=3))
    rows = Counter(bet.judge(rules, dice, *bet.numbers)[0] for dice in throws)
    return tuple((row, count) for row, count in rows.items() if row)


GAME = SicBo()

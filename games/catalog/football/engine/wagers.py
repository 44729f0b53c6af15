"""The nineteen wagers of Three Dice Football: what each wins for, when it is settled, and its exact odds.

Source: 58 Pa. Code §§ 577.3(b), (d), 577.6(d), (f), 577.8 (text of 2012-07-28).

* A single play wager follows the dice and not the yards on the field. A gain of exactly 4 loses Over and Under;
  7 to 1 on a Trips TD stands instead of 1 to 1 (reading A39). Running out of downs is no turnover.
* A game without a score collects Touchdown and Extra Point and pays Defense first; a score collects Defense first
  and leaves Touchdown, and after it Extra Point, for the very end.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from games.catalog.football.engine.field import (
    GAIN,
    NO_GAIN,
    PENALTY,
    SCORES,
    THROWS,
    TRIPS_TD,
    TURNOVER,
    Course,
    Faces,
    Meaning,
    chances_of_a_game,
    chances_of_a_throw,
)
from games.engine.odds import Outcome, Pays
from games.engine.rules import Rules
from games.engine.wagers import STEPS_A_THROW, Place, Reason, Settled, Wager, lose, win

PLAYS_MOST = 6
QUICK_PLAYS = 4  # § 577.3(b)(4)
TOUCHDOWN, DEFENSE, EXTRA_POINT = "touchdown", "defense", "extra-point"
SINGLE_PLAY, FULL_GAME = "single-play", "full-game"

Judgement = tuple[str, Reason]  # the paytable's row, "" for a loss, and why


class End(NamedTuple):
    """How a game ended, on which play, and what the extra point roll came to, "" where none was made."""

    how: str
    play: int
    point: str = ""

    @property
    def scored(self) -> bool:
        return self.how in SCORES


# The extra point roll: § 577.3(b)(3), § 577.8(a)

POINTS = {
    "one": Reason("point-on-one"),
    "two": Reason("point-on-two"),
    "three": Reason("point-on-three-aces"),
    "triple": Reason("point-on-triple"),
    "none": Reason("no-point"),
}


@lru_cache(maxsize=THROWS)
def point(dice: Faces) -> str:
    """Return what an extra point roll is, by the ones and triples that it shows: a key of `POINTS`."""
    aces = dice.count(1)
    if aces:
        return ("one", "two", "three")[aces - 1]
    return "triple" if len(set(dice)) == 1 else "none"


# Single play wagers, by what the throw means


def by_dice(meaning: Meaning) -> Reason:
    """Return what a throw is, as the reason of a single play wager."""
    if meaning.kind == GAIN:
        return Reason("gain", {"yards": meaning.yards})
    return MEANINGS[meaning.kind]


MEANINGS = {
    TRIPS_TD: Reason("trips-td"),
    TURNOVER: Reason("turnover"),
    PENALTY: Reason("penalty"),
    NO_GAIN: Reason("no-gain"),
}


def _gained(meaning: Meaning, least: int) -> bool:
    return meaning.kind == GAIN and meaning.yards >= least


def _trips_td(meaning: Meaning) -> bool:
    return meaning.kind == TRIPS_TD


def _penalty(meaning: Meaning) -> bool:
    return meaning.kind in (PENALTY, TURNOVER)


def _turnover(meaning: Meaning) -> bool:
    return meaning.kind == TURNOVER


def _cover_three(meaning: Meaning) -> bool:
    return _trips_td(meaning) or _penalty(meaning)


def _no_gain(meaning: Meaning) -> bool:
    return meaning.kind == NO_GAIN or _penalty(meaning)


def _big_play(meaning: Meaning) -> bool:
    return _gained(meaning, 7) or _trips_td(meaning)


def _over_four(meaning: Meaning) -> bool:
    return _gained(meaning, 5) or _trips_td(meaning)


def _under_four(meaning: Meaning) -> bool:
    return not _gained(meaning, 4) and not _trips_td(meaning)


# Full game wagers, by how the game ended


def _touchdown(end: End) -> Judgement:
    return TOUCHDOWN if end.scored else "", ENDINGS[end.how]


def _defense(end: End) -> Judgement:
    return "" if end.scored else DEFENSE, ENDINGS[end.how]


def _extra_point(end: End) -> Judgement:
    if not end.scored:
        return "", ENDINGS[end.how]
    return "" if end.point == "none" else f"{EXTRA_POINT}/{end.point}", POINTS[end.point]


def _quick_strike(end: End) -> Judgement:
    if not end.scored:
        return "", ENDINGS[end.how]
    row = f"quick-strike/{end.play}" if end.play <= QUICK_PLAYS else ""
    return row, Reason("scored-on-play", {"play": end.play})


def _game_changer(end: End) -> Judgement:
    return "game-changer" if end.how in (TRIPS_TD, TURNOVER) else "", ENDINGS[end.how]


def _game_length(end: End, plays: int) -> Judgement:
    return f"game-length:{plays}" if end.play == plays else "", Reason("lasted", {"play": end.play})


ENDINGS = {
    "touchdown": Reason("touchdown"),
    "trips-td": MEANINGS[TRIPS_TD],
    "turnover": MEANINGS[TURNOVER],
    "downs": Reason("out-of-downs"),
}


@dataclass(frozen=True, slots=True)
class Bet:
    """One of the nineteen wagers, without an edition; Game Length has six codes."""

    code: str
    label: str
    family: str
    place: Place
    single: bool
    judge: Callable[..., Judgement]


def _single(code: str, label: str, position: int, wins: Callable[[Meaning], bool]) -> Bet:
    def judge(meaning: Meaning) -> Judgement:
        row = f"{code}/{meaning.kind}" if code == "over-four" else code
        return row if wins(meaning) else "", by_dice(meaning)

    return Bet(code, label, code, Place(SINGLE_PLAY, position), True, judge)


def _length(plays: int) -> Bet:
    code, label = f"game-length:{plays}", f"Game Length {plays}"
    return Bet(
        code,
        label,
        "game-length",
        Place("game-length", plays - 1),
        False,
        lambda end: _game_length(end, plays),
    )


def _full(code: str, label: str, position: int, judge: Callable[[End], Judgement]) -> Bet:
    return Bet(code, label, code, Place(FULL_GAME, position), False, judge)


def _all_bets() -> Iterable[Bet]:
    """Return them in the order of the regulation's lists (§ 577.3(b), (d))."""
    yield _full(TOUCHDOWN, "Touchdown", 0, _touchdown)
    yield _full(DEFENSE, "Defense", 1, _defense)
    yield _full(EXTRA_POINT, "Extra Point", 2, _extra_point)
    yield _full("quick-strike", "Quick Strike TD", 3, _quick_strike)
    yield _full("game-changer", "Game Changer", 4, _game_changer)
    for plays in range(1, PLAYS_MOST + 1):
        yield _length(plays)
    yield _single("trips-td", "Trips TD", 0, _trips_td)
    yield _single("penalty", "Penalty", 1, _penalty)
    yield _single("turnover", "Turnover", 2, _turnover)
    yield _single("cover-three", "Cover Three", 3, _cover_three)
    yield _single("no-gain", "No Gain", 4, _no_gain)
    yield _single("big-play", "Big Play", 5, _big_play)
    yield _single("over-four", "Over Four", 6, _over_four)
    yield _single("under-four", "Under Four", 7, _under_four)


BETS: Mapping[str, Bet] = {bet.code: bet for bet in _all_bets()}
SINGLE_PLAY_CODES = tuple(code for code, bet in BETS.items() if bet.single)


def definition(rules: Rules, bet: Bet) -> str:
    """Return the paragraph that defines a wager; Game Length has one for each number of plays."""
    return rules.edition.wagers[bet.code]


# Settling


class Verdict(NamedTuple):
    """What a throw or an ending means for a code: its odds (None for a loss), the paragraph, and why."""

    odds: Pays | None
    cite: str
    why: Reason


@lru_cache(maxsize=8192)
def verdict(rules: Rules, code: str, event: Meaning | End) -> Verdict:
    """Return the meaning of a throw for a single play wager, or of the end of the game for a full game wager."""
    bet = BETS[code]
    row, why = bet.judge(event)
    if row:
        payout = rules.payouts[row]
        return Verdict(payout.odds, payout.cite, why)
    return Verdict(None, definition(rules, bet), why)


def end_of(course: Course) -> End:
    """Return the end of a game that has ended."""
    return End(course.ending, len(course.plays), point(course.extra) if course.extra else "")


def settle(rules: Rules, wagers: Iterable[Wager], course: Course, awaits_extra: bool) -> tuple[Settled, ...]:
    """Return the wagers that the throws so far decide, in the order of the input."""
    plays, end = course.plays, end_of(course) if course.ending else None
    settled = []
    for wager in wagers:
        if wager.play is not None:
            if wager.play <= len(plays):
                played = plays[wager.play - 1]
                step = STEPS_A_THROW * wager.play + bool(played.ending)
                settled.append(_settled(wager, verdict(rules, wager.code, played.meaning), step))
        elif end is not None and not (awaits_extra and wager.code in (TOUCHDOWN, EXTRA_POINT)):
            step = step_at_the_end(wager.code, end)
            settled.append(_settled(wager, verdict(rules, wager.code, end), step))
    return tuple(settled)


def _settled(wager: Wager, judged: Verdict, step: int) -> Settled:
    if judged.odds is None:
        return lose(wager, judged.cite, judged.why, step)
    return win(wager, judged.odds, judged.cite, judged.why, step)


@lru_cache(maxsize=1024)
def step_at_the_end(code: str, end: End) -> int:
    """Return the step in which a full game wager is settled: § 577.6(f)(1), (2).

    Without a score Touchdown, Extra Point and Defense come first, and the rest last. After a score Defense comes
    first, then the rest; Touchdown, and then Extra Point, come after the extra point roll, or at once without one.
    """
    first = STEPS_A_THROW * end.play
    if not end.scored:
        return first if code in (TOUCHDOWN, DEFENSE, EXTRA_POINT) else first + 2
    if code == DEFENSE:
        return first
    if code not in (TOUCHDOWN, EXTRA_POINT):
        return first + 2
    if not end.point:
        return first + 3
    return first + STEPS_A_THROW + (code == EXTRA_POINT)


def winners(rules: Rules, course: Course, ended: bool) -> tuple[str, ...]:
    """Return the codes for which the newest throw wins; Touchdown only once the round has ended."""
    if not course.plays:
        return ()
    late = (TOUCHDOWN, EXTRA_POINT) if course.scored else ()

    def wins(bet: Bet) -> bool:
        if course.extra and bet.code not in late:
            return False
        if bet.single:
            return verdict(rules, bet.code, course.plays[-1].meaning).odds is not None
        if not course.ending or (bet.code in late and not ended):
            return False
        if bet.code == EXTRA_POINT and course.scored and not course.extra:
            return False
        return verdict(rules, bet.code, end_of(course)).odds is not None

    return tuple(bet.code for bet in BETS.values() if wins(bet))


# Exact odds


def possible_odds(rules: Rules, code: str) -> tuple[Pays, ...]:
    """Return what a code may be paid, as the paytable lists it."""
    rows = (row for row in rules.payouts if row == code or row.startswith(f"{code}/"))
    return tuple(rules.payouts[row].odds for row in rows)


def outcomes(rules: Rules, code: str) -> tuple[Outcome, ...]:
    """Return the payouts of one code, smallest first, each with its exact probability."""
    chances: Counter[Pays] = Counter()
    for event, chance in _chances(BETS[code].single).items():
        odds = verdict(rules, code, event).odds
        if odds is not None:
            chances[odds] += chance  # type: ignore[assignment]
    paid = sorted(chances.items(), key=lambda item: item[0].ratio())
    return tuple(Outcome(Fraction(chance), odds) for odds, chance in paid)


@lru_cache(maxsize=2)
def _chances(single: bool) -> Mapping[Meaning | End, Fraction]:
    """Return the probability of every meaning of a throw, or of every end of a game with its extra point roll."""
    if single:
        return {meaning: Fraction(ways, THROWS) for meaning, ways in chances_of_a_throw().items()}
    points = Counter(point(dice) for dice in product(range(1, 7), repeat=3))
    chances: dict[Meaning | End, Fraction] = {}
    for (how, play), chance in chances_of_a_game().items():
        if how not in SCORES:
            chances[End(how, play)] = chance
        else:
            for rolled, ways in points.items():
                chances[End(how, play, rolled)] = chance * Fraction(ways, THROWS)
    return chances

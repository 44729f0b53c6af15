"""What a guide shows of each game: its wagers in the order of a reader, the rows of each, and the throws it explains.

Only the order is here. What each pays, and what wins in an example, the engine says.
"""

from dataclasses import dataclass

Throws = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Row:
    """A row of the paytable under a wager: its key there, how it is called (a key of the text, or ""), its dice."""

    key: str
    label: str = ""
    number: str = ""
    dice: tuple[int, ...] = ()


@dataclass(frozen=True)
class Entry:
    """A wager: its family, the paytable's keys that it pays by, or rows where they need one each."""

    family: str
    pays: tuple[str, ...] = ()
    dice: tuple[int, ...] = ()
    rows: tuple[Row, ...] = ()
    group: str = ""
    squares: bool = False  # rows as a field of small squares, the number above what it pays


@dataclass(frozen=True)
class Plan:
    """A game's text, its wagers, and the throws of its examples."""

    text: str
    entries: tuple[Entry, ...]
    examples: tuple[Throws, ...]


def _alike(counts: range, key: str) -> tuple[Row, ...]:
    return tuple(Row(f"{key}:{count}", "alike", str(count)) for count in counts)


def _pips() -> tuple[Row, ...]:
    """In the order of the layout: § 675a.1(b)(2)."""
    return tuple(
        Row(f"pip:{face}", "ace" if face == 1 else "", str(face), (face,)) for face in (2, 3, 4, 5, 6, 1)
    )


SIC_BO = Plan(
    "sic-bo",
    (
        Entry("small", ("small",)),
        Entry("big", ("big",)),
        Entry("one-of-a-kind", tuple(f"one-of-a-kind/{count}" for count in (1, 2, 3)), (5,)),
        Entry("two-dice", ("two-dice",), (2, 5)),
        Entry("two-of-a-kind", ("two-of-a-kind",), (2, 2)),
        Entry("three-of-a-kind", ("three-of-a-kind",), (4, 4, 4)),
        Entry("any-three-of-a-kind", ("any-three-of-a-kind",)),
        Entry("total", rows=tuple(Row(f"total:{n}", "", str(n)) for n in range(4, 18)), squares=True),
    ),
    (((2, 2, 5),), ((4, 4, 4),)),
)
HIGH_ROLL = Plan(
    "high-roll",
    (
        Entry("pip", rows=_pips()),
        Entry("like-kind", rows=_alike(range(2, 9), "like-kind")),
        Entry("extra-roll", rows=_alike(range(3, 9), "like-kind/extra")),
        Entry("millionaire", rows=_alike(range(9, 11), "millionaire")),
    ),
    (
        ((6, 6, 6, 6, 4, 4, 4, 2, 1, 3),),
        ((1, 1, 1, 6, 6, 6, 5, 5, 3, 2),),
        ((5, 5, 5, 5, 2, 2, 3, 4, 6, 1), (5, 1, 2, 3, 6, 6)),
    ),
)
HIGH_ROLL_SIX = Plan(
    "high-roll-six",
    (
        Entry("pip", rows=_pips()),
        Entry("like-kind", rows=(Row("like-kind:none", "none"), *_alike(range(2, 7), "like-kind"))),
    ),
    (((1, 1, 1, 1, 6, 6),), ((1, 2, 3, 4, 5, 6),)),
)


def _single(family: str) -> Entry:
    return Entry(family, (family,), group="single")


FOOTBALL = Plan(
    "football",
    (
        Entry("touchdown", ("touchdown",), group="full"),
        Entry("defense", ("defense",), group="full"),
        Entry(
            "extra-point",
            rows=tuple(Row(f"extra-point/{one}", one) for one in ("one", "two", "three", "triple")),
            group="full",
        ),
        Entry(
            "quick-strike",
            rows=tuple(Row(f"quick-strike/{play}", "play", str(play)) for play in range(1, 5)),
            group="full",
        ),
        Entry("game-changer", ("game-changer",), group="full"),
        Entry(
            "game-length",
            rows=(
                Row("game-length:1", "single"),
                *(Row(f"game-length:{plays}", "plays", str(plays)) for plays in range(2, 7)),
            ),
            group="full",
        ),
        *(_single(one) for one in ("trips-td", "penalty", "turnover", "cover-three", "no-gain", "big-play")),
        Entry(
            "over-four",
            rows=(Row("over-four/gain", "gain"), Row("over-four/trips-td", "trips")),
            group="single",
        ),
        _single("under-four"),
    ),
    (((5, 5, 2),), ((1, 2, 5),), ((4, 4, 4),)),
)
PLANS = {
    ("sic-bo", 3): SIC_BO,
    ("high-roll", 10): HIGH_ROLL,
    ("high-roll", 6): HIGH_ROLL_SIX,
    ("football", 3): FOOTBALL,
}


def plan_of(game: str, dice: int) -> Plan:
    """The plan of a game by the number of its dice. KeyError for a game that nobody has written a guide of."""
    return PLANS[game, dice]

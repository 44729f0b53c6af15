"""What a gaming guide shows of Three Dice Football: its wagers in a reader's order, and its layout."""

from games.guide.drawings import WIDTH, Drawing, Entry, Names, Pays, Plan, Row, Shape, box, text

IN_FULL = (
    "touchdown", "defense", "extra-point", "quick-strike", "game-changer", "game-length",
)  # fmt: skip
IN_ONE = (
    "trips-td", "penalty", "turnover", "cover-three", "no-gain", "big-play", "over-four", "under-four",
)  # fmt: skip


def _draw(names: Names, pays: Pays, numbers: Pays) -> Drawing:
    shapes: list[Shape] = [["rect", 0, 0, WIDTH, 62]]
    for place, yard in enumerate(range(20, -1, -5)):
        x = 24 + 70 * place
        shapes += [["line", x, 6, x, 40], text(x, 55, str(yard))]
    top = 66
    for families, columns in ((IN_FULL, 3), (IN_ONE, 4)):
        step = WIDTH // columns
        for place, family in enumerate(families):
            row, column = divmod(place, columns)
            area = (step * column, top + 54 * row, step - 2, 52)
            shapes += box(*area, names[family], pays.get(family, ""), 17 if columns == 3 else 13)
        top += 54 * (len(families) // columns) + 4
    return shapes, top


def _single(family: str) -> Entry:
    return Entry(family, (family,), group="single")


PLAN = Plan(
    _draw,
    (
        Entry("touchdown", ("touchdown",), group="full"),
        Entry("defense", ("defense",), group="full"),
        Entry(
            "extra-point",
            rows=tuple(Row(f"extra-point/{name}", name) for name in ("one", "two", "three", "triple")),
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
        *(
            _single(family)
            for family in ("trips-td", "penalty", "turnover", "cover-three", "no-gain", "big-play")
        ),
        Entry(
            "over-four",
            rows=(Row("over-four/gain", "gain"), Row("over-four/trips-td", "trips")),
            group="single",
        ),
        _single("under-four"),
    ),
    (((5, 5, 2),), ((1, 2, 5),), ((4, 4, 4),)),
    not_in_examples=frozenset({"extra-point"}),  # with it Touchdown would wait for another throw
)

PLANS = {3: PLAN}  # by the number of dice

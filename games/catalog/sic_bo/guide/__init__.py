"""What a gaming guide shows of Sic Bo: its wagers in a reader's order, and its layout."""

from collections.abc import Sequence
from itertools import combinations

from games.guide.drawings import Drawing, Entry, Names, Pays, Plan, Row, Shape, box, text, wrapped


def _draw(names: Names, pays: Pays, numbers: Pays) -> Drawing:
    shapes = box(0, 0, 70, 92, names["small"], pays["small"], 11)
    shapes += box(280, 0, 70, 92, names["big"], pays["big"], 11)
    kinds = (("two-of-a-kind", (2, 2)), ("any-three-of-a-kind", ()), ("three-of-a-kind", (4, 4, 4)))
    for place, (family, dice) in enumerate(kinds):
        x = 72 + 69 * place
        shapes += _kind(x, names[family], pays[family], dice)
    for place, total in enumerate(range(4, 18)):
        x = 25 * place
        shapes += [["rect", x, 94, 24, 40], text(x + 12, 110, str(total))]
        shapes.append(text(x + 12, 127, numbers[f"total:{total}"], "big"))
    for place, pair in enumerate(combinations(range(1, 7), 2)):
        x = round(23.4 * place)
        shapes.append(["rect", x, 136, 22, 42])
        shapes += [["die", face, x + 4, 141 + 16 * row, 14] for row, face in enumerate(pair)]
    for place in range(6):
        x = round(58.5 * place)
        shapes += [["rect", x, 180, 57, 34], ["die", place + 1, x + 19, 187, 20]]
    return shapes, 214


def _kind(x: int, name: str, pays: str, dice: Sequence[int]) -> list[Shape]:
    lines, middle = wrapped(name, 11), x + 34
    first = middle - (16 * len(dice) - 2) // 2
    shapes: list[Shape] = [["rect", x, 0, 67, 92]]
    shapes += [["die", face, first + 16 * place, 8, 14] for place, face in enumerate(dice)]
    top = (30 if dice else 18) + (40 - 14 * len(lines)) // 2 + 11
    shapes += [text(middle, top + 13 * place, line) for place, line in enumerate(lines)]
    return [*shapes, text(middle, 82, pays, "big")]


PLAN = Plan(
    _draw,
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

PLANS = {3: PLAN}  # by the number of dice

"""The layouts, drawn for players: plain shapes that the page sets as SVG and the PDF draws.

A drawing is {"width", "height", "shapes"}; a shape is ["rect", x, y, width, height], ["circle", x, y, radius],
["line", x1, y1, x2, y2], ["die", face, x, y, size] or ["text", x, y, words, kind], in whole units of a page 350 wide.
Text is set about its middle, on its baseline; its kind is "plain" or "big" on felt, "ink" or "ink-big" on the paper.
"""

from collections.abc import Callable, Mapping, Sequence
from itertools import combinations
from typing import Any

WIDTH = 350
CHINESE_FROM = 0x2E80  # the first of the signs that stand without spaces
Shape = list[Any]
Pays = Mapping[str, str]  # a row of the paytable to what it pays, as the language says it
Names = Mapping[str, str]  # a wager family to its name


def drawing(game: str, dice: int, names: Names, pays: Pays, numbers: Pays) -> dict[str, Any]:
    """The layout of a game. `numbers` are the odds without "to 1", for places too small for more."""
    draw = DRAWN[game, dice]
    shapes, height = draw(names, pays, numbers)
    return {"width": WIDTH, "height": height, "shapes": shapes}


def wrapped(words: str, most: int) -> list[str]:
    """Words on lines of at most about so many Latin letters; a Chinese sign counts for two."""
    if any(ord(sign) >= CHINESE_FROM for sign in words):
        signs = max(1, most // 2)
        return [words[place : place + signs] for place in range(0, len(words), signs)]
    lines: list[str] = []
    for word in words.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def _text(x: int, y: int, words: str, kind: str = "plain") -> Shape:
    return ["text", x, y, words, kind]


def _box(x: int, y: int, width: int, height: int, name: str, pays: str, most: int) -> list[Shape]:
    """An area with its name on as many lines as it needs, and what it pays beneath."""
    lines, middle = wrapped(name, most), x + width // 2
    top = y + (height - 14 * (len(lines) + bool(pays))) // 2 + 11
    shapes: list[Shape] = [["rect", x, y, width, height]]
    shapes += [_text(middle, top + 14 * place, line) for place, line in enumerate(lines)]
    return [*shapes, _text(middle, top + 14 * len(lines) + 1, pays, "big")] if pays else shapes


def _sic_bo(names: Names, pays: Pays, numbers: Pays) -> tuple[list[Shape], int]:
    shapes = _box(0, 0, 70, 92, names["small"], pays["small"], 11)
    shapes += _box(280, 0, 70, 92, names["big"], pays["big"], 11)
    kinds = (("two-of-a-kind", (2, 2)), ("any-three-of-a-kind", ()), ("three-of-a-kind", (4, 4, 4)))
    for place, (family, dice) in enumerate(kinds):
        left = 72 + 69 * place
        shapes += _kind(left, names[family], pays[family], dice)
    for place, total in enumerate(range(4, 18)):
        left = 25 * place
        shapes += [["rect", left, 94, 24, 40], _text(left + 12, 110, str(total))]
        shapes.append(_text(left + 12, 127, numbers[f"total:{total}"], "big"))
    for place, pair in enumerate(combinations(range(1, 7), 2)):
        left = round(23.4 * place)
        shapes.append(["rect", left, 136, 22, 42])
        shapes += [["die", face, left + 4, 141 + 16 * row, 14] for row, face in enumerate(pair)]
    for place in range(6):
        left = round(58.5 * place)
        shapes += [["rect", left, 180, 57, 34], ["die", place + 1, left + 19, 187, 20]]
    return shapes, 214


def _kind(left: int, name: str, pays: str, dice: Sequence[int]) -> list[Shape]:
    lines, middle = wrapped(name, 11), left + 34
    first = middle - (16 * len(dice) - 2) // 2
    shapes: list[Shape] = [["rect", left, 0, 67, 92]]
    shapes += [["die", face, first + 16 * place, 8, 14] for place, face in enumerate(dice)]
    top = (30 if dice else 18) + (40 - 14 * len(lines)) // 2 + 11
    shapes += [_text(middle, top + 13 * place, line) for place, line in enumerate(lines)]
    return [*shapes, _text(middle, 82, pays, "big")]


def _high_roll(names: Names, pays: Pays, numbers: Pays) -> tuple[list[Shape], int]:
    shapes = _circles(names["like-kind"], [(str(n), pays[f"like-kind:{n}"]) for n in range(2, 9)], 0)
    shapes += _box(4, 102, 106, 60, names["extra-roll"], "", 14)
    shapes.append(_text(230, 112, names["millionaire"], "ink-big"))
    for middle, count in ((180, 9), (280, 10)):
        shapes += [["circle", middle, 138, 18], _text(middle, 142, str(count), "big")]
        shapes.append(_text(middle, 172, pays[f"millionaire:{count}"], "ink"))
    return [*shapes, *_street(names["pip"], pays, 184)], 264


def _high_roll_six(names: Names, pays: Pays, numbers: Pays) -> tuple[list[Shape], int]:
    counts = [("–", pays["like-kind:none"])] + [(str(n), pays[f"like-kind:{n}"]) for n in range(2, 7)]
    return [*_circles(names["like-kind"], counts, 0), *_street(names["pip"], pays, 100)], 180


def _circles(name: str, counts: Sequence[tuple[str, str]], top: int) -> list[Shape]:
    """The circles of Like Kind Boulevard, each with how many alike and what they pay."""
    step = WIDTH // len(counts)
    close = len(counts) > 6  # what every second one pays stands lower, or "400 to 1" would touch "5000 to 1"
    shapes: list[Shape] = [_text(WIDTH // 2, top + 14, name, "ink-big")]
    for place, (count, paid) in enumerate(counts):
        middle = step // 2 + step * place
        shapes += [["circle", middle, top + 46, 20], _text(middle, top + 50, count, "big")]
        shapes.append(_text(middle, top + 81 + (12 if close and place % 2 else 0), paid, "ink"))
    return shapes


def _street(name: str, pays: Pays, top: int) -> list[Shape]:
    """The six dice of Pip Street in the order of the layout: § 675a.1(b)(2)."""
    shapes: list[Shape] = [_text(WIDTH // 2, top + 12, name, "ink-big")]
    for place, face in enumerate((2, 3, 4, 5, 6, 1)):
        middle = 29 + 58 * place
        shapes += [["rect", middle - 21, top + 18, 42, 40], ["die", face, middle - 15, top + 23, 30]]
        shapes += [_text(middle, top + 72, pays[f"pip:{face}"], "ink")]
    return shapes


IN_FULL = (
    "touchdown", "defense", "extra-point", "quick-strike", "game-changer", "game-length",
)  # fmt: skip
IN_ONE = (
    "trips-td", "penalty", "turnover", "cover-three", "no-gain", "big-play", "over-four", "under-four",
)  # fmt: skip


def _football(names: Names, pays: Pays, numbers: Pays) -> tuple[list[Shape], int]:
    shapes: list[Shape] = [["rect", 0, 0, WIDTH, 62]]
    for place, yard in enumerate(range(20, -1, -5)):
        x = 24 + 70 * place
        shapes += [["line", x, 6, x, 40], _text(x, 55, str(yard))]
    top = 66
    for families, columns in ((IN_FULL, 3), (IN_ONE, 4)):
        step = WIDTH // columns
        for place, family in enumerate(families):
            row, column = divmod(place, columns)
            at = (step * column, top + 54 * row, step - 2, 52)
            shapes += _box(*at, names[family], pays.get(family, ""), 17 if columns == 3 else 13)
        top += 54 * (len(families) // columns) + 4
    return shapes, top


DRAWN: Mapping[tuple[str, int], Callable[[Names, Pays, Pays], tuple[list[Shape], int]]] = {
    ("sic-bo", 3): _sic_bo,
    ("high-roll", 10): _high_roll,
    ("high-roll", 6): _high_roll_six,
    ("football", 3): _football,
}

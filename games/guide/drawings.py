"""The layouts, drawn for players: plain shapes that the page sets as SVG and the PDF draws.

A drawing is {"width", "height", "shapes"}; a shape is ["rect", x, y, width, height], ["circle", x, y, radius],
["line", x1, y1, x2, y2], ["die", face, x, y, size] or ["text", x, y, words, kind], in whole units of a page 350 wide.
Text is set about its middle, on its baseline; its kind is "plain" or "big" on felt, "ink" or "ink-big" on the paper.
Each game draws its own layout in `games/catalog/*/guide`, with the shapes of this module.
"""

from collections.abc import Callable, Mapping
from typing import Any

WIDTH = 350
CHINESE_FROM = 0x2E80  # the first character of scripts that are written without spaces
Shape = list[Any]
Pays = Mapping[str, str]  # a row of the paytable to what it pays, as the language says it
Names = Mapping[str, str]  # a wager family to its name
Drawing = tuple[list[Shape], int]  # the shapes of a layout, and its height
# Draws a layout from the names, what each row pays, and the odds without "to 1" for places too small for more.
Draw = Callable[[Names, Pays, Pays], Drawing]


def wrapped(words: str, most: int) -> list[str]:
    """Return words on lines of at most this many Latin letters; a Chinese character counts as two."""
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


def text(x: int, y: int, words: str, kind: str = "plain") -> Shape:
    """Return words centered at x, on the baseline y."""
    return ["text", x, y, words, kind]


def box(x: int, y: int, width: int, height: int, name: str, pays: str, most: int) -> list[Shape]:
    """Return an area with its name on as many lines as needed, and its payout below."""
    lines, middle = wrapped(name, most), x + width // 2
    top = y + (height - 14 * (len(lines) + bool(pays))) // 2 + 11
    shapes: list[Shape] = [["rect", x, y, width, height]]
    shapes += [text(middle, top + 14 * place, line) for place, line in enumerate(lines)]
    return [*shapes, text(middle, top + 14 * len(lines) + 1, pays, "big")] if pays else shapes

"""Draw the packages and their imports as docs/img/structure.svg, from the import graph: `python -m script.structure`.

Rows are the layers of `.importlinter`, top to bottom; imports run downward only. A box is a package; its width grows
with its lines.
"""

import ast
import configparser
from collections import Counter
from html import escape
from typing import NamedTuple

import grimp

from script.service_finder import ROOT

DRAWING = ROOT / "docs" / "img" / "structure.svg"
WIDTH, LEFT, ROW_HEIGHT, BOX_HEIGHT, GAP = 1200, 96, 46, 30, 10
LINES_A_PIXEL, BOX_LEAST, CAPTION_LEFT = 7.5, 74, 560
COLORS = {"tables": "#2f6f5e", "games": "#7a5c1e", "audit": "#3b4f86"}
Imports = Counter[tuple[str, str]]


class Box(NamedTuple):
    """A package, or a module that stands alone in its app, at its place in the drawing."""

    name: str
    lines: int
    x: float
    y: float
    width: float

    @property
    def app(self) -> str:
        return self.name.partition(".")[0]


def package_of(module: str) -> str:
    """`tables.rounds` of `tables.rounds.play`: the first two parts of a name."""
    return ".".join(module.split(".")[:2])


def read() -> tuple[Counter[str], Imports]:
    """The lines of each package, and how many imports run from one to another."""
    graph = grimp.build_graph(*COLORS, cache_dir=None)
    lines: Counter[str] = Counter()
    imports: Imports = Counter()
    for module in graph.modules:
        if "." not in module or ".migrations" in module:
            continue
        path = ROOT.joinpath(*module.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        lines[package_of(module)] += file.read_text("utf-8").count("\n")
        for imported in graph.find_modules_directly_imported_by(module):
            imports[package_of(module), package_of(imported)] += package_of(module) != package_of(imported)
    return lines, imports


def rows(lines: Counter[str], imports: Imports) -> list[list[str]]:
    """The packages of every layer of the floor's contract, then those of games and audit by their depth."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    layers = contracts["importlinter:contract:floor"]["layers"].split("\n")
    found = [[f"tables.{name.strip()}" for name in layer.split("|")] for layer in layers if layer.strip()]
    for app in ("games", "audit"):
        below: dict[str, set[str]] = {name: set() for name in lines if name.startswith(f"{app}.")}
        for (importer, imported), count in imports.items():
            if count and importer in below and imported in below:
                below[importer].add(imported)
        depth: dict[str, int] = {}
        for name in sorted(below):
            visit(name, (name,), below, depth)
        found += [sorted(n for n in depth if depth[n] == level) for level in sorted({*depth.values()})[::-1]]
    return [row for row in ([name for name in row if name in lines] for row in found) if row]


def visit(name: str, above: tuple[str, ...], below: dict[str, set[str]], depth: dict[str, int]) -> int:
    """How far down a package lies: 0 imports none of its app. A circle is broken at its last import."""
    if name not in depth:
        inner = (visit(other, (*above, name), below, depth) for other in sorted(below[name] - {*above}))
        depth[name] = 1 + max(inner, default=-1)
    return depth[name]


def place(lines: Counter[str], imports: Imports) -> list[Box]:
    """Every package at its place."""
    boxes, y = [], 20.0
    for row in rows(lines, imports):
        x = float(LEFT)
        for name in row:
            width = max(BOX_LEAST, lines[name] / LINES_A_PIXEL, 7.2 * len(name.partition(".")[2]) + 14)
            if x + width > WIDTH:
                x, y = float(LEFT), y + ROW_HEIGHT - GAP
            boxes.append(Box(name, lines[name], x, y, width))
            x += width + GAP
        y += ROW_HEIGHT
    return boxes


def svg(boxes: list[Box], imports: Imports) -> str:
    """The drawing, with a line for each pair of packages of one app; more imports make a thicker line."""
    height, by_name = boxes[-1].y + ROW_HEIGHT, {box.name: box for box in boxes}
    size = f'width="{WIDTH}" height="{height:.0f}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif">'
    ]
    parts.append(f'<rect {size} fill="#fbfaf7"/>')
    for (importer, imported), count in sorted(imports.items()):
        upper, lower = by_name.get(importer), by_name.get(imported)
        if count and upper and lower and upper.app == lower.app:
            x1, y1, x2 = upper.x + upper.width / 2, upper.y + BOX_HEIGHT, lower.x + lower.width / 2
            curve = f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + 18:.0f} {x2:.0f} {lower.y - 18:.0f} {x2:.0f} {lower.y:.0f}"
            style = f'stroke="{COLORS[upper.app]}" stroke-opacity="0.22" stroke-width="{min(4, 0.6 + count / 6):.1f}"'
            parts.append(f'<path d="{curve}" fill="none" {style}/>')
    alone = Counter(box.y for box in boxes)
    for app, color in COLORS.items():
        parts.append(text(16, next(box.y for box in boxes if box.app == app), f"{app}/", color, 15))
    for box in boxes:
        if box.app == "tables" and alone[box.y] == 1:
            parts.append(
                text(max(box.x + box.width + 14, CAPTION_LEFT), box.y, caption(box.name), "#333", 13)
            )
        size = f'width="{box.width:.0f}" height="{BOX_HEIGHT}"'
        parts += [
            f"<g><title>{escape(box.name)}: {box.lines:,} lines</title>",
            f'<rect x="{box.x:.0f}" y="{box.y:.0f}" {size} rx="4" fill="{COLORS[box.app]}"/>',
            text(box.x + box.width / 2, box.y, box.name.partition(".")[2], "#fff", 12, anchor="middle")
            + "</g>",
        ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def text(x: float, y: float, words: str, color: str, size: int, anchor: str = "start") -> str:
    """Words in the row that begins at `y`."""
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{color}"'
    return f'<text x="{x:.0f}" y="{y + 20:.0f}" {style}>{escape(words)}</text>'


def caption(name: str) -> str:
    """The first line of a package's docstring."""
    file = ROOT.joinpath(*name.split("."), "__init__.py")
    docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) if file.exists() else ""
    return (docstring or "").split("\n")[0]


if __name__ == "__main__":
    packages = read()
    DRAWING.write_text(svg(place(*packages), packages[1]), "utf-8")

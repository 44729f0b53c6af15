"""Draw the packages and their imports as docs/img/structure.svg, from the import graph.

Rows are the layers of `.importlinter`, top to bottom; imports run downward only. A box is a package; its width grows
with its lines. Usage: `python -m script.structure [--check]`; with `--check` nothing is written, and the exit status is
1 when the drawing is out of date.
"""

import argparse
import ast
import configparser
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from html import escape
from pathlib import Path

from script.circles import import_graph

ROOT = Path(__file__).resolve().parents[1]
DRAWING = ROOT / "docs" / "img" / "structure.svg"
WIDTH, LEFT, ROW_HEIGHT, BOX_HEIGHT, GAP = 1200, 96, 46, 30, 10
LINES_A_PIXEL, BOX_MIN, CAPTION_LEFT = 7.5, 74, 560
COLORS = {"tables": "#2f6f5e", "games": "#7a5c1e", "audit": "#3b4f86"}


@dataclass
class Box:
    """A package, or a module that stands alone in its app, at its place in the drawing."""

    name: str
    lines: int
    x: float = 0
    y: float = 0

    @property
    def app(self) -> str:
        return self.name.partition(".")[0]

    @property
    def width(self) -> float:
        return max(BOX_MIN, self.lines / LINES_A_PIXEL, 7.2 * len(self.label) + 14)

    @property
    def label(self) -> str:
        return self.name.partition(".")[2] or self.name


def layers() -> list[list[str]]:
    """Every layer of the floor's contract as names of packages, then the packages of games and audit by their depth."""
    contracts = configparser.ConfigParser()
    contracts.read(ROOT / ".importlinter")
    rows = contracts["importlinter:contract:floor"]["layers"].split("\n")
    return [[f"tables.{name.strip()}" for name in row.split("|")] for row in rows if row.strip()]


def caption(name: str) -> str:
    """The first line of a package's docstring."""
    file = ROOT / Path(*name.split(".")) / "__init__.py"
    docstring = ast.get_docstring(ast.parse(file.read_text("utf-8"))) if file.exists() else ""
    return (docstring or "").split("\n")[0]


def package_of(module: str) -> str:
    """`tables.rounds` of `tables.rounds.acts`: the first two parts of a name."""
    return ".".join(module.split(".")[:2])


def line_counts(modules: set[str]) -> dict[str, int]:
    """Lines of each package."""
    counts: dict[str, int] = defaultdict(int)
    for module in modules:
        path = ROOT / Path(*module.split("."))
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        counts[package_of(module)] += file.read_text("utf-8").count("\n")
    return counts


def package_imports(imports: dict[str, set[str]]) -> dict[tuple[str, str], int]:
    """How many imports run from one package to another."""
    counts: dict[tuple[str, str], int] = defaultdict(int)
    for module in sorted(imports):
        for other in sorted(imports[module]):
            pair = (package_of(module), package_of(other))
            if pair[0] != pair[1]:
                counts[pair] += 1
    return counts


def depths(names: set[str], counts: dict[tuple[str, str], int]) -> dict[str, int]:
    """How far down each package lies: 0 imports none of these packages. Circles are broken at their last import."""
    depth: dict[str, int] = {}

    def visit(name: str, above: tuple[str, ...]) -> int:
        if name not in depth:
            below = [b for a, b in counts if a == name and b in names and b not in above]
            depth[name] = 1 + max((visit(b, (*above, name)) for b in below), default=-1)
        return depth[name]

    for name in sorted(names):
        visit(name, (name,))
    return depth


def place(imports: dict[str, set[str]]) -> dict[str, Box]:
    """Every package at its place."""
    modules = {module for module in imports if "." in module and ".migrations" not in module}
    lines, counts = line_counts(modules), package_imports(imports)
    rows = [[name for name in row if name in lines] for row in layers()]
    for app in ("games", "audit"):
        names = {name for name in lines if name.startswith(app + ".")}
        depth = depths(names, counts)
        levels = sorted(set(depth.values()), reverse=True)
        rows += [sorted(name for name in names if depth[name] == level) for level in levels]
    boxes: dict[str, Box] = {}
    y = 20.0
    for row in filter(None, rows):
        x = float(LEFT)
        for name in row:
            box = Box(name, lines[name])
            if x + box.width > WIDTH:
                x, y = float(LEFT), y + ROW_HEIGHT - GAP
            box.x, box.y = x, y
            boxes[name] = box
            x += box.width + GAP
        y += ROW_HEIGHT
    return boxes


def svg(boxes: dict[str, Box], counts: dict[tuple[str, str], int]) -> str:
    """The drawing, with a line for each pair of packages of one app. Imports of a lower app are not drawn."""
    height = max(box.y for box in boxes.values()) + ROW_HEIGHT
    rows = Counter(box.y for box in boxes.values())
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" font-family="sans-serif">',
        f'<rect width="{WIDTH}" height="{height:.0f}" fill="#fbfaf7"/>',
    ]
    for (importer, imported), count in sorted(counts.items()):
        if importer in boxes and imported in boxes and boxes[importer].app == boxes[imported].app:
            parts.append(line(boxes[importer], boxes[imported], count))
    for app, color in COLORS.items():
        first = min(box.y for box in boxes.values() if box.app == app)
        parts.append(text(16, first, f"{app}/", color, 15))
    for box in boxes.values():
        if box.app == "tables" and rows[box.y] == 1:
            parts.append(
                text(max(box.x + box.width + 14, CAPTION_LEFT), box.y, caption(box.name), "#333", 13)
            )
        parts += rectangle(box)
    return "\n".join([*parts, "</svg>"]) + "\n"


def line(upper: Box, lower: Box, count: int) -> str:
    """The imports of one package from another; more of them make a thicker line."""
    x1, y1 = upper.x + upper.width / 2, upper.y + BOX_HEIGHT
    x2, y2 = lower.x + lower.width / 2, lower.y
    path = f"M{x1:.0f} {y1:.0f}C{x1:.0f} {y1 + 18:.0f} {x2:.0f} {y2 - 18:.0f} {x2:.0f} {y2:.0f}"
    style = f'stroke="{COLORS[upper.app]}" stroke-opacity="0.22" stroke-width="{min(4, 0.6 + count / 6):.1f}"'
    return f'<path d="{path}" fill="none" {style}/>'


def rectangle(box: Box) -> list[str]:
    """A package with its name, and its size as a tooltip."""
    size = f'width="{box.width:.0f}" height="{BOX_HEIGHT}"'
    return [
        f"<g><title>{escape(box.name)}: {box.lines:,} lines</title>",
        f'<rect x="{box.x:.0f}" y="{box.y:.0f}" {size} rx="4" fill="{COLORS[box.app]}"/>',
        text(box.x + box.width / 2, box.y, box.label, "#fff", 12, anchor="middle"),
        "</g>",
    ]


def text(x: float, y: float, words: str, color: str, size: int, anchor: str = "start") -> str:
    """Words in the row that begins at `y`."""
    style = f'font-size="{size}" text-anchor="{anchor}" fill="{color}"'
    return f'<text x="{x:.0f}" y="{y + 20:.0f}" {style}>{escape(words)}</text>'


def drawing() -> str:
    """The SVG of the code as it is."""
    imports = import_graph()
    return svg(place(imports), package_imports(imports))


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.structure", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args()
    drawn = drawing()
    if options.check:
        current = DRAWING.read_text("utf-8") if DRAWING.exists() else ""
        if current != drawn:
            print("docs/img/structure.svg is out of date: run python -m script.structure")
        return int(current != drawn)
    DRAWING.write_text(drawn, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

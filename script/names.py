"""Count vague words among the names of variables and parameters, and print where they are.

A name counts each time it is bound: as a parameter, or as the target of an assignment, loop, `with`, `except` or
comprehension. Usage: `python -m script.names [--list] [FOLDER …]`; CONTRIBUTING.md states the limit of 2 %.
"""

import argparse
import ast
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = ("audit", "games", "tables", "config", "script")
LIMIT_PERCENT = 2.0
# Words that do not say what a value is (CONTRIBUTING.md).
VAGUE = frozenset(
    [
        "asked",
        "at",
        "chosen",
        "done",
        "each",
        "found",
        "given",
        "held",
        "it",
        "kept",
        "known",
        "left",
        "lying",
        "meant",
        "moved",
        "named",
        "on",
        "one",
        "ones",
        "other",
        "rest",
        "said",
        "seen",
        "shown",
        "standing",
        "taken",
        "thing",
        "told",
        "wanted",
        "was",
        "what",
        "whole",
    ]
)


@dataclass(frozen=True)
class Binding:
    """A name that is bound at a line of a file."""

    name: str
    path: Path
    line: int


def bindings(path: Path) -> Iterator[Binding]:
    """Every name that a source file binds."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.arg):
            yield Binding(node.arg, path, node.lineno)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield Binding(node.id, path, node.lineno)
        elif isinstance(node, ast.ExceptHandler) and node.name:
            yield Binding(node.name, path, node.lineno)


def all_bindings(folders: list[str]) -> list[Binding]:
    """The bindings of these folders, migrations left out."""
    paths = sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))
    return [binding for path in paths if "migrations" not in path.parts for binding in bindings(path)]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.names", description=__doc__)
    parser.add_argument(
        "folders", nargs="*", default=FOLDERS, help="folders to read instead of the product's"
    )
    parser.add_argument("--list", action="store_true", help="print every vague name with its place")
    options = parser.parse_args()
    names = all_bindings(options.folders)
    vague = [binding for binding in names if binding.name in VAGUE]
    if options.list:
        for binding in vague:
            print(f"{binding.path.relative_to(ROOT)}:{binding.line}: {binding.name}")
    counts = Counter(binding.name for binding in vague)
    print(", ".join(f"{name} {count}" for name, count in counts.most_common()))
    percent = 100 * len(vague) / len(names)
    print(f"{len(vague)} of {len(names)} names are vague: {percent:.1f} %.")
    return int(percent >= LIMIT_PERCENT)


if __name__ == "__main__":
    sys.exit(main())

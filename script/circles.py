"""Print every import circle among the modules of audit, games and tables. The exit status is 1 if there is one.

Imports inside functions and under TYPE_CHECKING count too. Usage: `python -m script.circles`.
"""

import sys
from collections.abc import Iterator, Mapping

import grimp

PACKAGES = ("audit", "games", "tables")


def import_graph() -> dict[str, set[str]]:
    """Each module with the modules that it imports. A package stands for its `__init__.py`."""
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    return {module: graph.find_modules_directly_imported_by(module) for module in graph.modules}


def circles(imports: Mapping[str, set[str]]) -> Iterator[list[str]]:
    """Groups of modules that import each other in a circle (strongly connected components, Tarjan 1972)."""
    index: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []

    def visit(module: str) -> Iterator[list[str]]:
        index[module] = lowest[module] = len(index)
        stack.append(module)
        for imported in sorted(imports[module]):
            if imported not in index:
                yield from visit(imported)
                lowest[module] = min(lowest[module], lowest[imported])
            elif imported in stack:
                lowest[module] = min(lowest[module], index[imported])
        if lowest[module] == index[module]:
            group = stack[stack.index(module) :]
            del stack[-len(group) :]
            if len(group) > 1:
                yield sorted(group)

    for module in sorted(imports):
        if module not in index:
            yield from visit(module)


def main() -> int:
    groups = list(circles(import_graph()))
    for group in groups:
        print(f"{len(group)} modules import each other: {', '.join(group)}")
    print(f"{len(groups)} import circles.")
    return int(bool(groups))


if __name__ == "__main__":
    sys.exit(main())

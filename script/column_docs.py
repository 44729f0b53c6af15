"""Write the tables that declarations hold into their pages, which nobody edits: `python -m script.column_docs`.

The columns that nothing proves (`audit/columns.py`) are in docs/evidence.md, the names of figures (`games/formats.py`)
in docs/figures.md. Tests compare the pages with `written_into`.
"""

import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import django

from script.service_finder import ROOT

EVIDENCE = ROOT / "docs" / "evidence.md"
FIGURES = ROOT / "docs" / "figures.md"


def unproven_columns() -> Iterator[str]:
    """A table of the unproven columns of each model, with the reason."""
    from audit.columns import STATED

    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    proven = 0
    for declared in sorted(STATED.values(), key=lambda declared: declared.model._meta.label):
        proven += len(declared.stated | declared.derived.keys())
        for column, reason in declared.unproven.items():
            rows[declared.model._meta.label, reason].append(column)
    yield f"{proven} columns are proven, {sum(map(len, rows.values()))} are not:\n"
    yield from ("| model | columns | why |", "|---|---|---|")
    for (label, reason), columns in rows.items():
        yield f"| `{label}` | {', '.join(f'`{column}`' for column in columns)} | {reason} |"


def names_of_figures() -> Iterator[str]:
    """A table of the meaning that each name has on every page, file and paper."""
    from games.formats import MEANINGS

    yield from ("| name | meaning |", "|---|---|")
    yield from (f"| {name} | {meaning} |" for name, meaning in MEANINGS.items())


PARTS = {EVIDENCE: ("unproven columns", unproven_columns), FIGURES: ("names of figures", names_of_figures)}


def written_into(path: Path) -> str:
    """The text of a page, with its table between the two comments that name it."""
    name, table = PARTS[path]
    begin, end = f"<!-- {name}: begin (python -m script.column_docs) -->", f"<!-- {name}: end -->"
    head, _, rest = path.read_text("utf-8").partition(begin)
    return "\n\n".join([f"{head}{begin}", "\n".join(table()), f"{end}{rest.partition(end)[2]}"])


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    for path in PARTS:
        path.write_text(written_into(path), "utf-8")


if __name__ == "__main__":
    main()

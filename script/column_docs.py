"""Write the list of columns that nothing proves into docs/evidence.md, from their declarations (`audit/columns.py`).

Usage: `python -m script.column_docs [--check]`; with `--check` it writes nothing, and the exit status is 1 if the page
is out of date.
"""

import sys
from collections import defaultdict

from script import generated_docs
from script.generated_docs import GeneratedPart
from script.service_finder import ROOT

PART = GeneratedPart(ROOT / "docs" / "evidence.md", "unproven columns", "python -m script.column_docs")


def table() -> str:
    """A table of the unproven columns of each model, with the reason."""
    from audit.columns import STATED

    rows: dict[tuple[str, str], list[str]] = defaultdict(list)
    proven = 0
    for declared in sorted(STATED.values(), key=lambda declared: declared.model._meta.label):
        proven += len(declared.stated | declared.derived.keys())
        for column, reason in declared.unproven.items():
            rows[declared.model._meta.label, reason].append(column)
    unproven = sum(map(len, rows.values()))
    lines = [
        f"{proven} columns are proven, {unproven} are not:\n",
        "| model | columns | why |",
        "|---|---|---|",
    ]
    for (label, reason), columns in rows.items():
        lines.append(f"| `{label}` | {', '.join(f'`{column}`' for column in columns)} | {reason} |")
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(generated_docs.run(PART, table, __doc__))

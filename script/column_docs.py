"""Write the list of columns that nothing proves into docs/evidence.md, from their declarations (`audit/columns.py`).

Usage: `python -m script.column_docs [--check]`; with `--check` it writes nothing, and the exit status is 1 if the page
is out of date.
"""

import argparse
import os
import sys
from collections import defaultdict
from pathlib import Path

PAGE = Path(__file__).resolve().parents[1] / "docs" / "evidence.md"
BEGIN, END = (
    "<!-- unproven columns: begin (python -m script.column_docs) -->",
    "<!-- unproven columns: end -->",
)


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


def page(current: str) -> str:
    """Return the page with a new table."""
    head, _, rest = current.partition(BEGIN)
    tail = rest.partition(END)[2]
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{tail}"


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m script.column_docs", description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare with the file instead of writing it")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    import django

    django.setup()
    current = PAGE.read_text("utf-8")
    written = page(current)
    if options.check:
        return int(written != current)
    PAGE.write_text(written, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

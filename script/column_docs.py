"""Write the list of columns that nothing proves into docs/evidence.md, from their declarations (`audit/columns.py`).

Usage: `python -m script.column_docs`. A test compares the page with `written_into`.
"""

import os
from collections import defaultdict

import django

from script.service_finder import ROOT

PAGE = ROOT / "docs" / "evidence.md"
BEGIN = "<!-- unproven columns: begin (python -m script.column_docs) -->"
END = "<!-- unproven columns: end -->"


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


def written_into(page: str) -> str:
    """This text of the page, with the table between its two comments."""
    head, _, rest = page.partition(BEGIN)
    return f"{head}{BEGIN}\n\n{table()}\n\n{END}{rest.partition(END)[2]}"


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.test")
    django.setup()
    PAGE.write_text(written_into(PAGE.read_text("utf-8")), "utf-8")


if __name__ == "__main__":
    main()

"""Lists that stand in a document alone, for the tests that compare them with what the product does."""

import re
from pathlib import Path

EVIDENCE = Path(__file__).resolve().parents[2] / "docs" / "evidence.md"


def fields_listed(title: str) -> dict[str, set[str]]:
    """The fields of each entry type in the table of docs/evidence.md that follows these words."""
    part = EVIDENCE.read_text("utf-8").partition(title)[2].partition("\n## ")[0]
    return {
        entry: set(re.findall(r"`([^`]+)`", fields))
        for entry, fields in re.findall(r"^\| `([^`]+)` \| ([^|]+) \|", part, re.MULTILINE)
    }

"""Every reading that code, editions and clauses cite has its line in docs/readings.md."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CITED = re.compile(r"\bA(?:0[1-9]|[1-9]\d)\b")
SUFFIXES = {".py", ".toml", ".yaml", ".html", ".jinja"}


def test_every_cited_reading_is_on_the_page():
    page = set(
        re.findall(r"^\| (A\d\d) \|", (ROOT / "docs" / "readings.md").read_text("utf-8"), re.MULTILINE)
    )
    assert page == {f"A{number:02}" for number in range(1, 51)}
    missing = {
        f"{path.relative_to(ROOT)}: {name}"
        for folder in ("audit", "games", "tables", "templates")
        for path in (ROOT / folder).rglob("*")
        if path.suffix in SUFFIXES
        for name in CITED.findall(path.read_text("utf-8"))
        if name not in page
    }
    assert missing == set()

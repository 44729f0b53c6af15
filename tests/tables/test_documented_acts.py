"""Whoever builds a screen finds each act, and what it takes, in the documents."""

import re
from pathlib import Path

from games.office.core import runner as office
from tables.desk import runner as desk
from tables.runner import facility, table

DOCS = Path(__file__).resolve().parents[2] / "docs"
PAGES = ("snapshot.md", "games.md", "office.md", "evidence.md")
ROW = re.compile(r"^\| ((?:`[a-z_]+` ?)+)\|", re.MULTILINE)


def documented() -> set[str]:
    """The acts that begin a row of a table in the documents."""
    text = "\n".join((DOCS / name).read_text() for name in PAGES)
    return {name for row in ROW.findall(text) for name in re.findall(r"[a-z_]+", row)}


def test_every_act_has_its_row():
    acts = {*table.ACTS, *facility.ACTS, *office.ACTS, *desk.ACTS}
    assert len(acts) > 100
    assert acts - documented() == set()

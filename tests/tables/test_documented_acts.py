"""Whoever builds a screen finds each act, and what it takes, in the documents."""

import json
import re
from io import StringIO
from pathlib import Path

from django.core.management import call_command

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


def test_the_command_says_what_a_program_may_send_with_each_act():
    printed = StringIO()
    call_command("acts", stdout=printed)
    acts = {act["act"]: act for act in map(json.loads, printed.getvalue().splitlines())}
    assert acts.keys() == {*table.ACTS, *facility.ACTS, *office.ACTS, *desk.ACTS}
    limits = acts["change_limits"]
    assert limits["address"] == "/floor/{facility}/{table}/acts/change_limits"
    assert limits["about"].startswith("Change the limits at once if nobody plays here")
    assert "floorperson" in limits["roles"] and "dealer" not in limits["roles"]
    assert list(limits["params"]["properties"]) == ["min_cents", "max_cents", "nobody_plays", "left"]
    assert limits["params"]["required"] == ["min_cents", "max_cents"]
    decided = acts["decide_guide"]
    assert (decided["address"], decided["approved_by_row"]) == (
        "/office/{facility}/acts/decide_guide",
        "guides",
    )
    assert list(decided["params"]["properties"]) == ["guide", "granted", "body", "reference", "letter"]
    assert acts["change_access"]["params"] is None  # reads them itself

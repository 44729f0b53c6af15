"""A developer of a screen finds each act, what it takes and what it does, by `manage.py reference acts`."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from games.act_forms import ActForm
from games.office import core as office
from tables.desk import desk
from tables.management.reference import acts as page_of_acts
from tables.runner import facility, table

ACTS = {**table.ACTS, **facility.ACTS, **office.ACTS, **desk.ACTS}


def rows() -> dict[str, list[str]]:
    """The cells of each act's row: its name, what is sent, who does it, and what it does."""
    lines = [line for line in page_of_acts.page().splitlines() if line.startswith("| `")]
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in lines]
    return {row[0].strip("`"): row for row in cells}


def test_every_act_has_its_row_with_a_sentence():
    assert len(ACTS) > 100
    assert rows().keys() == ACTS.keys()
    assert [name for name, row in rows().items() if len(row) < 4 or not all(row) or "." not in row[3]] == []


def test_what_is_sent_is_said_of_every_act_and_once():
    """By its signature; of an act that reads its parameters itself, and of lists of objects, by `parameters.toml`."""
    silent, twice = set(), set()
    for name, act in ACTS.items():
        if isinstance(act.do, ActForm):
            listed = [page_of_acts.kind_of(kind) for kind in act.do.schema()["properties"].values()]
            needs_words = "list of object" in listed
        else:
            needs_words = True
        silent |= {name} if needs_words and name not in page_of_acts.written() else set()
        twice |= {name} if not needs_words and name in page_of_acts.written() else set()
    assert (silent, twice, page_of_acts.written().keys() - ACTS.keys()) == (set(), set(), set())


def test_a_row_says_what_may_be_left_out_and_who_approves():
    assert rows()["mute_alert"][1] == "`alert` integer; `minutes` integer"
    assert rows()["close_table"][1] == "`dice`? `stay` or `removed`; `secured`? true or false"
    assert rows()["decide_guide"][2] == "as the row `guides` of the policy says"
    assert rows()["open_table"][2].endswith("; a second person may sign")


def test_the_command_writes_each_page_into_a_folder(tmp_path):
    call_command("reference", output=tmp_path)
    assert {path.name: path.read_text().partition("\n")[0] for path in tmp_path.iterdir()} == {
        "acts.md": "# Acts",
        "entries.md": "# Entry types",
        "snapshot.md": "# The snapshot of a table",
    }
    with pytest.raises(CommandError, match="invalid choice"):
        call_command("reference", "nothing")


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

"""Recorded rounds settled again from the record alone: of every game, mended, void and by hand."""

import io
import json
import random
from typing import Any

import pytest
from django.core.management import call_command

from tests.tables.cast import make_scene
from tests.tables.test_walks import walk

pytestmark = pytest.mark.django_db
EVERY_RULES = ["pa-539", "pa-625a/B", "nj-19-47-9", "pa-675a", "pa-675a.6", "pa-577"]


def settled_again(*arguments: str) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """The differences of a run, and its figures."""
    out = io.StringIO()
    try:
        call_command("readjudicate", "--json", *arguments, stdout=out)
    except SystemExit as ended:
        assert ended.code == 1
    *found, figures = (json.loads(line) for line in out.getvalue().splitlines())
    assert len(found) == figures["differences"]
    return found, figures


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rules", EVERY_RULES)
def test_rounds_of_random_acts_settle_again_as_they_are_recorded(rules, seed):
    scene = make_scene(rules)
    rounds = walk(scene, random.Random(f"again {rules} {seed}"))
    found, figures = settled_again()
    assert found == []
    assert figures["rounds"] == rounds

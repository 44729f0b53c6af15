"""Somebody is sent home, or called elsewhere, while a table opens or is taken over: PostgreSQL lets only one pass.

The first act is held open for a moment after it has looked, so that the second one always comes between.
"""

import time
from collections.abc import Callable
from typing import Any

import pytest

from tables.core import posts
from tables.models import Assignment, Table
from tables.opening import opening
from tables.staffing import assignments
from tests.tables.cast import Scene
from tests.tables.house import hire, make_house
from tests.tables.test_two_at_once import at_once

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
LOOKS_AROUND, COMES_BETWEEN = 0.8, 0.3  # seconds


def in_between(first: Callable[[], Any], second: Callable[[], Any]) -> list[str]:
    """What became of two acts, the second begun while the first is under way."""

    def later() -> Any:
        time.sleep(COMES_BETWEEN)
        return second()

    return sorted(type(one).__name__ for one in at_once(first, later))


def dwell_on(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Let each caller of this function wait for a moment after it, with all that is locked."""
    real = getattr(module, name)

    def dwelling(*args: Any) -> Any:
        found = real(*args)
        time.sleep(LOOKS_AROUND)
        return found

    monkeypatch.setattr(module, name, dwelling)


def ready(scene: Scene) -> Scene:
    scene.act("take_over_table", by="dealer")
    for post, by in (("dealer-left", "relief"), ("stick", "stickperson")):
        if post in posts.posts_of(scene.table):
            scene.act("take_over_table", {"post": post}, by=by)
    scene.inspect()
    return scene


@pytest.mark.clause("PA-577.9(c)-excluded")
def test_a_table_elsewhere_counts_for_whoever_takes_a_table_meanwhile(transactional_db, monkeypatch):
    scene = ready(make_house(("T-01", "pa-577", None))["T-01"])
    scene.inspect(by="casino-supervisor")
    scene.open(by="casino-supervisor")
    dwell_on(monkeypatch, assignments, "_assignment_started")
    craps = {"person": "floorperson", "game": "craps"}
    assert in_between(
        lambda: scene.in_room("assign_elsewhere", craps),
        lambda: scene.act("take_supervision", by="floorperson", device=scene.podium),
    ) == ["ActResponse", "Refusal"]


def test_one_dealer_does_not_open_two_tables(transactional_db, monkeypatch):
    house = make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-625a/A", None))
    hire(house["T-01"], ("floor-2", "floorperson"))
    for scene in house.values():
        ready(scene)
    house["T-02"].inspect(by="floor-2")
    dwell_on(monkeypatch, opening, "verify_staffed")
    both = in_between(house["T-01"].open, lambda: house["T-02"].open(by="floor-2"))
    assert both == ["ActResponse", "Refusal"]
    assert Table.objects.filter(status="open", dealer__code="dealer").count() == 1


@pytest.mark.clause("PA-577.9(b)-dealers")
def test_nobody_goes_home_from_a_table_that_opens(transactional_db, monkeypatch):
    scene = ready(make_house(("T-01", "pa-577", None))["T-01"])
    duty = Assignment.objects.get(person__code="dealer", ended_at=None)
    dwell_on(monkeypatch, opening, "verify_staffed")
    home = {"assignment": duty.pk}
    assert in_between(scene.open, lambda: scene.in_room("end_assignment", home)) == ["ActResponse", "Refusal"]
    assert posts.empty_posts(scene.fresh) == []

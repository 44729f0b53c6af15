"""One person has one scope: Floor, Money, Rotation and the proposals add up the same tables, and say which."""

import datetime as dt
import re

import pytest

from games.models import Facility
from tables.core.duty import scope_of
from tables.figures import rollup
from tables.models import Assignment, Pit, Table
from tables.rotation.board import board
from tests.tables.cast import Scene
from tests.tables.house import make_house
from tests.tables.test_dice_pages import words

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene(hands) -> Scene:
    """T-01 in Pit 1 and T-02 in Pit 2, which is open, have won $10 each. The pit manager has Pit 1."""
    scenes = make_house(("T-01", "pa-625a/A", None), ("T-02", "pa-539", None))
    second = Pit.objects.create(facility=scenes["T-01"].table.facility, code="p2", name="Pit 2")
    Table.objects.filter(code="T-02").update(pit=second)
    for one in scenes.values():
        one.staff()
        one.inspect()
        one.open()
        one.play((1, "small", 1_000), dice=[6, 6, 2])
        one.finish()
        if one.table.code == "T-01":
            one.close()
            one.act("leave_table")
    Assignment.objects.filter(person__code="pit-manager").update(pit=Pit.objects.get(code="p1"))
    for table in rollup.tables_behind():
        rollup.roll_up_table(table)
    return scenes["T-01"]


def see(scene: Scene, address: str, by: str = "pit-manager") -> str:
    answer = scene.browser("podium", by).get(f"/floor/larkfield/{address}")
    assert answer.status_code == 200, address
    return answer.content.decode()


def test_every_page_names_whose_tables_its_totals_are(scene):
    for address in ("", "figures/", "rotation/", "advice/"):
        assert "Pit 1, yours" in words(see(scene, address)), address
        whole = words(see(scene, address, by="shift-manager"))
        assert "Whole floor" in whole and "yours" not in whole, address
    assert "The shift so far, whole floor" in words(see(scene, "handover/"))


def test_floor_and_money_have_the_same_total_for_one_person(scene):
    floor = see(scene, "")
    assert '<span data-sum="win">+$10</span>' in floor and '<b data-whole="win">+$20</b>' in floor
    assert '<dd class="lead">+$10</dd>' in see(scene, "figures/")
    floor = see(scene, "", by="shift-manager")
    assert '<span data-sum="win">+$20</span>' in floor and "data-whole" not in floor
    assert '<dd class="lead">+$20</dd>' in see(scene, "figures/", by="shift-manager")


def test_every_table_that_the_floor_shows_can_be_opened_and_acts_stay_with_its_people(scene):
    links = set(re.findall(r'href="/floor/larkfield/(T-\d+/)"', see(scene, "")))
    assert links == {"T-01/", "T-02/"}
    for link in links:
        page = see(scene, link)
        assert ("data-acknowledges" in page) is (link == "T-01/")


def test_no_move_and_no_change_is_proposed_at_tables_of_somebody_else(scene, hands):
    facility = Facility.objects.get()
    facility.work_minutes = 20
    facility.save()
    hands.now += dt.timedelta(minutes=30)
    manager, shift = (scene.people[code] for code in ("pit-manager", "shift-manager"))
    yours = board(facility, hands.now, scope=scope_of(manager, facility))
    assert (yours.next_step, yours.due_count) == (None, 0)
    theirs = board(facility, hands.now, scope=scope_of(shift, facility))
    assert (theirs.next_step.table, theirs.due_count) == ("T-02", 1)

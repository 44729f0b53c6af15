"""Who a console offers as the second person: the floor on duty at its table, and nobody else."""

import pytest

from audit import clock
from audit.models import Person
from tables.models import Assignment, Pit
from tables.views.pages import witnesses
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db


@pytest.fixture
def scene():
    return make_scene(opened=False)


def offered(scene):
    return {one["code"] for one in witnesses(scene.fresh)}


def assign(scene, code, **where):
    facility = scene.table.facility
    Assignment.objects.create(person=scene.people[code], facility=facility, started_at=clock.now(), **where)


def test_the_floor_on_duty_here_may_sign(scene):
    assert offered(scene) == {"floorperson", "casino-supervisor", "pit-manager", "shift-manager"}


def test_who_only_supervises_a_table_that_is_not_dealt_here_is_not_offered(scene):
    assign(scene, "other-floorperson", elsewhere="craps")
    assert "other-floorperson" not in offered(scene)


def test_who_is_on_duty_in_another_pit_is_not_offered(scene):
    pit = Pit.objects.create(facility=scene.table.facility, code="p2", name="Pit 2")
    assign(scene, "other-floorperson", pit=pit)
    assert "other-floorperson" not in offered(scene)


def test_who_works_here_no_longer_is_not_offered(scene):
    Person.objects.filter(code="floorperson").update(is_active=False)
    assert "floorperson" not in offered(scene)


def test_who_is_on_duty_here_twice_is_offered_once(scene):
    assign(scene, "floorperson", table=scene.table)
    codes = [one["code"] for one in witnesses(scene.fresh)]
    assert codes.count("floorperson") == 1

"""What an opening was checked by is what stands there when it opens; and a locked tablet moves nobody."""

import pytest

from audit.models import Device, Person
from games.submissions import draft
from tables.demo.seeding import approve_shaker
from tables.models import Inspection, Shaker, Table
from tests.tables.cast import make_scene
from tests.tables.test_shakers import replace, spare

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
clause = pytest.mark.clause


@clause("PA-625a.5(a)(2)-minimum", "PA-625a.5(a)(2)")
def test_an_inspection_with_another_shaker_opens_nothing():
    scene = make_scene("pa-625a/A", "automated-covered", opened=False)
    spare(scene)
    replace(scene, removed_from_table=True)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    scene.staff()
    scene.inspect()
    assert scene.entry["data"]["tosses"] == 0
    Shaker.objects.filter(code="S-01").update(out_of_order=False)
    replace(scene, "S-01")
    scene.act("change_dice_lot", {"lot": "L-0003"}, by="floorperson")
    with scene.refused("not-inspected", "58 Pa. Code § 625a.5(a)(1)"):
        scene.open()
    assert scene.snapshot["next"]["act"] == "inspect_table"
    scene.inspect()
    scene.open()
    assert Inspection.objects.filter(table=scene.table).latest("inspected_at").shaker.code == "S-01"


@clause("PA-625a.5(a)")
def test_an_inspection_under_other_rules_opens_nothing(hands):
    scene = make_scene("pa-625a/A", opened=False)
    scene.staff()
    scene.inspect()
    newer = draft(facility=scene.table.facility, code="RS-0009", key="pa-625a/B", version=2)
    newer.status, newer.decided_by = "approved", "the bureau"
    newer.filed_at = newer.decided_at = newer.in_force_from = hands.now
    newer.save()
    with scene.refused("not-inspected"):
        scene.open()
    scene.inspect()
    scene.open()


def test_an_approval_of_the_table_is_none_of_a_shaker_and_the_other_way_round():
    scene = make_scene("pa-625a/A", opened=False)
    bare = Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="manual")
    scene.table.approvals.filter(subject="layout").update(subject="shaker")
    with scene.refused("not-approved", "58 Pa. Code § 625a.1(d)"):
        replace(scene, "S-02")
    approve_shaker(scene.table, bare)
    bare.approvals.update(subject="layout")
    with scene.refused("not-approved", "58 Pa. Code § 625a.1(d)"):
        replace(scene, "S-02")


def test_a_locked_tablet_signs_nobody_off():
    scene = make_scene("pa-625a/A", "automated-covered")
    tablet = scene.browser("tablet", "dealer")
    tablet.post("/lock")
    before = scene.version
    assert tablet.post("/sign-off").headers["Location"] == "/sign-in"
    assert (scene.fresh.dealer.code, scene.version) == ("dealer", before)
    assert Device.objects.get(pk=scene.tablet.pk).person.code == "dealer"


def test_who_is_no_longer_of_the_floor_supervises_nothing(scene):
    from tables.staffing.supervision import breaches

    scene.close()
    Person.objects.filter(code="floorperson").update(role="dealer")
    Table.objects.filter(pk=scene.table.pk).update(status="open")
    assert [breach.code for _, breach in breaches(scene.fresh.stream.last_at)] == ["supervisor-off-duty"]
    Table.objects.filter(pk=scene.table.pk).update(status="closed")
    supervisor = {"by": "casino-supervisor", "device": scene.podium}
    scene.act("inspect_table", scene.inspection(), **supervisor)
    scene.act("open_table", {"acknowledge_lapsed": True}, **supervisor)
    assert scene.fresh.floorperson.code == "casino-supervisor"

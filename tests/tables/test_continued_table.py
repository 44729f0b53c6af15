"""A table whose record two people closed goes on as another table; its own rounds stay what they were."""

import dataclasses
import datetime as dt

import pytest

from audit import clock, people, record, verification
from audit.devices import enroll
from audit.refusals import ClockRefused, StreamClosed
from audit.sealing.declarations import close_stream, declare_incarnation
from tables.demo.seeding import approve_equipment, make_lot
from tables.models import Alert, Assignment, Shaker, Table
from tables.runner.table import for_each_table
from tables.ticker import tick
from tests.services.entries import any_entry
from tests.tables.cast import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


@pytest.fixture
def scene() -> Scene:
    """A round was played; then somebody wrote an entry of a far year."""
    scene = make_scene()
    scene.play((1, "small", 2_500), dice=[1, 2, 5])
    scene.finish()
    ahead = clock.now() + dt.timedelta(days=3_650)
    entry = any_entry("dispute.reported", {})
    record.append(scene.fresh.stream, entry=entry, moment=ahead, gaming_day=ahead.date())
    return scene


def closed(scene: Scene) -> Table:
    stream = close_stream("larkfield/T-01", scene.people["compliance"], scene.people["floorperson"], "jammed")
    return Table.objects.get(stream=stream)


def test_a_jammed_table_goes_on_as_its_continuation(scene):
    with pytest.raises(ClockRefused):
        scene.place((1, "small", 2_500))
    table = closed(scene)
    assert (table.code, table.status, table.seats) == ("T-01-2", "closed", scene.table.seats)
    with pytest.raises(StreamClosed) as refused:
        scene.close()
    assert "larkfield/T-01 is closed: it continues under another name" in refused.value.sentence
    Shaker.objects.create(facility=table.facility, table=table, code="S-02", kind=Shaker.objects.get().kind)
    make_lot(table, "L-0101")
    approve_equipment(table)
    tablet, _token = enroll("Tablet of T-01-2", "larkfield", "dealer", "larkfield/T-01-2")
    later = dataclasses.replace(scene, table=table, tablet=tablet)
    Assignment.objects.create(
        person=scene.people["dealer"], facility=table.facility, table=table, started_at=clock.now()
    )
    later.act("change_dice_lot", {"lot": "L-0101", "seal": "SEAL-2"}, by="floorperson", device=scene.podium)
    later.staff()
    later.inspect()
    later.open()
    later.play((2, "big", 2_500), dice=[1, 2, 5])
    later.finish()
    assert [(round_.table.code, round_.number) for round_ in (scene.last_round, later.last_round)] == [
        ("T-01", 1), ("T-01-2", 1),
    ]  # fmt: skip


def test_a_closed_table_is_left_alone(scene, caplog):
    """The ticker passes it over, and a declared incarnation does not try to resume it."""
    stream = scene.fresh.stream
    halt = any_entry("table.halted", {})
    record.append(stream, entry=halt, moment=stream.last_at, gaming_day=stream.last_at.date())
    Table.objects.update(halted_at=stream.last_at)
    table = closed(scene)
    visited = for_each_table(Table.objects.all(), lambda ctx: True)
    assert (visited, caplog.messages) == ([table.pk], [])
    declare_incarnation(scene.people["compliance"], scene.people["floorperson"], "restored")
    assert Table.objects.exclude(halted_at=None).get().code == "T-01"
    assert table.stream.continues.name == "larkfield/T-01"
    assert [finding.code for finding in verification.verify().findings] == []


def test_wrong_pins_at_the_tablet_of_a_closed_table_alert_the_table_that_continues_it(scene):
    table = closed(scene)
    for _ in range(5):
        people.count_wrong_pin(scene.tablet, scene.people["dealer"], None, clock.now())
    tick()
    assert [alert.table for alert in Alert.objects.filter(kind="pins-guessed")] == [table]


def test_the_pages_of_the_floor_show_a_closed_table_without_an_act_and_without_its_far_time(scene):
    closed(scene)
    assert (scene.snapshot["offers"], scene.snapshot["as_of"][:4]) == ([], str(clock.now().year))
    podium = scene.browser("podium", "shift-manager")
    pages = ("", "tiles", "T-01/", "dice/", "equipment/", "staff/")
    assert [page for page in pages if podium.get(f"/floor/larkfield/{page}").status_code != 200] == []

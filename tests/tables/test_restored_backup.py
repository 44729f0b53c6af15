"""The real thing: an old backup is restored as a superuser would, and the next act of a tablet finds it.

A restored backup lacks the sessions too, so the tablet's head is judged although nobody is signed in at it any more.
"""

import json

import pytest
from django.apps import apps
from django.db import connection

from audit.devices import enroll
from audit.models import Entry, Stream
from audit.record import parse_stored
from tables.models import Alert
from tables.runner import halts
from tables.screens import snapshot
from tests.services.emptying import guards_aside
from tests.tables.cast import PIN, make_scene
from tests.tables.test_halts import act, declare, entries, foreign, head_of, post, refused

pytestmark = pytest.mark.both_databases


def tables():
    return sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)})


def pause_foreign_keys(cursor):
    """Let a transaction replace rows before those that refer to them."""
    if connection.vendor == "postgresql":
        cursor.execute("SET LOCAL session_replication_role = replica")


@pytest.fixture
def backup(transactional_db):
    """Backs the whole database up when called, and returns what restores it, past the guards.

    Not into temporary tables: a sign-in returns its connection to the pool.
    """

    def back_up():
        with connection.cursor() as cursor:
            for name in tables():
                cursor.execute(f'CREATE TABLE "kept_{name}" AS SELECT * FROM "{name}"')
        return restore

    def restore():
        with guards_aside(connection), connection.cursor() as cursor:
            pause_foreign_keys(cursor)
            for name in tables():
                cursor.execute(f'DELETE FROM "{name}"')
                cursor.execute(f'INSERT INTO "{name}" SELECT * FROM "kept_{name}"')
            connection.check_constraints()  # all of them now: the guards are put back in this transaction

    yield back_up
    with connection.cursor() as cursor:
        for name in tables():
            cursor.execute(f'DROP TABLE IF EXISTS "kept_{name}"')


def test_an_old_backup_is_found_by_the_next_act_of_the_tablet(backup):
    scene = make_scene()
    act(scene, head_of(scene))
    restore = backup()
    kept = scene.version
    scene.act("shake", {"shakes": 3})
    last = head_of(scene)
    restore()
    assert scene.version == kept
    refused(scene, "record-went-back", last, "call_dice", {"dice": [1, 2, 3]})
    assert entries(scene, "table.halted")[0]["data"]["seen"] == kept + 1
    declare(scene)
    act(scene, head_of(scene), "shake", {"shakes": 3})


def test_an_old_backup_is_found_when_play_went_on_upon_it(backup):
    """Its numbers have caught up with what the tablet saw: the hashes have not."""
    scene = make_scene()
    restore = backup()
    scene.place((2, "big", 5_000))
    last = head_of(scene)
    restore()
    scene.act("shake", {"shakes": 3})
    assert scene.version == last["seq"]
    scene.place((1, "small", 2_500))
    refused(scene, "record-went-back", last)
    assert snapshot.of_table(scene.table.pk)["halted"] is not None


def test_a_cut_tail_is_found_by_the_next_act_of_the_tablet(transactional_db):
    scene = make_scene()
    act(scene, None)
    last = head_of(scene)
    stream = scene.table.stream
    before = Entry.objects.get(stream=stream, seq=last["seq"] - 1)
    with guards_aside(connection):
        Entry.objects.filter(stream=stream, seq=last["seq"]).delete()
        Stream.objects.filter(pk=stream.pk).update(seq=before.seq, head=before.hash, last_at=before.at)
    refused(scene, "record-went-back", last)


@pytest.fixture
def gone_back(backup):
    """A scene whose record and sessions went back below what its tablet has shown: the scene, tablet and last head."""
    scene = make_scene()
    restore = backup()
    tablet = scene.browser("tablet", "dealer")
    scene.place((2, "big", 5_000))
    last = head_of(scene)
    restore()
    return scene, tablet, last


def is_halted_everywhere(scene, device):
    """Whether the table is halted by this device alone, and the pit's screens show it."""
    (halted,) = entries(scene, "table.halted")
    assert (halted["actor"], halted["device"]) == (None, str(device.pk))
    floor = scene.browser("podium", "floorperson").get("/floor/larkfield/").content.decode()
    assert Alert.objects.get(key="record-went-back").level == "stop"
    return (
        scene.fresh.halted_at is not None
        and " data-halted" in floor
        and "The record was rolled back" in floor
    )


def test_the_first_act_after_a_restore_halts_the_table_although_the_session_is_gone(gone_back):
    scene, tablet, last = gone_back
    answer = post(tablet, scene, last)
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (423, "record-went-back")
    assert answer.json()["screen"] is None
    assert is_halted_everywhere(scene, scene.tablet)
    assert post(tablet, scene, last).status_code == 401
    declare(scene)
    assert post(tablet, scene, last).status_code == 401
    assert scene.fresh.halted_at is None


def test_the_head_that_a_device_stored_halts_the_table_before_a_pin_is_looked_at(gone_back):
    scene, tablet, last = gone_back
    stored = json.dumps({"larkfield/T-01": [last], "larkfield/T-99": [last], "": 7})
    assert tablet.post("/sign-in", {"person": "dealer", "pin": "000000", "heads": stored}).status_code == 403
    assert is_halted_everywhere(scene, scene.tablet)


def test_a_podium_brings_the_heads_of_all_its_tables(gone_back):
    scene, _tablet, last = gone_back
    podium = scene.browser("podium")
    stored = json.dumps({"larkfield/T-01": [last]})
    podium.post("/sign-in", {"person": "floorperson", "pin": PIN, "heads": stored})
    assert is_halted_everywhere(scene, scene.podium)


def test_a_stored_head_comes_with_the_first_act_of_a_page_that_shows_less(gone_back):
    scene, tablet, last = gone_back
    tablet.post("/sign-in", {"person": "dealer", "pin": PIN})
    answer = post(tablet, scene, head_of(scene), stored_heads=[last])
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (423, "record-went-back")
    assert " data-halted" in answer.json()["screen"]["html"]


def test_each_head_that_a_device_has_stored_is_judged(gone_back):
    scene, tablet, last = gone_back
    tablet.post("/sign-in", {"person": "dealer", "pin": PIN})
    answer = post(tablet, scene, head_of(scene), stored_heads=[head_of(scene), last])
    assert (answer.status_code, answer.json()["refusal"]["code"]) == (423, "record-went-back")


@pytest.mark.django_db
def test_a_stored_head_without_our_mac_or_of_another_table_halts_nothing(scene):
    tablet, ours = scene.browser("tablet"), foreign(scene)
    before = scene.version
    for head in ({**ours, "mac": "0" * 64}, {"seq": 3}, None):
        assert post(tablet, scene, head, stored_heads=[head]).status_code == 401
    for stored in (
        {"larkfield/T-01": [{**ours, "mac": "0" * 64}]},
        {"larkfield/T-02": [ours]},
        {"larkfield/T-01": [{"seq": "7"}]},
        {"larkfield/T-01": ours},
        [ours],
        "[" * 100_000,
    ):
        text = stored if isinstance(stored, str) else json.dumps(stored)
        assert tablet.post("/sign-in", {"person": "dealer", "pin": PIN, "heads": text}).status_code == 302
    assert post(tablet, scene, head_of(scene), stored_heads=[{**ours, "mac": ""}]).status_code == 200
    assert (scene.fresh.halted_at, scene.version) == (None, before + 1)
    assert not Alert.objects.filter(kind="head-not-ours").exists()


@pytest.mark.django_db
def test_a_device_of_another_table_halts_nothing(scene):
    elsewhere, _token = enroll("Tablet of T-02", "larkfield", "dealer", "larkfield/T-02")
    assert halts.halt_for_device(elsewhere, {"larkfield/T-01": parse_stored([foreign(scene)])}) == []
    assert halts.halt_for_device(None, {"larkfield/T-01": parse_stored([foreign(scene)])}) == []
    assert scene.fresh.halted_at is None

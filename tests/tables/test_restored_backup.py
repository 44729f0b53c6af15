"""The real thing: an old backup is restored as a superuser would, and the next act of a tablet finds it."""

import pytest
from django.apps import apps
from django.db import connection

from audit.models import Entry, Stream
from tables.screens import snapshot
from tests.services.emptying import guards_aside
from tests.tables.cast import make_scene
from tests.tables.test_halts import act, declare, entries, head_of, refused

pytestmark = pytest.mark.both_databases


def tables():
    return sorted({model._meta.db_table for model in apps.get_models(include_auto_created=True)})


@pytest.fixture
def backup(transactional_db):
    """Backs the whole database up when called, and returns what restores it, past the guards."""

    def back_up():
        with connection.cursor() as cursor:
            for name in tables():
                cursor.execute(f'CREATE TEMPORARY TABLE "kept_{name}" AS SELECT * FROM "{name}"')
        return restore

    def restore():
        with guards_aside(connection), connection.cursor() as cursor:
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

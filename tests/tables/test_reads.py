"""Hand-written statements read what the ORM would read, on both databases."""

import pytest
from django.db import transaction

from audit.models import Command
from audit.runner import one_transaction
from tables.core import duty
from tables.core.context import locked_table, read_play, read_table
from tables.core.duty import is_on_duty
from tables.models import Assignment, DiceLot, Round, Shaker, Table, Wager
from tables.screens import table_history
from tests.tables.cast import ROLES, make_scene

pytestmark = pytest.mark.both_databases


def same(row, expected) -> bool:
    """Whether every column has the same value and type."""
    fields = [field.attname for field in type(expected)._meta.concrete_fields]
    return all(
        (getattr(row, name), type(getattr(row, name)))
        == (getattr(expected, name), type(getattr(expected, name)))
        for name in fields
    )


def test_the_locked_table_is_the_table_with_its_stream_and_facility(scene):
    locked = locked_table("larkfield", "T-01", scene.people["dealer"]).table
    table = Table.objects.select_related("stream", "facility").get(pk=scene.table.pk)
    assert same(locked, table) and same(locked.stream, table.stream) and same(locked.facility, table.facility)


def round_in_play(table):
    return Round.objects.select_related("submission").get(table=table, ended_at=None)


def test_the_wagers_and_the_dice_take_one_statement_each(scene, django_assert_num_queries):
    scene.place((1, "small", 2_500), (2, "total:9", 1_000))
    round_ = scene.round
    with django_assert_num_queries(1):
        wagers = Wager.objects.of_round(round_.pk)
    assert [(wager.seat, wager.code) for wager in wagers] == [(1, "small"), (2, "total:9")]
    with django_assert_num_queries(1):
        lot = DiceLot.objects.in_use_at(scene.table.pk)
        assert (lot.shaker.table_id, lot.status) == (scene.table.pk, "placed")


def test_play_takes_one_statement_with_the_accepted_act(scene, django_assert_num_queries):
    scene.place((1, "small", 2_500))
    command = Command.objects.latest("at")
    table = scene.fresh
    with django_assert_num_queries(1):
        play, accepted = read_play(table, command.pk)
    assert same(accepted, command) and same(play.round, round_in_play(table))
    assert not play.services and set(play.holders) == set(play.at_work) == {table.dealer_id}
    Assignment.objects.filter(person=table.dealer).update(ended_at=scene.fresh.stream.last_at)
    Round.objects.update(ended_at=scene.fresh.stream.last_at)
    play, accepted = read_play(table)
    assert (play.round, accepted) == (None, None) and not play.at_work


@pytest.mark.parametrize("role", ROLES)
def test_duty_is_asked_alike_with_the_lock_and_without(scene, role):
    person = scene.people[role]
    assert locked_table("larkfield", "T-01", person).on_duty == is_on_duty(person, scene.fresh)
    Assignment.objects.filter(person=person).update(ended_at=scene.fresh.stream.last_at)
    assert not locked_table("larkfield", "T-01", person).on_duty


def test_the_table_shown_has_its_pit_and_its_people_or_none(scene):
    table = read_table(scene.table.pk).table
    assert same(table.pit, scene.fresh.pit) and same(table.dealer, scene.people["dealer"])
    assert same(table.floorperson, scene.people["floorperson"])
    Table.objects.update(dealer=None, floorperson=None)
    table_shown = read_table(scene.table.pk).table
    assert (table_shown.dealer, table_shown.floorperson) == (None, None)


def test_the_table_shown_has_its_round_and_its_dice_or_none(scene):
    table_read = read_table(scene.table.pk)
    assert table_read.play.round is None and not table_read.play.services
    assert same(table_read.play.lot, DiceLot.objects.in_use_at(scene.table.pk))
    assert same(table_read.play.shaker, table_read.play.lot.shaker)
    scene.place((1, "small", 2_500))
    round_ = round_in_play(scene.table)
    round_read = read_table(scene.table.pk).play.round
    assert same(round_read, round_) and same(round_read.submission, round_.submission)
    Shaker.objects.update(out_of_order=True)
    table_read = read_table(scene.table.pk)
    assert (table_read.play.shaker, table_read.play.lot) == (None, None)


def test_the_table_shown_names_the_lots_that_wait_and_whether_anybody_is_called(scene):
    table_read = read_table(scene.table.pk)
    assert (table_read.play.issued, table_read.play.calls) == (
        ("L-0002", "L-0003", "L-0004", "L-0005"),
        False,
    )
    DiceLot.objects.filter(status="issued").update(status="stored", table=None)
    scene.act("report_dispute", {"seat": 1, "about": "a late chip"})
    table_read = read_table(scene.table.pk)
    assert (table_read.play.issued, table_read.play.calls) == ((), True)


def test_everybody_at_a_football_table_comes_with_it(db, django_assert_num_queries):
    scene = make_scene("pa-577")
    with django_assert_num_queries(1):
        table = read_table(scene.table.pk).table
        people = [table.dealer, table.dealer_left, table.stickperson, table.floorperson]
    assert [person.code for person in people] == ["dealer", "relief", "stickperson", "floorperson"]


@pytest.mark.parametrize("role", ROLES)
def test_who_is_at_work_is_who_is_active_and_on_duty(scene, role):
    person = scene.people[role]
    at_work = {person.pk} if is_on_duty(person, scene.fresh) else set()
    assert duty.at_work(scene.fresh, [person.pk]) == at_work
    Assignment.objects.filter(person=person).update(elsewhere="craps", pit=None, table=None)
    assert duty.at_work(scene.fresh, [person.pk]) == set()
    assert not is_on_duty(person, scene.fresh)
    assert not locked_table("larkfield", "T-01", person).on_duty


def test_the_newest_acts_are_read_once_and_their_people_together(scene, django_assert_num_queries):
    scene.place((1, "small", 5_000))
    scene.act("report_dispute", {"seat": 1, "about": "a late chip"}, by="floorperson")
    table = scene.fresh
    table_history._newest_lines.clear()
    with django_assert_num_queries(1):
        first = table_history.acts(table)
    assert [(line["type"], line["who"]) for line in first[1:3]] == [
        ("dispute.reported", "Floorperson"), ("wagers.placed", "Dealer"),
    ]  # fmt: skip
    with django_assert_num_queries(1):
        assert table_history.acts(table) == first


def test_the_newest_acts_are_those_of_the_record_after_it_went_on_or_back(scene):
    scene.place((1, "small", 5_000))
    first = table_history.acts(scene.fresh)
    last_seq = scene.version
    with transaction.atomic(), one_transaction():
        for cents in range(1_000, 2_500, 100):  # more than are shown
            scene.place((1, "small", cents))
        assert [line["seq"] for line in table_history.acts(scene.fresh)] == list(
            range(scene.version, scene.version - table_history.LAST_ACTS, -1)
        )
        transaction.set_rollback(True)
    assert scene.version == last_seq
    assert table_history.acts(scene.fresh) == first


def test_nobody_is_at_work_where_nobody_is_asked_about(scene, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert duty.at_work(scene.table, []) == set()


def test_a_table_that_is_not_there_is_not_locked(scene):
    with pytest.raises(Table.DoesNotExist):
        locked_table("larkfield", "T-99")

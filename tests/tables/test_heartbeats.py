"""Heartbeats that are due together: few statements, and each socket its own outcome."""

import asyncio
import datetime as dt
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.db import OperationalError, connection
from django.test.utils import CaptureQueriesContext

from audit import clock, people
from audit.models import Device, Person
from tables.models import Assignment
from tables.runner.access import Denied, Locked, SignedOut
from tables.views import sockets
from tables.views.sockets import (
    HERE,
    Beat,
    FloorConsumer,
    Heartbeats,
    SignConsumer,
    TableConsumer,
    run_heartbeats,
)
from tests.tables.cast import make_scene

ADDRESS = {"facility": "larkfield", "table": "T-01"}


def socket(kind: type[Any], browser: Any, station: str = "table") -> Any:
    """A socket of this browser, as if it had connected."""
    opened = kind()
    cookies = {name: morsel.value for name, morsel in browser.cookies.items()}
    opened.scope = {"cookies": cookies, "url_route": {"kwargs": {**ADDRESS, "station": station}}}
    return opened


@pytest.mark.django_db
@pytest.mark.both_databases
def test_sockets_that_are_due_together_take_two_statements_for_who_they_are_one_for_their_tables_and_one_for_the_record(
    scene, django_assert_num_queries
):
    podium, tablet = scene.browser("podium", "floorperson"), scene.browser("tablet", "dealer")
    sockets = [socket(TableConsumer, podium) for _ in range(3)]
    sockets += [socket(TableConsumer, tablet)]
    beat = Beat({"T-01": scene.version}, incarnation=1)
    with django_assert_num_queries(4):
        assert run_heartbeats(sockets) == [beat] * 4
    # A display also asks whether it may show earlier rolls.
    assert run_heartbeats([*sockets, socket(SignConsumer, podium)]) == [beat] * 5
    floors = [socket(FloorConsumer, podium), socket(FloorConsumer, podium), sockets[0]]
    run_heartbeats(floors)
    with django_assert_num_queries(6):  # the versions of a floor and the duty of its person are read once
        assert run_heartbeats(floors) == [beat] * 3


@pytest.mark.django_db
@pytest.mark.both_databases
def test_who_may_no_longer_watch_is_refused_beside_others_for_the_same_reason_as_alone(scene):
    podium, tablet = scene.browser("podium", "floorperson"), scene.browser("tablet", "dealer")
    stays = socket(FloorConsumer, podium)
    leaves = socket(TableConsumer, tablet, "dealer")

    def refused() -> type[object]:
        assert isinstance(run_heartbeats([stays])[0], Beat)
        together, alone = run_heartbeats([stays, leaves, stays]), run_heartbeats([leaves])
        assert isinstance(together[0], Beat) and together[0] == together[2]
        assert type(together[1]) is type(alone[0])
        return type(together[1])

    assert refused() is Beat
    people.lock(Device.objects.get(pk=scene.tablet.pk))
    assert refused() is Locked
    Device.objects.filter(pk=scene.tablet.pk).update(locked_at=None, place="larkfield/T-09")
    assert refused() is Denied
    Device.objects.filter(pk=scene.tablet.pk).update(revoked_at=clock.now())
    assert refused() is SignedOut
    tablet.session.flush()
    assert refused() is SignedOut


@pytest.mark.django_db
@pytest.mark.both_databases
def test_a_tablet_of_a_post_is_heard_by_its_answers_and_not_because_its_socket_is_open():
    scene = make_scene("pa-577")
    tablet = socket(TableConsumer, scene.browser("tablet", "dealer"), "dealer")

    def heard_at() -> dt.datetime | None:
        assert isinstance(run_heartbeats([tablet])[0], Beat)
        assert tablet.news() == {"silent": []}
        return Device.objects.get(pk=scene.tablet.pk).heard_at

    connected = heard_at()
    assert connected and heard_at() == connected
    async_to_sync(tablet.receive)(HERE)
    answered = heard_at()
    assert answered and answered > connected
    assert heard_at() == answered


@pytest.mark.django_db
def test_tablets_that_are_due_together_are_noted_as_heard_in_one_statement(scene):
    browser = scene.browser("tablet", "dealer")
    tablets = [socket(TableConsumer, browser, "dealer") for _ in range(3)]
    with CaptureQueriesContext(connection) as queries:
        assert all(isinstance(beat, Beat) for beat in run_heartbeats(tablets))
    assert sum("UPDATE" in query["sql"] for query in queries) == 1
    assert Device.objects.get(pk=scene.tablet.pk).heard_at is not None


@pytest.mark.django_db
def test_a_table_with_one_post_hears_nothing_of_silent_posts(scene):
    tablet = socket(TableConsumer, scene.browser("tablet", "dealer"), "dealer")
    assert run_heartbeats([tablet]) == [Beat({"T-01": scene.version}, incarnation=1)]
    assert tablet.news() == {}


@pytest.mark.django_db
def test_a_floor_hears_where_its_person_answers_alerts_after_each_change_of_duty(scene):
    floor = socket(FloorConsumer, scene.browser("podium", "floorperson"))
    duty = Assignment.objects.filter(person__code="floorperson")

    def news() -> dict[str, Any]:
        assert run_heartbeats([floor]) == [Beat({"T-01": scene.version}, incarnation=1)]
        return floor.news()

    assert (news(), news()) == ({"answered": ["T-01"]}, {})
    duty.update(ended_at=clock.now())
    assert (news(), news()) == ({"answered": []}, {})


class Named:
    """A socket whose heartbeat returns its name, or fails."""

    scope: Any = {"url_route": {"kwargs": {"facility": "larkfield"}}}

    def __init__(self, name: str, error: Exception | None = None) -> None:
        self.name, self.error = name, error

    def heartbeat(self, shared: Any = None) -> dict[str, int]:
        if self.error:
            raise self.error
        return {self.name: 1}


async def beat(*sockets: Named) -> list[Any]:
    together = Heartbeats()
    return await asyncio.gather(*(together.beat(each) for each in sockets), return_exceptions=True)


async def test_what_fails_at_one_socket_fails_at_no_other(monkeypatch):
    monkeypatch.setattr(sockets, "read_together", lambda addresses: None)
    monkeypatch.setattr(sockets, "current_incarnation_number", lambda: 1)
    monkeypatch.setattr(sockets, "MOST_TOGETHER", 2)
    gone = OperationalError("gone")
    assert await beat(Named("a"), Named("b", gone), Named("c")) == [
        Beat({"a": 1}, 1),
        gone,
        Beat({"c": 1}, 1),
    ]


async def test_an_outage_of_the_database_is_what_every_socket_gets_and_the_next_heartbeats_are_tried(
    monkeypatch,
):
    gone = OperationalError("gone")
    monkeypatch.setattr(sockets, "current_incarnation_number", lambda: 1)

    def failing(addresses: Any) -> None:
        raise gone

    with monkeypatch.context() as outage:
        outage.setattr(sockets, "read_together", failing)
        assert await beat(Named("a"), Named("b")) == [gone, gone]
    monkeypatch.setattr(sockets, "read_together", lambda addresses: None)
    assert await beat(Named("a"), Named("b")) == [Beat({"a": 1}, 1), Beat({"b": 1}, 1)]


@pytest.mark.django_db
@pytest.mark.both_databases
def test_sockets_hear_who_may_watch_although_no_tablet_can_be_noted_as_heard(scene, monkeypatch, caplog):
    def refuse(*_devices: object) -> None:
        raise OperationalError("read only")

    tablet, podium = scene.browser("tablet", "dealer"), scene.browser("podium", "floorperson")
    due = [socket(TableConsumer, tablet, "dealer"), socket(TableConsumer, podium)]
    monkeypatch.setattr(sockets, "note_heard", refuse)
    people.end_sessions(Person.objects.get(code="floorperson"))
    seen, refused = run_heartbeats(due)
    assert seen == Beat({"T-01": scene.version}, incarnation=1)
    assert isinstance(refused, Locked)
    assert "were not noted as heard" in caplog.text


async def test_heartbeats_that_already_wait_in_numbers_are_run_at_once(monkeypatch):
    slept: list[float] = []
    pause = asyncio.sleep

    async def note(seconds: float) -> None:
        slept.append(seconds)
        await pause(0)

    monkeypatch.setattr(asyncio, "sleep", note)
    monkeypatch.setattr(sockets, "MOST_TOGETHER", 2)
    monkeypatch.setattr(sockets, "run_heartbeats", lambda due: [Beat({}, 1)] * len(due))
    beats = Heartbeats()
    await asyncio.gather(*(beats.beat(None) for _ in range(4)))
    assert slept.count(sockets.GATHER_SECONDS) == 0

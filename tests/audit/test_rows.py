"""What is read by a statement of our own is what the ORM would have read, on both databases."""

import uuid

import pytest
from django.http import HttpResponse
from django.test import RequestFactory

from audit import clock, commands, devices, record
from audit.models import Command, Device, Person
from audit.people import PinBackend

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def same(one, other) -> bool:
    """Every column alike, value and kind."""
    fields = [field.attname for field in type(other)._meta.concrete_fields]
    return all(
        (getattr(one, name), type(getattr(one, name))) == (getattr(other, name), type(getattr(other, name)))
        for name in fields
    )


@pytest.fixture
def person():
    return Person.objects.create_person(
        "mei", "123456", name="Mei Tran", role="dealer", department="table-games", facility="larkfield"
    )


def test_a_device_comes_with_its_person_or_with_nobody(person):
    device, token = devices.enroll("Tablet", "larkfield", "dealer", "larkfield/T-01")
    request = RequestFactory().get("/")
    response = HttpResponse()
    devices.set_device_cookie(response, token)
    request.COOKIES = {name: morsel.value for name, morsel in response.cookies.items()}
    assert same(devices.device_of(request), Device.objects.get(pk=device.pk))
    assert devices.device_of(request).person is None
    Device.objects.update(person=person, signed_on_at=clock.now())
    assert same(devices.device_of(request).person, Person.objects.get())
    Device.objects.update(revoked_at=clock.now())
    assert devices.device_of(request) is None


def test_a_session_finds_its_person_until_they_leave(person):
    assert same(PinBackend().get_user(person.pk), Person.objects.get())
    Person.objects.update(is_active=False)
    assert PinBackend().get_user(person.pk) is None


def test_a_command_is_read_as_it_was_saved(person):
    stream, identity = record.open_stream("larkfield/T-01"), uuid.uuid4()
    commands.save(
        identity,
        content=bytes(32),
        stream=stream,
        seq=1,
        answer={"round": 3},
        moment=clock.now(),
        actor=person,
    )
    assert same(commands.find(identity), Command.objects.get())
    assert commands.find(uuid.uuid4()) is None

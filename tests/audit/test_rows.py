"""What is read by a statement of our own is what the ORM would have read, on both databases."""

import uuid
from typing import Any

import pytest
from django.contrib.auth import get_user, login
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, transaction
from django.http import HttpResponse
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext

from audit import clock, devices, record, runner
from audit.identity import SessionStore, identify
from audit.models import Command, Device, Person, Stream
from audit.people import SESSION_DEVICE, PinBackend
from audit.refusals import StreamMoved
from audit.rows import collected_writes, insert, statement_cursor, update
from tests.services.entries import any_entry

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
    request.session = SessionStore()
    assert same(identify(request).device, Device.objects.get(pk=device.pk))
    assert identify(request).device.person is None
    Device.objects.update(person=person, signed_on_at=clock.now())
    assert same(identify(request).device.person, Person.objects.get())
    Device.objects.update(revoked_at=clock.now())
    assert identify(request).device is None


def test_a_session_finds_its_person_until_they_leave(person):
    assert same(PinBackend().get_user(person.pk), Person.objects.get())
    Person.objects.update(is_active=False)
    assert PinBackend().get_user(person.pk) is None


def signed_in_request(person):
    """A request from an enrolled device with the session of this person, who is signed in at it."""
    device, token = devices.enroll("Tablet", "larkfield", "dealer", "larkfield/T-01")
    Device.objects.filter(pk=device.pk).update(person=person, signed_on_at=clock.now())
    request, response = RequestFactory().get("/"), HttpResponse()
    devices.set_device_cookie(response, token)
    request.COOKIES = {name: morsel.value for name, morsel in response.cookies.items()}
    request.session = SessionStore()
    login(request, person, backend="audit.people.PinBackend")
    request.session[SESSION_DEVICE] = str(device.pk)
    request.session.save()
    key = request.session.session_key
    request.session = SessionStore(key)
    return request


def test_device_session_and_person_are_read_in_one_statement(person, django_assert_num_queries):
    request = signed_in_request(person)
    with django_assert_num_queries(1):
        identity = identify(request)
    assert same(identity.user, Person.objects.get()) and same(identity.user, get_user(request))
    assert request.session.get_expiry_age() > 0 and not request.session.modified


def test_a_request_without_cookies_reads_nothing(django_assert_num_queries):
    request = RequestFactory().get("/healthz")
    request.session = SessionStore()
    with django_assert_num_queries(0):
        assert not identify(request).user.is_authenticated


def test_a_session_with_another_hash_has_no_person(person):
    """Its person got another PIN meanwhile."""
    request = signed_in_request(person)
    person.set_password("654321")
    person.save()
    assert not identify(request).user.is_authenticated


def test_a_session_that_is_over_has_no_person(person):
    request = signed_in_request(person)
    Session.objects.update(expire_date=clock.now())
    assert not identify(request).user.is_authenticated


def test_a_session_of_another_person_than_the_device_has_its_own(person):
    other = Person.objects.create_person(
        "tran", "123456", name="Tran", role="dealer", department="table-games", facility="larkfield"
    )
    request = signed_in_request(person)
    Device.objects.update(person=other)
    identity = identify(request)
    assert (identity.user, identity.device.person) == (person, other)
    Person.objects.filter(pk=person.pk).update(is_active=False)
    request.session = SessionStore(request.session.session_key)
    assert not identify(request).user.is_authenticated


def test_fields_are_saved_as_the_orm_saves_them(person):
    device, _token = devices.enroll("Tablet", "larkfield", "dealer", "larkfield/T-01")
    device.name, device.person, device.signed_on_at = "Another", person, clock.now()
    update(device, ["name", "person", "signed_on_at"])
    saved = Device.objects.get()
    assert same(saved, device)
    device.save(update_fields=["name", "person", "signed_on_at"])
    assert same(Device.objects.get(), saved)
    Device.objects.all().delete()
    with pytest.raises(Device.DoesNotExist):
        update(device, ["name"])


def test_a_new_row_gets_the_key_that_the_database_makes():
    made = Stream.at_genesis("larkfield/T-01")
    made.save()
    stream = Stream.at_genesis("larkfield/T-02")
    insert(stream)
    assert same(stream, Stream.objects.get(name="larkfield/T-02")) and stream.pk == made.pk + 1


def test_a_command_is_read_as_it_was_saved(person):
    stream, identity = record.open_stream("larkfield/T-01"), uuid.uuid4()
    runner.save_command(
        identity,
        content=bytes(32),
        stream=stream,
        seq=1,
        answer={"round": 3},
        moment=clock.now(),
        actor=person,
    )
    assert same(runner.find_command(identity), Command.objects.get())
    assert runner.find_command(uuid.uuid4()) is None


def rows_of(sql: str, *params: object) -> list[tuple[object, ...]]:
    with statement_cursor() as cursor:
        cursor.execute(sql, params)
        return cursor.fetchall()


def test_statements_read_alike_one_after_the_other_whatever_failed_in_between():
    assert rows_of("SELECT %s", 1) == [(1,)] and rows_of("SELECT %s", "two") == [("two",)]
    with pytest.raises(DatabaseError), transaction.atomic():
        rows_of("SELECT no_such_column")
    assert rows_of("SELECT %s, %s", 3, "three") == [(3, "three")]
    with CaptureQueriesContext(connection) as queries:
        assert rows_of("SELECT %s", 4) == [(4,)]
    assert rows_of("SELECT %s", 5) == [(5,)]
    assert len(queries) == 1


@pytest.mark.postgres
@pytest.mark.django_db(transaction=True)
def test_a_connection_has_one_cursor_until_it_is_given_back():
    def cursor_of_statement() -> Any:
        with statement_cursor() as cursor:
            cursor.execute("SELECT 1")
            return cursor

    first = cursor_of_statement()
    assert cursor_of_statement() is first
    connection.close()
    second = cursor_of_statement()
    assert second is not first and second.connection is connection.connection


def append(stream, number: int) -> record.Appended:
    entry = any_entry("test.tick", {"n": number})
    return record.append(stream, entry=entry, moment=clock.now(), gaming_day=clock.now().date())


def test_collected_writes_are_there_for_the_next_read_in_their_order(person):
    with collected_writes(), transaction.atomic():
        person.name = "Mei"
        update(person, ["name"])
        person.name = "Mei Li"
        update(person, ["name"])
        assert Person.objects.get().name == "Mei Li"
    assert Person.objects.get().name == "Mei Li"


def test_what_is_rolled_back_is_not_written_later(person):
    with collected_writes(), transaction.atomic():
        with pytest.raises(LookupError), transaction.atomic():
            person.name = "Nobody"
            update(person, ["name"])
            raise LookupError
        assert Person.objects.get().name == "Mei Tran"
    with pytest.raises(LookupError), collected_writes(), transaction.atomic():
        update(person, ["name"])
        raise LookupError
    assert Person.objects.get().name == "Mei Tran"


@pytest.mark.django_db(transaction=True)
def test_a_collected_write_that_fails_takes_all_of_them_back_and_is_explained(person):
    gone = Person(pk=999_999, name="Nobody")
    stream = record.open_stream("larkfield/T-01")
    moved = record.open_stream("larkfield/T-01")
    with transaction.atomic():
        append(moved, 1)
    for fails, refusal in (
        (lambda: update(gone, ["name"]), Person.DoesNotExist),
        (lambda: append(stream, 2), StreamMoved),
    ):
        person.name = "Another"
        with pytest.raises(refusal), collected_writes(), transaction.atomic():
            update(person, ["name"])
            fails()
        assert Person.objects.get().name == "Mei Tran"
    assert record.open_stream("larkfield/T-01").seq == 1

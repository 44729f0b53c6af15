"""People and devices whose rows somebody changes in the database: a full verification names row and entry."""

import hashlib
import io
import json
from unittest import mock

import pytest
from django.contrib.auth.hashers import make_password
from django.core.management import call_command

from audit import devices, people, registration, verification
from audit.models import Device, Entry, Person
from audit.sealing.declarations import close_stream

from .conftest import MOMENT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


ON_LEAVE = {"leave_from": "2026-11-21", "leave_reason": "vacation"}


def found():
    return [finding.as_data() for finding in verification.verify().findings]


def recorded(stream="larkfield/sign-in"):
    entries = Entry.objects.filter(stream__name=stream, type="person.recorded").order_by("seq")
    return [(entry.seq, json.loads(bytes(entry.body))["data"]) for entry in entries]


def record_people():
    """State everybody, for which the floorperson answers with her PIN. Returns what is printed."""
    out = io.StringIO()
    with mock.patch("sys.stdin", io.StringIO("654321\n")):
        call_command("record_people", "--by", "okafor-a", "--pin-from-stdin", stdout=out)
    return out.getvalue()


@pytest.fixture
def on_record(tablet, dealer, floorperson):
    record_people()
    assert found() == []
    return {data["code"]: seq for seq, data in recorded()}


@pytest.mark.parametrize(
    ("changed", "column"),
    [
        ({"password": make_password("999999")}, "PIN"),
        ({"role": "shift-manager"}, "role"),
        ({"department": "compliance"}, "department"),
        ({"facility": ""}, "facility"),
        ({"is_active": False}, "is_active"),
        ({"badge": "4417"}, "badge"),
        ({"licence_ends_on": "2030-01-31"}, "licence_ends_on"),
        ({"pin_must_change": True}, "pin_must_change"),
        ({"pin_ends_at": MOMENT}, "pin_ends_at"),
        ({"leave_until": "2030-01-31", **ON_LEAVE}, "leave_from"),
    ],
)
def test_a_person_whose_row_was_changed_is_named_with_the_entry(on_record, changed, column):
    Person.objects.filter(code="tran-m").update(**changed)
    seq = on_record["tran-m"]
    finding = {"person": "tran-m", "stream": "larkfield/sign-in", "seq": seq, "column": column}
    assert found()[0] == {"what": "person-differs", **finding}
    assert len(found()) == len(changed)


def test_what_was_stated_and_is_gone_from_the_row_is_named(on_record):
    people_with_badges = Person.objects.filter(code="tran-m")
    people_with_badges.update(badge="4417", licence_ends_on="2030-01-31", **ON_LEAVE)
    registration.record_people()
    assert found() == []
    people_with_badges.update(badge="", licence_ends_on=None, leave_from=None, leave_reason="")
    assert [finding["column"] for finding in found()] == [
        *("badge", "leave_from", "leave_reason", "licence_ends_on")
    ]


def test_a_person_without_an_entry_and_an_entry_without_a_person_are_named(on_record, make_person):
    make_person("ghost")
    assert found() == [{"what": "person-unrecorded", "person": "ghost"}]
    Person.objects.filter(code="ghost").update(code="tran-m-2")
    Person.objects.filter(code="tran-m").delete()
    assert {finding["what"] for finding in found()} == {"person-unrecorded", "person-missing"}


def test_who_is_added_or_changed_is_stated_once_by_whom_it_was(on_record, make_person):
    make_person("agent", name="Agnes Cole", facility="")
    Person.objects.filter(code="tran-m").update(role="floorperson")
    assert record_people() == (
        "agent: Agnes Cole, Dealer\ntran-m: Minh Tran, Floorperson\n2 people were recorded.\n"
    )
    assert record_people() == "0 people were recorded.\n"
    assert found() == []
    assert Entry.objects.filter(type="person.recorded").latest("pk").actor == "okafor-a"


def test_the_digest_of_a_pin_says_nothing_without_the_stored_salt(on_record, dealer):
    [data] = [data for _seq, data in recorded() if data["code"] == "tran-m"]
    *_algorithm, salt, _hash = dealer.password.split("$")
    assert len(salt) >= 20 and salt not in json.dumps(data) and dealer.password not in json.dumps(data)
    text = f"pitside person 1\0tran-m\0{dealer.password}"
    assert data["credential_sha256"] == hashlib.sha256(text.encode()).hexdigest()


def test_a_pin_that_a_sign_in_hashes_anew_stays_stated_unless_it_was_put_there(
    on_record, tablet, request_at, settings
):
    forged = make_password("111111")
    scrypt = "django.contrib.auth.hashers.ScryptPasswordHasher"
    settings.PASSWORD_HASHERS = [scrypt, *settings.PASSWORD_HASHERS]
    before = Person.objects.get(code="tran-m").password
    people.sign_in(request_at(tablet), "tran-m", "123456")
    assert Person.objects.get(code="tran-m").password != before
    assert found() == []
    Person.objects.filter(code="okafor-a").update(password=forged)
    people.sign_in(request_at(tablet), "okafor-a", "111111")
    assert Person.objects.get(code="okafor-a").password != forged
    assert [(finding["person"], finding["column"]) for finding in found()] == [("okafor-a", "PIN")]


def test_people_who_were_never_stated_are_said_not_to_be_covered(dealer):
    out = io.StringIO()
    call_command("verify_record", "--read-only", stdout=out)
    assert (
        "not covered: people: no entry states who they are. Run manage.py record_people once."
        in out.getvalue()
    )
    assert found() == []


def test_a_device_without_an_enrollment_is_named(tablet):
    ghost = Device.objects.create(
        name="tablet-66", facility="larkfield", station="dealer", place="larkfield/T-04",
        token_sha256=hashlib.sha256(b"mine").digest(), enrolled_at=MOMENT,
    )  # fmt: skip
    assert found() == [{"what": "device-unrecorded", "device": ghost.name, "facility": "larkfield"}]


def test_a_device_that_was_moved_or_is_used_again_after_its_revocation_is_named(tablet):
    Device.objects.filter(pk=tablet.pk).update(place="larkfield/T-05")
    where = {"what": "device-differs", "device": "tablet-17", "stream": "larkfield/sign-in"}
    assert found() == [{**where, "seq": 1, "column": "place"}]
    Device.objects.filter(pk=tablet.pk).update(place="larkfield/T-04", station="podium")
    assert found() == [{**where, "seq": 1, "column": "station"}]
    Device.objects.filter(pk=tablet.pk).update(station="dealer")
    devices.revoke(tablet)
    assert found() == []
    Device.objects.filter(pk=tablet.pk).update(revoked_at=None)
    assert found() == [{**where, "seq": 2, "column": "revoked_at"}]


def test_people_and_devices_on_the_continuation_of_a_closed_stream_are_covered(on_record, make_person):
    signers = make_person("carla", "compliance", department="compliance"), Person.objects.get(code="okafor-a")
    close_stream("larkfield/sign-in", *signers, "jammed")
    devices.enroll("tablet-18", "larkfield", "dealer")
    Person.objects.filter(code="tran-m").update(role="floorperson")
    registration.record_people()
    assert found() == []
    Person.objects.filter(code="tran-m").update(role="shift-manager")
    Device.objects.filter(name="tablet-18").update(station="podium")
    assert {finding["stream"] for finding in found()} == {"larkfield/sign-in-2"}


def test_a_person_of_every_facility_is_stated_in_each(on_record, make_person):
    devices.enroll("podium", "seabright", "podium")
    make_person("agent", facility="")
    registration.record_people()
    assert [data["works_in"] for _seq, data in recorded("seabright/sign-in")] == [""]
    assert found() == []
    Person.objects.filter(code="agent").update(role="system-administrator")
    assert [finding["stream"] for finding in found()] == ["larkfield/sign-in", "seabright/sign-in"]

"""A fixed cast: a dealer, a floorperson, a tablet, a pen for the record, its sealer and a witness's key."""

import datetime as dt
from collections.abc import Callable
from pathlib import Path

import pytest
from django.contrib.auth.models import AnonymousUser
from django.contrib.sessions.backends.db import SessionStore
from django.db import transaction
from django.http import HttpRequest
from django.test import RequestFactory

from audit import clock, devices, notes, record
from audit.models import Checkpoint, Department, Device, Person, Role, Stream
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tests.services.entries import any_entry

MOMENT = dt.datetime(2026, 11, 21, 13, 5, 9, 123456, tzinfo=dt.UTC)


@pytest.fixture
def make_person(db: None) -> Callable[..., Person]:
    def make(code: str, role: Role = Role.DEALER, pin: str = "123456", **fields: object) -> Person:
        fields = {
            "name": code.title(),
            "department": Department.TABLE_GAMES,
            "facility": "larkfield",
            **fields,
        }
        return Person.objects.create_person(code, pin, role=role, **fields)

    return make


@pytest.fixture
def dealer(make_person: Callable[..., Person]) -> Person:
    return make_person("tran-m", name="Minh Tran")


@pytest.fixture
def floorperson(make_person: Callable[..., Person]) -> Person:
    return make_person("okafor-a", Role.FLOORPERSON, "654321", name="Ada Okafor")


@pytest.fixture
def tablet(db: None) -> Device:
    device, _token = devices.enroll("tablet-17", "larkfield", "dealer", "larkfield/T-04")
    return device


@pytest.fixture
def request_at(db: None) -> Callable[..., HttpRequest]:
    """A POST at a device (or none), of nobody until somebody signs in."""

    def make(device: Device | None, address: str = "10.0.0.17") -> HttpRequest:
        request = RequestFactory().post("/sign-in", REMOTE_ADDR=address)
        request.session = SessionStore()
        request.user = AnonymousUser()
        request.device = device
        return request

    return make


@pytest.fixture
def write(db: None) -> Callable[..., record.Appended]:
    """Append one entry under its stream's lock."""

    def write(name: str = "larkfield/T-04", type: str = "round.opened", **fields: object) -> record.Appended:
        moment = fields.pop("moment", MOMENT)
        with transaction.atomic():
            stream = record.lock_stream(name)
            data = fields.pop("data", {"round": 1})
            fields = {"gaming_day": clock.gaming_day("larkfield", moment), **fields}
            return record.append(stream, entry=any_entry(type, data), moment=moment, **fields)

    return write


@pytest.fixture
def stream(write: Callable[..., record.Appended]) -> Stream:
    """A stream of three entries."""
    for number in (1, 2, 3):
        write(data={"round": number})
    return Stream.objects.get(name="larkfield/T-04")


@pytest.fixture
def folder(tmp_path: Path, settings) -> Path:
    """The sealer's folder."""
    settings.SEALER_DIR = str(tmp_path / "sealer")
    return keys.folder()


@pytest.fixture
def sealer(folder: Path, stream: Stream) -> Sealer:
    """A sealer with a key, and a record of three entries at one table, beside what the key's making wrote."""
    with clock.override(MOMENT):
        keys.create(folder)
    return Sealer(folder)


@pytest.fixture
def seal(sealer: Sealer, write: Callable[..., record.Appended]) -> Callable[..., Checkpoint]:
    """Something moves, and is sealed."""

    def seal(times: int = 1) -> Checkpoint:
        for _ in range(times):
            write()
            with clock.override(MOMENT):
                checkpoint = sealer.seal()
        return checkpoint

    return seal


@pytest.fixture
def signer() -> notes.Signer:
    """A witness's key."""
    return notes.Signer("witness.example/w1", bytes(range(32)), notes.COSIGNATURE)

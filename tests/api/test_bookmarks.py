"""A surveillance system marks moments of video, by its own clock, and a case shows those of its round."""

import datetime as dt
import json
import uuid

import pytest

from audit import clock, registration
from audit.models import Entry
from audit.verification import verify
from tables.models import Bookmark, Case

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HERE = "facilities/larkfield/bookmarks"
BEHIND = dt.timedelta(seconds=3)


@pytest.fixture
def cameras(machine, scene):
    registration.record_people()
    return machine("bookmarks", name="VMS")


def send(cameras, reference, /, ago=0, **more):
    """A bookmark of so many seconds ago, by a clock that is three seconds behind."""
    there = clock.now() - BEHIND
    body = {
        "camera": "C-12",
        "reference": reference,
        "moment": (there - dt.timedelta(seconds=ago)).isoformat(),
    }
    answer = cameras.post(
        HERE, body | {"sent_at": there.isoformat()} | more, {"Idempotency-Key": str(uuid.uuid4())}
    )
    return answer.status_code, answer.json()


def open_case(scene) -> Case:
    params = {"kind": "dispute", "about": "the call", "table": "T-01", "number": 1, "seat": 1}
    scene.in_room("open_case", params, by="compliance")
    return Case.objects.get()


def test_a_moment_is_known_by_both_clocks(cameras, scene):
    now = clock.now()
    status, answer = send(cameras, "V-1", ago=10, table="T-01", note="A late chip")
    assert (status, answer["answer"]) == (
        200,
        {
            "type": "bookmark.added", "bookmark": "BM-0001", "offset_ms": 3_000,
            "at": clock.format_moment(now - dt.timedelta(seconds=10)),
        },
    )  # fmt: skip
    (entry,) = [json.loads(bytes(row.body)) for row in Entry.objects.filter(type="bookmark.added")]
    assert (entry["actor"], entry["device"]) == (cameras.client.person.code, cameras.id)
    assert entry["data"]["moment"] == clock.format_moment(now - dt.timedelta(seconds=13))
    (row,) = cameras.get(HERE).json()["items"]
    assert (row["code"], row["table"], row["round"], row["offset_ms"], row["system"]) == (
        "BM-0001", "T-01", None, 3_000, "VMS",
    )  # fmt: skip
    assert verify().findings == []


def test_a_case_shows_what_names_it_or_its_round_and_what_was_at_its_table_then(cameras, scene, hands):
    before = clock.now()
    hands.now += dt.timedelta(minutes=10)
    scene.play((1, "small", 2_500), dice=[1, 2, 3])
    scene.finish()
    case = open_case(scene)
    hands.now += dt.timedelta(minutes=10)
    cameras.token = cameras.ask_token().json()["access_token"]
    minutes_ago = (hands.now - before).total_seconds()
    send(cameras, "long-before", ago=minutes_ago, table="T-01")
    send(cameras, "while-it-was-played", ago=600, table="T-01")
    send(cameras, "of-the-round", ago=minutes_ago, table="T-01", round=1)
    send(cameras, "of-the-case", case=case.code)
    send(cameras, "of-nothing", ago=600)
    page = scene.browser("podium", "surveillance").get(f"/inbox/larkfield/{case.code}/").content.decode()
    shown = {row.reference for row in Bookmark.objects.all() if row.reference in page}
    assert shown == {"while-it-was-played", "of-the-round", "of-the-case"}
    assert "about this case" in page and "about this round" in " ".join(page.split())


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"table": "T-99"}, "no-such-place"),
        ({"case": "C-0099"}, "no-such-case"),
        ({"sent_at": "2020-01-01T00:00:00Z"}, "clock-too-far"),
        ({"reference": "V-1"}, "bookmark-known"),
        ({"moment": "2026-11-21T10:00:00"}, "malformed"),
    ],
)
def test_what_cannot_be_kept_is_refused(cameras, more, code):
    send(cameras, "V-1")
    status, problem = send(cameras, "V-2", **more)
    assert (status, problem["code"]) == (422, code)
    assert Bookmark.objects.count() == 1


def test_a_system_reads_its_own_and_compliance_by_the_scope_cases_all(cameras, machine, scene):
    send(cameras, "V-1")
    assert machine("bookmarks").get(HERE).json()["items"] == []
    assert len(machine("cases").get(HERE).json()["items"]) == 1
    refused = machine("cases").post(HERE, {}, {"Idempotency-Key": str(uuid.uuid4())})
    assert (refused.status_code, refused.json()["code"]) == (403, "insufficient-scope")
    assert machine("bookmarks", place="larkfield/T-01").get(HERE).status_code == 403

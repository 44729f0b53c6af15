"""What every address of the API does: refuse as a problem, count, and answer 304 to who has it already."""

import datetime as dt
import threading
import uuid
from unittest import mock

import pytest
from django.core.cache import caches
from django.test import Client

from audit import clock
from audit.clock import SteadyTime
from audit.models import Entry
from tables.api import access

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def test_a_refusal_is_a_problem_with_code_sentence_and_section(machine):
    reader = machine("floor")
    answer = reader.get("facilities/larkfield/tables/T-99")
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer.json() == {
        "type": "/api/v1/problems/not-found", "title": "Not Found", "status": 404, "code": "not-found", "section": "",
        "detail": "There is no such table here.",
    }  # fmt: skip
    assert reader.get("facilities/seabright/tables").json()["detail"] == "There is no such facility here."
    assert reader.get("nothing").json()["code"] == "not-found"
    assert reader.post("facilities").json()["code"] == "method-not-allowed"
    assert Client().get("/api/v1/facilities").status_code == 401


def test_a_client_of_one_table_knows_no_other(machine, scene):
    here, elsewhere = machine("floor", place="larkfield/T-01"), machine("floor", place="larkfield/T-02")
    assert [row["code"] for row in here.get("facilities/larkfield/tables").json()["items"]] == ["T-01"]
    assert elsewhere.get("facilities/larkfield/tables").json()["items"] == []
    assert elsewhere.get("facilities/larkfield/tables/T-01").status_code == 404


def test_the_version_of_a_table_is_that_of_its_record(machine, scene):
    row = machine("floor").get("facilities/larkfield/tables/T-01").json()
    assert (row["version"], row["stream"], row["status"]) == (scene.version, "larkfield/T-01", "open")


def test_who_has_the_answer_already_gets_304(machine, scene):
    reader = machine("floor")
    first = reader.get("facilities/larkfield/tables/T-01")
    again = reader.get("facilities/larkfield/tables/T-01", headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["Pitside-Version"]) == (304, b"", "2026-11-29")
    scene.act("call_floor")
    assert reader.get(
        "facilities/larkfield/tables/T-01", headers={"If-None-Match": first["ETag"]}
    ).status_code == 200  # fmt: skip


def test_a_client_that_sends_too_many_requests_waits_for_the_next_minute(machine, settings, hands):
    settings.API_REQUESTS_PER_MINUTE = 2
    reader = machine("floor")
    first = reader.get("facilities")
    assert (first["RateLimit-Policy"], first["RateLimit"]) == ('"client";q=2;w=60', '"client";r=1;t=60')
    assert reader.get("facilities")["RateLimit"] == '"client";r=0;t=60'
    refused = reader.get("facilities")
    assert (refused.status_code, refused["Retry-After"], refused.json()["code"]) == (
        429,
        "60",
        "too-many-requests",
    )
    assert machine("floor").get("facilities").status_code == 200


def test_a_worker_counts_alone_while_the_common_store_is_away_and_asks_it_once_in_five_seconds(
    machine, settings, monkeypatch
):
    now, asked = [1_000.0], []

    def lose(*_args: object, **_more: object) -> None:
        asked.append(now[0])
        raise ConnectionError("no store")

    settings.API_REQUESTS_PER_MINUTE = 3
    monkeypatch.setattr(access, "request_counts", access.RequestCounts(lambda: now[0]))
    client = machine("floor")
    with monkeypatch.context() as away:
        away.setattr(caches["api"], "add", lose)
        answers = [client.get("facilities") for _ in range(4)]
        assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
        assert [answer["RateLimit"] for answer in answers[:3]] == [
            f'"client";r={left};t=60' for left in (2, 1, 0)
        ]
        now[0] += access.AWAY_SECONDS
        assert client.get("facilities").status_code == 429
        assert asked == [1_000.0, 1_005.0]
    now[0] += access.AWAY_SECONDS
    assert client.get("facilities")["RateLimit"] == '"client";r=2;t=60'


LARGE = b'{"params": {"x": "' + 2_000_000 * b"a" + b'"}}'


@pytest.mark.parametrize(
    ("address", "kind", "sent", "status", "code"),
    [
        (
            "facilities/larkfield/tables/T-01/acts/call_floor",
            "application/json",
            LARGE,
            413,
            "body-too-large",
        ),
        ("oauth/token", "application/x-www-form-urlencoded", b"a=" + LARGE, 400, "invalid_request"),
        (
            "oauth/token",
            "application/x-www-form-urlencoded",
            b"&".join([b"a=1"] * 2_000),
            400,
            "invalid_request",
        ),
        ("oauth/token", "multipart/form-data", b"x", 400, "invalid_request"),
        ("/scim/v2/Users", "application/scim+json", LARGE, 413, "413"),
    ],
)
def test_a_body_that_cannot_be_read_is_refused_in_the_form_of_its_address(
    machine, address, kind, sent, status, code
):
    headers = machine("acts", "staff", "signs").headers | {"Idempotency-Key": str(uuid.uuid4())}
    before = Entry.objects.count()
    path = address if address.startswith("/") else f"/api/v1/{address}"
    answer = Client().post(path, sent, content_type=kind, headers=headers)
    body = answer.json()
    assert (answer.status_code, body.get("code") or body.get("error") or body["status"]) == (status, code)
    assert Entry.objects.count() == before


@pytest.mark.parametrize(
    ("method", "address", "status"),
    [
        ("GET", "oauth/token", 405),
        ("PUT", "oauth/token", 405),
        ("OPTIONS", "openapi.json", 405),
        ("DELETE", "facilities", 405),
        ("GET", "", 404),
        ("PROPFIND", "nothing/here", 404),
    ],
)
def test_another_method_and_another_address_are_refused_as_problems(db, method, address, status):
    answer = Client().generic(method, f"/api/v1/{address}")
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")
    assert answer.json()["status"] == status and "Pitside-Version" in answer
    assert status == 404 or answer["Allow"]


HIGHEST = 2**63 - 1


@pytest.mark.parametrize(
    ("address", "query", "status"),
    [
        ("entries", {"stream": "T\0"}, 422),
        ("entries", {"type": "\0"}, 422),
        ("entries/stream", {"stream": "\0"}, 422),
        ("entries/stream", {"type": "\0"}, 422),
        ("facilities/larkfield/tables/T%00/sign", {}, 404),
        ("facilities/larkfield/tables/T%00/readings/turn", {}, 404),
        ("facilities/larkfield/tables/T%00", {}, 404),
        ("acts/call%00", {}, 404),
        ("facilities/larkfield/figures", {"from": "2026-11-20", "to": "2026-11-20", "after": HIGHEST}, 422),
        ("facilities/larkfield/drops", {"after": HIGHEST + 1}, 422),
        ("facilities/larkfield/tables/T-01/rounds/99999999999999999999", {}, 404),
    ],
)
def test_what_no_database_can_look_up_is_refused_in_words(machine, address, query, status):
    answer = machine("entries", "floor", "signs", "readings", "money", "acts").get(address, query)
    assert (answer.status_code, answer["Content-Type"]) == (status, "application/problem+json")


def test_what_no_database_can_look_up_is_no_act(machine):
    client = machine("acts", "people", "readings")
    for address, body in (
        ("facilities/larkfield/tables/T%00/acts/call_floor", {"seen": 0}),
        ("facilities/larkfield/tables/T-01/acts/call_floor", {"params": {"to": "\0"}, "seen": 0}),
        ("person", {"person": "\0", "pin": "\0"}),
        ("facilities/larkfield/players/lookup", {"card": "\0"}),
    ):
        answer = client.post(address, body, {"Idempotency-Key": str(uuid.uuid4())})
        assert 400 <= answer.status_code < 500, address


def test_reads_run_a_few_at_once_and_keep_no_act_from_running(machine, monkeypatch):
    client = machine("floor", "acts")
    reading, in_turn = mock.MagicMock(), threading.BoundedSemaphore(1)
    monkeypatch.setattr(access, "_reading", reading)
    monkeypatch.setattr(access, "_in_turn", in_turn)
    assert client.get("facilities").status_code == 200 and reading.__enter__.call_count == 1
    with in_turn:
        refused = client.get("facilities")
        assert (refused.status_code, refused.json()["code"], refused["Retry-After"]) == (
            503, "too-many-reads", "2",
        )  # fmt: skip
        assert client.post("heartbeat").status_code == 200
    assert client.get("facilities").status_code == 200


@pytest.mark.parametrize(
    ("hours", "code"), [(3, "clock-jumped"), (30, "clock-jumped"), (-3, "clock-went-back")]
)
def test_what_cannot_be_put_on_record_while_the_clock_is_wrong_is_asked_for_later(
    machine, scene, monkeypatch, hours, code
):
    """Who reads entries or people is on record, so nothing is read while nothing can be recorded."""
    client = machine("entries", "people", "cases", "acts")
    scene.act("call_floor")
    client.post("person", {"person": "floorperson", "pin": "0"})  # so the streams have a newest time
    client.get("facilities/larkfield/ratings")
    steady = SteadyTime(lambda: 0.0)
    steady.note(clock.now())
    monkeypatch.setattr(clock.clock, "jump", steady.jump)
    with clock.override(clock.now() + dt.timedelta(hours=hours)):
        client.token = client.ask_token().json()["access_token"]
        answers = [
            client.get("entries"),
            client.get("entries", {"stream": "T-01"}),
            client.get("entries/T-01/1/proof"),
            client.get("entries/stream"),
            client.get("facilities/larkfield/duties"),
            client.get("facilities/larkfield/alerts"),
            client.post("person", {"person": "floorperson", "pin": "1"}),
        ]
        codes = [(answer.status_code, answer.json()["code"], answer["Retry-After"]) for answer in answers]
        assert codes == [(503, code, "2")] * len(answers)
        assert client.get("streams").status_code == 200
    client.token = client.ask_token().json()["access_token"]
    assert client.get("entries").status_code == 200


@pytest.mark.parametrize("address", ["/api/", "/api/v2/", "/api/v2/facilities", "/api/v1/nothing"])
def test_an_address_of_no_version_is_a_problem_in_json(db, address):
    answer = Client().get(address)
    assert (answer.status_code, answer["Content-Type"]) == (404, "application/problem+json")
    assert answer.json()["detail"] == "There is no such address. /api/v1/docs lists them."

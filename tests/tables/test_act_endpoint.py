"""The one endpoint of acts: its statuses, the shape of its answers, and any body whatever."""

import asyncio
import io
import json
import logging
import time
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.db import OperationalError
from django.test import Client
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit import factors
from audit.logs import JsonFormatter
from audit.models import Command, Device, Person
from audit.refusals import TooManyPins
from games.engine import Refusal
from games.facility_runner import Forbidden
from tables.models import Approval, Pit
from tables.opening.opening import make_table
from tables.runner import table as table_runner
from tables.screens import fragments, push, snapshot
from tables.views.acts import UNKNOWN_ACT
from tests.tables.cast import PIN

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]

ACT = "/floor/larkfield/T-01/acts/"
LAY = {"wagers": [{"seat": 1, "wager": "small", "cents": 2_500}]}


@pytest.fixture
def tablet(scene):
    return scene.browser("tablet", "dealer")


def send(browser, scene, act="place_wagers", params=LAY, address=ACT, **changed):
    body = {"command": str(uuid.uuid4()), "seen": scene.version, "params": params, **changed}
    return browser.post(address + act, json.dumps(body), content_type="application/json")


def refusal(answer, status):
    assert answer.status_code == status, answer.content
    body = answer.json()
    assert set(body) - {"command"} == {"refusal", "screen"}
    assert set(body["refusal"]) == {"code", "title", "message", "section"}
    assert all(isinstance(text, str) for text in body["refusal"].values())
    return body["refusal"], body["screen"]


def test_a_refusal_names_its_command_only_after_the_record_was_searched_for_it(scene, tablet, monkeypatch):
    command = str(uuid.uuid4())

    def named(**changed):
        return send(tablet, scene, command=command, **changed).json().get("command")

    assert named(params={"wagers": [{"seat": 1, "wager": "nothing", "cents": 2_500}]}) == command, "422"
    assert named(seen=scene.version + 1) == command, "409, stale"
    assert named(act="no_such_act") is None
    assert named(params="not an object") is None
    with monkeypatch.context() as patch:
        patch.setattr(table_runner.RUNNER, "verify_permission", forbid)
        assert named() == command, "403"
        patch.setattr(table_runner.RUNNER, "lock", forbid)
        assert named() is None, "refused before anybody searches the record"
    scene.browser("tablet", "dealer").post("/sign-off")
    assert send(Client(), scene, command=command).json().get("command") is None


def forbid(*_arguments: Any) -> None:
    raise Forbidden(Refusal(UNKNOWN_ACT).code)


def test_a_second_signature_is_refused_without_its_command_because_an_earlier_try_may_still_be_accepted(
    scene, tablet, monkeypatch
):
    command, params = str(uuid.uuid4()), {"reason": "dispute"}

    def sign(pin="654321"):
        witness = {"person": scene.people["floorperson"].code, "pin": pin}
        return send(tablet, scene, "void_round", params, command=command, witness=witness).json()

    scene.place((1, "small", 2_500))
    body = sign()
    assert (body["refusal"]["code"], body.get("command")) == ("wrong-pin", None)

    def too_many(*_arguments: Any) -> None:
        raise TooManyPins

    monkeypatch.setattr(factors, "verify_witness", too_many)
    body = sign()
    assert (body["refusal"]["code"], body.get("command")) == ("not-begun", None)


def second_table(scene) -> str:
    """The address of the acts of T-02, where nobody is on duty."""
    limits = {"seats": 8, "min_cents": 1_000, "max_cents": 100_000}
    pit = Pit.objects.create(facility=scene.table.facility, code="p2", name="Pit 2")
    make_table(scene.table.facility, code="T-02", pit=pit, submission="RS-0009", kind="live", **limits)
    return ACT.replace("T-01", "T-02")


def test_the_floor_offers_an_answer_to_alerts_only_where_the_act_is_not_refused(scene):
    address = second_table(scene)
    for person, answered in (("floorperson", "T-01"), ("shift-manager", "T-01 T-02")):
        podium = scene.browser("podium", person)
        assert f'data-answered="{answered}"' in podium.get("/floor/larkfield/").content.decode()
        answer = send(podium, scene, "acknowledge_alert", {"alert": 1}, address=address, seen=0)
        code = "not-assigned" if answered == "T-01" else "no-such-alert"
        assert answer.json()["refusal"]["code"] == code, person


def test_it_answers_with_the_version_the_answer_and_the_fresh_screen(scene, tablet):
    answer = send(tablet, scene)
    assert answer.status_code == 200
    body = answer.json()
    assert set(body) == {"version", "answer", "again", "screen"}
    assert (body["version"], body["again"]) == (scene.version, False)
    assert body["answer"] == {"type": "wagers.placed", "round": 1}
    assert set(body["screen"]) == {"version", "html"} and body["screen"]["version"] == scene.version
    assert "$25" in body["screen"]["html"]


def test_a_page_that_pushes_reach_is_answered_without_its_screen(scene, tablet):
    answer = send(tablet, scene, pushed=True)
    assert (answer.status_code, answer.json()["version"], answer.json()["screen"]) == (
        200,
        scene.version,
        None,
    )
    assert len(answer.content) < 200
    stale = send(tablet, scene, "shake", {"shakes": 3}, pushed=True, seen=scene.version + 1)
    assert stale.json()["screen"]["version"] == scene.version, "a refusal comes with what is on the table"


def test_while_no_push_comes_an_answer_has_the_screen(scene, tablet):
    async def delivery_after_a_failure() -> push.Delivery:
        return push.delivery()

    with asyncio.Runner() as runner:
        runner.run(delivery_after_a_failure()).retry_at = time.monotonic() + push.RETRY_SECONDS
        loop = push.SERVER_LOOP.set(runner.get_loop())
        try:
            assert push.is_suspended()
            answer = send(tablet, scene, pushed=True)
        finally:
            push.SERVER_LOOP.reset(loop)
    assert answer.json()["screen"]["version"] == scene.version
    assert not push.is_suspended()


def test_an_act_of_play_is_pushed_without_a_second_read_of_its_table(scene, tablet, monkeypatch):
    def fail(*_: Any) -> None:
        raise AssertionError("the table was read again")

    monkeypatch.setattr(snapshot, "of_table", fail)
    assert send(tablet, scene).json()["screen"]["version"] == scene.version


def test_a_screen_of_an_act_that_another_followed_at_once_is_that_of_the_newest_version(scene):
    scene.act("report_dispute", {"seat": 1, "about": "a late chip"})  # its alert is read for each snapshot
    followed = scene.place((1, "small", 2_500)).context
    scene.place((2, "big", 1_000))
    shown = snapshot.after_act(followed)
    assert (shown["version"], len(shown["round"]["wagers"])) == (scene.version, 2)


@pytest.mark.parametrize("failing", [(push, "publish_from_thread"), (fragments, "show")])
@pytest.mark.parametrize("error", [OperationalError("gone"), TimeoutError(), KeyError("s")])
def test_an_act_that_was_committed_is_answered_so_whatever_fails_afterwards(
    scene, tablet, monkeypatch, caplog, failing, error
):
    def fail(*_: Any) -> None:
        raise error

    monkeypatch.setattr(*failing, fail)
    before, command = scene.version, str(uuid.uuid4())
    answer = send(tablet, scene, command=command)
    assert (answer.status_code, answer.json()["version"], answer.json()["screen"]) == (200, before + 1, None)
    assert Command.objects.filter(pk=command).exists()
    assert "was not published" in caplog.text and type(error).__name__ in caplog.text


def test_a_facility_act_that_was_committed_is_answered_so_too(scene, monkeypatch):
    monkeypatch.setattr(push, "publish_from_thread", lambda *_: 1 / 0)
    office = scene.browser("podium", "compliance")
    approval = Approval.objects.get(subject="layout")
    body = {"command": str(uuid.uuid4()), "params": {"approval": approval.pk, "why": "a new layout"}}
    answer = office.post(
        "/floor/larkfield/acts/withdraw_approval", json.dumps(body), content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    approval.refresh_from_db()
    assert approval.withdrawn_at is not None


@pytest.fixture
def log_lines() -> Iterator[Callable[[], list[dict[str, Any]]]]:
    """The lines that production would log, read as JSON."""
    stream = io.StringIO()
    handler = logging.StreamHandler(stream)
    handler.setFormatter(JsonFormatter())
    root = logging.getLogger()
    root.addHandler(handler)
    yield lambda: [json.loads(line) for line in stream.getvalue().splitlines()]
    root.removeHandler(handler)


def test_an_error_is_one_line_with_what_the_request_was_about_and_its_page_shows_the_id(
    scene, tablet, monkeypatch, log_lines
):
    tablet.raise_request_exception = False
    monkeypatch.setattr(table_runner.RUNNER, "lock", lambda _request: 1 / 0)
    command = str(uuid.uuid4())
    answer = send(tablet, scene, command=command)
    (line,) = log_lines()
    assert {key: line[key] for key in ("level", "facility", "table", "act", "command")} == {
        "level": "error",
        "facility": "larkfield",
        "table": "T-01",
        "act": "place_wagers",
        "command": command,
    }
    assert "ZeroDivisionError" in line["error"]
    assert (answer.status_code, answer["X-Request-ID"]) == (500, line["request"])
    assert f"logged as {line['request']}." in answer.content.decode()
    monkeypatch.undo()
    assert send(tablet, scene)["X-Request-ID"] != line["request"]


def test_the_podium_gets_the_screen_of_its_own_station(scene):
    podium = scene.browser("podium", "floorperson")
    screens = {
        send(podium, scene, "place_wagers", LAY, station=station).json()["screen"]["html"]
        for station in ("dealer",)
    }
    table = send(podium, scene, "shake", {"shakes": 3}, station="table").json()["screen"]["html"]
    assert table not in screens


def test_a_repeated_command_answers_again_and_with_other_content_is_422(scene, tablet):
    command = str(uuid.uuid4())
    first = send(tablet, scene, command=command).json()
    again = send(tablet, scene, command=command, seen=0).json()
    assert (again["version"], again["answer"], again["again"]) == (first["version"], first["answer"], True)
    words, _ = refusal(send(tablet, scene, "shake", {"shakes": 3}, command=command), 422)
    assert words["code"] == "command-changed"


def test_401_for_nobody(scene):
    for browser in (Client(), scene.browser("tablet")):
        words, screen = refusal(send(browser, scene), 401)
        assert (words["code"], screen) == ("signed-out", None)


def test_401_at_a_device_that_is_not_enrolled_or_no_longer(scene, tablet):
    from audit import devices

    devices.revoke(scene.tablet)
    words, _ = refusal(send(tablet, scene), 401)
    assert words["code"] == "signed-out"


def test_403_for_a_role_a_table_or_a_device_that_may_not(scene, tablet):
    words, screen = refusal(send(tablet, scene, "log_device_incident", {}), 403)
    assert (words["code"], words["message"], screen) == (
        "role-may-not",
        "Your role does not include this.",
        None,
    )
    podium = scene.browser("podium", "stranger")
    assert refusal(send(podium, scene), 403)[0]["code"] == "not-assigned"
    from audit.devices import enroll

    _, token = enroll("Tablet of T-02", "larkfield", "dealer", "larkfield/T-02")
    other = scene.browser(token)
    from tables.models import Table

    assert not Table.objects.filter(code="T-02").exists()
    other = scene.browser(token)
    session = scene.browser("podium", "floorperson")
    other.cookies["sessionid"] = session.cookies["sessionid"].value
    refusal(send(other, scene), 401)
    Device.objects.filter(name="Podium").update(facility="bellweather")
    assert refusal(send(session, scene), 403)[0]["code"] == "device-of-another-table"


@pytest.mark.parametrize("by", ["security", "games-administrator", "compliance"])
def test_what_is_refused_before_anybody_asked_who_sends_it_shows_no_screen_to_who_may_not_open_it(scene, by):
    podium = scene.browser("podium", by)
    forged = {"seq": 1, "head": "0" * 64, "incarnation": 1, "mac": ""}
    for wrong, status, code in (
        ({"seen": "x"}, 422, "malformed"),
        ({"head": forged}, 403, "role-may-not"),
    ):
        words, screen = refusal(send(podium, scene, **wrong), status)
        assert (words["code"], screen) == (code, None)
    tablet_words = "The tablet sent something this act does not know (seen). Nothing was changed."
    assert refusal(send(podium, scene, seen="x"), 422)[0]["message"] == tablet_words


def test_the_record_holds_when_an_act_was_tapped_as_the_claim_of_its_device_and_when_it_was_taken(
    scene, tablet
):
    tap = {"clock": "2031-11-23T05:15:02-05:00", "waited_ms": 31_250}  # a clock that is years fast
    command = str(uuid.uuid4())
    assert send(tablet, scene, command=command, tapped=tap).status_code == 200
    entry = scene.entry
    assert entry["data"]["device_claim"] == {"tapped_at": "2031-11-23T10:15:02.000000Z", "waited_ms": 31_250}
    assert entry["at"] < "2031"
    again = send(tablet, scene, command=command, tapped={**tap, "waited_ms": 40_000})
    assert (again.status_code, again.json()["again"]) == (200, True)
    assert send(tablet, scene, "shake", {"shakes": 3}).status_code == 200
    assert "device_claim" not in scene.entry["data"]


def test_404_for_no_such_act_and_no_such_table(scene, tablet):
    assert refusal(send(tablet, scene, "print_money", {}), 404)[0]["code"] == "unknown-act"
    assert (
        refusal(send(tablet, scene, address="/floor/larkfield/T-99/acts/"), 404)[0]["code"] == "unknown-act"
    )
    assert refusal(send(tablet, scene, address="/floor/nowhere/T-01/acts/"), 404)[0]["code"] == "unknown-act"


def test_409_with_the_screen_as_it_stands(scene, tablet):
    version = scene.version
    scene.place((1, "small", 10_000))
    words, screen = refusal(send(tablet, scene, seen=version), 409)
    assert (words["code"], words["title"], screen["version"]) == (
        "stale",
        "The table has moved on",
        scene.version,
    )
    assert "$100" in screen["html"]


def test_422_says_why_in_a_dealers_words_with_the_section(scene, tablet):
    scene.place((1, "small", 2_500))
    scene.to_the_dice()
    before = scene.version
    words, screen = refusal(send(tablet, scene), 422)
    assert (words["code"], words["title"], words["section"]) == (
        "bets-closed",
        "Bets are closed",
        "§ 625a.5(c)",
    )
    assert words["message"].endswith(".") and "bets" in words["message"].lower()
    assert (screen["version"], scene.version) == (before, before)


def test_423_at_a_locked_tablet_and_after_relief(scene, tablet):
    other_browser = tablet.cookies["sessionid"].value
    assert tablet.post("/lock").status_code == 302
    words, _ = refusal(send(tablet, scene), 423)
    assert words["code"] == "locked"
    tablet.post("/sign-in", {"person": "relief", "pin": PIN})
    assert send(tablet, scene).status_code == 200
    tablet.cookies["sessionid"] = other_browser
    assert send(tablet, scene).status_code in (401, 423)


def test_a_witness_signs_with_an_own_pin(scene, tablet):
    scene.place((1, "small", 2_500))
    void = ("void_round", {"reason": "dispute"})
    assert refusal(send(tablet, scene, *void), 422)[0]["code"] == "floorperson-must-sign"
    wrong = {"person": "floorperson", "pin": "000000"}
    assert refusal(send(tablet, scene, *void, witness=wrong), 401)[0]["code"] == "wrong-pin"
    same = {"person": "dealer", "pin": PIN}
    assert refusal(send(tablet, scene, *void, witness=same), 422)[0]["code"] == "same-person"
    malformed: list[Any] = ["floorperson", [], {"person": "floorperson"}, {"person": 1, "pin": PIN}]
    malformed += [{"person": "floorperson", "pin": "\ud800"}, {"person": "\ud800", "pin": PIN}]
    for odd in malformed:
        assert refusal(send(tablet, scene, *void, witness=odd), 422)[0]["code"] == "malformed"
    assert send(tablet, scene, *void, witness={"person": "floorperson", "pin": PIN}).status_code == 200
    assert (scene.entry["actor"], scene.entry["witness"]) == ("dealer", "floorperson")


def test_a_refused_act_hashes_no_pin_and_locks_out_no_witness(scene, tablet, monkeypatch):
    scene.place((1, "small", 2_500))
    void = ("void_round", {"reason": "dispute"})
    dealer, floor = ({"person": code, "pin": "000000"} for code in ("relief", "floorperson"))
    with monkeypatch.context() as patch:
        patch.setattr(Person, "check_password", lambda *_: pytest.fail("a PIN was hashed"))
        refused = [
            ("stale", 409, send(tablet, scene, *void, witness=floor, seen=scene.version + 1)),
            ("floorperson-must-sign", 422, send(tablet, scene, *void, witness=dealer)),
            ("malformed", 422, send(tablet, scene, "void_round", {"reason": 1}, witness=floor)),
            (
                "witness-not-assigned",
                403,
                send(tablet, scene, *void, witness={**floor, "person": "other-floorperson"}),
            ),
            (
                "device-of-another-table",
                403,
                send(tablet, scene, *void, witness=floor, address=second_table(scene)),
            ),
        ]
    assert [refusal(answer, status)[0]["code"] for code, status, answer in refused] == [
        code for code, _, _ in refused
    ]
    before = scene.version
    for code in ("wrong-pin",) * 4 + ("locked-out",) * 2:
        answer = send(tablet, scene, *void, witness=floor)
        assert refusal(answer, 403 if code == "locked-out" else 401)[0]["code"] == code
    stranger = send(tablet, scene, *void, witness={"person": "nobody", "pin": "000000"})
    assert refusal(stranger, 401)[0]["code"] == "wrong-pin"
    assert (scene.version, scene.round.phase) == (before, "open")


def test_a_signed_act_that_is_repeated_hashes_no_pin(scene, tablet, monkeypatch):
    scene.place((1, "small", 2_500))
    signed = {"witness": {"person": "floorperson", "pin": PIN}, "command": str(uuid.uuid4())}
    first = send(tablet, scene, "void_round", {"reason": "dispute"}, **signed).json()
    monkeypatch.setattr(Person, "check_password", lambda *_: pytest.fail("a PIN was hashed"))
    again = send(tablet, scene, "void_round", {"reason": "dispute"}, **signed).json()
    assert (again["answer"], again["again"]) == (first["answer"], True)


def test_only_a_post_acts(scene, tablet):
    for method in (tablet.get, tablet.put, tablet.delete):
        assert method(ACT + "shake").status_code == 405


def test_a_post_without_the_token_of_the_page_is_refused(scene, tablet):
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = tablet.cookies
    before = scene.version
    assert send(strict, scene).status_code == 403
    assert scene.version == before


@pytest.mark.parametrize(
    "changed",
    [
        {"command": None},
        {"command": "7"},
        {"command": 7},
        {"seen": None},
        {"seen": -1},
        {"seen": True},
        {"seen": 1.0},
        {"seen": 2**53},
        {"params": []},
        {"params": None},
        {"params": {"x": "\ud800"}},
        {"tapped": 5},
        {"after": "19c06f0e-0000-7000-8000-000000000000"},
        {"after": ["first"]},
        {"after": ["19c06f0e-0000-7000-8000-000000000000"] * 51},
        {"tapped": {"clock": "yesterday", "waited_ms": 5}},
        {"tapped": {"clock": "2026-11-23T10:15:02.000Z", "waited_ms": -1}},
    ],
)
def test_422_for_an_envelope_that_no_screen_of_ours_sends(scene, tablet, changed):
    before = scene.version
    assert refusal(send(tablet, scene, **changed), 422)[0]["code"] == "malformed"
    assert scene.version == before


def test_422_for_a_body_that_is_too_long(scene, tablet):
    answer = tablet.post(ACT + "shake", b"[" * (256 * 1024 + 1), content_type="application/json")
    assert refusal(answer, 422)[0]["code"] == "malformed"


@settings(max_examples=60, suppress_health_check=list(HealthCheck))
@given(
    body=st.binary(max_size=200)
    | st.just(b"[" * 100_000)
    | st.sampled_from([b"", b"null", b"[]", b'"x"', b"NaN", b'{"a":1}', b"\xff\xfe"])
)
def test_any_bytes_are_refused_and_change_nothing(scene, tablet, body):
    before = scene.version
    answer = tablet.generic("POST", ACT + "shake", body, content_type="application/json")
    assert refusal(answer, 422)[0]["code"] == "malformed"
    assert scene.version == before

"""Password and second factor at the pages, step-up in the pipeline, and a lost factor that takes two people."""

import datetime as dt
import json
import uuid

import pytest

from audit import devices
from audit.models import Job, Password, Person, SecondFactor
from audit.refusals import SecondFactorNeeded
from audit.runner import ActRequest, one_transaction
from audit.verification import verify
from tables.desk import desk
from tables.runner import facility, table
from tests.services.entries import newest_body
from tests.services.sign_ins import next_code, register_app, sign_in_with_app
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
EXPORT = "/record/larkfield/acts/ask_export"
ACTS = "/floor/larkfield/acts/"


@pytest.fixture
def office(hands, settings):
    """The scene with an office device (its token is `desk`), where PINs are not enough."""
    scene = make_scene()
    settings.SECOND_FACTORS, settings.DEVICE_IDLE_LOCK_SECONDS = True, 3600
    scene.desk, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    return scene


def second_administrator(scene):
    teo = scene.people["system-administrator"]
    other = Person.objects.create_person(
        "second-administrator", "123456", name="Second Administrator", role=teo.role,
        department=teo.department, facility="larkfield",
    )  # fmt: skip
    duty = teo.assignments.get()
    duty.pk, duty.person = None, other
    duty.save()
    scene.people[other.code] = other
    return other


def at_desk(scene, code):
    """A browser at the office with this person, who has an app."""
    factor = register_app(scene.people[code], scene.desk)
    client = scene.browser("desk")
    sign_in_with_app(client, factor)
    client.factor = factor
    return client


def post(client, address, command=None, **params):
    body = {"command": str(command or uuid.uuid4()), "params": params}
    answer = client.post(address, json.dumps(body), content_type="application/json")
    return answer.status_code, (answer.json().get("refusal") or {}).get("code", "")


def test_the_sign_in_of_an_office_takes_a_password_and_then_a_code(office):
    factor = register_app(office.people["compliance"], office.desk)
    client = office.browser("desk")
    page = client.get("/sign-in").content.decode()
    assert 'class="needs-password"' in page and page.count("data-takes-password") == page.count(
        'name="person"'
    )
    refused = client.post("/sign-in", {"person": "compliance", "pin": "123456"})
    assert refused.status_code == 403 and b"A PIN is not enough here" in refused.content
    refused = client.post("/sign-in", {"person": "compliance", "password": "another"})
    assert refused.status_code == 403 and b"Name or password is wrong" in refused.content
    assert client.get("/sign-in/second-factor")["Location"] == "/sign-in"
    sign_in_with_app(client, factor)
    assert client.get("/record/larkfield/").status_code == 200
    assert newest_body("person.signed_in")["data"] == {
        "factor": factor.pk,
        "name": "desk-1",
        "relieves": None,
    }


def test_a_podium_takes_pins_of_the_floor_and_passwords_of_everybody_else(office):
    page = office.browser("podium").get("/sign-in").content.decode()
    people = [row.split(">")[0] for row in page.split('name="person"')[1:]]
    takes = {row.split('value="')[1].split('"')[0]: "data-takes-password" in row for row in people}
    assert takes["floorperson"] is takes["security"] is False
    assert takes["compliance"] is takes["surveillance"] is True
    assert office.browser("podium", "floorperson").get("/floor/larkfield/").status_code == 200
    client = office.browser("podium")
    assert client.post("/sign-in", {"person": "compliance", "pin": "123456"}).status_code == 403
    sign_in_with_app(client, register_app(office.people["compliance"], office.desk))


def test_an_export_needs_a_second_factor_of_the_last_ten_minutes(office, hands):
    client, command = at_desk(office, "compliance"), uuid.uuid4()
    hands.now += dt.timedelta(minutes=9)
    assert post(client, EXPORT, kind="evidence", day="2026-11-21", training=False)[0] == 200
    hands.now += dt.timedelta(minutes=2)
    export = {"kind": "evidence", "day": "2026-11-21", "training": False}
    for smuggled in ({}, {"factor_at": "2026-11-21T15:10:00Z"}):
        assert post(client, EXPORT, command, **export, **smuggled) == (403, "second-factor-needed")
    assert client.get("/sign-in/again").json() == {"app": True, "key": False, "fresh": False}
    wrong = client.post("/sign-in/again", {"code": "000000"})
    assert (wrong.status_code, wrong.json()["refusal"]["code"]) == (401, "wrong-factor")
    assert newest_body("person.refused")["data"]["purpose"] == "step-up"
    assert post(client, EXPORT, command, **export) == (403, "second-factor-needed")
    assert client.post("/sign-in/again", {"code": next_code(client.factor)}).json()["fresh"] is True
    assert newest_body("factor.confirmed")["actor"] == "compliance"
    assert post(client, EXPORT, command, **export)[0] == 200
    hands.now += dt.timedelta(minutes=11)
    assert post(client, EXPORT, command, **export)[0] == 200  # a repeated command gets its first answer
    Job.objects.update(status="done", filename="gone.zip")
    file = f"/record/larkfield/exports/{Job.objects.latest('asked_at').pk}"
    assert "data-confirmed" in client.get("/record/larkfield/exports/").content.decode()
    stale = client.get(file)
    assert stale.status_code == 403 and b"This needs your second factor again" in stale.content
    client.post("/sign-in/again", {"code": next_code(client.factor)})
    assert client.get(file).status_code == 410, "the file is not there"
    assert Job.objects.count() == 2


def test_a_second_factor_counts_in_its_own_session_alone(office, hands):
    client = at_desk(office, "compliance")
    assert post(client, EXPORT, kind="evidence", day="2026-11-21", training=False)[0] == 200
    office.tokens["podium-2"] = devices.enroll("podium-2", "larkfield", "podium")[1]
    other = office.browser("podium-2", "floorperson")
    assert other.get("/sign-in/again").json()["fresh"] is False
    refused = other.post("/sign-in/again", {"code": "123456"})
    assert refused.json()["refusal"]["code"] == "no-second-factor"


def test_acts_that_need_a_second_factor_are_approvals_exports_corrections_and_cases():
    needed = {
        act.name: act.step_up
        for runner in (table.RUNNER, facility.RUNNER, desk.RUNNER)
        for act in runner.acts.values()
        if act.step_up != "never"
    }
    corrections = (
        *("correct_dice", "record_missed_wager", "strike_mistaken_wager"),
        *("file_slip", "settle_slip", "sign_case_outcome", "begin_own_duty"),
        *("add_person", "add_people", "change_access", "replace_pin", "end_access", "review_access"),
        *("replace_sign_in", "record_leave", "record_return", "add_device", "move_device"),
        *("add_client", "renew_client", "bind_client", "add_webhook"),
    )
    assert needed == dict.fromkeys(corrections, "office") | dict.fromkeys(
        (
            *("review_slip", "approve_change", "set_review_sum"),
            *("record_approval", "ask_export", "ask_sheets", "take_proof", "print_round", "print_letter"),
            "take_search",
            *("make_pin", "give_password", "make_token", "make_client_secret"),
            "rotate_webhook_key",
            *("close_case", "reopen_case", "accept_report", "erase_player"),
        ),
        "always",
    )


def test_a_correction_needs_it_at_the_office_and_not_at_the_table(office):
    office.play((1, "small", 1_000), dice=[1, 1, 2])

    def correct(device):
        request = ActRequest(
            "larkfield", "T-01", "correct_dice", uuid.uuid4(), office.version,
            {"dice": [1, 1, 3], "reason": "Misread"}, office.people["floorperson"], device,
        )  # fmt: skip
        return table.RUNNER.execute(request)

    with pytest.raises(SecondFactorNeeded):
        correct(office.desk)
    with one_transaction():  # as seeding does, which no request can
        correct(office.desk)


def test_a_lost_factor_takes_two_people_and_changes_nothing_else(office, hands):
    carla = register_app(office.people["compliance"], office.desk)
    thief = office.browser("podium")
    sign_in_with_app(thief, carla)
    second_administrator(office)
    teo = at_desk(office, "system-administrator")
    before = Person.objects.values().get(code="compliance")
    lost = {"person": "compliance", "lost": True, "why": "Left in a taxi"}
    assert post(teo, f"{ACTS}replace_sign_in", **{**lost, "person": "system-administrator"})[1] == (
        "not-your-own-access"
    )
    assert post(teo, f"{ACTS}replace_sign_in", **lost)[0] == 200
    assert post(teo, f"{ACTS}replace_sign_in", **lost)[1] == "change-waits"
    change = newest_body("change.prepared")["data"]["change"]
    assert post(teo, f"{ACTS}approve_change", change=change)[1] == "made-by-you"
    assert SecondFactor.objects.filter(person__code="compliance", ended_at=None).count() == 1

    other = at_desk(office, "second-administrator")
    page = other.get("/floor/larkfield/people/?person=compliance").content.decode()
    assert "compliance lost every second factor" in page
    hands.now += dt.timedelta(minutes=11)
    assert post(other, f"{ACTS}approve_change", change=change)[1] == "second-factor-needed"
    other.post("/sign-in/again", {"code": next_code(other.factor)})
    assert post(other, f"{ACTS}approve_change", change=change)[0] == 200
    entry = newest_body("sign_in.ended")
    assert (entry["actor"], entry["stream"]) == ("second-administrator", "larkfield/sign-in")
    assert (entry["data"]["factors"], entry["data"]["devices"]) == ([carla.pk], ["Podium"])
    assert thief.get("/record/larkfield/")["Location"].startswith("/sign-in")

    assert post(other, f"{ACTS}give_password", person="compliance")[0] == 200
    assert post(other, f"{ACTS}give_password", person="compliance")[1] == "no-secret-allowed"
    text = other.get("/floor/larkfield/people/").content.decode()
    password = text.split('<code class="token">')[1].split("</code>")[0]
    assert len(password) == 23 and password not in str(newest_body("password.given"))
    factor, teo = teo.factor, office.browser("desk")
    sign_in_with_app(teo, factor)
    assert b"<code" not in teo.get("/floor/larkfield/people/").content
    assert Person.objects.values().get(code="compliance") == before

    browser = office.browser("desk")
    step = browser.post("/sign-in", {"person": "compliance", "password": password})
    assert step["Location"] == "/sign-in/second-factor"
    assert browser.get("/sign-in/second-factor")["Location"] == "/sign-in/set-up"
    page = browser.get("/sign-in/set-up").content.decode()
    assert "Set up your sign-in" in page and "<path" in page


def test_a_forgotten_password_stays_until_the_one_time_password_is_made_and_ends_in_minutes(office, hands):
    second_administrator(office)
    teo, other = (at_desk(office, code) for code in ("system-administrator", "second-administrator"))
    sign_in_with_app(teo, teo.factor)
    asked = {"person": "games-administrator", "why": "Forgotten"}
    assert post(teo, f"{ACTS}replace_sign_in", **asked)[0] == 200
    sign_in_with_app(other, other.factor)
    change = newest_body("change.prepared")["data"]["change"]
    assert post(other, f"{ACTS}approve_change", change=change)[0] == 200
    assert not Password.objects.filter(person__code="games-administrator").exists()
    assert post(other, f"{ACTS}give_password", person="games-administrator")[0] == 200
    row = Password.objects.get(person__code="games-administrator")
    assert row.ends_at == hands.now + dt.timedelta(minutes=15)
    assert row.given_by.code == "second-administrator"
    assert not [finding for finding in verify().findings if "one-time secret" in str(finding)]


def test_the_page_of_ones_own_sign_in(office):
    client = at_desk(office, "compliance")
    page = client.get("/my-sign-in").content.decode()
    assert "Phone" in page and "End it" not in page
    changed = client.post(
        "/my-sign-in/password", {"password": "eight loud tables", "again": "eight loud tables"}
    )
    assert changed.status_code == 302
    refused = client.post("/my-sign-in/end", {"factor": str(client.factor.pk)})
    assert b"your only second factor" in refused.content
    refused = client.post("/my-sign-in/add", {"label": "Key", "key": "[]"})
    assert refused.status_code == 403
    assert client.post("/my-sign-in/other").status_code == 403


def test_a_second_person_signs_at_the_office_with_a_pin_and_a_code(office):
    factor = register_app(office.people["compliance"], office.desk)
    client = at_desk(office, "system-administrator")

    def assign(**signature):
        body = {
            "command": str(uuid.uuid4()),
            "params": {"person": "stranger", "table": "T-01"},
            "witness": {"person": "compliance", "pin": "123456", **signature},
        }
        answer = client.post(f"{ACTS}assign_person", json.dumps(body), content_type="application/json")
        return answer.status_code, (answer.json().get("refusal") or {}).get("code", "")

    assert b"data-witness-code" in client.get("/floor/larkfield/staff/").content
    assert assign() == (403, "pin-not-here")
    assert assign(app_code="000000") == (401, "wrong-factor")
    assert assign(app_code=7) == (422, "malformed")
    assert assign(app_code=next_code(factor)) == (200, "")
    assert newest_body("assignment.started")["witness"] == "compliance"

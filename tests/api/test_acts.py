"""Acts over the API are acts: the same rights, refusals and record as a tap; and a person acts at a machine."""

import datetime as dt
import re
import uuid

import pytest

from audit import clock, factors, people, registration, staff
from audit.identity import SessionStore
from audit.models import Device
from tables.models import Alert, Assignment
from tests.services.entries import newest_body
from tests.tables.cast import PIN

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
HERE = "facilities/larkfield/tables/T-01/acts/"
LIMITS = {"min_cents": 2_500, "max_cents": 200_000, "nobody_plays": True}


def do(machine, act, params=None, *, seen=None, key=None, address=HERE, **more):
    """What the API answers to an act: status and body."""
    body = {"params": params or {}, **({} if seen is None else {"seen": seen}), **more}
    headers = {"Idempotency-Key": str(key or uuid.uuid4())}
    answer = machine.post(address + act, body, headers)
    return answer.status_code, answer.json()


def sign_in(machine, person, pin=PIN):
    """Sign in at a machine, which goes on with the token of this sign-in: status, and who is signed in."""
    answer = machine.post("person", {"person": person, "pin": pin})
    body = answer.json()
    machine.token = body.pop("token", None) or machine.token
    body.pop("expires_in", None)
    return answer.status_code, body


def test_a_machine_alone_is_refused_what_its_role_may_not_do(machine, scene):
    client = machine("acts")
    before = scene.version
    status, problem = do(client, "change_limits", LIMITS, seen=before)
    assert (status, problem["code"], problem["status"]) == (403, "role-may-not", 403)
    assert scene.version == before


def test_a_person_who_signs_in_at_the_machine_acts_there_as_at_a_tablet(machine, scene):
    client = machine("acts")
    assert sign_in(client, "floorperson") == (
        200,
        {"person": "floorperson", "name": "Floorperson", "role": "floorperson", "locked": False},
    )  # fmt: skip
    status, answer = do(client, "change_limits", LIMITS, seen=scene.version)
    assert (status, answer["answer"]["type"], answer["again"]) == (200, "limits.changed", False)
    assert answer["version"] == scene.version
    entry = newest_body("limits.changed")
    assert (entry["actor"], entry["device"]) == ("floorperson", client.id)
    assert client.delete("person").json()["person"] is None
    assert do(client, "change_limits", LIMITS, seen=scene.version)[1]["code"] == "locked"


def test_a_sign_in_at_a_machine_counts_wrong_pins_and_leaves_no_cookie(machine, scene):
    client = machine("acts")
    for _ in range(4):
        assert sign_in(client, "floorperson", "999999")[0] == 403
    status, problem = sign_in(client, "floorperson", "999999")
    assert (status, problem["code"]) == (403, "locked-out")
    answer = machine("acts").post("person", {"person": "floorperson", "pin": PIN})
    assert answer.status_code == 200
    assert not answer.cookies


def test_nothing_that_the_cookie_of_a_browser_says_counts_at_a_machine(machine, scene, settings):
    settings.SECOND_FACTORS = True
    browser = SessionStore()
    factors.note_factor(browser, clock.now())
    browser.save()
    cookie = {"Cookie": f"{settings.SESSION_COOKIE_NAME}={browser.session_key}"}
    client = machine("acts")
    sign_in(client, "shift-manager")
    act = {"params": {"change": "CH-0001"}}
    headers = {"Idempotency-Key": str(uuid.uuid4()), **cookie}
    answer = client.post("facilities/larkfield/acts/approve_change", act, headers)
    assert (answer.status_code, answer.json()["code"]) == (403, "second-factor-needed")
    at_table = machine("acts", place="larkfield/T-01")
    answer = at_table.post("person", {"person": "stranger", "pin": PIN}, cookie)
    assert (answer.status_code, answer.json()["code"]) == (403, "not-assigned")
    assert factors.factor_at(SessionStore(browser.session_key)) == clock.now()  # the browser's session stays


def test_a_person_who_does_nothing_at_a_machine_must_sign_in_again(machine, scene, hands, settings):
    settings.DEVICE_IDLE_LOCK_SECONDS = 300
    client = machine("acts")
    sign_in(client, "floorperson")
    hands.now += dt.timedelta(minutes=4)
    assert do(client, "call_floor")[0] == 200
    hands.now += dt.timedelta(minutes=4)
    assert do(client, "cancel_call", {"alert": Alert.objects.get().pk})[0] == 200
    client.token = client.get("person").json()["token"]
    hands.now += dt.timedelta(minutes=4)
    client.token = client.get("person").json()["token"]  # the machine asks, and the person does nothing
    hands.now += dt.timedelta(minutes=2)
    status, problem = do(client, "change_limits", LIMITS, seen=scene.version)
    assert (status, problem["code"]) == (423, "locked")
    assert Device.objects.get(pk=client.id).locked_at is not None


def test_an_act_that_is_refused_does_not_keep_a_machine_awake(machine, scene, hands, settings):
    settings.DEVICE_IDLE_LOCK_SECONDS = 300
    client = machine("acts")
    sign_in(client, "floorperson")
    hands.now += dt.timedelta(minutes=4)
    assert do(client, "cancel_call", {"alert": 1})[1]["code"] == "no-such-alert"
    hands.now += dt.timedelta(minutes=2)
    assert do(client, "call_floor")[1]["code"] == "locked"


def test_a_sign_in_at_a_machine_ends_as_a_session_does(machine, scene, hands, settings):
    settings.SESSION_COOKIE_AGE = 300
    client = machine("acts")
    sign_in(client, "floorperson")
    hands.now += dt.timedelta(minutes=4)
    assert do(client, "call_floor")[0] == 200
    hands.now += dt.timedelta(minutes=2)
    assert do(client, "cancel_call", {"alert": Alert.objects.get().pk})[1]["code"] == "locked"
    assert sign_in(client, "floorperson")[1]["locked"] is False
    assert do(client, "cancel_call", {"alert": Alert.objects.get().pk})[0] == 200


@pytest.mark.parametrize("change", [{"loses_pin": True}, {"pin": "480213"}, {"leaves": True}])
def test_who_lost_the_pin_or_left_acts_no_longer_at_the_machine_of_a_table(machine, scene, change):
    registration.record_people()
    client = machine("acts", place="larkfield/T-01")
    sign_in(client, "floorperson")
    by = staff.Answerable(scene.people["shift-manager"], None)
    assert staff.change(scene.people["floorperson"], by, **change) == []  # at a table nobody is signed off
    status, problem = do(client, "call_floor")
    assert (status, problem["code"]) == (423, "locked")
    assert client.get("person").json()["locked"] is True


def test_nobody_acts_with_another_token_than_the_one_of_the_sign_in(machine, scene):
    """Two servers of one client are one machine: a person at one of them does not act at the other."""
    client = machine("acts")
    own = client.token
    sign_in(client, "floorperson")
    theirs, client.token = client.token, own
    status, problem = do(client, "change_limits", LIMITS, seen=scene.version)
    assert (status, problem["code"]) == (403, "role-may-not"), "the machine does it itself"
    asked = client.get("person").json()
    assert (asked["person"], asked["token"], asked["expires_in"]) == ("floorperson", None, None)
    assert client.delete("person").json()["code"] == "locked"
    client.token = theirs
    assert do(client, "call_floor")[0] == 200
    renewed = client.get("person")
    assert (renewed.json()["expires_in"], renewed["Cache-Control"]) == (600, "no-store")
    client.token = renewed.json()["token"]
    assert do(client, "cancel_call", {"alert": Alert.objects.get().pk})[0] == 200
    sign_in(client, "shift-manager")
    client.token = theirs
    status, problem = do(client, "call_floor")
    assert (status, problem["code"]) == (423, "locked"), "their sign-in is over"
    assert client.get("person").json()["token"] is None


def test_nobody_signs_off_the_person_of_a_locked_machine(machine, scene):
    client = machine("acts")
    sign_in(client, "floorperson")
    people.lock(Device.objects.get(pk=client.id))
    answer = client.delete("person")
    assert (answer.status_code, answer.json()["code"]) == (423, "locked")
    assert client.get("person").json()["person"] == "floorperson"


def test_the_same_key_gets_the_first_answer_and_other_content_is_refused(machine, scene):
    client, key = machine("acts"), uuid.uuid4()
    sign_in(client, "floorperson")
    first = do(client, "call_floor", {"to": "floor"}, key=key)
    after = scene.version
    again = client.post(HERE + "call_floor", {"params": {"to": "floor"}}, {"Idempotency-Key": str(key)})
    assert first[1]["again"] is False
    assert again.json() == {**first[1], "again": True}
    assert again["Idempotent-Replay"] == "true"
    status, problem = do(client, "call_floor", {"to": "security"}, key=key)
    assert (status, problem["code"]) == (422, "command-changed")
    assert scene.version == after


def test_a_key_that_somebody_else_or_another_act_has_used_gets_nothing_of_the_first_answer(machine, scene):
    client, other, key = machine("acts"), machine("acts"), uuid.uuid4()
    sign_in(client, "floorperson")
    sign_in(other, "dealer")
    assert do(client, "call_floor", {"to": "floor"}, key=key)[0] == 200
    after = scene.version
    for status, problem in (
        do(other, "call_floor", {"to": "floor"}, key=key),
        do(client, "change_limits", LIMITS, seen=after, key=key),
    ):
        assert (status, problem["code"]) == (422, "command-changed")
    assert scene.version == after
    sign_in(
        other, "floorperson"
    )  # the same person elsewhere hears that it was done, and it is not done again
    status, answer = do(other, "call_floor", {"to": "floor"}, key=key)
    assert (status, answer["again"], scene.version) == (200, True, after)


@pytest.mark.parametrize("end", ["off", "locked", "another", "at no duty"])
def test_the_first_answer_comes_again_also_after_its_person_may_not_act_any_more(machine, scene, end):
    client, key = machine("acts"), uuid.uuid4()
    sign_in(client, "floorperson")
    first = do(client, "call_floor", {"to": "floor"}, key=key)
    after = scene.version
    if end == "off":
        assert client.delete("person").status_code == 200
    elif end == "locked":
        people.lock(Device.objects.get(pk=client.id))
    elif end == "another":
        sign_in(client, "dealer")
    else:
        Assignment.objects.filter(person__code="floorperson").update(ended_at=clock.now())
    again = do(client, "call_floor", {"to": "floor"}, key=key)
    assert again == (200, {**first[1], "again": True})
    assert do(client, "call_floor", {"to": "security"}, key=key)[0] in (403, 422, 423), (
        "another content is no repeat"
    )
    assert do(machine("acts"), "call_floor", {"to": "floor"}, key=key)[0] in (403, 422), (
        "nor is another client"
    )
    assert scene.version == after


def test_a_try_after_one_without_an_answer_that_is_refused_ends_its_key(machine, scene):
    client, key = machine("acts"), uuid.uuid4()
    sign_in(client, "floorperson")
    scene.place((1, "small", 500))
    late = {"params": {"reason": "other"}, "seen": scene.version}
    headers = {"Idempotency-Key": str(key), "Idempotency-Retry": "true"}
    assert client.post(HERE + "void_round", late, headers).json()["code"] == "no-such-void-reason"
    delayed = client.post(HERE + "void_round", late, {"Idempotency-Key": str(key)})
    assert (delayed.status_code, delayed.json()["code"]) == (422, "command-ended")


@pytest.mark.parametrize(
    ("key", "code", "beginning"),
    [
        ("", "idempotency-key-missing", "Send an Idempotency-Key"),
        ('""', "idempotency-key-missing", "Send an Idempotency-Key"),
        ("7", "idempotency-key-malformed", "The Idempotency-Key is no UUID."),
        ("not-a-uuid", "idempotency-key-malformed", "The Idempotency-Key is no UUID."),
    ],
)
def test_an_act_without_a_key_of_its_own_is_refused(machine, scene, key, code, beginning):
    answer = machine("acts").post(HERE + "call_floor", {}, {"Idempotency-Key": key})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert answer.json()["detail"].startswith(beginning)


def test_an_act_on_what_has_changed_since_is_stale(machine, scene):
    client = machine("acts")
    sign_in(client, "floorperson")
    seen = scene.version
    scene.place((1, "small", 500))
    scene.to_the_dice()
    status, problem = do(client, "void_round", {"reason": "other"}, seen=seen)
    assert (status, problem["code"]) == (409, "stale")
    assert (
        problem["detail"] == f"The table has moved on since version {seen}. Read it again, and decide again."
    )
    status, problem = do(client, "void_round", {"reason": "other"})
    assert (status, problem["code"]) == (422, "malformed")
    assert "seen: Input should be the version of the table" in problem["detail"]


def test_a_malformed_part_of_a_list_is_told_by_its_place(machine, scene):
    client = machine("acts")
    sign_in(client, "dealer")
    wagers = [{"seat": 1, "wager": "small", "cents": 500}, {"seat": 2, "wager": "small"}]
    status, problem = do(client, "place_wagers", {"wagers": wagers}, seen=scene.version)
    assert (status, problem["code"]) == (422, "malformed")
    assert problem["detail"].endswith("params.wagers.1.cents: Field required.")


def test_a_second_person_signs_on_the_machine_by_their_own_pin(machine, scene):
    client = machine("acts", place="larkfield/T-01")
    assert sign_in(client, "dealer")[0] == 200
    scene.place((1, "small", 500))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [1, 1, 2]})
    params = {"dice": [1, 1, 3], "reason": "Read wrongly"}
    unsigned = do(client, "correct_dice", params, seen=scene.version)
    assert (unsigned[0], unsigned[1]["code"]) == (422, "floorperson-must-sign")
    wrong = do(
        client, "correct_dice", params, seen=scene.version, witness={"person": "floorperson", "pin": "999999"}
    )
    assert (wrong[0], wrong[1]["code"]) == (403, "wrong-pin")
    signed = do(
        client, "correct_dice", params, seen=scene.version, witness={"person": "floorperson", "pin": PIN}
    )
    assert signed[0] == 200
    entry = newest_body(signed[1]["answer"]["type"])
    assert (entry["actor"], entry["witness"], entry["device"]) == ("dealer", "floorperson", client.id)


def test_an_act_takes_the_scope_that_it_belongs_to(machine, scene):
    assert do(machine("readings"), "change_limits", LIMITS)[1]["code"] == "insufficient-scope"
    assert do(machine("acts"), "post_reading", {})[1]["code"] == "insufficient-scope"
    assert machine("floor").get("person").status_code == 403
    assert do(machine("acts"), "no_such_act")[0] == 404
    assert do(machine("acts"), "call_floor", address="facilities/seabright/tables/T-01/acts/")[0] == 404
    elsewhere = machine("acts", place="larkfield/T-02")
    assert do(elsewhere, "call_floor")[0] == 404


def test_an_act_of_the_facility_is_done_by_who_signed_in(machine, scene):
    client = machine("acts")
    sign_in(client, "games-administrator")
    shaker = {"shaker": "SH-77", "kind": "manual"}
    status, answer = do(client, "register_shaker", shaker, address="facilities/larkfield/acts/")
    assert (status, answer["answer"]["type"]) == (200, "shaker.registered")


def test_each_act_says_what_it_takes_or_that_it_reads_it_itself(machine, scene):
    client = machine("acts")
    acts = {row["act"]: row for row in client.get("acts").json()["items"]}
    assert acts["change_limits"]["params"]["required"] == ["min_cents", "max_cents"]
    assert acts["call_dice"]["params"] is None
    assert "faces" in acts["call_dice"]["in_words"]
    assert acts["post_reading"]["scope"] == "readings"
    assert all(row["params"] is not None or row["in_words"] for row in acts.values())
    source_names = re.compile(r"\b[A-Z]\d\d\b|\.py\b|`(tables|games|audit)[./]|\bverify_|`[A-Z]+(_[A-Z]+)*`")
    assert [row["act"] for row in acts.values() if source_names.search(row["about"] + row["in_words"])] == []
    assert client.get("acts/shake").json() == acts["shake"]
    assert client.get("acts/nothing").status_code == 404

"""Stories of insiders and other people's secrets, PINs, devices and names: what stops each, and who is told."""

import contextlib
import datetime as dt
import io
import json
import re
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client

from audit import clock, devices, pins
from audit.models import Device, Entry, Lockout, Person
from audit.verification import verify
from games.engine import Refusal
from games.models import ChangeNotice
from tables.cases.watch import open_found_cases
from tables.clock.ticker import tick
from tables.models import Alert, Case
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PEOPLE_PAGE = "/floor/larkfield/people/"
PEOPLE_ADMINISTRATOR = "system-administrator"


class PeopleHands:
    """The hands of the clock, which a test moves: 10:00 in the morning at the casino."""

    def __init__(self) -> None:
        self.now = dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)


@pytest.fixture
def people_hands() -> Iterator[PeopleHands]:
    hands = PeopleHands()
    with clock.override(lambda: hands.now):
        yield hands


@pytest.fixture
def people_scene(people_hands, db) -> Scene:
    return make_scene()


def people_prepare(scene: Scene, act: str, params: dict[str, Any], by: str = PEOPLE_ADMINISTRATOR) -> str:
    """Prepare a change, and return its code."""
    return str(scene.in_room(act, params, by=by, approve=False).body["change"])


def people_see(scene: Scene, person: str, page: str = PEOPLE_PAGE) -> str:
    """A page as this person sees it at the podium."""
    return scene.browser("podium", person).get(page).content.decode()


def people_newest(type_: str) -> dict[str, Any]:
    """The newest entry of this type."""
    body: dict[str, Any] = json.loads(bytes(Entry.objects.filter(type=type_).latest("id").body))
    return body


def test_a_shift_manager_who_asks_for_a_colleagues_new_pin_never_reads_it(people_scene):
    """He says that a colleague forgot her PIN, to read the new one and sign as her.

    Who approved it makes the PIN while she is there, reads it alone, and it ends within minutes. Compliance is told,
    although compliance approved.
    """
    scene = people_scene
    change = people_prepare(scene, "replace_pin", {"person": "floorperson"}, by="shift-manager")
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("role-may-not"):
        scene.in_room("make_pin", {"person": "floorperson"}, by="shift-manager")
    with scene.refused("secret-for-another"):
        scene.in_room("make_pin", {"person": "floorperson"}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("make_pin", {"person": "floorperson"}, by="compliance")
    assert "PIN of Floorperson</h2>" not in people_see(scene, "shift-manager")
    assert re.search(r"<p><code>\d{6}</code></p>", people_see(scene, "compliance"))
    made, ends = (people_newest("pin.made")[name] for name in ("at", "data"))
    assert ends["ends_at"][11:16] == f"{made[11:13]}:{int(made[14:16]) + 15:02}"  # a quarter of an hour later
    told = ChangeNotice.objects.filter(change__code=change).values_list("department", flat=True)
    assert sorted(told) == ["compliance", "surveillance"]
    with scene.refused("approved-by-you"):
        scene.in_room("acknowledge_change", {"change": change}, by="compliance")


def test_an_administrator_never_reads_the_password_of_the_compliance_officer_whom_he_adds(people_scene):
    """He adds a compliance officer and gives her a password, to become her and approve his own changes.

    Her one-time password is made by who approved her, and nobody makes another one without a second person.
    """
    scene = people_scene
    new = {"person": "carla-2", "name": "Carla Two", "role": "compliance"}
    change = people_prepare(scene, "add_person", new)
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("secret-for-another"):
        scene.in_room("make_pin", {"person": "carla-2"}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("make_pin", {"person": "carla-2"}, by="compliance")
    with scene.refused("no-secret-allowed"):
        scene.in_room("make_pin", {"person": "carla-2"}, by="compliance")
    assert "PIN of Carla Two</h2>" not in people_see(scene, PEOPLE_ADMINISTRATOR)
    assert "PIN of Carla Two</h2>" in people_see(scene, "compliance")


def test_an_administrator_never_reads_the_password_after_a_factor_that_he_calls_lost(people_scene):
    """He says that compliance lost their second factor and forgot the password, to sign in as compliance.

    It is a change like any other: he cannot approve it, and who approves it reads the one-time password.
    """
    scene = people_scene
    change = people_prepare(
        scene, "replace_sign_in", {"person": "games-administrator", "lost": True, "why": "Left in a taxi"}
    )
    with scene.refused("made-by-you"):
        scene.in_room("approve_change", {"change": change}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("secret-for-another"):
        scene.in_room("give_password", {"person": "games-administrator"}, by=PEOPLE_ADMINISTRATOR)
    assert people_newest("sign_in.ended")["data"]["why"] == "Left in a taxi"


def test_who_asks_for_a_device_never_reads_its_token(people_scene):
    """He asks for a podium, to enroll a laptop of his own as it. Who approves the device makes its token."""
    scene = people_scene
    change = people_prepare(scene, "add_device", {"name": "Podium 9", "station": "podium"})
    scene.in_room("approve_change", {"change": change}, by="compliance")
    with scene.refused("token-for-another"):
        scene.in_room("make_token", {"device": "Podium 9"}, by=PEOPLE_ADMINISTRATOR)
    scene.in_room("make_token", {"device": "Podium 9"}, by="compliance")
    page = "/floor/larkfield/devices/"
    assert 'class="token"' not in people_see(scene, PEOPLE_ADMINISTRATOR, page)
    assert 'class="token"' in people_see(scene, "compliance", page)


def people_guess_for_an_hour(scene: Scene, hands: PeopleHands, unlocker: str) -> int:
    """How many wrong PINs of the floorperson somebody types at one podium in an hour, who unlocks whatever they can."""
    began, tries = hands.now, 0
    person, device = scene.people["floorperson"], scene.podium
    while hands.now < began + dt.timedelta(hours=1):
        if not pins.is_locked_out(device, person, hands.now):
            pins.count_wrong_pin(device, person, None, hands.now)
            tries += 1
            continue
        for lockout in pins.active_lockouts(hands.now):
            with contextlib.suppress(Refusal):
                scene.in_room("unlock_pins", {"lockout": lockout.pk}, by=unlocker)
        hands.now += dt.timedelta(seconds=20)
    return tries


def test_a_pit_manager_who_guesses_a_pin_and_unlocks_it_himself_stops_at_the_third_time(
    people_scene, people_hands
):
    """He guesses a floorperson's PIN at a podium, and unlocks it himself at another, again and again.

    He unlocks twice in a day; then somebody of another department signs, who is neither the person nor of his own.
    """
    scene = people_scene
    assert (
        people_guess_for_an_hour(scene, people_hands, "pit-manager") == 5 * 4 + 5
    )  # the tenth locks the device too
    lockout = Lockout.objects.latest("pk")
    people_hands.now = lockout.started_at
    for signer in (None, "shift-manager", "games-administrator"):
        with scene.refused("unlock-takes-two"):
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="casino-supervisor", witness=signer)
    scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager", witness="security")
    entry = people_newest("pins.unlocked")
    assert (entry["actor"], entry["witness"]) == ("pit-manager", "security")
    assert (entry["data"]["person"], entry["data"]["times"]) == ("floorperson", 3)


def test_who_unlocks_other_people_at_one_device_stops_at_the_third_time_too(people_scene, people_hands):
    """He guesses another person's PIN after each unlock, at one podium. Unlocks of one device are counted, too."""
    scene = people_scene
    for number, person in enumerate(("dealer", "relief", "floorperson")):
        people_hands.now += dt.timedelta(minutes=16)
        for _ in range(5):
            pins.count_wrong_pin(scene.podium, scene.people[person], None, people_hands.now)
        lockout = Lockout.objects.latest("pk")
        with scene.refused("unlock-takes-two") if number == 2 else contextlib.nullcontext():
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")


def people_unlock_everywhere(scene: Scene, hands: PeopleHands, may_unlock: bool) -> bool:
    """Whether a pit manager ends the lock-out of a person at every device now."""
    for lockout in pins.active_lockouts(hands.now).filter(scope="person") if may_unlock else ():
        hands.now += dt.timedelta(milliseconds=1)
        with contextlib.suppress(Refusal):
            scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")
            return True
    return False


@pytest.mark.parametrize(("unlocks", "most"), [(False, 100), (True, 140)])
def test_the_pin_of_one_person_is_tried_so_often_in_an_hour_and_no_more(
    people_scene, people_hands, unlocks, most
):
    """Thieves at thirty devices, the person's own among them, try one person's PIN as often as they can for an hour.

    The numbers are those of docs/security.md: 25 in a quarter of an hour, and 20 more for each of two unlocks.
    """
    scene = people_scene
    person = scene.people["floorperson"]
    *phones, own = (devices.enroll(f"Phone {number}", "larkfield", "pit")[0] for number in range(30))
    Device.objects.filter(pk=own.pk).update(person=person, signed_on_at=people_hands.now)
    own.refresh_from_db()
    began, tries = people_hands.now, 0
    while people_hands.now < began + dt.timedelta(hours=1):
        for device in (*phones, own):  # their own device last: its tries count everywhere
            while not pins.is_locked_out(device, person, people_hands.now):
                if device == own and people_unlock_everywhere(scene, people_hands, unlocks):
                    break
                people_hands.now += dt.timedelta(milliseconds=1)
                pins.count_wrong_pin(device, person, None, people_hands.now)
                tries += 1
        people_hands.now += dt.timedelta(seconds=10)
    assert tries == most


def test_somebody_whose_pin_was_guessed_reads_so_at_the_next_sign_in_and_compliance_has_a_case(
    people_scene, people_hands
):
    """Somebody guesses a floorperson's PIN at a podium. She, compliance and surveillance learn of it."""
    scene = people_scene
    thief = scene.browser("podium")
    for _ in range(5):
        thief.post("/sign-in", {"person": "floorperson", "pin": "654321"})
    lockout = Lockout.objects.get()
    open_found_cases()
    case = Case.objects.get(kind="lockout")
    assert case.params["person"] == "Floorperson"
    for watcher in ("compliance", "surveillance"):
        assert case.code in people_see(scene, watcher, "/inbox/larkfield/")

    people_hands.now += dt.timedelta(minutes=16)
    hers = scene.browser("podium")
    answer = hers.post("/sign-in", {"person": "floorperson", "pin": PIN})
    assert answer["Location"] == "/sign-in/guessed"
    page = hers.get(answer["Location"]).content.decode()
    assert "Five wrong PINs" in page and "<b>Podium</b>" in page and "21 Nov, 10:00" in page
    read = hers.post("/sign-in/guessed", {"next": "/floor/larkfield/staff/"})
    assert read["Location"] == "/floor/larkfield/staff/"
    entry = people_newest("pins.guesses_read")
    assert (entry["actor"], entry["data"]) == ("floorperson", {"lockouts": [lockout.pk]})
    assert hers.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/"


def test_a_pit_manager_does_not_revoke_the_device_of_those_who_watch_him(people_scene, people_hands):
    """He revokes the office device at which compliance works, so that nobody looks at his tables.

    A device of another department takes somebody of that department or of oversight; every revocation is an alert.
    """
    scene = people_scene
    _, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    _, scene.tokens["phone"] = devices.enroll("Phone 1", "larkfield", "pit")
    scene.browser("desk", "compliance"), scene.browser("phone", "security")
    offered = people_see(scene, "pit-manager", "/floor/larkfield/devices/?device=desk-1")
    assert 'value="compliance"' in offered and 'value="cage"' not in offered
    for device in ("desk-1", "Phone 1"):
        lost = {"device": device, "why": "lost"}
        for signer in (None, "shift-manager"):
            with scene.refused("second-person-for-device"):
                scene.in_room("revoke_device", lost, by="pit-manager", witness=signer)
    scene.in_room(
        "revoke_device", {"device": "desk-1", "why": "lost"}, by="pit-manager", witness="compliance"
    )
    scene.in_room("revoke_device", {"device": "Phone 1", "why": "lost"}, by="pit-manager", witness="security")
    scene.in_room("revoke_device", {"device": "Tablet of T-01", "why": "lost"}, by="pit-manager")
    tick()
    alerts = Alert.objects.filter(kind="device-revoked", ended_at=None)
    assert {alert.params["device"] for alert in alerts} == {"desk-1", "Phone 1", "Tablet of T-01"}
    assert {alert.table.code for alert in alerts} == {"T-01"}


def people_cookies(client: Client) -> dict[str, str]:
    """The cookies of a browser, as somebody copies them from its storage."""
    return {name: morsel.coded_value for name, morsel in client.cookies.items()}


def people_browser_with(cookies: dict[str, str]) -> Client:
    """Another browser, into which copied cookies were put."""
    client = Client()
    for name, value in cookies.items():
        client.cookies[name] = ""
        client.cookies[name].set(name, value, value)
    return client


PEOPLE_STAFF = "/floor/larkfield/staff/"


def test_copied_cookies_of_a_podium_end_at_the_next_sign_in_and_give_the_thief_away(
    people_scene, people_hands
):
    """He copies both cookies of a podium and reads the floor from home.

    The next sign-in at the podium changes its cookie. The copy opens nothing then, not even the sign-in page; the
    podium locks, so that its person gives the PIN again, and the floor is called.
    """
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    assert podium.get(PEOPLE_STAFF).status_code == 200
    copied = people_cookies(podium)
    assert podium.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    assert podium.get(PEOPLE_STAFF).status_code == 200
    people_hands.now += dt.timedelta(minutes=2)
    thief = people_browser_with(copied)
    assert thief.post("/sign-in", {"person": "floorperson", "pin": PIN})["Location"] == "/enrol"
    assert "an old key of Podium" in thief.get("/enrol").content.decode()
    copy = people_newest("device.cookie_copied")["data"]
    assert (copy["name"], copy["cookie"], copy["newest"]) == ("Podium", 1, 2)
    assert podium.get(PEOPLE_STAFF).status_code == 302
    assert podium.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    tick()
    assert {alert.table.code for alert in Alert.objects.filter(kind="device-copied")} == {"T-01"}
    # The same copy does not lock the podium again.
    thief.get(PEOPLE_STAFF)
    assert podium.get(PEOPLE_STAFF).status_code == 200
    assert Entry.objects.filter(type="device.cookie_copied").count() == 1


def test_a_thief_who_signs_in_with_a_copied_cookie_is_found_by_the_podium_itself(people_scene, people_hands):
    """He copies the device cookie and signs in with a PIN that he saw. The podium's next request is of an old key."""
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    thief = people_browser_with(people_cookies(podium))
    assert thief.post("/sign-in", {"person": "shift-manager", "pin": PIN}).status_code == 302
    assert thief.get(PEOPLE_STAFF).status_code == 200
    people_hands.now += dt.timedelta(minutes=2)
    assert podium.get("/")["Location"] == "/enrol"
    assert thief.get(PEOPLE_STAFF).status_code == 302
    tick()
    assert Alert.objects.filter(kind="device-copied", ended_at=None).exists()


def test_a_lost_answer_and_two_tabs_lock_no_honest_tablet(people_scene, people_hands):
    """Nobody steals anything: an answer is lost on the way, and a second tab sends what it had before."""
    scene = people_scene
    podium = scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    before = people_cookies(podium)
    podium.post("/sign-in", {"person": "floorperson", "pin": PIN})  # whose answer never arrives
    people_hands.now += dt.timedelta(minutes=5)
    tablet = people_browser_with(before)
    assert tablet.post("/sign-in", {"person": "floorperson", "pin": PIN}).status_code == 302
    assert tablet.get(PEOPLE_STAFF).status_code == 200
    second_tab = people_browser_with(before | {"sessionid": people_cookies(tablet)["sessionid"]})
    assert second_tab.get(PEOPLE_STAFF).status_code == 200
    assert not Entry.objects.filter(type="device.cookie_copied").exists()
    assert Device.objects.get(name="Podium").locked_at is None


def test_a_session_is_worth_nothing_with_the_cookie_of_another_device(people_scene):
    """He copies a manager's session into a tablet that he may use. It is nobody's session there."""
    scene = people_scene
    podium = scene.browser("podium", "shift-manager")
    session = people_cookies(podium)["sessionid"]
    tablet = scene.browser("tablet")
    mixed = people_browser_with(people_cookies(tablet) | {"sessionid": session})
    act = "/floor/larkfield/acts/unlock_pins"
    body = json.dumps({"command": "00000000-0000-4000-8000-000000000001", "params": {"lockout": 1}})
    assert mixed.post(act, body, content_type="application/json").status_code == 401
    assert (
        people_browser_with({"sessionid": session})
        .post(act, body, content_type="application/json")
        .status_code
        == 401
    )
    Device.objects.filter(name="Podium").update(revoked_at=clock.now())
    assert podium.post(act, body, content_type="application/json").status_code == 401


def test_a_restored_backup_keeps_the_tablets_that_it_is_older_than(people_scene, people_hands):
    """Somebody restores an older database. A tablet's cookie is newer than it, and is still the server's own."""
    podium = people_scene.browser("podium", "floorperson")
    podium.get(PEOPLE_STAFF)
    Device.objects.filter(name="Podium").update(cookie=0, cookies_made=0)
    assert podium.get(PEOPLE_STAFF).status_code == 200
    podium.post("/sign-in", {"person": "floorperson", "pin": PIN})
    assert podium.get(PEOPLE_STAFF).status_code == 200
    assert Device.objects.get(name="Podium").cookie == 2


def people_command(monkeypatch: pytest.MonkeyPatch, *words: str, typed: tuple[str, ...]) -> str:
    """Run a command at the server's terminal, where these lines are typed. Returns what it prints."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    out = io.StringIO()
    call_command(*words, stdout=out, stderr=out)
    return out.getvalue()


PEOPLE_TWO = ("--by=system-administrator", "--with=compliance", "--pin-from-stdin")
PEOPLE_HIRE = ("add_person", "zoe", "Zoe Park", "--facility=larkfield", "--role=compliance", *PEOPLE_TWO)


@pytest.mark.parametrize(
    "words",
    [
        PEOPLE_HIRE,
        ("change_person", "floorperson", "--role=pit-manager", *PEOPLE_TWO),
        ("enrol_device", "Laptop", "--facility=larkfield", "--station=office", "--by=system-administrator",
         "--pin-from-stdin"),
        ("record_people", "--by=compliance", "--pin-from-stdin"),
    ],
)  # fmt: skip
def test_the_servers_operator_signs_for_nobody_and_guesses_no_pin_there(people_scene, monkeypatch, words):
    """He adds a compliance officer at the server, and names two honest people as those who answered for her.

    Each of them types their own PIN there, and wrong ones are counted as at a device.
    """
    scene = people_scene
    before = Entry.objects.exclude(type__in=("person.refused", "person.locked_out")).count()
    for tries in range(6):
        says = "Code or PIN is wrong|fourth wrong PIN" if tries < 4 else "Too many wrong PINs"
        with pytest.raises(CommandError, match=says):
            people_command(monkeypatch, *words, typed=("654321", PIN, "271828"))
    lockout = Lockout.objects.get()
    assert (lockout.where, lockout.facility) == ("the server's terminal", "larkfield")
    with pytest.raises(CommandError, match="Too many wrong PINs"):
        people_command(monkeypatch, *words, typed=(PIN, PIN, "271828"))
    assert Entry.objects.exclude(type__in=("person.refused", "person.locked_out")).count() == before
    tick()
    assert Alert.objects.filter(kind="pins-guessed").exists()
    refused = people_newest("person.refused")["data"]
    assert (refused["name"], refused["purpose"]) == ("the server's terminal", "server")
    scene.in_room("unlock_pins", {"lockout": lockout.pk}, by="pit-manager")


def test_what_the_servers_operator_does_alone_says_so_on_the_record(people_scene, monkeypatch):
    """He gives himself a way in with a command that asks nobody: its entries say that the operator did it."""
    people_command(monkeypatch, "give_password", "compliance", "--lost", typed=())
    given = people_newest("password.given")
    assert (given["actor"], given["data"]["by_operator"]) == (None, True)
    people_command(
        monkeypatch, "enrol_device", "Laptop", "--facility=larkfield", "--station=office", typed=()
    )
    enrolled = people_newest("device.enrolled")
    assert (enrolled["actor"], enrolled["data"]["by_operator"]) == (None, True)
    Person.objects.filter(code="dealer").update(badge="7")
    people_command(monkeypatch, "record_people", typed=())
    recorded = people_newest("person.recorded")
    assert (recorded["actor"], recorded["data"]["by_operator"]) == (None, True)
    assert not [finding for finding in verify().findings if finding.code.startswith(("person-", "device-"))]
    people_command(monkeypatch, *PEOPLE_HIRE, typed=(PIN, PIN, "271828"))
    hired = people_newest("person.recorded")
    assert (hired["actor"], hired["witness"]) == ("system-administrator", "compliance")
    assert "by_operator" not in hired["data"]

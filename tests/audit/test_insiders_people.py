"""Stories of insiders and other people's secrets, PINs, devices and names: what stops each, and who is told."""

import contextlib
import datetime as dt
import json
import re
from collections.abc import Iterator

import pytest

from audit import clock, devices, pins
from audit.models import Device, Entry, Lockout
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


def people_prepare(scene: Scene, act: str, params: dict[str, str], by: str = PEOPLE_ADMINISTRATOR) -> str:
    """Prepare a change, and return its code."""
    return str(scene.in_room(act, params, by=by, approve=False).body["change"])


def people_see(scene: Scene, person: str, page: str = PEOPLE_PAGE) -> str:
    """A page as this person sees it at the podium."""
    return scene.browser("podium", person).get(page).content.decode()


def people_newest(type_: str) -> dict:
    """The newest entry of this type."""
    return json.loads(bytes(Entry.objects.filter(type=type_).latest("id").body))


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
    assert "Five wrong PINs" in page and "Podium" in page
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

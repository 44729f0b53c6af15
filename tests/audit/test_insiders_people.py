"""Stories of insiders and other people's secrets, PINs, devices and names: what stops each, and who is told."""

import datetime as dt
import json
import re
from collections.abc import Iterator

import pytest

from audit import clock
from audit.models import Entry
from games.models import ChangeNotice
from tests.tables.cast import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PEOPLE_PAGE = "/floor/larkfield/people/"
PEOPLE_ADMINISTRATOR = "system-administrator"


@pytest.fixture
def people_scene(db) -> Iterator[Scene]:
    with clock.override(lambda: dt.datetime(2026, 11, 21, 15, tzinfo=dt.UTC)):
        yield make_scene()


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

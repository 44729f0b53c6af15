"""Access on the page People: prepared by one person, approved by another, and a one-time PIN that one person reads."""

import csv
import datetime as dt
import io
import re

import pytest
from django.test import RequestFactory

from audit import devices, people
from audit.models import Entry, Lockout, OneTimeSecret, Person
from audit.refusals import NewPinNeeded
from audit.verification import verify
from games.facility_runner import Forbidden
from games.models import PreparedChange
from tables.models import Assignment
from tests.services.entries import newest_body
from tests.services.sign_ins import WORDS, next_code, register_app
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PAGE = "/floor/larkfield/people/"
ZOE = {"person": "park-z", "name": "Zoe Park", "role": "dealer", "badge": "4417"}
ADMINISTRATOR = "system-administrator"


@pytest.fixture
def scene(hands) -> Scene:
    return make_scene()


def change(scene, act, params, *, by=ADMINISTRATOR, approver="compliance"):
    """A change of access that one person prepares and another approves."""
    code = scene.in_room(act, params, by=by, approve=False).body["change"]
    return scene.in_room("approve_change", {"change": code}, by=approver)


def page(scene, person, query=""):
    return scene.browser("podium", person).get(PAGE + query).content.decode()


def one_time_pin(scene, person="compliance"):
    return re.search(r"<p><code>(\d{6})</code></p>", page(scene, person)).group(1)


def test_a_new_person_gets_a_one_time_pin_from_who_approved_and_chooses_their_own(scene, hands):
    change(scene, "add_person", ZOE)
    added = newest_body("person.recorded")
    assert (added["data"]["code"], added["actor"], added["witness"]) == (
        "park-z",
        ADMINISTRATOR,
        "compliance",
    )
    assert newest_body("person.added")["data"] == {
        **ZOE,
        "licence": "",
        "licence_ends_on": None,
        "secret": {"kind": "pin", "asked_by": ADMINISTRATOR, "approved_by": "compliance"},
    }
    assert scene.browser("podium").post("/sign-in", {"person": "park-z", "pin": PIN}).status_code == 403

    with scene.refused("secret-for-another"):
        scene.in_room("make_pin", {"person": "park-z"}, by=ADMINISTRATOR)
    scene.in_room("make_pin", {"person": "park-z"}, by="compliance")
    with scene.refused("no-secret-allowed"):
        scene.in_room("make_pin", {"person": "park-z"}, by="compliance")
    pin = one_time_pin(scene)
    assert "One-time PIN of Zoe Park" not in page(scene, ADMINISTRATOR)
    assert not any(pin in bytes(entry.body).decode() for entry in Entry.objects.all())
    hands.now += dt.timedelta(minutes=11)
    assert "One-time PIN of Zoe Park" not in page(scene, "compliance")

    tablet = scene.browser("podium")
    answer = tablet.post("/sign-in", {"person": "park-z", "pin": pin, "next": "/floor/larkfield/"})
    assert answer["Location"] == "/sign-in/new-pin?next=%2Ffloor%2Flarkfield%2F"
    assert tablet.get("/floor/larkfield/").status_code == 302  # nobody is signed in yet
    for typed, again, code in (
        ("123456", "123456", "Too simple"),
        ("271828", "271829", "Not the same"),
        (pin, pin, "Choose another PIN"),
    ):
        refused = tablet.post("/sign-in/new-pin", {"pin": typed, "again": again})
        assert refused.status_code == 403 and code in refused.content.decode()
    assert tablet.post("/sign-in/new-pin", {"pin": "271828", "again": "271828"}).status_code == 302
    zoe = Person.objects.get(code="park-z")
    assert zoe.check_password("271828") and not zoe.pin_must_change and tablet.get("/")["Location"]
    assert newest_body("person.signed_in")["actor"] == "park-z"
    assert tablet.get("/sign-in/new-pin")["Location"] == "/sign-in"
    assert not [finding for finding in verify().findings if "park-z" in str(finding)]


def test_a_one_time_pin_signs_nothing_and_ends_after_a_quarter_of_an_hour(scene, hands):
    change(scene, "replace_pin", {"person": "security"})
    scene.in_room("make_pin", {"person": "security"}, by="compliance")
    pin = one_time_pin(scene)
    request = RequestFactory().post("/")
    request.device, request.user = scene.podium, scene.people["shift-manager"]
    with pytest.raises(NewPinNeeded):
        people.verify_witness(request, "security", pin)
    hands.now += dt.timedelta(minutes=15)
    late = scene.browser("podium").post("/sign-in", {"person": "security", "pin": pin})
    assert late.status_code == 403 and "The time of this one-time PIN is over" in late.content.decode()
    assert newest_body("person.refused")["data"]["why"] == "pin-ended"


@pytest.mark.parametrize("watcher", ["compliance", "gaming-agent", "surveillance", "security", ADMINISTRATOR])
def test_table_games_prepares_nothing_about_people_of_other_departments(scene, watcher):
    for act, params in (
        ("end_access", {"person": watcher, "why": "in the way"}),
        ("replace_pin", {"person": watcher}),
        ("change_access", {"person": watcher, "role": "dealer"}),
        ("change_access", {"person": "relief", "role": scene.people[watcher].role}),
    ):
        with pytest.raises(Forbidden) as refusal:
            scene.in_room(act, params, by="shift-manager", approve=False)
        assert refusal.value.code == "access-of-another-department"
    assert 'data-open="end-access"' not in page(scene, "shift-manager", f"?person={watcher}")
    assert 'data-open="end-access"' in page(scene, "shift-manager", "?person=relief")
    change(scene, "change_access", {"person": "relief", "badge": "77"}, by="shift-manager")
    assert Person.objects.get(code="relief").badge == "77"


def test_the_access_of_an_administrator_takes_two_and_never_ends_with_the_last(scene):
    own = {"person": ADMINISTRATOR, "why": "leaves"}
    with scene.refused("not-your-own-access"):
        scene.in_room("end_access", own, by=ADMINISTRATOR, approve=False)
    change(scene, "add_person", {"person": "two", "name": "Second", "role": ADMINISTRATOR})
    second = Person.objects.get(code="two")
    Assignment.objects.create(person=second, facility=scene.table.facility, started_at="2020-01-01T00:00Z")
    scene.people["two"] = second
    code = scene.in_room("end_access", own, by="two", approve=False).body["change"]
    for nobody in ("two", ADMINISTRATOR, "shift-manager"):  # who prepared it, whom it is about, table games
        with pytest.raises(Forbidden):
            scene.in_room("approve_change", {"change": code}, by=nobody)
    scene.in_room("approve_change", {"change": code}, by="compliance")
    assert not Person.objects.get(code=ADMINISTRATOR).is_active
    with scene.refused("last-with-access-rights"):
        scene.in_room("end_access", {"person": "compliance", "why": "leaves"}, by="two", approve=False)


def test_who_leaves_is_relieved_first_and_then_signed_off_and_off_duty(scene):
    with scene.refused("still-at-a-post"):
        scene.in_room("end_access", {"person": "dealer", "why": "left"}, by="shift-manager", approve=False)
    tablet = scene.browser("podium", "security")
    before = scene.version
    duty = list(Assignment.objects.filter(person__code="security").values_list("pk", flat=True))
    change(scene, "end_access", {"person": "security", "why": "left the casino"})
    assert tablet.get("/floor/larkfield/dice/").status_code != 200
    assert newest_body("access.ended")["data"] == {
        "person": "security", "why": "left the casino", "devices": ["Podium"], "assignments": duty,
    }  # fmt: skip
    assert not Assignment.objects.unended().filter(person__code="security").exists()
    assert scene.version == before  # no table shows it
    assert scene.browser("podium").post("/sign-in", {"person": "security", "pin": PIN}).status_code == 403
    shown = page(scene, "compliance", "?show=left")
    assert re.search(r">Security\s+<span", shown) and "Left" in shown


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({**ZOE, "person": "Zoe Park"}, "not-a-person-code"),
        ({**ZOE, "person": "dealer"}, "person-code-taken"),
        ({**ZOE, "badge": "12a"}, "not-a-badge"),
        ({**ZOE, "badge": "77"}, "badge-taken"),
        ({**ZOE, "role": "king"}, "malformed"),
    ],
)
def test_a_person_who_cannot_be_added_is_refused_while_it_is_prepared(scene, params, code):
    Person.objects.filter(code="relief").update(badge="77")
    with scene.refused(code):
        scene.in_room("add_person", params, by=ADMINISTRATOR, approve=False)
    assert not PreparedChange.objects.exists() and not Person.objects.filter(name="Zoe Park").exists()


def test_nothing_to_change_and_people_of_every_facility_are_refused(scene):
    with scene.refused("nothing-to-change"):
        scene.in_room(
            "change_access", {"person": "relief", "role": "dealer"}, by=ADMINISTRATOR, approve=False
        )
    Person.objects.filter(code="gaming-agent").update(facility="")
    with scene.refused("works-everywhere"):
        scene.in_room("end_access", {"person": "gaming-agent", "why": "x"}, by=ADMINISTRATOR, approve=False)


def test_the_page_finds_people_and_puts_those_who_need_somebody_first(scene, hands):
    today = scene.table.facility.gaming_day(hands.now)
    Person.objects.filter(code="surveillance").update(licence_ends_on=today + dt.timedelta(days=17))
    now = hands.now
    locked = Lockout.objects.create(
        scope="person-at-device", facility="larkfield", device=scene.podium, person=scene.people["floorperson"],
        started_at=now, ends_at=now + dt.timedelta(minutes=15),
    )  # fmt: skip
    shown = page(scene, "casino-supervisor")
    names = re.findall(r'person=[\w-]+"[^>]*>([^<]+?)\s+<span', shown)
    assert names[:2] == ["Floorperson", "Surveillance"]
    assert "in 17 days" in shown and "Locked out" in shown and 'data-open="add-person"' not in shown
    assert f'data-lockout="{locked.pk}"' in page(scene, "casino-supervisor", "?person=floorperson")
    Person.objects.filter(code="relief").update(badge="4711")
    for query in ("?who=4711", "?who=RELIE", "?show=ending&who=surv"):
        assert len(re.findall(r'<th scope="row">', page(scene, "compliance", query))) == 1
    staff_page = scene.browser("podium", "casino-supervisor").get("/floor/larkfield/staff/").content.decode()
    assert f'href="{PAGE}">People and access' in staff_page
    assert "Nobody with “nobody” here" in page(scene, "compliance", "?who=nobody")


def test_who_signs_in_with_a_password_chooses_a_pin_for_second_signatures_then(scene, settings):
    settings.SECOND_FACTORS, settings.DEVICE_IDLE_LOCK_SECONDS = True, 3600
    desk, scene.tokens["desk"] = devices.enroll("desk-1", "larkfield", "office")
    carla = scene.people["compliance"]
    carla.set_unusable_password()
    carla.save()
    assert not OneTimeSecret.objects.exists()
    client = scene.browser("desk")
    factor = register_app(carla, desk)
    client.post("/sign-in", {"person": "compliance", "password": WORDS})
    signed_in = client.post("/sign-in/second-factor", {"code": next_code(factor)})
    assert signed_in["Location"] == "/sign-in/new-pin"
    assert "Save it" in client.get("/sign-in/new-pin").content.decode()
    assert client.post("/sign-in/new-pin", {"pin": "271828", "again": "271828"}).status_code == 302
    assert Person.objects.get(code="compliance").check_password("271828")
    assert client.get("/record/larkfield/").status_code == 200
    assert newest_body("person.recorded")["actor"] == "compliance"


def test_the_access_review_lists_who_may_do_what_and_compliance_states_that_it_was_reviewed(scene):
    address = "/floor/larkfield/access/"
    desk = scene.browser("podium", "compliance")
    shown = desk.get(address).content.decode()
    assert 'class="who"' not in shown  # a class of the sign-in page
    assert "not reviewed yet" in shown and f"{len(scene.people)} with access" in shown
    sha256 = re.search(r'name="sha256" value="(\w{64})"', shown).group(1)
    file = desk.get("/floor/larkfield/access/csv")
    rows = list(csv.reader(io.StringIO(file.content.decode())))
    assert rows[0][:2] == ["code", "name"] and file["Content-Disposition"].startswith("attachment")
    rights = {(row[0], row[7], row[8]) for row in rows[1:]}
    assert ("dealer", "call dice", "does") in rights and ("security", "call dice", "does") not in rights
    assert (ADMINISTRATOR, "People and their access", "prepares") in rights
    assert ("compliance", "People and their access", "approves") in rights
    assert not any(act == "People and their access" for code, act, _ in rights if code == "pit-manager")

    scene.in_room("review_access", {"sha256": sha256, "note": "Two roles discussed"}, by="compliance")
    assert newest_body("access.reviewed")["data"]["people"] == len(scene.people)
    assert "Two roles discussed" in desk.get(address).content.decode()
    Person.objects.filter(code="relief").update(role="floorperson")
    with scene.refused("access-has-changed"):
        scene.in_room("review_access", {"sha256": sha256}, by="compliance")
    with pytest.raises(Forbidden):
        scene.in_room("review_access", {"sha256": sha256}, by="shift-manager")

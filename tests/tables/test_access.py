"""Access to the floor's pages: signed out, locked, at a tablet. Who opens which page: tests/test_rights.py."""

from urllib.parse import quote

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse

from audit import clock
from audit.models import Person
from tables.runner import copies
from tables.ticker import TOKEN_ALERT_LASTS, tick
from tests.tables.cast import PIN

pytestmark = pytest.mark.django_db

PAGES = {
    "floor": ["larkfield"],
    "tiles": ["larkfield"],
    "table": ["larkfield", "T-01"],
    "console": ["larkfield", "T-01"],
    "screen": ["larkfield", "T-01", "table"],
    "light": ["larkfield", "T-01"],
    "rounds": ["larkfield", "T-01"],
    "dice": ["larkfield"],
    "dice-lot": ["larkfield", "L-0001"],
    "equipment": ["larkfield"],
    "staff": ["larkfield"],
    "sign-display": ["larkfield", "T-01"],
    "sign-screen": ["larkfield", "T-01"],
    "sign-print": ["larkfield", "T-01", "limits"],
    "sign-pdf": ["larkfield", "T-01", "limits"],
}
ADDRESSES = {name: reverse(name, args=args) for name, args in PAGES.items()} | {
    "screen of the dealer": reverse("screen", args=["larkfield", "T-01", "dealer"])
}
ADDRESSES["light"] += "?dice=1,2,5"
BY_SCRIPT = {"Sec-Fetch-Mode": "cors"}


def test_who_only_watches_a_table_has_no_dealers_screen(scene):
    for by in ("surveillance", "compliance", "gaming-agent"):
        podium = scene.browser("podium", by)
        assert podium.get(ADDRESSES["screen"]).status_code == 200, by
        assert podium.get(ADDRESSES["screen of the dealer"]).status_code == 403, by


def test_a_person_of_another_facility_sees_nothing_here(scene):
    podium = scene.browser("podium", "surveillance")
    assert podium.get(ADDRESSES["table"]).status_code == 200
    Person.objects.filter(code="surveillance").update(facility="seabright")
    assert {podium.get(address, headers=BY_SCRIPT).status_code for address in ADDRESSES.values()} == {403}


@pytest.mark.parametrize("by", ["dealer", "floorperson"])
def test_a_tablet_of_a_table_shows_that_table_and_no_floor(scene, by):
    tablet = scene.browser("tablet", by)
    assert tablet.get(ADDRESSES["console"]).status_code == 200
    assert tablet.get(ADDRESSES["floor"]).status_code == 403
    from tables.models import Pit
    from tables.opening.opening import make_table

    facility = scene.table.facility
    make_table(
        facility,
        code="T-02",
        pit=Pit.objects.get(),
        submission="RS-0009",
        kind="live",
        seats=8,
        min_cents=500,
        max_cents=1_000,
    )
    for name in ("table", "console", "light"):
        assert tablet.get(reverse(name, args=["larkfield", "T-02"])).status_code == 403


@pytest.mark.parametrize("code", ["%00", "T-01%00", "T-01%0a", "-", "a b", "é"])
def test_what_is_no_code_of_a_table_is_no_address(scene, code):
    tablet = scene.browser("tablet", "dealer")
    for page in ("", "console", "screen/dealer", "light", "rounds"):
        assert tablet.get(f"/floor/larkfield/{code}/{page}").status_code == 404
    assert tablet.post(f"/floor/larkfield/{code}/acts/shake").status_code == 404


def test_what_does_not_exist_is_refused_like_what_is_not_yours(scene):
    podium = scene.browser("podium", "shift-manager")
    for address in (
        "/floor/larkfield/T-99/",
        "/floor/seabright/",
        "/floor/seabright/T-01/console",
        "/floor/larkfield/T-01/screen/nowhere",
    ):
        assert podium.get(address).status_code == 403


@pytest.mark.parametrize("name", ADDRESSES)
def test_the_signed_out_and_the_unenrolled_are_led_to_the_sign_in(scene, name):
    for browser in (Client(), scene.browser("podium")):
        page = browser.get(ADDRESSES[name])
        assert (page.status_code, page["Location"]) == (
            302,
            f"/sign-in?next={quote(ADDRESSES[name], safe='')}",
        )
        assert browser.get(ADDRESSES[name], headers=BY_SCRIPT).status_code == 401


@pytest.mark.parametrize("name", [name for name in ADDRESSES if name != "floor"])
def test_a_locked_podium_shows_nothing_but_the_floor(scene, name):
    podium = scene.browser("podium", "floorperson")
    podium.post("/lock")
    page = podium.get(ADDRESSES[name])
    assert (page.status_code, page["Location"].partition("?")[0]) == (302, "/sign-in")
    assert podium.get(ADDRESSES[name], headers=BY_SCRIPT).status_code == 423


def test_after_a_pin_the_same_person_stays_where_they_were(scene):
    page = "/floor/larkfield/T-01/rounds/1/?step=2"
    podium = scene.browser("podium", "compliance")
    podium.post("/lock")
    assert podium.get(page)["Location"] == f"/sign-in?next={quote(page, safe='')}"
    assert f'name="next" value="{page}"' in podium.get("/sign-in", {"next": page}).content.decode()
    pin = {"person": "compliance", "pin": PIN}
    assert podium.post("/sign-in", {**pin, "next": page})["Location"] == page
    for elsewhere in ("https://example.com/", "//example.com/", "javascript:alert(1)", "floor"):
        podium.post("/lock")
        assert podium.post("/sign-in", {**pin, "next": elsewhere})["Location"] == "/"
    podium.post("/lock")
    another = {"person": "shift-manager", "pin": PIN, "next": page}
    assert podium.post("/sign-in", another)["Location"] == "/"
    tablet = scene.browser("tablet")
    assert tablet.post("/sign-in", {"person": "dealer", "pin": PIN, "next": page})["Location"] == "/"


def test_home_leads_each_device_to_its_own_screen(scene):
    assert Client().get("/")["Location"] == "/enrol"
    assert scene.browser("podium").get("/")["Location"] == "/sign-in"
    assert scene.browser("podium", "floorperson").get("/")["Location"] == "/floor/larkfield/"
    assert (
        scene.browser("podium", "games-administrator").get("/")["Location"]
        == "/office/larkfield/submissions/"
    )
    assert scene.browser("podium", "gaming-agent").get("/")["Location"] == "/record/larkfield/"
    assert scene.browser("tablet", "dealer").get("/")["Location"] == "/floor/larkfield/T-01/console"


def test_every_error_is_a_page_of_the_product(scene, settings):
    settings.DEBUG = False
    podium = scene.browser("podium", "shift-manager")
    strict = Client(enforce_csrf_checks=True)
    pages = {
        404: podium.get("/nowhere"),
        403: podium.get("/floor/seabright/"),
        "csrf": strict.post("/sign-in", {"person": "dealer"}),
        400: Client(SERVER_NAME="elsewhere.example").get("/"),
    }
    for name, page in pages.items():
        assert page.status_code == (403 if name == "csrf" else name)
        assert 'class="brand"' in page.content.decode() and "Pitside" in page.content.decode(), name


def test_a_browser_becomes_a_device_by_its_token_alone(scene):
    browser = Client()
    page = browser.get("/enrol")
    assert page.status_code == 200 and b"T-01" not in page.content
    for answer in ({"token": "guess"}, {}, {"place": "larkfield/T-01"}):
        assert browser.post("/enrol", answer).status_code == 403
    assert browser.post("/enrol", {"token": scene.tokens["podium"]})["Location"] == "/sign-in"
    assert browser.get("/sign-in").status_code == 200


def test_a_token_that_is_used_twice_is_refused_in_words_and_calls_the_floor(scene):
    for status in (302, 403):
        answer = Client().post("/enrol", {"token": scene.tokens["podium"]})
        assert answer.status_code == status
    assert "This token was used before, and opens nothing more." in answer.content.decode()
    assert settings.DEVICE_COOKIE_NAME not in answer.cookies
    tick()
    (alert,) = scene.snapshot["alerts"]
    assert (alert["kind"], alert["text"].partition(",")[0]) == (
        "token-used-twice",
        "The enrollment token of Podium was used a second time",
    )
    with clock.override(clock.now() + TOKEN_ALERT_LASTS):
        tick()
        assert scene.snapshot["alerts"][0]["standing"] is False


def test_a_wrong_pin_opens_nothing(scene):
    tablet = scene.browser("tablet")
    for person, pin in (("dealer", "000000"), ("nobody", "123456"), ("", ""), ("dealer", "")):
        assert tablet.post("/sign-in", {"person": person, "pin": pin}).status_code == 403
    assert tablet.get(ADDRESSES["console"], headers=BY_SCRIPT).status_code == 401


def test_health_asks_for_nobody(scene):
    assert Client().get("/healthz").json() == {"ok": True}
    ready = Client().get("/readyz")
    answer = {"database": True, "layer": True, "acts": copies.acts_run}
    assert (ready.status_code, ready.json()) == (200, answer)


@pytest.mark.parametrize("address", [*ADDRESSES.values(), "/"])
def test_pages_are_only_read(scene, address):
    assert scene.browser("podium", "shift-manager").post(address).status_code == 405


@pytest.mark.parametrize("dice", ["", "1,2", "1,2,7", "x", "1,2,5,6", "²,1,1", "1,,2"])
def test_the_lights_refuse_what_is_no_dice(scene, dice):
    podium = scene.browser("podium", "floorperson")
    answer = podium.get(reverse("light", args=["larkfield", "T-01"]), {"dice": dice})
    assert answer.status_code == 422 and "refusal" in answer.json()


@pytest.mark.clause("PA-625a.1(b)-illumination")
def test_the_lights_are_the_winning_combinations(scene):
    podium = scene.browser("podium", "floorperson")
    lit = podium.get(ADDRESSES["light"]).json()["lit"]
    assert sorted(lit) == sorted(
        [
            "total:8",
            "two-dice:1-2",
            "two-dice:1-5",
            "two-dice:2-5",
            "small",
            "one-of-a-kind:1",
            "one-of-a-kind:2",
            "one-of-a-kind:5",
        ]
    )


def test_a_page_of_somebody_signed_in_is_kept_nowhere(scene):
    page = scene.browser("podium", "floorperson").get("/floor/larkfield/T-01/console")
    assert "no-store" in page.headers["Cache-Control"]

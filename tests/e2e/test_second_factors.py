"""Second factors in a real browser, with a security key that Chromium simulates."""

import datetime as dt
import re
from urllib.parse import urlsplit

import pytest
from django.contrib.sessions.models import Session
from django.http import HttpResponse
from playwright.sync_api import Page, expect

from audit import clock, devices, factors
from audit.factors import SESSION_FACTOR_AT
from audit.identity import SessionStore
from audit.models import Entry, Person, SecondFactor
from audit.runner import one_transaction
from tests.e2e.floor import Screen
from tests.e2e.test_rooms import is_well
from tests.services.device_cookie import set_newest_cookie
from tests.services.sign_ins import WORDS, register_app
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
KEY = {
    "protocol": "ctap2",
    "transport": "usb",
    "hasResidentKey": False,
    "hasUserVerification": False,
    "automaticPresenceSimulation": True,
}


class Desk(Screen):
    """An office device. Security keys need a host name, so its pages come from `localhost`."""

    def __init__(self, page: Page, live_url: str, token: str) -> None:
        super().__init__(page)
        self.origin = f"http://localhost:{urlsplit(live_url).port}"
        response = HttpResponse()
        set_newest_cookie(response, token)
        (cookie,) = response.cookies.values()
        page.context.add_cookies([{"name": cookie.key, "value": cookie.coded_value, "url": self.origin}])
        self.devtools = page.context.new_cdp_session(page)
        self.devtools.send("WebAuthn.enable")
        self.key_id = ""

    def open(self, path: str) -> None:
        self.page.goto(self.origin + path)

    def take_new_key(self) -> None:
        """Put another key into this machine; the one before is gone."""
        if self.key_id:
            self.devtools.send("WebAuthn.removeVirtualAuthenticator", {"authenticatorId": self.key_id})
        added = self.devtools.send("WebAuthn.addVirtualAuthenticator", {"options": KEY})
        self.key_id = added["authenticatorId"]

    def give_password(self, person: str, password: str) -> None:
        self.open("/sign-in")
        self.tap(self.page.locator(f"label.person:has(input[value='{person}'])"))
        self.page.get_by_label("Password").fill(password)
        self.tap(self.page.get_by_role("button", name="Continue"))

    def set_up(self, password: str) -> None:
        """Choose a password, and register the key that is in this machine."""
        expect(self.page.get_by_role("heading", name="Second factor")).to_be_visible()
        self.page.get_by_label("New password").fill(password)
        self.page.get_by_label("Repeat it").fill(password)
        self.page.get_by_label("What you call it").fill("Key on my ring")
        self.tap(self.page.get_by_role("button", name="Register a security key"))
        self.is_signed_in()

    def is_signed_in(self) -> None:
        expect(self.page.locator(".bar .me")).to_be_visible()

    def sign_off(self) -> None:
        self.tap(self.page.get_by_role("button", name="Sign off"))
        expect(self.page.locator("#sign-in")).to_be_visible()
        self.page.wait_for_load_state()

    def one_time_password(self, scene: Scene, slip: str, approver: SecondFactor, *, by_row: str) -> str:
        """Ask for a one-time password of Compliance on the page Sign-ins; the approver makes it and reads it."""
        self.open("/floor/larkfield/sign-in/")
        row = self.page.locator(".sign-in-row", has_text=by_row).first
        self.tap(row.locator(f'[data-open="{slip}"]'))
        self.page.locator(f"#{slip} [name=why]").fill("Left in a taxi")
        self.tap(self.page.locator(f"#{slip} [data-go]"))
        expect(self.page.locator(f"#{slip}")).to_be_hidden()
        scene.people[approver.person.code] = approver.person
        with one_transaction():  # as seeding does: without a second factor again
            scene.approve_changes(by=approver.person.code)
        self.sign_off()
        self.sign_in_with_app(approver)
        self.open("/floor/larkfield/people/?person=compliance")
        is_well(self.page)
        self.tap(self.page.locator('[data-open="make-password"]'))
        self.tap(self.page.locator("#make-password [data-go]"))
        password = self.page.locator(".given-pin code").inner_text()
        is_well(self.page)
        return password

    def sign_in_with_app(self, factor: SecondFactor) -> None:
        SecondFactor.objects.filter(pk=factor.pk).update(last_step=0)
        self.give_password(factor.person.code, WORDS)
        self.page.get_by_label("Code").fill(factors.code_at(bytes(factor.secret), clock.now()))
        self.tap(self.page.get_by_role("button", name="Sign in"))
        self.is_signed_in()


def eleven_minutes_pass(person: str) -> None:
    """The second factor of this person's session was given eleven minutes ago."""
    for row in Session.objects.all():
        store = SessionStore(row.session_key)
        if store.get("_auth_user_id") == str(Person.objects.get(code=person).pk):
            store[SESSION_FACTOR_AT] = clock.format_moment(clock.now() - dt.timedelta(minutes=11))
            store.save()


@pytest.fixture
def administrators(scene) -> list[SecondFactor]:
    """Two administrators, each with an app."""
    first = scene.people["system-administrator"]
    second = Person.objects.create_person(
        "second-administrator", "123456", name="Nia Cole", role=first.role, department=first.department,
        facility="larkfield",
    )  # fmt: skip
    duty = first.assignments.get()
    duty.pk, duty.person = None, second
    duty.save()
    return [register_app(person, scene.podium) for person in (first, second)]


def test_a_key_signs_in_steps_up_is_lost_and_two_people_give_a_new_start(
    scene, administrators, new_page, live_url, settings
):
    settings.SECOND_FACTORS = True
    first, second = administrators
    desk = Desk(new_page(), live_url, devices.enroll("desk-1", "larkfield", "office")[1])
    other = Desk(new_page(), live_url, devices.enroll("desk-2", "larkfield", "office")[1])

    other.sign_in_with_app(first)
    password = other.one_time_password(scene, "forgotten-password", second, by_row="Compliance")
    assert re.fullmatch(r"(?:[A-Z2-7]{5}-){3}[A-Z2-7]{5}", password)

    # The first sign-in registers a key, and the key signs in.
    desk.take_new_key()
    desk.give_password("compliance", password)
    expect(desk.page.get_by_role("heading", name="Second factor")).to_be_visible()
    is_well(desk.page)
    desk.set_up(WORDS)
    desk.sign_off()
    desk.give_password("compliance", WORDS)
    expect(desk.page.get_by_role("heading", name="Security key")).to_be_visible()
    is_well(desk.page)
    desk.tap(desk.page.get_by_role("button", name="Use your security key"))
    desk.is_signed_in()

    # An export asks for it again.
    eleven_minutes_pass("compliance")
    desk.open("/record/larkfield/exports/")
    desk.tap(desk.page.locator('#page [data-open="ask-export"]').first)
    desk.tap(desk.page.locator("#ask-export [data-go]"))
    box = desk.page.locator(".step-up")
    expect(box).to_contain_text("It then counts here for ten minutes")
    desk.tap(box.get_by_role("button", name="Cancel"))
    expect(desk.page.locator("#ask-export [data-refused]")).to_contain_text("second factor again")
    desk.tap(desk.page.locator("#ask-export [data-go]"))
    desk.tap(box.get_by_role("button", name="Use your security key"))
    expect(desk.page.locator("#status-message")).to_contain_text("Recorded, entry")
    desk.open("/my-sign-in")
    expect(desk.page.get_by_text("Key on my ring").first).to_be_visible()
    is_well(desk.page)
    desk.sign_off()

    # The key is lost: one administrator asks, the other one approves, makes the password and reads it.
    other.sign_off()
    other.sign_in_with_app(first)
    password = other.one_time_password(scene, "lost-factors", second, by_row="Key on my ring")

    desk.take_new_key()
    desk.give_password("compliance", password)
    desk.set_up("eight quiet tables")
    kinds = list(SecondFactor.objects.filter(person__code="compliance").order_by("pk"))
    assert [factor.ended_at is None for factor in kinds] == [False, True]
    ended = Entry.objects.filter(type="sign_in.ended").latest("id")
    assert (ended.actor, str(kinds[0].pk) in bytes(ended.body).decode()) == ("second-administrator", True)

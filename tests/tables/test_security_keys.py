"""Security keys at the pages: registered, asked again, copied, of another origin, and those of somebody else."""

import json
import uuid

import pytest

from audit import devices, passwords
from audit.models import SecondFactor
from tests.services.entries import newest_body
from tests.services.security_key import SoftwareKey
from tests.services.sign_ins import WORDS, register_app, sign_in_with_app
from tests.tables.test_second_factors import office  # noqa: F401

pytestmark = [pytest.mark.django_db]


class Browser:
    """A browser over HTTPS at the office, with a key."""

    def __init__(self, scene, key=None):
        self.client, self.key = scene.browser("desk"), key or SoftwareKey()

    def post(self, address, form):
        return self.client.post(address, form, secure=True)

    def options(self, **form):
        return self.post("/sign-in/key", form).json()

    def give_password(self, password=WORDS):
        return self.post("/sign-in", {"person": "compliance", "password": password})["Location"]

    def register(self, password):
        """Everything after a one-time password, with this key. Returns the answer of the last page."""
        assert self.give_password(password) == "/sign-in/second-factor"
        answer = self.key.register(self.options(step="sign-in", new="1"))
        form = {"password": WORDS, "again": WORDS, "label": "Ring", "key": json.dumps(answer)}
        return self.post("/sign-in/set-up", form)

    def sign(self):
        answer = self.key.sign(self.options(step="sign-in"))
        return self.post("/sign-in/second-factor", {"key": json.dumps(answer)})


def one_time(scene):
    row = passwords.give_one_time(scene.people["compliance"], uuid.uuid4(), scene.now, None)
    return passwords.one_time_text(row)


@pytest.fixture
def scene_with_key(office, hands):  # noqa: F811
    """Compliance has registered a key, and is signed in."""
    office.now = hands.now
    browser = Browser(office)
    assert browser.register(one_time(office))["Location"] == "/"
    office.browser_with_key = browser
    return office


def test_a_key_is_registered_and_signs_in(scene_with_key):
    browser, factor = scene_with_key.browser_with_key, SecondFactor.objects.get()
    assert (factor.kind, factor.label, factor.ended_at) == ("webauthn", "Ring", None)
    assert browser.client.get("/record/larkfield/", secure=True).status_code == 200
    assert newest_body("factor.registered")["data"]["kind"] == "webauthn"
    again = Browser(scene_with_key, browser.key)
    assert again.give_password() == "/sign-in/second-factor"
    assert again.sign()["Location"] == "/"
    factor.refresh_from_db()
    assert factor.sign_count == 1 and newest_body("person.signed_in")["data"]["factor"] == factor.pk


@pytest.mark.parametrize("fault", ["copy", "origin", "challenge", "signature", "key", "text"])
def test_what_is_no_answer_of_the_key_is_counted_as_wrong(scene_with_key, fault):
    key, wrong = scene_with_key.browser_with_key.key, Browser(scene_with_key)
    wrong.give_password()
    options = wrong.options(step="sign-in")
    if fault == "copy":
        SecondFactor.objects.update(sign_count=9)
    if fault == "origin":
        key.origin = "https://pitside.example"
    if fault == "challenge":
        options["publicKey"]["challenge"] = "AAAA" * 10
    answer = key.sign(options)
    if fault == "signature":
        answer["response"]["signature"] = answer["response"]["clientDataJSON"]
    if fault == "key":
        answer["id"] = answer["rawId"] = "AAAA"
    text = "{}" if fault == "text" else json.dumps(answer)
    refused = wrong.post("/sign-in/second-factor", {"key": text})
    assert refused.status_code == 403 and b"was not accepted" in refused.content
    assert newest_body("person.refused")["data"]["purpose"] == "second-factor"


def test_an_answer_counts_once_and_each_ceremony_has_its_own_challenge(scene_with_key):
    first = Browser(scene_with_key, scene_with_key.browser_with_key.key)
    first.give_password()
    stale, options = first.options(step="sign-in"), first.options(step="sign-in")
    assert stale["publicKey"]["challenge"] != options["publicKey"]["challenge"]
    assert first.post("/sign-in/second-factor", {"key": json.dumps(first.key.sign(stale))}).status_code == 403
    answer = json.dumps(first.key.sign(first.options(step="sign-in")))
    assert first.post("/sign-in/second-factor", {"key": answer})["Location"] == "/"
    first.give_password()
    assert first.post("/sign-in/second-factor", {"key": answer}).status_code == 403


def test_a_key_confirms_an_act_and_a_second_one_is_added(scene_with_key, hands):
    browser = scene_with_key.browser_with_key
    answer = browser.key.sign(browser.options())
    assert browser.post("/sign-in/again", {"key": json.dumps(answer)}).json()["key"] is True
    second = SoftwareKey()
    added = browser.post(
        "/my-sign-in/add",
        {"label": "Spare", "key": json.dumps(second.register(browser.options(new="1")))},
    )
    assert added.status_code == 302
    assert list(SecondFactor.objects.values_list("label", flat=True)) == ["Ring", "Spare"]
    twice = json.dumps(second.register(browser.options(new="1")))
    assert b"nothing was registered" in browser.post("/my-sign-in/add", {"key": twice}).content
    other = Browser(scene_with_key, second)
    other.give_password()
    assert other.sign()["Location"] == "/"


def test_nobody_gets_the_options_of_somebody_elses_ceremony(scene_with_key):
    stranger = Browser(scene_with_key)
    refused = stranger.post("/sign-in/key", {"step": "sign-in"})
    assert refused.json()["refusal"]["code"] == "sign-in-over"
    assert stranger.post("/sign-in/key", {})["Location"] == "/sign-in"
    token = devices.enroll("desk-2", "larkfield", "office")[1]
    scene_with_key.tokens["desk"] = token
    factor = register_app(scene_with_key.people["security"], scene_with_key.desk)
    app = Browser(scene_with_key)
    sign_in_with_app(app.client, factor)
    assert app.client.post("/sign-in/key", {}).json()["refusal"]["code"] == "no-second-factor"

"""People are added and changed on the server by two people of two departments, and the record says so."""

import io
import json
import sys

import pytest
from django.core.management import CommandError, call_command

from audit.models import Device, Entry, Person
from audit.verification import verify
from tests.tables.cast import PIN, Scene, make_scene

pytestmark = pytest.mark.django_db
ANSWERABLE = ("--by=system-administrator", "--with=compliance", "--pin-from-stdin")
NEW = ("add_person", "zoe", "Zoe Park", "--facility=larkfield", "--role=dealer")


@pytest.fixture
def scene() -> Scene:
    return make_scene()


def run(monkeypatch, *words: str, pin: str = "271828") -> str:
    typed = (PIN, PIN, pin)  # of the two who answer, and of the person
    monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in typed)))
    out = io.StringIO()
    call_command(*words, stdout=out)
    return out.getvalue()


def test_a_new_person_is_on_the_record_with_the_two_who_answer_for_it(scene, monkeypatch):
    run(monkeypatch, *NEW, "--badge=4417", "--license-ends=2030-01-31", *ANSWERABLE)
    zoe = Person.objects.get(code="zoe")
    assert (zoe.department, zoe.badge, str(zoe.licence_ends_on)) == ("table-games", "4417", "2030-01-31")
    assert zoe.check_password("271828")
    entry = json.loads(bytes(Entry.objects.filter(type="person.recorded").latest("pk").body))
    assert (entry["data"]["code"], entry["actor"], entry["witness"]) == (
        "zoe",
        "system-administrator",
        "compliance",
    )
    assert not [finding for finding in verify().findings if "zoe" in str(finding)]


@pytest.mark.parametrize(
    ("by", "witness", "says"),
    [
        ("shift-manager", "compliance", "is not a system administrator"),
        ("system-administrator", "system-administrator", "belong to one department"),
        ("system-administrator", "nobody", "nobody with the code nobody"),
    ],
)
def test_nobody_adds_anybody_alone(scene, monkeypatch, by, witness, says):
    with pytest.raises(CommandError, match=says):
        run(monkeypatch, *NEW, f"--by={by}", f"--with={witness}", "--pin-from-stdin")
    assert not Person.objects.filter(code="zoe").exists()


def test_a_pin_has_six_digits(scene, monkeypatch):
    with pytest.raises(CommandError, match="six digits"):
        run(monkeypatch, *NEW, *ANSWERABLE, pin="12345")
    assert not Person.objects.filter(code="zoe").exists()


def test_who_leaves_is_signed_off_at_once_and_cannot_sign_in(scene, monkeypatch):
    browser = scene.browser("podium", "floorperson")
    said = run(monkeypatch, "change_person", "floorperson", "--leaves", *ANSWERABLE)
    assert "Signed off at Podium." in said and Device.objects.get(name="Podium").person is None
    assert browser.get("/floor/larkfield/").status_code == 302
    assert browser.post("/sign-in", {"person": "floorperson", "pin": PIN}).status_code != 302


def test_nobody_answers_for_their_own_access(scene, monkeypatch):
    with pytest.raises(CommandError, match="their own access"):
        run(monkeypatch, "change_person", "compliance", "--role=shift-manager", *ANSWERABLE)
    assert Person.objects.get(code="compliance").role == "compliance"

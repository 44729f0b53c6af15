"""The page Systems: a machine is let in by two people, its secret is read by one, renewed by two, and ended at once."""

import datetime as dt
import html
import re

import pytest
from django.test import Client

from audit import registration
from audit.models import ApiClient, Device, Entry, Person
from audit.verification import verify
from tests.api.conftest import TOKEN_URL, make_machine
from tests.services.entries import newest_body

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PAGE = "/floor/larkfield/systems/"
ADMINISTRATOR = "system-administrator"
NEW = {"name": "Casino management", "scopes": ["floor", "money"]}


def page(scene, person, query=""):
    return html.unescape(scene.browser("podium", person).get(PAGE + query).content.decode())


def prepare_and_approve(scene, act, params):
    change = scene.in_room(act, params, by=ADMINISTRATOR, approve=False).body["change"]
    assert change in page(scene, "compliance")
    scene.in_room("approve_change", {"change": change}, by="compliance")


def let_in(scene, **changed):
    prepare_and_approve(scene, "add_client", NEW | changed)


def secret_on(text):
    return re.search(r'<code class="token">(pitside_[\w-]{43})</code>', text)


def ask(secret):
    form = {"grant_type": "client_credentials", "client_secret": secret}
    return Client().post(TOKEN_URL, form | {"client_id": str(ApiClient.objects.get().pk)})


def test_a_machine_is_let_in_by_two_people_and_one_of_them_alone_reads_its_secret(scene, hands):
    let_in(scene)
    assert newest_body("client.added")["data"] == {
        "device": "Casino management", "scopes": ["floor", "money"], "table": None,
    }  # fmt: skip
    with scene.refused("secret-of-another"):
        ApiClient.objects.update(asked_by=scene.people["compliance"])
        scene.in_room("make_client_secret", {"device": NEW["name"]}, by="compliance")
    ApiClient.objects.update(asked_by=scene.people[ADMINISTRATOR])
    scene.in_room("make_client_secret", {"device": NEW["name"]}, by="compliance")
    secret = secret_on(page(scene, "compliance")).group(1)
    assert secret_on(page(scene, ADMINISTRATOR)) is None
    assert ask(secret).json()["scope"] == "floor money"
    assert not any(secret in bytes(entry.body).decode() for entry in Entry.objects.all())
    hands.now += dt.timedelta(minutes=10)
    assert secret_on(page(scene, "compliance")) is None
    with scene.refused("no-secret-due"):
        scene.in_room("make_client_secret", {"device": NEW["name"]}, by="compliance")
    assert not [finding for finding in verify().findings if "Casino management" in str(finding)]


def test_another_secret_takes_two_people_again_and_the_one_before_ends_in_a_week(scene, hands):
    let_in(scene)
    texts = []
    for number in (1, 2):
        if number == 2:
            with scene.refused("no-secret-due"):
                scene.in_room("make_client_secret", {"device": NEW["name"]}, by="compliance")
            prepare_and_approve(scene, "renew_client", {"device": NEW["name"]})
        with scene.refused("secret-is-due"):
            scene.in_room("renew_client", {"device": NEW["name"]}, by=ADMINISTRATOR, approve=False)
        scene.in_room("make_client_secret", {"device": NEW["name"]}, by="compliance")
        texts.append(secret_on(page(scene, "compliance")).group(1))
        assert newest_body("client.secret_given")["data"]["number"] == number
        hands.now += dt.timedelta(minutes=11)
    assert [ask(text).status_code for text in texts] == [200, 200]
    hands.now += dt.timedelta(days=7)
    assert [ask(text).status_code for text in texts] == [401, 200]


def test_a_machine_that_is_ended_reads_nothing_and_is_listed_as_ended(scene):
    reader = make_machine("floor", name="Wall of results")
    assert "never" in page(scene, "compliance") and reader.get("facilities").status_code == 200
    scene.in_room("revoke_device", {"device": "Wall of results", "why": "revoked"}, by=ADMINISTRATOR)
    assert reader.get("facilities").status_code == 401
    assert "Wall of results" not in page(scene, "compliance")
    assert "Wall of results" in page(scene, "compliance", "?show=ended")
    assert (
        "Wall of results"
        not in scene.browser("podium", "compliance").get("/floor/larkfield/devices/").content.decode()
    )


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"name": "podium"}, "device-name-taken"),
        ({"scopes": ["floor", "everything"]}, "unknown-scopes"),
        ({"scopes": []}, "unknown-scopes"),
        ({"table": "T-99"}, "no-such-place"),
        ({"scopes": ["floor", "readings"]}, "scopes-of-one-table"),
        ({"scopes": ["signs"]}, "scopes-of-one-table"),
    ],
)
def test_a_machine_that_cannot_be_let_in_is_refused_while_it_is_prepared(scene, changed, code):
    with scene.refused(code):
        scene.in_room("add_client", NEW | changed, by=ADMINISTRATOR, approve=False)
    assert not Device.objects.filter(station="machine").exists()
    assert not Person.objects.filter(role="machine").exists()


def test_a_dice_reader_is_let_in_for_its_table(scene):
    let_in(scene, scopes=["readings"], table="T-01")
    assert Device.objects.get(station="machine").place == "larkfield/T-01"


def test_what_a_machine_may_do_is_not_changed_as_that_of_a_tablet(scene):
    make_machine("readings", place="larkfield/T-01", name="Dice reader")
    for act, params in (
        ("move_device", {"device": "Dice reader", "table": ""}),
        ("rename_device", {"device": "Dice reader", "name": "Other"}),
    ):
        with scene.refused("no-such-device"):
            scene.in_room(act, params, by=ADMINISTRATOR, approve=False)
    with scene.refused("no-such-device"):
        scene.in_room("make_token", {"device": "Dice reader"}, by="compliance")


def test_nobody_signs_in_as_a_machine_and_no_page_lists_it_as_a_person(scene):
    person = make_machine("acts", name="Shaker maker").client.person
    browser = scene.browser("podium")
    assert browser.post("/sign-in", {"person": person.code, "pin": "123456"}).status_code == 403
    for address in ("people/", "access/", "staff/?all=1"):
        text = scene.browser("podium", "compliance").get(f"/floor/larkfield/{address}").content.decode()
        assert "Shaker maker" not in text, address
    with scene.refused("no-such-person"):
        scene.in_room("replace_pin", {"person": person.code}, by=ADMINISTRATOR, approve=False)


def test_the_record_states_a_machine_with_the_two_people_who_answer_for_it(scene):
    registration.record_people()
    let_in(scene)
    entry = newest_body("person.recorded")
    assert (entry["data"]["role"], entry["actor"], entry["witness"]) == (
        "machine",
        "compliance",
        ADMINISTRATOR,
    )
    assert [finding for finding in verify().findings if "machine-" in str(finding)] == []
    Person.objects.filter(role="machine").update(role="compliance")
    assert [finding for finding in verify().findings if "machine-" in str(finding)] != []

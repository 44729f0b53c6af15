"""Who may see the office: every address of it, asked by everybody."""

import re
from typing import Any

import pytest
from django.http import HttpResponse
from django.test import Client
from django.urls import URLPattern, reverse

from audit.devices import enroll
from audit.models import Person
from games import urls
from games.models import (
    Facility,
    GameRequest,
    GameTest,
    Provider,
)
from tests.services.device_cookie import set_newest_cookie
from tests.tables.cast import PIN, Scene

pytestmark = pytest.mark.django_db
ARGUMENT = re.compile(r"<(?:\w+:)?(\w+)>")
BY_SECRET = {"feed"}  # whoever knows its address reads it (test_calendar_feed.py)

# What stands in an address besides the house, where it leads to something that is there
EXAMPLES: dict[str, dict[str, object]] = {
    "change": {"code": "CH-0001"},
    "document": {"code": "D-0001"},
    "submission": {"code": "RS-0009"},
    "submission:version": {"code": "RS-0009", "version": 1},
    "submission-pdf": {"code": "RS-0009", "version": 1},
    "guide-preview": {"version": 1},
    "guide-preview-print": {"version": 1},
    "guide-preview-game": {"version": 1, "slug": "sic-bo-pa-625a-a"},
    "provider": {"code": "SP-0001"},
    "game-request": {"code": "NG-0001"},
    "game-request-pdf": {"code": "NG-0001"},
    "game-test": {"code": "NG-0001", "number": 1},
}


def routes(beginning: str) -> dict[str, URLPattern]:
    """Every address that begins so, by its name and its last argument where one name has several."""
    found: dict[str, URLPattern] = {}
    for pattern in urls.urlpatterns:
        if str(pattern.pattern).startswith(beginning):
            more = ARGUMENT.findall(str(pattern.pattern))
            found[pattern.name if pattern.name not in found else f"{pattern.name}:{more[-1]}"] = pattern
    return found


OFFICE = {name: one for name, one in routes("office/").items() if name not in BY_SECRET}
PUBLIC = routes("guide/") | routes("rules/")


def address(name: str, pattern: URLPattern) -> str:
    """An address as somebody types it; the house is Larkfield, and what has no example may not be there."""
    kwargs = dict.fromkeys(ARGUMENT.findall(str(pattern.pattern)), "1")
    return reverse(pattern.name, kwargs={**kwargs, **EXAMPLES.get(name, {}), "facility": "larkfield"})


def asked(client: Client, name: str, pattern: URLPattern) -> Any:
    """The answer to a reader, or to a form where the address takes nothing else."""
    answer = client.get(address(name, pattern))
    return client.post(address(name, pattern)) if answer.status_code == 405 else answer


@pytest.fixture
def filled(hands, scene) -> Scene:
    """A house with something at every address."""
    permission = {"reference": "BD-9", "granted_on": "2020-01-01", "letter": scene.on_file()}
    scene.in_office("record_board_permission", permission, approve=False)
    scene.in_office("generate_guide", {"formats": ["print"]})
    house = scene.table.facility
    Provider.objects.create(
        facility=house, code="SP-0001", name="Acme", innovation="a wager", patent="US 1",
        no_other_license=True, created_at=hands.now,
    )  # fmt: skip
    request = GameRequest.objects.create(
        facility=house, code="NG-0001", title="Lucky Pip", kind="wager", drafted_at=hands.now
    )
    GameTest.objects.create(request=request, number=1)
    return scene


def refused(client: Client) -> list[str]:
    """The addresses of the office that answer anything but 403."""
    answers = {name: asked(client, name, one).status_code for name, one in OFFICE.items()}
    return [f"{name}: {status}" for name, status in answers.items() if status != 403]


def test_the_office_has_an_address_for_each_of_its_tabs():
    assert {"submissions", "signs", "guides", "game-requests", "providers", "documents", "calendar"} <= set(
        OFFICE
    )


def test_whoever_has_not_signed_in_is_led_to_the_sign_in(filled):
    for client in (Client(), filled.browser("podium")):
        answers = {name: asked(client, name, one) for name, one in OFFICE.items()}
        wrong = {
            name: one.status_code
            for name, one in answers.items()
            if not one.headers.get("Location", "").startswith("/sign-in")
        }
        assert wrong == {}


@pytest.mark.parametrize("by", ["dealer", "floorperson", "stickperson"])
def test_those_who_work_at_the_tables_see_none_of_it(filled, by):
    assert refused(filled.browser("podium", by)) == []


@pytest.mark.parametrize("by", ["games-administrator", "compliance", "gaming-agent"])
def test_a_tablet_that_serves_one_table_shows_none_of_it(filled, by):
    assert refused(filled.browser("tablet", by)) == []


def test_people_of_another_house_see_none_of_it(filled):
    Facility.objects.create(code="other", name="Other", jurisdiction="PA")
    _, token = enroll("Their podium", "other", "podium")
    Person.objects.create_person(
        "theirs", PIN, name="Theirs", role="compliance", department="compliance", facility="other"
    )
    client, response = Client(), HttpResponse()
    set_newest_cookie(response, token)
    client.cookies.update(response.cookies)
    assert client.post("/sign-in", {"person": "theirs", "pin": PIN}).status_code == 302
    assert refused(client) == []


@pytest.mark.parametrize(
    "by", ["games-administrator", "compliance", "gaming-agent", "pit-manager", "shift-manager"]
)
def test_it_opens_for_the_office_and_for_those_who_answer_for_the_floor(filled, by):
    without = [name for name, one in OFFICE.items() if len(ARGUMENT.findall(str(one.pattern))) > 1]
    assert set(without) <= set(EXAMPLES), "an address of something needs its example"
    client = filled.browser("podium", by)
    wrong = {
        name: answer.status_code
        for name, one in OFFICE.items()
        if (answer := client.get(address(name, one))).status_code not in (200, 302, 405)
        or answer.headers.get("Location", "").startswith("/sign-in")
    }
    assert wrong == {}


def test_what_patrons_read_asks_nobody_to_sign_in(filled):
    assert PUBLIC
    for name, one in PUBLIC.items():
        answer = Client().get(address(name, one))
        assert answer.status_code in (200, 404), name
        assert answer.status_code == 404 or not answer.cookies, name


def test_the_bar_leads_to_the_first_tab_of_the_office(filled):
    shown = (
        filled.browser("podium", "games-administrator").get("/office/larkfield/deadlines/").content.decode()
    )
    assert '<a href="/office/larkfield/submissions/" aria-current="page">Rules</a>' in shown

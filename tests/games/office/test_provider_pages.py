"""The providers' pages: what they show of certification, steps, people and the published list, and to whom."""

import datetime as dt

import pytest

from games.models import ProviderNote
from tests.markup import one_line

from .chapter_528 import ANY_TRIPLE, applied, certified, dealt, linked, registered, three_steps

pytestmark = pytest.mark.django_db
LIST = "/office/larkfield/providers/"


@pytest.fixture
def house(hands, scene):
    return scene


def page(scene, address=LIST, by="games-administrator"):
    answer = scene.browser("podium", by).get(address)
    assert answer.status_code == 200
    return one_line(answer.content.decode())


def published(scene):
    return page(scene).partition('id="listed-h"')[2].partition("</section>")[0]


@pytest.mark.clause("PA-528.6")
def test_the_published_list_has_only_who_is_certified_with_a_service_that_the_laboratory_approved(
    house, hands
):
    certified_alone = applied(house, name="Certified Alone")
    certified(house, certified_alone)
    linked(house, certified_alone, "big", name="Not Approved")
    approved_alone = applied(house, name="Approved Alone")
    three_steps(house, linked(house, approved_alone, "small", name="Small Idea"), hands.now)
    assert "No provider meets both tests" in published(house)
    both = applied(house, name="Both Tests")
    three_steps(house, linked(house, both, ANY_TRIPLE, name="Any Triple"), hands.now)
    certified(house, both)
    house.in_office("record_listing", {"provider": both, "on": "2026-11-20"})
    said = published(house)
    assert "Both Tests" in said and "Any Triple" in said and "as of 20 Nov 2026" in said
    assert "Certified Alone" not in said and "Approved Alone" not in said
    hands.now = dt.datetime(2030, 11, 21, 15, tzinfo=dt.UTC)
    assert "No provider meets both tests" in published(house)


@pytest.mark.clause("PA-528.4(b)")
def test_the_list_shows_the_day_a_renewal_is_due_and_flags_it_from_day_59(house, hands):
    dealt(house, hands.now)
    assert "22 Sep 2030" in page(house) and "renewal was due" not in page(house)
    hands.now = dt.datetime(2030, 9, 22, 15, tzinfo=dt.UTC)
    assert "60 days left" in page(house) and "renewal was due" not in page(house)
    hands.now = dt.datetime(2030, 9, 23, 15, tzinfo=dt.UTC)
    assert "renewal was due 22 Sep 2030" in page(house)


@pytest.mark.clause("PA-528.7")
def test_a_file_shows_the_four_steps_of_each_service_as_done_or_open(house, hands):
    code = applied(house)
    service = linked(house, code, ANY_TRIPLE)
    address = f"{LIST}{code}/"
    assert page(house, address).count("four-step--open") == 4
    three_steps(house, service, hands.now)
    said = page(house, address)
    assert (said.count("four-step--done"), said.count("four-step--open")) == (3, 1)
    assert "§ 528.7(4)" in said and "not certified yet" in said
    certified(house, code)
    assert page(house, address).count("four-step--done") == 4


@pytest.mark.clause("PA-528.3(a)(1)")
def test_a_file_shows_who_is_outstanding_and_why_they_must_qualify(house):
    code = registered(house)
    who = {"provider": code, "kind": "individual", "name": "Ada Quill", "title": "Treasurer", "owns_bp": 1250}
    house.in_office("name_person", {**who, "officer": True})
    said = page(house, f"{LIST}{code}/")
    assert "1 outstanding" in said and "outstanding, no form" in said
    assert "§ 528.3(a)(1)" in said and "§ 528.3(a)(2)" in said and "owns 12.50 %" in said


@pytest.mark.clause("PA-528.5(1)-compliance")
def test_a_condition_of_the_board_is_on_the_file_with_its_status(house):
    code = registered(house)
    note = {"provider": code, "kind": "condition", "on": "2026-11-20", "text": "quarterly report"}
    house.in_office("note_on_provider", {**note, "due_on": "2026-12-31"})
    assert "due 31 Dec 2026" in page(house, f"{LIST}{code}/")
    house.in_office("close_note", {"note": ProviderNote.objects.get().pk, "done_on": "2026-11-21"})
    said = page(house, f"{LIST}{code}/")
    assert "quarterly report" in said and "met 21 Nov 2026" in said


def test_who_may_look_but_not_act_sees_no_buttons(house, hands):
    service = dealt(house, hands.now)
    for address in (LIST, f"{LIST}{service.provider.code}/"):
        said = page(house, address, by="gaming-agent")
        assert "data-open" not in said and "<dialog" not in said


def test_a_dealer_sees_no_file_and_an_unknown_one_is_none(house):
    code = registered(house)
    assert house.browser("podium", "dealer").get(f"{LIST}{code}/").status_code == 403
    assert house.browser("podium", "compliance").get(f"{LIST}SP-9999/").status_code == 403

"""Who is told of a change acknowledges it, and a department with nobody on duty comes back, in a real browser."""

import pytest
from playwright.sync_api import Page, expect

from audit.devices import enroll
from tables.models import Assignment
from tests.e2e.test_looks import resize
from tests.e2e.test_rooms import Office, is_well

pytestmark = pytest.mark.browser


def is_narrow(page: Page) -> None:
    """Nothing scrolls sideways on a phone."""
    resize(page, (390, 844))
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    is_well(page)


def test_surveillance_acknowledges_a_change_after_starting_its_own_duty(scene, new_page, spotless):
    scene.in_room("set_review_sum", {"cents": 50_000}, by="compliance")
    Assignment.objects.filter(person__code="surveillance").update(ended_at="2026-01-01T00:00Z")
    hugo = Office(new_page())
    hugo.let_in(
        enroll("Surveillance room", "larkfield", "office")[1], "surveillance", "/floor/larkfield/staff/"
    )
    spotless.append(hugo)
    page = hugo.page
    expect(page.get_by_role("heading", name="You are not on duty")).to_be_visible()
    is_narrow(page)
    hugo.go(hugo.slip("begin-duty"))
    expect(page.get_by_role("heading", name="You are not on duty")).to_have_count(0)
    page.goto("/inbox/larkfield/")
    expect(page.locator(".inbox-told")).to_contain_text("1 approved change to acknowledge: CH-0001")
    is_narrow(page)
    hugo.tap(page.locator(".inbox-told a"))
    is_narrow(page)
    hugo.go(hugo.slip("acknowledge"))
    expect(page.locator(".pairs")).to_contain_text("Surveillance: acknowledged by Surveillance")
    page.goto("/office/larkfield/changes/")
    is_narrow(page)
    carla = Office(new_page())
    carla.let_in(scene.tokens["podium"], "compliance", "/office/larkfield/changes/")
    box = carla.slip("review-sum")
    box.locator("[name=cents]").fill("$400")
    carla.go(box)
    expect(carla.page.locator(".change h3")).to_have_text(
        "Slips from $400 on are reviewed before money moves, before from $500"
    )

"""The rotation board in a browser: a move is planned by keys and by dragging, refused in a sentence, and canceled."""

import datetime as dt

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from games.models import Facility
from tables.models import Assignment, PlannedMove, Qualification, Table
from tests.e2e.floor import slow_readers
from tests.e2e.test_rooms import Office, is_well
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser


def test_a_dealer_is_planned_by_keys_and_by_dragging_and_a_refusal_says_why(scene: Scene, new_page, spotless):
    now = timezone.now()
    Facility.objects.update(work_minutes=80, break_minutes=20)
    Table.objects.update(dealer_works_since=now - dt.timedelta(minutes=50))
    Assignment.objects.create(
        person=scene.people["stranger"], facility=scene.table.facility, started_at=now - dt.timedelta(hours=1)
    )
    board = Office(new_page()).begin(scene, "floorperson", "rotation")
    spotless.append(board)
    page = board.page
    expect(page.locator(".board-row [role=img]").first).to_be_visible()
    is_well(page)
    board.tap("a[data-pick=relief]")
    expect(page.locator(".picked-bar")).to_be_visible()
    with slow_readers(page):  # nothing is planned by a tap on what was not there before
        page.locator(".board-row [data-plan]").click()
        expect(page.locator(".board-row .too-quick")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator(".picked-bar")).to_have_count(0)
    assert not PlannedMove.objects.exists()
    page.locator("a[data-pick=relief]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".picked-bar h2")).to_have_text("Relief is picked")
    is_well(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-time='0']")).to_have_attribute("aria-current", "true")
    page.keyboard.press("ArrowDown")
    expect(page.locator(".board-row [data-plan]")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator(".relief b")).to_have_text("Relief")
    assert PlannedMove.objects.get().person.code == "relief"
    board.tap(page.get_by_role("button", name="Cancel Relief to T-01"))
    expect(page.locator(".planned .none")).to_be_visible()
    target = page.locator(".board-row[data-table=T-01]")
    page.locator("a[data-pick=stranger]").drag_to(target)
    expect(page.locator("#board-refused")).to_contain_text(
        "Stranger has no training for Sic Bo in effect today."
    )
    Qualification.objects.create(
        person=scene.people["stranger"], game="sic-bo", reference="TR-9", since=dt.date(2020, 1, 1)
    )
    page.locator("a[data-pick=stranger]").click()
    board.tap("[data-time='20']")
    expect(page.locator("[data-time='20']")).to_have_attribute("aria-current", "true")
    page.locator("a[data-pick=stranger]").drag_to(target)
    expect(page.locator(".relief b")).to_have_text("Stranger")
    wait = PlannedMove.objects.get(person__code="stranger").planned_for - timezone.now()
    assert dt.timedelta(minutes=10) < wait < dt.timedelta(minutes=21)  # the break is due in half an hour
    is_well(page)
    outcomes = PlannedMove.objects.order_by("number").values_list("person__code", "outcome")
    assert list(outcomes) == [("relief", "canceled"), ("stranger", "")]

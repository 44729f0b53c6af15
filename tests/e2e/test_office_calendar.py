"""The deadlines in a real browser: the list and the month, a reminder that is noted, an address that is revoked."""

import datetime as dt

import pytest
from playwright.sync_api import expect

from audit import clock
from games.models import BoardPermission, CalendarFeed, Reminder, RulesSubmission
from games.office.calendar import send_reminders
from tests.e2e.test_rooms import Office, is_well

pytestmark = pytest.mark.browser
DAY = dt.timedelta(days=1)


def waits(scene):
    """A decision 5 days overdue, and a permission that ends tomorrow."""
    house, now = scene.table.facility, clock.now()
    RulesSubmission.objects.filter(facility=house).update(status="filed", filed_at=now - 20 * DAY)
    BoardPermission.objects.create(
        facility=house, subject="roll-history", reference="B-12",
        granted_on=dt.date(2026, 1, 1), ends_on=house.local(now).date() + DAY,
    )  # fmt: skip
    send_reminders()


def begin(scene, page, person="games-administrator", page_name="deadlines"):
    office = Office(page)
    office.let_in(scene.tokens["podium"], person, f"/office/larkfield/{page_name}/")
    return office


def test_the_deadlines_stand_in_a_list_and_in_the_month(scene, new_page, spotless):
    waits(scene)
    office = begin(scene, new_page())
    spotless.append(office)
    page = office.page
    expect(page.locator(".dues-group--overdue .due-left")).to_have_text("5 days overdue")
    expect(page.locator(".dues-group--week .due-what").first).to_contain_text(
        "Permission B-12 of the Board ends"
    )
    expect(page.locator(".tabs .due")).to_have_text("1 overdue")
    tomorrow = (scene.table.facility.local(clock.now()) + DAY).date()
    page.goto(f"/office/larkfield/deadlines/?month={tomorrow:%Y-%m}")
    office.tap(f'.days a[href="#on-{tomorrow.isoformat()}"]')
    expect(page.locator(f"#on-{tomorrow.isoformat()}")).to_be_in_viewport()
    office.tap(page.locator(".month-links a").last)
    after = (tomorrow.replace(day=28) + 4 * DAY).replace(day=1)
    expect(page.locator("#month-h")).to_have_text(f"{after:%B %Y}")
    page.goto("/office/larkfield/deadlines/")
    is_well(page)


def test_a_reminder_stands_on_every_page_until_it_is_noted(scene, new_page, spotless):
    waits(scene)
    office = begin(scene, new_page(820, 1180), page_name="documents")
    spotless.append(office)
    page = office.page
    expect(page.locator(".reminder")).to_contain_text("5 days overdue")
    expect(page.locator(".reminder")).to_contain_text("and 1 more")
    box = office.slip("note-reminder")
    expect(box).to_contain_text("Decision on RS-0009 v1")
    is_well(page)
    office.go(box)
    expect(page.locator(".reminder")).to_contain_text("Permission B-12 of the Board ends")
    assert list(Reminder.objects.exclude(noted_at=None).values_list("key", flat=True)) == ["review:RS-0009.1"]


def test_a_secret_address_is_shown_once_and_revoked(scene, new_page, spotless):
    office = begin(scene, new_page(1024, 768), "compliance")
    spotless.append(office)
    page = office.page
    page.locator(".feeds input[name=name]").fill("Compliance")
    office.tap(page.get_by_role("button", name="Create an address"))
    address = page.locator(".secret").input_value()
    is_well(page)
    assert "BEGIN:VCALENDAR" in page.request.get(address).text()
    page.goto("/office/larkfield/deadlines/")
    expect(page.locator(".secret")).to_have_count(0)
    box = office.slip("revoke-feed")
    expect(box).to_contain_text("Compliance")
    office.go(box)
    assert page.request.get(address).status == 404
    assert CalendarFeed.objects.get().revoked_at is not None


def test_those_who_only_read_have_no_button(scene, new_page, spotless):
    waits(scene)
    office = begin(scene, new_page(), "gaming-agent")
    spotless.append(office)
    expect(office.page.locator(".dues .due-row")).to_have_count(2)
    expect(office.page.locator("#page button")).to_have_count(0)

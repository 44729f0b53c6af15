"""The page of the first day in a real browser: a table is added in a dialog, and everything fits a phone."""

import pytest
from playwright.sync_api import expect

from tables.models import Table
from tests.e2e.test_rooms import Office, is_well

pytestmark = pytest.mark.browser
OUTSIDE = """() => [...document.querySelectorAll(".here *, dialog[open] *")].filter((part) => {
    const { left, right, width } = part.getBoundingClientRect();
    const box = (part.closest("dialog") ?? part.closest(".here")).getBoundingClientRect();
    return width > 1 && (left < box.left || right > box.right);
}).map((part) => part.className)"""


def test_a_table_is_added_on_a_phone(scene, new_page, spotless):
    office = Office(new_page(390, 844))
    office.let_in(scene.tokens["podium"], "games-administrator", "/floor/larkfield/setup/?step=pits")
    spotless.append(office)
    assert office.page.evaluate(OUTSIDE) == []
    box = office.slip("add-table")
    assert office.page.evaluate(OUTSIDE) == []
    for name, text in (("table", "T-02"), ("min_cents", "10"), ("max_cents", "1,000")):
        box.locator(f"[name={name}]").fill(text)
    office.go(box)
    expect(office.page.locator(".pit-tables")).to_contain_text("T-02")
    assert Table.objects.get(code="T-02").max_cents == 100_000
    office.page.reload()  # without the message that fades
    is_well(office.page)

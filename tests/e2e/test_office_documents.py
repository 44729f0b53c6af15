"""Documents in a real browser: a file goes on file, a bad one is refused in words, the same one is told."""

import pytest
from playwright.sync_api import expect

from games.models import Document
from tests.e2e.test_office_calendar import begin
from tests.e2e.test_rooms import is_well

pytestmark = pytest.mark.browser
PDF = {
    "name": "Letter of 12 March.pdf",
    "mimeType": "application/pdf",
    "buffer": b"%PDF-1.7\n1 0 obj\n%%EOF\n",
}
PROGRAM = {"name": "tool.pdf", "mimeType": "application/pdf", "buffer": b"MZ\x90\x00\x03"}


def test_a_file_goes_on_file_and_the_same_one_is_told(scene, new_page, spotless):
    office = begin(scene, new_page(820, 1180), page_name="documents")
    spotless.append(office)
    page = office.page
    for title, told in (("", "Recorded, entry"), ("Once more", "The same file is already D-0001.")):
        box = office.slip("file-document")
        box.locator("input[type=file]").set_input_files(files=[PDF])
        if title:
            box.locator("[name=title]").fill(title)
        expect(box.locator("[name=title]")).to_have_value(title or "Letter of 12 March")
        office.go(box)
        expect(page.locator("#status-message")).to_contain_text(told)
    expect(page.locator("#page tbody tr")).to_have_count(2)
    assert [bytes(one.content) for one in Document.objects.all()] == [PDF["buffer"]] * 2
    is_well(page)
    with page.expect_download() as waiting:
        office.tap(page.locator("#page tbody a").first)
    assert waiting.value.suggested_filename == "D-0002.pdf"


def test_a_bad_file_is_refused_in_words_and_nothing_typed_is_lost(scene, new_page, spotless):
    office = begin(scene, new_page(), page_name="documents")
    spotless.append(office)
    box = office.slip("file-document")
    box.locator("[name=title]").fill("A drawing")
    box.locator("input[type=file]").set_input_files(files=[PROGRAM])
    office.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text("is not a PDF, PNG, JPEG or plain text file")
    expect(box.locator("[name=title]")).to_have_value("A drawing")
    is_well(office.page)
    assert not Document.objects.exists()

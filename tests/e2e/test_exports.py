"""Exports in a real browser: asked for, watched while they are written, fetched, and right to the last byte."""

import hashlib
import io
import re
import time
import zipfile

import pytest
from django.db import OperationalError
from playwright.sync_api import expect

from audit import clock, verify
from audit.exporting import jobs
from audit.models import Entry, Job
from tests.e2e.test_rooms import Office, is_well

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)


def begin(scene, page):
    office = Office(page)
    office.let_in(scene.tokens["podium"], "compliance", "/record/larkfield/exports/")
    return office


def patiently(act):
    """The in-memory SQLite of tests knows no waiting: a page that reads meanwhile makes a write fail at once."""
    for _ in range(100):
        try:
            return act()
        except OperationalError as busy:
            if "locked" not in str(busy):
                raise
            time.sleep(0.02)
    return act()


def test_a_range_that_ends_before_it_begins_is_told_at_its_field(scene, new_page, spotless):
    office = begin(scene, new_page())
    spotless.append(office)
    box = office.slip("ask-export")
    last = box.locator("[name=last_day]")
    last.fill("2020-01-01")
    expect(last).to_have_attribute("aria-invalid", "true")
    expect(box.get_by_role("alert").filter(visible=True)).to_have_text("The last day is before the first.")
    is_well(office.page)
    last.fill(box.locator("[name=day]").input_value())
    expect(box.get_by_role("alert").filter(visible=True)).to_have_count(0)
    assert last.get_attribute("aria-invalid") is None


def test_a_bundle_is_asked_for_watched_fetched_and_verified(scene, new_page, spotless):
    office = begin(scene, new_page())
    spotless.append(office)
    page = office.page
    box = office.slip("ask-export")
    office.tap(box.locator("summary"))
    office.tap(box.locator('label:has([value="larkfield/T-01"])'))
    expect(box.locator("[data-chosen]").first).to_contain_text("only 1 of them")
    is_well(page)
    office.go(box)
    row = page.locator(".job").first
    expect(row).to_contain_text("Waiting")
    patiently(
        lambda: Job.objects.update(
            status="running", started_at=clock.now(), beat_at=clock.now(), entries_done=1, total=4
        )
    )
    expect(row.locator(".progress-done")).to_have_attribute("width", "250")
    patiently(lambda: Job.objects.update(entries_done=3))
    expect(row.locator(".progress-done")).to_have_attribute("width", "750")
    is_well(page)
    patiently(lambda: Job.objects.update(status="waiting"))
    patiently(lambda: jobs.Worker().run_next())
    expect(row.get_by_role("link", name="Download")).to_be_visible()
    job = Job.objects.get()
    assert job.status == "done"
    expect(row).to_contain_text(job.sha256)
    with page.expect_download() as waiting:
        office.tap(row.get_by_role("link", name="Download"))
    fetched = waiting.value.path().read_bytes()
    assert waiting.value.suggested_filename == job.filename
    assert hashlib.sha256(fetched).hexdigest() == job.sha256
    assert Entry.objects.filter(type="export.taken", actor="compliance").count() == 1
    page.reload()
    expect(row.locator(".job-takers")).to_contain_text("Downloaded by Compliance, ")
    with zipfile.ZipFile(io.BytesIO(fetched)) as bundle:
        streams = verify.verify(io.BytesIO(bundle.read("record.jsonl")))[2]
    assert [stream.name for stream in streams] == ["larkfield/T-01"]
    office.tap(row.locator("[data-copy]").first)
    expect(page.locator("#status-message")).to_contain_text("Copied")
    is_well(page)


def test_sheets_and_a_round_on_paper_are_opened_on_a_phone(scene, new_page, spotless):
    """Nothing scrolls sideways there: dialogs are whole, and a table is a list."""
    scene.play((2, "big", 10_000), (3, "small", 5_000), dice=[2, 2, 5])
    scene.act("report_dispute", {"seat": 2, "about": "Big should have won"})
    scene.finish()
    office = begin(scene, new_page(390, 844))
    spotless.append(office)
    page = office.page
    box = office.slip("ask-sheets")
    is_well(page)
    office.go(box)
    patiently(lambda: jobs.Worker().run_next())
    row = page.locator(".job").first
    with page.expect_download() as waiting:
        office.tap(row.get_by_role("link", name="Download"))
    with zipfile.ZipFile(waiting.value.path()) as book:
        tabs = re.findall(r'<sheet name="([^"]+)"', book.read("xl/workbook.xml").decode())
        rows = book.read("xl/worksheets/sheet3.xml").decode().count("<row ")
    assert (tabs, rows) == (["About", "Rounds", "Wagers", "Slips", "Sign-ins", "Dice lots"], 3)
    page.goto("/record/larkfield/?number=T-01+1")
    expect(page.locator(".of-round")).to_contain_text("Round 1 at T-01")
    expect(page.locator(".entries td[data-label=Who]").first).to_be_visible()
    is_well(page)
    page.goto("/record/larkfield/retention/")
    office.slip("place-legal-hold")
    is_well(page)
    page.goto("/floor/larkfield/T-01/rounds/1/")
    with page.expect_download() as waiting:
        office.tap(page.get_by_role("button", name="PDF for seat 2, disputed"))
    assert waiting.value.suggested_filename == "larkfield-T-01-R1.pdf"
    assert waiting.value.path().read_bytes().startswith(b"%PDF")


def test_only_the_fields_of_the_chosen_range_are_sent_and_a_refusal_says_what_to_do(
    scene, new_page, spotless
):
    office = begin(scene, new_page(820, 1180))
    spotless.append(office)
    page = office.page
    box = office.slip("ask-export")
    office.tap(box.locator('label:has([value="xlsx"])'))
    office.tap(box.locator('label:has([value="moments"])'))
    expect(box.locator("[name=day]")).to_be_hidden()
    box.locator("[name=from]").fill("2020-01-01T10:00:00")
    box.locator("[name=to]").fill("2020-01-01T09:00:00")
    office.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text("The range ends before it begins.")
    is_well(page)
    office.tap(box.locator('label:has([value="all"])'))
    office.go(box)
    job = Job.objects.get()
    assert (job.kind, job.params["from"], job.params["to"], job.params["day"]) == ("xlsx", None, None, None)
    verification = office.slip("ask-verification")
    is_well(page)
    office.go(verification)
    expect(page.locator(".job").first).to_contain_text("Full verification")

"""The compliance desk in a real browser: an auditor finds an entry, takes its proof, keeps the search, reads on."""

import json
from pathlib import Path

import pytest
from django.db import connection
from playwright.sync_api import expect

from audit.models import Entry, SavedFilter
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tests.e2e.test_rooms import Office, is_well
from tests.services.emptying import guards_aside

pytestmark = pytest.mark.browser


@pytest.fixture
def played(scene, tmp_path, settings):
    """A round that was settled, and sealed."""
    scene.play((2, "small", 7_000), (5, "big", 3_000), dice=[5, 5, 3])
    scene.finish()
    settings.SEALER_DIR = str(tmp_path / "sealer")
    folder = keys.folder()
    keys.create(folder)
    Sealer(folder).seal()
    return scene


@pytest.fixture
def desk(played, new_page, spotless):
    office = Office(new_page())
    office.get_session(played.tokens["podium"], "compliance")
    spotless.append(office)
    return office


def test_an_auditor_finds_an_entry_and_takes_its_proof(desk, played):
    page = desk.page
    page.goto("/record/larkfield/")
    form = page.locator("#asks")
    form.locator("[name=place]").select_option("T-01")
    desk.tap(form.locator(".acts-list summary"))
    form.get_by_label("Round settled", exact=True).check()
    page.keyboard.press("Escape")
    desk.tap(form.get_by_role("button", name="Search"))
    expect(page).to_have_url("/record/larkfield/?place=T-01&type=round.settled")
    desk.tap(page.locator(".says"))
    expect(page.locator("h1")).to_have_text("Dice 5 5 3 called and lit")
    expect(page.locator(".verdict")).to_have_text(["verified", "verified"])
    is_well(page)
    entry = Entry.objects.get(type="round.settled")
    with page.expect_download() as waiting:
        desk.tap(page.get_by_role("button", name="Download the proof"))
    assert waiting.value.suggested_filename == f"larkfield-T-01-{entry.seq}.proof.jsonl"
    first, own, *_ = waiting.value.path().read_bytes().splitlines()
    assert json.loads(first)["_type"] == "proof" and own[9:73].decode() == bytes(entry.hash).hex()
    assert Entry.objects.filter(type="proof.taken", actor="compliance").count() == 1


def test_several_types_and_a_group_of_them_are_searched_at_once_and_taken_as_a_file(desk, played):
    limits = {"min_cents": 2_000, "max_cents": 50_000}
    played.act("change_limits", limits, by="floorperson", device=played.podium)
    page = desk.page
    page.goto("/record/larkfield/")
    form = page.locator("#asks")
    desk.tap(form.locator(".acts-list summary"))
    for words in ("Limits and their notices", "Round settled", "Losers taken"):
        form.get_by_label(words, exact=True).check()
    page.keyboard.press("Escape")
    desk.tap(form.get_by_role("button", name="Search"))
    wanted = Entry.objects.filter(type__in=("round.settled", "losers.taken", "limits.set"))
    wanted |= Entry.objects.filter(type__startswith="limits.")
    assert {"round.settled", "losers.taken", "limits.change_begun"} <= set(
        wanted.values_list("type", flat=True)
    )
    expect(page.locator(".says")).to_have_count(wanted.count())
    with page.expect_download() as taken:
        desk.tap(page.get_by_role("button", name="Take as CSV"))
    assert len(Path(taken.value.path()).read_text("utf-8-sig").splitlines()) == 1 + wanted.count()


def test_a_changed_entry_says_so_at_the_top_and_fits_every_size(desk, played):
    entry = Entry.objects.get(type="round.settled")
    with guards_aside(connection):
        Entry.objects.filter(pk=entry.pk).update(
            body=bytes(entry.body).replace(b'"paid_cents":', b'"paid_cents":1')
        )
    page = desk.page
    page.goto(f"/record/larkfield/entries/T-01/{entry.seq}/")
    expect(page.get_by_role("alert").first).to_contain_text("This entry failed verification")
    expect(page.locator(".entry-name .verdict--bad")).to_have_text("failed")
    is_well(page)
    page.goto("/floor/larkfield/T-01/rounds/1/")
    expect(page.locator(".correction-link--bad")).to_have_text("Its record failed verification")
    is_well(page)


def test_a_search_is_kept_under_a_name_and_removed(desk):
    page = desk.page
    page.goto("/record/larkfield/?round=1")
    expect(page.locator(".says")).to_have_count(7)
    is_well(page)
    box = desk.slip("save-filter")
    box.locator("[name=name]").fill("Round one")
    desk.go(box)
    assert SavedFilter.objects.values_list("name", "query").get() == ("Round one", "round=1")
    page.goto("/record/larkfield/")
    desk.tap(page.locator(".saved-filters a", has_text="Round one"))
    expect(page.locator(".saved-filters [aria-current]")).to_have_text("Round one")
    box = desk.slip("remove-filter")
    expect(box).to_contain_text("Round one")
    desk.go(box)
    assert not SavedFilter.objects.exists()


def test_a_search_of_nonsense_says_what_is_wrong(desk):
    page = desk.page
    page.goto("/record/larkfield/?round=x&who=nobody&least=-1")
    expect(page.get_by_role("alert")).to_contain_text("Nothing was searched")
    expect(page.locator("[aria-invalid]")).to_have_count(3)
    round_ = page.locator("#asks label", has=page.locator("[name=round]"))
    expect(round_.locator(".field-error")).to_have_text("Enter a whole number, such as 297.")
    expect(round_.locator("input")).to_have_value("x")
    is_well(page)


def test_a_search_that_finds_nothing_is_widened_by_a_tap(desk):
    page = desk.page
    page.goto("/record/larkfield/?place=T-01&round=9&type=round.settled")
    expect(page.locator(".nothing")).to_contain_text("Tap one of the 3 fields above to remove it")
    is_well(page)
    desk.tap(page.locator(".narrowed a", has_text="Round 9"))
    expect(page).to_have_url("/record/larkfield/?place=T-01&type=round.settled")
    expect(page.locator(".says")).to_have_count(1)
    expect(page.locator(".result-head h2")).to_contain_text("1 entry")


def test_the_integrity_page_looks_again_by_itself(desk, played):
    page = desk.page
    page.goto("/record/larkfield/integrity/")
    expect(page.locator(".current-status")).to_contain_text("Never fully verified")
    is_well(page)
    played.place((1, "small", 2_500))
    Sealer(keys.folder()).seal()
    expect(page.locator(".figures dd").nth(1)).to_have_text("2", timeout=15_000)


def test_the_clauses_are_read_text_by_text(desk):
    page = desk.page
    page.goto("/record/larkfield/clauses/")
    desk.tap(page.locator(".texts a", has_text="Chapter 625a"))
    expect(page.locator(".clauses tbody tr")).to_have_count(94)
    page.locator(".narrow-by [name=q]").fill("625a.2(b)-manual")
    desk.tap(page.get_by_role("button", name="Show"))
    expect(page.locator(".clauses tbody tr")).to_have_count(1)
    desk.tap(page.locator(".clauses summary"))
    expect(page.locator(".clauses details li").first).to_be_visible()
    is_well(page)


def test_what_was_found_is_taken_as_a_file_and_the_record_says_so(desk, played):
    page = desk.page
    page.goto("/record/larkfield/?type=round.settled")
    with page.expect_download() as taken:
        desk.tap(page.get_by_role("button", name="Take as CSV"))
    assert taken.value.suggested_filename.startswith("larkfield-found-")
    lines = Path(taken.value.path()).read_text("utf-8-sig").splitlines()
    assert len(lines) == 1 + Entry.objects.filter(type="round.settled").count()
    assert Entry.objects.filter(type="search.taken", actor="compliance").count() == 1
    is_well(page)

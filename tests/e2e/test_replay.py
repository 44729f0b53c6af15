"""The replay in a real browser: from the table's list of rounds, step by step by tap and key, and out as evidence."""

import re
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from audit.models import Job
from tests.e2e.floor import again, resize
from tests.e2e.test_rooms import Office, is_well

pytestmark = pytest.mark.browser
SCROLLS_SIDEWAYS = """() => [...document.querySelectorAll("main *")]
    .filter((part) => part.scrollWidth > part.clientWidth + 1)
    .filter((part) => ["auto", "scroll"].includes(getComputedStyle(part).overflowX))
    .map((part) => part.className)"""
ROUND = "/floor/larkfield/T-01/rounds/1/"


def played(scene) -> None:
    """A round whose dice were called wrongly, and which seat 2 disputes afterwards."""
    scene.place((1, "small", 5_000), (2, "big", 10_000), (2, "total:9", 1_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 2, 6]})
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": "misread"}, witness="floorperson")
    scene.finish()
    scene.act("report_dispute", {"seat": 2, "about": "Big"})


def begin(scene, page: Page, person: str, at: str = ROUND) -> Office:
    office = Office(page)
    office.let_in(scene.tokens["podium"], person, at)
    return office


def test_a_lost_wager_is_found_from_its_table_and_says_why(scene, new_page, spotless):
    played(scene)
    office = begin(scene, new_page(), "floorperson", "/floor/larkfield/T-01/")
    spotless.append(office)
    page = office.page
    office.tap(page.locator(".rounds th a").first)
    expect(page).to_have_url(re.compile(ROUND + "$"))
    row = page.locator(".wagers tbody tr", has_text="disputed")
    expect(row.locator("th")).to_contain_text("9 is under 11")
    expect(row.locator(".res")).to_contain_text("Lost")
    expect(row.locator(".res")).to_contain_text("§ 625a.3(7)")


def test_steps_go_by_tap_and_by_key_and_each_is_a_link(scene, new_page, spotless):
    played(scene)
    office = begin(scene, new_page(), "floorperson")
    spotless.append(office)
    page = office.page
    here, lit = page.locator(".round-acts .current strong"), page.locator(".spot.lit")
    expect(here).to_have_text("Dice corrected to 2 2 5, not 2 2 6")
    expect(page.locator(".spot.lit", has_text="Total 9")).to_be_visible()
    office.tap(page.locator("a[data-move=before]"))
    expect(here).to_have_text("Dice 2 2 6 called and lit")
    expect(page.locator("a[data-move=before]")).to_be_focused()
    page.keyboard.press("ArrowLeft")
    expect(lit).to_have_count(0)
    page.keyboard.press("Home")
    expect(here).to_have_text("Wagers, seats 1 2")
    expect(page).to_have_url(re.compile(r"\?step=1$"))
    expect(page.locator("[data-move=before]")).to_have_class(re.compile("off"))
    page.keyboard.press("End")
    expect(here).to_contain_text("Alert")
    page.go_back()
    expect(here).to_have_text("Wagers, seats 1 2")
    page.reload()
    expect(here).to_have_text("Wagers, seats 1 2")
    office.tap(page.locator(".round-acts .go", has_text="Cleared"))
    expect(here).to_have_text("Cleared")


def test_steps_are_links_where_no_script_runs(scene, new_page):
    played(scene)
    new_context = new_page.stock.browser.new_context
    with closing(new_context(base_url=new_page.base_url, java_script_enabled=False)) as context:
        page = begin(scene, context.new_page(), "floorperson").page
        page.locator("a[data-move=first]").click()
        expect(page.locator(".round-acts .current strong")).to_have_text("Wagers, seats 1 2")


def test_the_desk_stands_over_a_replay_and_the_next_round_is_a_tap_away(scene, new_page, spotless):
    played(scene)
    scene.place((1, "small", 5_000))
    office = begin(scene, new_page(), "compliance")
    spotless.append(office)
    page = office.page
    expect(page.locator(".tabs a")).to_have_text(
        ["Search", "Daily report", "Exports", "Integrity", "Retention", "Clauses"]
    )
    office.tap(page.locator(".along [rel=next]"))
    expect(page.locator("h1")).to_have_text("Round 2")
    expect(page.locator(".along [rel=next]")).to_have_count(0)
    office.tap(page.locator(".tabs a", has_text="Search"))
    expect(page).to_have_url("/record/larkfield/")


def test_who_has_no_desk_sees_no_tabs_of_it(scene, new_page):
    played(scene)
    page = begin(scene, new_page(), "floorperson").page
    expect(page.locator("h1")).to_have_text("Round 1")
    expect(page.locator(".tabs")).to_have_count(0)


def test_the_round_is_asked_for_as_evidence_in_two_taps(scene, new_page, spotless):
    played(scene)
    office = begin(scene, new_page(), "compliance")
    spotless.append(office)
    page = office.page
    office.tap(page.locator("[data-open=export-round]"))
    office.tap(page.locator("#export-round [data-go]"))
    expect(page.locator("#status-message")).to_contain_text("Recorded, entry")
    (job,) = Job.objects.all()
    assert (job.kind, job.params["streams"], job.params["training"]) == (
        "evidence",
        ["larkfield/T-01"],
        False,
    )


@pytest.mark.parametrize("rules", ["pa-625a/A", again("pa-675a"), again("pa-577")])
def test_the_page_is_well_at_every_size_in_every_game(stage, new_page, spotless, rules):
    scene = stage(rules)
    if rules == "pa-625a/A":
        played(scene)
    else:
        wagers = {"pa-675a": ["pip:6", "like-kind:3"], "pa-577": ["touchdown", "game-length:2"]}[rules]
        scene.place(*((1, code, 1_000) for code in wagers))
    office = begin(scene, new_page(), "compliance")
    spotless.append(office)
    is_well(office.page)
    resize(office.page, (390, 844))
    assert office.page.evaluate(SCROLLS_SIDEWAYS) == []
    for way in office.page.locator(".play [data-move]").all():
        box = way.bounding_box()
        assert box and min(box["width"], box["height"]) >= 56

"""A new game from its draft to its decision, and its test in New Jersey, at the office's screen."""

import pytest
from playwright.sync_api import Locator, Page, expect

from games.models import Document, GameRequest, GameTest
from tests.e2e.floor import letter
from tests.e2e.test_rooms import Office, is_well
from tests.games.office import test_game_tests as of_tests
from tests.games.office.test_requests import PNG, complete, file
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
HOME = "/office/larkfield/requests/"
DRAWING = {"name": "layout.png", "mimeType": "image/png", "buffer": PNG}


def at_the_desk(scene: Scene, page: Page, path: str = "") -> Office:
    office = Office(page)
    office.let_in(scene.tokens["podium"], "games-administrator", HOME + path)
    return office


def part(office: Office, name: str) -> Locator:
    return office.slip(f"part-{name}")


def attach(box: Locator, sent: dict) -> None:
    """Chooses a file, and waits until it is on file."""
    box.locator("input[type=file]").set_input_files(sent)
    expect(box.locator("[data-file-status]")).to_contain_text(f", {sent['name']}")


def test_a_new_wager_is_drafted_part_by_part_filed_and_granted(scene, new_page, spotless):
    office = at_the_desk(scene, new_page())
    spotless.append(office)
    box = office.slip("draft-request")
    expect(box.locator("[data-go]")).to_have_text("Title of the request")
    box.locator("[name=title]").fill("Totals on the side")
    office.tap(box.locator(".pick", has_text="New wager"))
    box.locator("[name=rules]").select_option(label="Sic Bo, 58 Pa. Code Chapter 625a, Paytable A")
    office.go(box)
    office.tap(office.page.get_by_role("link", name="NG-0001"))
    expect(office.page.locator(".file-head strong")).to_have_text("5 parts are missing")
    for name in ("play", "wagering", "reasons"):
        box = part(office, name)
        box.locator("[name=text]").fill("First line.\nSecond line.")
        office.go(box)
    box = part(office, "elsewhere")
    box.locator("[name=places]").fill("Nevada\nMississippi")
    office.go(box)
    box = part(office, "property")
    box.locator("[name=name]").fill("A shaker")
    box.locator("[name=number]").fill("US 1")
    box.locator("[name=holder]").fill("Diceworks")
    office.go(box)
    box = part(office, "layout")
    attach(box, DRAWING)
    office.go(box)
    expect(office.page.locator(".part-papers")).to_contain_text("Layout: layout")
    box = office.slip("file-request")
    office.go(box)
    filed = GameRequest.objects.get()
    assert filed.status == "filed" and filed.parts["play"]["text"] == "First line.\nSecond line."
    assert filed.parts["elsewhere"] == {"places": ["Nevada", "Mississippi"]}
    assert filed.parts["property"]["items"][0]["holder"] == "Diceworks"
    assert len(filed.parts["odds"]["figures"]["wagers"]) == 50
    box = office.slip("decide-request")
    office.tap(box.locator(".pick", has_text="Granted"))
    box.locator("[name=reference]").fill("ED-7")
    attach(box, letter())
    office.go(box)
    scene.approve_changes()
    office.page.reload()
    expect(office.page.locator(".file-head")).to_contain_text("Approved")
    assert GameRequest.objects.get().decision == Document.objects.get(code="D-0002")


def test_what_is_said_to_be_none_hides_the_rest_and_says_nothing_of_it(scene, new_page, spotless):
    request = complete(scene, "property", "class")
    office = at_the_desk(scene, new_page(), f"{request}/")
    spotless.append(office)
    box = part(office, "property")
    box.locator("[name=name]").fill("A shaker")
    office.tap(box.locator(".ticked", has_text="There are none"))
    expect(box.locator("[name=name]")).not_to_be_visible()
    office.go(box)
    box = part(office, "class")
    expect(box.locator("[name=of]")).not_to_be_visible()
    office.tap(box.locator(".pick", has_text="Composite"))
    box.locator("[name=of]").fill("Sic Bo, Craps")
    office.tap(box.locator(".pick", has_text="New game"))
    expect(box.locator("[name=of]")).not_to_be_visible()
    office.go(box)
    parts = GameRequest.objects.get().parts
    assert parts["property"] == {"none": True} and parts["class"] == {"class": "new", "of": ""}


def test_a_request_that_is_not_whole_is_refused_beside_the_finger(scene, new_page, spotless):
    request = complete(scene, "reasons")
    office = at_the_desk(scene, new_page(), f"{request}/")
    spotless.append(office)
    box = office.slip("file-request")
    expect(box.locator(".slip-list")).to_have_text("Reasons")
    office.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text("Still missing: reasons (§ 521.4(2)).")


def test_a_test_runs_and_the_last_condition_opens_the_decision(stage, new_page, spotless):
    scene = stage("nj-19-47-9")
    request = of_tests.filed(scene)
    office = at_the_desk(scene, new_page(), f"{request}/")
    spotless.append(office)
    office.go(office.slip("draft-test"))
    office.tap(office.page.get_by_role("link", name="Test 1"))
    for name in ("casinos", "tables"):
        box = part(office, name)
        box.locator("[name=lines]").fill("South Pier")
        office.go(box)
    box = part(office, "dates")
    box.locator("[name=from]").fill("2026-01-01")
    box.locator("[name=to]").fill("2099-12-31")
    office.go(box)
    for name in ("times", "criteria", "documenting"):
        box = part(office, name)
        box.locator("[name=text]").fill("Every night.")
        office.go(box)
    office.go(part(office, "sign"))
    expect(office.page.locator(".entrance")).to_contain_text("On test at South Pier")
    box = part(office, "forms")
    attach(box, letter())
    office.go(box)
    office.go(office.slip("file-test"))
    box = office.slip("decide-test")
    office.tap(box.locator(".pick", has_text="Granted"))
    box.locator("[name=reference]").fill("C-12")
    attach(box, letter())
    office.go(box)
    scene.approve_changes()
    office.page.reload()
    box = office.slip("change-rules")
    box.locator("[name=text]").fill("Shake three times.")
    box.locator("[name=why]").fill("Too few rounds")
    office.go(box)
    expect(office.page.locator(".versions li").first).to_contain_text("Version 2")
    assert GameTest.objects.get().rules.count() == 2
    is_well(office.page)
    office.page.goto(f"{HOME}{request}/")
    for name, picks in (("licensing", ("Filed", "Issued")), ("suitability", ())):
        box = office.slip(f"record-{name}")
        for pick in picks:
            office.tap(box.locator(".pick", has_text=pick))
        box.locator("[name=on]").fill("2026-01-05")
        office.go(box)
    box = office.slip("record-amendment")
    office.tap(box.locator(".ticked"))
    office.go(box)
    for name, amount in (("costs", "1,250.50"), ("payment", "")):
        box = office.slip(f"record-{name}")
        if amount:
            box.locator("[name=amount]").fill(amount)
        box.locator("[name=on]").fill("2026-01-05")
        office.go(box)
    expect(office.page.locator(".file-head strong")).to_have_text("Final approval")
    expect(office.page.locator('.next[data-open="decide-request"]')).to_be_visible()
    found = GameRequest.objects.get()
    assert (found.costs_cents, found.paid_cents) == (125_050, 125_050)


def test_every_page_and_dialog_fits_at_every_size(scene, new_page, spotless):
    request = complete(scene, "layout", "property", rules="pa-625a/A")
    office = at_the_desk(scene, new_page())
    spotless.append(office)
    office.slip("draft-request")
    is_well(office.page)
    office.page.goto(f"{HOME}{request}/")
    is_well(office.page)
    for name in ("about", "play", "class", "layout", "property"):
        box = part(office, name)
        is_well(office.page)
        office.tap(box.locator("[data-close]"))
    file(scene, complete(scene, title="A side bet", kind="wager"))
    office.page.goto(f"{HOME}NG-0002/")
    for name in ("decide-request", "record-further", "withdraw-request"):
        box = office.slip(name)
        is_well(office.page)
        office.tap(box.locator("[data-close]"))


@pytest.mark.repeated
def test_new_jerseys_pages_and_dialogs_fit_at_every_size(stage, new_page, spotless):
    scene = stage("nj-19-47-9")
    request = of_tests.filed(scene, "other")
    asked = {"request": request, "body": "The Division", "what": "Video of a round", "on": "2026-01-20"}
    scene.in_office("record_further_request", asked)
    of_tests.draft(scene, "forms", request=request)
    office = at_the_desk(scene, new_page(), f"{request}/")
    spotless.append(office)
    is_well(office.page)
    for name in ("record-licensing", "record-costs", "answer-further"):
        box = office.slip(name)
        is_well(office.page)
        office.tap(box.locator("[data-close]"))
    office.page.goto(f"{HOME}{request}/tests/1/")
    is_well(office.page)
    for name in ("dates", "casinos", "forms"):
        box = part(office, name)
        is_well(office.page)
        office.tap(box.locator("[data-close]"))

"""Rules submissions in a real browser: from the draft to the round that is dealt by it."""

import datetime as dt

import pytest
from playwright.sync_api import Page, expect

from games.models import RulesSubmission
from tables.demo.seeding import approve_equipment
from tests.e2e.floor import letter
from tests.e2e.test_rooms import Office, is_well
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
LIST = "/office/larkfield/submissions/"


class Desk(Office):
    """A podium at which somebody works in the rules office."""

    def sit_down(self, scene: Scene, person: str = "games-administrator") -> "Desk":
        self.let_in(scene.tokens["podium"], person, LIST)
        return self

    def go_to(self, code: str) -> None:
        self.page.goto(f"{LIST}{code}/")

    def pays(self, wager: str, odds: str) -> str:
        """Enters odds in the open form; what the form says of them at once."""
        row = self.page.locator("dialog[open] .pay-row").filter(has=self.page.get_by_text(wager, exact=True))
        row.locator("input[name=odds]").fill(odds)
        return row.locator("output").inner_text()


def test_a_submission_goes_from_its_draft_to_the_table_that_deals_by_it(scene, new_page, spotless):
    desk = Desk(new_page()).sit_down(scene)
    page: Page = desk.page
    desk.go_to("RS-0009")
    box = desk.slip("draft-next")
    expect(box.locator(".pick", has_text="58 Pa. Code Chapter 539, text of 2010-04-03")).to_contain_text(
        "Sic Bo"
    )
    box.get_by_text("58 Pa. Code Chapter 539, text of 2010-04-03").click()
    box.locator("[name=why]").fill("Raise two payouts")
    desk.go(box)
    desk.go_to("RS-0009")
    box = desk.slip("change-draft")
    assert desk.pays("Total 4", "40") == "under the floor"
    assert desk.pays("Total 4", "a lot") == "not odds"
    assert desk.pays("Total 4", "80") == "−12.50 %, for the player"
    assert desk.pays("Two Dice Combination", "6 to 1") == "2.78 %"
    box.locator("[name=lapsed_why]").fill("The Board extended the chapter")
    desk.go(box)
    desk.go_to("RS-0009")
    expect(page.get_by_role("heading", name="Refused: Total 4 at 80 to 1")).to_be_visible()
    is_well(page)
    box = page.locator("#set-1")
    desk.tap(page.get_by_role("button", name="Set Total 4 to 70 to 1"))
    desk.go(box)
    expect(page.get_by_role("heading", name="Refused")).to_have_count(0)
    row = RulesSubmission.objects.get(version=2)
    assert row.options == {"payouts": {"total:4": "70 to 1", "two-dice": "6 to 1"}}
    desk.go(desk.slip("file-submission"))
    box = desk.slip("record-decision")
    box.get_by_text("Approved", exact=True).click()
    expect(box.locator("[name=body]")).to_have_value("Bureau of Gaming Operations")
    box.locator("[name=reference]").fill("ED-114")
    box.locator("input[type=file]").set_input_files([letter()])
    expect(box.locator("[data-file-status]")).to_contain_text("D-0001")
    desk.go(box)
    expect(page.locator("#status-message")).to_contain_text("CH-0001 is prepared")
    expect(page.get_by_role("button", name="Record the decision")).to_have_count(0)
    desk.tap(page.get_by_role("link", name="CH-0001 waits for approval"))
    expect(
        page.get_by_role("heading", name="You prepared this; somebody else must approve it")
    ).to_be_visible()
    is_well(page)
    second = Desk(new_page()).sit_down(scene, "shift-manager")
    spotless.append(second)
    second.tap(second.page.get_by_role("link", name="Approvals"))
    is_well(second.page)
    second.tap(second.page.get_by_role("link", name="Review CH-0001"))
    expect(second.page.locator("main")).to_contain_text("Two Dice Combination")
    is_well(second.page)
    second.go(second.slip("approve"))
    expect(second.page.get_by_role("heading", name="Approved by Shift Manager")).to_be_visible()
    desk = Desk(new_page()).sit_down(scene)  # the second person signed in at the same podium
    page = desk.page
    desk.go_to("RS-0009")
    expect(page.locator(".approved-line")).to_contain_text(
        "by Bureau of Gaming Operations, ED-114, letter D-0001"
    )
    with scene.refused("approved-by-another-body"):  # the other edition names another body for the boxes
        scene.place((1, "total:4", 1000))
    approve_equipment(scene.fresh)
    scene.acknowledge_rules()
    scene.place((1, "total:4", 1000))
    assert scene.round is not None and scene.round.submission.version == 2
    page.goto(LIST)
    expect(page.locator(".filing")).to_contain_text("Version 2 in force")
    is_well(page)


def test_the_form_of_every_choice_is_well_and_keeps_what_was_chosen(scene, new_page, spotless):
    desk = Desk(new_page()).sit_down(scene)
    page = desk.page
    desk.go_to("RS-0009")
    box = desk.slip("draft-next")
    box.locator("[name=why]").fill("Steps and shakers")
    desk.go(box)
    desk.go_to("RS-0009")
    box = desk.slip("change-draft")
    is_well(page)
    box.get_by_text("1 wins 6").click()
    box.get_by_label("Total", exact=True).fill("$2.50")
    kind = box.locator(".kind").first
    kind.locator("[name=named]").check()
    kind.locator("[name=procedure]").fill("Three shakes, then the cover comes off.")
    desk.go(box)
    row = RulesSubmission.objects.get(version=2)
    assert row.options == {
        "odds_word": "wins",
        "increments": {"total": 250},
        "shakers": {"manual": "Three shakes, then the cover comes off."},
    }
    expect(page.get_by_text("Three shakes, then the cover comes off.").first).to_be_visible()
    box = desk.slip("change-draft")
    box.get_by_label("Total", exact=True).fill("lots")
    desk.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_be_visible()


def test_a_look_at_the_office_is_not_a_hand_in_it(scene, new_page, spotless):
    agent = Desk(new_page()).sit_down(scene, "gaming-agent")
    agent.go_to("RS-0009")
    expect(agent.page.locator(".approved-line")).to_contain_text("Approved")
    expect(agent.page.locator("[data-open]")).to_have_count(0)
    is_well(agent.page)
    assert RulesSubmission.objects.get().in_force_from < dt.datetime.now(dt.UTC)

"""A disputed round in a real browser, from the patron's complaint to both signatures."""

import pytest
from playwright.sync_api import expect

from audit.devices import enroll
from tables.models import Case
from tests.e2e.test_rooms import Office, is_well

pytestmark = pytest.mark.browser


def test_a_dispute_goes_from_the_complaint_to_both_signatures(scene, new_page, spotless):
    scene.play((2, "big", 10_000), (5, "small", 2_000), dice=[2, 2, 6])
    scene.act("correct_dice", {"dice": [2, 2, 5], "reason": "read from the side"}, witness="floorperson")
    scene.finish()
    carla, hugo = Office(new_page()), Office(new_page())
    carla.let_in(scene.tokens["podium"], "compliance")
    hugo.get_session(enroll("Surveillance room", "larkfield", "office")[1], "surveillance")
    spotless += [carla, hugo]
    page = carla.page
    expect(page).to_have_url("/inbox/larkfield/")
    expect(page.locator(".inbox-work .none")).to_contain_text("No case is open")

    box = carla.slip("open-case")
    expect(box.locator("[data-go]")).to_have_text("What is said")
    box.locator("[name=about]").fill("The 10 lit up, then they took my $100.")
    box.locator("[name=table]").select_option("T-01")
    box.locator("[name=number]").fill("1")
    box.locator("[name=seat]").fill("2")
    carla.go(box)
    expect(page.locator(".due-next h2")).to_have_text("Dispute at T-01 seat 2, round 1")
    is_well(page)
    carla.tap(page.get_by_role("link", name="Take C-0001"))
    carla.go(carla.slip("take"))
    box = carla.slip("document")
    box.locator("[type=file]").set_input_files(
        {"name": "statement.txt", "mimeType": "text/plain", "buffer": b"I want my $100."}
    )
    expect(box.locator("[name=title]")).to_have_value("statement")
    carla.go(box)
    expect(page.locator(".documents")).to_contain_text("statement")
    is_well(page)

    hugo.page.goto("/inbox/larkfield/")
    hugo.tap(hugo.page.get_by_role("link", name="Look into C-0001"))
    box = hugo.slip("camera")
    box.locator("[name=camera]").fill("04-A")
    box.locator("[name=begins]").fill("21:17:30")
    box.locator("[name=shows]").fill("2, 2, 5 before the call")
    hugo.go(box)
    box = hugo.slip("sign")
    hugo.tap(box.locator(".pick", has_text="Stands as settled"))
    box.locator("[name=reason]").fill("The dice showed 2, 2, 5.")
    hugo.go(box)

    page.reload()
    page.evaluate("() => { window.print = () => { throw new Error('the browser prints the page'); }; }")
    with page.expect_download() as waiting:
        carla.tap(page.get_by_role("button", name="Report of the round"))
    assert waiting.value.suggested_filename == "larkfield-T-01-R1.pdf"
    expect(page.locator(".signers .done strong")).to_have_text(["Surveillance"])
    box = carla.slip("sign")
    expect(box).to_contain_text("The dice showed 2, 2, 5.")
    carla.go(box)
    is_well(page)
    carla.go(carla.slip("close"))
    expect(page.locator(".stages .done")).to_have_count(6)
    case = Case.objects.get()
    assert (case.status, case.outcome, case.signatures.count()) == ("closed", "stands", 2)

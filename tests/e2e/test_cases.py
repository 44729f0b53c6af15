"""An auditor's day in a real browser: from a patron's complaint to the signed and printed letter."""

import re
from pathlib import Path

import pypdfium2
import pytest
from playwright.sync_api import expect

from audit.devices import enroll
from audit.exporting import jobs
from tables.models import Case
from tests.e2e.test_exports import patiently
from tests.e2e.test_rooms import Office, is_well
from tests.services import workbooks

pytestmark = pytest.mark.browser

TITLE_COVERS_TEXT = """() => {
    const title = document.createRange();
    title.selectNodeContents(document.querySelector(".case-what a"));
    return title.getBoundingClientRect().bottom - document.querySelector(".case-what .sub").getBoundingClientRect().top;
}"""


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.EXPORTS_DIR = str(tmp_path)


def downloaded(person: Office, button: str) -> tuple[str, bytes]:
    """Press a button and wait for its file: its name and its bytes."""
    with person.page.expect_download() as waiting:
        person.tap(person.page.get_by_role("button", name=button))
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def test_a_dispute_goes_from_the_complaint_to_the_signed_letter(scene, new_page, spotless):
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
    scene.in_room("open_case", {"kind": "other", "about": "A lamp is out. " * 20}, by="surveillance")
    page.reload()
    expect(page.locator(".due-next h2")).to_have_text("Dispute at T-01 seat 2, round 1")
    assert page.evaluate(TITLE_COVERS_TEXT) <= 0, "a long title covers the text under it"
    is_well(page)
    carla.tap(page.get_by_role("link", name="Take C-0001"))
    carla.go(carla.slip("take"))
    box = carla.slip("document")
    box.locator("[type=file]").set_input_files(
        {"name": "statement.txt", "mimeType": "text/plain", "buffer": b"I want my $100."}
    )
    expect(box.locator("[name=title]")).to_have_value("statement")
    carla.go(box)
    expect(page.get_by_role("region", name="Documents")).to_contain_text("statement")
    box = carla.slip("note")
    box.locator("[name=text]").fill("The patron was told: a letter by noon.")
    carla.go(box)
    expect(page.get_by_role("region", name="Notes")).to_contain_text("The patron was told: a letter by noon.")
    expect(page.locator(".page-top .figures")).to_contain_text(
        re.compile("Owner\\s*Compliance.*in 23 h", re.DOTALL)
    )
    is_well(page)

    hugo.page.goto("/inbox/larkfield/")
    hugo.tap(hugo.page.get_by_role("link", name="Look into C-0001"))
    box = hugo.slip("camera")
    box.locator("[name=camera]").fill("04-A")
    box.locator("[name=begins]").fill("21:17:30")
    box.locator("[name=shows]").fill("2, 2, 5 before the call")
    hugo.go(box)

    page.reload()
    box = carla.slip("letter")
    box.locator("[name=addressee]").fill("Pat Example\n1 Main Street")
    box.locator("[name=findings]").fill("The camera shows 2, 2, 5 before the call.")
    carla.tap(box.locator(".pick", has_text="Stands as settled"))
    box.locator("[name=reason]").fill("The dice showed 2, 2, 5.")
    carla.go(box)
    carla.tap(page.get_by_role("link", name="Letter 1"))
    expect(page.locator(".letter")).to_contain_text("Your dispute of round 1 at table T-01, seat 2")
    expect(page.locator(".page-top")).to_contain_text("A draft: 2 signatures missing")
    is_well(page)

    hugo.page.reload()
    hugo.go(hugo.slip("sign"))
    page.goto("/inbox/larkfield/C-0001/")
    with page.expect_download() as waiting:
        carla.tap(page.get_by_role("button", name="Sheets of the round"))
        expect(page.locator("[data-sheets-state]")).to_have_text("being written")
        patiently(lambda: jobs.Worker().run_next())
    assert waiting.value.suggested_filename.endswith("-T-01-R1-sheets.xlsx")
    [wager] = [row for row in workbooks.rows(waiting.value.path(), "Wagers") if row["Wager"][2] == "Big"]
    assert [float(wager["Stake, $"][2]), wager["Stake, $"][1][:4], wager["Outcome"][2]] == [
        100,
        '"$"#',
        "lost",
    ]
    assert wager["What the section says"][2].startswith("Big Bet wins on totals 11 to 17")
    page.evaluate("() => { window.print = () => { throw new Error('the browser prints the page'); }; }")
    assert downloaded(carla, "Report of the round")[0] == "larkfield-T-01-R1.pdf"
    expect(page.locator(".signers .done strong")).to_have_text(["Surveillance"])
    box = carla.slip("sign")
    expect(box).to_contain_text("You sign letter 1 with it")
    carla.go(box)
    is_well(page)
    name, content = downloaded(carla, "Print the letter")
    assert name == "larkfield-C-0001-letter-1.pdf"
    words = pypdfium2.PdfDocument(content)[0].get_textpage().get_text_range()
    assert "Pat Example" in words and "58 Pa. Code § 625a.3(7)" in words and "surveillance" in words
    carla.go(carla.slip("close"))
    expect(page.locator(".stages .done")).to_have_count(7)
    case = Case.objects.get(code="C-0001")
    assert (case.status, case.outcome, case.signatures.count()) == ("closed", "stands", 2)
    page.goto("/inbox/larkfield/exceptions/")
    expect(page.locator(".exceptions tbody tr")).to_contain_text(["1 100.0 per 100"])
    is_well(page)

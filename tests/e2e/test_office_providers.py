"""A provider of a wager in a real browser: from the first line of its file until its certification runs out."""

import datetime as dt

import pytest
from playwright.sync_api import Locator, expect

from audit import clock
from games.models import Application, Provider, Service
from tests.e2e.test_rooms import Office, is_well
from tests.games.office.chapter_528 import ANY_TRIPLE, applied, linked, three_steps

pytestmark = pytest.mark.browser
PAPER = {
    "name": "letter.txt",
    "mimeType": "text/plain",
    "buffer": b"The body approves what it names here.",
}


class Desk(Office):
    """The rules office at a podium."""

    def at(self, scene, address: str, person: str = "games-administrator") -> "Desk":
        self.let_in(scene.tokens["podium"], person, f"/office/larkfield/{address}")
        return self

    def attach(self, box: Locator, name: str) -> None:
        field = box.locator(f".file:has([name={name}])")
        field.locator("input[type=file]").set_input_files(PAPER)
        expect(field.locator("[data-file-status]")).to_contain_text(", letter.txt")
        expect(field.locator(f"[name={name}]")).not_to_have_value("")


def test_a_provider_is_put_on_file_looked_into_and_its_package_filed(scene, new_page, spotless):
    desk = Desk(new_page()).at(scene, "providers/")
    spotless.append(desk)
    is_well(desk.page)
    box = desk.slip("register-provider")
    expect(box.locator("[data-go]")).to_have_text("Name of the provider")
    for name, text in (
        ("name", "Tumbling Dice Ideas"),
        ("game", "Sic Bo"),
        ("innovation", "any three alike"),
    ):
        box.locator(f"[name={name}]").fill(text)
    desk.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text("§ 528.1(2)")
    box.locator("[name=patent]").fill("US 9,999,999")
    box.locator("[name=no_other_license]").check()
    desk.go(box)
    desk.tap(desk.page.get_by_role("link", name="Tumbling Dice Ideas"))

    box = desk.slip("record-investigation")
    box.locator("[name=on]").fill("2026-11-01")
    desk.attach(box, "document")
    desk.go(box)
    box = desk.slip("complete-application")
    box.locator("[name=completed_by]").fill("Ada Quill, president")
    for name in ("form", "statement"):
        desk.attach(box, name)
    box.locator("[name=copy]").select_option("one")
    box.locator("[data-hundredths=fee_cents]").fill("2,5oo")
    expect(box.locator("[data-go]")).to_have_text("A number such as 2,500.00")
    box.locator("[data-hundredths=fee_cents]").fill("2,500.50")
    box.locator("[name=fee_paid_on]").fill("2026-11-02")
    desk.go(box)
    box = desk.slip("file-application")
    desk.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text("§ 528.2(b)(2)")
    desk.tap(box.locator("[data-close]"))
    box = desk.slip("complete-application")
    expect(box.locator("[data-hundredths=fee_cents]")).to_have_value("2500.50")
    box.locator("[name=general]").check()
    desk.go(box)
    desk.go(desk.slip("file-application"))
    filed = Application.objects.get()
    assert (filed.fee_cents, filed.filed_by.code) == (250_050, "games-administrator")

    box = desk.slip("name-person")
    box.locator("[name=name]").fill("Ada Quill")
    box.locator("[data-hundredths=owns_bp]").fill("10")
    desk.go(box)
    expect(desk.page.locator(".qualifier")).to_contain_text("Must qualify: owns 10 % or more")
    box = desk.slip("register-service")
    box.locator("[name=name]").fill("Any Triple")
    box.locator("label", has_text="Any Three of a Kind").locator("input").check()
    desk.go(box)
    assert Service.objects.get().wagers == [ANY_TRIPLE]
    expect(desk.page.locator(".four-step--open")).to_have_count(4)
    is_well(desk.page)


def test_a_certification_runs_out_and_its_wager_stops_at_the_table(scene, new_page, spotless):
    code = applied(scene)
    three_steps(scene, linked(scene, code, ANY_TRIPLE), clock.now())
    # between midnight and 06:00 a letter of today's date holds from the next gaming day only: filed yesterday, the
    # application can be decided on the gaming day that runs, at any hour
    Application.objects.update(filed_at=clock.now() - dt.timedelta(days=1))
    desk = Desk(new_page()).at(scene, f"providers/{code}/")
    spotless.append(desk)
    box = desk.slip("decide-application")
    desk.tap(box.locator(".pick", has_text="Certified"))
    box.locator("[name=on]").fill(scene.table.facility.gaming_day(clock.now()).isoformat())
    desk.attach(box, "letter")
    desk.go(box)
    expect(desk.page.locator(".service-say")).to_have_text("dealt")
    is_well(desk.page)
    scene.play((1, ANY_TRIPLE, 1000), (1, "small", 1000), dice=[1, 2, 3])
    scene.finish()
    tablet = Office(new_page())
    spotless.append(tablet)
    tablet.let_in(scene.tokens["tablet"], "dealer")
    area = tablet.page.locator(f'[data-wager="{ANY_TRIPLE}"]')
    expect(area.locator(".not-dealt")).to_have_count(0)

    Application.objects.update(ends_on=scene.table.facility.gaming_day(clock.now()))
    tablet.page.reload()
    expect(area.locator(".not-dealt")).to_have_text("not dealt")
    tablet.tap(tablet.page.locator("[data-do=repeat-all]"))
    expect(tablet.page.locator('[data-wager="small"] .stk')).to_be_visible()
    expect(area.locator(".stk")).to_have_count(0)
    tablet.tap(area)
    expect(tablet.page.locator("#refusal")).to_contain_text("Tumbling Dice Ideas")
    assert [(one.code, one.cents) for one in scene.round.wagers.all()] == [("small", 1000)]
    desk.page.reload()
    expect(desk.page.locator(".service-say")).to_have_text("not dealt")
    assert Provider.objects.get().code == code

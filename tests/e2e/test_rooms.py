"""The rooms of the house in a real browser: dice from the box to the table, and what every page owes hand and eye."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from audit import clock, people
from audit.devices import enroll
from tables.models import Approval, Assignment, DiceLot, Qualification, Shaker
from tests.e2e.floor import Screen, letter
from tests.e2e.test_looks import faults_outside
from tests.tables.cast import PIN, Scene

pytestmark = pytest.mark.browser
IGNORED = re.compile(
    r'class="brand"|href="/(?:floor|inbox)/larkfield/[a-z-]*/?"|"/my-sign-in"|>Rules<|>Record<|>Sign off<'
)


class Office(Screen):
    """A podium at which somebody keeps the house's rooms."""

    def begin(self, scene: Scene, person: str, room: str) -> "Office":
        self.let_in(scene.tokens["podium"], person, f"/floor/larkfield/{room}/")
        return self

    def slip(self, name: str, lot: str = "") -> Locator:
        """Opens a dialog, of one lot where that is said."""
        which = f'[data-lot="{lot}"]' if lot else ""
        self.tap(self.page.locator(f'#page [data-open="{name}"]{which}:not([disabled])').first)
        box = self.page.locator(f"#{name}")
        expect(box).to_be_visible()
        return box

    def sign(self, box: Locator, pin: str = PIN) -> None:
        """Six digits: the sixth sends the act."""
        self.page.evaluate("window.loadedOnce = true")
        self.enter_pin(box, pin)

    def go(self, box: Locator) -> None:
        """The act goes out, is taken, and the list is drawn anew without a jump of the page."""
        if not box.locator("[data-witness]").count():
            self.page.evaluate("window.loadedOnce = true")
            self.tap(box.locator("[data-go]"))
        expect(box).not_to_be_visible()
        expect(self.page.locator("#status-message")).to_have_text(re.compile("(Recorded|is prepared), entry"))
        assert self.page.evaluate("window.loadedOnce") is True

    def group(self, status: str) -> Locator:
        return self.page.locator(f".group--{status} .lot-id b")


def attach(box: Locator) -> None:
    """The letter of an approval, which its dialog files at once."""
    box.locator("input[type=file]").set_input_files([letter()])
    expect(box.locator("[data-file-status]")).to_contain_text(", letter.txt")


def is_well(page: Page) -> None:
    assert faults_outside(page, IGNORED) == []


def measure(box: Locator, *sides: tuple[str, str]) -> None:
    for name, number in (
        ("micrometer", "M-7"),
        ("caliper", "C-2"),
        ("square", "Q-1"),
        ("compartment", "A-3"),
    ):
        box.locator(f"input:not([type=checkbox])[name={name}]").fill(number)
    for die, (low, high) in enumerate(sides):
        box.locator("[name=low_um]").nth(die).fill(low)
        box.locator("[name=high_um]").nth(die).fill(high)


def test_dice_go_from_the_box_to_the_table_in_dialogs(scene, new_page, spotless):
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice")
    spotless.append(keeper)
    box = keeper.slip("receive")
    expect(box.locator("[data-go]")).to_have_text("Say from whom")
    box.locator("[name=from]").fill("The maker, delivery 12")
    keeper.tap(box.locator("[data-kind]").first)
    box.locator("[data-prefix]").fill("N-")
    box.locator("[data-from-number]").fill("0101")
    box.locator("[data-how-many]").fill("2")
    keeper.tap(box.locator("[data-add-lots]"))
    expect(box.locator("[data-row]")).to_have_count(2)
    for row in box.locator("[name=seal_intact]").all():
        row.check()
    box.locator("[name=serial]").first.fill("77-1")
    expect(box.locator("[data-go]")).to_have_text("PIN of the second person")
    keeper.sign(box)
    keeper.go(box)
    expect(keeper.group("received")).to_have_text(["N-0101", "N-0102"])

    box = keeper.slip("inspect", "N-0101")
    measure(box, ("19.04", "19.06"), ("19,049", "19.177"))
    expect(box.locator("[data-go]")).to_have_text("Measure die 3")
    measure(box, ("19.04", "19.06"), ("19,049", "19.177"), ("19.05", "19.05"))
    keeper.tap(box.locator("[data-all-good]"))
    expect(box.locator("[data-verdict]")).to_have_text(["good", "good", "good"])
    expect(box.locator("[data-pin-say]")).to_have_text("The sixth digit: Store the lot")
    keeper.sign(box)
    keeper.go(box)
    expect(keeper.group("stored")).to_have_text(["N-0101"])

    box = keeper.slip("issue", "N-0101")
    keeper.tap(box.locator(".pick", has_text="T-01"))
    keeper.sign(box)
    keeper.go(box)
    expect(keeper.group("issued")).to_contain_text(["N-0101"])
    lot = DiceLot.objects.get(code="N-0101")
    assert (lot.status, lot.table, lot.serial, lot.compartment) == ("issued", scene.table, "77-1", "A-3")
    assert [(die.low_um, die.high_um) for die in lot.measurements.all()] == [
        (19_040, 19_060),
        (19_049, 19_177),
        (19_050, 19_050),
    ]


def test_a_bad_die_is_shown_at_once_and_its_lot_is_destroyed(scene, new_page, spotless):
    lot = {"lot": "N-1", "dice": 3, "size_um": 19_050, "seal_intact": True}
    scene.in_room("receive_dice", {"from": "x", "lots": [lot]}, witness="security")
    keeper = Office(new_page(820, 1180)).begin(scene, "pit-manager", "dice")
    spotless.append(keeper)
    box = keeper.slip("inspect", "N-1")
    measure(box, ("19.04", "19.06"), ("19.04", "19.178"), ("18.922", "19.05"))
    keeper.tap(box.locator("[data-all-good]"))
    expect(box.locator("[data-verdict]")).to_have_text(["good", "0.001 mm out", "0.001 mm out"])
    is_well(keeper.page)
    expect(box.locator("[data-pin-say]")).to_have_text("The sixth digit: Reject the lot: 2 bad")
    keeper.sign(box)
    keeper.go(box)
    expect(keeper.group("rejected")).to_have_text(["N-1"])
    box = keeper.slip("destroy", "N-1")
    expect(box.locator("[name=lots]")).to_be_checked()
    keeper.tap(box.locator(".pick", has_text="Destroyed"))
    keeper.sign(box)
    keeper.go(box)
    assert DiceLot.objects.get(code="N-1").status == "destroyed"
    today = f"{scene.table.facility.local(clock.now()):%b}"
    expect(keeper.page.locator(".lot", has_text="N-1").locator(".lot-end")).to_contain_text(
        re.compile(rf"Destroyed .*{today}.*Pit Manager", re.DOTALL)
    )


def test_a_refusal_stands_beside_the_finger_and_loses_nothing(scene, new_page, spotless):
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice")
    spotless.append(keeper)
    box = keeper.slip("receive")
    box.locator("[name=from]").fill("The maker")
    box.locator("[data-prefix]").fill("L-")
    box.locator("[data-from-number]").fill("0001")
    keeper.tap(box.locator("[data-add-lots]"))
    keeper.sign(box)
    refused = box.locator("[data-refused]")
    expect(refused).to_contain_text("There is already a dice lot L-0001.")
    near, finger = refused.bounding_box(), box.locator("[data-go]").bounding_box()
    assert near and finger and abs(near["y"] + near["height"] / 2 - finger["y"] - finger["height"] / 2) < 40
    is_well(keeper.page)
    expect(box.locator("[name=from]")).to_have_value("The maker")
    box.locator("[data-row] [name=lot]").fill("L-0777")
    expect(refused).not_to_be_visible()
    keeper.sign(box, "000000")
    expect(box.locator("[data-pin-say]")).to_have_text("This PIN is wrong. Enter it again.")
    expect(box.locator(".dots")).to_have_attribute("aria-label", "0 of 6 digits")
    keeper.sign(box)
    keeper.go(box)
    assert DiceLot.objects.get(code="L-0777").status == "received"


def test_a_lost_answer_is_asked_again_and_does_nothing_twice(scene, new_page):
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice")
    lost: list[str] = []

    def lose(route):
        if lost:
            return route.continue_()
        lost.append(route.request.post_data_json["command"])
        route.fetch()
        return route.abort()

    keeper.page.route("**/acts/receive_dice", lose)
    box = keeper.slip("receive")
    box.locator("[name=from]").fill("The maker")
    box.locator("[data-prefix]").fill("N-")
    box.locator("[data-from-number]").fill("1")
    keeper.tap(box.locator("[data-add-lots]"))
    keeper.sign(box)
    expect(box.locator("[data-refused]")).to_contain_text("the same act counts once")
    with keeper.page.expect_request("**/acts/receive_dice") as again:
        keeper.sign(box)
        keeper.go(box)
    assert again.value.post_data_json["command"] == lost[0]
    assert DiceLot.objects.filter(code="N-1").count() == 1


def test_a_list_of_codes_pasted_becomes_as_many_lots(scene, new_page, spotless):
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice")
    spotless.append(keeper)
    box = keeper.slip("receive")
    keeper.tap(box.locator("[data-add-lots]"))
    code = box.locator("[data-row] [name=lot]").first
    code.evaluate("""field => {
        const data = new DataTransfer();
        data.setData('text', 'A-1, A-2\\nA-2');
        field.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));
    }""")
    codes = box.locator("[data-row] [name=lot]")
    assert codes.evaluate_all("all => all.map((one) => one.value)") == ["A-1", "A-2", "A-2"]
    expect(codes.nth(2)).to_have_attribute("aria-invalid", "true")


def test_the_keyboard_alone_receives_dice(scene, new_page, spotless):
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice")
    spotless.append(keeper)
    press = keeper.page.keyboard.press
    keeper.page.locator('[data-open="receive"]').focus()
    press("Enter")
    keeper.page.keyboard.type("The maker")
    keeper.page.locator("#receive [data-prefix]").focus()
    keeper.page.keyboard.type("K-")
    keeper.page.locator("#receive [data-add-lots]").focus()
    press("Enter")
    for digit in PIN:
        press(digit)
    keeper.page.locator("#receive [data-go]").focus()
    press("Enter")
    expect(keeper.page.locator("#receive")).not_to_be_visible()
    assert DiceLot.objects.filter(status="received").count() == 1


def test_every_dialog_of_the_dice_room_fits_at_every_size(scene, new_page, spotless):
    DiceLot.objects.filter(code__in=["L-0002", "L-0003"]).update(status="received", table=None, dice=10)
    DiceLot.objects.filter(code="L-0004").update(status="stored", table=None)
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice")
    spotless.append(keeper)
    is_well(keeper.page)
    for name in ("receive", "inspect", "issue", "return", "examine"):
        box = keeper.slip(name)
        if name == "receive":
            box.locator("[data-how-many]").fill("6")
            keeper.tap(box.locator("[data-add-lots]"))
        is_well(keeper.page)
        keeper.tap(box.locator("[data-close]"))


def test_dice_are_counted_before_the_record_is_seen_and_an_instrument_is_added(scene, new_page, spotless):
    DiceLot.objects.filter(code="L-0002").update(status="stored", table=None, seal_intact=False)
    keeper = Office(new_page()).begin(scene, "shift-manager", "dice-control")
    spotless.append(keeper)
    is_well(keeper.page)
    box = keeper.slip("register-instrument")
    is_well(keeper.page)
    keeper.tap(box.locator(".pick", has_text="Micrometer"))
    box.locator("[name=instrument]").fill("M-8")
    box.locator("[name=calibrated_on]").fill("2026-01-05")
    box.locator("[name=ends_on]").fill("2096-01-05")
    keeper.go(box)
    expect(keeper.page.locator(".tool").filter(has_text="M-8")).to_contain_text("to 5 Jan 2096")
    box = keeper.slip("count")
    for status in ("received", "stored", "removed", "rejected"):
        box.locator(f"[name={status}]").fill("0")
    keeper.sign(box)
    expect(box.locator("[data-refused]")).to_contain_text("in storage 1 by the record, 0 counted")
    is_well(keeper.page)
    box.locator("[name=note]").fill("L-0002 is at the maker")
    keeper.sign(box)
    keeper.go(box)
    expect(keeper.page.locator(".tool--ended")).to_contain_text("(1 by the record)")


def test_a_floorperson_checks_dice_at_the_end_of_the_day(scene, new_page, spotless):
    floor = Office(new_page()).begin(scene, "floorperson", "dice")
    spotless.append(floor)
    box = floor.slip("examine", "L-0002")
    floor.tap(box.locator(".pick", has_text="Tampered with"))
    expect(box.locator("[data-go]")).to_have_text("Say what was found")
    box.locator("[name=found]").fill("a corner is filed")
    floor.go(box)
    lot = DiceLot.objects.get(code="L-0002")
    assert lot.tampered and lot.status == "removed"


def test_the_pages_of_one_lot_and_of_a_round_fit(scene, new_page, spotless):
    for _ in range(3):
        scene.play((1, "small", 2_500), dice=[1, 2, 3])
        scene.finish()
    keeper = Office(new_page()).begin(scene, "surveillance", "dice")
    spotless.append(keeper)
    keeper.page.locator("[name=round]").fill("2")
    keeper.tap(keeper.page.get_by_role("button", name="Which dice?"))
    expect(keeper.page.locator("h1")).to_have_text("Round 2")
    is_well(keeper.page)
    keeper.tap(keeper.page.get_by_role("link", name="L-0001"))
    expect(keeper.page.locator(".used")).to_contain_text("1 to 3")
    is_well(keeper.page)


def test_the_whole_way_of_a_lot_prints_on_one_sheet(stage, new_page, spotless):
    scene = stage("pa-675a")
    two = {"by": "shift-manager", "witness": "security"}
    lot = {"lot": "N-1", "dice": 10, "size_um": 19_000, "attested": True, "seal_intact": True}
    die = {"low_um": 18_990, "high_um": 19_010, "balanced": True, "square": True, "clean": True}
    tools = {"micrometer": "M-7", "caliper": "C-2", "square": "Q-1", "compartment": "A-3"}
    scene.in_room("receive_dice", {"from": "The maker, delivery 12", "lots": [lot]}, **two)
    scene.in_room("inspect_dice", {"lot": "N-1", "dice": [die] * 10, **tools}, **two)
    scene.act("issue_dice", {"lot": "N-1"}, device=scene.podium, **two)
    scene.act("change_dice_lot", {"lot": "N-1", "seal": "SL-9"}, by="floorperson")
    scene.act("examine_dice", {"lot": "N-1"}, by="floorperson")
    scene.act("withdraw_dice", {"why": "chipped", "found": "an edge is gone"}, by="floorperson")
    scene.act("examine_dice", {"lot": "N-1"}, by="floorperson")
    scene.in_room("destroy_dice", {"lots": ["N-1"], "how": "cancelled"}, **two)
    keeper = Office(new_page()).begin(scene, "surveillance", "dice/N-1")
    spotless.append(keeper)
    is_well(keeper.page)
    expect(keeper.page.locator(".steps-table tbody tr")).to_have_count(8)
    for form in ("A4", "Letter"):
        paper = keeper.page.pdf(format=form)
        assert len(re.findall(rb"/Type\s*/Page[^s]", paper)) == 1, form
    keeper.page.emulate_media(media="print")
    assert keeper.page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    expect(keeper.page.locator(".bar")).not_to_be_visible()


def test_compliance_records_and_withdraws_an_approval(scene, new_page, spotless):
    Approval.objects.filter(subject="layout").delete()
    office = Office(new_page()).begin(scene, "compliance", "equipment")
    spotless.append(office)
    expect(office.page.locator(".thing-why")).to_contain_text("No approval of the Layout")
    is_well(office.page)
    box = office.page.locator("#approve")
    office.tap(office.page.locator('[data-open="approve"][data-subject="layout"]'))
    is_well(office.page)
    box.locator("[name=reference]").fill("AP-9001")
    box.locator("[name=approved_on]").fill("2026-01-05")
    for line in box.locator("[name=lines]").all():
        line.check()
    box.locator("[name=prints][value=odds]").check()
    attach(box)
    office.go(box)
    scene.approve_changes()
    office.page.reload()
    approval = Approval.objects.get(reference="AP-9001")
    assert (approval.table, approval.prints, approval.shaker) == (scene.table, ["odds"], None)
    assert approval.lines == ["layout-areas", "layout-logo"]
    expect(office.page.locator(".thing-why")).to_have_count(0)
    office.tap(office.page.locator(".thing summary"))
    box = office.slip("withdraw")
    box.locator("[name=why]").fill("Superseded")
    office.go(box)
    assert Approval.objects.exclude(withdrawn_at=None).count() == 1


def test_compliance_registers_a_shaker_and_files_its_approval(scene, new_page, spotless):
    office = Office(new_page()).begin(scene, "games-administrator", "equipment")
    spotless.append(office)
    box = office.slip("register")
    is_well(office.page)
    box.locator("[name=shaker]").fill("S-77")
    office.go(box)
    assert Shaker.objects.get(code="S-77").kind == "manual"
    office.tap(office.page.locator('[data-open="approve"][data-shaker="S-77"]'))
    box = office.page.locator("#approve")
    expect(box.locator("[name=lines]")).to_have_count(5)
    expect(box.locator("[name=prints]").first).not_to_be_visible()
    box.locator("[name=reference]").fill("AP-77")
    box.locator("[name=approved_on]").fill("2026-01-05")
    attach(box)
    office.go(box)
    scene.approve_changes()
    approval = Approval.objects.get(reference="AP-77")
    assert approval.shaker and (approval.shaker.code, approval.table) == ("S-77", None)


def test_a_pit_manager_puts_people_on_duty_and_files_their_training(scene, new_page, spotless):
    pit = Office(new_page()).begin(scene, "pit-manager", "staff")
    spotless.append(pit)
    is_well(pit.page)
    pit.tap(pit.page.get_by_role("link", name="Everybody"))
    row = pit.page.locator(".member", has_text="Stranger")
    pit.tap(row.locator('[data-open="assign"]'))
    box = pit.page.locator("#assign")
    is_well(pit.page)
    pit.tap(box.locator(".pick", has_text="Pit 1"))
    pit.go(box)
    duty = Assignment.objects.get(person__code="stranger", ended_at=None)
    assert duty.pit and duty.pit.code == "p1" and duty.table is None
    pit.tap(row.locator('[data-open="train"]'))
    box = pit.page.locator("#train")
    pit.tap(box.locator(".pick", has_text="Three Dice Football"))
    box.locator("[name=reference]").fill("TR-9")
    pit.go(box)
    assert Qualification.objects.get(person__code="stranger").game == "football"
    for name, pick in (("end-training", "Three Dice Football"), ("end-duty", "Pit 1")):
        pit.tap(row.locator(f'[data-open="{name}"]'))
        box = pit.page.locator(f"#{name}")
        is_well(pit.page)
        pit.tap(box.locator(".pick", has_text=pick))
        pit.go(box)
    assert not Assignment.objects.filter(person__code="stranger", ended_at=None).exists()


def test_a_table_changes_its_floorperson_and_a_span_its_tables(scene, new_page, spotless):
    pit = Office(new_page()).begin(scene, "pit-manager", "staff")
    spotless.append(pit)
    box = pit.slip("supervisor")
    is_well(pit.page)
    pit.tap(box.locator(".pick", has_text="Casino Supervisor"))
    pit.go(box)
    assert scene.fresh.floorperson == scene.people["casino-supervisor"]
    pit.tap(pit.page.locator('[data-open="elsewhere"][data-person="casino-supervisor"]'))
    box = pit.page.locator("#elsewhere")
    is_well(pit.page)
    pit.tap(box.locator(".pick", has_text="Craps").first)
    pit.go(box)
    meter = pit.page.locator(".span", has_text="Casino Supervisor")
    expect(meter.locator(".span-count")).to_have_text("2 of 4")
    expect(meter.locator(".span-where")).to_contain_text("T-01, Craps elsewhere")


def test_a_supervisor_unlocks_a_colleague_and_not_themselves(scene, new_page, spotless):
    second, _ = enroll("Tablet of T-02", "larkfield", "dealer", "larkfield/T-02")
    for device, person in ((scene.tablet, "dealer"), (second, "casino-supervisor")):
        for _ in range(5):
            people.count_wrong_pin(device, scene.people[person], None, clock.now())
    floor = Office(new_page()).begin(scene, "casino-supervisor", "staff")
    spotless.append(floor)
    is_well(floor.page)
    box = floor.slip("unlock")
    is_well(floor.page)
    floor.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text(
        "You cannot unlock your own PIN. Ask another supervisor."
    )
    floor.tap(box.locator("[data-close]"))
    floor.tap(floor.page.locator(".lockout", has_text="Dealer").get_by_role("button"))
    floor.go(box)
    expect(floor.page.locator(".lockout")).to_have_count(1)
    assert not people.is_locked_out(scene.tablet, scene.people["dealer"], clock.now())


def test_a_floorperson_takes_a_table_over(scene, new_page, spotless):
    floor = Office(new_page()).begin(scene, "casino-supervisor", "staff")
    spotless.append(floor)
    box = floor.slip("take")
    is_well(floor.page)
    floor.go(box)
    assert scene.fresh.floorperson == scene.people["casino-supervisor"]

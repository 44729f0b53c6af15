"""Opening, repair and closing on the tablet: one next step at each moment, and the floor signs."""

import datetime as dt
import json

import pytest
from playwright.sync_api import expect

from audit import clock
from audit.models import Entry
from tables.demo.seeding import approve_shaker
from tables.models import DiceLot, Inspection, Shaker
from tests.e2e.floor import Tablet, tablet
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
clause = pytest.mark.clause


def is_shown(screen: Tablet, scene: Scene) -> None:
    """The screen has heard of the newest entry."""
    version = str(scene.version)
    expect(screen.page.locator("#screen")).to_have_attribute("data-version", version)


@clause("PA-577.9(a)-ends", "PA-577.4(d)-reopen")
def test_a_football_table_closes_and_opens_again_with_new_dice_and_the_same_cameras(stage, new_page):
    scene = stage("pa-577")
    dealer = tablet(new_page, scene)
    dealer.other("close_table")
    expect(dealer.page.locator("#ask")).to_contain_text("The set leaves the table")
    go = dealer.page.locator("#ask [data-go]")
    dealer.page.locator("#ask [name=secured]").check()
    expect(go).to_be_disabled()
    dealer.sign("floorperson")
    dealer.says("Put dice in")
    expect(dealer.page.locator("#inspect")).to_have_count(0)
    dealer.tap(dealer.next)
    dealer.tap('#ask [data-fill="lot"][data-value="L-0002"]')
    dealer.sign("floorperson")

    cameras = dealer.page.locator("#inspect [data-camera]")
    expect(cameras.nth(0)).to_have_value("C-1")
    dealer.tap_all("#inspect [data-line]")
    expect(dealer.next).to_contain_text("Confirm camera C-1")
    cameras.nth(1).fill("C-1")
    dealer.tap_all("#inspect [data-camera-seen]")
    expect(dealer.next).to_contain_text("Confirm camera C-1")
    cameras.nth(1).fill("C-7")
    dealer.tap_all("#inspect [data-camera-seen]")
    expect(dealer.page.locator("#inspect-progress")).to_have_text("7 of 7 confirmed")
    dealer.step("Inspected")
    dealer.sign("floorperson")
    dealer.open_table(signs="floorperson")
    assert Inspection.objects.latest("inspected_at").cameras == ["C-1", "C-7"]
    assert scene.fresh.status == "open"


@clause("PA-625a.7(b)-cease", "PA-625a.5(a)")
def test_after_a_failure_the_tablet_leads_from_the_repair_by_the_inspection_back_to_gaming(scene, new_page):
    scene.act("report_device_failure", {"what": "layout"})
    dealer = tablet(new_page, scene)
    expect(dealer.page.locator("#side-ceased [aria-current=step]")).to_contain_text("Record the repair")
    dealer.step("Record the repair")
    dealer.page.locator("#ask [name=text]").fill("Lamp of Small replaced")
    dealer.sign("floorperson")
    dealer.says("Inspected")
    dealer.inspect(1, 2, 5, signs="floorperson")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "betting")
    dealer.place((1, "small", 2_500))


@clause("PA-625a.5(a)(2)-minimum")
def test_an_automated_shaker_runs_three_times_before_the_list_is_whole(stage, new_page):
    scene = stage("pa-625a/A", "automated-covered", opened=False)
    scene.staff()
    floor = tablet(new_page, scene, "floorperson")
    floor.light(1, 1, 1)
    floor.tap_all("#inspect [data-combo]")
    floor.tap_all("#inspect [data-line]")
    floor.tap("#inspect [data-toss] >> nth=0")
    expect(floor.next).to_have_attribute("aria-disabled", "true")
    expect(floor.next).to_contain_text("2 of 3 runs to go")
    for run in (1, 2):
        floor.tap(f"#inspect [data-toss] >> nth={run}")
    floor.step("Inspected")
    floor.open_table()


def test_what_is_confirmed_outlives_a_push_and_falls_with_other_dice(stage, new_page):
    scene = stage(opened=False)
    floor = tablet(new_page, scene, "floorperson")
    floor.light(1, 2, 5)
    floor.tap("#inspect [data-combo] >> nth=0")
    floor.tap("#inspect [data-line] >> nth=0")
    scene.act("take_over_table")
    is_shown(floor, scene)
    progress = floor.page.locator("#inspect-progress")
    expect(progress).to_have_text("1 of 3 confirmed")
    expect(floor.page.locator("#inspect [data-combo][aria-pressed=true]")).to_have_count(1)
    expect(floor.area("total:8")).to_have_attribute("data-test", "")
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    is_shown(floor, scene)
    expect(progress).to_have_text("0 of 3 confirmed")
    expect(floor.page.locator("#inspect [data-combo]")).to_have_count(0)
    expect(floor.area("total:8")).not_to_have_attribute("data-test", "")


def test_what_still_keeps_a_table_closed_is_the_next_step(stage, new_page):
    scene = stage(opened=False)
    floor = tablet(new_page, scene, "floorperson")
    floor.inspect(1, 2, 5)
    floor.says("Sign in")
    expect(floor.next).to_contain_text("The dealer is still missing.")
    floor.tap(floor.next)
    floor.arrive("dealer")
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() - dt.timedelta(seconds=1))
    floor.page.reload()
    floor.is_live()
    floor.says("Put dice in")
    expect(floor.next).to_contain_text("L-0001")
    floor.tap(floor.next)
    floor.tap('#ask [data-fill="lot"][data-value="L-0003"]')
    floor.sign("floorperson")
    floor.open_table(signs="floorperson")
    assert DiceLot.objects.get(code="L-0003").status == "placed"


def test_the_lots_offered_are_those_issued_at_this_moment(scene, new_page):
    dealer = tablet(new_page, scene)
    DiceLot.objects.filter(code__gt="L-0002").update(status="stored", table=None)
    scene.act("change_dice_lot", {"lot": "L-0002"}, by="floorperson")
    is_shown(dealer, scene)
    dealer.other("change_dice_lot")
    expect(dealer.page.locator("#ask [data-fill=lot]")).to_have_count(0)
    expect(dealer.page.locator("#ask [data-none]")).to_contain_text("pit manager or shift manager issues one")
    expect(dealer.page.locator("#ask [data-go]")).to_be_hidden()
    expect(dealer.page.locator("#ask .ask-pin")).to_be_hidden()


@clause("NJ-19:47-9.1-sealed")
def test_new_jersey_names_the_seal_of_the_new_dice(stage, new_page):
    scene = stage("nj-19-47-9")
    dealer = tablet(new_page, scene)
    dealer.other("change_dice_lot")
    dealer.tap('#ask [data-fill="lot"][data-value="L-0002"]')
    for digit in "123456":
        dealer.tap(f'#ask .ask-pin [data-digit="{digit}"]')
    expect(dealer.page.locator("#ask [data-go]")).to_be_disabled()
    dealer.page.locator("#ask [name=seal]").fill("SL-00077")
    dealer.tap("#ask [data-go]")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    assert DiceLot.objects.get(code="L-0002").seal == "SL-00077"


@pytest.mark.parametrize(("choice", "status"), [("stay", "placed"), ("removed", "removed")])
def test_closing_says_what_becomes_of_the_dice_and_of_the_shaker(scene, new_page, choice, status):
    dealer = tablet(new_page, scene)
    dealer.other("close_table")
    dealer.tap(f'#ask [data-fill="keep"][data-value="{choice}"]')
    for digit in "123456":
        dealer.tap(f'#ask .ask-pin [data-digit="{digit}"]')
    expect(dealer.page.locator("#ask [data-go]")).to_be_disabled()
    dealer.page.locator("#ask [name=secured]").check()
    dealer.tap("#ask [data-go]")
    expect(dealer.page.locator("#screen")).to_have_attribute("data-mode", "closed")
    assert DiceLot.objects.get(code="L-0001").status == status
    dealer.says("Inspected" if choice == "stay" else "Put dice in")


def test_unlocking_an_automated_shaker_ends_the_month_of_its_dice(stage, new_page):
    scene = stage("pa-625a/A", "automated-covered")
    dealer = tablet(new_page, scene)
    dealer.other("unlock_shaker")
    dealer.tap("#ask [data-reason] >> nth=0")
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    lot = DiceLot.objects.get(code="L-0001")
    assert lot.expires_at == lot.placed_at + dt.timedelta(days=1)


def test_dice_unfit_are_taken_out_with_what_was_found(scene, new_page):
    dealer = tablet(new_page, scene)
    dealer.other("withdraw_dice")
    expect(dealer.page.locator("#ask [data-go]")).to_be_disabled()
    dealer.tap('#ask [data-fill="fault"][data-value="chipped"]')
    dealer.page.locator("#ask [name=found]").fill("A corner of one die")
    dealer.tap("#ask [data-go]")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    assert DiceLot.objects.get(code="L-0001").removed_why == "chipped"
    withdrawn = Entry.objects.get(stream=scene.fresh.stream, type="dice_lot.withdrawn")
    assert json.loads(bytes(withdrawn.body))["data"]["found"] == "A corner of one die"


def test_a_floorpersons_wrong_pin_keeps_what_was_confirmed(stage, new_page):
    scene = stage("pa-675a", opened=False)
    scene.staff()
    dealer = tablet(new_page, scene)
    dealer.inspect()
    dealer.sign("floorperson", "000000")
    expect(dealer.page.locator("#ask [data-pin-say]")).to_have_text("This PIN is wrong. Enter it again.")
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    dealer.open_table(signs="floorperson")


@clause("PA-625a.5(a)(2)-minimum")
def test_an_automated_shaker_comes_to_an_open_table_after_three_runs_and_with_the_floors_pin(scene, new_page):
    shaker = Shaker.objects.create(facility=scene.table.facility, code="S-02", kind="automated-covered")
    approve_shaker(scene.table, shaker)
    dealer = tablet(new_page, scene)
    dealer.other("replace_shaker")
    dealer.tap('#ask [data-fill="shaker"][data-value="S-02"]')
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).to_contain_text("was run 0 times")
    dealer.page.locator("#ask [name=tested]").check()
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).not_to_be_visible()
    assert Shaker.objects.get(code="S-02").table == scene.table

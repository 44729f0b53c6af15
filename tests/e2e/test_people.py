"""Who stands at the tablet: sign-in, relief in mid-round, the lock, and signing off."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from audit import clock
from audit.models import Person
from tables.models import Assignment
from tests.e2e.floor import Screen, Tablet, dashboard, press_pin, resize, tablet, touch
from tests.e2e.test_looks import broken_rules
from tests.e2e.test_rooms import Office, is_well
from tests.tables.cast import PIN, Scene
from tests.tables.test_sign_in_page import hire

pytestmark = pytest.mark.browser
WITHIN_A_SECOND = 1_000


def post(page: Page, act: str, scene: Scene) -> int:
    """The status of an act sent with this browser's cookies, whatever its screens show."""
    csrf = next(cookie["value"] for cookie in page.context.cookies() if cookie["name"] == "csrftoken")
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(page.url))
    answer = page.request.post(
        f"{origin}/floor/larkfield/T-01/acts/{act}",
        headers={"X-CSRFToken": csrf, "Origin": origin},
        data={"command": "01920000-0000-7000-8000-000000000001", "seen": scene.version, "params": {}},
    )
    return answer.status


def people_menu(dealer: Tablet, choice: str) -> None:
    dealer.tap("[data-open=people]")
    dealer.tap(f"#people .choice:has-text('{choice}')")
    expect(dealer.page.locator("#sign-in")).to_be_visible()


def beside(dealer: Tablet) -> Page:
    """Another window of the same browser, with the same person and the same table."""
    other = dealer.page.context.new_page()
    other.goto("/floor/larkfield/T-01/console")
    expect(other.locator("live-screen:defined")).to_be_visible()
    dealer.page.bring_to_front()  # a window behind another one draws slowly
    return other


def test_a_digit_is_taken_back_before_the_sixth_sends_the_pin(scene, new_page):
    dealer = Tablet(new_page())
    dealer.enrol(scene.tokens["tablet"])
    dealer.sign_in("dealer", "12349")
    dots = dealer.page.locator("#sign-in .dots")
    expect(dots).to_have_attribute("aria-label", "5 of 6 digits")
    dealer.tap("#sign-in [data-digit-back]")
    expect(dots).to_have_attribute("aria-label", "4 of 6 digits")
    expect(dots.locator(".in")).to_have_count(4)
    dealer.page.keyboard.press("5")
    dealer.page.keyboard.press("6")
    dealer.is_live()


def test_a_wrong_pin_lets_nobody_in(scene, new_page):
    dealer = Tablet(new_page())
    dealer.enrol(scene.tokens["tablet"])
    dealer.sign_in("dealer", "000000")
    expect(dealer.page.locator(".refused")).to_contain_text("This PIN is wrong. Enter it again.")
    dealer.arrive("dealer")


def test_an_unknown_token_enrols_no_device(scene, new_page):
    page = new_page()
    page.goto("/enrol")
    page.get_by_label("Token", exact=True).fill("never-made")
    touch(page.get_by_role("button", name="Enroll this device"))
    expect(page.locator(".refused")).to_contain_text("opens no device")


def test_the_sign_in_offers_those_on_duty_at_this_table(scene, new_page):
    dealer = Tablet(new_page())
    dealer.enrol(scene.tokens["tablet"])
    offered = dealer.page.locator("#sign-in [name=person]").evaluate_all("all => all.map((one) => one.value)")
    assert offered[0] == "dealer"
    assert {"relief", "floorperson"} <= set(offered)
    assert not {"stranger", "surveillance"} & set(offered)


def test_a_name_is_found_by_its_letters_and_the_page_says_what_signing_in_does(scene, new_page):
    dealer = Tablet(new_page())
    dealer.enrol(scene.tokens["tablet"])
    shown, effects = dealer.page.locator("#sign-in .people li:visible"), dealer.page.locator(".effects li")
    offered = shown.count()
    dealer.tap("[data-letter=R]")
    expect(shown).to_have_count(1)
    expect(dealer.page.locator("[data-letter=Q]")).to_be_disabled()
    expect(dealer.page.locator(".find-count")).to_have_text(re.compile(r"^\d+ of \d+ on duty here$"))
    touch(shown)
    expect(effects).to_have_text(["Relieves Dealer", "Takes the manual shaker S-01"])
    dealer.tap("#sign-in [data-digit='1']")
    dealer.tap("[data-digit-all]")
    expect(dealer.page.locator("#sign-in .dots")).to_have_attribute("aria-label", "0 of 6 digits")
    dealer.tap("[data-somebody-else]")
    expect(dealer.page.locator("#pin-name")).to_have_text("Who are you?")
    expect(shown).to_have_count(offered)
    touch(dealer.page.locator("label.person:has(input[value=dealer])"))
    expect(effects).to_have_text(["Keeps the manual shaker S-01"])
    dealer.arrive("dealer")


def test_among_300_people_everybody_is_found_by_letters_or_badge_and_the_keypad_stays_in_view(
    scene, new_page
):
    hire(scene, "floorperson", 299)
    page = new_page()
    Tablet(page).let_in(scene.tokens["tablet"], "floorperson", "/sign-in")
    on_list = page.locator("#sign-in .people li:visible")
    for size in ((1280, 800), (1024, 768), (820, 1180), (390, 844)):
        resize(page, size)
        for key in "1", "0":
            expect(page.locator(f"#sign-in [data-digit='{key}']")).to_be_in_viewport(ratio=0.9)
        expect(on_list.first).to_be_in_viewport(ratio=0.9)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), size
    resize(page, (1280, 800))
    touch(page.locator("[data-letter=F]"))
    page.locator("#find").fill("floorperson 298")
    expect(on_list).to_have_count(1)
    page.locator("#find").fill("1203")
    expect(on_list).to_contain_text("Floorperson 202")
    touch(page.locator("[data-find-clear]"))
    for digit in "1298":
        touch(page.locator(f"#sign-in [data-digit='{digit}']"))
    expect(page.locator(".pin-who")).to_contain_text("Floorperson 297")
    expect(page.locator("#pin-role")).to_have_text("Floorperson, badge 1298")
    expect(page.locator("label.person:has(input:checked)")).to_be_in_viewport()
    expect(page.locator("#sign-in .dots")).to_have_attribute("aria-label", "0 of 6 digits")
    touch(page.locator("[data-somebody-else]"))
    for digit in "999999":
        touch(page.locator(f"#sign-in [data-digit='{digit}']"))
    expect(page.locator("[data-pin-say]")).to_contain_text("Nobody on duty here has this badge number.")
    touch(page.locator("[data-digit-all]"))
    expect(on_list.nth(299)).to_be_visible()


@pytest.mark.parametrize(("is_planned", "taps"), [(True, 7), (False, 8)])
def test_relief_in_mid_round_takes_one_tap_beside_the_pin_where_it_is_planned(
    scene, new_page, is_planned, taps
):
    """The name and the six digits. It was eight, on two pages: the name, who comes, and there the digits. Who is not
    planned is one tap more, still on the same page. The shaker goes over, and the round goes on.
    """
    if is_planned:
        scene.in_room("plan_move", {"person": "relief", "table": "T-01"}, by="pit-manager")
    dealer = tablet(new_page, scene)
    dealer.place((1, "big", 2_500))
    before, pages = dealer.taps, []
    dealer.page.on("framenavigated", lambda frame: pages.append(urlsplit(frame.url).path))
    dealer.tap("[data-open=people]")
    view = dealer.page.locator("#people")
    expect(view.locator(".relief-posts")).to_contain_text(re.compile(r"At the table [01] min, since"))
    if not is_planned:
        expect(view.locator("[data-relief-who]")).to_have_text("Who takes over?")
        dealer.tap(view.locator(".relief-next .choice", has_text="Relief"))
    expect(view.locator("[data-relief-who]")).to_have_text("Relief’s PIN")
    dealer.enter_pin(view.locator(".relief-pin"))
    expect(dealer.page.locator(".who")).to_contain_text("Relief")
    dealer.is_live()
    assert dealer.taps - before == taps
    assert set(pages) == {"/floor/larkfield/T-01/console"}  # loaded again, for another person
    assert dealer.lying() == {(1, "big"): 2_500}
    assert scene.fresh.dealer == scene.people["relief"]
    dealer.tap(dealer.next)
    dealer.is_in("shaken")


def test_a_wrong_pin_at_the_relief_says_so_and_a_pin_without_a_name_is_sent_to_nobody(scene, new_page):
    dealer = tablet(new_page, scene)
    dealer.tap("[data-open=people]")
    view = dealer.page.locator("#people")
    dealer.enter_pin(view.locator(".relief-pin"), "654321")
    expect(view.locator("[data-pin-say]")).to_have_text("Tap the name of who takes over.")
    expect(view.locator(".dots")).to_have_attribute("aria-label", "0 of 6 digits")
    dealer.tap(view.locator(".relief-next .choice", has_text="Relief"))
    dealer.enter_pin(view.locator(".relief-pin"), "654321")
    expect(dealer.page.locator(".refused")).to_contain_text("wrong")
    expect(dealer.page.locator("#pin-name")).to_have_text("Relief")
    assert scene.fresh.dealer == scene.people["dealer"]


def test_a_dealer_whom_the_floor_sends_takes_over_with_one_pin_at_the_tablet(scene, new_page):
    dealer = tablet(new_page, scene)
    dealer.place((1, "big", 2_500))
    boss = Screen(new_page(1440, 900))
    boss.let_in(scene.tokens["podium"], "pit-manager", "/floor/larkfield/T-01/")
    boss.is_live()
    boss.tap(boss.page.get_by_role("button", name="Send Relief"))
    expect(boss.page.get_by_role("button", name="Relief is sent")).to_be_disabled()
    expect(boss.page.locator("[data-relief-say]")).to_have_text(
        "The tablet has Relief chosen: the PIN there takes over."
    )
    assert broken_rules(boss.page) == []
    assert scene.fresh.dealer == scene.people["dealer"]
    dealer.tap("[data-open=people]")
    view = dealer.page.locator("#people")
    expect(view.locator("[data-relief-who]")).to_have_text("Relief’s PIN")
    felt = dealer.page.locator("#felt").bounding_box()
    box = view.bounding_box()
    assert felt and box and box["x"] - felt["x"] > 250  # beside what lies on the left of the felt
    for size in ((1024, 768), (820, 1180), (1280, 800)):
        resize(dealer.page, size)
        zero = view.locator(".relief-pin [data-digit='0']").bounding_box()
        other = view.locator(".relief-other").bounding_box()
        assert zero and other and zero["y"] + zero["height"] <= other["y"], size
    dealer.enter_pin(view.locator(".relief-pin"))
    expect(dealer.page.locator(".who")).to_contain_text("Relief")
    dealer.is_live()
    assert scene.fresh.dealer == scene.people["relief"]
    assert dealer.lying() == {(1, "big"): 2_500}
    expect(boss.page.locator(".at-posts b")).to_have_text("Relief")


def test_a_relief_from_the_table_page_takes_the_pin_of_who_comes_and_the_tablet_asks_for_it_next(
    scene, new_page
):
    dealer = tablet(new_page, scene)
    dealer.place((1, "big", 2_500))
    boss = Screen(new_page(1440, 900))
    boss.let_in(scene.tokens["podium"], "pit-manager", "/floor/larkfield/T-01/")
    boss.is_live()
    boss.tap(boss.page.get_by_role("button", name="PIN here"))
    ask = boss.page.locator("#relieve")
    expect(ask.get_by_role("heading")).to_have_text("Relief takes over")
    expect(ask).to_contain_text("Dealer goes.")
    assert broken_rules(boss.page) == []
    boss.enter_pin(ask, "654321")
    expect(ask.locator("[data-pin-say]")).to_have_text("This PIN is wrong. Enter it again.")
    assert scene.fresh.dealer == scene.people["dealer"]
    boss.enter_pin(ask)
    expect(ask).to_be_hidden()
    expect(boss.page.locator(".at-posts b")).to_have_text("Relief")
    assert scene.fresh.dealer == scene.people["relief"]
    expect(dealer.page.locator("#pin-name")).to_have_text("Relief")
    press_pin(dealer.page.locator("#sign-in"), PIN, by_fingers=False)
    dealer.is_live()
    expect(dealer.page.locator(".who")).to_contain_text("Relief")
    assert dealer.lying() == {(1, "big"): 2_500}


def test_signing_off_is_refused_while_the_shaker_would_be_left_alone(scene, new_page):
    dealer = tablet(new_page, scene)
    people_menu(dealer, "Sign off")
    expect(dealer.page.locator(".refused")).to_contain_text("§ 625a")
    assert scene.fresh.dealer == scene.people["dealer"]
    dealer.arrive("dealer")


def test_a_locked_tablet_takes_no_act_and_its_other_windows_close(scene, new_page):
    dealer = tablet(new_page, scene)
    other = beside(dealer)
    people_menu(dealer, "Lock the tablet")
    expect(other.locator("#sign-in")).to_be_visible(timeout=WITHIN_A_SECOND)
    assert post(dealer.page, "no_more_bets", scene) == 423
    assert scene.fresh.dealer == scene.people["dealer"]
    dealer.arrive("dealer")
    dealer.tap(dealer.next)
    dealer.is_in("shaken")


def test_signing_off_closes_every_window_of_the_person(scene, new_page):
    pit = dashboard(new_page, scene)
    other = pit.page.context.new_page()
    other.goto("/floor/larkfield/T-01/")
    expect(other.locator("live-screen:defined")).to_be_visible()
    pit.page.bring_to_front()
    touch(pit.page.get_by_role("button", name="Sign off"))
    expect(pit.page.locator("#sign-in")).to_be_visible()
    expect(other.locator("#sign-in")).to_be_visible(timeout=WITHIN_A_SECOND)
    assert post(pit.page, "close_table", scene) == 401


def test_a_dealer_of_another_table_gets_no_console(scene, new_page):
    stranger = new_page()
    podium = Tablet(stranger)
    podium.enrol(scene.tokens["podium"])
    podium.page.locator("#sign-in").wait_for()
    assert podium.page.locator("[value=stranger]").count() == 0
    assert stranger.goto("/floor/larkfield/T-01/console").status in (200, 403)
    expect(stranger.locator("live-screen")).to_have_count(0)


def test_somebody_who_is_invited_gets_a_one_time_pin_chooses_their_own_and_is_signed_in(
    scene, new_page, spotless
):
    office = Office(new_page(390, 844)).begin(scene, "system-administrator", "people")
    spotless.append(office)
    box = office.slip("add-person")
    for name, text in (("name", "Zoe Park"), ("person", "park-z"), ("badge", "4417")):
        box.locator(f"[name={name}]").fill(text)
    box.locator("[name=role]").select_option("floorperson")
    office.go(box)
    expect(office.page.locator(".waiting")).to_contain_text("Zoe Park (park-z) added as floorperson")
    scene.approve_changes(by="compliance")
    zoe = Person.objects.get(code="park-z")
    Assignment.objects.create(person=zoe, facility=scene.table.facility, started_at=clock.now())
    approver = Office(new_page(390, 844)).begin(scene, "compliance", "people")
    approver.page.goto(f"{approver.page.url}?person=park-z")
    approver.go(approver.slip("make-pin"))
    pin = approver.page.locator(".given-pin code").inner_text()
    approver.page.reload()  # without the message that fades
    is_well(approver.page)
    office.page.locator("form.out button").click()
    label = office.page.locator("label.person:has(input[value='park-z'])")
    office.tap(label)
    office.enter_pin(office.page.locator("#sign-in"), pin)
    expect(office.page.get_by_role("heading", name="New PIN")).to_be_visible()
    is_well(office.page)
    for field in ("New PIN", "Repeat it"):
        office.page.get_by_role("textbox", name=field, exact=True).fill("271828")
    office.tap(office.page.get_by_role("button", name="Save it and sign in"))
    office.page.wait_for_url("**/floor/larkfield/")
    assert Person.objects.get(code="park-z").check_password("271828")


def test_a_file_of_people_is_checked_and_prepared_without_typing_them(scene, new_page, spotless, tmp_path):
    office = Office(new_page()).begin(scene, "system-administrator", "people")
    spotless.append(office)
    office.tap(office.page.get_by_role("link", name="From a file"))
    file = tmp_path / "people.csv"
    file.write_text("name,code,role,badge\nZoe Park,park-z,dealer,4417\nDeb Lind,dealer,floorperson,4418\n")
    office.page.get_by_label("CSV file").set_input_files(file)
    office.tap(office.page.get_by_role("button", name="Check it"))
    expect(office.page.locator("tr.wrong")).to_contain_text("Somebody has the code dealer already")
    expect(office.page.get_by_role("button", name="Prepare 2 people")).to_have_count(0)
    is_well(office.page)

    file.write_text(file.read_text().replace("Lind,dealer", "Lind,lind-d"))
    office.page.get_by_label("CSV file").set_input_files(file)
    office.tap(office.page.get_by_role("button", name="Check it"))
    expect(office.page.locator("td.check")).to_have_text(["in order", "in order"])
    office.go(office.slip("add-people"))
    assert not Person.objects.filter(code="park-z").exists()
    scene.approve_changes(by="compliance")
    assert set(Person.objects.filter(code__in=("park-z", "lind-d")).values_list("role", flat=True)) == {
        "dealer",
        "floorperson",
    }


def test_somebody_goes_on_leave_and_is_called_back_on_the_page_people(scene, new_page, spotless):
    office = Office(new_page(820, 1180)).begin(scene, "system-administrator", "people")
    spotless.append(office)
    address = office.page.url
    office.page.goto(f"{address}?person=relief")
    box = office.slip("record-leave")
    box.locator("[name=reason]").select_option("medical")
    today = scene.table.facility.gaming_day(clock.now())
    box.locator("[name=begins_on]").fill(today.isoformat())
    box.locator("[name=last_day]").fill("2038-12-03")
    is_well(office.page)
    office.go(box)
    expect(office.page.locator(".waiting")).to_contain_text("until 3 Dec 2038: medical")
    scene.approve_changes(by="compliance")
    office.page.goto(f"{address}?show=leave&person=relief")
    expect(office.page.locator(".panel-facts")).to_contain_text("On leave until 3 Dec 2038")
    expect(office.page.locator(".panel [data-open=replace-pin]")).to_have_count(0)
    is_well(office.page)

    tablet_of_relief = Tablet(new_page())
    tablet_of_relief.enrol(scene.tokens["tablet"])
    expect(tablet_of_relief.page.locator("label.person:has(input[value='relief'])")).to_have_count(0)

    office.go(office.slip("record-return"))
    scene.approve_changes(by="compliance")
    office.page.goto(f"{address}?person=relief")
    expect(office.page.locator(".panel-facts")).not_to_contain_text("On leave")

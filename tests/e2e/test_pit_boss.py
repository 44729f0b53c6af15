"""An evening of a pit boss: the table with the problem, a fill, limits, a dealer, the handover and the win."""

import re
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from audit.devices import enroll
from games.models import Facility
from tables.figures import rollup
from tables.models import Alert, Handover, ItemAcceptance, LimitsChange, PlannedMove, Table
from tests.e2e.fills import receives_the_fill, sends_the_fill
from tests.e2e.floor import Dashboard, Screen, Tablet, become, resize, touch
from tests.e2e.test_looks import broken_rules
from tests.e2e.test_rooms import Office
from tests.tables.cast import Scene
from tests.tables.house import hire, make_house
from tests.tables.test_money import OPENER, box, count, keep_inventory

pytestmark = pytest.mark.browser
PHONE, PODIUM, WALL = (390, 844), (1440, 900), (1920, 1080)
SIDEWAYS = "document.documentElement.scrollWidth - innerWidth"


@pytest.fixture
def pit(stage) -> dict[str, Scene]:
    """Two open tables that keep their inventories. At T-02 the last count of the tray is $100 short."""
    house = make_house(("T-01", "pa-625a/A", "manual"), ("T-02", "pa-625a/B", "manual"))
    keep_inventory(house["T-01"])
    Facility.objects.update(work_minutes=80, break_minutes=20)
    hire(house["T-01"], ("carmen", "dealer"))
    for scene, dealer in ((house["T-01"], "dealer"), (house["T-02"], "relief")):
        how: dict[str, Any] = {"by": dealer, "device": scene.podium}
        scene.act("take_over_table", **how)
        count(scene, "count_opener", OPENER, **how)
        box(scene, "put_on_drop_box", {"box": f"B-{scene.table.code}"})
        scene.act(
            "set_par", {"chips": OPENER}, by="pit-manager", witness="shift-manager", device=scene.podium
        )
        scene.inspect()
        scene.open()
    first, second = house["T-01"], house["T-02"]
    for dice in ([1, 2, 2], [4, 4, 4], [1, 1, 3]):
        first.play((1, "small", 10_000), (2, "three-of-a-kind:4", 5_000), dice=dice)
        first.finish()
    rollup.write_rollups()
    second.act(
        "count_tray",
        {"chips": {**OPENER, "10000": 199}},
        by="relief",
        witness="floorperson",
        device=second.podium,
    )
    return house


def is_well(page: Page, *sizes: tuple[int, int]) -> None:
    """Axe finds nothing, and nothing scrolls sideways."""
    for size in sizes:
        resize(page, size)
        assert page.evaluate(SIDEWAYS) <= 0, size
        assert broken_rules(page) == [], size
    resize(page, PODIUM)


def test_a_pit_boss_leads_the_evening_and_the_shift_manager_explains_its_win(pit, new_page, spotless):
    first, second = pit["T-01"], pit["T-02"]
    boss = Dashboard(new_page(*PODIUM)).begin(first)
    page = boss.page
    spotless.append(boss)

    # One look: of two tables one needs somebody, the list says why, and the wall says it too
    assert page.locator(".tile.needs h3").all_inner_texts() == ["T-02"]
    alert = page.locator("#alerts .alert")
    expect(alert).to_have_count(1)
    expect(alert).to_contain_text("T-02")
    expect(alert).to_contain_text("$100")
    is_well(page, PHONE, PODIUM)
    wall = new_page(*WALL)
    become(wall, enroll("Wall", "larkfield", "wall")[1])
    wall.goto("/floor/larkfield/")
    expect(wall.locator("main")).to_contain_text("Tray differs")
    expect(wall.get_by_role("heading", name="T-02")).to_be_visible()
    is_well(wall, WALL)

    # Acknowledged
    touch(alert.get_by_role("button", name="Acknowledge"))
    expect(page.locator("#no-alerts")).to_be_visible()
    expect(page.locator(".tile.needs")).to_have_count(0)
    assert Alert.objects.get().acknowledged_by.code == "pit-manager"

    # A fill that the cage sends, and dealer and floor sign for
    cage = Screen(new_page())
    cage.let_in(enroll("Cage 1", "larkfield", "podium")[1], "cage")
    spotless.append(cage)
    before = Table.objects.get(pk=second.table.pk).tray_cents
    touch(boss.tile("T-02").get_by_role("link", name="T-02"))
    boss.is_live()
    touch(page.locator(".tray-summary a", has_text="Ask for a fill"))
    request = page.locator("#request")
    request.locator("[data-chip='2500']").fill("100")
    touch(request.locator("[data-go]"))
    expect(page.locator(".move .slip-code")).to_have_text("no slip yet")
    sends_the_fill(cage)
    expect(page.locator(".move .slip-code")).to_have_text("F-0001")
    fill = Table.objects.get(pk=second.table.pk).chip_transfers.get()
    dealer = Tablet(new_page())
    spotless.append(dealer)
    dealer.let_in(enroll("Tablet of T-02", "larkfield", "dealer", "larkfield/T-02")[1], "relief")
    dealer.is_live()
    receives_the_fill(dealer, fill.chips)
    after = Table.objects.get(pk=second.table.pk).tray_cents
    assert after == before + fill.cents
    expect(page.locator("[data-tray-value]")).to_have_text(f"${after // 100:,}")

    # New limits with notice
    page.goto("/floor/larkfield/T-02/")
    boss.is_live()
    second.place((1, "small", 1_000), by="relief")
    touch(page.locator("[data-limits-open=limits-change]"))
    limits = page.locator("#limits-change")
    expect(limits.locator("[data-limits-now]")).to_have_text("$10–$1,000")  # and not the value of the tray
    limits.locator("[name=min]").fill("25")
    limits.locator("[name=max]").fill("2,000")
    touch(limits.locator("label", has_text="Players are here"))
    touch(limits.locator("[type=submit]"))
    expect(page.locator(".limits-next")).to_contain_text("then $25–$2,000")
    touch(page.locator("[data-limits=post_limits_sign]"))
    expect(page.locator("[data-limits=post_limits_sign]")).to_have_count(0)
    second.act("announce_limits", by="relief", device=second.podium)
    expect(page.locator(".limits-next")).to_contain_text(re.compile(r"\d:\d\d|\d min"))
    assert LimitsChange.objects.get().effective_at is not None

    # A dealer moves: planned on the board, done by the dealer's own PIN at the table
    page.goto("/floor/larkfield/rotation/")
    page.locator("a[data-pick=carmen]").focus()
    page.keyboard.press("Enter")
    expect(page.locator(".picked-bar h2")).to_have_text("Carmen is picked")
    touch(page.locator(".board-row[data-table=T-02] [data-plan]"))
    expect(page.locator(".relief b")).to_have_text("Carmen")
    second.act("take_over_table", by="carmen", device=second.podium)
    assert PlannedMove.objects.get().outcome == "taken"

    # The shift: everything open goes to the next manager, and both sign
    manager = Office(page)
    page.goto("/floor/larkfield/handover/")
    manager.tap(".go")
    page.keyboard.press("Enter")
    accept = page.locator("#accept")
    for pick in accept.locator(".pick").all()[1:]:
        manager.tap(pick)
    accept.locator("[data-witness]").select_option("shift-manager")
    manager.sign(accept)
    manager.go(accept)
    assert "limits:T-02:1" in ItemAcceptance.objects.values_list("item", flat=True)
    manager.sign(manager.slip("sign-over"))
    manager.go(page.locator("#sign-over"))
    assert Handover.objects.get().taken_over_by.code == "shift-manager"

    # The shift manager explains the win
    reader = Office(new_page(*PODIUM)).begin(first, "shift-manager", "figures")
    spotless.append(reader)
    figures = reader.page.locator(".figures-headline")
    expect(figures).to_contain_text(re.compile(r"Rounds\s*3"))
    expect(figures).to_contain_text(re.compile(r"Expected\s*\+?\$\d+ ± \$[\d,]+"))
    note = reader.page.locator(".band-plot .note").first
    expect(note).to_contain_text("T-01 loses $")
    is_well(reader.page, PHONE, PODIUM)
    for is_online in (False, True):
        reader.page.evaluate(
            f"Object.defineProperty(navigator, 'onLine', {{ value: {str(is_online).lower()}, configurable: true }})"
        )
        expect(reader.page.locator("#figures-stale")).to_be_visible(visible=not is_online)


def test_the_checklist_names_what_keeps_a_table_open_and_where_it_is_done(pit, new_page, spotless):
    first = pit["T-01"]
    floor = Screen(new_page(*PODIUM))
    spotless.append(floor)
    floor.let_in(first.tokens["podium"], "floorperson", "/floor/larkfield/T-01/")
    floor.is_live()
    page = floor.page
    close, needs = page.locator("[data-close-table]"), page.locator("#closing-needs")

    def waits_for(sentence: str, way: str, address: str) -> None:
        expect(needs).to_have_text(f"Not yet: {sentence} {way}")
        expect(needs.get_by_role("link", name=way)).to_have_attribute("href", address)
        expect(close).to_be_disabled()

    tray = "/floor/larkfield/T-01/tray"
    how: dict[str, Any] = {"by": "floorperson", "device": first.podium}
    cards = page.locator("[data-live-summary]:not([hidden])")
    expect(cards).to_have_count(2)
    first.act("report_dispute", {"seat": 3, "about": "a late chip"})
    waits_for(
        "The dispute at seat 3 is not decided. Decide it, then close T-01.", "Decide it", "#alerts-here"
    )
    assert cards.count() == 2, "a push leaves what is read apart"
    touch(needs.get_by_role("link"))
    expect(page.locator("#alerts-here .alert")).to_be_in_viewport()
    first.act(
        "decide_alert", {"alert": Alert.objects.get(kind="dispute").pk, "decision": "as-recorded"}, **how
    )
    first.act("request_fill", {"chips": {"2500": 100}}, **how)
    under_way = "Before the closer, finish or void what is under way: request 1."
    waits_for(under_way, "Open the tray", tray)
    expect(page.locator(".closing-steps em")).to_have_text("$2,500")
    is_well(page, PHONE, (820, 1180), (1280, 800), PODIUM)
    first.act("cancel_transfer", {"transfer": 1, "reason": "closing"}, **how)
    waits_for("Drop box B-T-01 is on T-01. Security and the floor take it off first.", "Open the tray", tray)
    box(first, "take_off_drop_box")
    expect(needs).to_contain_text("The closer of T-01 is not signed.")
    count(first, "count_closer", OPENER, by="dealer")
    expect(needs).to_have_count(0)
    expect(close).to_have_class(re.compile("next"))
    touch(close)
    ask = page.locator("#close-table")
    ask.get_by_label("Shaker S-01 is locked away").check()
    touch(ask.get_by_role("button", name="Close the table"))
    expect(page.locator(".now-on")).to_contain_text("The table is closed.")
    assert first.fresh.status == "closed"

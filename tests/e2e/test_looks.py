"""What every screen owes the hand and the eye: targets of 56 px, nothing cut off, nothing that axe finds.

A story that goes through the phases of a screen looks at a third of them a day, and at all with `script/test --all`.
"""

import datetime as dt
import os
import re
from collections import Counter
from collections.abc import Callable
from urllib.parse import urlsplit
from zoneinfo import ZoneInfo

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from audit import clock
from audit.devices import enroll
from games.models import Facility
from tables.models import Alert, Approval, DiceLot, Pit
from tests.e2e.floor import Dashboard, Tablet, again, become, dashboard, resize, tablet, touch
from tests.services.examples import is_of_today
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
LEAST_PX = 56
SIZES = ((1280, 800), (1024, 768), (820, 1180))

WAGERS = tuple(
    (seat, wager, cents)
    for seat in range(1, 9)
    for wager, cents in (
        ("small", 2_500),
        ("big", 10_000),
        ("total:12", 500),
        (f"two-dice:{seat % 5 + 1}-6", 2_500),
        (f"three-of-a-kind:{seat % 6 + 1}", 2_500),
    )
)
SMALL_TARGETS = """least => [...document.querySelectorAll('button, a[href], select, input, summary, label.person')]
    .filter((target) => target.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
    .filter((target) => !target.closest('.sr, .hush') && !['hidden', 'radio', 'checkbox'].includes(target.type))
    .map((target) => [target, (target.closest('.tile h3') ? target.closest('.tile') : target).getBoundingClientRect()])
    .filter(([, box]) => box.width && (box.width < least - 0.5 || box.height < least - 0.5))
    .map(([target, box]) => `${target.outerHTML.slice(0, 90)} ${Math.round(box.width)}×${Math.round(box.height)}`)"""
# Areas whose chips lie on the odds that they are paid at
COVERED_ODDS = """() => {
    const overlap = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1
        && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1;
    const boxesOf = (area, parts) => [...area.querySelectorAll(parts)].map((part) => part.getBoundingClientRect());
    const areas = document.querySelectorAll('.frame .area:not([data-lit])');
    return [...areas].filter((area) => {
        const [odds] = boxesOf(area, '.odds');
        return odds?.width && boxesOf(area, '.stk, .stk > *, .rest > *').some((chips) => overlap(chips, odds));
    }).map((area) => `chips on the odds of ${area.dataset.wager}`);
}"""
CUT_OFF = """() => {
    const over = document.documentElement.scrollWidth - innerWidth;
    const tall = document.querySelector('.console') ? document.documentElement.scrollHeight - innerHeight : 0;
    const next = document.getElementById('next')?.getBoundingClientRect();
    const facts = document.querySelector('.console .facts'), end = facts?.getBoundingClientRect().right;
    const isOver = [...facts?.children ?? []].some((fact) => fact.getBoundingClientRect().right > end + 1);
    const cut = [...facts?.querySelectorAll('dt, dd') ?? []].filter((part) => part.scrollWidth > part.clientWidth + 1);
    return [cut.length ? `a fact of the table is cut off: ${cut[0].textContent.trim()}` : '',
            over > 0 ? `the page is ${over} px too wide` : '',
            tall > 0 ? `the console is ${tall} px too tall` : '',
            isOver ? 'the facts of the table lie on its buttons' : '',
            next && (next.bottom > innerHeight + 0.5 || next.right > innerWidth + 0.5) ? 'next is cut off' : '']
        .filter(Boolean);
}"""

AXE = Axe()
BROKEN_RULES = """() => axe.run({ resultTypes: ['violations'], preload: false }).then((results) => results.violations
    .map((rule) => `${rule.id}: ${rule.nodes.slice(0, 4).map((node) => node.target)}`))"""
# What axe judges each visible element by: its colors, whether its text is large, whether it scrolls
APPEARANCE = """() => [...document.querySelectorAll('body *')].map((element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return '';
    const style = getComputedStyle(element);
    const large = parseFloat(style.fontSize) >= (style.fontWeight >= 700 ? 18.66 : 24);
    const scrolls = /auto|scroll/.test(style.overflow)
        && (element.scrollHeight > element.clientHeight + 1 || element.scrollWidth > element.clientWidth + 1);
    return [style.color, style.backgroundColor, style.backgroundImage, style.opacity, large]
        .join(' ') + (scrolls ? ' scrolls' : '');
})"""


def faults_of(page: Page, least: int | None = LEAST_PX) -> list[str]:
    """What is too small or cut off, at each size."""
    faults_by_size = []
    for width, height in SIZES:
        resize(page, (width, height))
        faults = [*page.evaluate(CUT_OFF), *(page.evaluate(SMALL_TARGETS, least) if least else [])]
        faults += page.evaluate(COVERED_ODDS)
        faults_by_size += [f"{width}×{height}: {fault}" for fault in faults]
    resize(page, (1280, 800))
    return faults_by_size


def faults_outside(page: Page, ignored: re.Pattern[str]) -> list[str]:
    """What is too small or cut off at each size, and against axe's rules at a third of them a day.

    Small targets that match are left out.
    """
    page.wait_for_load_state()  # with its stylesheets, if a link was tapped
    faults: list[str] = []
    looks: Looks = set()
    for width, height in SIZES:
        resize(page, (width, height))
        targets = page.evaluate(SMALL_TARGETS, LEAST_PX)
        small = [target for target in targets if not ignored.search(target)]
        against_rules = (
            broken_rules_by_size(page, looks) if is_of_today(f"{urlsplit(page.url).path} {width}") else []
        )
        faults += [f"{width}: {fault}" for fault in (*page.evaluate(CUT_OFF), *small, *against_rules)]
    resize(page, (1280, 800))
    return faults


def broken_rules(page: Page) -> list[str]:
    """What axe finds: the rule and the first elements that break it.

    Axe is half a megabyte and comes to a page once. It does not load style sheets by itself, which takes what they
    import for files beside the page.
    """
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE.axe_script)
    rules: list[str] = page.evaluate(BROKEN_RULES)
    return rules


def rules_broken_today(page: Page) -> list[str]:
    """The same, on one of three days: each place where a test asks has its own."""
    test = os.environ["PYTEST_CURRENT_TEST"]
    asked[test] += 1
    return broken_rules(page) if is_of_today(f"{test} {asked[test]}") else []


asked: Counter[str] = Counter()  # how often each test did
Looks = set[tuple[int, int, str]]  # elements of the page, the number of one, its look


def broken_rules_by_size(page: Page, earlier: Looks) -> list[str]:
    """The same at one of several sizes, unless each element looks as at an earlier size, or is hidden now.

    What does not scroll any more breaks no rule either.
    """
    looks: list[str] = page.evaluate(APPEARANCE)
    now = {(len(looks), number, look) for number, look in enumerate(looks) if look}
    if now <= earlier:
        return []
    earlier |= now | {(count, number, look.removesuffix(" scrolls")) for count, number, look in now}
    return broken_rules(page)


Phase = tuple[str, Callable[[Tablet], None]]  # "" for the way back to a phase before


def to_shaken(dealer: Tablet) -> None:
    dealer.tap(dealer.next)
    dealer.is_in("shaken")


def to_ready(dealer: Tablet) -> None:
    dealer.tap(dealer.next)
    dealer.is_in("ready")


def entered(dealer: Tablet) -> None:
    dealer.enter(2, 5, 5)


def to_lit(dealer: Tablet) -> None:
    dealer.tap(dealer.next)
    dealer.is_in("lit")


def asking(dealer: Tablet) -> None:
    dealer.tap('.dock .acts [data-ask="correct_dice"]')


def no_more_asking(dealer: Tablet) -> None:
    dealer.tap("#ask [data-close]")


def to_taken(dealer: Tablet) -> None:
    dealer.tap(dealer.next)
    dealer.is_in("taken")


def partly_paid(dealer: Tablet) -> None:
    lines = dealer.page.locator("#side-pay [data-seen]").count()
    dealer.tap(dealer.next)
    expect(dealer.page.locator("#side-pay [data-seen]")).to_have_count(lines - 1)
    expect(dealer.page.locator("#side-pay .due--paid, .stop--done")).to_have_count(1)


def to_paid(dealer: Tablet) -> None:
    dealer.page.locator("#side-pay [data-seen] >> nth=-1").scroll_into_view_if_needed()
    dealer.pay_all()
    dealer.is_in("paid")


def to_open(dealer: Tablet) -> None:
    dealer.tap(dealer.next)
    dealer.is_in("open")


def opened(dialog: str) -> Callable[[Tablet], None]:
    def open_it(dealer: Tablet) -> None:
        dealer.tap(f"[data-open={dialog}]")
        expect(dealer.page.locator(f"#{dialog}")).to_be_visible()

    return open_it


def shut(dialog: str) -> Callable[[Tablet], None]:
    return lambda dealer: dealer.tap(f"#{dialog} [data-close]")


PHASES: tuple[Phase, ...] = (
    ("bets open", lambda dealer: None),
    ("other acts", opened("more")),
    ("", shut("more")),
    ("people", opened("people")),
    ("", shut("people")),
    ("shaken", to_shaken),
    ("dice awaited", to_ready),
    ("dice entered", entered),
    ("lit", to_lit),
    ("correcting the dice", asking),
    ("", no_more_asking),
    ("taken", to_taken),
    ("one seat paid", partly_paid),
    ("paid", to_paid),
    ("next round", to_open),
)


@pytest.fixture
def full(scene) -> Scene:
    scene.place(*WAGERS)
    return scene


def test_the_console_fits_the_hand_and_the_eye_in_every_phase(full, new_page, spotless):
    dealer = tablet(new_page, full)
    spotless.append(dealer)
    faults_by_name: dict[str, list[str]] = {}
    for name, go in PHASES:
        go(dealer)
        if name and is_of_today(name) and (faults := faults_of(dealer.page) + broken_rules(dealer.page)):
            faults_by_name[name] = faults
    assert faults_by_name == {}


def test_the_console_of_539_fits_between_no_more_bets_and_the_shake(stage, new_page, spotless):
    scene = stage("pa-539")
    scene.place(*WAGERS)
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    dealer.step("No more bets")
    dealer.is_in("closed")
    assert faults_of(dealer.page) + rules_broken_today(dealer.page) == []


OPENINGS = pytest.mark.parametrize(
    ("rules", "shaker"),
    [
        ("pa-625a/A", "manual"),
        again("pa-675a", "manual"),
        again("pa-625a/A", "automated-covered"),
        again("pa-577", "dice-cup"),
    ],
)


@OPENINGS
def test_the_way_to_an_opening_fits_at_every_step(stage, new_page, spotless, rules, shaker):
    scene = stage(rules, shaker, opened=False)
    screen = tablet(new_page, scene, "floorperson")
    spotless.append(screen)
    faults_by_name: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if is_of_today(name) and (faults := faults_of(screen.page) + broken_rules(screen.page)):
            faults_by_name[name] = faults

    look("nothing confirmed")
    dice = (1, 2, 5) if rules.startswith("pa-625a") else ()
    if dice:
        screen.light(*dice)
        look("the layout lights")
        for _ in dice:
            screen.tap("[data-inspect-back]")
    screen.inspect(*dice)
    screen.says("Sign in")
    look("nobody deals")
    scene.staff()
    Approval.objects.filter(subject="layout").update(withdrawn_at=clock.now())
    refresh(screen)
    screen.says("Open the table")
    expect(screen.page.locator(".needs")).to_contain_text("No approval of the Layout")
    look("an approval is missing")
    Approval.objects.filter(subject="layout").update(withdrawn_at=None)
    refresh(screen)
    look("ready to open")
    screen.open_table()
    scene.act("report_device_failure", {"what": "device"})
    refresh(screen)
    expect(screen.page.locator("#side-ceased")).to_be_visible()
    look("gaming ceased")
    scene.act("record_repair", {"what": "Cable"}, witness="floorperson")
    refresh(screen)
    expect(screen.page.locator("#side-inspect")).to_contain_text("After the repair")
    look("repaired")
    screen.inspect(*dice)
    expect(screen.page.locator("#screen")).to_have_attribute("data-mode", "betting")
    assert faults_by_name == {}


@OPENINGS
def test_what_closing_and_a_change_of_dice_ask_fits(stage, new_page, spotless, rules, shaker):
    scene = stage(rules, shaker)
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    faults_by_name: dict[str, list[str]] = {}

    def look(name: str) -> None:
        if is_of_today(name) and (faults := faults_of(dealer.page) + broken_rules(dealer.page)):
            faults_by_name[name] = faults

    for act in ("withdraw_dice", "change_dice_lot"):
        dealer.other(act)
        look(act)
        dealer.tap("#ask [data-close]")
    DiceLot.objects.filter(status="issued").update(status="stored", table=None)
    refresh(dealer)
    dealer.other("change_dice_lot")
    expect(dealer.page.locator("#ask")).to_contain_text("No dice lot is issued to T-01")
    look("no lot is issued")
    dealer.tap("#ask [data-close]")
    dealer.other("close_table")
    look("closing")
    assert faults_by_name == {}


def refresh(screen: Tablet) -> None:
    """The page as it now stands, without waiting for the next heartbeat."""
    screen.page.reload()
    screen.is_live()


def test_a_refusal_in_a_dialog_fits(scene, new_page, spotless):
    scene.act("report_device_failure", {"what": "device"})
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    expect(dealer.page.locator("#side-ceased")).to_be_visible()
    dealer.tap(dealer.next)
    dealer.page.locator("#ask [name=text]").fill("Cable")
    for _ in range(6):
        dealer.tap("#ask [data-digit='0']")
    expect(dealer.page.locator("#ask [data-pin-say]")).to_have_text("This PIN is wrong. Enter it again.")
    assert faults_of(dealer.page) + rules_broken_today(dealer.page) == []


def test_the_signature_of_the_floor_fits(stage, new_page, spotless):
    scene = stage("pa-675a", payout_limit_cents=7_500_000, opened=False)
    scene.staff()
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    dealer.inspect()
    expect(dealer.page.locator("#ask")).to_be_visible()
    assert faults_of(dealer.page) + rules_broken_today(dealer.page) == []


def test_enrolling_and_signing_in_fit(scene, new_page, spotless):
    screen = Tablet(new_page())
    spotless.append(screen)
    screen.page.goto("/enrol")
    assert faults_of(screen.page) + rules_broken_today(screen.page) == []
    screen.enrol(scene.tokens["tablet"])
    assert faults_of(screen.page) + rules_broken_today(screen.page) == []
    screen.page.locator("#find").fill("D")
    assert faults_of(screen.page) == []
    screen.page.locator("#find").fill("")
    screen.sign_in("dealer", "000000")
    expect(screen.page.locator(".refused")).to_be_visible()
    assert faults_of(screen.page) + rules_broken_today(screen.page) == []
    resize(screen.page, (390, 844))
    screen.page.locator(".person > span").evaluate_all(
        "people => people.forEach((person) => { person.textContent = 'Games administrator'; })"
    )
    assert screen.page.evaluate(CUT_OFF) == []
    touch(screen.page.locator(".person:has(input:not(:checked))").first)
    for key in ("1", "0"):
        expect(screen.page.locator(f"#sign-in [data-digit='{key}']")).to_be_in_viewport(ratio=0.9)


def test_the_floor_and_the_table_page_fit(full, new_page, spotless):
    full.to_the_dice()
    pit = dashboard(new_page, full)
    spotless.append(pit)
    assert faults_of(pit.page) + rules_broken_today(pit.page) == []
    pit.page.goto("/floor/larkfield/T-01/")
    expect(pit.page.locator("live-screen:defined")).to_be_visible()
    assert faults_of(pit.page) + rules_broken_today(pit.page) == []
    is_told_on_a_phone(pit.page)
    full.act("call_dice", {"dice": [2, 5, 5]})
    expect(pit.page.locator(".called")).to_be_visible()
    assert rules_broken_today(pit.page) == []


WITH_TEXT = """[...document.querySelectorAll('body *')].filter((node) => node.checkVisibility()
    && !node.closest('svg, .hush, .sr, .defs, select')
    && [...node.childNodes].some((text) => text.nodeType === 3 && text.data.trim()))"""
CUT_TEXT = f"""() => {WITH_TEXT}.filter((node) => node.scrollWidth > node.clientWidth + 1
    && getComputedStyle(node).overflowX !== 'visible')
    .map((node) => node.outerHTML.slice(0, 120))"""
SMALL_TEXT = f"""least => {WITH_TEXT}.filter((node) => parseFloat(getComputedStyle(node).fontSize) < least)
    .map((node) => node.outerHTML.slice(0, 120))"""
LEAST_ON_A_WALL = 28
# A wall whose floor has eight pits of eight tables
EIGHT_PITS = """() => {
    const map = document.querySelector('[data-pit-map]'), pit = document.querySelector('.wall-pit');
    const table = Object.assign(document.createElement('b'), { textContent: 'T-101', className: 'warn' });
    while (map.children.length < 9) map.append(table.cloneNode(true));
    for (const row of [map, pit]) for (let i = 0; i < 7; i++) row.after(row.cloneNode(true));
}"""
AT_LEVEL = "level => { document.getElementById('wall').dataset.level = level; }"
OVER_ANOTHER = f"""() => {{
    const boxes = {WITH_TEXT}.filter((node) => node.closest('.wall-wins, .wall-map, .wall-next')).map((node) => ({{
        text: node.textContent.trim(), box: node.getBoundingClientRect(),
        end: Math.min(innerHeight, node.closest('.wall-wins, #wall').getBoundingClientRect().bottom) + 1 }}));
    const isOver = (a, b) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 4
        && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1;
    return boxes.flatMap(({{ text, box, end }}, i) => [
        ...(box.bottom > end ? [`${{text}} is cut off`] : []),
        ...boxes.slice(i + 1).filter((other) => isOver(box, other.box))
            .map((other) => `${{text}} is over ${{other.text}}`)]);
}}"""


LONG_ALERT = """() => {
    const loud = document.getElementById('loud'), waiting = document.getElementById('waiting');
    loud.querySelector('.wall-todo').textContent = 'Counted $55,500, expected $55,600: $100 less than the record. '
        + 'Nothing was adjusted. Find out why and write it down.';
    const line = '<svg class="sign"></svg><b>Dispute at seat 8</b><span>T-102, Pit 4</span><time>3 min</time>';
    const item = Object.assign(document.createElement('li'), { className: 'warn', innerHTML: line });
    waiting.append(item, item.cloneNode(true));
}"""
OVER_IN_LOUD = """() => [...document.querySelectorAll('#loud > *')].flatMap((part, i, parts) => parts.slice(i + 1)
    .map((other) => [part.getBoundingClientRect(), other.getBoundingClientRect(), other])
    .filter(([a, b]) => Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2
        && Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2)
    .map(([, , other]) => `${part.className || part.tagName} is over ${other.className}`))"""
CUT_LINES = """() => [...document.querySelectorAll('#loud > *')].filter((part) =>
    part.matches('.wall-todo') && part.scrollHeight > part.clientHeight + 1
    || part.getBoundingClientRect().bottom > part.parentElement.getBoundingClientRect().bottom)
    .map((part) => part.outerHTML.slice(0, 120))"""


def test_the_pit_has_views_and_keys_and_the_wall_is_read_from_five_meters(full, new_page, spotless):
    Facility.objects.update(work_minutes=60, break_minutes=20)
    full.to_the_dice()
    full.act("call_dice", {"dice": [2, 5, 5]})
    full.finish()
    pit = dashboard(new_page, full)
    spotless.append(pit)
    tile = pit.tile()
    expect(tile.locator(".results")).to_contain_text("12")
    expect(tile.locator(".band")).to_be_visible()
    expect(tile.locator(".line")).to_have_text("connected")
    expect(tile.locator(".phase time")).to_contain_text(":")
    tile.locator(".break").evaluate("mark => { mark.dataset.due = '2020-01-01T00:00:00Z'; }")
    for part in (".break.due", ".dealer", ".boss"):
        expect(tile.locator(part)).to_be_visible()
    assert pit.page.evaluate(OUT_OF_TILE) == []
    expect(pit.page.locator("[data-sum=expected]")).to_contain_text("expected $")
    views = pit.page.get_by_role("group", name="Tables")
    touch(views.get_by_role("button", name="Attention"))
    expect(tile).to_be_hidden()
    full.act("report_device_failure")
    expect(tile).to_be_visible()
    expect(pit.page.locator("#attention")).to_have_text("1")
    has_whole_times_of_the_facility(pit, full)
    pit.page.keyboard.press("a")
    expect(pit.page.locator("#alerts [data-acknowledge]").first).to_be_focused()
    pit.page.keyboard.press("1")
    expect(tile.get_by_role("link")).to_be_focused()
    pit.page.keyboard.press("/")
    pit.page.keyboard.type("t-9")
    expect(tile).to_be_hidden()
    pit.page.keyboard.press("Escape")
    is_drawn_on_the_plan(pit, full, views)
    touch(views.get_by_role("button", name="List"))
    expect(tile).to_be_visible()
    for size in ((1440, 900), (1920, 1080)):
        resize(pit.page, size)
        assert pit.page.evaluate(CUT_TEXT) + pit.page.evaluate(CUT_OFF) + pit.page.evaluate(OUT_OF_TILE) == []
    assert rules_broken_today(pit.page) == []
    is_arranged_by_dragging(pit, views)
    arranges_pits_and_landmarks(pit)
    wall = Tablet(new_page(1920, 1080))
    spotless.append(wall)
    become(wall.page, enroll("Wall", "larkfield", "wall")[1])
    wall.page.goto("/")
    expect(wall.page.locator("#loud")).to_contain_text("Gaming ceased")
    expect(wall.page.locator(".wall-band")).to_contain_text("expected $")
    assert wall.page.evaluate(CUT_TEXT) + wall.page.evaluate(SMALL_TEXT, LEAST_ON_A_WALL) == []
    assert wall.page.evaluate(CUT_OFF) + wall.page.evaluate(CUT_LINES) + rules_broken_today(wall.page) == []
    wall.page.evaluate(EIGHT_PITS)
    for level in ("stop", "calm"):
        wall.page.evaluate(AT_LEVEL, level)
        assert wall.page.evaluate(OVER_ANOTHER) + wall.page.evaluate(CUT_LINES) == [], level
    wall.page.evaluate(LONG_ALERT)
    wall.page.evaluate(AT_LEVEL, "stop")
    assert wall.page.evaluate(OVER_IN_LOUD) + wall.page.evaluate(CUT_LINES) == []


OUT_OF_TILE = """() => [...document.querySelectorAll('.tile')].flatMap((tile) =>
    [...tile.querySelectorAll('p, svg')].filter((part) => part.checkVisibility()
        && part.getBoundingClientRect().right > tile.getBoundingClientRect().right + 1)
    .map((part) => `${part.className.baseVal ?? part.className} of ${tile.id}`))"""
APART = """(alert) => {
    const [table, time] = [".at a", ".when"].map((part) => alert.querySelector(part).getBoundingClientRect());
    return table.right <= time.left && time.right <= alert.getBoundingClientRect().right;
}"""


def has_whole_times_of_the_facility(pit: Dashboard, scene: Scene) -> None:
    """An alert of yesterday has its time and age in the rail, in the facility's zone; the browser's is UTC."""
    raised_at = clock.now() - dt.timedelta(hours=20, minutes=13)
    Alert.objects.update(raised_at=raised_at)
    pit.page.reload()
    pit.watch()
    alert = pit.page.locator("#alerts .alert").first
    local = raised_at.astimezone(ZoneInfo(scene.table.facility.time_zone))
    expect(alert.locator(".when time")).to_have_text(local.strftime("%H:%M"))
    expect(alert.locator(".age")).to_have_text("20 h 13 min")
    assert alert.evaluate(APART)


def is_drawn_on_the_plan(pit: Dashboard, scene: Scene, views: Locator) -> None:
    """The shape with its seats is pushed like the tile; a lens changes color and one line, and only a stop fills."""
    touch(views.get_by_role("button", name="Plan"))
    table = pit.page.get_by_role("link", name="T-01, Sic Bo: Ceased")
    fill = "(table) => getComputedStyle(table.querySelector('.shape')).fill"
    red = table.evaluate(fill)
    pit.page.keyboard.press("1")
    expect(table).to_be_focused()
    expect(table.locator(".chairs circle")).to_have_count(8)
    scene.act("record_repair", {"what": "fuse"}, by="floorperson", device=scene.podium)
    scene.act("inspect_table", scene.inspection(), by="floorperson")
    table = pit.page.locator("[data-plan-of=T-01] a")
    expect(table.locator(".say:visible")).to_have_text("Bets open")
    assert table.evaluate(fill) != red
    lenses = pit.page.get_by_role("group", name="What the plan shows")
    for name, text in (("Win in σ", "σ"), ("Pace", "–"), ("Dice time", "h")):
        touch(lenses.get_by_role("button", name=name))
        expect(table.locator(".say:visible")).to_contain_text(text)
    for size in ((1440, 900), (1920, 1080)):
        resize(pit.page, size)
        assert pit.page.evaluate(CUT_TEXT) + pit.page.evaluate(CUT_OFF) == []
    assert rules_broken_today(pit.page) == []
    resize(pit.page, (1440, 900))
    touch(lenses.get_by_role("button", name="Occupancy"))
    expect(pit.page.locator("#occupancy-age")).to_contain_text("as of")
    assert pit.page.evaluate(CUT_TEXT) + pit.page.evaluate(CUT_OFF) + rules_broken_today(pit.page) == []
    scene.act("report_device_failure")
    expect(table.locator(".note")).to_contain_text("Gaming ceased")


def is_arranged_by_dragging(pit: Dashboard, views: Locator) -> None:
    """A table that is dragged goes to the nearest place of its pit. Escape puts it back."""
    page = pit.page
    resize(page, (1440, 900))
    touch(views.get_by_role("button", name="Plan"))
    touch(page.get_by_role("link", name="Arrange"))
    expect(page.locator("html")).to_have_attribute("data-ready", "")  # the page before has the same tables
    table, save = page.locator("[data-plan-of=T-01] .shape"), page.locator("#arrange-save")

    def drag() -> None:
        for number, target in enumerate((table, page.locator("[data-spot='2 2']"))):
            box = target.bounding_box()
            assert box
            page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=1 + 4 * number)
            if target is table:
                page.mouse.down()

    drag()
    expect(page.locator(".spot-free.target")).to_have_count(1)
    page.keyboard.press("Escape")
    page.mouse.up()
    expect(save).to_be_disabled()
    drag()
    page.mouse.up()
    expect(page.locator("#arrange-say")).to_contain_text("T-01 is at row 2, place 2")
    save.click()
    expect(save).to_have_count(0)
    assert Pit.objects.get().places == {"T-01": [2, 2]}


def arranges_pits_and_landmarks(pit: Dashboard) -> None:
    """A landmark is added and moved by keys, a pit is dragged; Back undoes a move, and the rest is saved."""
    page = pit.page
    touch(page.get_by_role("link", name="Arrange"))
    touch(page.get_by_role("link", name="Pits and landmarks"))
    expect(page.locator("#landmark-form")).to_be_visible()
    expect(page.locator("html")).to_have_attribute("data-ready", "")
    save = page.locator("#arrange-save")
    expect(save).to_be_disabled()
    page.get_by_label("Name of a landmark").fill("Cage")
    touch(page.get_by_role("button", name="Add"))
    cage, pit_1 = (page.get_by_role("button", name=name) for name in ("Cage, row", "Pit 1, row"))
    expect(cage).to_be_focused()
    page.keyboard.press("ArrowUp")
    expect(cage).to_have_attribute("aria-label", "Cage, row 1")
    expect(save).to_be_enabled()
    assert page.evaluate(CUT_OFF) + rules_broken_today(page) == []
    box, gap = pit_1.bounding_box(), page.locator(".floor-gap[data-row='2'][data-new]").bounding_box()
    assert box and gap
    page.mouse.move(box["x"] + 40, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(gap["x"] + gap["width"] / 2, gap["y"] + gap["height"] / 2, steps=4)
    expect(page.locator(".floor-gap.target[data-row='2'][data-new]")).to_have_count(1)
    page.mouse.up()
    expect(cage).to_have_attribute("aria-label", "Cage, row 1")
    expect(pit_1).to_have_attribute("aria-label", "Pit 1, row 2")
    page.go_back()
    expect(pit_1).to_have_attribute("aria-label", "Pit 1, row 1")
    save.click()
    expect(save).to_have_count(0)
    expect(page.locator(".landmark")).to_have_text("Cage")
    stands = [(item["row"], item["pit"] or item["landmark"]) for item in Facility.objects.get().floor_items]
    assert stands == [(1, "Cage"), (1, "p1")]


def is_told_on_a_phone(page: Page) -> None:
    """Areas with money alone, whose it is, what the layout may cost, and what to do; nothing scrolls to the side."""
    expect(page.locator(".more-pages")).to_be_hidden()  # the last act lies there
    big = page.locator(".spot.wing", has_text="Big")
    expect(big.locator(".disc")).to_have_text([str(seat) for seat in range(1, 9)])
    expect(page.locator(".exposure")).to_contain_text("At most $")
    expect(page.locator(".acts li").nth(1)).to_contain_text("No more bets, $")
    resize(page, (390, 844))
    expect(page.locator(".layout")).to_be_hidden()
    rows = page.locator(".owned li")
    expect(rows).to_have_count(len({wager for _seat, wager, _cents in WAGERS}))
    expect(rows.filter(has_text="Big")).to_contain_text("$800")
    expect(page.locator(".exposure")).to_contain_text("95 % of throws")
    small = [target for target in page.evaluate(SMALL_TARGETS, LEAST_PX) if "act" in target.split(">")[0]]
    assert page.evaluate(CUT_OFF) + [target for target in small if "bare" not in target] == []
    assert rules_broken_today(page) == []
    resize(page, (1280, 800))


def test_axe_judges_at_every_size_what_looks_new_there(page):
    page.set_content("""<title>T</title><main><h1>Heading</h1><button></button></main>
        <style>button { display: none } @media (max-width: 1100px) { button { display: block } }
        @media (max-width: 900px) { h1 { color: #ccc } }</style>""")
    looks: Looks = set()
    broken = []
    for width, height in (*SIZES, SIZES[0]):
        resize(page, (width, height))
        broken.append({rule.split(":")[0] for rule in broken_rules_by_size(page, looks)})
    rules = {"button-name", "color-contrast"}
    assert [names & rules for names in broken] == [set(), {"button-name"}, rules, set()]


def test_a_tablet_keeps_its_hand_and_contrast_and_shows_the_casinos_time(scene, new_page):
    dealer = tablet(new_page, scene, size=(1024, 768))
    rules = dealer.page.locator(".fact--rules dd")
    assert rules.evaluate("(node) => node.scrollWidth <= node.clientWidth") is True  # not cut
    zone = ZoneInfo(scene.table.facility.time_zone)
    assert dealer.page.locator("html").get_attribute("data-zone") == zone.key
    hour = clock.now().astimezone(zone).strftime("%H:")
    expect(dealer.page.locator("#live-clock")).to_contain_text(hour)  # the browser's own zone is UTC
    dealer.tap_each("[data-open=people]", "[data-open=device]")
    dealer.tap_each("[data-setting=hand][data-value=left]", "[data-setting=contrast][data-value=high]")
    dealer.tap("#device [data-close]")
    dealer.page.reload()
    dealer.is_live()
    expect(dealer.page.locator("html")).to_have_attribute("data-contrast", "high")
    felt, step = dealer.page.locator("#felt").bounding_box(), dealer.next.bounding_box()
    assert felt and step and step["x"] < felt["x"]
    assert (
        step["height"] >= 56 and dealer.page.evaluate("scrollX + document.body.scrollWidth - innerWidth") <= 0
    )

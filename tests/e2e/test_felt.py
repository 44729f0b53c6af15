"""The felt full of chips: eight seats, forty wagers, every game, in every phase and at three sizes."""

import copy
from collections.abc import Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.floor import Tablet, resize, tablet
from tests.e2e.test_looks import CUT_OFF, SIZES, broken_rules
from tests.services.examples import is_of_today
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
STORED_STEP = "pitside-guided-shift"  # static/js/guided-shift.js
APART = 6  # px between the odds of a die
LEAST_TEXT = 16  # px of what a dealer must read at arm's length: odds, seats and sums
READ = (
    ".area :is(.odds, .tier, .stk-seat, .stk-n, .rest-sum, .rest-own), .side :is(.seat-no, .seat-sum, .side-sum, "
    ".take-sum, .stop-sum, .due b), .cutting-sum, .call-n, #next .next-l"
)
# What leaves its area, lies on another plaque or on the odds, is cut, or is too small to read
FAULTS = """([read, least, apart = 3]) => {
    const print = '.odds, .odds-x, .tier, .word, .range, .figure, .fine, .ring, .pad-text, .fb-tiers span, .print .die';
    const boxOf = (part) => part.getBoundingClientRect();
    const nameOf = (part) => `${part.className} "${part.textContent.trim().replace(/\\s+/g, ' ').slice(0, 30)}"`;
    const isSeen = (part) => part.checkVisibility() && boxOf(part).width > 1;
    const textBox = (part) => {
        const isRead = (text) => text.data.trim() && !text.parentElement.closest('.sr');
        const words = document.createTreeWalker(part, NodeFilter.SHOW_TEXT,
            (text) => isRead(text) ? NodeFilter.FILTER_ACCEPT : NodeFilter.FILTER_REJECT);
        const box = { left: Infinity, top: Infinity, right: -Infinity, bottom: -Infinity };
        const range = document.createRange();
        while (words.nextNode()) {
            range.selectNodeContents(words.currentNode);
            const text = range.getBoundingClientRect();
            if (text.width < 2) continue;  // hidden
            for (const side of ['left', 'top']) box[side] = Math.min(box[side], text[side]);
            for (const side of ['right', 'bottom']) box[side] = Math.max(box[side], text[side]);
        }
        return box;
    };
    const over = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 2
        && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 2;
    const hides = (plate, part) => {  // more than a corner of what is printed
        const width = Math.min(plate.right, part.right) - Math.max(plate.left, part.left);
        const height = Math.min(plate.bottom, part.bottom) - Math.max(plate.top, part.top);
        return over(plate, part) && width * height > (part.right - part.left) * (part.bottom - part.top) / 8;
    };
    const isApart = (a, b) => a.left >= b.left + 1 && a.right <= b.right - 1;
    const isIn = (a, b) => a.left >= b.left - 1 && a.right <= b.right + 1
        && a.top >= b.top - 1 && a.bottom <= b.bottom + 1;
    const faults = [];
    for (const area of document.querySelectorAll('.frame .area')) {
        const name = area.dataset.wager, box = boxOf(area);
        const plaques = [...area.querySelectorAll('.stk, .rest')].filter(isSeen);
        const plates = '.stk-seat, .stk-n, .stk-mark, .rest-sum, .rest-own';
        const parts = plaques.flatMap((plaque) => [...plaque.querySelectorAll(plates)].filter(isSeen));
        for (const part of parts) if (!isIn(boxOf(part), box)) faults.push(`${name}: ${nameOf(part)} leaves its area`);
        plaques.forEach((plaque, i) => plaques.slice(i + 1).forEach((other) => {
            if (over(boxOf(plaque), boxOf(other))) faults.push(`${name}: ${nameOf(plaque)} lies on ${nameOf(other)}`);
        }));
        for (const part of [...area.querySelectorAll('.odds, .tier, .word, .range, .figure, .fine')].filter(isSeen)) {
            const text = textBox(part);
            if (!isIn(text, box)) faults.push(`${name}: ${nameOf(part)} leaves its area`);
            if (!isApart(text, box)) faults.push(`${name}: ${nameOf(part)} runs into its neighbor`);
        }
        // odds side by side: as far apart as nobody reads them as one
        const tiers = [...area.querySelectorAll('.tier')].filter(isSeen).map((part) => [part, textBox(part)]);
        tiers.slice(1).forEach(([part, text], i) => {
            const [, before] = tiers[i];
            const isBeside = text.left > before.left + 1 && text.top < before.bottom - 2;
            const gap = text.left - before.right;
            if (isBeside && gap < apart) faults.push(`${name}: ${nameOf(part)} is ${gap.toFixed(1)} px from the last`);
        });
        // what is printed there: its name, its odds, its small print and its dice
        const plaquesAndChips = [...parts, ...[...area.querySelectorAll('.money > .chip')].filter(isSeen)];
        for (const part of [...area.querySelectorAll(print)].filter(isSeen)) {
            const isDie = part.matches('.die'), box = isDie ? boxOf(part) : textBox(part);
            for (const plate of plaquesAndChips.filter((plate) => (isDie ? hides : over)(boxOf(plate), box)))
                faults.push(`${name}: ${nameOf(plate)} lies on ${nameOf(part)}`);
        }
    }
    const hasText = (part) => [...part.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.trim());
    for (const part of document.querySelectorAll('.side *, .dock *, #next *, .top *')) {
        if (!isSeen(part) || part.closest('.sr, svg') || !hasText(part)) continue;
        const isClipped = getComputedStyle(part).overflowX !== 'visible';
        if (isClipped && part.scrollWidth > part.clientWidth + 1) faults.push(`${nameOf(part)} is cut`);
        const edge = part.closest('.side, .dock, #next, .top');
        const text = textBox(part), end = boxOf(edge);
        if (text.right > end.right + 1 || text.left < end.left - 1) faults.push(`${nameOf(part)} leaves ${edge.id}`);
    }
    for (const part of [...document.querySelectorAll(read)].filter(isSeen)) {
        const size = parseFloat(getComputedStyle(part).fontSize);
        if (size < least) faults.push(`${nameOf(part)} has ${size} px`);
    }
    return [...new Set(faults)];
}"""

SIC_BO = tuple(
    (seat, wager, cents)
    for seat in range(1, 9)
    for wager, cents in (
        (("small", 100_000 if seat == 8 else 500 if seat == 2 else 2_500), ("big", 10_000))[seat % 2],
        (("total:12", 500), ("total:9", 10_000), ("total:13", 2_500), ("total:8", 100_000))[seat % 4],
        (f"two-dice:{seat % 5 + 1}-6" if seat < 6 else "two-dice:2-5", 2_500),
        (f"two-of-a-kind:{seat % 4 + 2}", 10_000),
        (f"one-of-a-kind:{seat % 3 + 1}", 2_500),
    )
) + (
    (1, "two-dice:2-5", 12_500),  # the selected seat, with three others
    (3, "three-of-a-kind:5", 1_000),
    *((seat, "total:14", 1_000) for seat in range(1, 8)),
)


# Five wagers of each seat; three owners on narrow areas, on a die, and on two dice that are upright a low area
THREE_OWNERS = tuple(
    (seat, wager, cents)
    for seat, wagers in enumerate(
        (
            {
                "big": 2_500,
                "total:9": 1_000,
                "two-dice:2-5": 1_000,
                "one-of-a-kind:5": 2_500,
                "total:12": 1_000,
            },
            {
                "big": 10_000,
                "total:12": 2_500,
                "small": 2_500,
                "two-dice:5-6": 1_000,
                "two-of-a-kind:5": 1_000,
            },
            {"big": 5_000, "total:12": 2_500, "one-of-a-kind:2": 5_000, "total:8": 1_000, "total:13": 2_500},
            {
                "big": 50_000,
                "two-dice:2-5": 2_500,
                "total:10": 1_000,
                "total:11": 1_000,
                "one-of-a-kind:5": 10_000,
            },
            {
                "big": 2_500,
                "three-of-a-kind:5": 1_000,
                "two-of-a-kind:5": 1_000,
                "total:12": 1_000,
                "small": 90_000,
            },
            {
                "big": 7_500,
                "one-of-a-kind:2": 2_500,
                "two-dice:2-5": 1_000,
                "total:13": 1_000,
                "total:14": 1_000,
            },
            {
                "big": 2_500,
                "total:12": 1_000,
                "one-of-a-kind:6": 2_500,
                "two-dice:3-4": 1_000,
                "total:7": 1_000,
            },
            {
                "big": 10_000,
                "total:9": 1_000,
                "one-of-a-kind:5": 2_500,
                "two-of-a-kind:2": 1_000,
                "total:16": 1_000,
            },
        ),
        start=1,
    )
    for wager, cents in wagers.items()
)
# As large as wagers of Paytable B, whose longer odds leave less room
PAYTABLE_B = tuple((seat, wager, max(cents, 2_500)) for seat, wager, cents in THREE_OWNERS)
HIGH_ROLL = tuple(
    (seat, wager, 2_500)
    for seat in range(1, 7)
    for wager in (
        f"pip:{seat % 6 + 1}",
        f"pip:{(seat + 2) % 6 + 1}",
        "like-kind:3",
        "like-kind:4",
        "like-kind:5",
        "like-kind:6",
        "like-kind:7",
    )
)  # a table has six seats
FOOTBALL = tuple(
    (seat, wager, cents, *play)
    for seat in range(1, 9)
    for wager, cents, *play in (
        ("touchdown" if seat % 2 else "defense", 10_000),
        ("game-changer", 500),
        *((f"game-length:{length}", 10_000 if seat % 3 else 2_500) for length in (2, 3, 4)),
        ("over-four", 2_500, 1),
        ("under-four", 2_500, 1),
        ("quick-strike", 10_000 if seat % 3 else 2_500),
    )
)
FULL = {
    "Sic Bo": ("pa-625a/A", SIC_BO, [[2, 5, 5]]),
    "Sic Bo, three owners": ("pa-625a/A", THREE_OWNERS, [[2, 5, 5]]),
    "Sic Bo, Paytable B": ("pa-625a/B", PAYTABLE_B, [[2, 5, 5]]),
    "High Roll": ("pa-675a", HIGH_ROLL, [[1, 1, 6, 6, 6, 5, 5, 5, 5, 4]]),
    "football": ("pa-577", FOOTBALL, [[6, 4, 2], [3, 3, 2]]),
}


def faults_at_sizes(page: Page) -> list[str]:
    found = []
    for width, height in SIZES:
        resize(page, (width, height))
        faults = [*page.evaluate(FAULTS, [READ, LEAST_TEXT, APART]), *page.evaluate(CUT_OFF)]
        found += [f"{width}×{height}: {fault}" for fault in faults]
    resize(page, SIZES[0])
    return found


def acts_of_a_round(scene: Scene, throws: list[list[int]]) -> Iterator[str]:
    """One act after another, with these throws, until the bets of the last one are settled. Yields the next act."""
    dice = iter(throws)
    while scene.round is not None and (following := scene.round_part["next"]):
        act, params = following["act"], following["params"]
        yield act
        if act == "call_dice":
            if (faces := next(dice, None)) is None:
                return
            params = {"dice": faces}
        if act == "pay_seats" and scene.round.paid_seats == []:
            scene.act(act, {"seats": [scene.round_part["round"]["pay"]["seats"][0]["seat"]]})
            yield "pay_seats to the others"
            params = {}
        scene.act(act, params)


def faults_of_a_round(scene: Scene, dealer: Tablet, throws: list[list[int]]) -> list[str]:
    """Play a round with what lies on the felt. Returns what is wrong before each act, at each size."""
    found: list[str] = []
    acts = []
    for act in acts_of_a_round(scene, throws):
        acts.append(act)
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        faults = faults_at_sizes(dealer.page) + (broken_rules(dealer.page) if is_of_today(act) else [])
        found += [f"before {act}: {fault}" for fault in faults]
    assert len(acts) > 5
    return found


@pytest.mark.parametrize("name", FULL)
def test_a_full_felt_keeps_every_plaque_in_its_area_and_every_text_legible(stage, new_page, spotless, name):
    rules, wagers, throws = FULL[name]
    assert len(wagers) >= 40
    scene: Scene = stage(rules)
    dealer: Tablet = tablet(new_page, scene)
    spotless.append(dealer)
    scene.place(*wagers)
    found = faults_of_a_round(scene, dealer, throws)
    assert not found, "\n".join(found)


@pytest.fixture
def guided(settings) -> None:
    """Every page has the guided shift of the demo."""
    templates = copy.deepcopy(settings.TEMPLATES)
    for engine in templates:
        if "context_processors" in engine["OPTIONS"]:
            engine["OPTIONS"]["context_processors"].append("tables.demo.landing.guided_shift_context")
    settings.TEMPLATES = templates
    settings.EVENING = True


@pytest.mark.urls("config.demo_urls")
@pytest.mark.parametrize("name", FULL)
def test_a_full_felt_keeps_them_below_the_strip_of_the_guided_shift(guided, stage, new_page, name):
    rules, wagers, throws = FULL[name]
    scene: Scene = stage(rules)
    dealer: Tablet = tablet(new_page, scene)
    scene.place(*wagers)
    dealer.page.evaluate(f"localStorage.setItem('{STORED_STEP}', '0')")
    dealer.reload()
    dealer.is_live()
    expect(dealer.page.locator("#guided-shift")).to_be_visible()
    found = faults_of_a_round(scene, dealer, throws)
    assert not found, "\n".join(found)


def test_a_correction_that_is_not_signed_keeps_every_plaque_in_its_area(stage, new_page):
    scene: Scene = stage("pa-625a/A")
    dealer: Tablet = tablet(new_page, scene)
    scene.place(*THREE_OWNERS)
    for act in acts_of_a_round(scene, [[2, 5, 5]]):
        if act == "take_losers":
            break
    dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
    found = []
    for size in SIZES:
        resize(dealer.page, size)
        dealer.tap('.dock .act[data-ask="correct_dice"]')
        dealer.replace_dice(2, 5, 6)
        expect(dealer.page.locator("#felt[data-previewed]")).to_be_visible()
        faults = dealer.page.evaluate(FAULTS, [".felt .stk-seat, .felt .stk-n", LEAST_TEXT])
        found += [f"{size}: {fault}" for fault in faults]
        dealer.tap("#ask [data-close]")
    assert not found, "\n".join(found)


def test_three_owners_of_an_area_show_who_has_how_much_while_it_is_taken_and_paid(scene, new_page):
    three = ((1, 2_500), (3, 10_000), (4, 1_000))
    scene.play(
        *((seat, wager, cents) for wager in ("big", "total:9") for seat, cents in three), dice=[5, 5, 6]
    )
    dealer: Tablet = tablet(new_page, scene)
    expect(dealer.area("big").locator(".stk-seat")).to_have_text(["1", "3", "4"])
    expect(dealer.area("big").locator(".stk-n")).to_have_text(["25", "100", "10"])
    narrow = dealer.area("total:9").locator(".rest")
    expect(narrow.locator(".stk-seat")).to_have_text(["1", "3", "4"])
    expect(narrow.locator(".rest-sum")).to_have_text("135")
    takes = dealer.page.locator(".take")
    expect(takes.locator(".seat-no")).to_have_text(["Seat 1", "Seat 3", "Seat 4"])
    expect(takes.locator(".take-sum")).to_have_text(["$25", "$100", "$10"])
    dealer.tap(dealer.area("total:9"))
    expect(dealer.page.locator("#area-panel .owner")).to_have_text(["Seat 1$25", "Seat 3$100", "Seat 4$10"])
    dealer.tap("#area-panel [data-panel=close]")
    scene.act("take_losers")
    dealer.is_in("taken")
    expect(dealer.page.locator(".rail li:not(.rail-none) b")).to_have_text(["$25", "$100", "$10"])


@pytest.mark.parametrize("rules", ["pa-625a/A", "pa-625a/B"])
def test_the_print_is_whole_beside_the_list_of_a_return_and_of_a_failure(stage, new_page, rules):
    scene: Scene = stage(rules)
    dealer: Tablet = tablet(new_page, scene)
    scene.place(*PAYTABLE_B)
    for act in acts_of_a_round(scene, []):
        if act == "call_dice":
            break
    scene.act("call_no_roll", {"reason": "leans"}, witness="floorperson")
    found = []
    for state in ("return", "ceased"):
        if state == "ceased":
            scene.act("report_device_failure", {"what": "layout"}, witness="casino-supervisor")
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        found += [f"{state}: {fault}" for fault in faults_at_sizes(dealer.page)]
    assert not found, "\n".join(found)

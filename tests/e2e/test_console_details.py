"""Small things of the console that a dealer sees all evening: nothing is cut, jumps, goes dark or is half drawn."""

import pytest
from playwright.sync_api import expect

from tests.e2e.field import FieldTablet
from tests.e2e.floor import resize, tablet
from tests.e2e.test_looks import SIZES

pytestmark = pytest.mark.browser
# Facts of the header that reach beyond it
CUT_FACTS = """() => {
    const top = document.getElementById('top').getBoundingClientRect();
    const facts = [...document.querySelectorAll('.fact :is(dt, dd)')].filter((part) => part.checkVisibility());
    return facts.filter((part) => {
        const box = part.getBoundingClientRect();
        return box.top < top.top - 1 || box.bottom > top.bottom + 1;
    }).map((part) => part.textContent.trim());
}"""
CUT_STEP = """() => {
    const next = document.getElementById('next').getBoundingClientRect();
    return [...document.querySelectorAll('#next .next-l, #next .next-s')].filter((part) => {
        const box = part.getBoundingClientRect();
        return box.top < next.top + 2 || box.bottom > next.bottom - 2 || box.right > next.right;
    }).map((part) => part.textContent.trim());
}"""
# Controls whose focus ring is cut by something that hides what overflows it
CUT_RINGS = """() => {
    const cut = [];
    for (const target of document.querySelectorAll('#screen :is(button, [tabindex="0"], a)')) {
        if (!target.checkVisibility({ visibilityProperty: true }) || target.disabled) continue;
        target.focus({ focusVisible: true });
        const style = getComputedStyle(target), box = target.getBoundingClientRect();
        if (!box.width || !target.matches(':focus-visible')) continue;
        const reach = parseFloat(style.outlineOffset) + parseFloat(style.outlineWidth) - 0.5;
        for (let around = target.parentElement; around && around.id !== 'screen'; around = around.parentElement) {
            if (getComputedStyle(around).overflow === 'visible') continue;
            const edge = around.getBoundingClientRect();
            const isInside = box.left - reach >= edge.left && box.right + reach <= edge.right
                && box.top - reach >= edge.top && box.bottom + reach <= edge.bottom;
            const isScrolled = around.scrollHeight > around.clientHeight + 1;
            if (!isInside && !isScrolled) cut.push(`${target.className || target.id} in ${around.className}`);
        }
    }
    return [...new Set(cut)];
}"""
# By how many units of 255 the sign of an area stands out from the area
CONTRAST = """(brush) => {
    const light = (color) => color.match(/[\\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
    const canvas = document.createElement('canvas').getContext('2d');
    const rgb = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).join(' ');
    };
    const area = getComputedStyle(brush.closest('.area')).backgroundColor;
    return Math.abs(light(rgb(getComputedStyle(brush).stroke)) - light(rgb(area)));
}"""


def test_the_header_is_whole_while_the_floor_is_called(scene, new_page):
    scene.place((1, "big", 2_500))
    dealer = tablet(new_page, scene)
    for calls, whom in enumerate(("floor", "security"), start=1):
        dealer.tap(f'[data-call="{whom}"]')
        dealer.tap(f"#call-{whom} [data-close-call]")
        expect(dealer.page.locator(".floor-call--on")).to_have_count(calls)
        for size in (*SIZES, (1200, 800), (1240, 800), (1220, 800), (1320, 800)):
            resize(dealer.page, size)
            assert dealer.page.evaluate(CUT_FACTS) == [], size
        resize(dealer.page, SIZES[0])


def test_the_sticks_step_is_whole_while_the_dice_are_offered(stage, new_page):
    scene = stage("pa-577")
    scene.place((12, "touchdown", 2_500))
    stick = FieldTablet(new_page())
    stick.let_in(scene.tokens["tablet"], "stickperson")
    stick.is_live()
    stick.says("Seat 12 accepts")
    expect(stick.next).to_contain_text("the rest stay in the cup")
    for size in SIZES:
        resize(stick.page, size)
        assert stick.page.evaluate(CUT_STEP) == [], size


def test_the_sign_of_big_stays_legible_once_it_is_paid(scene, new_page):
    scene.play((1, "big", 2_500), dice=[5, 5, 6])
    scene.act("take_losers") if scene.round.phase == "lit" else None
    scene.act("pay_seats")
    dealer = tablet(new_page, scene)
    brush = dealer.page.locator('[data-wager="big"][data-pay="paid"] .brush')
    assert brush.evaluate(CONTRAST) > 80


def test_the_felt_stays_where_it_is_when_the_dice_may_be_no_roll(scene, new_page):
    scene.place((1, "big", 2_500))
    scene.act("shake", {"shakes": 3})
    dealer = tablet(new_page, scene, size=(820, 1180))
    before = dealer.page.locator("#felt").bounding_box()
    scene.act("no_more_bets")
    expect(dealer.page.locator('[data-ask="call_no_roll"] >> nth=0')).to_be_visible()
    assert dealer.page.locator("#felt").bounding_box() == before
    box = dealer.page.locator('.side-foot [data-ask="call_no_roll"]').bounding_box()
    assert box and min(box["width"], box["height"]) >= 56


def test_who_is_planned_is_read_apart_from_what_is_said_of_them(scene, new_page):
    """It was "Zara MalikPlanned"."""
    scene.in_room("plan_move", {"person": "relief", "table": "T-01"}, by="pit-manager")
    dealer = tablet(new_page, scene)
    dealer.tap("[data-open=people]")
    planned = dealer.page.locator("#people .choice--planned")
    name, said = planned.locator("b").bounding_box(), planned.locator("span").bounding_box()
    assert name and said
    assert said["y"] >= name["y"] + name["height"] - 1 or said["x"] >= name["x"] + name["width"] + 4
    assert planned.inner_text().split("\n")[0] == "Relief"


def test_voiding_a_game_lies_apart_from_what_is_tapped_in_every_game(stage, new_page):
    """It lay in the dock, between No roll and Relief."""
    scene = stage("pa-577")
    scene.place((5, "touchdown", 2_500))
    scene.until("call_dice")
    stick = FieldTablet(new_page())
    stick.let_in(scene.tokens["tablet"], "stickperson")
    stick.is_live()
    expect(stick.page.locator("#fb-dock .acts button")).to_have_text(["No roll", "Relief"])
    stick.tap("[data-open=more]")
    choices = stick.page.locator("#more .choices > li:visible")
    void = stick.page.locator("#more [data-offer=void_round]")
    expect(choices.last).to_have_attribute("data-offer", "void_round")
    before = choices.nth(choices.count() - 2).bounding_box()
    box = void.locator("button").bounding_box()
    assert before and box and box["y"] - (before["y"] + before["height"]) >= 16


def test_a_focus_ring_is_whole_everywhere(scene, new_page):
    scene.place((1, "big", 2_500), (2, "small", 2_500), (2, "total:17", 500))
    dealer = tablet(new_page, scene)
    for act, params in (
        ("shake", {"shakes": 3}),
        ("no_more_bets", {}),
        ("call_dice", {"dice": [5, 5, 6]}),
        ("take_losers", {}),
    ):
        for size in SIZES:
            resize(dealer.page, size)
            assert dealer.page.evaluate(CUT_RINGS) == [], (act, size)
        scene.act(act, params)
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()

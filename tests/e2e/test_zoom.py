"""The console enlarged: by the browser to 125, 150 and 200 %, and by Large and Largest of the device.

Nothing but the cloth and the lists ever scrolls: the header, the seats, the keys and the next step keep their places.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.floor import Tablet, again, resize, tablet
from tests.e2e.test_felt import FAULTS, FOOTBALL, HIGH_ROLL, READ, SIC_BO, acts_of_a_round
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
SCREEN, UPRIGHT = (1280, 800), (820, 1180)
# The same glass at a zoom of the browser has fewer pixels of CSS
ZOOMED = {percent: (SCREEN[0] * 100 // percent, SCREEN[1] * 100 // percent) for percent in (125, 150, 200)}
ZOOMED_UPRIGHT = {
    percent: (UPRIGHT[0] * 100 // percent, UPRIGHT[1] * 100 // percent) for percent in (125, 150)
}
# Pixels of CSS of what is read at arm's length. On the glass they are 19, 20 and 26; at normal size 16.
LEAST_TEXT = {125: 15, 150: 13, 200: 13}
LEAST_TARGET = 44  # pixels of CSS at any zoom
ROUNDS = {
    "pa-625a/A": (SIC_BO, [[2, 5, 5]]),
    "pa-675a": (HIGH_ROLL, [[1, 1, 6, 6, 6, 5, 5, 5, 5, 4]]),
    "pa-577": (FOOTBALL, [[6, 4, 2], [3, 3, 2]]),
    "pa-539": (SIC_BO, [[2, 5, 5]]),
    "pa-625a/B": (SIC_BO, [[2, 5, 5]]),
    "nj-19-47-9": (SIC_BO, [[2, 5, 5]]),
}
GAMES = ["pa-625a/A", "pa-675a", "pa-577", again("pa-539"), again("pa-625a/B"), again("nj-19-47-9")]
OUT_OF_REACH = f"({(Path(__file__).parent / 'out_of_reach.js').read_text().replace('export ', '')})"
# Whether the cloth is whole as it lies there
SCROLLS = "() => { const felt = document.getElementById('felt'); return felt.scrollHeight > felt.clientHeight + 1; }"
PARTS_OF_DIALOG = "dialog[open] :is(.sheet-foot button, .keys button, h2)"
CUT_FROM_DIALOG = """(parts) => [...document.querySelectorAll(parts)].filter((part) => {
    part.scrollIntoView({ block: 'nearest' });
    const { left, right, top, bottom } = part.getBoundingClientRect();
    return part.checkVisibility() && (left < 0 || right > innerWidth + 1 || top < 0 || bottom > innerHeight + 1);
}).map((part) => part.textContent.trim())"""


def faults_at(
    page: Page, size: tuple[int, int], least_text: float, least_target: int = LEAST_TARGET
) -> list[str]:
    resize(page, size)
    return [*page.evaluate(OUT_OF_REACH, least_target), *page.evaluate(FAULTS, [READ, least_text])]


def faults_of_a_round(
    scene: Scene, dealer: Tablet, rules: str, sizes: dict[int, tuple[int, int]]
) -> list[str]:
    """Play a round of these rules with a full felt. Returns what is wrong before each act at each zoom."""
    wagers, throws = ROUNDS[rules]
    scene.place(*wagers)
    found = []
    for act in acts_of_a_round(scene, throws):
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        for percent, size in sizes.items():
            faults = faults_at(dealer.page, size, LEAST_TEXT[percent])
            found += [f"{percent} %, before {act}: {fault}" for fault in faults]
    return found


@pytest.mark.parametrize("rules", GAMES)
def test_every_phase_of_a_round_has_its_layout_at_125_150_and_200_percent(stage, new_page, spotless, rules):
    scene: Scene = stage(rules)
    dealer = tablet(new_page, scene)
    spotless.append(dealer)
    found = faults_of_a_round(scene, dealer, rules, ZOOMED)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rules", GAMES)
def test_every_phase_of_a_round_has_its_layout_upright_at_125_and_150_percent(
    stage, new_page, spotless, rules
):
    scene: Scene = stage(rules)
    dealer = tablet(new_page, scene, size=UPRIGHT)
    spotless.append(dealer)
    found = faults_of_a_round(scene, dealer, rules, ZOOMED_UPRIGHT)
    assert not found, "\n".join(found)


@pytest.mark.parametrize("rules", GAMES[:3])
def test_the_whole_cloth_is_in_sight_at_125_and_150_percent(stage, new_page, rules):
    scene: Scene = stage(rules)
    dealer = tablet(new_page, scene)
    wagers, throws = ROUNDS[rules]
    scene.place(*wagers)
    for act in acts_of_a_round(scene, throws):
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        for percent in (125, 150):
            resize(dealer.page, ZOOMED[percent])
            assert not dealer.page.evaluate(SCROLLS), (percent, act)


@pytest.mark.parametrize("rules", ["pa-625a/A", again("pa-675a"), again("pa-577")])
def test_an_inspection_has_its_layout_at_any_zoom(stage, new_page, rules):
    dealer = tablet(new_page, stage(rules, opened=False))
    sizes = (*ZOOMED.values(), *ZOOMED_UPRIGHT.values(), (1024, 768))
    found = [f"{size}: {fault}" for size in sizes for fault in faults_at(dealer.page, size, 13)]
    assert not found, "\n".join(found)


def test_corrections_are_entered_and_signed_at_any_zoom(scene, new_page):
    scene.place(*SIC_BO)
    for act, params in (("shake", {"shakes": 3}), ("no_more_bets", {}), ("call_dice", {"dice": [5, 5, 6]})):
        scene.act(act, params)
    dealer = tablet(new_page, scene)
    for size in (*ZOOMED.values(), *ZOOMED_UPRIGHT.values()):
        resize(dealer.page, size)
        for act in ("correct_dice", "record_missed_wager", "strike_mistaken_wager"):
            dealer.tap(f'.dock .act[data-ask="{act}"]')
            expect(dealer.page.locator("#ask")).to_be_visible()
            assert dealer.page.evaluate(CUT_FROM_DIALOG, PARTS_OF_DIALOG) == [], (size, act)
            dealer.tap("#ask [data-close]")
    resize(dealer.page, ZOOMED[150])
    dealer.tap('.dock .act[data-ask="correct_dice"]')
    dealer.replace_dice(2, 5, 5)
    dealer.sign("floorperson")
    expect(dealer.page.locator("#ask")).to_be_hidden()
    assert scene.round_part["round"]["dice"] == [2, 5, 5]


@pytest.mark.parametrize(("setting", "percent"), [("large", 125), ("largest", 150)])
def test_the_text_of_the_device_makes_every_text_as_large_as_a_zoom_of_the_browser(
    scene, new_page, setting, percent
):
    """And each is a quarter larger than in the smallest layout of normal size, or more."""
    scene.place(*SIC_BO)
    dealer = tablet(new_page, scene)
    dealer.tap_each("[data-open=people]", "[data-open=device]", f"[data-setting=text][data-value={setting}]")
    dealer.tap("#device [data-close]")
    expect(dealer.page.locator("html")).to_have_attribute("data-text", setting)
    found = []
    for act in acts_of_a_round(scene, [[2, 5, 5]]):
        dealer.page.locator(f"#screen[data-version='{scene.version}']").wait_for()
        for size in (SCREEN, UPRIGHT):
            faults = faults_at(dealer.page, size, LEAST_TEXT[percent] * percent / 100, 56)
            found += [f"{size}, before {act}: {fault}" for fault in faults]
    assert not found, "\n".join(found)
    dealer.reload()
    dealer.is_live()
    expect(dealer.page.locator("html")).to_have_attribute("data-text", setting)

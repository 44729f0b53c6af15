"""The next step from a keyboard, and keys of dice that a finger finds."""

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import resize, tablet

pytestmark = pytest.mark.browser
LEAST_KEYS = {(1280, 800): 84, (1024, 768): 56, (820, 1180): 68}  # px


def test_one_key_or_one_tab_leads_to_the_next_step_and_does_nothing(scene, new_page):
    dealer = tablet(new_page, scene)
    dealer.place((1, "big", 2_500))
    page, version = dealer.page, scene.version
    page.keyboard.press("n")
    expect(dealer.next).to_be_focused()
    assert scene.version == version
    page.reload()
    dealer.is_live()
    page.keyboard.press("Tab")
    link = page.get_by_role("link", name="To the next step (N)")
    expect(link).to_be_focused()
    expect(link).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(dealer.next).to_be_focused()
    assert scene.version == version
    page.wait_for_timeout(500)
    page.keyboard.press("Enter")
    dealer.says("No more bets")
    assert scene.version == version + 1


def test_the_key_types_into_a_field_and_is_quiet_while_a_dialog_asks(scene, new_page):
    dealer = tablet(new_page, scene)
    dealer.tap("[data-open=more]")
    dealer.page.keyboard.press("n")
    expect(dealer.next).not_to_be_focused()
    dealer.tap("#more [data-dispute]")
    about = dealer.page.get_by_label("What is disputed")
    about.focus()
    dealer.page.keyboard.type("no chip")
    expect(about).to_have_value("no chip")
    expect(about).to_be_focused()


def test_the_keys_of_the_dice_take_the_room_of_the_dock(scene, new_page):
    scene.place((1, "big", 2_500))
    scene.act("shake", {"shakes": 3})
    scene.act("no_more_bets")
    dealer = tablet(new_page, scene)
    page = dealer.page
    for size, least in LEAST_KEYS.items():
        resize(page, size)
        dock = page.locator("#dock-entry").bounding_box()
        keys = [key.bounding_box() for key in page.locator("#dock-entry .face").all()]
        assert min(key["width"] for key in keys) >= least, size
        assert max(key["x"] + key["width"] for key in keys) <= dock["x"] + dock["width"], size

"""The limits and signs in a real browser: a change by notice up to the display, and a form's way in the office."""

import dataclasses
import datetime as dt
import re

import pytest
from playwright.sync_api import Page, expect

from audit import clock
from audit.devices import enroll
from games.separation import policy
from tables.models import DiceLot, LimitsChange
from tests.e2e.floor import Screen, Tablet, become, letter, resize, slow_readers
from tests.e2e.test_looks import (
    CUT_OFF,
    LEAST_PX,
    SIZES,
    SMALL_TARGETS,
    broken_rules,
    faults_outside,
    rules_broken_today,
)
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser
IGNORED = re.compile(
    r'class="brand"|href="/floor/larkfield/[a-z]*/?"|href="/office/|>Sign off<|Run this table'
)
AT = "/floor/larkfield/T-01/"
BUTTON_AT = (
    "([x, y]) => Boolean(document.elementFromPoint(x, y).closest('[data-limits], [data-limits-open]'))"
)


def podium(scene: Scene, page: Page, person: str, address: str) -> Screen:
    screen = Screen(page)
    screen.let_in(scene.tokens["podium"], person, address)
    return screen


def test_a_second_person_signs_a_change_where_the_policy_asks_for_two(scene, new_page, monkeypatch, spotless):
    row = dataclasses.replace(
        policy.practice()["limits"], control="signature", approve={"pit-manager": "table-games"}
    )
    rows = {**policy.practice(), "limits": row}
    monkeypatch.setattr(policy, "practice", lambda: rows)
    floor = podium(scene, new_page(1440, 900), "floorperson", AT)
    spotless += [floor]
    floor.is_live()
    floor.tap("[data-limits-open=limits-change]")
    box, ask = floor.page.locator("#limits-change"), floor.page.locator("#signature")
    box.locator("[name=min]").fill("25")
    box.locator("[name=max]").fill("2,000")
    floor.tap(box.locator("label", has_text="Nobody is playing"))
    floor.tap(box.locator("[type=submit]"))
    expect(ask.get_by_role("heading")).to_have_text("A second person signs")
    expect(ask).to_contain_text("A second person must sign with their own PIN: pit manager of table games.")
    expect(ask.locator("select option")).to_have_text(["Pit Manager, Pit manager"])
    assert broken_rules(floor.page) == []
    floor.enter_pin(ask, "654321")
    expect(ask.locator("[data-pin-say]")).to_have_text("This PIN is wrong. Enter it again.")
    floor.tap(ask.locator("[data-close]"))
    expect(ask).to_be_hidden()
    expect(box.locator("[data-refused]")).to_contain_text("A second person must sign")
    assert scene.fresh.min_cents == 1_000
    floor.tap(box.locator("[type=submit]"))
    expect(ask).to_be_visible()
    floor.enter_pin(ask)
    expect(ask).to_be_hidden()
    expect(box).to_be_hidden()
    assert scene.fresh.min_cents == 2_500
    assert (scene.entry["actor"], scene.entry["witness"]) == ("floorperson", "pit-manager")


def test_a_change_by_notice_goes_from_the_pit_to_the_dealer_and_to_the_display(scene, new_page, spotless):
    _, token = enroll("Sign of T-01", "larkfield", "sign", "larkfield/T-01")
    display = new_page(1920, 1080)
    become(display, token)
    display.goto("/")
    expect(display.locator("#notice-limits")).to_contain_text("Maximum wager $1,000")

    scene.place((1, "small", 1_000))
    tablet = Tablet(new_page()).begin(scene)
    floor = podium(scene, new_page(), "floorperson", AT)
    spotless += [tablet, floor]
    floor.is_live()
    floor.page.get_by_label("New minimum", exact=True).fill("25")
    floor.tap("[data-limits-open=limits-change]")
    box = floor.page.locator("#limits-change")
    expect(box.locator("[name=min]")).to_have_value("25")
    expect(box.locator("[name=max]")).to_have_value("1,000")
    box.locator("[name=max]").fill("")
    floor.tap(box.locator("[type=submit]"))
    expect(box.locator("[data-refused]")).to_have_text("Enter the new maximum in dollars.")
    box.locator("[name=max]").fill("2,000")
    floor.tap(box.locator("label", has_text="Nobody is playing"))
    floor.tap(box.locator("[type=submit]"))
    expect(box.locator("[data-refused]")).to_contain_text("There is play at seat 1,")
    floor.tap(box.locator("label", has_text="Players are here"))
    floor.tap(box.locator("[type=submit]"))
    expect(floor.page.locator(".limits-next")).to_contain_text("then $25–$2,000")
    assert (LimitsChange.objects.get().min_cents, LimitsChange.objects.get().effective_at) == (2_500, None)

    tablet.tap("#announce")
    expect(tablet.page.locator(".announce-say")).to_contain_text("minimum $25, maximum $2,000")
    tablet.tap(".announced")
    expect(tablet.page.locator("#announce")).to_have_count(0)
    posted = floor.page.locator("[data-limits=post_limits_sign]")
    # Safari keeps no place while a page changes above it, so that another button takes that of this one.
    floor.page.evaluate("document.documentElement.style.overflowAnchor = 'none'")
    place = posted.bounding_box() or {}
    floor.tap(posted)
    expect(posted).to_have_count(0)
    with slow_readers(floor.page):  # a second tap is not for the button that is now in the place of the first
        x, y = place["x"] + place["width"] / 2, place["y"] + place["height"] / 2
        assert floor.page.evaluate(BUTTON_AT, [x, y])
        floor.page.mouse.click(x, y)
    expect(floor.page.locator("dialog[open], #alert-message:not([hidden])")).to_have_count(0)
    change = LimitsChange.objects.get
    expect(tablet.page.locator(".fact--limits dt")).to_have_text(
        re.compile(r"^\s*Limits,\s+new\s+in\s+(29|30) min\s*$")
    )
    assert change().effective_at == max(change().posted_at, change().announced_at) + dt.timedelta(minutes=30)
    assert change().announced_by.code == "dealer"
    expect(display.locator("#notice-limits-change")).to_contain_text(
        re.compile(r"New limits from \d+:\d\d [AP]M")
    )
    expect(display.locator("#notice-limits")).to_contain_text("Minimum wager $10")

    scene.to_the_dice()
    scene.act("call_dice", {"dice": [2, 5, 5]})
    scene.finish()
    expect(floor.page.locator("[data-limits=players_left]")).to_have_text(re.compile(r"\s*Seat 1 left\s*"))
    floor.tap("[data-limits=players_left]")
    expect(display.locator("#notice-limits")).to_contain_text("Minimum wager $25")
    expect(display.locator("#notice-limits-change")).to_have_count(0)
    expect(tablet.page.locator(".fact--limits dd")).to_have_text("$25–$2,000")


def test_the_form_of_a_sign_is_drafted_filed_and_approved_in_dialogs(scene, new_page, spotless):
    office = podium(scene, new_page(), "games-administrator", "/office/larkfield/signs/")
    spotless.append(office)
    page = office.page
    office.tap(page.locator("[data-open=draft-sign][data-kind=test]"))
    box = page.locator("#draft-sign")
    box.locator("[name=location]").fill("Entrance of the pit")
    box.locator("[name=width_mm]").fill("300")
    box.locator("[name=height_mm]").fill("200")
    box.locator("[name=en]").fill("A new game is tested\nat {place}")
    office.tap(box.locator("[data-go]"))
    expect(box.locator("[data-refused]")).to_contain_text("This kind of sign has no placeholder {place}.")
    box.locator("[name=en]").fill("A new game is tested\nat {table}")
    office.tap(box.locator("[data-go]"))
    kind = page.locator("section", has=page.locator("#kind-test"))
    expect(kind).to_contain_text("Draft version 1")
    office.tap(kind.locator("[data-open=file-sign]"))
    office.tap(page.locator("#file-sign [data-go]"))
    expect(kind).to_contain_text("Filed version 1")
    office.tap(kind.locator("[data-open=decide-sign]"))
    box = page.locator("#decide-sign")
    office.tap(box.locator("label.pick").first)
    box.locator("[name=reference]").fill("BGO-80")
    box.locator("input[type=file]").set_input_files(letter())
    expect(box.locator("[data-file-status]")).to_contain_text("D-0001")
    office.tap(box.locator("[data-go]"))
    expect(page.locator("#status-message")).to_contain_text("CH-0001 is prepared")
    scene.approve_changes()
    page.reload()
    expect(kind).to_contain_text("Approved version 1")
    office.tap(page.locator("section", has=page.locator("#kind-limits")).locator("[data-open=draft-sign]"))
    expect(page.locator("#draft-sign [name=es]")).to_have_value("Apuesta mínima {min}\nApuesta máxima {max}")


def test_the_pages_of_limits_and_signs_are_well_at_each_size(scene, new_page, spotless):
    scene.place((1, "small", 1_000))
    new = {"min_cents": 2_500, "max_cents": 200_000}
    scene.act("change_limits", new, by="floorperson", device=scene.podium)
    DiceLot.objects.filter(code="L-0001").update(expires_at=clock.now() + dt.timedelta(hours=23, minutes=58))
    tablet = Tablet(new_page()).begin(scene)
    floor = podium(scene, new_page(), "floorperson", AT + "sign/limits-change")
    office = podium(scene, new_page(), "games-administrator", "/office/larkfield/signs/")
    spotless += [tablet, floor, office]
    assert faults_outside(office.page, IGNORED) == []
    assert faults_outside(floor.page, IGNORED) == []
    assert rules_broken_today(tablet.page) == []
    for width, height in SIZES:
        resize(tablet.page, (width, height))
        assert [*tablet.page.evaluate(CUT_OFF), *tablet.page.evaluate(SMALL_TARGETS, LEAST_PX)] == []
    for address in (AT, AT + "sign/"):
        floor.page.goto(address)
        assert rules_broken_today(floor.page) == []
        for width, height in SIZES:
            resize(floor.page, (width, height))
            assert floor.page.evaluate(CUT_OFF) == []

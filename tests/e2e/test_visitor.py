"""The first minutes of a visitor: from a demo that starts to a settled round, a decided dispute, a refused forgery."""

import os
import random
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.floor import Tablet
from tests.services import chromium as chrome
from tests.services.installation import ROOT, free_port

pytestmark = pytest.mark.browser
MOST_SECONDS, MOST_TAPS = 180, 30
MILLISECONDS_TO_OPEN = 150_000  # of a machine that is busy with other tests
SETTLED_IN = re.compile(r"seq \d+: its hash does not match its bytes")


def command_of_script_run() -> list[str]:
    """What `script/run` starts once its environment is there, in the environment of this test."""
    (arguments,) = re.findall(r"exec \.venv/bin/python (.+) \"\$@\"", (ROOT / "script" / "run").read_text())
    return [sys.executable, *arguments.split()]


@contextmanager
def demo_at(hour: int | None, folder: Path, **variables: str) -> Iterator[str]:
    """A demo that has just been started as a newcomer starts it; `hour`: in a casino where it is this hour.

    `variables` of its environment are those beside the usual ones.
    """
    port, command = free_port(), command_of_script_run()
    if hour is not None:
        command = [sys.executable, "-m", "tests.e2e.demo_apart", str(hour)]
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TEST_")},
        "DJANGO_SETTINGS_MODULE": "config.settings.local",
        "DATABASE_URL": f"sqlite:///{folder / 'demo.sqlite3'}",
        "PITSIDE_EXPORTS_DIR": str(folder),
        "REDIS_URL": "",
        "PORT": str(port),
        **variables,
    }
    server = subprocess.Popen(command, cwd=ROOT, env=environment)
    address = f"http://127.0.0.1:{port}"
    try:
        wait_for_its_first_page(address)
        yield address
    finally:
        server.terminate()
        server.wait(60)


def wait_for_its_first_page(address: str) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(address) as page:
                assert page.status == 200
                return
        except urllib.error.URLError:
            time.sleep(0.1)
    raise AssertionError("the demo did not answer within a minute")


def guide_says(page: Page, words: str) -> None:
    expect(page.locator("#guided-shift [data-text]")).to_contain_text(words)


def lies_beside_the_page(page: Page) -> None:
    """The guide and the page share the screen, and nothing of one is under the other."""
    guide, body = page.locator("#guided-shift").bounding_box(), page.locator("body").bounding_box()
    assert guide and body and page.viewport_size
    assert guide["y"] == 0 and body["y"] >= guide["height"] - 0.5
    assert body["y"] + body["height"] <= page.viewport_size["height"] + 0.5


def deal_a_round(tablet: Tablet, draw: random.Random) -> int:
    """Follow the next step from open bets to a cleared layout, with random dice. Return the round's number."""
    number: int = tablet.state()["round"]["number"]
    assert {wager["seat"] for wager in tablet.state()["round"]["wagers"]} == set(range(1, 9)), (
        "a seat has no wager"
    )
    guide_says(tablet.page, "Shake the dice")
    lies_beside_the_page(tablet.page)
    tablet.tap(tablet.next)
    tablet.is_in("shaken")
    guide_says(tablet.page, "Betting ends")
    tablet.tap(tablet.next)
    tablet.is_in("ready")
    guide_says(tablet.page, "any three faces")
    tablet.call_held(*(draw.randint(1, 6) for _ in range(3)))
    payout = tablet.taps
    assert payout <= 7, "the payout is more than six taps from the landing's own"
    if tablet.state()["round"]["phase"] == "lit":
        guide_says(tablet.page, "Take the losing chips")
    unpaid = tablet.page.locator("#side-pay [data-seen]")
    while tablet.state()["round"]["number"] == number:
        before = tablet.state()["version"]
        everything = tablet.page.locator("#all[aria-disabled=false]")
        tablet.tap(everything if everything.count() and unpaid.count() > 1 else tablet.next)
        for _ in range(100):
            if tablet.state()["version"] != before:
                break
            tablet.page.wait_for_timeout(50)
    guide_says(tablet.page, "Now see it from the pit")
    return number


@pytest.mark.parametrize(
    "hour", [None, pytest.param(6, marks=pytest.mark.repeated), pytest.param(23, marks=pytest.mark.repeated)]
)
def test_a_visitor_deals_decides_and_forges_within_three_minutes_and_thirty_taps(hour, tmp_path, contexts):
    draw, began = random.Random(time.time_ns()), time.monotonic()
    with demo_at(hour, tmp_path) as address:
        pages = chrome.Pages(contexts, address)
        tablet = Tablet(pages())
        page = tablet.page
        page.set_default_timeout(30_000)
        page.goto("/")
        # The page of a floor that opens goes on by itself.
        expect(page.get_by_role("button", name="Deal a round")).to_be_visible(timeout=MILLISECONDS_TO_OPEN)
        expect(page.locator("[data-table=T-01]")).to_contain_text("Ready for you")
        expect(page.get_by_text("Demo floor", exact=True)).to_be_visible()
        opened = time.monotonic() - began

        tablet.tap(page.get_by_role("button", name="Deal a round"))
        page.wait_for_url("**/T-01/console")
        tablet.is_live()
        number = deal_a_round(tablet, draw)

        tablet.tap(page.get_by_role("button", name="Go to the podium"))
        page.wait_for_url("**/floor/larkfield/")
        lies_beside_the_page(page)
        dispute = page.locator(".alert", has_text="Dispute at seat")
        expect(dispute).to_be_visible(timeout=60_000)
        guide_says(page, "A player disputes a wager at T-05")
        tablet.tap(dispute.get_by_role("button", name="I’m coming"))
        tablet.tap(dispute.get_by_role("button", name="Decide"))
        tablet.tap(page.locator("#decide [data-decisions] button").first)
        expect(dispute).to_have_count(0)
        tablet.tap(page.get_by_role("button", name="It is decided"))

        tablet.tap(page.get_by_role("button", name="Hand over"))
        page.wait_for_url("**/inbox/larkfield/")
        lies_beside_the_page(page)
        tablet.tap(page.get_by_role("link", name="Record", exact=True))
        page.wait_for_url("**/record/**")
        tablet.tap(page.get_by_role("button", name="I have read it"))
        tablet.tap(page.get_by_role("button", name="Forge one byte"))
        page.wait_for_url(re.compile(r"/demo/record\??$"))
        expect(page.locator(".said.good")).to_contain_text("good")
        tablet.tap(page.get_by_role("button", name="Change one byte"))
        expect(page.locator(".said.bad")).to_contain_text(SETTLED_IN)
        took = time.monotonic() - began

        print(f"at {hour}: open after {opened:.0f} s, round {number}, {took:.0f} s, {tablet.taps} taps")
        assert took <= MOST_SECONDS and tablet.taps <= MOST_TAPS, (took, tablet.taps)
        assert tablet.complaints == [] and pages.errors == []
        pages.close()

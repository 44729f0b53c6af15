"""The main job, from the opening inspection to the checked export, with the pit watching."""

import io
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.management import call_command
from playwright.sync_api import expect

from audit import clock, verify
from tests.e2e.floor import Dashboard, Tablet, all_on
from tests.tables.cast import Scene

pytestmark = pytest.mark.browser

# Seats 2, 3 and 5 with the dice 2, 5 and 5.
WAGERS = (
    (2, "big", 2_500),
    (2, "total:12", 500),
    (3, "small", 10_000),
    (5, "two-of-a-kind:5", 2_500),
    (5, "two-dice:2-5", 500),
)
LIT = {"big", "total:12", "two-of-a-kind:5", "two-dice:2-5", "one-of-a-kind:2", "one-of-a-kind:5"}

EVERY = 5  # of the export's bytes one is changed at a time


@pytest.fixture
def closed(stage) -> Scene:
    return stage(opened=False)


def test_a_table_is_opened_dealt_paid_and_proven_while_the_pit_watches(closed, new_page, live_url, tmp_path):
    pit = Dashboard(new_page(1440, 900))
    pit.enrol(closed.tokens["podium"])
    pit.sign_in("pit-manager")
    pit.watch()
    # A large floor is scrolled: a tile out of view is not laid out.
    assert pit.tile().evaluate("tile => getComputedStyle(tile).contentVisibility") == "auto"
    dealer = Tablet(new_page())
    dealer.enrol(closed.tokens["tablet"])
    dealer.arrive("dealer")
    open_the_table(closed, dealer, pit)
    since = clock.now()
    play_a_round(closed, dealer, pit)

    pit.was_never_loaded_again()
    assert dealer.complaints == pit.complaints == []
    assert all_on(urlsplit(live_url).netloc, [dealer, pit]) == []
    verify_the_export(since, tmp_path)


def open_the_table(scene: Scene, dealer: Tablet, pit: Dashboard) -> None:
    """The dealer stands at the table first; what a floorperson has seen is signed with an own PIN."""
    pit.shows("Closed", version=scene.version)
    dealer.inspect(1, 1, 1, signs="floorperson")
    dealer.says("Open the table")
    pit.shows("Inspected, not open", version=scene.version)
    dealer.open_table(signs="floorperson")
    pit.shows("Bets open", dealer="Dealer", version=scene.version)


def play_a_round(scene: Scene, dealer: Tablet, pit: Dashboard) -> None:
    dealer.place(*WAGERS)
    pit.shows(wagered="$160", version=scene.version)
    assert scene.round.wagered_cents == sum(cents for _, _, cents in WAGERS)
    dealer.tap(dealer.next)
    dealer.is_in("shaken")
    pit.shows(version=scene.version)
    dealer.step("No more bets")
    dealer.is_in("ready")
    pit.shows(version=scene.version)
    assert dealer.lit() == set()
    dealer.call(5, 2, 5)
    dealer.is_in("lit")
    assert dealer.lit() == LIT
    pit.shows(version=scene.version)
    dealer.tap(dealer.next)
    dealer.is_in("taken")
    pit.shows(version=scene.version)
    unpaid = dealer.page.locator("#side-pay [data-seen]")
    while (lines := unpaid.count()) > 1:
        dealer.tap(dealer.next)
        expect(unpaid).to_have_count(lines - 1)
    dealer.tap(dealer.next)
    dealer.is_in("paid")
    pit.shows(version=scene.version)
    dealer.tap(dealer.next)
    dealer.is_in("open")
    pit.shows("Bets open", version=scene.version, no="R 2", handle="$160")


def verify_the_export(since, tmp_path: Path) -> None:
    """The file holds; changed in one byte, whichever it is, it does not."""
    export = tmp_path / "round.jsonl"
    with export.open("w") as out:
        call_command("audit_export", "--stream", "larkfield/T-01", "--from", since.isoformat(), stdout=out)
    written = export.read_bytes()
    assert b'"round.settled"' in written and b'"layout.cleared"' in written
    assert status_of_the_checker(export) == 0
    for at in range(0, len(written), EVERY):
        changed = written[:at] + bytes([written[at] ^ 1]) + written[at + 1 :]
        with pytest.raises(verify.Bad):
            verify.verify(io.BytesIO(changed))
    export.write_bytes(changed)
    assert status_of_the_checker(export) == 1


def status_of_the_checker(file: Path) -> int:
    """As an outsider runs it: one file of Python, and nothing of ours."""
    checker = [sys.executable, "-I", str(verify.__file__), str(file)]
    return subprocess.run(checker, capture_output=True, timeout=20).returncode

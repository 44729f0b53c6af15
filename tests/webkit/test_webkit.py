"""The main job and an outage in WebKit, the engine of every browser of an iPad."""

import time

import pytest

pytestmark = pytest.mark.webkit

WAGERS = ((2, "big", 2_500), (2, "total:12", 500), (5, "two-of-a-kind:5", 2_500))
# The dice 2, 5 and 5 make 12.
LIT = {"big", "total:12", "two-of-a-kind:5", "two-dice:2-5", "one-of-a-kind:2", "one-of-a-kind:5"}


@pytest.fixture
def dealer(new_screen, server):
    tablet = new_screen(1280, 800)
    tablet.enroll(server.tokens["tablet"])
    tablet.sign_in("dealer")
    tablet.is_ready()
    return tablet


def test_a_round_is_dealt_while_the_pit_watches(dealer, new_screen, server):
    pit = new_screen(1440, 900)
    pit.enroll(server.tokens["podium"])
    pit.sign_in("pit-manager")
    dealer.place(*WAGERS)
    pit.says("#tile-T-01", "$55")
    dealer.step("shaken")
    dealer.step("ready")
    dealer.call(5, 2, 5)
    dealer.step("taken")  # nobody lost: there is nothing to take
    assert dealer.lit() == LIT
    assert not dealer.overflows()
    dealer.pay()
    dealer.step("open")
    pit.says("#tile-T-01", "R 2")
    assert server.rounds() == [[1, "cleared", 5_500]]
    assert dealer.errors() == pit.errors() == []


def test_an_outage_in_mid_round_loses_nothing(dealer, server):
    dealer.place(*WAGERS)
    dealer.step("shaken")
    server.kill()
    # Tapped while nobody answers: it is kept and sent again until the table has it.
    dealer.read_step()
    dealer.touch("#next")
    dealer.until(lambda: dealer.text("#live") != "LIVE", "the screen says that it is not live")
    server.start()
    dealer.is_in("ready")
    dealer.is_live()
    dealer.stepped_at = time.monotonic()
    assert dealer.wagers() == {(seat, code): cents for seat, code, cents in WAGERS}
    dealer.call(1, 5, 6)
    dealer.step("lit")
    assert dealer.errors() == []


@pytest.mark.parametrize(("width", "height"), [(1024, 768), (820, 1180)])
def test_the_console_fits(dealer, width, height):
    dealer.driver.set_window_size(width, height)
    assert not dealer.overflows()

"""The server dies in the middle of a round, or stands still, and nothing is lost."""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.e2e.floor import Tablet, become_of_another_server
from tests.e2e.server_apart import ServerApart
from tests.services.chromium import Contexts, Pages

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerApart]:
    folder: Path = tmp_path_factory.mktemp("apart")
    apart = ServerApart(folder)
    apart.start()
    yield apart
    apart.kill()


@pytest.fixture
def pages(contexts: Contexts, server: ServerApart) -> Iterator[Pages]:
    pages = Pages(contexts, server.url)
    yield pages
    pages.close()
    assert pages.errors == []


def begin(dealer: Tablet, server: ServerApart) -> Tablet:
    become_of_another_server(dealer.page, server.tokens["tablet"])
    dealer.page.goto("/")
    dealer.arrive("dealer")
    dealer.page.evaluate("window.loadedOnce = true")
    return dealer


def test_a_restart_in_mid_round_loses_nothing(server, pages):
    dealer = begin(Tablet(pages()), server)
    dealer.place((1, "big", 2_500), (4, "small", 500))
    dealer.tap(dealer.next)
    dealer.is_in("shaken")
    before = dealer.lying()
    server.kill()
    # Tapped while nobody answers: it is kept and sent again until the table has it.
    dealer.tap(dealer.next)
    server.start()
    dealer.is_in("ready")
    dealer.is_live()
    assert dealer.lying() == before == {(1, "big"): 2_500, (4, "small"): 500}
    dealer.call(1, 5, 6)
    for phase in ("taken", "paid", "open"):
        dealer.tap(dealer.next)
        dealer.is_in(phase)
    assert dealer.page.evaluate("window.loadedOnce") is True
    assert server.rounds() == [[1, "cleared", 3_000]]


def test_a_server_that_stands_still_makes_the_tablet_stale_until_it_goes_on(server, pages):
    page = pages()
    page.clock.install()
    begin(Tablet(page), server)
    server.send(signal.SIGSTOP)
    page.clock.fast_forward(13_000)
    expect(page.locator("#live")).to_contain_text("STALE")
    server.send(signal.SIGCONT)
    expect(page.locator("#live")).to_have_text("LIVE")

"""The server and the browser that the other tests borrow."""

import time

import pytest
from playwright.sync_api import expect

from tests.services.chromium import ELSEWHERE

pytestmark = pytest.mark.browser


def test_it_opens_a_page_of_the_real_server(page):
    answer = page.goto("/")
    assert answer.status == 200
    assert "script-src 'self'" in answer.headers["content-security-policy"]
    expect(page.locator("body")).to_be_visible()


def test_it_gives_every_tablet_its_own_cookies(new_page):
    tablet, podium = new_page(1024, 768), new_page(820, 1180)
    tablet.goto("/")
    podium.goto("/")
    tablet.context.add_cookies([{"name": "mine", "value": "1", "url": tablet.url}])
    assert "mine" not in {cookie["name"] for cookie in podium.context.cookies()}
    assert tablet.viewport_size == {"width": 1024, "height": 768}


def test_it_notes_what_the_content_security_policy_refused(new_page):
    page = new_page()
    page.goto("/")
    page.evaluate(
        "document.body.append(Object.assign(document.createElement('script'), {text: 'window.broken = 1'}))"
    )
    expect(page.locator("body")).to_be_visible()
    assert page.evaluate("window.broken") is None
    assert any("Content Security Policy" in error for error in new_page.errors)
    new_page.errors.clear()


def test_it_notes_what_a_page_asks_another_host_for(new_page, live_url):
    page, elsewhere = new_page(), live_url.replace("127.0.0.1", "localhost")
    without_policy = {"body": f"<img src='{elsewhere}/nothing.png'>", "content_type": "text/html"}
    page.route("**/unguarded", lambda route: route.fulfill(**without_policy))
    page.goto("/unguarded")
    deadline = time.monotonic() + 15
    while not new_page.errors and time.monotonic() < deadline:
        page.wait_for_timeout(50)
    assert [ELSEWHERE in error for error in new_page.errors] == [True]
    new_page.errors.clear()


def test_a_later_test_gets_the_browser_of_an_earlier_test_without_anything_but_its_files(contexts, live_url):
    kind = (1111, 700, True, live_url)
    earlier = contexts.take(*kind)
    page = earlier.new_page()
    page.goto("/")
    page.evaluate("localStorage.setItem('mine', '1'); sessionStorage.setItem('mine', '1')")
    earlier.add_cookies([{"name": "mine", "value": "1", "url": live_url}])
    contexts.take_back(earlier)
    later = contexts.take(*kind)
    assert later is earlier
    page = later.new_page()
    assert page.goto("/").headers.get("cache-control", "no-store") == "no-store"
    assert page.evaluate("localStorage.length + sessionStorage.length") == 0
    assert "mine" not in {cookie["name"] for cookie in later.cookies()}
    page.clock.install()
    page.reload()
    contexts.take_back(later)
    assert contexts.take(*kind) is not later

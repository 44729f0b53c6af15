"""A webhook is prepared by one person, approved by another, and its failures are seen, in a real browser."""

from ipaddress import ip_network

import pytest
from playwright.sync_api import expect

from tables.models import Webhook, WebhookMessage
from tables.webhooks import tell
from tests.e2e.test_approvals import is_narrow
from tests.e2e.test_looks import resize
from tests.e2e.test_rooms import Office

pytestmark = pytest.mark.browser
PAGE = "/floor/larkfield/webhooks/"


def test_two_people_add_a_webhook_and_see_why_it_does_not_arrive(scene, new_page, spotless, settings):
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    ida, carla = Office(new_page()), Office(new_page())
    ida.let_in(scene.tokens["podium"], "system-administrator", PAGE)
    expect(ida.page.get_by_text("No address outside is told of anything.")).to_be_visible()
    box = ida.slip("add-webhook")
    box.locator("[name=url]").fill("https://127.0.0.1:1/pitside")
    box.locator("[name=purpose]").fill("Ratings of the casino management system")
    box.locator("[name=types]").fill("wagers. round.settled")
    ida.go(box)
    expect(ida.page.locator(".waiting").get_by_text("Somebody else approves it.")).to_be_visible()
    carla.let_in(scene.tokens["podium"], "compliance", PAGE)
    carla.go(carla.slip("approve"))
    webhook = Webhook.objects.get()
    assert webhook.types == ["wagers.", "round.settled"]
    settings.WEBHOOK_NETWORKS = []
    scene.place((1, "small", 2_500))
    tell(webhook.pk)
    assert WebhookMessage.objects.get().status == "due"
    carla.page.goto(f"{PAGE}?webhook=WH-0001")
    expect(carla.page.locator(".list").last).to_contain_text("Does not arrive")
    expect(carla.page.locator(".list").first).to_contain_text("127.0.0.1 is not reached")
    is_narrow(carla.page)
    ida.page.goto(f"{PAGE}?webhook=WH-0001")
    ida.page.get_by_role("button", name="Send a test").click()
    expect(ida.page.locator(".panel .refused")).to_contain_text("127.0.0.1 is not reached")
    is_narrow(ida.page)
    assert WebhookMessage.objects.count() == 1
    carla.page.goto("/floor/larkfield/systems/")
    expect(carla.page.locator(".deliveries")).to_contain_text("127.0.0.1 is not reached")
    is_narrow(carla.page)
    resize(carla.page, (1440, 900))
    carla.page.locator(".deliveries li .sub").first.click()  # the whole row, as in the lists
    expect(carla.page.locator("#webhook-h")).to_have_text("WH-0001")
    carla.page.goto(PAGE)
    carla.page.locator("td.states").first.click(force=True)  # where the link of the name lies above it
    expect(carla.page.locator("#webhook-h")).to_have_text("WH-0001")
    carla.go(carla.slip("end-webhook"))
    expect(carla.page.locator(".list").last).to_contain_text("Ended")

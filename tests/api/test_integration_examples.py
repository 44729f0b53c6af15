"""The examples of docs/integration.md, and its receiver of webhooks, run as they are written against this API."""

import datetime as dt
import re
import threading
from http.server import ThreadingHTTPServer
from ipaddress import ip_network
from typing import Any

import pytest
from django.conf import settings

from audit.event_log import HORIZON
from tables import webhook_request
from tables.models import Webhook
from tables.webhooks import signatures, tell
from tests.api.test_entries import recorded
from tests.api.test_examples import example

pytestmark = [pytest.mark.django_db]
PAGE = settings.BASE_DIR / "docs/integration.md"


@pytest.fixture
def examples() -> dict[str, Any]:
    """The functions of the Python examples by name."""
    made: dict[str, Any] = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL):
        exec(compile(code, str(PAGE), "exec"), made)
    return made


def test_a_broker_is_fed_each_entry_once_and_each_is_chained(machine, scene, examples):
    reader, published, position = machine("entries"), [], "0"
    entries: list[dict[str, Any]] = []

    def page(after):
        answer = reader.get("entries", {"after": after, "limit": 7}).json()
        entries.extend(answer["items"])
        return answer

    for number in range(1, 4):
        scene.place((1, "small", 2_500 * number))
        position = examples["feed"](page, lambda **message: published.append(message), position)
    assert [message["id"].replace("#", " ") for message in published] == recorded()
    before: dict[str, Any] = {}
    for entry in entries:
        assert examples["is_chained"](entry, before.get(entry["stream"]))
        before[entry["stream"]] = entry
    forged = entries[-1] | {"body": entries[-1]["body"].replace("T-01", "T-02")}
    assert not examples["is_chained"](forged, None)


def test_a_message_is_checked_by_its_signature_and_its_time(scene, hands):
    new = {"url": "https://example.com/hook", "purpose": "Ratings", "types": []}
    scene.in_room("add_webhook", new, by="system-administrator")
    webhook, body = Webhook.objects.get(), b'{"type":"entries.more"}'
    timestamp = int(hands.now.timestamp())
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(timestamp),
        "webhook-signature": f"v1,x {signatures(webhook, 'msg_1', timestamp, body, hands.now)}",
    }
    key, is_signed = webhook.keys.get().public_key, example("webhook/receiver.py").is_signed
    assert is_signed(headers, body, key, lambda: timestamp + 300)
    assert not is_signed(headers, body, key, lambda: timestamp + 301)
    assert not is_signed(headers, body + b" ", key, lambda: timestamp)
    for name in headers:
        assert not is_signed({**headers, name: "x"}, body, key, lambda: timestamp)
        without = {other: value for other, value in headers.items() if other != name}
        assert not is_signed(without, body, key, lambda: timestamp)
    assert webhook.told_id < HORIZON.read()


def test_a_receiver_of_an_address_on_this_machine_takes_what_is_signed_and_nothing_else(
    scene, settings, capsys, hands
):
    hands.now = dt.datetime.now(dt.UTC)  # the receiver has the clock of the machine
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    receiver = example("webhook/receiver.py")
    public_keys: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), receiver.handler_of(public_keys))
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        new = {"url": f"http://127.0.0.1:{server.server_port}/hook", "purpose": "A try", "types": []}
        scene.in_room("add_webhook", new, by="system-administrator")
        webhook = Webhook.objects.get()
        for keys, state in (([], "unchecked"), ([webhook.keys.get().public_key], "signed")):
            public_keys[:] = keys
            scene.place((1, "small", 2_500))
            assert tell(webhook.pk) == 1
            assert re.search(rf"^msg_\w+ {state}: .*entries.more", capsys.readouterr().out, re.MULTILINE)
        forged = {"webhook-id": "msg_1", "webhook-timestamp": "x", "webhook-signature": "v1a,x"}
        assert webhook_request.post(new["url"], b"{}", forged) == 400
    finally:
        server.shutdown()
        server.server_close()

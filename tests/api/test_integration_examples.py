"""The examples of docs/integration.md run as they are written there, against this API and these webhooks."""

import re
from typing import Any

import pytest
from django.conf import settings

from audit.event_log import HORIZON
from tables.models import Webhook
from tables.webhooks import signatures
from tests.api.test_entries import recorded

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


def test_a_message_is_checked_by_its_signature_and_its_time(scene, examples, hands):
    new = {"url": "https://example.com/hook", "purpose": "Ratings", "types": []}
    scene.in_room("add_webhook", new, by="system-administrator")
    webhook, body = Webhook.objects.get(), b'{"type":"entries.more"}'
    timestamp = int(hands.now.timestamp())
    headers = {
        "webhook-id": "msg_1",
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signatures(webhook, "msg_1", timestamp, body, hands.now),
    }
    key, is_signed = webhook.keys.get().public_key, examples["is_signed"]
    assert is_signed(headers, body, key, lambda: timestamp + 300)
    assert not is_signed(headers, body, key, lambda: timestamp + 301)
    assert not is_signed(headers, body + b" ", key, lambda: timestamp)
    assert webhook.told_id < HORIZON.read()

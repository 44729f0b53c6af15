"""Twelve streams are written at once while a reader is cut and a receiver fails: each entry is seen once, in order.

Acts take their ids in one order and commit in another. What was seen is compared with `audit_export`.
"""

import asyncio
import datetime as dt
import json
import random
import threading
import time
from collections import defaultdict
from collections.abc import Iterable
from ipaddress import ip_network
from typing import Any

import pytest
from channels.db import database_sync_to_async
from django.core.management import call_command
from django.db import connection, transaction

from audit import clients, clock, record
from audit.event_log import HORIZON, Ordered, entries_between, streams_of
from tables import webhooks
from tables.api import entry_events
from tables.api.entry_events import Scope
from tables.models import Webhook
from tests.api.test_entries import receive
from tests.services.entries import any_entry
from tests.tables.cast import make_scene
from tests.tables.test_webhooks import Receiver

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]
TABLES, ENTRIES, WRITERS = 12, 25, 4
Heads = dict[str, list[str]]


def exported(folder) -> Heads:
    """The hashes of every stream of Larkfield, by the export that an outsider verifies."""
    file = folder / "record.jsonl"
    call_command("audit_export", "--facility", "larkfield", "--output", str(file))
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return by_stream(
        (line["body"]["stream"], line["hash"]) for line in lines if "stream" in line.get("body", ())
    )


def by_stream(entries: Iterable[tuple[str, str]]) -> Heads:
    heads: Heads = defaultdict(list)
    for stream, digest in entries:
        heads[stream].append(digest)
    return dict(heads)


def write(draw: random.Random) -> None:
    """Write on streams drawn at random, each entry in a transaction that lasts up to a hundredth of a second."""
    for _ in range(TABLES * ENTRIES // WRITERS):
        with transaction.atomic():
            stream = record.lock_stream(f"larkfield/E-{draw.randrange(TABLES):02}")
            now = clock.never_before(stream, clock.now())
            record.append(stream, entry=any_entry("round.opened"), moment=now, gaming_day=now.date())
            time.sleep(draw.random() / 100)
    connection.close()


class Consumer:
    """Reads pages from a position of its own after each message that it gets."""

    def __init__(self) -> None:
        self.position = 0
        self.entries: list[tuple[str, str]] = []

    def read(self) -> None:
        page = self.next_page()
        while page:
            self.entries += [(entry.stream.name, entry.hash.hex()) for entry in page]
            self.position = page[-1].id
            page = self.next_page()

    def next_page(self) -> list[Ordered]:
        """The horizon first, as the product reads: a stream that begins after the list was read is beyond it then."""
        horizon = HORIZON.read(1)
        return entries_between(streams_of("larkfield"), self.position, horizon, 50)


async def test_a_reader_that_is_cut_and_a_receiver_that_fails_see_what_the_export_has(
    hands, monkeypatch, settings, tmp_path
):
    draw = random.Random(36)
    monkeypatch.setattr(entry_events, "POLL_SECONDS", 0.005)
    monkeypatch.setattr(webhooks.OUTBOX, "waits", lambda attempts: dt.timedelta(0))
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    receiver, consumer = Receiver(), Consumer()
    in_thread = database_sync_to_async

    def begin() -> tuple[Any, Webhook]:
        scene = make_scene()
        new = {"url": receiver.url, "purpose": "Ratings", "types": []}
        scene.in_room("add_webhook", new, by="system-administrator")
        client = clients.make("Reader", "larkfield", ["entries"])
        clients.note_reading_of_entries(client)
        return clients.make_secret(client)[0], Webhook.objects.get()

    secret, webhook = await in_thread(begin)()
    writers = [threading.Thread(target=write, args=(random.Random(number),)) for number in range(WRITERS)]
    for writer in writers:
        writer.start()
    seen: list[tuple[str, dict[str, Any]]] = []

    async def follow() -> None:
        """Read a few entries, lose the connection, and go on from the last id, until all is seen."""
        after = 0
        while True:
            events = entry_events.entry_events(secret, Scope("larkfield"), after)
            count = draw.randrange(1, 40)
            try:
                for _ in range(count):
                    seen.extend(await asyncio.wait_for(receive(events, 1), 2))
            except TimeoutError:
                if not any(writer.is_alive() for writer in writers):
                    return
            finally:
                await events.aclose()
            after = int(seen[-1][0].partition(".")[0]) if seen else 0

    async def deliver() -> None:
        while any(writer.is_alive() for writer in writers) or await in_thread(webhooks.make_message)(
            webhook.pk
        ):
            receiver.answers = draw.choices([204, 500, None, 503], k=2)
            before = len(receiver.requests)
            await in_thread(webhooks.tell)(webhook.pk)
            if len(receiver.requests) > before:
                await in_thread(consumer.read)()
        receiver.answers = []
        await in_thread(webhooks.tell)(webhook.pk)
        await in_thread(consumer.read)()

    await asyncio.gather(follow(), deliver())
    receiver.stop()
    expected = await in_thread(exported)(tmp_path)
    assert sum(map(len, expected.values())) > TABLES * ENTRIES
    # A receive of several events at once keeps the first; what it cut off is read again after the position.
    assert by_stream((entry["stream"], entry["hash"]) for _, entry in seen) == expected
    assert by_stream(consumer.entries) == expected
    untils: dict[str, int] = {}
    for _headers, body in receiver.requests:
        for stream in json.loads(body)["data"]["streams"]:
            assert stream["until"] >= untils.get(stream["stream"], 0)
            untils[stream["stream"]] = stream["until"]
    assert untils.keys() >= {f"larkfield/E-{number:02}" for number in range(TABLES)}

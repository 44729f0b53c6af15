"""The record as an event log over the API: pages, events, and proofs that an outsider checks."""

import asyncio
import gc
import json
import subprocess
import sys
from unittest import mock

import pytest
from channels.db import database_sync_to_async
from django.db import OperationalError

from audit import chain, clients, devices, merkle, notes
from audit.models import Entry
from audit.sealing import keys
from audit.sealing.sealer import Sealer
from tables.api import entry_events
from tables.api.entry_events import Scope
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]


def recorded(after=0):
    """Every entry of Larkfield by stream and number, in the order in which they were written."""
    rows = Entry.objects.filter(stream__name__startswith="larkfield/", stream__real_play=True, pk__gt=after)
    return [f"{name} {seq}" for name, seq in rows.order_by("pk").values_list("stream__name", "seq")]


def places(items):
    return [f"{item['stream']} {item['number']}" for item in items]


def test_a_reader_pages_through_all_streams_and_resumes_where_it_stopped(machine, scene):
    reader = machine("entries")
    scene.place((1, "small", 2_500))
    read: list[dict[str, object]] = []
    after, more = "0", True
    while more:
        page = reader.get("entries", {"after": after, "limit": 5}).json()
        read, after, more = read + page["items"], page["next"], page["more"]
        assert len(page["items"]) <= 5
    assert places(read) == recorded() and len(read) > 10
    assert reader.get("entries", {"after": after}).json() == {"items": [], "next": after, "more": False}
    scene.place((2, "big", 2_500))
    [entry] = reader.get("entries", {"after": after}).json()["items"]
    assert (entry["stream"], entry["number"]) == ("larkfield/T-01", scene.version)
    digest = chain.entry_hash(bytes.fromhex(entry["prev"]), entry["body"].encode()).hex()
    assert entry["hash"] == digest and entry["entry"] == json.loads(entry["body"])


def test_one_stream_is_read_by_its_numbers_and_types_narrow_it(machine, scene):
    reader = machine("entries")
    scene.place((1, "small", 2_500))
    page = reader.get("entries", {"stream": "T-01", "after": scene.version - 2, "limit": 1}).json()
    assert (places(page["items"]), page["next"], page["more"]) == (
        [f"larkfield/T-01 {scene.version - 1}"], str(scene.version - 1), True,
    )  # fmt: skip
    page = reader.get("entries", {"stream": "larkfield/T-01", "type": "wagers."}).json()
    assert {item["entry"]["_type"].partition(".")[0] for item in page["items"]} == {"wagers"}
    assert page["next"] == str(scene.version) and not page["more"]
    assert reader.get("entries", {"stream": "T-01", "after": "newest"}).json()["items"] == []
    [stream] = [row for row in reader.get("streams").json()["items"] if row["place"] == "T-01"]
    assert (stream["number"], stream["hash"]) == (scene.version, bytes(scene.fresh.stream.head).hex())


@pytest.mark.parametrize("text", ["abc", "3.zzzzzzzz", "12", "-1"])
def test_what_is_no_position_is_malformed_and_no_restored_backup(machine, scene, text):
    reader = machine("entries")
    answers = {
        "after": [reader.get("entries", {"after": text}), reader.get("entries/stream", {"after": text})],
        "Last-Event-ID": [reader.get("entries/stream", headers={"Last-Event-ID": text})],
    }
    for name, refused_ones in answers.items():
        for refused in refused_ones:
            assert (refused.status_code, refused.json()["code"]) == (422, "malformed")
            assert refused.json()["detail"].startswith(f"`{name}` is no position.")


def test_a_position_of_another_record_is_refused_with_what_to_do(machine, scene):
    reader = machine("entries")
    last = reader.get("entries", {"limit": 500}).json()["items"][-1]["position"]
    other = last[:-8] + "00000000"
    for address in ("entries", "entries/stream"):
        refused = reader.get(address, {"after": other})
        assert (refused.status_code, refused.json()["code"]) == (409, "record-went-back")
    assert reader.get("entries", {"stream": "T-01", "after": other}).status_code == 422
    beyond = {"stream": "T-01", "after": scene.version + 1}
    assert reader.get("entries", beyond).json()["code"] == "record-went-back"
    assert reader.get("entries", {"stream": "T-01", "after": scene.version}).json() == {
        "items": [], "next": str(scene.version), "more": False,
    }  # fmt: skip
    assert reader.get("entries", {"stream": "T-99"}).status_code == 404
    assert reader.get("entries", {"stream": "seabright/T-01"}).status_code == 404
    assert reader.get("entries", {"type": "x" * 61}).status_code == 422


def test_a_client_of_one_table_reads_its_stream_alone(machine, scene):
    reader = machine("entries", place="larkfield/T-01")
    items = reader.get("entries", {"limit": 500}).json()["items"]
    assert {item["stream"] for item in items} == {"larkfield/T-01"} and len(items) == scene.version
    assert reader.get("entries", {"stream": "staff"}).status_code == 404
    assert [row["place"] for row in reader.get("streams").json()["items"]] == ["T-01"]


def test_reading_is_on_record_once_a_gaming_day(machine, scene, hands):
    reader = machine("entries", name="Casino management")
    for _ in range(3):
        reader.get("entries")
    entry = Entry.objects.get(type="client.read_entries")
    assert json.loads(bytes(entry.body))["data"] == {"name": "Casino management"}
    assert entry.actor == reader.client.person.code
    hands.now = hands.now.replace(day=22)
    reader.token = reader.ask_token().json()["access_token"]
    reader.get("entries")
    assert Entry.objects.filter(type="client.read_entries").count() == 2


def test_a_proof_is_checked_by_the_program_for_outsiders_and_is_a_tlog_proof(
    machine, scene, tmp_path, settings
):
    settings.SEALER_DIR = str(tmp_path / "sealer")
    reader = machine("entries")
    keys.create(keys.folder())
    scene.place((1, "small", 2_500))
    address = f"entries/T-01/{scene.version}/proof"
    assert reader.get(address).json()["code"] == "not-sealed-yet"
    Sealer(keys.folder()).seal()
    proof = reader.get(address).json()
    assert (proof["stream"], proof["number"]) == ("larkfield/T-01", scene.version)
    file = tmp_path / "proof.jsonl"
    file.write_text(proof["proof"])
    command = [sys.executable, str(settings.BASE_DIR / "audit/verify.py"), str(file)]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and f"good: larkfield/T-01 seq {scene.version}" in checked.stdout
    head, _, note = proof["tlog_proof"].partition("\n\n")
    version, extra, index, *path = head.split("\n")
    assert version == "c2sp.org/tlog-proof@v1"
    seal = notes._unbase64(extra.removeprefix("extra "))
    assert seal.decode() == proof["seal"] and '"larkfield/T-01"' in proof["seal"]
    checkpoint = notes.Checkpoint.read(notes.Note.read(note).text)
    leaf, number = merkle.leaf_hash(seal), int(index.removeprefix("index "))
    hashes = [notes._unbase64(text) for text in path]
    assert merkle.verify_inclusion(number, checkpoint.size, leaf, hashes, checkpoint.root)
    assert checkpoint.origin == proof["origin"]
    assert reader.get(f"entries/T-01/{scene.version + 1}/proof").status_code == 404
    assert Entry.objects.get(type="client.read_entries").actor == reader.client.person.code


# Events


@pytest.fixture
def floor(transactional_db, hands, monkeypatch):
    """A committed table, and a poll every hundredth of a second."""
    monkeypatch.setattr(entry_events, "POLL_SECONDS", 0.01)
    return make_scene()


def reader_of(scene, *, place=""):
    client = clients.make("Reader", "larkfield", ["entries"], place)
    secret = clients.make_secret(client)[0]
    clients.note_reading_of_entries(client)  # as its address does
    return secret


async def receive(events, count):
    """So many entries of a subscriber, as (id, entry); comments and the rest are left out."""
    received: list[tuple[str, dict[str, object]]] = []
    while len(received) < count:
        text = (await asyncio.wait_for(anext(events), 10)).decode()
        for event in text.split("\n\n"):
            fields = dict(line.split(": ", 1) for line in event.split("\n") if ": " in line)
            if fields.get("event") == "entry":
                received.append((fields["id"], json.loads(fields["data"])))
    return received


in_thread = database_sync_to_async


@pytest.mark.django_db(transaction=True)
async def test_subscribers_see_each_entry_once_and_one_that_was_cut_resumes_exactly(floor):
    secret = await in_thread(reader_of)(floor)
    before = await in_thread(recorded)()
    scope = Scope("larkfield")
    slow, quick = (entry_events.entry_events(secret, scope, 0) for _ in range(2))
    seen = await receive(quick, len(before))
    assert places(entry for _, entry in seen) == before
    await quick.aclose()
    await in_thread(floor.place)((1, "small", 2_500))
    await in_thread(floor.place)((2, "big", 2_500))
    missed = await in_thread(recorded)(int(seen[-1][0].partition(".")[0]))
    resumed = entry_events.entry_events(secret, scope, int(seen[-1][0].partition(".")[0]))
    assert places(entry for _, entry in await receive(resumed, len(missed))) == missed
    assert places(entry for _, entry in await receive(slow, len(before + missed))) == before + missed
    await slow.aclose()
    await resumed.aclose()
    assert entry_events.hub_of_loop()._subscribers == set()


@pytest.mark.django_db(transaction=True)
async def test_a_stream_and_types_narrow_the_events(floor):
    secret = await in_thread(reader_of)(floor)
    await in_thread(floor.place)((1, "small", 2_500))
    events = entry_events.entry_events(secret, Scope("larkfield"), 0, "larkfield/T-01", ["wagers.placed"])
    [(_, entry)] = await receive(events, 1)
    assert (entry["stream"], entry["entry"]["_type"]) == ("larkfield/T-01", "wagers.placed")
    await events.aclose()


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", ["device", "secret"])
async def test_a_revoked_device_and_an_ended_secret_end_the_stream(floor, hands, end, monkeypatch):
    monkeypatch.setattr(entry_events, "KEEP_ALIVE_SECONDS", 0.05)
    secret = await in_thread(reader_of)(floor)
    events = entry_events.entry_events(secret, Scope("larkfield"), 10**9)
    assert await anext(events) == b"retry: 2000\n\n"
    assert await asyncio.wait_for(anext(events), 10) == entry_events.KEEP_ALIVE
    if end == "device":
        await in_thread(devices.revoke)(secret.client.device, None)
    else:
        hands.now = secret.ends_at
    async with asyncio.timeout(10):
        rest = [text async for text in events]
    assert rest[-1] == entry_events.ENDED and set(rest[:-1]) <= {entry_events.KEEP_ALIVE}


@pytest.mark.django_db(transaction=True)
async def test_subscribers_at_the_same_position_share_one_read(floor, monkeypatch):
    read_page = mock.Mock(side_effect=entry_events._read_page)
    monkeypatch.setattr(entry_events, "_read_page", read_page)
    secret = await in_thread(reader_of)(floor)
    subscribers = [entry_events.entry_events(secret, Scope("larkfield"), 0) for _ in range(10)]
    first = await asyncio.gather(*(receive(events, 5) for events in subscribers))
    assert len(first) == 10 and read_page.call_count == 1
    for events in subscribers:
        await events.aclose()


@pytest.mark.django_db(transaction=True)
async def test_a_read_that_failed_is_not_the_answer_to_the_next_subscriber(floor, monkeypatch):
    page = entry_events.EventPage([], 7)
    read_page = mock.Mock(side_effect=[OperationalError("gone"), page])
    monkeypatch.setattr(entry_events, "_read_page", read_page)
    hub = entry_events.Hub()
    with pytest.raises(OperationalError):
        await hub.page(Scope("larkfield"), 0)
    assert await hub.page(Scope("larkfield"), 0) == page


@pytest.mark.django_db(transaction=True)
async def test_an_open_stream_is_on_record_on_each_gaming_day(floor, hands):
    secret = await in_thread(reader_of)(floor)
    noted = Entry.objects.filter(type="client.read_entries", actor=secret.client.person.code).order_by("pk")
    days = in_thread(lambda: [str(entry.gaming_day) for entry in noted.all()])
    events = entry_events.entry_events(secret, Scope("larkfield"), 0)
    await receive(events, 1)
    assert await days() == ["2026-11-21"]
    hands.now = hands.now.replace(day=22)
    await in_thread(floor.act)("call_floor")
    types: list[object] = []
    while "floor.called" not in types:
        types += [entry["entry"]["_type"] for _, entry in await receive(events, 1)]
    assert await days() == ["2026-11-21", "2026-11-22"]
    await events.aclose()


def test_a_client_has_ten_open_streams_and_another_after_one_has_ended(machine, scene):
    reader = machine("entries")
    answers = [reader.get("entries/stream") for _ in range(10)]
    assert {answer.status_code for answer in answers} == {200}
    refused = reader.get("entries/stream")
    assert (refused.status_code, refused.json()["code"]) == (429, "too-many-streams")
    assert machine("entries").get("entries/stream").status_code == 200
    del answers[0]
    gc.collect()
    assert reader.get("entries/stream").status_code == 200


def test_the_address_of_events_says_what_it_is(machine, scene):
    answer = machine("entries").get("entries/stream", headers={"Last-Event-ID": "0"})
    assert (answer.status_code, answer["Content-Type"]) == (200, "text/event-stream")
    assert answer.streaming and "ETag" not in answer and answer["Cache-Control"] == "no-store"

"""Webhooks: a system outside is told of new entries, in order, and again until it answers."""

import asyncio
import base64
import datetime as dt
import json
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address, ip_network
from itertools import pairwise
from unittest import mock

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from audit.columns import check_columns
from audit.delivery import Undelivered
from audit.event_log import HORIZON, entries_between, entries_of, read_position, streams_of
from audit.models import Entry, Stream
from games.models import PreparedChange
from tables import webhook_request, webhooks
from tables.core.alerts import ALERT_RULES
from tables.models import Alert, Webhook, WebhookMessage
from tables.ticker import reconcile_alerts
from tables.webhook_request import MalformedAddress, may_reach, read_address
from tables.webhooks import WAITS, make_message, tell
from tables.words.entries import words_of
from tests.services.entries import newest_body
from tests.tables.cast import Scene, make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ADMINISTRATOR = "system-administrator"


class Receiver:
    """A real server on this machine. `answers` are the statuses of its next answers, then 204; None hangs up."""

    def __init__(self) -> None:
        self.answers: list[int | None] = []
        self.requests: list[tuple[dict[str, str], bytes]] = []
        self.slow = threading.Event()
        self.slow.set()
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver.requests.append((dict(self.headers), body))
                receiver.slow.wait(10)
                status = receiver.answers.pop(0) if receiver.answers else 204
                if status is None:
                    self.close_connection = True
                    return
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("Location", f"{receiver.url}/elsewhere")
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}"

    @property
    def streams(self) -> list[dict[str, dict[str, object]]]:
        """What each request said, by the place of the stream."""
        return [
            {said["stream"].partition("/")[2]: said for said in json.loads(body)["data"]["streams"]}
            for _headers, body in self.requests
        ]

    def stop(self) -> None:
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def receiver(settings) -> Iterator[Receiver]:
    settings.WEBHOOK_NETWORKS = [ip_network("127.0.0.0/8")]
    receiver = Receiver()
    yield receiver
    receiver.slow.set()
    receiver.stop()


@pytest.fixture
def scene(hands) -> Scene:
    return make_scene()


def add(scene, receiver, *types, url="") -> Webhook:
    """A webhook that two people added, which has nothing more to tell."""
    new = {"url": url or f"{receiver.url}/pitside", "purpose": "Ratings", "types": list(types)}
    code = scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False).body["change"]
    scene.in_room("approve_change", {"change": code}, by="compliance")
    webhook = Webhook.objects.latest("pk")
    Webhook.objects.filter(pk=webhook.pk).update(told_id=HORIZON.read())
    return webhook


def prepare(scene, url: str) -> tuple[str, str]:
    """A webhook that waits for a second person: the code of the change, and what its approver reads."""
    new = {"url": url, "purpose": "Ratings", "types": []}
    code = scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False).body["change"]
    change = PreparedChange.objects.get(code=code)
    return code, words_of(change.entry_type, change.entry_data)


def test_what_is_approved_is_what_was_shown_in_any_order(scene, receiver):
    first, first_words = prepare(scene, f"{receiver.url}/first")
    second, second_words = prepare(scene, f"{receiver.url}/second")
    assert first_words == f"WH-0001 added: {receiver.url}/first is told of every entry"
    assert second_words == f"WH-0002 added: {receiver.url}/second is told of every entry"
    for change, said in ((second, second_words), (first, first_words)):
        scene.in_room("approve_change", {"change": change}, by="compliance")
        prepared, added = PreparedChange.objects.get(code=change), newest_body("webhook.added")
        assert added["data"] == prepared.entry_data and words_of("webhook.added", added["data"]) == said
    third, _ = prepare(scene, f"{receiver.url}/third")
    scene.in_room("send_back_change", {"change": third, "why": "another address"}, by="compliance")
    assert prepare(scene, f"{receiver.url}/fourth")[1].startswith("WH-0004")
    assert set(Webhook.objects.values_list("code", "url")) == {
        ("WH-0001", f"{receiver.url}/first"),
        ("WH-0002", f"{receiver.url}/second"),
    }
    assert list(check_columns(lambda: None)) == []


def only_message() -> WebhookMessage:
    return WebhookMessage.objects.get()


def test_two_people_add_it_and_it_is_told_of_its_types_from_then_on(scene, receiver):
    webhook = add(scene, receiver, "round.", "wagers.placed")
    added = newest_body("webhook.added")
    assert (added["actor"], added["data"]["types"]) == ("compliance", ["round.", "wagers.placed"])
    assert tell(webhook.pk) == 0 and receiver.requests == []
    before = scene.version
    scene.place((1, "small", 2_500))
    assert tell(webhook.pk) == 1 == len(receiver.requests)
    headers, body = receiver.requests[0]
    assert len(body) < 20_000 and headers["Content-Type"] == "application/json"
    said = json.loads(body)
    assert said["type"] == "entries.more" and said["timestamp"] == "2026-11-21T15:00:00.000000Z"
    [stream] = said["data"]["streams"]
    assert stream["stream"] == "larkfield/T-01" and stream["after"] == before
    assert stream["until"] == scene.version
    assert tell(webhook.pk) == 0 and len(receiver.requests) == 1
    assert list(check_columns(lambda: None)) == []


def test_a_message_is_signed_by_the_key_that_the_record_states_and_by_both_after_a_rotation(
    scene, receiver, hands
):
    webhook = add(scene, receiver)
    public = [newest_body("webhook.added")["data"]["public_key"]]
    scene.in_room("rotate_webhook_key", {"webhook": webhook.code}, by=ADMINISTRATOR)
    rotated = newest_body("webhook.key_rotated")["data"]
    assert (rotated["number"], rotated["before_ends_at"]) == (2, "2026-11-28T15:00:00.000000Z")
    public.insert(0, rotated["public_key"])
    assert list(check_columns(lambda: None)) == []
    tell(webhook.pk)
    hands.now += dt.timedelta(days=8)
    scene.in_room("rotate_webhook_key", {"webhook": webhook.code}, by=ADMINISTRATOR)
    tell(webhook.pk)
    for (headers, body), keys in zip(
        receiver.requests,
        (public, [newest_body("webhook.key_rotated")["data"]["public_key"], public[0]]),
        strict=True,
    ):
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        made = [text.removeprefix("v1a,") for text in headers["webhook-signature"].split(" ")]
        for key, signature in zip(keys, made, strict=True):
            verifier = Ed25519PublicKey.from_public_bytes(base64.b64decode(key.removeprefix("whpk_")))
            verifier.verify(base64.b64decode(signature), signed)
            with pytest.raises(InvalidSignature):
                verifier.verify(base64.b64decode(signature), signed + b" ")


def test_another_secret_key_signs_nothing_in_its_name(scene, receiver, settings):
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    before, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    assert tell(webhook.pk) == 0 and receiver.requests == []
    assert "Rotate the key" in only_message().error
    settings.SECRET_KEY_FALLBACKS = [before]
    WebhookMessage.objects.update(next_try_at=dt.datetime(2026, 1, 1, tzinfo=dt.UTC))
    assert tell(webhook.pk) == 1


def test_it_is_tried_for_75_hours_with_the_same_bytes_and_then_stops_until_a_replay(
    scene, receiver, hands, monkeypatch
):
    monkeypatch.setattr("audit.delivery.random.uniform", lambda low, high: low)
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    first = hands.now
    receiver.answers = [500] * 10
    waits = []
    while (message := WebhookMessage.objects.first()) is None or message.status == "due":
        if message is not None:
            waits.append(message.next_try_at - hands.now)
            hands.now = message.next_try_at
        assert tell(webhook.pk) == 0
        scene.place((2, "big", 2_500 * (2 + len(waits))))
    assert tuple(waits) == WAITS and hands.now - first == dt.timedelta(hours=75, minutes=35, seconds=5)
    assert len({body for _, body in receiver.requests}) == 1 and len(receiver.requests) == 10
    assert len({headers["webhook-id"] for headers, _ in receiver.requests}) == 1
    assert (message.status, message.attempts, message.error) == ("failed", 10, "It answered 500.")
    webhook.refresh_from_db()
    assert webhook.stopped_at == hands.now and tell(webhook.pk) == 0 and len(receiver.requests) == 10
    number = receiver.streams[0]["T-01"]["after"] + 1
    scene.in_room(
        "replay_webhook", {"webhook": webhook.code, "place": "T-01", "number": number}, by=ADMINISTRATOR
    )
    assert tell(webhook.pk) == 1
    assert receiver.streams[-1]["T-01"]["after"] == number - 1
    assert receiver.streams[-1]["T-01"]["until"] == scene.version


def test_after_75_hours_without_a_receiver_the_next_try_arrives_and_the_rest_follows(scene, receiver, hands):
    webhook = add(scene, receiver)
    port = receiver.server.server_port
    receiver.stop()
    scene.place((1, "small", 2_500))
    while tell(webhook.pk) == 0 and only_message().attempts < 9:
        assert "Connection refused" in only_message().error
        hands.now = only_message().next_try_at
        scene.place((2, "big", 2_500))
    back = Receiver()
    Webhook.objects.update(url=back.url)
    hands.now = only_message().next_try_at
    assert tell(webhook.pk) == 2
    first, second = back.streams
    assert first["T-01"]["until"] == second["T-01"]["after"] and second["T-01"]["until"] == scene.version
    back.stop()
    assert port


@pytest.mark.parametrize(
    ("answers", "error"),
    [
        ([302], "It answered 302, a redirect, which is not followed."),
        ([503], "It answered 503."),
        ([None], "No answer: Remote end closed connection without response."),
    ],
)
def test_what_is_no_success_is_tried_again_after_five_seconds(scene, receiver, hands, answers, error):
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    receiver.answers = answers
    assert tell(webhook.pk) == 0 and tell(webhook.pk) == 0
    message = only_message()
    assert (message.status, message.attempts, message.error) == ("due", 1, error)
    assert dt.timedelta(seconds=5) <= message.next_try_at - hands.now <= dt.timedelta(seconds=5.5)
    hands.now = message.next_try_at
    assert tell(webhook.pk) == 1
    assert only_message().http_status == 204 and len(receiver.requests) == 2


def test_a_receiver_that_is_too_slow_is_cut(scene, receiver, monkeypatch):
    monkeypatch.setattr(webhook_request, "TIMEOUT_SECONDS", 0.2)
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    receiver.slow.clear()
    assert tell(webhook.pk) == 0
    assert only_message().error == "It did not answer within 0.2 seconds."


def test_an_answer_410_ends_it_for_good(scene, receiver):
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    receiver.answers = [410]
    assert tell(webhook.pk) == 0
    entry = newest_body("webhook.gone")
    assert (entry["data"], entry["actor"]) == ({"webhook": "WH-0001"}, None)
    webhook.refresh_from_db()
    assert webhook.ended_at is not None and webhook.ended_by is None
    scene.place((2, "big", 2_500))
    assert tell(webhook.pk) == 0 and len(receiver.requests) == 1
    assert webhooks.active_webhooks() == []
    assert list(check_columns(lambda: None)) == []
    with scene.refused("no-such-webhook"):
        scene.in_room("end_webhook", {"webhook": "WH-0001"}, by="compliance")


def test_who_approves_it_ends_it_at_once_also_while_a_message_waits(scene, receiver):
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    assert make_message(webhook.pk) and not make_message(webhook.pk)
    scene.in_room("end_webhook", {"webhook": webhook.code}, by="compliance")
    assert tell(webhook.pk) == 0 and receiver.requests == []
    assert only_message().error == "The webhook was ended."
    assert list(check_columns(lambda: None)) == []


def test_a_consumer_that_pages_from_its_own_position_sees_each_entry_once(scene, receiver, hands):
    """Messages are lost, late and twice: what the consumer has is what the record has."""
    webhook = add(scene, receiver)
    seen, position = [], HORIZON.read()
    begun = position
    receiver.answers = [500, 204, None, 204, 204, 503]
    for number in range(1, 9):
        scene.place((1, "small", 2_500 * number))
        if number == 5:
            place = {"webhook": webhook.code, "place": "T-01", "number": scene.version - 2}
            scene.in_room("replay_webhook", place, by=ADMINISTRATOR)
        hands.now += dt.timedelta(minutes=40)
        told = len(receiver.requests)
        tell(webhook.pk)
        for _ in receiver.requests[told:]:
            page = entries_between(streams_of("larkfield"), position, HORIZON.read(), 100)
            seen += [entry.id for entry in page]
            position = read_position(page[-1].position, streams_of("larkfield")) if page else position
    recorded = [*Entry.objects.filter(pk__gt=begun).order_by("pk").values_list("pk", flat=True)]
    assert seen == recorded and len(seen) > 8
    ends = [stream["T-01"]["until"] for stream in receiver.streams if "T-01" in stream]
    assert ends == sorted(ends)


def test_a_replay_during_a_slow_try_does_not_stop_it(scene, receiver, monkeypatch):
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))

    def replay_meanwhile(*_args):
        place = {"webhook": webhook.code, "place": "T-01", "number": scene.version}
        scene.in_room("replay_webhook", place, by=ADMINISTRATOR)
        return 204

    with monkeypatch.context() as patch:
        patch.setattr(webhooks, "post", replay_meanwhile)
        assert tell(webhook.pk) == 0
    assert only_message().error.startswith("Replaced by a replay")
    assert webhooks.active_webhooks() == [webhook.pk]
    assert tell(webhook.pk) == 1
    assert receiver.streams[-1]["T-01"]["until"] == scene.version


def test_a_message_stays_below_20_kb_however_much_there_is(scene, receiver, monkeypatch):
    webhook = add(scene, receiver)
    for number in range(1, 5):
        scene.place((1, "small", 2_500 * number))
    monkeypatch.setattr(webhooks, "MOST_ENTRIES", 2)
    monkeypatch.setattr(webhooks, "MESSAGES_IN_A_ROW", 9)
    count = Entry.objects.filter(pk__gt=webhook.pk and Webhook.objects.get().told_id).count()
    assert tell(webhook.pk) == -(-count // 2)
    stretches = [stream["T-01"] for stream in receiver.streams]
    assert all(first["until"] == then["after"] for first, then in pairwise(stretches))
    monkeypatch.setattr(webhooks, "MOST_BYTES", 130)
    Webhook.objects.update(told_id=0)
    make_message(webhook.pk)
    assert len(json.loads(WebhookMessage.objects.latest("pk").body)["data"]["streams"]) == 1


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"url": "ftp://example.com/"}, "webhook-address-malformed"),
        ({"url": "https://user:secret@example.com/"}, "webhook-address-malformed"),
        ({"types": ["round"]}, "no-such-entry-type"),
        ({"purpose": ""}, "malformed"),
    ],
)
def test_what_cannot_be_told_is_refused_while_it_is_prepared(scene, receiver, changed, code):
    new = {"url": "https://example.com/hook", "purpose": "Ratings", "types": []}
    with scene.refused(code):
        scene.in_room("add_webhook", {**new, **changed}, by=ADMINISTRATOR, approve=False)
    add(scene, receiver, url=new["url"])
    with scene.refused("webhook-exists"):
        scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False)
    with scene.refused("no-such-number"):
        place = {"webhook": "WH-0001", "place": "T-01", "number": 10**6}
        scene.in_room("replay_webhook", place, by=ADMINISTRATOR)


@pytest.mark.parametrize(
    "url", ["https://127.0.0.1:8365/hook", "https://localhost/", "https://[::1]/", "https://10.20.0.5/hook"]
)
def test_an_address_that_is_not_reached_is_refused_while_it_is_prepared(scene, settings, url):
    settings.WEBHOOK_NETWORKS = []
    new = {"url": url, "purpose": "Ratings", "types": []}
    with scene.refused("webhook-address-malformed") as refusal:
        scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False)
    assert refusal.value.params["why"].endswith("PITSIDE_WEBHOOK_NETWORKS does not name its network")
    settings.WEBHOOK_NETWORKS = [
        ip_network(network) for network in ("127.0.0.0/8", "10.20.0.0/16", "::1/128")
    ]
    scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False)
    new["url"] = url.replace("https", "http")
    scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False)


def test_private_addresses_are_not_reached_and_a_name_is_resolved_once(
    scene, receiver, settings, monkeypatch
):
    private = "127.0.0.1 10.0.0.5 192.168.1.1 169.254.169.254 0.0.0.0 224.0.0.1 "
    private += "::1 fd00::1 ::ffff:10.0.0.5 64:ff9b::a00:5 fec0::1 ::10.0.0.5 ::ffff:0:10.0.0.5"
    settings.WEBHOOK_NETWORKS = []
    assert [text for text in private.split() if may_reach(ip_address(text), is_tls=True)] == []
    assert all(may_reach(ip_address(text), is_tls=True) for text in ("93.184.215.14", "2606:2800:21f::1"))
    assert not may_reach(ip_address("93.184.215.14"), is_tls=False)
    with pytest.raises(MalformedAddress):
        read_address("http://example.com/")
    settings.WEBHOOK_NETWORKS = [ip_network("10.0.0.0/8")]
    assert may_reach(ip_address("::ffff:10.0.0.5"), is_tls=False)
    webhook = add(scene, receiver, url=f"http://receiver.example:{receiver.server.server_port}/")
    answers = [[(2, 1, 6, "", ("127.0.0.1", 0))], [(2, 1, 6, "", ("10.255.255.1", 0))]]
    monkeypatch.setattr(webhook_request.socket, "getaddrinfo", lambda *_, **__: answers.pop(0))
    scene.place((1, "small", 2_500))
    assert tell(webhook.pk) == 0 and receiver.requests == [] and len(answers) == 1
    assert "receiver.example is 127.0.0.1, which is not reached without TLS" in only_message().error
    reached = []

    def connect(address, *_):
        reached.append(address)
        raise ConnectionRefusedError

    monkeypatch.setattr(webhook_request.socket, "create_connection", connect)
    with pytest.raises(Undelivered):
        webhook_request.post(webhook.url, b"{}", {})
    assert reached == [("10.255.255.1", receiver.server.server_port)] and answers == []


def test_numbers_of_one_stream_are_read_without_the_others(scene):
    scene.place((1, "small", 2_500))
    stream = Stream.objects.get(name="larkfield/T-01")
    read = entries_of(stream, stream.seq - 2, 10)
    assert [entry.seq for entry in read] == [stream.seq - 1, stream.seq]


def page(scene, person, query=""):
    html = scene.browser("podium", person).get(f"/floor/larkfield/webhooks/{query}").content.decode()
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def test_the_page_shows_messages_causes_and_next_tries(scene, receiver, hands):
    assert "No address outside is told of anything." in page(scene, "compliance")
    assert "Prepared by: system administrator of information technology." in page(scene, "compliance")
    assert "Prepared by" not in page(scene, ADMINISTRATOR)
    new = {"url": receiver.url, "purpose": "Ratings", "types": ["wagers."]}
    scene.in_room("add_webhook", new, by=ADMINISTRATOR, approve=False)
    assert f"WH-0001 added: {receiver.url} is told of wagers." in page(scene, "compliance")
    assert "Somebody else approves it." in page(scene, ADMINISTRATOR)
    scene.in_room("approve_change", {"change": "CH-0001"}, by="compliance")
    webhook = Webhook.objects.get()
    receiver.answers = [503]
    scene.place((1, "small", 2_500))
    tell(webhook.pk)
    text = page(scene, "compliance", "?webhook=WH-0001")
    assert "Does not arrive" in text and "It answered 503." in text and "answer 503" in text
    assert webhook.keys.get().public_key in text and "Replay" not in text
    assert "Replay" in page(scene, ADMINISTRATOR, "?webhook=WH-0001")
    hands.now = only_message().next_try_at
    tell(webhook.pk)
    text = page(scene, "compliance", "?webhook=WH-0001")
    assert "Arrived" in text and "answer 204" in text and "Sends" in text
    WebhookMessage.objects.update(status="failed", error="It answered 500.", done_at=None)
    Webhook.objects.update(stopped_at=hands.now)
    assert "Stopped: replay it" in page(scene, "compliance")


def test_the_page_of_systems_shows_deliveries_that_wait_and_those_that_arrived(scene, receiver, hands):
    def panel(query=""):
        html = scene.browser("podium", "compliance").get(f"/floor/larkfield/systems/{query}").content.decode()
        found = re.search(r'<aside class="panel deliveries".*?</aside>', html, re.DOTALL)
        return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split()) if found else None

    assert panel() is None
    webhook = add(scene, receiver, "wagers.")
    assert "none within a day" in panel()
    receiver.answers = [503]
    scene.place((1, "small", 2_500))
    tell(webhook.pk)
    assert "Waiting Nothing is lost" in panel()
    assert "10:00 WH-0001 Ratings It answered 503. 1 entry, 1 try; next 10:00" in panel()
    hands.now = only_message().next_try_at
    tell(webhook.pk)
    assert "Waiting" not in panel()
    assert "Arrived of late, 1 10:00 WH-0001 Ratings 1 entry, answer 204, 2 tries" in panel()
    WebhookMessage.objects.update(status="failed", error="It answered 500.", done_at=None)
    Webhook.objects.update(stopped_at=hands.now)
    assert "given up: replay it" in panel()
    Webhook.objects.update(ended_at=hands.now)
    assert panel() is None


async def test_slow_receivers_delay_no_other_and_nothing_else_of_the_process(monkeypatch):
    slow, told, release, quick = 20, [], threading.Event(), asyncio.Event()
    loop = asyncio.get_running_loop()
    loop.set_default_executor(ThreadPoolExecutor(2))

    def tell_one(pk):
        told.append(pk)
        if pk <= slow:
            release.wait(10)
        elif told.count(pk) == 3:
            loop.call_soon_threadsafe(quick.set)
        return 0

    monkeypatch.setattr(webhooks, "tell", tell_one)
    monkeypatch.setattr(webhooks, "active_webhooks", lambda: [*range(1, slow + 2)])
    monkeypatch.setattr(webhooks, "forget_messages", lambda: None)
    monkeypatch.setattr(webhooks, "SECONDS", 0.001)
    task = asyncio.create_task(webhooks.run_webhooks())
    await asyncio.wait_for(quick.wait(), 5)
    assert [told.count(pk) for pk in range(1, slow + 1)] == [1] * slow
    task.cancel()
    release.set()


def post_without_connection(monkeypatch):
    """Every message is taken, and fails unless its connection was given back before."""
    release = mock.Mock()
    monkeypatch.setattr(webhooks.people, "release_connection", release)

    def post(*_args):
        assert release.call_count == 1
        return 204

    monkeypatch.setattr(webhooks, "post", post)


def test_a_slow_receiver_holds_no_connection(scene, receiver, monkeypatch):
    webhook = add(scene, receiver)
    scene.place((1, "small", 2_500))
    post_without_connection(monkeypatch)
    assert tell(webhook.pk) == 1


def test_messages_that_arrived_are_forgotten_after_a_day_and_what_waits_never(scene, receiver, hands):
    webhook = add(scene, receiver)
    receiver.answers = [204, 503]
    for cents in (2_500, 5_000):
        scene.place((1, "small", cents))
        tell(webhook.pk)
    hands.now += dt.timedelta(days=1, seconds=1)
    webhooks.forget_messages()
    assert only_message().status == "due"


def webhook_alerts_at(now):
    reconcile_alerts([rule for rule in ALERT_RULES if webhooks.WEBHOOK_STOPPED in rule.kinds], now)
    return [(alert.key.split(":")[1], alert.level) for alert in Alert.objects.filter(ended_at=None)]


def test_a_webhook_that_fails_for_an_hour_and_one_that_stopped_are_alerts(scene, receiver, hands):
    webhook = add(scene, receiver)
    receiver.answers = [500] * (len(WAITS) + 1)
    scene.place((1, "small", 2_500))
    tell(webhook.pk)
    hands.now += dt.timedelta(minutes=59)
    assert webhook_alerts_at(hands.now) == []
    hands.now += dt.timedelta(minutes=1)
    assert webhook_alerts_at(hands.now) == [("failing", "info")]
    for wait in WAITS:
        hands.now += wait * 1.1
        tell(webhook.pk)
    assert Webhook.objects.get().stopped_at is not None
    assert webhook_alerts_at(hands.now) == [("stopped", "warn")]
    number = scene.version
    scene.in_room(
        "replay_webhook", {"webhook": webhook.code, "place": "T-01", "number": number}, by=ADMINISTRATOR
    )
    tell(webhook.pk)
    assert webhook_alerts_at(hands.now) == []


def test_a_webhook_that_was_ended_is_no_alert(scene, receiver, hands):
    webhook = add(scene, receiver)
    Webhook.objects.update(stopped_at=hands.now)
    assert webhook_alerts_at(hands.now) == [("stopped", "warn")]
    scene.in_room("end_webhook", {"webhook": webhook.code}, by=ADMINISTRATOR)
    assert webhook_alerts_at(hands.now) == []


def test_the_page_says_nothing_of_a_failure_that_is_over_and_shows_the_messages_first(scene, receiver, hands):
    webhook = add(scene, receiver)
    receiver.answers = [500] * (len(WAITS) + 1)
    scene.place((1, "small", 2_500))
    tell(webhook.pk)
    for wait in WAITS:
        hands.now += wait * 1.1
        tell(webhook.pk)
    address = f"/floor/larkfield/webhooks/?webhook={webhook.code}"
    page = scene.browser("podium", ADMINISTRATOR).get(address)
    (row,) = page.context["rows"]
    assert (row.state.words, row.failing.error) == ("Stopped: replay it", "It answered 500.")
    number = scene.version
    scene.in_room(
        "replay_webhook", {"webhook": webhook.code, "place": "T-01", "number": number}, by=ADMINISTRATOR
    )
    assert tell(webhook.pk) == 1
    page = scene.browser("podium", ADMINISTRATOR).get(address)
    (row,) = page.context["rows"]
    assert (row.state.words, row.failing) == ("Sends", None)
    text = page.content.decode()
    assert text.index("Messages of") < text.index("Webhooks, those that need attention first")


def send_test(browser, query="?webhook=WH-0001") -> tuple[int, str]:
    """The status and the words of the page that answers who sends a message for a test."""
    answer = browser.post(f"/floor/larkfield/webhooks/{query}")
    return answer.status_code, " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def test_a_message_for_a_test_is_signed_and_its_answer_shown_and_it_is_no_delivery(scene, receiver):
    webhook = add(scene, receiver)
    browser = scene.browser("podium", ADMINISTRATOR)
    entries, before = Entry.objects.count(), list(Webhook.objects.values())
    status, text = send_test(browser)
    assert status == 200 and re.search(r"after \d+ ms: it arrived, answer 204\. msg_[0-9a-f]{32}", text)
    ((headers, body),) = receiver.requests
    assert json.loads(body)["type"] == "webhook.test"
    assert json.loads(body)["data"] == {"facility": "larkfield", "webhook": "WH-0001"}
    key = Ed25519PublicKey.from_public_bytes(
        base64.b64decode(webhook.keys.get().public_key.removeprefix("whpk_"))
    )
    names = {name.lower(): value for name, value in headers.items()}
    signed = f"{names['webhook-id']}.{names['webhook-timestamp']}.".encode() + body
    key.verify(base64.b64decode(names["webhook-signature"].removeprefix("v1a,")), signed)
    assert f"{names['webhook-id']}" in text
    assert not WebhookMessage.objects.exists() and Entry.objects.count() == entries
    assert list(Webhook.objects.values()) == before and "No message yet." in text


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (410, "ms: It answered 410. msg_"),
        (302, "It answered 302, a redirect, which is not followed. msg_"),
        (None, "ms: No answer: "),
    ],
)
def test_a_test_that_fails_says_why_and_neither_ends_nor_stops_the_webhook(scene, receiver, answer, words):
    webhook = add(scene, receiver)
    receiver.answers = [answer]
    status, text = send_test(scene.browser("podium", ADMINISTRATOR))
    assert status == 200 and words in text and "it arrived" not in text
    webhook.refresh_from_db()
    assert webhook.ended_at is None and webhook.stopped_at is None and "Does not arrive" not in text
    assert len(receiver.requests) == 1


def test_a_test_without_a_key_that_signs_or_a_turn_sends_nothing(scene, receiver, settings, monkeypatch):
    webhook = add(scene, receiver)
    with monkeypatch.context() as busy:
        busy.setattr(webhooks, "_trials", threading.BoundedSemaphore(1))
        webhooks._trials.acquire()
        assert (
            "No test was sent. Other tests are being sent."
            in send_test(scene.browser("podium", ADMINISTRATOR))[1]
        )
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another " * 8, []
    trial = webhooks.send_test(webhook)
    assert trial.milliseconds is None and "no longer has" in trial.error
    assert receiver.requests == []


def test_only_who_prepares_webhooks_sends_a_test_and_none_to_one_that_ended(scene, receiver):
    add(scene, receiver)
    assert send_test(scene.browser("podium", "compliance"))[0] == 403
    assert "Send a test" not in page(scene, "compliance", "?webhook=WH-0001")
    assert "Send a test" in page(scene, ADMINISTRATOR, "?webhook=WH-0001")
    assert send_test(scene.browser("podium", ADMINISTRATOR), "")[0] == 422
    scene.in_room("end_webhook", {"webhook": "WH-0001"}, by="compliance")
    status, text = send_test(scene.browser("podium", ADMINISTRATOR))
    assert status == 422 and "there is no such webhook, or it has ended" in text
    assert receiver.requests == []


def test_a_test_holds_no_connection_while_the_receiver_takes_its_time(scene, receiver, monkeypatch):
    webhook = add(scene, receiver)
    post_without_connection(monkeypatch)
    assert webhooks.send_test(webhook).http_status == 204

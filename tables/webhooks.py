"""Webhooks: systems outside are told that the record has more entries, by Standard Webhooks 1.0.

1. One person prepares an address (`add_webhook`), and another approves it (games/separation, row `webhooks`), because
   data leaves by it. It is told of entries of its types from then on. A person who may prepare or approve it may
   end it at once (`end_webhook`).
2. The ticker makes a message where there is more (`tell`), and sends it by an `audit.delivery.Outbox`: which streams
   have entries after which number, and of which types. It has no content of entries: the receiver reads them by
   `GET /api/v1/entries` from its own position, with a client's rights. A webhook has one message at a time, so they
   arrive in the order of the record, and what is written meanwhile is in the next one.
3. A message that fails is tried again over 75 hours (`WAITS`). Then it is given up, and the webhook stops until a
   person replays it from a number (`replay_webhook`). An answer 410 ends the webhook.
4. Messages are signed by Ed25519 (`v1a`). The private key is derived from `SECRET_KEY`, so the database has none.
   After `rotate_webhook_key` both keys sign for a week.
5. A request goes to the address that was checked (`webhook_request.py`), and follows no redirect.
6. Who prepares webhooks may send a message for a test (`send_test`). It is no delivery: nothing of it is stored.
"""

import asyncio
import base64
import datetime as dt
import logging
import threading
import time
import uuid
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Annotated, Any, NamedTuple, TypedDict, Unpack

from channels.db import database_sync_to_async
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from django.conf import settings
from django.db import transaction
from django.db.models import Q

from audit import chain, clock, event_log, people, record
from audit.columns import ACTOR, AT, FACILITY, NONE, constant, declare, named, same
from audit.delivery import Claim, GivenUp, Outbox, Undelivered, listed_waits
from audit.entry_types import ENTRY_TYPES, entry_type
from audit.event_log import HORIZON, PositionGone
from audit.logs import OutageLog
from audit.models import Entry, Stream
from games.act_forms import found, text, whole, words
from games.engine import Refusal, RefusalCode
from games.facility_runner import next_code
from games.models import PreparedChange
from games.separation import policy
from tables.core.alerts import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_rule,
    tables_concerned,
)
from tables.models import Webhook, WebhookKey, WebhookMessage
from tables.runner.facility import SETUP, ActOutcome, FacilityContext, facility_act
from tables.webhook_request import MalformedAddress, post, read_address, verify_reachable

log = logging.getLogger(__name__)
Status = WebhookMessage.Status
SUBJECT = "webhooks"
PREPARERS = policy.roles_of(SUBJECT, "prepare")
TEST_TYPE = "webhook.test"  # of a message; no entry has it
STOPPERS = policy.roles_of(SUBJECT, "prepare", "approve")
MAX_URL, MAX_PURPOSE, MAX_TYPES = 300, 120, 40
OVERLAP = dt.timedelta(days=7)  # in which the key before signs beside the next one
MOST_ENTRIES = 2_000  # in one message
MOST_BYTES = 19_000  # of its streams; the rest is a few hundred, and all less than 20 kB
LINE_BYTES = 80  # of a stream, without its name and types
MESSAGES_IN_A_ROW = 20
MOST_AT_ONCE = 64  # webhooks that send at one moment
TESTS_AT_ONCE = 4  # of a worker; each takes a thread for as long as the receiver takes
KEPT = dt.timedelta(days=1)  # messages that arrived
KEPT_FAILED = dt.timedelta(days=90)
SECONDS, FORGET_SECONDS = 1.0, 600.0
# Each wait follows a try that failed; the last try is 75 hours after the first one, or up to a tenth later.
WAITS = (
    dt.timedelta(seconds=5), dt.timedelta(minutes=5), dt.timedelta(minutes=30),
    *(dt.timedelta(hours=hours) for hours in (2, 5, 10, 14, 20, 24)),
)  # fmt: skip

NO_SUCH_WEBHOOK = RefusalCode(
    "no-such-webhook", "There is no webhook %(webhook)s here, or it has ended.", "No such webhook"
)
WEBHOOK_ADDRESS_MALFORMED = RefusalCode(
    "webhook-address-malformed", "%(url)s is no address for a webhook: %(why)s.", "Another address"
)
NO_SUCH_ENTRY_TYPE = RefusalCode(
    "no-such-entry-type",
    "No entry has the type %(type)s. Give a name such as round.settled, or a beginning such as round.",
    "No such type",
)
WEBHOOK_EXISTS = RefusalCode(
    "webhook-exists", "%(webhook)s already tells %(url)s. End it first.", "Told already"
)
NO_SUCH_NUMBER = RefusalCode(
    "no-such-number", "%(place)s has no entry %(number)s to begin from.", "No such entry"
)


# What the record says


class AboutWebhook(TypedDict):
    webhook: Annotated[str, "code of the webhook, such as WH-0001"]


@entry_type("webhook.added")
def WEBHOOK_ADDED(
    *,
    url: Annotated[str, "the address that is told"],
    purpose: Annotated[str, "which system receives it, and why"],
    types: Annotated[list[str], "entry types, or beginnings that end in a dot; all if empty"],
    public_key: Annotated[str, "its first key: whpk_ and base64 of the Ed25519 public key"],
    **data: Unpack[AboutWebhook],
) -> str:
    """A webhook was added: from then on an address outside is told that there are more entries."""
    return f"{data['webhook']} added: {url} is told of {_types_in_words(types)}"


@entry_type("webhook.key_rotated")
def WEBHOOK_KEY_ROTATED(
    *,
    number: Annotated[int, "number of the key, from 1"],
    public_key: Annotated[str, "the key that signs from now on: whpk_ and base64"],
    before_ends_at: Annotated[str, "until when the key before signs too"],
    **data: Unpack[AboutWebhook],
) -> str:
    """A webhook got another key. The one before signs beside it for a week."""
    return f"{data['webhook']} got key {number}"


@entry_type("webhook.replayed")
def WEBHOOK_REPLAYED(
    *,
    place: Annotated[str, "the stream, without its facility"],
    number: Annotated[int, "number of the entry on it from which all streams are told again"],
    **data: Unpack[AboutWebhook],
) -> str:
    """A webhook was set back to tell again from an entry on. It begins again if it had stopped."""
    return f"{data['webhook']} replayed from {place} {number}"


WEBHOOK_ENDED = entry_type(
    "webhook.ended",
    AboutWebhook,
    "A webhook was ended by a person.",
    lambda data: f"{data['webhook']} ended",
)
WEBHOOK_GONE = entry_type(
    "webhook.gone",
    AboutWebhook,
    "A webhook ended because its receiver answered 410: it wants nothing more.",
    lambda data: f"{data['webhook']} ended by its receiver",
)
declare(
    Webhook,
    "webhook",
    key={"facility": FACILITY, "code": "webhook"},
    created={
        WEBHOOK_ADDED: {
            **same("url", "purpose", "types"),
            "added_at": AT,
            "added_by": ACTOR,
            "ended_at": NONE,
            "ended_by": NONE,
        }
    },
    changed={
        WEBHOOK_ENDED: {"ended_at": AT, "ended_by": ACTOR},
        WEBHOOK_GONE: {"ended_at": AT, "ended_by": NONE},
    },
    unproven=dict.fromkeys(("stopped_at", "told_id"), "how far its messages are; receivers read the entries"),
)


def _rotated(rows: Any, body: dict[str, Any]) -> None:
    """The key before ends a week later."""
    data = body["data"]
    key = FACILITY(body), data["webhook"]
    if rows.get(*key, data["number"] - 1) is not None:
        rows.put(body, *key, data["number"] - 1, ends_at=data["before_ends_at"])
    made = {
        "public_key": data["public_key"],
        "made_at": body["at"],
        "made_by": body["actor"],
        "ends_at": None,
    }
    rows.put(body, *key, data["number"], **made)


declare(
    WebhookKey,
    "key of webhook",
    key={"facility": FACILITY, "webhook": "webhook", "number": constant(1)},
    created={WEBHOOK_ADDED: {"public_key": "public_key", "made_at": AT, "made_by": ACTOR, "ends_at": NONE}},
    folded={WEBHOOK_KEY_ROTATED: _rotated},
    readings={
        "facility": named("webhook__facility__code", "webhook"),
        "webhook": named("webhook__code", "webhook"),
    },
)
declare(
    WebhookMessage,
    "message",
    unproven=dict.fromkeys(
        (
            *("webhook", "message_id", "made_at", "after_id", "until_id", "entries", "body", "http_status"),
            *("status", "attempts", "next_try_at", "claimed_at", "done_at", "error"),
        ),
        "that there is more to read; the record is what is read",
    ),
)


def _types_in_words(types: Iterable[str]) -> str:
    return ", ".join(types) or "every entry"


# Acts


def _webhook_by_code(ctx: FacilityContext, code: str) -> Webhook:
    """The webhook with this code that has not ended, locked. Raises `no-such-webhook`."""
    rows = Webhook.objects.select_for_update().filter(facility=ctx.facility, code=code, ended_at=None)
    webhook = rows.first()
    if webhook is None:
        raise Refusal(NO_SUCH_WEBHOOK, webhook=code)
    return webhook


_Named = Annotated[Webhook, found(text(20), _webhook_by_code)]


@facility_act(SETUP, roles=PREPARERS, subject=SUBJECT, step_up="office")
def add_webhook(
    ctx: FacilityContext,
    *,
    url: Annotated[str, text(MAX_URL)],
    purpose: Annotated[str, text(MAX_PURPOSE)],
    types: Annotated[tuple[str, ...], words(MAX_TYPES)] = (),
) -> ActOutcome:
    """Tell an address outside of new entries, from the approval on. `types`: all if empty.

    Raises `webhook-address-malformed`, `webhook-exists` or `no-such-entry-type`.
    """
    try:
        verify_reachable(read_address(url))
    except MalformedAddress as error:
        raise Refusal(WEBHOOK_ADDRESS_MALFORMED, url=url, why=str(error)) from None
    for type_ in types:
        if not any(event_log.is_of_types(name, [type_]) for name in ENTRY_TYPES):
            raise Refusal(NO_SUCH_ENTRY_TYPE, type=type_)
    here = Webhook.objects.filter(facility=ctx.facility)
    if same_url := here.filter(url=url, ended_at=None).first():
        raise Refusal(WEBHOOK_EXISTS, webhook=same_url.code, url=url)
    webhook = Webhook.objects.create(
        facility=ctx.facility,
        code=_code_of_new(ctx),
        url=url,
        purpose=purpose,
        types=list(types),
        added_at=ctx.now,
        added_by=ctx.actor,
        told_id=HORIZON.read(),
    )
    key = _make_key(webhook, 1, ctx)
    entry = WEBHOOK_ADDED(
        webhook=webhook.code, url=url, purpose=purpose, types=list(types), public_key=key.public_key
    )
    return ActOutcome(entry, {"webhook": webhook.code})


def _code_of_new(ctx: FacilityContext) -> str:
    """The code of a new webhook: while it is prepared a code that nobody was shown yet, on approval that same code.

    Several may wait for approval at once, and be approved in any order.
    """
    if ctx.approving is not None:
        return str(ctx.approving.entry_data["webhook"])
    prepared = PreparedChange.objects.filter(facility=ctx.facility, act=add_webhook.__name__)
    promised = prepared.values_list("entry_data__webhook", flat=True)
    return next_code(Webhook.objects.filter(facility=ctx.facility), "WH", promised)


@facility_act(SETUP, roles=STOPPERS)
def end_webhook(ctx: FacilityContext, *, webhook: _Named) -> ActOutcome:
    """End a webhook at once, for good. Raises `no-such-webhook`."""
    webhook.ended_at, webhook.ended_by = ctx.now, ctx.actor
    webhook.save(update_fields=["ended_at", "ended_by"])
    _give_up_waiting(webhook, "The webhook was ended.")
    return ActOutcome(WEBHOOK_ENDED({"webhook": webhook.code}), {"webhook": webhook.code})


@facility_act(SETUP, roles=PREPARERS, step_up="always")
def rotate_webhook_key(ctx: FacilityContext, *, webhook: _Named) -> ActOutcome:
    """Sign with another key. The one before signs too, for a week. Raises `no-such-webhook`."""
    newest = webhook.keys.order_by("-number")[0]
    ends_at = ctx.now + OVERLAP
    newest.ends_at = ends_at
    newest.save(update_fields=["ends_at"])
    key = _make_key(webhook, newest.number + 1, ctx)
    entry = WEBHOOK_KEY_ROTATED(
        webhook=webhook.code,
        number=key.number,
        public_key=key.public_key,
        before_ends_at=clock.format_moment(ends_at),
    )
    return ActOutcome(entry, {"webhook": webhook.code, "public_key": key.public_key})


@facility_act(SETUP, roles=PREPARERS)
def replay_webhook(
    ctx: FacilityContext,
    *,
    webhook: _Named,
    place: Annotated[str, text(40)],
    number: Annotated[int, whole(1, 10**12)],
) -> ActOutcome:
    """Tell all streams again from this entry on, and begin again if the webhook had stopped.

    `place`: the stream without its facility, such as T-04. Raises `no-such-webhook` or `no-such-number`.
    """
    stream = Stream.objects.filter(name=f"{ctx.facility.code}/{place}", real_play=True).first()
    try:
        after = event_log.position_before(stream, number) if stream else None
    except PositionGone:
        after = None
    if after is None:
        raise Refusal(NO_SUCH_NUMBER, place=place, number=number)
    _give_up_waiting(webhook, f"Replaced by a replay from {place} {number}.")
    webhook.told_id, webhook.stopped_at = after, None
    webhook.save(update_fields=["told_id", "stopped_at"])
    entry = WEBHOOK_REPLAYED(webhook=webhook.code, place=place, number=number)
    return ActOutcome(entry, {"webhook": webhook.code}, changes="nothing")


def _give_up_waiting(webhook: Webhook, why: str) -> None:
    """Give up the message that is not done. A try that is under way stores nothing more of it, and stops nothing."""
    waiting = webhook.messages.filter(status__in=(Status.DUE, Status.WRITING))
    waiting.update(status=Status.FAILED, error=why, claimed_at=None)


# Keys and signatures


KEY_INFO = "pitside.webhook.v1"


def _make_key(webhook: Webhook, number: int, ctx: FacilityContext) -> WebhookKey:
    public = _public_text(_private_key(settings.SECRET_KEY, webhook, number))
    return WebhookKey.objects.create(
        webhook=webhook, number=number, public_key=public, made_at=ctx.now, made_by=ctx.actor
    )


def _private_key(secret: str, webhook: Webhook, number: int) -> Ed25519PrivateKey:
    info = f"{KEY_INFO}:{webhook.facility.code}/{webhook.code}:{number}"
    seed = HKDF(SHA256(), length=32, salt=None, info=info.encode()).derive(secret.encode())
    return Ed25519PrivateKey.from_private_bytes(seed)


def _public_text(key: Ed25519PrivateKey) -> str:
    return "whpk_" + base64.b64encode(key.public_key().public_bytes_raw()).decode()


def signatures(webhook: Webhook, message_id: str, timestamp: int, body: bytes, now: dt.datetime) -> str:
    """The `webhook-signature` of a message: one of each key that has not ended, newest first. Raises Undelivered."""
    signed = f"{message_id}.{timestamp}.".encode() + body
    keys = [key for key in webhook.keys.order_by("-number") if key.ends_at is None or key.ends_at > now]
    made = [private.sign(signed) for key in keys if (private := _private_half(webhook, key)) is not None]
    if not made:
        raise Undelivered("Its key was made with a SECRET_KEY that the server no longer has. Rotate the key.")
    return " ".join(f"v1a,{base64.b64encode(signature).decode()}" for signature in made)


def _private_half(webhook: Webhook, key: WebhookKey) -> Ed25519PrivateKey | None:
    for secret in (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS):
        private = _private_key(secret, webhook, key.number)
        if _public_text(private) == key.public_key:
            return private
    return None


# Messages


class _Stretch(NamedTuple):
    """What a message says of a stream: the number after which there is more, the last number, and the types."""

    after: int
    until: int
    types: set[str]


def make_message(webhook_id: int) -> bool:
    """Make the next message of a webhook, if there is more and none is waiting. Returns whether one was made."""
    with transaction.atomic():
        webhook = (
            Webhook.objects.select_for_update(of=("self",)).select_related("facility").get(pk=webhook_id)
        )
        waiting = webhook.messages.filter(status__in=(Status.DUE, Status.WRITING))
        if webhook.ended_at or webhook.stopped_at or waiting.exists():
            return False
        horizon = HORIZON.read()
        if horizon <= webhook.told_id:
            return False
        streams, count, until = _read_stretches(webhook, horizon)
        after, webhook.told_id = webhook.told_id, until
        webhook.save(update_fields=["told_id"])
        if not streams:
            return False
        now = clock.now()
        WebhookMessage.objects.create(
            webhook=webhook,
            made_at=now,
            next_try_at=now,
            after_id=after,
            until_id=until,
            entries=count,
            body=_body(webhook, after, until, streams, now),
        )
    return True


def _read_stretches(webhook: Webhook, horizon: int) -> tuple[dict[str, _Stretch], int, int]:
    """The streams with entries of the webhook's types after `told_id`, how many, and up to which id they were read."""
    names = {stream.pk: stream.name for stream in event_log.streams_of(webhook.facility.code)}
    rows = Entry.objects.filter(
        event_log.of_types(webhook.types), stream__in=list(names), pk__gt=webhook.told_id, pk__lte=horizon
    )
    streams: dict[str, _Stretch] = {}
    size, until = 0, webhook.told_id
    listed = rows.order_by("pk").values_list("pk", "stream_id", "seq", "type")[:MOST_ENTRIES]
    count = 0
    for count, (pk, stream_id, seq, type_) in enumerate(listed, start=1):
        name = names[stream_id]
        stretch = streams.get(name) or _Stretch(seq - 1, seq, set())
        size += (0 if name in streams else LINE_BYTES + len(name)) + (
            0 if type_ in stretch.types else len(type_) + 3
        )
        if size > MOST_BYTES:
            return streams, count - 1, until
        streams[name] = _Stretch(stretch.after, seq, stretch.types | {type_})
        until = pk
    return streams, count, until if count == MOST_ENTRIES else horizon


def _body(webhook: Webhook, after: int, until: int, streams: dict[str, _Stretch], now: dt.datetime) -> str:
    of_facility = event_log.streams_of(webhook.facility.code)
    data = {
        "facility": webhook.facility.code,
        "after": event_log.position_at(of_facility, after),
        "until": event_log.position_at(of_facility, until),
        "streams": [
            {"stream": name, "after": stretch.after, "until": stretch.until, "types": sorted(stretch.types)}
            for name, stretch in sorted(streams.items())
        ],
    }
    return chain.canonical(
        {"type": "entries.more", "timestamp": clock.format_moment(now), "data": data}
    ).decode()


def _deliver(message: WebhookMessage, claim: Claim[WebhookMessage]) -> dict[str, Any]:
    """Send a message once. Returns what is stored of it; raises Undelivered, and GivenUp after an answer 410."""
    webhook, body = message.webhook, message.body.encode()
    headers = _signed_headers(webhook, message.message_id, body, clock.now())
    people.release_connection()  # a receiver may take long
    status = post(webhook.url, body, headers)
    if status == 410:
        _end_gone(webhook)
        raise GivenUp(
            "It answered 410: the receiver wants nothing more, and the webhook has ended.", http_status=410
        )
    if not _is_taken(status):
        raise Undelivered(_not_taken(status), http_status=status)
    return {"http_status": status}


def _signed_headers(webhook: Webhook, message_id: uuid.UUID, body: bytes, now: dt.datetime) -> dict[str, str]:
    """The headers of a message that is sent now. Raises Undelivered where no key can sign."""
    name, timestamp = f"msg_{message_id.hex}", int(now.timestamp())
    return {
        "Content-Type": "application/json",
        "User-Agent": "Pitside-Webhooks/1",
        "webhook-id": name,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signatures(webhook, name, timestamp, body, now),
    }


def _is_taken(status: int) -> bool:
    return 200 <= status < 300


def _not_taken(status: int) -> str:
    redirected = ", a redirect, which is not followed" if 300 <= status < 400 else ""
    return f"It answered {status}{redirected}."


OUTBOX = Outbox(
    WebhookMessage,
    _deliver,
    related="webhook__facility",
    lease=dt.timedelta(minutes=2),
    waits=listed_waits(WAITS),
    interrupted="The server stopped while it sent the message.",
    log=log,
)


@transaction.atomic
def _end_gone(webhook: Webhook) -> None:
    stream = record.lock_stream(f"{webhook.facility.code}/{SETUP}")
    row = Webhook.objects.select_for_update(of=("self",)).get(pk=webhook.pk)
    if row.ended_at is not None:
        return
    now = clock.never_before(stream, clock.now())
    row.ended_at = now
    row.save(update_fields=["ended_at"])
    record.append(
        stream,
        entry=WEBHOOK_GONE({"webhook": webhook.code}),
        moment=now,
        gaming_day=webhook.facility.gaming_day(now),
    )


# A message for a test


@dataclass(frozen=True)
class Trial:
    """What became of a message for a test.

    `http_status`: None without an answer. `milliseconds`: until the answer or the failure, None where nothing was sent.
    `error`: what went wrong; empty if it arrived.
    """

    sent_at: dt.datetime
    message_id: uuid.UUID
    http_status: int | None
    milliseconds: int | None
    error: str


_trials = threading.BoundedSemaphore(TESTS_AT_ONCE)


def send_test(webhook: Webhook) -> Trial:
    """Send the receiver of a webhook a message for a test, once, and return what became of it.

    It is signed as every message, and its type is `webhook.test`. It is no delivery: it is stored nowhere, is not tried
    again, and an answer 410 ends nothing. Takes up to 20 seconds, and holds no connection meanwhile; must not run
    inside a transaction.
    """
    now, message_id = clock.now(), uuid.uuid4()
    about = {"facility": webhook.facility.code, "webhook": webhook.code}
    body = chain.canonical({"type": TEST_TYPE, "timestamp": clock.format_moment(now), "data": about})
    if not _trials.acquire(blocking=False):
        return Trial(now, message_id, None, None, "Other tests are being sent. Try again in a few seconds.")
    begun: float | None = None
    status, error = None, ""
    try:
        headers = _signed_headers(webhook, message_id, body, now)
        people.release_connection()
        begun = time.monotonic()
        status = post(webhook.url, body, headers)
        error = "" if _is_taken(status) else _not_taken(status)
    except Undelivered as failure:
        error = str(failure)
    finally:
        _trials.release()
    milliseconds = None if begun is None else round((time.monotonic() - begun) * 1000)
    return Trial(now, message_id, status, milliseconds, error)


# Telling


def tell(webhook_id: int) -> int:
    """Send the messages of a webhook that are due, one after another. Returns how many arrived."""
    messages = WebhookMessage.objects.filter(webhook=webhook_id).order_by("pk")
    for count in range(MESSAGES_IN_A_ROW):
        make_message(webhook_id)
        tried = OUTBOX.deliver(messages.filter(status__in=(Status.DUE, Status.WRITING)))
        if not tried:
            return count
        # Not one that was given up by a person meanwhile, and no webhook that was replayed since.
        failed = messages.filter(pk__in=tried, status=Status.FAILED, claimed_at__isnull=False)
        stopped = Webhook.objects.filter(pk=webhook_id, ended_at=None, told_id__in=failed.values("until_id"))
        stopped.update(stopped_at=clock.now())
        if not messages.filter(pk__in=tried, status=Status.DONE).exists():
            return count
    return MESSAGES_IN_A_ROW


# Alerts about webhooks that do not arrive


FAILING_AFTER = dt.timedelta(hours=1)
ALERT_TICKS = 60
WEBHOOK_STOPPED = AlertKind(
    "webhook",
    "webhook:stopped:{cause}",
    Level.WARN,
    "Webhook",
    "A webhook has stopped",
    "%(webhook)s sends nothing more: its receiver took no message for 75 hours. Once it works again, replay it "
    "under People, Webhooks, or end it there.",
    at_the_pit=True,
    is_everywhere=True,
)
WEBHOOK_FAILING = AlertKind(
    "webhook",
    "webhook:failing:{cause}",
    Level.INFO,
    "Webhook",
    "A webhook does not arrive",
    "The receiver of %(webhook)s has taken no message for an hour. People, Webhooks says why. It is tried for 75 "
    "hours, and stops then.",
    at_the_pit=True,
    is_everywhere=True,
)


def webhook_alerts(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the webhooks that stopped, or whose message has failed for an hour, at every table in play."""
    rows = Webhook.objects.filter(ended_at=None).select_related("facility")
    waiting = WebhookMessage.objects.filter(status__in=(Status.DUE, Status.WRITING), attempts__gt=0)
    failing = {*waiting.filter(made_at__lte=now - FAILING_AFTER).values_list("webhook", flat=True)}
    alerts = []
    for webhook in rows.filter(Q(pk__in=failing) | Q(stopped_at__isnull=False)).order_by("facility", "code"):
        kind = WEBHOOK_STOPPED if webhook.stopped_at else WEBHOOK_FAILING
        cause = f"{webhook.facility.code}-{webhook.code}"
        alerts += [
            kind.expected(pk, cause=cause, webhook=webhook.code)
            for pk in tables_concerned(webhook.facility.code)
            if table_id in (None, pk)
        ]
    return alerts


alert_rule(AlertRule((WEBHOOK_STOPPED, WEBHOOK_FAILING), webhook_alerts, ALERT_TICKS))


# Sending


def active_webhooks() -> list[int]:
    """The ids of the webhooks that send."""
    return list(Webhook.objects.filter(ended_at=None, stopped_at=None).values_list("pk", flat=True))


def forget_messages() -> None:
    """Delete messages that arrived a day ago, and those that were given up three months ago."""
    now = clock.now()
    WebhookMessage.objects.filter(status=Status.DONE, done_at__lt=now - KEPT).delete()
    WebhookMessage.objects.filter(status=Status.FAILED, made_at__lt=now - KEPT_FAILED).delete()


async def run_webhooks() -> None:
    """Tell the webhooks every second until canceled.

    Each that has something to send has a thread of its own and, while its receiver takes its time, no connection of the
    pool. So a slow one delays no other, as long as fewer than `MOST_AT_ONCE` are slow, and nothing else of the process.
    """
    outage = OutageLog(log, "The sending of webhooks", "The next second tries again.", traceback=True)
    running: dict[int, asyncio.Task[int]] = {}
    threads = ThreadPoolExecutor(MOST_AT_ONCE, thread_name_prefix="webhook")
    forget_at = time.monotonic()
    try:
        while True:
            await asyncio.sleep(SECONDS)
            try:
                if time.monotonic() >= forget_at:
                    forget_at += FORGET_SECONDS
                    await database_sync_to_async(forget_messages, thread_sensitive=False)()
                for pk, task in list(running.items()):
                    if task.done():
                        del running[pk]
                        task.result()
                for pk in await database_sync_to_async(active_webhooks, thread_sensitive=False)():
                    if pk not in running:
                        send = database_sync_to_async(tell, thread_sensitive=False, executor=threads)
                        running[pk] = asyncio.create_task(send(pk))
            except Exception as error:
                outage.failed(error)
            else:
                outage.worked()
    finally:
        for task in running.values():
            task.cancel()
        threads.shutdown(wait=False, cancel_futures=True)

"""The signed head that a screen shows, and the check of the head that an act sends back.

A screen's state carries the number and hash of its stream's newest entry, the incarnation of the record, and a MAC over
them that only this server can make. The next act sends them back. So every tablet is a witness: a head with our MAC
that is not on the record shows that the record was rolled back or rewritten. The device also stores the newest head of
each table, because a restored backup takes the sessions back too: it sends them to sign in, and with its first act.
"""

import enum
import json
import re
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from django.conf import settings
from django.db.models import Max
from django.utils.crypto import constant_time_compare, salted_hmac

from audit.models import Entry, Incarnation, Stream

SALT = "pitside.head.v1"
FIRST_INCARNATION = 1  # also of a record that has no row for it yet
NUMBER_LIMIT = 2**53
HASH = re.compile(r"[0-9a-f]{64}")
MAC_LENGTH_MAX = 200
STORED_HEADS_MAX = 200
STORED_HEADS_LENGTH_MAX = 100_000  # characters
# The number of the current incarnation, as a column of a larger statement.
INCARNATION = f"(SELECT coalesce(max(i.number), {FIRST_INCARNATION}) FROM audit_incarnation i)"


def current_incarnation() -> int:
    """The number of the record's incarnation."""
    return Incarnation.objects.aggregate(newest=Max("number"))["newest"] or FIRST_INCARNATION


class HeadStatus(enum.Enum):
    """The result of checking a head that a screen sent back."""

    KNOWN = "known"  # on the record
    UNKNOWN = "unknown"  # has our MAC and is not on the record
    OLD = "old"  # the same, from an incarnation that has ended: the screen is only stale
    FORGED = "forged"  # does not have our MAC


class Head(TypedDict):
    """The newest entry of the table's stream. An act sends it back unchanged ([`docs/architecture.md`](acts.md))."""

    seq: Annotated[int, "sequence number of the newest entry"]
    head: Annotated[str, "hash of the newest entry, hex"]
    incarnation: Annotated[int, "incarnation of the record"]
    mac: Annotated[str, "the server's MAC over the other fields, hex"]


@dataclass(frozen=True, slots=True)
class ClaimedHead:
    """A head as a device sent it, not trusted until `check_head` has checked it. `head` is the hash in hex."""

    seq: int
    head: str
    incarnation: int
    mac: str


def signed_head(stream: Stream, incarnation: int) -> Head:
    """The head of this stream for a screen, with the MAC in hex."""
    head = bytes(stream.head).hex()
    mac = _mac(settings.SECRET_KEY, stream.name, incarnation, stream.seq, head)
    return {"seq": stream.seq, "head": head, "incarnation": incarnation, "mac": mac}


def parse_head(value: Any) -> ClaimedHead | None:
    """Parse the head in the body of an act. None if none was sent. Raises ValueError if it is malformed."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError("a head is an object")
    head, mac = value.get("head"), value.get("mac")
    seq, incarnation = _integer(value.get("seq"), 0), _integer(value.get("incarnation"), FIRST_INCARNATION)
    if not (isinstance(head, str) and HASH.fullmatch(head)):
        raise ValueError("a head has a hash")
    if mac is not None and not (isinstance(mac, str) and mac.isascii() and len(mac) <= MAC_LENGTH_MAX):
        raise ValueError("a MAC is text")
    return ClaimedHead(seq, head, incarnation, mac or "")


def parse_stored_head(value: Any) -> ClaimedHead | None:
    """Parse a head that a device has stored; None if it is malformed, because what is stored may be of any age."""
    try:
        return parse_head(value)
    except ValueError:
        return None


def parse_stored_heads(text: str) -> dict[str, ClaimedHead]:
    """Parse what a device has stored, as it sends it to sign in: a JSON object of heads by the name of their stream.

    Leaves out what is malformed, and everything after the first 200.
    """
    try:
        values = json.loads(text[:STORED_HEADS_LENGTH_MAX])
    except (ValueError, RecursionError):
        return {}
    items = list(values.items())[:STORED_HEADS_MAX] if isinstance(values, dict) else []
    parsed = {stream: parse_stored_head(value) for stream, value in items}
    return {stream: head for stream, head in parsed.items() if head is not None}


def check_head(stream: Stream, incarnation: int, claim: ClaimedHead) -> HeadStatus:
    """Check a head against a stream that was read under its lock, in this incarnation of the record.

    Queries the database only for a head that is not the newest.
    """
    if not has_our_mac(stream, claim):
        return HeadStatus.FORGED
    if hash_on_record(stream, claim.seq) == claim.head:
        return HeadStatus.KNOWN
    return HeadStatus.OLD if claim.incarnation < incarnation else HeadStatus.UNKNOWN


def has_our_mac(stream: Stream, claim: ClaimedHead) -> bool:
    """Whether we made this MAC, with the secret key or one of its fallbacks (recently replaced keys)."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    made = [_mac(key, stream.name, claim.incarnation, claim.seq, claim.head) for key in keys]
    return any(constant_time_compare(mac, claim.mac) for mac in made)


def hash_on_record(stream: Stream, seq: int) -> str:
    """The hash on the record at this number, in hex; empty if there is no such entry."""
    if seq == stream.seq:
        return bytes(stream.head).hex()
    if seq > stream.seq:
        return ""
    if seq == 0:
        return bytes(Stream.at_genesis(stream.name).head).hex()
    digest = Entry.objects.filter(stream=stream.pk, seq=seq).values_list("hash", flat=True).first()
    return bytes(digest).hex() if digest is not None else ""


def _mac(key: Any, stream: str, incarnation: int, seq: int, head: str) -> str:
    message = f"{stream}\n{incarnation}\n{seq}\n{head}"  # a stream's name has no line feed
    return salted_hmac(SALT, message, secret=key, algorithm="sha256").hexdigest()


def _integer(value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < NUMBER_LIMIT:
        raise ValueError("a head has whole numbers")
    return value

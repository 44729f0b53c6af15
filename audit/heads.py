"""The head that a screen shows, the server's MAC of it, and what a head that comes back means.

A screen's state carries the number and hash of its stream's newest entry, the incarnation of the record, and a MAC over
them that only this server can make. The next act sends them back. So every tablet is a witness of the record: a head
that was ours and that the record does not know says that the record has gone back, or was rewritten.
"""

import enum
import re
from dataclasses import dataclass
from typing import Annotated, Any, TypedDict

from django.conf import settings
from django.utils.crypto import constant_time_compare, salted_hmac

from audit.models import Entry, Stream

SALT = "pitside.head.v1"
FIRST = 1  # the incarnation of a record that has none yet
MOST = 2**53
HASH = re.compile(r"[0-9a-f]{64}")
LONGEST_MAC = 200
# Within a statement that is read anyway: the number of the incarnation that the record is in.
INCARNATION = f"(SELECT coalesce(max(i.number), {FIRST}) FROM audit_incarnation i)"


class Verdict(enum.Enum):
    """What a head that came back is."""

    KNOWN = "known"  # it is on the record
    UNKNOWN = "unknown"  # it was ours, and the record does not know it
    OLD = "old"  # the same, of an incarnation that was declared over: only stale
    FORGED = "forged"  # its MAC is not ours


class Head(TypedDict):
    """The newest entry of the table's stream. An act sends it back unchanged ([`docs/acts.md`](acts.md))."""

    seq: Annotated[int, "sequence number of the newest entry"]
    head: Annotated[str, "hash of the newest entry, hex"]
    incarnation: Annotated[int, "incarnation of the record"]
    mac: Annotated[str, "the server's MAC over the other fields, hex"]


@dataclass(frozen=True, slots=True)
class Claim:
    """A head as a screen sent it: nothing of it is believed before `judge` was asked. `head` is the hash in hex."""

    seq: int
    head: str
    incarnation: int
    mac: str


def shown(stream: Stream, incarnation: int) -> Head:
    """The head of this stream as a screen shows it, with the MAC in hex."""
    head = bytes(stream.head).hex()
    mac = _mac(settings.SECRET_KEY, stream.name, incarnation, stream.seq, head)
    return {"seq": stream.seq, "head": head, "incarnation": incarnation, "mac": mac}


def claimed(value: Any) -> Claim | None:
    """The head in the body of an act; None where none was sent. Raises ValueError for what has not its shape."""
    if value is None:
        return None
    if not isinstance(value, dict):
        raise ValueError("a head is an object")
    head, mac = value.get("head"), value.get("mac")
    seq, incarnation = _whole(value.get("seq"), 0), _whole(value.get("incarnation"), FIRST)
    if not (isinstance(head, str) and HASH.fullmatch(head)):
        raise ValueError("a head has a hash")
    if mac is not None and not (isinstance(mac, str) and mac.isascii() and len(mac) <= LONGEST_MAC):
        raise ValueError("a MAC is text")
    return Claim(seq, head, incarnation, mac or "")


def judge(stream: Stream, incarnation: int, claim: Claim) -> Verdict:
    """What this head is, at a stream as it was read under its lock, in this incarnation of the record.

    Asks the database only about a head that is older than the newest one.
    """
    if not _is_ours(stream.name, claim):
        return Verdict.FORGED
    if hash_on_record(stream, claim.seq) == claim.head:
        return Verdict.KNOWN
    return Verdict.OLD if claim.incarnation < incarnation else Verdict.UNKNOWN


def hash_on_record(stream: Stream, seq: int) -> str:
    """What the record has at this number, in hex; empty where it has nothing."""
    if seq == stream.seq:
        return bytes(stream.head).hex()
    if seq > stream.seq:
        return ""
    if seq == 0:
        return bytes(Stream.at_genesis(stream.name).head).hex()
    digest = Entry.objects.filter(stream=stream.pk, seq=seq).values_list("hash", flat=True).first()
    return bytes(digest).hex() if digest is not None else ""


def _is_ours(stream: str, claim: Claim) -> bool:
    """A key that was changed lately still counts: it is among the fallbacks."""
    keys = (settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS)
    made = [_mac(key, stream, claim.incarnation, claim.seq, claim.head) for key in keys]
    return any(constant_time_compare(mac, claim.mac) for mac in made)


def _mac(key: Any, stream: str, incarnation: int, seq: int, head: str) -> str:
    message = f"{stream}\n{incarnation}\n{seq}\n{head}"  # a stream's name has no line feed
    return salted_hmac(SALT, message, secret=key, algorithm="sha256").hexdigest()


def _whole(value: Any, least: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value < MOST:
        raise ValueError("a head has whole numbers")
    return value

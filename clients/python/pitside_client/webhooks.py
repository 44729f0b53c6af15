"""What a webhook has sent: checked by Standard Webhooks 1.0 with the Ed25519 keys of the page *Webhooks* (`v1a`)."""

import base64
import binascii
import json
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

PUBLIC_KEY = "whpk_"
VERSION = "v1a"
TOLERANCE_SECONDS = 300.0


class NotSigned(Exception):
    """A message that nobody with one of these keys has signed for now, or that is no JSON object.

    Answer it with 400, and do nothing.
    """


@dataclass(frozen=True)
class Told:
    """A message that was signed. The same `id` may come again: then it is the same message."""

    id: str
    sent_at: float
    content: dict[str, Any]


def verify_webhook(
    public_keys: Iterable[str], headers: Mapping[str, str], body: bytes, *, now: float | None = None
) -> Told:
    """The message that these headers and this body are. Raises NotSigned, and ValueError for a key that is none.

    `public_keys`: each as the page shows it, `whpk_…`; give two while one replaces the other. `headers`: in any case.
    `body`: its exact bytes. A message is refused that was signed more than five minutes from `now`
    (seconds since 1970).
    """
    said = {name.lower(): value for name, value in headers.items()}
    try:
        message, stamp = said["webhook-id"], said["webhook-timestamp"]
        signatures = said["webhook-signature"].split()
        sent_at = int(stamp)
    except (KeyError, ValueError):
        raise NotSigned("It has no id, no time or no signature.") from None
    if abs((time.time() if now is None else now) - sent_at) > TOLERANCE_SECONDS:
        raise NotSigned("It was signed at another time.")
    signed = f"{message}.{stamp}.".encode() + body
    keys = [_key(text) for text in public_keys]
    if not any(_is_signed(key, signature, signed) for key in keys for signature in signatures):
        raise NotSigned("No signature is of one of these keys.")
    return Told(message, float(sent_at), _content(body))


def _content(body: bytes) -> dict[str, Any]:
    try:
        content = json.loads(body)
    except ValueError:  # also bytes that are no UTF-8
        content = None
    if not isinstance(content, dict):
        raise NotSigned("It is signed, but no JSON object.")
    return content


def _key(text: str) -> Ed25519PublicKey:
    """The public key. Raises ValueError for text that is none."""
    if not text.startswith(PUBLIC_KEY):
        raise ValueError(f"A public key begins with {PUBLIC_KEY}.")
    return Ed25519PublicKey.from_public_bytes(base64.b64decode(text.removeprefix(PUBLIC_KEY), validate=True))


def _is_signed(key: Ed25519PublicKey, signature: str, signed: bytes) -> bool:
    version, _comma, text = signature.partition(",")
    if version != VERSION:
        return False
    try:
        key.verify(base64.b64decode(text, validate=True), signed)
    except (InvalidSignature, binascii.Error, ValueError):
        return False
    return True

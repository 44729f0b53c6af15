"""A receiver of webhooks for a try: it checks each message, says what came, and answers.

    python receiver.py 8365 whpk_…

listens at http://127.0.0.1:8365/. The keys are those of the page *Webhooks*: two for a week after a rotation. Without
a key it takes every message unchecked, for a try before the webhook is approved. It needs `cryptography`.
"""

import base64
import sys
import time
from collections.abc import Callable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

TOLERANCE_SECONDS = 300


def is_signed(
    headers: Mapping[str, str], body: bytes, public_key: str, now: Callable[[], float] = time.time
) -> bool:
    """Whether a message was signed by this key (`whpk_…`) within the last five minutes. `body` are its bytes.

    `headers` are found by names in small letters. Raises ValueError for a key that is none.
    """
    key = Ed25519PublicKey.from_public_bytes(base64.b64decode(public_key.removeprefix("whpk_")))
    try:
        signed = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
        is_late = abs(now() - int(headers["webhook-timestamp"])) > TOLERANCE_SECONDS
        signatures = headers["webhook-signature"].split()
    except (KeyError, ValueError):
        return False
    return not is_late and any(_is_of_key(key, signature, signed) for signature in signatures)


def _is_of_key(key: Ed25519PublicKey, signature: str, signed: bytes) -> bool:
    version, _comma, text = signature.partition(",")
    try:
        key.verify(base64.b64decode(text), signed)
    except (InvalidSignature, ValueError):
        return False
    return version == "v1a"


def handler_of(public_keys: list[str]) -> type[BaseHTTPRequestHandler]:
    """The handler of a receiver that knows these keys."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            is_good = any(is_signed(headers, body, key) for key in public_keys)
            state = "signed" if is_good else "not signed" if public_keys else "unchecked"
            print(f"{headers.get('webhook-id')} {state}: {body.decode(errors='replace')}", flush=True)
            self.send_response(204 if is_good or not public_keys else 400)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            pass

    return Handler


def main() -> None:
    port, *public_keys = sys.argv[1:]
    ThreadingHTTPServer(("127.0.0.1", int(port)), handler_of(public_keys)).serve_forever()


if __name__ == "__main__":
    main()

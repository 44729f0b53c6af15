"""Posts readings of dice as a dice reader does: until each is on record, with tokens that are renewed.

    PITSIDE_URL=https://pitside.example PITSIDE_CLIENT=… PITSIDE_SECRET=… python reader.py larkfield T-04 1 2 3

waits until dice are to be called at that table, and posts that it read 1, 2 and 3. A device calls `turn` every second
or two, and keeps each reading with its key until `post_reading` returns. Python's standard library is enough.
"""

import datetime as dt
import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from typing import Any

WAIT_SECONDS = 1.0
FIRMWARE = "1.0.0"  # as the approval of the shaker names it
# Not now: the token or the client is refused, the table is locked, too much was sent, or the server is busy.
LATER = frozenset({401, 403, 408, 409, 423, 425, 429})
LATER_CODES = frozenset({"reading-while-bets-are-open", "table-halted", "not-begun"})


class Connection:
    """Requests of one client. A token is renewed a minute before its end, and once after an answer 401."""

    def __init__(self, url: str, client: str, secret: str) -> None:
        self.url, self.client, self.secret = url.rstrip("/") + "/api/v1/", client, secret
        self.token, self.token_ends = "", 0.0

    def send(self, method: str, path: str, body: Any = None, key: str = "") -> tuple[int, Any]:
        """Send a request, and return the status and the JSON of its answer. Raises OSError without an answer."""
        if time.monotonic() > self.token_ends - 60 and (refusal := self._renew()):
            return refusal
        status, answer = self._send(method, path, body, key)
        if status == 401 and not self._renew():
            status, answer = self._send(method, path, body, key)
        return status, answer

    def _send(self, method: str, path: str, body: Any, key: str) -> tuple[int, Any]:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        content = None if body is None else json.dumps(body).encode()
        return ask(urllib.request.Request(self.url + path, content, headers, method=method))

    def _renew(self) -> tuple[int, Any] | None:
        """Ask for another token. Returns the answer if it was refused."""
        form = {"grant_type": "client_credentials", "client_id": self.client, "client_secret": self.secret}
        content = urllib.parse.urlencode(form).encode()
        status, answer = ask(urllib.request.Request(f"{self.url}oauth/token", content, method="POST"))
        if status != 200:
            self.token_ends = 0.0
            return status, answer
        self.token, self.token_ends = answer["access_token"], time.monotonic() + answer["expires_in"]
        return None


def ask(request: urllib.request.Request) -> tuple[int, Any]:
    """Send a request, and return the status and the JSON of its answer, also of a refusal."""
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        content = error.read()
        try:
            return error.code, json.loads(content)
        except ValueError:  # such as the page of a proxy
            return error.code, {}


def post_reading(send: Any, table: str, reading: dict[str, Any], key: str, wait: Any) -> str:
    """Post one reading until it is on record, and return its outcome.

    For a reading that the server never takes, returns the code of the refusal: show it to people.
    `send` is that of a `Connection`; `table` is facilities/…/tables/…; `key` is a UUID, stored with the reading.
    """
    while True:
        try:
            status, answer = send("POST", f"{table}/acts/post_reading", {"params": reading}, key)
        except OSError:
            wait()
            continue
        if status == 200:
            return str(answer["answer"]["outcome"])
        code = answer.get("code", "")
        if status in LATER or status >= 500 or code in LATER_CODES or not code:
            wait()
            continue
        return str(code)


def main() -> None:
    facility, place, *faces = sys.argv[1:]
    connection = Connection(
        os.environ["PITSIDE_URL"], os.environ["PITSIDE_CLIENT"], os.environ["PITSIDE_SECRET"]
    )
    table, printed = f"facilities/{facility}/tables/{place}", ""
    while True:
        status, turn = connection.send("GET", f"{table}/readings/turn")
        if status == 200 and turn["wanted"]:
            break
        now = "Waiting until the dice are to be called" if status == 200 else turn.get("detail") or turn
        if now != printed:
            print(now, flush=True)
        printed = now
        time.sleep(WAIT_SECONDS)
    reading = {
        "number": int(time.time()),
        "dice": [int(face) for face in faces],
        "read_at": dt.datetime.now(dt.UTC).isoformat(),
        "confidence": 97,
        "firmware": FIRMWARE,
    }
    print(post_reading(connection.send, table, reading, str(uuid.uuid4()), lambda: time.sleep(WAIT_SECONDS)))


if __name__ == "__main__":
    main()

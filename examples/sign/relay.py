"""A relay beside an electronic sign: it serves sign.html, keeps the secret of the client, and asks the server.

    PITSIDE_URL=https://pitside.example PITSIDE_CLIENT=… PITSIDE_SECRET=… python relay.py larkfield T-04

Then open http://127.0.0.1:8100/ in the browser of the sign. Python's standard library is enough.
"""

import json
import os
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

PAGE = Path(__file__).with_name("sign.html")
PORT = 8100


class Relay:
    """What the sign of one table asks and says. `read` and `say` return a status and the JSON of the answer."""

    def __init__(self, url: str, client: str, secret: str, facility: str, table: str) -> None:
        self.url, self.client, self.secret = url.rstrip("/"), client, secret
        self.path = f"/api/v1/facilities/{facility}/tables/{table}/sign"
        self.token, self.token_ends = "", 0.0

    def read(self) -> tuple[int, Any]:
        """What the sign shall show."""
        return self._send("GET", self.path)

    def follow(self) -> Any:
        """The server's events of what the sign shall show, by line. Raises OSError after 20 seconds without one."""
        request = urllib.request.Request(f"{self.url}{self.path}/stream", headers=self._bearer())
        try:
            with urllib.request.urlopen(request, timeout=20) as lines:
                yield from lines
        except urllib.error.HTTPError as error:
            if error.code == 401:
                self.token_ends = 0.0  # the page asks again, with another token
            raise

    def hear(self) -> tuple[int, Any]:
        """Say that the sign is there."""
        return self._send("POST", "/api/v1/heartbeat", {})

    def say(self, shows: dict[str, int], key: str) -> tuple[int, Any]:
        """Say what the sign shows. The same key may be sent until there is an answer."""
        status, answer = self._send("POST", f"{self.path}/shown", shows, {"Idempotency-Key": key})
        if answer.get("code") == "sign-shown-already":  # as after a restart of the sign
            return 200, answer
        return status, answer

    def _send(
        self, method: str, path: str, body: Any = None, headers: dict[str, str] | None = None
    ) -> tuple[int, Any]:
        content = None if body is None else json.dumps(body).encode()
        for is_last in (False, True):
            sent = {**self._bearer(), "Content-Type": "application/json", **(headers or {})}
            status, answer = ask(urllib.request.Request(self.url + path, content, sent, method=method))
            if status != 401 or is_last:
                break
            self.token_ends = 0.0  # as after a restored backup: ask for another token, once
        return status, answer

    def _bearer(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self._token()}"}

    def _token(self) -> str:
        if time.monotonic() > self.token_ends - 60:
            form = {
                "grant_type": "client_credentials",
                "client_id": self.client,
                "client_secret": self.secret,
            }
            content = urllib.parse.urlencode(form).encode()
            _status, answer = ask(
                urllib.request.Request(f"{self.url}/api/v1/oauth/token", content, method="POST")
            )
            self.token, self.token_ends = answer["access_token"], time.monotonic() + answer["expires_in"]
        return self.token


def ask(request: urllib.request.Request) -> tuple[int, Any]:
    """Send a request, and return the status and the JSON of its answer, also of a refusal."""
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.loads(error.read() or b"{}")


def handler_of(relay: Relay) -> type[BaseHTTPRequestHandler]:
    """The handler of the browser of the sign."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            if self.path == "/":
                return self.answer(200, "text/html; charset=utf-8", PAGE.read_bytes())
            return self.follow() if self.path == "/events" else self.send_error(404)

        def follow(self) -> None:
            """Pass the server's events on, until either side ends."""
            try:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.end_headers()
                for line in relay.follow():
                    self.wfile.write(line)
                    self.wfile.flush()
            except (OSError, KeyError):
                self.close_connection = True  # the page asks again

        def do_POST(self) -> None:
            if self.path == "/heard":
                return self.relayed(relay.hear)
            shows = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            return self.relayed(lambda: relay.say(shows, str(uuid.uuid4())))

        def relayed(self, ask_server: Any) -> None:
            try:
                status, answer = ask_server()
            except (OSError, KeyError):
                status, answer = 502, {"detail": "The server does not answer."}
            self.answer(status, "application/json", json.dumps(answer).encode())

        def answer(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


if __name__ == "__main__":
    here = Relay(
        os.environ["PITSIDE_URL"], os.environ["PITSIDE_CLIENT"], os.environ["PITSIDE_SECRET"], *sys.argv[1:3]
    )
    ThreadingHTTPServer(("127.0.0.1", PORT), handler_of(here)).serve_forever()

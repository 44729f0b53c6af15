"""`manage.py simulate_reader`: a dice reader over the real API, with faults, for tests and demonstrations.

It throws dice of its own, says what they show, and posts what it read. The dealer at the tablet calls what the command
says, or confirms what was read. Faults: `late` posts after some seconds, `twice` posts each reading again, `wrong`
reads another face than the dice show, `silent` is heard no more for a while.
"""

import datetime as dt
import itertools
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
import uuid
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

FAULTS = ("late", "twice", "wrong", "silent")
TOKEN_IS_RENEWED_BEFORE = 60  # seconds
CONFIDENCE, CONFIDENCE_OF_WRONG = 98, 71
FIRMWARE = "2.4.1"


# After these a reading is sent again: bets are open, the table is halted, the server is busy, or too much was sent.
SENT_AGAIN = ("reading-while-bets-are-open", "table-halted", "not-begun", "too-many-requests")


class Refused(Exception):
    """The API refused: `code` and the sentence."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(f"{code}: {detail}")
        self.code = code


class Reader:
    """A client of the API that posts readings of one table. `url`: of the server, without a path."""

    def __init__(self, url: str, client: str, secret: str, facility: str, table: str) -> None:
        self.url, self.client, self.secret = url.rstrip("/"), client, secret
        self.table = f"facilities/{facility}/tables/{table}"
        self.token, self.token_ends = "", 0.0

    def ask(self, method: str, path: str, body: Any = None, key: str = "") -> dict[str, Any]:
        """Send a request, and return its answer. Raises Refused, or OSError without a connection."""
        headers = {"Authorization": f"Bearer {self._token()}", "Content-Type": "application/json"}
        if key:
            headers["Idempotency-Key"] = key
        content = None if body is None else json.dumps(body).encode()
        return _send(urllib.request.Request(f"{self.url}/api/v1/{path}", content, headers, method=method))

    def turn(self) -> dict[str, Any]:
        """Whether a reading is wanted now. It is a heartbeat, too."""
        return self.ask("GET", f"{self.table}/readings/turn")

    def post(self, reading: dict[str, Any], key: str) -> dict[str, Any]:
        """Post a reading. The same key may be sent until there is an answer."""
        return self.ask("POST", f"{self.table}/acts/post_reading", {"params": reading}, key)

    def _token(self) -> str:
        if time.monotonic() > self.token_ends - TOKEN_IS_RENEWED_BEFORE:
            form = {
                "grant_type": "client_credentials",
                "client_id": self.client,
                "client_secret": self.secret,
            }
            content = urllib.parse.urlencode(form).encode()
            answer = _send(urllib.request.Request(f"{self.url}/api/v1/oauth/token", content))
            self.token, self.token_ends = answer["access_token"], time.monotonic() + answer["expires_in"]
        return self.token


def _send(request: urllib.request.Request) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            content: dict[str, Any] = json.load(answer)
            return content
    except urllib.error.HTTPError as error:
        problem = json.loads(error.read() or b"{}")
        detail = problem.get("detail") or problem.get("error_description", "")
        raise Refused(problem.get("code") or problem.get("error", str(error.code)), detail) from None


class Command(BaseCommand):
    help = "Play a dice reader over the API, with faults."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("facility")
        parser.add_argument("table")
        parser.add_argument("--url", default="http://127.0.0.1:8000")
        parser.add_argument("--client", required=True, help="id of a client with the scope readings")
        parser.add_argument("--secret", required=True)
        parser.add_argument("--readings", type=int, default=0, help="stop after so many; 0: never")
        parser.add_argument("--dice", type=int, default=3, help="how many dice a throw has")
        parser.add_argument(
            "--faults", default="", help=f"of {', '.join(FAULTS)}, by commas; each at every third throw"
        )
        parser.add_argument("--late-seconds", type=float, default=15.0)
        parser.add_argument("--silent-seconds", type=float, default=45.0)
        parser.add_argument("--seed", type=int, default=None, help="the same dice each time")
        parser.add_argument(
            "--first-number", type=int, default=0, help="of its readings; 0: the seconds of now"
        )
        parser.add_argument("--every", type=float, default=1.0, help="seconds between two questions")

    def handle(self, *args: Any, **options: Any) -> None:
        reader = Reader(
            options["url"], options["client"], options["secret"], options["facility"], options["table"]
        )
        faults = fault_sequence(options["faults"])
        dice = random.Random(options["seed"])
        number = options["first_number"] or int(time.time())
        left = options["readings"] or -1
        read: tuple[int, int] | None = None
        while left:
            turn = self._turn(reader)
            throw = (turn["round"], turn["throw"]) if turn is not None and turn["wanted"] else None
            if throw is None or throw == read:
                time.sleep(options["every"])
                continue
            read, left = throw, left - 1
            shown = [dice.randint(1, 6) for _ in range(options["dice"])]
            self._read(reader, number, shown, next(faults, ""), throw, options)
            number += 1

    def _turn(self, reader: Reader) -> dict[str, Any] | None:
        try:
            return reader.turn()
        except (OSError, Refused) as error:
            self.stderr.write(f"No answer: {error}")
            return None

    def _read(
        self,
        reader: Reader,
        number: int,
        shown: list[int],
        fault: str,
        throw: tuple[int, int],
        options: dict[str, Any],
    ) -> None:
        """Read one throw, with one fault or none, and post it until there is an answer."""
        self.stdout.write(f"Round {throw[0]}, throw {throw[1]}: the dice show {' '.join(map(str, shown))}")
        faces = list(shown)
        if fault == "wrong":
            faces[-1] = faces[-1] % 6 + 1
        reading = {
            "number": number,
            "dice": faces,
            "read_at": now().isoformat(),
            "confidence": CONFIDENCE_OF_WRONG if fault == "wrong" else CONFIDENCE,
            "firmware": FIRMWARE,
        }
        if fault == "silent":
            time.sleep(options["silent_seconds"])
        if fault == "late":
            time.sleep(options["late_seconds"])
        self._post(reader, reading, options["every"])
        if fault == "twice":
            self._post(reader, reading, options["every"])

    def _post(self, reader: Reader, reading: dict[str, Any], every: float) -> None:
        key = str(uuid.uuid4())
        while True:
            try:
                answer = reader.post(reading, key)
            except Refused as refusal:
                self.stdout.write(f"Reading {reading['number']} refused. {refusal}")
                if refusal.code not in SENT_AGAIN:
                    return
            except OSError as error:
                self.stderr.write(f"No answer: {error}")
            else:
                self.stdout.write(f"Reading {reading['number']}: {answer['answer']['outcome']}")
                return
            time.sleep(every)


def now() -> dt.datetime:
    """The time by the clock of the reader."""
    return dt.datetime.now(dt.UTC)


def fault_sequence(text: str) -> Iterator[str]:
    """No fault at two throws, then one of these in turn. Raises ValueError for an unknown one."""
    wanted = [fault for fault in text.split(",") if fault]
    if unknown := sorted({*wanted} - {*FAULTS}):
        raise ValueError(f"unknown faults: {', '.join(unknown)}")
    for fault in itertools.cycle(wanted):
        yield from ("", "", fault)

"""Systems outside, each a process: `reader` follows the record, `pager` pages through it, `receiver` takes webhooks.

They use the Python client (clients/python) as docs/integration.md says. Each stores an entry together with its position
in one transaction, and goes on from the newest one when it begins again. A receiver answers a message, and reads pages
only then.
"""

import argparse
import sqlite3
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from script.faults.scene import HOST

PAUSE_SECONDS = 0.5
TABLES = """
PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF;
CREATE TABLE IF NOT EXISTS entry (id INTEGER PRIMARY KEY, position TEXT, stream TEXT, number INTEGER, hash TEXT);
CREATE TABLE IF NOT EXISTS message (id INTEGER PRIMARY KEY, name TEXT, is_signed INTEGER);
"""


class Store:
    """What an outsider has: entries and messages, in the order in which it got them."""

    def __init__(self, path: Path) -> None:
        self.database = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=30)
        self.database.executescript(TABLES)

    @property
    def position(self) -> str:
        """Where to go on."""
        row = self.database.execute("SELECT position FROM entry ORDER BY id DESC LIMIT 1").fetchone()
        return str(row[0]) if row else "0"

    def add(self, entry: Any) -> None:
        """Store an entry with its position."""
        row = (entry.position, entry.stream, entry.number, entry.hash)
        self.database.execute("INSERT INTO entry (position, stream, number, hash) VALUES (?, ?, ?, ?)", row)

    def add_message(self, name: str, *, is_signed: bool) -> None:
        self.database.execute("INSERT INTO message (name, is_signed) VALUES (?, ?)", (name, is_signed))

    def entries(self) -> list[tuple[str, str]]:
        """The stream and hash of each entry."""
        return self.database.execute("SELECT stream, hash FROM entry ORDER BY id").fetchall()

    def messages(self) -> list[tuple[str, int]]:
        """The name of each message, and whether it was signed."""
        return self.database.execute("SELECT name, is_signed FROM message ORDER BY id").fetchall()


def follow(pitside: Any, store: Store) -> None:
    for entry in pitside.read_record(after=store.position).follow():
        store.add(entry)


def read_pages(pitside: Any, store: Store) -> None:
    """Read all that is there. What is not answered is read the next time."""
    from pitside_client import NotAnswered

    try:
        for entry in pitside.read_record(after=store.position).pages():
            store.add(entry)
    except NotAnswered:
        time.sleep(PAUSE_SECONDS)


def page(pitside: Any, store: Store) -> None:
    while True:
        read_pages(pitside, store)
        time.sleep(PAUSE_SECONDS)


def receive(pitside: Any, store: Store, port: int, keys: list[str], clock: Path) -> None:
    """Answer webhooks, and read after each. `clock`: a file with the seconds by which time is ahead here, too."""
    from pitside_client import NotSigned, verify_webhook

    woken = threading.Event()
    woken.set()  # there may be more since it ended

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            now = time.time() + float(clock.read_text())
            try:
                told = verify_webhook(keys, dict(self.headers), body, now=now)
            except NotSigned:
                store.add_message(self.headers.get("webhook-id", ""), is_signed=False)
                self.send_response(400)
            else:
                store.add_message(told.id, is_signed=True)
                woken.set()
                self.send_response(204)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer((HOST, port), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while True:
        woken.wait()
        woken.clear()
        read_pages(pitside, store)


def main() -> None:
    from pitside_client import Pitside

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=("reader", "pager", "receiver"))
    for name in ("url", "client", "secret", "store"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--port", type=int)
    parser.add_argument("--keys", nargs="*", default=[])
    parser.add_argument("--clock", type=Path)
    options = parser.parse_args()
    store = Store(Path(options.store))
    with Pitside(options.url, options.client, options.secret, waits=(0.2, 0.5, 1.0)) as pitside:
        if options.kind == "reader":
            follow(pitside, store)
        elif options.kind == "pager":
            page(pitside, store)
        else:
            receive(pitside, store, options.port, options.keys, options.clock)


if __name__ == "__main__":
    main()

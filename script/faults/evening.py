"""An evening of many tables with systems outside that fail: `python -m script.faults.evening --minutes 5`.

Tablets deal on real workers, PostgreSQL and Redis. Meanwhile a reader of the stream, a reader of pages and a receiver
of webhooks are killed, frozen, cut, left on dead connections and delayed, each again and again. Then the receiver is
away until the last try of a message, 75 hours later by the database's clock. At the end each must have every entry of
`audit_export` once, in the order of its stream.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import random
import signal
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from script.faults.floor import Seat
from script.faults.invariants import read_facts, violations
from script.faults.line import Line
from script.faults.load import Dealer
from script.faults.outsiders import Store
from script.faults.processes import Process
from script.faults.scene import free_port
from script.floor_tables import FACILITY
from script.installation import Installation
from script.service_finder import ROOT, Unavailable
from script.tablet import Front, Ledger

if TYPE_CHECKING:
    from tables.models import WebhookMessage

NOT_HERE = 5
TROUBLES = ("killed", "frozen", "cut", "dead", "delayed")
WORKERS = 2
JUMP_SECONDS = 600.0
AWAY_SECONDS = 6.0  # for which tables play on while the receiver is gone
PAUSE_SECONDS, TRY_SECONDS, SEEN_SECONDS = 25.0, 60.0, 60.0
Heads = dict[str, list[str]]  # the hashes of each stream, in order


class Evening(Installation):
    """The installation, whose clock can be moved, and which may reach receivers on this machine."""

    has_movable_clock = True

    def environment(self, role: str, name: str) -> dict[str, str]:
        return {**super().environment(role, name), "PITSIDE_WEBHOOK_NETWORKS": "127.0.0.0/8"}


@dataclass
class Outsider:
    """A system outside, the line on which it is reached or reaches the workers, and what happened to it."""

    process: Process
    line: Line
    store: Store
    troubles: Counter[str] = field(default_factory=Counter)
    problems: list[str] = field(default_factory=list)

    async def suffer(self, draw: random.Random, until: float) -> None:
        """Meet one trouble after another until a moment."""
        while time.monotonic() < until:
            await asyncio.sleep(draw.uniform(1.0, 4.0))
            if not self.process.is_running:
                self.problems.append(f"{self.process.name} ended by itself")
                self.process.start()
            trouble = draw.choice(TROUBLES)
            self.troubles[trouble] += 1
            await self._meet(trouble, draw)

    async def _meet(self, trouble: str, draw: random.Random) -> None:
        if trouble == "killed":
            await asyncio.to_thread(self.process.kill)
            await asyncio.sleep(draw.uniform(0.2, 3.0))
            self.process.start()
        elif trouble == "frozen":
            self.process.freeze()
            await asyncio.sleep(draw.uniform(1.0, 8.0))
            self.process.thaw()
        elif trouble == "cut":
            self.line.cut()
        elif trouble == "dead":
            self.line.go_dead()
        else:
            self.line.delay_seconds = draw.uniform(0.2, 1.5)
            await asyncio.sleep(draw.uniform(2.0, 6.0))
            self.line.delay_seconds = 0.0


def exported(folder: Path) -> Heads:
    """The hashes of every stream of the casino, by the export that an outsider verifies.

    Without the stream of the installation, which no client of a casino reads.
    """
    from django.core.management import call_command

    file = folder / "record.jsonl"
    call_command("audit_export", "--facility", FACILITY, "--output", str(file))
    lines = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return by_stream(
        (line["body"]["stream"], line["hash"])
        for line in lines
        if line.get("body", {}).get("stream", "").startswith(f"{FACILITY}/")
    )


def by_stream(entries: Iterable[tuple[str, str]]) -> Heads:
    heads: Heads = defaultdict(list)
    for stream, digest in entries:
        heads[stream].append(digest)
    return dict(heads)


def differences(seen: Heads, expected: Heads) -> Counter[str]:
    """How many entries were missing, seen twice, unknown, or out of order."""
    found: Counter[str] = Counter()
    for stream in {*seen, *expected}:
        has, shall = seen.get(stream, []), expected.get(stream, [])
        found["twice"] += len(has) - len(set(has))
        found["missing"] += len(set(shall) - set(has))
        found["unknown"] += len(set(has) - set(shall))
        found["out of order"] += [digest for digest in shall if digest in set(has)] != list(
            dict.fromkeys(has)
        )
    return found


class Run:
    """One evening: the floor, its tablets and the outsiders."""

    def __init__(self, stack: contextlib.ExitStack, options: argparse.Namespace) -> None:
        self.options, self.draw = options, random.Random(options.seed)
        self.scene = Evening(stack, WORKERS, tables=options.tables, has_browser=True)
        self.tokens = self.scene.start()
        self.folder, self.ledger, self.problems = self.scene.folder, Ledger(), list[str]()
        self.clock_file = self.folder / "outside_clock"
        self.clock_file.write_text("0")
        self.site = _build_client(self.folder)
        self.outsiders: dict[str, Outsider] = {}
        stack.callback(self._end_outsiders)

    def _end_outsiders(self) -> None:
        for outsider in self.outsiders.values():
            outsider.process.end()

    async def play(self) -> None:
        """Deal, trouble the outsiders, let the receiver be away for 75 hours, and wait until all is seen."""
        lines = {name: Line([*self.scene.ports.values()]) for name in ("reader", "pager", "receiver")}
        receiver_port = free_port()
        lines["webhooks"] = Line([receiver_port])
        for line in lines.values():
            await line.open()
        secret = await asyncio.to_thread(_let_in, f"http://127.0.0.1:{lines['webhooks'].port}/pitside")
        for name in ("reader", "pager", "receiver"):
            self._begin(name, lines, secret, receiver_port)
        tablets = await self._open_tablets()
        try:
            until = time.monotonic() + 60 * self.options.minutes
            draws = [random.Random(self.draw.random()) for _ in self.outsiders]
            troubled = zip(self.outsiders.values(), draws, strict=True)
            _say(f"{len(tablets)} tables play")
            await asyncio.gather(*(outsider.suffer(draw, until) for outsider, draw in troubled))
            _say("the receiver is away")
            receiver = self.outsiders["receiver"]
            await asyncio.to_thread(receiver.process.kill)
            await asyncio.sleep(AWAY_SECONDS)
            await _pause(tablets)
        finally:
            for tablet in tablets:
                await tablet.close()
        self.hours, self.tries = await asyncio.to_thread(self._wait_75_hours)
        _say(f"a message arrived after {self.hours:.1f} hours by try {self.tries}")
        await asyncio.to_thread(self._wait_until_told)
        await asyncio.to_thread(self.scene.ticker.end)
        await asyncio.to_thread(self.scene.sealer.end)
        await asyncio.to_thread(self._judge)
        for line in lines.values():
            await line.close()

    def _begin(self, name: str, lines: dict[str, Line], secret: tuple[str, str, str], port: int) -> None:
        client, text, key = secret
        store = self.folder / f"{name}.sqlite"
        command: list[str | Path] = [sys.executable, "-m", "script.faults.outsiders", name, "--store", store]
        command += ["--url", f"http://127.0.0.1:{lines[name].port}", "--client", client, "--secret", text]
        command += ["--port", str(port), "--clock", self.clock_file, "--keys", key]
        environment = {"PATH": "/usr/bin:/bin", "PYTHONPATH": str(self.site)}
        process = Process(name, command, environment, lambda: True, self.scene.log)
        process.start()
        line = lines["webhooks"] if name == "receiver" else lines[name]
        self.outsiders[name] = Outsider(process, line, Store(store))

    async def _open_tablets(self) -> list[Dealer]:
        front = Front([*self.scene.ports.values()], random.Random(self.draw.random()), self.ledger)
        tablets = [self._tablet(seat, front) for seat in self.scene.floor.dealers]
        for tablet in tablets:
            await tablet.enroll()
            if not await tablet.sign_in():
                raise RuntimeError(f"{tablet.seat.person} could not sign in")
            await tablet.resync()
            tablet.open()
        return tablets

    def _tablet(self, seat: Seat, front: Front) -> Dealer:
        tablet = Dealer(seat, self.tokens[seat.place], front, self.ledger, random.Random(self.draw.random()))
        tablet.fills = []  # nobody sends chips this evening
        return tablet

    # What the database says

    def _message(self) -> "WebhookMessage | None":
        """The message that waits."""
        from django.db import connection

        from tables.models import WebhookMessage

        connection.close()
        waiting = WebhookMessage.objects.exclude(status__in=("done", "failed"))
        return waiting.order_by("pk").first()

    def _wait_75_hours(self) -> tuple[float, int]:
        """Let each try of a message fail but the last. Returns after how many hours it arrived, and by which try."""
        from audit import clock
        from tables.webhooks import WAITS

        _wait(lambda: (message := self._message()) is not None and message.attempts > 0, TRY_SECONDS)
        message = self._message()
        if message is None:
            self.problems.append("no message waited for the receiver")
            return 0.0, 0
        while True:
            message.refresh_from_db()
            if message.attempts == len(WAITS) and not self.outsiders["receiver"].process.is_running:
                self.outsiders["receiver"].process.start()
                time.sleep(3)
            self._move_clock((message.next_try_at - clock.now()).total_seconds() + 1)
            tried, number = message.attempts, message.pk

            def is_over(number: int = number, tried: int = tried) -> bool:
                message.refresh_from_db()
                return message.attempts > tried and message.status != "writing"

            if not _wait(is_over, TRY_SECONDS):
                self.problems.append(f"try {tried + 1} of a message did not come")
                return 0.0, tried
            if message.status in ("done", "failed"):
                if message.status == "failed":
                    self.problems.append("the last try failed, and the receiver was there")
                hours = ((message.done_at or clock.now()) - message.made_at).total_seconds() / 3600
                return hours, message.attempts

    def _move_clock(self, seconds: float) -> None:
        """Move the clock. No process believes a jump of hours (`audit/clock.py`), so all begin again after one."""
        product = [*self.scene.web.values(), self.scene.ticker, self.scene.sealer]
        is_jump = seconds > JUMP_SECONDS
        for process in product if is_jump else ():
            process.kill()
        self.scene.move_clock(max(seconds, 0))
        self.clock_file.write_text(str(self.scene.clock_offset))
        for process in product if is_jump else ():
            process.start()
        for process in product if is_jump else ():
            process.wait_until_ready()

    def _wait_until_told(self) -> None:
        """Wait until no message waits. A try that just failed is made at once, by moving the clock."""
        from audit import clock

        deadline = time.monotonic() + SEEN_SECONDS
        while (message := self._message()) is not None or self._is_more():
            if time.monotonic() > deadline:
                self.problems.append("a message still waits")
                return
            if message is not None and message.attempts:
                self._move_clock((message.next_try_at - clock.now()).total_seconds() + 1)
            time.sleep(0.5)

    def _is_more(self) -> bool:
        from audit.event_log import HORIZON
        from tables.models import Webhook

        return Webhook.objects.get().told_id < HORIZON.read()

    def _judge(self) -> None:
        """Compare what each outsider has with the export, which the verifier of outsiders checks."""
        from django.db import connection

        connection.close()
        self.expected = exported(self.folder)
        count = sum(map(len, self.expected.values()))
        _say(f"{count} entries are exported")
        self.seen: dict[str, Counter[str]] = {}
        for name, outsider in self.outsiders.items():
            if not outsider.process.is_running:
                outsider.problems.append(f"{name} ended by itself")
            _wait(lambda store=outsider.store: len(store.entries()) >= count, SEEN_SECONDS)  # type: ignore[misc]
            _say(f"{name} has {len(outsider.store.entries())}")
            self.seen[name] = differences(by_stream(outsider.store.entries()), self.expected)
            self.problems += [
                f"{name}: {number} {what}" for what, number in self.seen[name].items() if number
            ]
            self.problems += outsider.problems
        unsigned = [name for name, is_signed in self.outsiders["receiver"].store.messages() if not is_signed]
        self.problems += [f"{len(unsigned)} messages had no valid signature"] if unsigned else []
        self.problems += violations(read_facts(self.ledger.claims))
        command = [sys.executable, str(ROOT / "audit/verify.py"), str(self.folder / "record.jsonl")]
        verified = subprocess.run(command, capture_output=True, text=True)
        if verified.returncode:
            self.problems.append(f"audit/verify.py: {(verified.stdout + verified.stderr)[-300:]}")

    def table(self) -> Iterator[str]:
        """What happened, in numbers."""
        taken = sum(claim.fate == "taken" for claim in self.ledger.claims)
        entries = sum(map(len, self.expected.values()))
        yield f"{self.options.tables} tables, {taken} acts; {entries} entries of {len(self.expected)} streams exported"
        columns = (*TROUBLES, "entries", "twice", "missing", "unknown", "out of order")
        yield f"{'':<10}" + "".join(f"{name:>{len(name) + 2}}" for name in columns)
        for name, outsider in self.outsiders.items():
            counts = outsider.troubles | self.seen[name] | {"entries": len(outsider.store.entries())}
            yield f"{name:<10}" + "".join(f"{counts.get(column, 0):>{len(column) + 2}}" for column in columns)
        messages = [name for name, _ in self.outsiders["receiver"].store.messages()]
        yield f"{len(set(messages))} messages arrived, {len(messages) - len(set(messages))} of them twice"
        yield f"A message arrived by try {self.tries}, {self.hours:.1f} hours after it was made"


def _build_client(folder: Path) -> Path:
    """Build the client as its installation does. Returns the folder to import it from."""
    source, site = folder / "client/clients/python", folder / "site"
    source.parent.mkdir(parents=True)
    subprocess.run(["cp", "-r", ROOT / "clients/python", source], check=True)
    (source / "openapi.json").write_bytes((ROOT / "docs/openapi.json").read_bytes())
    command = [sys.executable, "setup.py", "--quiet", "build", "--build-lib", str(site)]
    subprocess.run(command, cwd=source, check=True, capture_output=True)
    return site


def _let_in(url: str) -> tuple[str, str, str]:
    """Connect a client that reads entries, and a webhook. Returns the client's id and secret, and the webhook's key."""
    from django.db import connection

    from audit import clients
    from tables.models import WebhookKey

    client = clients.make("Outsiders", FACILITY, ["entries"])
    _secret, text = clients.make_secret(client)
    add_webhook(url, "The evening")
    key = WebhookKey.objects.get().public_key
    connection.close()
    return clients.client_id(client.device), text, key


def add_webhook(url: str, purpose: str) -> None:
    """Prepare and approve a webhook of the facility, in the process of the harness."""
    change = _do("teo", "add_webhook", {"url": url, "purpose": purpose})["change"]
    _do("carla", "approve_change", {"change": change})


def _do(person: str, act: str, params: dict[str, Any]) -> dict[str, Any]:
    """Do an act of the facility."""
    import uuid

    from audit.models import Device, Person
    from tables.demo.seeding import PODIUM
    from tables.runner import facility

    request = facility.ActRequest(
        facility=FACILITY,
        place="",
        act=act,
        command=uuid.uuid4(),
        seen_version=0,
        params=params,
        actor=Person.objects.get(code=person),
        device=Device.objects.get(facility=FACILITY, name=PODIUM),
    )
    return dict(facility.execute(request).body)


def _say(what: str) -> None:
    print(f"{time.strftime('%H:%M:%S')} {what}", flush=True)


async def _pause(tablets: Sequence[Dealer]) -> None:
    """Let each tablet learn what became of its act."""
    for tablet in tablets:
        tablet.turns.may_play.clear()
    waits = [asyncio.create_task(tablet.turns.is_idle.wait()) for tablet in tablets]
    await asyncio.wait(waits, timeout=PAUSE_SECONDS)
    for wait in waits:
        wait.cancel()


def _wait(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.3)
    return True


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m script.faults.evening", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long the outsiders are troubled")
    parser.add_argument("--tables", type=int, default=12)
    parser.add_argument("--seed", type=int, default=random.randrange(1_000_000))
    options = parser.parse_args(arguments)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    logging.disable(logging.CRITICAL)
    print(f"Seed {options.seed}.", flush=True)
    with contextlib.ExitStack() as stack:
        try:
            run = Run(stack, options)
        except Unavailable as reason:
            print(f"No evening can be played: {reason}.", file=sys.stderr)
            return NOT_HERE
        asyncio.run(run.play())
        print("\n".join(run.table()))
        for problem in run.problems:
            print(f"    {problem}")
        if run.problems:
            for name in run.outsiders:
                lines = [line.text for line in run.scene.log if line.process == name]
                print("\n".join(f"    {name} logged {line}" for line in lines[-6:]))
            for line in [line for line in run.scene.log if '"level": "error"' in line.text.lower()][-4:]:
                print(f"    {line.process} logged {line.text[:1500]}")
    print(f"{'Held' if not run.problems else 'Failed'}, seed {options.seed}.")
    return int(bool(run.problems))


if __name__ == "__main__":
    sys.exit(main())

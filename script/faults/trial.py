"""One trial: inject a fault, count the seconds until everything is right, and check what must hold."""

import asyncio
import os
import random
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import psycopg

from script.faults import floor
from script.faults.floor import Seat
from script.faults.ground import Fault, Ground
from script.faults.invariants import read_facts, violations, violations_of_each
from script.faults.load import Load
from script.faults.processes import LogLine
from script.faults.scene import Scene
from script.tablet import Claim, Screen

RIGHT_SECONDS = 30.0
KNOWN_SECONDS = 25.0
SCREEN_SECONDS = 7.0
SEALED_SECONDS = 15.0
QUIET_SECONDS = 300.0
QUIET_PACE = 100.0
SILENT_SECONDS = 3.0
HEARTBEATS = 60  # of five minutes
HEARTBEATS_SECONDS = 25.0  # in which they come at a hundred times the pace, also on a machine that is busy
FIRST_REQUEST_SECONDS = 4.0
FIRST_REQUESTS = 8  # to each worker at once: as many as its pool has connections
RIGHTS_CODES = {4401, 4403, 4423}
MOST_LOG_BYTES = 60_000  # of one process in one trial; a traceback for each failed act would be more
WATCHER = ("kate", "880088")

# The newest settlement again, as the next entry of its stream, with a valid hash.
DOUBLE_SETTLEMENT = r"""
SELECT audit_append(s.id, s.seq,
    convert_to(regexp_replace(regexp_replace(convert_from(e.body, 'UTF8'), '"seq":\d+', '"seq":' || s.seq + 1),
        '"at":"[^"]*"', '"at":"' || to_char(s.last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'),
        'UTF8'),
    e.type, s.last_at, e.gaming_day)
FROM audit_entry e JOIN audit_stream s ON s.id = e.stream_id
WHERE e.type = 'round.settled' ORDER BY e.at DESC LIMIT 1
"""


@dataclass
class Trial:
    """What one fault did."""

    fault: Fault
    problems: list[str] = field(default_factory=list)
    seconds: float = 0.0  # until right
    fates: Counter[str] = field(default_factory=Counter)
    refusals: Counter[str] = field(default_factory=Counter)  # by status and code
    asked_again: int = 0
    slowest: float = 0.0  # seconds from the tap to the answer that was final
    pause: float = 0.0  # the longest time in which one table took no act, in seconds
    load_average: float = 0.0  # of this machine in the last minute, when everything was right
    violations: dict[str, list[str]] = field(default_factory=dict)  # by the name of the invariant
    log: list[LogLine] = field(default_factory=list)
    duration: float = 0.0

    @property
    def held(self) -> bool:
        return not self.problems


class Watcher(Screen):
    """A page of the pit whose device is revoked in the quiet minutes: its socket has to be ended by the server."""

    def open(self) -> None:
        self.tasks = [asyncio.create_task(self.listen())]

    async def leave(self) -> None:
        self.stopped = True


class Court:
    """Runs the trials on one scene, and judges each."""

    def __init__(self, scene: Scene, load: Load, seed: int) -> None:
        self.scene, self.load, self.seed = scene, load, seed

    async def try_fault(self, fault: Fault) -> Trial:
        """Inject one fault and check everything. Leaves the load playing."""
        trial, began = Trial(fault), time.monotonic()
        draw = random.Random(f"{self.seed} {fault.name}")
        watcher = await self._open_watcher(f"{fault.name} {began}")
        try:
            await self._warm_up(began)
            injected = time.monotonic()
            ground = Ground(self.scene, self.load, draw)
            try:
                await fault.inject(ground)
            except Exception as error:
                trial.problems.append(f"the fault itself failed: {error!r}")
            trial.problems += ground.problems
            trial.seconds = await self._until_right(trial)
            trial.load_average = os.getloadavg()[0]
            trial.pause = longest_pause(self.load.ledger.claims, injected)
            await self._settle_down(trial)
            trial.problems += await self._screens()
            trial.problems += await asyncio.to_thread(self._judge, trial)
            trial.problems += await self._quiet_minutes(watcher)
            claims = self.load.ledger.since(injected)
            trial.fates = Counter(claim.fate for claim in claims)
            trial.refusals = Counter(
                f"{claim.status} {claim.code}" for claim in claims if claim.fate == "refused"
            )
            trial.slowest = max(
                (claim.answered - claim.started for claim in claims if claim.answered), default=0
            )
            trial.asked_again = sum(claim.tries > 1 for claim in claims)
            trial.log = [line for line in self.scene.log if line.moment >= injected]
            trial.problems += log_problems(trial.log)
        finally:
            self.scene.set_pace(1)
            await watcher.close()
            self.load.resume()
        trial.duration = time.monotonic() - began
        return trial

    async def prove(self) -> list[str]:
        """Settle a round twice and take an acknowledged act out of the record. Returns what goes unnoticed.

        A run ends with this: a suite that could not fail would show nothing. The database is of no use afterward.
        """
        await self.load.pause(KNOWN_SECONDS)
        return await asyncio.to_thread(self._unnoticed)

    def _unnoticed(self) -> list[str]:
        _on_a_new_connection()
        taken = next(claim for claim in reversed(self.load.ledger.claims) if claim.fate == "taken")
        with self.scene.admin() as admin:
            admin.execute(DOUBLE_SETTLEMENT)
            admin.execute("ALTER TABLE audit_command DISABLE TRIGGER ALL")
            admin.execute("DELETE FROM audit_command WHERE id = %s", [taken.command])
        sentences = violations(read_facts(self.load.ledger.claims))
        return [
            f"nothing was reported with: {words}"
            for words in ("was settled 2 times", "was acknowledged and is not in the record")
            if not any(words in sentence for sentence in sentences)
        ]

    async def _warm_up(self, began: float) -> None:
        """Wait until every tablet has played since the last trial."""
        await _until(lambda: all(tablet.last_taken > began for tablet in self.load.tablets), RIGHT_SECONDS)

    async def _until_right(self, trial: Trial) -> float:
        """Wait until every tablet has acted and every process works. Returns the seconds since the fault ended."""
        over = time.monotonic()

        def played() -> bool:
            return all(tablet.last_taken > over for tablet in self.load.tablets)

        if not await _until(played, RIGHT_SECONDS):
            silent = [tablet.seat.place for tablet in self.load.tablets if tablet.last_taken <= over]
            trial.problems += [
                f"{place} took no act for {RIGHT_SECONDS:.0f} s ({self._newest_act(place)})"
                for place in silent
            ]
        if not await _until_true(self.scene.is_serving, RIGHT_SECONDS):
            failing = ", ".join(await asyncio.to_thread(self.scene.not_working)) or "something now and then"
            trial.problems.append(f"{failing}: not working {RIGHT_SECONDS:.0f} s after the fault")
        return time.monotonic() - over

    def _newest_act(self, place: str) -> str:
        """What became of the newest act at a table."""
        newest = next((claim for claim in reversed(self.load.ledger.claims) if claim.place == place), None)
        if newest is None:
            return "none was begun"
        asked = f"{newest.act}, {newest.tries} tries in {time.monotonic() - newest.started:.0f} s"
        return f"{asked}, {newest.fate} {newest.status} {newest.code}".rstrip()

    async def _settle_down(self, trial: Trial) -> None:
        """Let every act become known, and every late copy arrive."""
        if waiting := await self.load.pause(KNOWN_SECONDS):
            places = ", ".join(tablet.seat.place for tablet in waiting)
            trial.problems.append(f"{places} still does not know what became of its act")
        await _until(lambda: not self.load.front.late, 5)

    async def _screens(self) -> list[str]:
        """Compare what every screen shows with the database, for seven seconds at most."""
        problems: list[str] = []

        async def equal() -> bool:
            problems[:] = await asyncio.to_thread(self._screens_behind)
            return not problems

        deadline = time.monotonic() + SCREEN_SECONDS
        while not await equal() and time.monotonic() < deadline:  # noqa: ASYNC110
            await asyncio.sleep(0.2)
        return problems

    def _screens_behind(self) -> list[str]:
        with self.scene.admin() as admin:
            rows = admin.execute("SELECT name, seq, encode(head, 'hex') FROM audit_stream").fetchall()
        heads = {name: (seq, head) for name, seq, head in rows}
        return [
            f"{screen.seat.place} shows {table} at {fragment.version}, and the database has "
            f"{heads[f'{screen.seat.facility}/{table}'][0]} after {SCREEN_SECONDS:.0f} s"
            for screen in self.load.screens
            for table, fragment in screen.shown.items()
            if (fragment.version, fragment.head) != heads[f"{screen.seat.facility}/{table}"]
        ]

    def _judge(self, trial: Trial) -> list[str]:
        """Every invariant, and that all entries are sealed again."""
        _on_a_new_connection()
        trial.violations = violations_of_each(read_facts(self.load.ledger.claims))
        problems = [sentence for sentences in trial.violations.values() for sentence in sentences]
        if not _wait(self._is_sealed, SEALED_SECONDS):
            problems.append(
                f"entries are not sealed after {SEALED_SECONDS:.0f} s: {self.scene.sealing_problem()}"
            )
        return problems

    def _is_sealed(self) -> bool:
        from audit import verification

        return verification.verify().unsealed == 0

    # Five quiet minutes

    async def _open_watcher(self, name: str) -> Watcher:
        seat = Seat("larkfield", *WATCHER)
        token = await asyncio.to_thread(_enrolled, seat.place, name)
        watcher = Watcher(seat, token, self.load.front, station="table", table="T-01")
        await watcher.enroll()
        await watcher.sign_in()
        watcher.open()
        return watcher

    async def _quiet_minutes(self, watcher: Watcher) -> list[str]:
        """Five minutes in which nobody acts: heartbeats go on, rights are checked, and then the first requests."""
        self.scene.set_pace(QUIET_PACE)
        await asyncio.to_thread(self.scene.move_clock, QUIET_SECONDS)
        closed = {screen: len(screen.closed) for screen in self.load.screens}
        for screen in self.load.screens:
            screen.heartbeats = 0
        await _until(
            lambda: all(screen.heartbeats >= HEARTBEATS for screen in self.load.screens), HEARTBEATS_SECONDS
        )
        problems = [
            f"{screen.seat.place} heard {screen.heartbeats} of {HEARTBEATS} heartbeats in five quiet minutes"
            for screen in self.load.screens
            if screen.heartbeats < HEARTBEATS
        ]
        problems += [
            f"{screen.seat.place} lost its socket in five quiet minutes ({screen.closed[-1]})"
            for screen, count in closed.items()
            if len(screen.closed) > count
        ]
        await self._hears(watcher)
        earlier = len(watcher.closed)
        await asyncio.to_thread(_revoke, watcher.token)
        if not await _until(lambda: bool(RIGHTS_CODES & set(watcher.closed[earlier:])), SCREEN_SECONDS):
            problems.append(f"a revoked device watches on (its sockets ended with {watcher.closed})")
        self.scene.set_pace(1)
        return problems + await self._first_requests()

    async def _hears(self, watcher: Watcher) -> None:
        """Wait until the watcher's socket is open. A silent one is replaced, as a page does after an outage."""
        since = time.monotonic()

        def has_heard() -> bool:
            return watcher.message_time > since

        if not await _until(has_heard, SILENT_SECONDS) and watcher.socket is not None:
            watcher.socket.transport.abort()
        await _until(has_heard, RIGHT_SECONDS)

    async def _first_requests(self) -> list[str]:
        """As many requests at once as each worker has connections, then one act of each tablet: each right at once."""

        async def ask(port: int, screen: Screen) -> str:
            began = time.monotonic()
            path = f"{screen.path}screen/dealer"
            response = await self.load.front.send("GET", path, screen.headers, ports=[port])
            seconds = time.monotonic() - began
            if response.status_code == 200 and seconds < FIRST_REQUEST_SECONDS:
                return ""
            return f"a first request was answered {response.status_code} after {seconds:.1f} s"

        tablets = self.load.tablets
        requests = [
            ask(port, tablets[number % len(tablets)])
            for port in self.load.front.ports
            for number in range(FIRST_REQUESTS)
        ]
        answers = await asyncio.gather(*requests, return_exceptions=True)
        problems = [str(answer) if isinstance(answer, str) else repr(answer) for answer in answers if answer]
        acts = [tablet.act(*act) for tablet in tablets if (act := tablet.choose()) is not None]
        problems += [
            f"the first act at {claim.place} took {claim.tries} tries ({claim.status})"
            for claim in await asyncio.gather(*acts)
            if not _is_right_at_once(claim)
        ]
        return list(dict.fromkeys(problems))


def longest_pause(claims: Sequence[Claim], since: float) -> float:
    """The longest time after a moment in which one table took no act, from the last one that it took before.

    A table that never took one again is not counted: that is a problem of its own.
    """
    longest = 0.0
    for place in {claim.place for claim in claims}:
        taken = sorted(claim.answered for claim in claims if claim.place == place and claim.fate == "taken")
        pauses = (after - before for before, after in pairwise(taken) if after > since)
        longest = max(longest, max(pauses, default=0.0))
    return longest


def log_problems(log: Sequence[LogLine]) -> list[str]:
    """Say what an operator cannot read: lines that are not JSON, and processes that write too much of one fault."""
    own = [line for line in log if line.is_of_product]
    problems = [
        f"{line.process} logged what is not JSON: {line.text[:100]}"
        for line in own
        if line.fields is None and line.text.startswith(("ERROR", "CRITICAL", "Traceback"))
    ]
    sizes: Counter[str] = Counter()
    for line in own:
        sizes[line.process] += len(line.text) + 1
    problems += [
        f"{process} logged {size // 1_000} kB" for process, size in sizes.items() if size > MOST_LOG_BYTES
    ]
    return problems


def _is_right_at_once(claim: Claim) -> bool:
    """A stale screen is right: the ticker may have acted in the quiet minutes."""
    return claim.tries == 1 and (claim.fate == "taken" or claim.code == "stale")


def _enrolled(place: str, name: str) -> str:
    _on_a_new_connection()
    return floor.enroll(place, name)


def _revoke(token: str) -> None:
    from audit import devices
    from audit.models import Device
    from audit.one_time import token_hash

    _on_a_new_connection()
    devices.revoke(Device.objects.get(token_sha256=token_hash(token)))


def _on_a_new_connection() -> None:
    """The database may have been killed since this thread asked it."""
    from django.db import connection

    connection.close()


async def _until(holds: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > deadline:
            return False
        await asyncio.sleep(0.05)
    return True


async def _until_true(holds: Callable[[], Any], seconds: float) -> bool:
    """The same for a question that blocks."""
    return bool(await asyncio.to_thread(_wait, holds, seconds))


def _wait(holds: Callable[[], Any], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    while True:
        try:
            if holds():
                return True
        except psycopg.Error:
            pass
        if time.monotonic() > deadline:
            return False
        time.sleep(0.3)

"""Measure a floor of many tables: each tablet deals whole rounds over HTTP, at moments that do not wait for answers.

Two web workers, ticker, sealer, PostgreSQL, Redis and the load generator share the cores. An act is due when its dealer
taps; what has to wait counts as latency. At the end nothing may be lost: every acknowledged act is on the record
(the invariants of the fault suite), and every screen shows the last version of every table.
"""

import argparse
import asyncio
import contextlib
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

from script.faults.floor import Seat
from script.figures import Figure
from script.floor_tables import FACILITY, Floor, make_floor
from script.generator.plan import Outcome, Plan, SentAct, Tablet
from script.generator.schedule import deal_shift, percentiles
from script.installation import Installation, generator, headers_of, screen_of
from script.progress import Progress

TITLE = "A floor of many tables: real rounds over HTTP, sockets for tablets and dashboards"
SIGN_INS_AT_ONCE = 8
LEAD_SECONDS = 5.0
TAIL_SECONDS = 8.0  # longer than a heartbeat, after which a screen that lacks a version fetches it
GOAL_MS = 150.0
GOAL_TABLES = 1_000
STEADY_MEMORY = 1.1
# The tables and indexes of the product, and where the write-ahead log is.
SIZES = """SELECT sum(pg_total_relation_size(relid))::bigint, (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint
    FROM pg_stat_user_tables"""


class FloorInstallation(Installation):
    """The demo casino with further tables. `floor` says who signs in where."""

    floor: Floor

    def __init__(
        self, stack: contextlib.ExitStack, *, workers: int, tables: int, dashboards: int, is_durable: bool
    ) -> None:
        super().__init__(stack, workers, has_services=True, is_durable=is_durable)
        self.tables, self.dashboards = tables, dashboards

    def _fill(self) -> dict[str, str]:
        from django.db import connection

        tokens = super()._fill()
        self.floor = make_floor(self.tables, self.dashboards)
        connection.close()
        return {**tokens, **self.floor.tokens}


@dataclass
class Play:
    """What happened at so many tables. `used` is processor time as a share of one core, by process."""

    tables: int
    dashboards: int
    outcome: Outcome
    acts: list[SentAct]  # those due while all tables played
    seconds: float
    used: dict[str, float] = field(default_factory=dict)
    memory_before: dict[str, float] = field(default_factory=dict)
    memory_after: dict[str, float] = field(default_factory=dict)
    # How much the tables with their indexes grew, and how much PostgreSQL wrote ahead, in bytes for each act.
    stored_bytes: float = 0.0
    wal_bytes: float = 0.0
    problems: list[str] = field(default_factory=list)

    @property
    def latencies(self) -> list[float]:
        """Milliseconds from the tap to the last screen; an act that a screen lacks at the end counts as endless."""
        screens = 1 + self.dashboards
        return [
            1_000 * (act.displayed - act.due) if act.screens >= screens else float("inf")
            for act in self.acts
            if act.is_taken
        ]

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, and 99 of 100 acts are on all screens in time."""
        (p99,) = percentiles(self.latencies, (0.99,))
        return not self.problems and p99 < GOAL_MS


class FloorBench:
    """The installation, and everybody signed in."""

    installation_class = FloorInstallation

    def __init__(self, stack: contextlib.ExitStack, options: argparse.Namespace) -> None:
        self.options, self.draw = options, random.Random(14)
        self.dashboards = dashboards_for(options.tables, options.dashboards)
        self.scene = self.installation_class(
            stack,
            workers=options.workers,
            tables=options.tables,
            dashboards=self.dashboards,
            is_durable=options.durable,
        )
        self.tokens = self.scene.start()
        self.ports = [self.scene.ports[name] for name in self.scene.web]

    def open(self) -> str:
        """Sign everybody in. Returns a sentence about what is ready."""
        began = time.monotonic()
        asyncio.run(self.sign_in())
        durable = "wait" if self.options.durable else "do not wait"
        return (
            f"{self.options.tables} tables, {self.dashboards} dashboards and {self.options.workers} workers; everybody "
            f"is signed in after {time.monotonic() - began:.0f} s; commits {durable} for the disk"
        )

    def port(self, number: int) -> int:
        """The worker of a device: as behind the proxy, it stays with one."""
        return self.ports[number % len(self.ports)]

    async def sign_in(self) -> None:
        """Enroll and sign in every tablet and podium over HTTP, some at a time."""
        from script.faults.load import Browser, Front, Ledger

        gate = asyncio.Semaphore(SIGN_INS_AT_ONCE)
        floor = self.scene.floor
        progress = Progress("people signed in", len(floor.dealers) + len(floor.managers))
        fronts = {port: Front([port], self.draw, Ledger()) for port in self.ports}

        async def sign_in(seat: Seat, token: str, port: int) -> Browser:
            async with gate:
                browser = Browser(seat, token, fronts[port])
                await browser.enroll()
                if not await browser.sign_in():
                    raise RuntimeError(f"{seat.person} could not sign in")
                progress.add()
                return browser

        self.tablets = await asyncio.gather(
            *(
                sign_in(seat, self.tokens[seat.place], self.port(number))
                for number, seat in enumerate(floor.dealers)
            )
        )
        self.podiums = await asyncio.gather(
            *(
                sign_in(seat, self.tokens[seat.person], self.port(number))
                for number, seat in enumerate(floor.managers)
            )
        )
        for front in fronts.values():
            await front.close()

    def play(self, tables: int, seconds: float) -> Play:
        """Let so many tables play, all of them for so many seconds, with a first and a last round around that."""
        period = 3_600 / self.options.rounds_an_hour
        dashboards = min(dashboards_for(tables, self.options.dashboards), self.dashboards)
        plan = self._plan(tables, dashboards, seconds + 2 * period)
        stored_before, wal_before = self._sizes()
        with generator(plan) as load:
            load.begin()
            began = time.monotonic()
            wait(period, "of the first round")
            memory_before = self.scene.memory()
            used_before, middle = self.scene.processor_seconds(), time.monotonic()
            wait(began + period + seconds - time.monotonic(), f"while {tables:,} tables play")
            used_after, elapsed = self.scene.processor_seconds(), time.monotonic() - middle
            memory_after = self.scene.memory()
            outcome = load.end()
        first, last = outcome.started + period, outcome.started + period + seconds
        acts = [act for act in outcome.acts if first <= act.due <= last]
        used = {name: (used_after[name] - used_before[name]) / elapsed for name in used_after}
        used["generator"] = outcome.processor_seconds / (outcome.ended - outcome.started)
        play = Play(tables, dashboards, outcome, acts, seconds, used, memory_before, memory_after)
        stored, wal = self._sizes()
        play.stored_bytes = (stored - stored_before) / len(outcome.taken)
        play.wal_bytes = (wal - wal_before) / len(outcome.taken)
        play.problems = self._problems(play, plan)
        return play

    def _sizes(self) -> tuple[int, int]:
        with self.scene.admin() as admin:
            row = admin.execute(SIZES).fetchone()
        assert row is not None
        return int(row[0]), int(row[1])

    def _plan(self, tables: int, dashboards: int, seconds: float) -> Plan:
        screens, tablets = [], []
        for number, browser in enumerate(self.tablets[:tables]):
            port, seat = self.port(number), browser.seat
            acts = deal_shift(
                self.draw,
                wagers=self.options.wagers,
                rounds_an_hour=self.options.rounds_an_hour,
                seconds=seconds,
            )
            screens.append(screen_of(browser, port, seat, "dealer"))
            path = f"/floor/{FACILITY}/{seat.table}/acts/"
            tablets.append(Tablet(port, seat.table, path, headers_of(browser, port), tuple(acts)))
        for number, browser in enumerate(self.podiums[:dashboards]):
            screens.append(screen_of(browser, self.port(number), browser.seat, "floor"))
        return Plan(tuple(screens), tuple(tablets), lead=LEAD_SECONDS, tail=TAIL_SECONDS)

    def _problems(self, play: Play, plan: Plan) -> list[str]:
        """What is lost: acts that are not on the record, screens that are behind, sockets that ended."""
        from script.faults.invariants import read_facts, violations
        from script.faults.load import Claim

        with self.scene.admin() as admin:
            versions = dict(admin.execute("SELECT name, seq FROM audit_stream").fetchall())
        problems = [
            f"{screen.path} shows {table} at {version}, and the database has {versions[f'{FACILITY}/{table}']}"
            for screen, display in zip(plan.screens, play.outcome.displays, strict=True)
            for table, version in display.items()
            if version != versions[f"{FACILITY}/{table}"]
        ]
        if play.outcome.lost_sockets:
            problems.append(f"{play.outcome.lost_sockets} sockets ended")
        claims = [
            Claim(
                act.command,
                f"{FACILITY}/{act.table}",
                act.name,
                act.sent,
                "taken" if act.is_taken else "refused" if 400 <= act.status < 500 else "unknown",
                act.status,
                act.code,
                act.version,
            )
            for act in play.outcome.acts
        ]
        problems += [
            f"{claim.act} at {claim.place} was never answered" for claim in claims if claim.fate == "unknown"
        ]
        return problems + violations(read_facts(claims))


def wait(seconds: float, step: str) -> None:
    """Wait, and say every ten seconds how long still."""
    progress, ends = Progress(f"seconds {step}", round(seconds)), time.monotonic() + seconds
    while (remaining := ends - time.monotonic()) > 0:
        time.sleep(min(1.0, remaining))
        progress.add(min(1, progress.total - progress.count))


def dashboards_for(tables: int, wished: int | None) -> int:
    """As many dashboards as wished, or three for a hundred tables."""
    return wished if wished is not None else max(1, round(tables * 0.03))


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Play at `options.tables` tables."""
    with contextlib.ExitStack() as stack:
        bench = FloorBench(stack, options)
        yield bench.open()
        play = bench.play(options.tables, options.floor_seconds)
        yield from lines(play)
        yield from _figures(play)


def lines(play: Play) -> Iterator[str]:
    """What is no figure: the counts, and whatever is wrong."""
    outcome, taken = play.outcome, [act for act in play.acts if act.is_taken]
    refused = [act for act in outcome.acts if not act.is_taken]
    yield (
        f"{play.tables} tables, {play.dashboards} dashboards: {len(taken)} acts in {play.seconds:.0f} s, "
        f"{len(taken) / play.seconds:.1f} a second; {len(refused)} refused, "
        f"{sum(act.tries > 1 for act in outcome.acts)} sent again, {outcome.resyncs} resyncs"
    )
    for name, share in sorted(play.used.items()):
        memory = ""
        if name in play.memory_before:
            memory = f", {play.memory_before[name]:.0f} MB, then {play.memory_after[name]:.0f} MB"
        yield f"{name}: {100 * share:.0f} % of a core{memory}"
    for kind in sorted(outcome.bytes):
        seconds = outcome.ended - outcome.started
        yield (
            f"{kind}: {outcome.messages[kind]:,} messages, {outcome.bytes[kind] / outcome.messages[kind]:,.0f} bytes "
            f"each, {outcome.bytes[kind] / seconds / 1e6:.2f} MB a second"
        )
    yield from (f"{act.name} at {act.table}: {act.status} {act.code}" for act in refused[:5])
    yield from (f"PROBLEM: {problem}" for problem in play.problems[:10])


def _figures(play: Play) -> Iterator[Figure]:
    scale = f"{play.tables} tables, {play.dashboards} dashboards"
    rate = sum(act.is_taken for act in play.acts) / play.seconds
    yield Figure("floor.tables", "tables that play", play.tables, better="higher", goal=GOAL_TABLES)
    yield Figure("floor.acts_a_second", f"acts a second, {scale}", rate, better="higher")
    yield Figure("floor.lost", f"acts lost and screens behind, {scale}", len(play.problems), goal=0)
    for share, latency in zip(("p50", "p95", "p99"), percentiles(play.latencies), strict=True):
        goal = GOAL_MS if share == "p99" else None
        yield Figure(
            f"floor.{share}_ms", f"{share} from the tap to all screens, {scale}", latency, "ms", goal=goal
        )
    answers = [1_000 * (act.answered - act.due) for act in play.acts if act.is_taken]
    for share, latency in zip(("p50", "p95", "p99"), percentiles(answers), strict=True):
        yield Figure(
            f"floor.answer_{share}_ms", f"{share} from the tap to the answer, {scale}", latency, "ms"
        )
    for name, used in sorted(play.used.items()):
        yield Figure(f"floor.{name}_core", f"{name}: share of a core, {scale}", 100 * used, "%")
    for name, label, size in (
        ("stored_bytes", "growth of the database for an act, with indexes", play.stored_bytes),
        ("wal_bytes", "write-ahead log of an act", play.wal_bytes),
    ):
        yield Figure(f"floor.{name}", f"{label}, {scale}", size, "B")
    web = [name for name in play.memory_before if name.startswith("web")]
    growth = max(play.memory_after[name] / play.memory_before[name] for name in web)
    yield Figure(
        "floor.memory",
        f"memory of a worker at the end, {scale}",
        max(map(play.memory_after.__getitem__, web)),
        "MB",
    )
    yield Figure(
        "floor.memory_ratio",
        f"memory of a worker at the end beside the beginning, {scale}",
        growth,
        "×",
        goal=STEADY_MEMORY,
    )

"""Measure a floor of many tables: each tablet deals whole rounds over HTTP, at moments that do not wait for answers.

Two web workers, ticker, sealer, PostgreSQL, Redis and the load share the cores. An act is due when its dealer taps;
what has to wait counts as latency. At the end nothing may be lost: every acknowledged act is on the record (the
invariants of the fault suite), and every screen shows the last version of every table. With `--find` it looks for how
many tables hold: their number doubles until they do not, then the interval is halved.
"""

import argparse
import asyncio
import contextlib
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from script.bench_load import Display, DueAct, Load, PlayedAct, deal_shift, percentiles, sign_in
from script.figures import Figure, ms, ratio, size
from script.floor_tables import FACILITY
from script.installation import Installation

TITLE = "A floor of many tables: real rounds over HTTP, sockets for tablets and dashboards"
LEAD_SECONDS = 5.0
TAIL_SECONDS = 8.0  # longer than a heartbeat, after which a screen that lacks a version fetches it
GOAL_MS = 150.0
GOAL_TABLES = 400
STEADY_MEMORY = 1.1
FIRST_TABLES = 25
STEP = 0.1  # the search ends within a tenth
SHARES = ("p50", "p95", "p99")
# The tables and indexes of the product, and where the write-ahead log is.
SIZES = """SELECT sum(pg_total_relation_size(relid))::bigint, (pg_current_wal_lsn() - '0/0'::pg_lsn)::bigint
    FROM pg_stat_user_tables"""


@dataclass
class Play:
    """What happened at so many tables. `used` is processor time as a share of one core, by process."""

    tables: int
    dashboards: int
    load: Load
    acts: list[PlayedAct]  # those due while all tables played
    seconds: float
    used: dict[str, float]
    memory_before: dict[str, float]
    memory_after: dict[str, float]
    # How much the tables with their indexes grew, and how much PostgreSQL wrote ahead, in bytes for each act.
    stored_bytes: float = 0.0
    wal_bytes: float = 0.0
    problems: list[str] = field(default_factory=list)

    @property
    def taken(self) -> list[PlayedAct]:
        return [act for act in self.acts if act.is_taken]

    @property
    def latencies(self) -> list[float]:
        """Milliseconds from the tap to the last screen; an act that a screen lacks at the end counts as endless."""
        screens = 1 + self.dashboards
        return [
            1_000 * (act.displayed - act.due) if act.screens >= screens else float("inf")
            for act in self.taken
        ]

    @property
    def p99(self) -> float:
        return next(percentiles(self.latencies, (0.99,)))

    @property
    def holds(self) -> bool:
        """Whether nothing is lost, and 99 of 100 acts are on all screens in time."""
        return not self.problems and self.p99 < GOAL_MS


class FloorBench:
    """The installation, and everybody signed in. A device stays with one worker, as behind the proxy."""

    def __init__(
        self,
        stack: contextlib.ExitStack,
        options: argparse.Namespace,
        tables: int,
        *,
        has_browser: bool = False,
    ) -> None:
        self.options, self.draw = options, random.Random(14)
        self.dashboards = self.dashboards_for(tables)
        self.scene = Installation(
            stack,
            options.workers,
            tables=tables,
            dashboards=self.dashboards + has_browser,
            is_durable=options.durable,
            has_browser=has_browser,
        )
        tokens = self.scene.start()
        self.ports = [self.scene.ports[name] for name in self.scene.web]
        dealers, managers = self.scene.floor.dealers, self.scene.floor.managers
        people = [(seat, tokens[seat.place], self.port(number)) for number, seat in enumerate(dealers)]
        people += [(seat, tokens[seat.person], self.port(number)) for number, seat in enumerate(managers)]
        browsers = asyncio.run(sign_in(people, self.draw))
        self.tablets, self.podiums = browsers[: len(dealers)], browsers[len(dealers) :]

    def port(self, number: int) -> int:
        return self.ports[number % len(self.ports)]

    def dashboards_for(self, tables: int) -> int:
        """As many dashboards as wished, or three for a hundred tables."""
        wished: int | None = self.options.dashboards
        return wished if wished is not None else max(1, round(tables * 0.03))

    def play(self, tables: int, seconds: float) -> Play:
        """Let so many tables play, all of them for so many seconds, with a first and a last round around that."""
        stored_before, wal_before = self._sizes()
        play = asyncio.run(self._play(tables, min(self.dashboards_for(tables), self.dashboards), seconds))
        stored, wal = self._sizes()
        count = sum(act.is_taken for act in play.load.acts)
        play.stored_bytes, play.wal_bytes = (stored - stored_before) / count, (wal - wal_before) / count
        play.problems = self._problems(play)
        return play

    async def _play(self, tables: int, dashboards: int, seconds: float) -> Play:
        load, period = Load(self.draw), 3_600 / self.options.rounds_an_hour
        podiums = enumerate(self.podiums[:dashboards])
        shown = [Display(load, browser, self.port(number), "floor") for number, browser in podiums]
        dealing = []
        for number, browser in enumerate(self.tablets[:tables]):
            tablet = await load.tablet(browser, self.port(number))
            dealing.append((tablet, self._shift(seconds + 2 * period)))
        await load.open(shown)
        await asyncio.sleep(LEAD_SECONDS)
        load.begin()
        playing = asyncio.gather(*(load.deal(tablet, acts) for tablet, acts in dealing))
        await asyncio.sleep(period)
        before, memory_before, began = self.scene.processor_seconds(), self.scene.memory(), time.monotonic()
        await asyncio.sleep(seconds)
        after, memory_after, ended = self.scene.processor_seconds(), self.scene.memory(), time.monotonic()
        await playing
        await load.end(TAIL_SECONDS)
        await load.close()
        used = {name: (after[name] - before[name]) / (ended - began) for name in after}
        used["generator"] = load.processor_seconds / load.seconds
        acts = [act for act in load.acts if began <= act.due <= ended]
        return Play(tables, dashboards, load, acts, seconds, used, memory_before, memory_after)

    def _shift(self, seconds: float) -> Sequence[DueAct]:
        rate, wagers = self.options.rounds_an_hour, self.options.wagers
        return deal_shift(self.draw, wagers=wagers, rounds_an_hour=rate, seconds=seconds)

    def _sizes(self) -> tuple[int, int]:
        with self.scene.admin() as admin:
            row = admin.execute(SIZES).fetchone()
        assert row is not None
        return int(row[0]), int(row[1])

    def _problems(self, play: Play) -> list[str]:
        """What is lost: acts that are not on the record, screens that are behind, sockets that ended."""
        from script.faults.invariants import read_facts, violations

        with self.scene.admin() as admin:
            versions = dict(admin.execute("SELECT name, seq FROM audit_stream").fetchall())
        problems = [
            f"{display.path} shows {table} at {shown.version}, and the database has {versions[f'{FACILITY}/{table}']}"
            for display in play.load.displays
            for table, shown in display.shown.items()
            if shown.version != versions[f"{FACILITY}/{table}"]
        ]
        if lost := sum(bool(display.closed) for display in play.load.displays):
            problems.append(f"{lost} sockets ended")
        claims = play.load.ledger.claims
        unanswered = (claim for claim in claims if claim.fate == "unknown")
        problems += [f"{claim.act} at {claim.place} was never answered" for claim in unanswered]
        return problems + violations(read_facts(claims))


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """Play at `options.tables` tables, or find how many hold."""
    with contextlib.ExitStack() as stack:
        bench = FloorBench(stack, options, options.tables)
        yield f"{options.tables} tables, {bench.dashboards} dashboards, {options.workers} workers; all are signed in"
        if options.find:
            yield from _find(bench, options)
            return
        play = bench.play(options.tables, options.floor_seconds)
        yield from lines(play)
        yield from _figures(play)


def _find(bench: FloorBench, options: argparse.Namespace) -> Iterator[str | Figure]:
    """Double the tables until they do not hold, at most to `options.tables`, then halve the interval."""
    least, broken, tables = 0, 0, min(options.tables, FIRST_TABLES)
    while not broken or broken - least > max(1, STEP * least):
        play = bench.play(tables, options.floor_seconds)
        yield from lines(play)
        words = "hold" if play.holds else "do not hold"
        yield f"{tables} tables {words}: p99 {play.p99:.0f} ms to all screens, {len(play.problems)} lost"
        least, broken = (tables, broken) if play.holds else (least, tables)
        if least == options.tables:
            break
        tables = (least + broken) // 2 if broken else min(options.tables, 2 * tables)
    label = f"tables that hold a p99 under {GOAL_MS:.0f} ms, {options.workers} workers"
    yield Figure("saturation.tables", label, least, "", "higher", GOAL_TABLES)


def lines(play: Play) -> Iterator[str]:
    """What is no figure: the counts, and whatever is wrong."""
    load = play.load
    refused = [act.claim for act in load.acts if not act.is_taken]
    yield (
        f"{play.tables} tables, {play.dashboards} dashboards: {len(play.taken)} acts in {play.seconds:.0f} s; "
        f"{len(refused)} refused, {sum(act.claim.tries > 1 for act in load.acts)} sent again, {load.resyncs} resyncs"
    )
    for kind, number in sorted(load.messages.items()):
        yield f"{kind}: {number:,} messages, {load.bytes[kind] / number:,.0f} bytes each"
    yield from (f"{claim.act} at {claim.place}: {claim.status} {claim.code}" for claim in refused[:5])
    yield from (f"PROBLEM: {problem}" for problem in play.problems[:10])


def _figures(play: Play) -> Iterator[Figure]:
    scale = f"{play.tables} tables, {play.dashboards} dashboards"
    rate = len(play.taken) / play.seconds
    yield Figure("floor.tables", "tables that play", play.tables, "", "higher", GOAL_TABLES)
    yield Figure("floor.acts_a_second", f"acts a second, {scale}", rate, better="higher")
    yield Figure("floor.lost", f"acts lost and screens behind, {scale}", len(play.problems), goal=0)
    answers = [1_000 * (act.claim.answered - act.due) for act in play.taken]
    for name, place, times in (("", "all screens", play.latencies), ("answer_", "the answer", answers)):
        for share, latency in zip(SHARES, percentiles(times), strict=True):
            goal = GOAL_MS if (share, name) == ("p99", "") else None
            yield ms(f"floor.{name}{share}_ms", f"{share} from the tap to {place}, {scale}", latency, goal)
    for name, used in sorted(play.used.items()):
        yield Figure(f"floor.{name}_core", f"{name}: share of a core, {scale}", 100 * used, "%")
    stored, wal = "growth of the database for an act, with indexes", "write-ahead log of an act"
    yield size("floor.stored_bytes", f"{stored}, {scale}", play.stored_bytes, portable=False)
    yield size("floor.wal_bytes", f"{wal}, {scale}", play.wal_bytes, portable=False)
    web = [name for name in play.memory_before if name.startswith("web")]
    growth = max(play.memory_after[name] / play.memory_before[name] for name in web)
    most, label = max(play.memory_after[name] for name in web), "memory of a worker at the end"
    yield Figure("floor.memory", f"{label}, {scale}", most, "MB")
    beside = f"{label} beside the beginning, {scale}"
    yield ratio("floor.memory_ratio", beside, growth, STEADY_MEMORY, portable=False)

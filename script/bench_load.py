"""The load of a measurement: what tablets deal and when, the screens of script/tablet.py, and what they noted.

They run in this process, whose processor time is stated beside the others. A tablet acts as `script/tablet.py` has it.
Of a screen only the version of each table is read, so that many of them cost little.
"""

import asyncio
import contextlib
import gc
import math
import random
import re
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import httpx

from script.faults.floor import Seat
from script.tablet import Browser, Claim, Fragment, Front, Json, Ledger, Screen, Tablet

HEARTBEAT = '{"versions"'
# Of messages that show nothing, by their beginning
KINDS = ((HEARTBEAT, "heartbeats"), ('{"answer"', "answers"))
PEEK = 256  # characters of a message, in which its table and versions are
TABLE = re.compile(r'"table":\s*"([^"]*)"')
VERSION = re.compile(r'"version":\s*(\d+)')
BASE = re.compile(r'"base":\s*(\d+)')
HTML_VERSION = re.compile(r'\bdata-version="(\d+)"')
HTML_INCARNATION = re.compile(r'\bdata-incarnation="(\d+)"')
AT_ONCE = 20  # screens that are opened
OPEN_SECONDS = 180.0
GATHER_SECONDS = 5.0  # until every screen shows an act that others wait for
SIGN_INS_AT_ONCE = 8
SEATS = 8
STAKES_CENTS = (2_500, 5_000, 10_000)
WAGERS = ("total:9", "total:12", "one-of-a-kind:3", "two-of-a-kind:5", "any-three-of-a-kind", "two-dice:2-5")
# A throw that is no triple wins for one of these and loses for the other, so each round pays and takes.
OPPOSITES = ("small", "big")
SHAKES = 3
# The share of a round that is over when its wagers are down, and when each later step is due.
WAGERS_END = 0.60
STEPS = (
    ("shake", 0.65),
    ("no_more_bets", 0.72),
    ("call_dice", 0.78),
    ("take_losers", 0.84),
    ("pay_seats", 0.91),
    ("clear_layout", 0.97),
)


# What is dealt: pure functions of a seed


@dataclass(frozen=True)
class DueAct:
    """An act and when the dealer taps it, in seconds from the start."""

    due: float
    name: str
    params: Json


def deal_round(draw: random.Random, wagers: int, start: float = 0.0, seconds: float = 0.0) -> list[DueAct]:
    """One round of Sic Bo with so many wagers, each an act, spread over so many seconds from `start`."""
    gap = WAGERS_END * seconds / max(wagers, 1)
    lines = wager_lines(draw, wagers)
    acts = [
        DueAct(start + (number + draw.uniform(0.1, 0.6)) * gap, "place_wagers", {"wagers": [line]})
        for number, line in enumerate(lines)
    ]
    params: dict[str, Json] = {"shake": {"shakes": SHAKES}, "call_dice": {"dice": draw_dice(draw)}}
    return acts + [DueAct(start + share * seconds, name, params.get(name, {})) for name, share in STEPS]


def wager_lines(draw: random.Random, count: int) -> list[Json]:
    """Wagers on seats and areas of which no two are the same; the first two are opposites."""
    places = [(seat, code) for seat in range(3, SEATS + 1) for code in (*OPPOSITES, *WAGERS)]
    drawn = list(enumerate(OPPOSITES, start=1)) + draw.sample(places, max(count - 2, 0))
    return [{"seat": seat, "wager": code, "cents": draw.choice(STAKES_CENTS)} for seat, code in drawn[:count]]


def draw_dice(draw: random.Random) -> list[int]:
    """Three dice that are not all alike."""
    while True:
        dice = [draw.randint(1, 6) for _ in range(3)]
        if len(set(dice)) > 1:
            return dice


def deal_shift(draw: random.Random, *, wagers: int, rounds_an_hour: float, seconds: float) -> list[DueAct]:
    """The rounds that begin and end at one table within so many seconds, from a drawn moment on."""
    period = 3_600 / rounds_an_hour
    start = draw.uniform(0, period)
    acts: list[DueAct] = []
    while start + period <= seconds:
        acts += deal_round(draw, wagers, start, period)
        start += period
    return acts


def percentile(ordered: Sequence[float], share: float) -> float:
    """The value below which this share of the values lies (nearest rank). They are in ascending order.

    Raises ValueError without a value.
    """
    if not ordered:
        raise ValueError("no value")
    rank = math.ceil(share * len(ordered) - 1e-9)  # 0.95 of 100 is not 95 in binary
    return ordered[max(rank, 1) - 1]


def percentiles(values: Sequence[float], shares: Sequence[float] = (0.5, 0.95, 0.99)) -> Iterator[float]:
    """Some percentiles of values in any order."""
    ordered = sorted(values)
    return (percentile(ordered, share) for share in shares)


# Who deals it, and on which screens it is shown


@dataclass
class PlayedAct:
    """An act that a tablet sent, and when the last of the screens that showed it did. `due`: when its dealer tapped.

    The moments are seconds of `time.monotonic`; `displayed` is 0 if no screen showed it.
    """

    claim: Claim
    due: float
    displayed: float = 0.0
    screens: int = 0

    @property
    def is_taken(self) -> bool:
        return self.claim.fate == "taken"

    @property
    def table(self) -> str:
        return self.claim.place.partition("/")[2]


class Load:
    """Screens and tablets, and what they noted between `begin` and `end`."""

    def __init__(self, draw: random.Random) -> None:
        self.draw, self.ledger = draw, Ledger()
        self.fronts: dict[int, CountingFront] = {}
        self.displays: list[Screen] = []  # with the pages of tablets
        self.changed = asyncio.Event()
        self.begin()

    def begin(self) -> None:
        """Forget what was noted, and note from now on."""
        gc.freeze()
        self.acts: list[PlayedAct] = []
        self.bytes: Counter[str] = Counter()  # of the messages on each kind of socket, and of the answers
        self.messages: Counter[str] = Counter()
        self.resyncs = 0
        self.shown: dict[tuple[str, int], tuple[int, float]] = {}  # on how many screens, and on the last when
        self.began, self.processor_began = time.monotonic(), time.process_time()

    async def end(self, tail: float = 0.0) -> None:
        """Stop the clocks, and keep the screens for so many seconds more."""
        self.seconds = time.monotonic() - self.began
        self.processor_seconds = time.process_time() - self.processor_began
        await asyncio.sleep(tail)
        for act in self.acts:
            if act.is_taken:
                act.screens, act.displayed = self.shown.get((act.table, act.claim.version), (0, 0.0))

    def front(self, port: int) -> "CountingFront":
        return self.fronts.setdefault(port, CountingFront(self, port))

    async def tablet(self, browser: Browser, port: int) -> Tablet:
        """The tablet of a signed-in dealer, with the state of its table and its socket: one more screen."""
        tablet = DealersTablet(self, browser, port)
        self.displays.append(tablet)
        tablet.open()
        await tablet.connected.wait()
        await tablet.resync()
        await self._hear_states()
        return tablet

    async def open(self, displays: Iterable["Display"]) -> None:
        """Open these screens, some at a time, and wait for their sockets and states."""
        opening = list(displays)
        self.displays += opening
        async with asyncio.timeout(OPEN_SECONDS):
            for first in range(0, len(opening), AT_ONCE):
                await asyncio.gather(*(display.begin() for display in opening[first : first + AT_ONCE]))
            await self._hear_states()

    async def _hear_states(self) -> None:
        """Wait until each socket has told its first state, which belongs to no act."""
        while not all(display.is_told for display in self.displays):
            self.changed.clear()
            await self.changed.wait()

    async def close(self) -> None:
        await asyncio.gather(*(display.close() for display in self.displays))
        for front in self.fronts.values():
            await front.close()

    def count(self, kind: str, size: int) -> None:
        self.bytes[kind] += size
        self.messages[kind] += 1
        self.changed.set()

    def note(self, table: str, before: int, version: int, moment: float) -> None:
        """Note that one more screen shows these versions: one that skips a version shows it with the next."""
        for number in range(before + 1, version + 1) if before else (version,):
            screens, _ = self.shown.get((table, number), (0, 0.0))
            self.shown[table, number] = screens + 1, moment
        self.changed.set()

    async def wait_for_screens(self, table: str, version: int, screens: int) -> None:
        """Wait until so many screens show a version of a table, at most for some seconds."""
        with contextlib.suppress(TimeoutError):  # then a screen lacks the act
            async with asyncio.timeout(GATHER_SECONDS):
                while self.shown.get((table, version), (0, 0.0))[0] < screens:
                    self.changed.clear()
                    await self.changed.wait()

    async def deal(
        self, tablet: Tablet, acts: Sequence[DueAct], *, screens: int = 0, pause: float | None = None
    ) -> None:
        """Send acts, each at its moment from `begin` on, or once so many screens show the one before and a pause.

        After a refusal as stale it is sent once more, as the dealer would tap again on the fresh screen.
        """
        for act in acts:
            due = time.monotonic() if pause is not None else self.began + act.due
            await asyncio.sleep(max(0.0, due - time.monotonic()))
            for _ in range(2):
                claim = await tablet.act(act.name, act.params)
                self.acts.append(PlayedAct(claim, due))
                if claim.status != 409:
                    break
            if pause is not None:
                if claim.fate == "taken":
                    await self.wait_for_screens(tablet.table, claim.version, screens)
                await asyncio.sleep(pause)

    async def chat(self, text: str, texts: int, pause: float) -> None:
        """Send texts on the first socket, each once every socket has received the one before."""
        for number in range(1, texts + 1):
            moment = time.monotonic()
            claim = Claim("", "", "text", moment, "taken", 200, version=number)
            await self.displays[0].socket.send(text)
            await self.wait_for_screens("", number, len(self.displays))
            self.acts.append(PlayedAct(claim, moment))
            await asyncio.sleep(pause)


class CountingFront(Front):
    """The way to one worker, as behind a proxy that keeps a device there. Counts the bytes of the answers to acts."""

    def __init__(self, load: Load, port: int) -> None:
        super().__init__([port], load.draw, load.ledger)
        self.load = load

    async def send_act(self, path: str, headers: Json, body: Json) -> httpx.Response:
        response = await super().send_act(path, headers, body)
        self.load.count("answers", len(response.content))
        return response


class Display(Screen):
    """A page of a signed-in browser. `kind`: a station of a table, or `floor`."""

    def __init__(self, load: Load, browser: Browser, port: int, kind: str, table: str = "") -> None:
        super().__init__(browser.seat, "", load.front(port), kind, table)
        self.cookies, self.load, self.kind = browser.cookies, load, kind
        self.incarnation = 0

    async def begin(self) -> None:
        self.open()
        await self.connected.wait()
        await self.resync()

    async def resync(self) -> bool | None:
        self.load.resyncs += 1
        return await super().resync()

    def apply(self, table: str, text: str) -> None:
        if incarnation := HTML_INCARNATION.search(text):
            self.incarnation = int(incarnation[1])
        if version := HTML_VERSION.search(text):
            self.show(table, int(version[1]), time.monotonic())

    async def hear(self, text: str) -> None:
        moment, opening = time.monotonic(), text[:PEEK]
        is_heartbeat = opening.startswith(HEARTBEAT)
        self.load.count("heartbeats" if is_heartbeat else self.kind, len(text.encode()))
        self.message_time = moment
        if is_heartbeat:
            await super().hear(text)
        elif (version := VERSION.search(opening)) and (table := TABLE.search(opening)):
            base = BASE.search(opening)
            if base and self.received.get(table[1], (0, {}))[0] != int(base[1]):
                await self.resync()
                return
            self.received[table[1]] = int(version[1]), {}
            self.show(table[1], int(version[1]), moment)

    def show(self, table: str, version: int, moment: float) -> None:
        before = self.shown.get(table, Fragment()).version
        self.shown[table] = Fragment(max(before, version), incarnation=self.incarnation)
        if version > before:
            self.load.note(table, before, version, moment)


class DealersTablet(Tablet):
    """The page of a dealer who acts: pushes bring its screens, so that no answer has to."""

    def __init__(self, load: Load, browser: Browser, port: int) -> None:
        super().__init__(browser.seat, "", load.front(port), load.ledger, load.draw)
        self.cookies, self.load = browser.cookies, load

    async def hear(self, text: str) -> None:
        moment, before = time.monotonic(), self.fragment.version
        kind = next((kind for start, kind in KINDS if text.startswith(start)), self.station)
        self.load.count(kind, len(text.encode()))
        await super().hear(text)
        if self.fragment.version > before:
            self.load.note(self.table, before, self.fragment.version, moment)

    async def resync(self) -> bool | None:
        self.load.resyncs += 1
        return await super().resync()


class ChatDisplay(Display):
    """A socket of an application to compare with, whose messages it counts as versions of one table."""

    def __init__(self, load: Load, port: int) -> None:
        nobody: Any = Browser(Seat("", "", ""), "", load.front(port))
        super().__init__(load, nobody, port, "chat")

    @property
    def socket_path(self) -> str:
        return "/"

    @property
    def is_told(self) -> bool:
        return True

    async def resync(self) -> bool | None:
        return None

    async def hear(self, text: str) -> None:
        self.load.count(self.kind, len(text))
        self.message_time = time.monotonic()
        self.show("", self.shown.get("", Fragment()).version + 1, self.message_time)


async def sign_in(people: Sequence[tuple[Seat, str, int]], draw: random.Random) -> list[Browser]:
    """Enroll and sign in everybody over HTTP, some at a time: each seat with its token and the port of its worker."""
    gate = asyncio.Semaphore(SIGN_INS_AT_ONCE)

    async def signed_in(seat: Seat, token: str, port: int) -> Browser:
        async with gate:
            browser = Browser(seat, token, Front([port], draw, Ledger()))
            await browser.enroll()
            if not await browser.sign_in():
                raise RuntimeError(f"{seat.person} could not sign in")
            await browser.front.close()
            return browser

    return await asyncio.gather(*(signed_in(*person) for person in people))

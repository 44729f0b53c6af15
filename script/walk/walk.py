"""One table of the walk: its open screens, and what is compared after each act."""

import itertools
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from playwright.sync_api import Page

from script.walk import facts
from script.walk.house import Crew, DeviceOfWalk, Member, enroll
from script.walk.screens import NOTE_TIMES, PAINT_TIME, Kind, Screen
from tests.e2e.field import FieldTablet
from tests.e2e.floor import Tablet, become
from tests.services.chromium import Contexts, Pages

SIZES: dict[str, tuple[int, int]] = {
    "tablet": (1280, 800), "table": (1440, 900), "floor": (1440, 900), "wall": (1920, 1080), "phone": (390, 844),
}  # fmt: skip
COMMIT_SECONDS = 15.0  # in which a tap has to reach the record


@dataclass
class Tally:
    """What a walk has done: acts, comparisons of a screen, differences, and the longest way from a tap to a screen."""

    acts: int = 0
    comparisons: int = 0
    differences: list[str] = field(default_factory=list)
    slowest: float = 0.0  # milliseconds
    slowest_act: str = ""

    def add(self, other: "Tally") -> None:
        self.acts += other.acts
        self.comparisons += other.comparisons
        self.differences += other.differences
        if other.slowest > self.slowest:
            self.slowest, self.slowest_act = other.slowest, other.slowest_act


class Walk:
    """A table with every kind of screen open, spread over the workers in turn."""

    def __init__(self, stock: Contexts, addresses: list[str], crew: Crew) -> None:
        self.crew, self.tally = crew, Tally()
        self.workers = itertools.cycle([Pages(stock, address) for address in addresses])
        self.opened: list[Pages] = []
        self.screens: list[Screen] = []
        self.tablets: dict[str, Tablet] = {}
        self.names = itertools.count(1)
        for post, member in crew.dealers.items():
            self.tablets[post] = self._open_tablet(post, member)
        floor = f"/floor/{crew.facility}/"
        self.dashboard = self._open("dashboard", "floor", "podium", floor, crew.manager)
        self.page = self._open("table page", "table", "podium", f"{floor}{crew.table}/", crew.floorperson)
        self.wall = self._open("wall", "wall", "wall", f"{floor}wall", None)
        self.phone = self._open("phone", "floor", "pit", floor, crew.floorperson)

    @property
    def dealer(self) -> Tablet:
        """The first dealer's tablet."""
        return next(iter(self.tablets.values()))

    def _page(self, size: str, station: str, place: str) -> Page:
        pages = next(self.workers)
        page = pages(*SIZES[size])
        self.opened.append(pages)
        page.context.add_init_script(NOTE_TIMES)
        name = f"Walk {self.crew.table} {next(self.names)}"
        become(page, enroll(DeviceOfWalk(name, self.crew.facility, station, place)))
        return page

    def _open_tablet(self, post: str, member: Member) -> Tablet:
        page = self._page("tablet", "dealer", self.crew.place)
        tablet = FieldTablet(page) if len(self.crew.dealers) > 1 else Tablet(page)
        page.goto("/")
        tablet.sign_in(member.code, member.pin)
        tablet.is_live()
        self.screens.append(Screen(f"tablet {post}", "tablet", page))
        return tablet

    def _open(self, name: str, kind: Kind, station: str, path: str, member: Member | None) -> Screen:
        page = self._page("phone" if name == "phone" else kind, station, "")
        if member:
            page.goto("/")
            Tablet(page).sign_in(member.code, member.pin)
            page.locator("html[data-live=live]").wait_for(state="attached")
        page.goto(path)
        page.locator("html[data-live=live]").wait_for(state="attached")
        self.screens.append(Screen(name, kind, page))
        return self.screens[-1]

    def close(self) -> None:
        for screen in self.screens:
            screen.close_twin()
        for pages in dict.fromkeys(self.opened):
            pages.close()

    # Acts

    def act(self, name: str, do: Callable[[], object]) -> None:
        """Do one act by taps, wait until every screen shows it, and compare them all with the database and a reload."""
        code, before = self.crew.table, self.version
        for screen in self.screens:
            screen.requests.clear()
        do()
        deadline = time.monotonic() + COMMIT_SECONDS
        while self.version == before:
            if time.monotonic() > deadline:
                self.differ(name, "nothing was recorded")
                return
            self.dealer.page.wait_for_timeout(20)
        version = self._wait_for_screens(name)
        self.tally.acts += 1
        self._measure(name, before, version)
        self.compare(name)
        self.tally.differences += [
            f"{code} {name}: {text}" for screen in self.screens for text in screen.complaints
        ]
        for screen in self.screens:
            screen.complaints.clear()

    def visit(self, name: str, do: Callable[[], object]) -> None:
        """Do what leaves the table as it is, and compare every screen all the same."""
        do()
        self._wait_for_screens(name)
        self.compare(name)

    @property
    def version(self) -> int:
        return facts.version_of(self.crew.facility, self.crew.table)

    def differ(self, act: str, text: str) -> None:
        self.tally.differences.append(f"{self.crew.table} {act}: {text}")

    def _wait_for_screens(self, name: str) -> int:
        """Wait until no act is on its way and every screen shows the newest version, which is returned."""
        while True:
            version = self.version
            late = [text for screen in self.screens if (text := screen.wait_for(self.crew.table, version))]
            for tablet in self.tablets.values():
                tablet.is_taken()
            if version == self.version or late:
                for text in late:
                    self.differ(name, text)
                return version

    def _measure(self, name: str, before: int, version: int) -> None:
        """How long the act took from its last tap to the last screen that drew it."""
        taps = [
            screen.tap_time(request.timing["startTime"])
            for screen in self.screens
            for request in screen.requests
        ]
        drawn = [
            moment
            for screen in self.screens
            for number in range(before + 1, version + 1)
            if (moment := screen.draw_time(self.crew.table, number))
        ]
        if not taps or not drawn:
            return
        delay = max(drawn) - max(taps)
        if delay > self.tally.slowest:
            self.tally.slowest, self.tally.slowest_act = delay, f"{name} at {self.crew.table}"

    def compare(self, name: str) -> None:
        """Compare every screen with the rows, with the others, and with the same page as it is loaded now."""
        while True:
            version = self.version
            for screen in self.screens:
                screen.open_twin()
            self.dealer.page.wait_for_timeout(1_000 * PAINT_TIME)
            differences = list(self._differences())
            for screen in self.screens:
                screen.close_twin()
            if version == self.version:
                break
            self._wait_for_screens(name)
        self.tally.comparisons += len(self.screens)
        for text in differences:
            self.differ(name, text)

    def _differences(self) -> Iterator[str]:
        crew = self.crew
        for screen in self.screens:
            yield from screen.differences()
        rows = facts.read_facts(crew.facility, crew.table)
        for screen in self.screens:
            yield from facts.differences(screen, crew.table, rows)
        yield from facts.disagreements(self.screens, crew.table)
        yield from facts.wrong_sums(crew.facility, crew.table)

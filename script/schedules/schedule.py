"""One schedule: people act on virtual tablets while what its seed draws goes wrong, and then everything is judged.

Nothing waits: the time is a number, and what comes next is the earliest of a queue. The pages (`pages.py`) and the
server (`house.py`) are real; between them is a network that loses, delays and repeats (`tablets.py`). In the end no
fault happens any more, everybody learns what became of their acts, and the invariants of the fault suite are asked.
"""

import heapq
import itertools
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import Any

from audit.refusals import ClockRefused
from script.faults.floor import DESKS
from script.faults.invariants import read_facts, violations
from script.schedules.draws import Draws
from script.schedules.house import SEATS, House, Image, World, clock_of
from script.schedules.pages import Engine
from script.schedules.tablets import Dealer, Desk, Fills, Tablet, Tapped
from script.tablet import Claim, Fate

TICK_SECONDS = 12.0
SEAL_SECONDS = 3.0
BACKUP_SECONDS = 6.0
PATIENCE_SECONDS = 300.0  # from the last fault, until everybody knows
LAST_SEALS = 3
DAY_SECONDS = 86_400.0


def lacks(made_at: float, numbers: dict[str, int], claim: Claim) -> bool:
    """Whether a backup lacks what became of an act: its entry, or that its command was ended.

    What was refused since is not ended in it: a copy of the act that is on its way then may be taken.
    """
    if claim.fate == "taken":
        return claim.version > numbers[claim.place]
    return claim.fate == "refused" and claim.answered > made_at


@dataclass
class Course:
    """What became of a schedule: what is wrong, and what happened, line by line."""

    seed: int
    taps: int
    draws: Draws
    acts: int = 0  # requests of acts that reached the server
    sealed: int = 0  # seconds in which the sealer found nothing wrong
    restored: int = 0  # backups
    seconds: float = 0.0  # of the schedule's own time
    fates: list[Fate] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)


class Schedule:
    """The schedule of one seed, with so many taps. `without`: the numbers of the faults that do not happen."""

    def __init__(
        self, engine: Engine, image: Image, seed: int, taps: int, without: Collection[int] = ()
    ) -> None:
        self.engine, self.image, self.draws, self.world = engine, image, Draws(seed, without), World()
        self.taps, self.acts = taps, 0
        self.lines: list[str] = []
        self.tapped: list[Tapped] = []
        self.forgotten: set[int] = set()  # acts that a restored backup has lost
        self.waits_for_declaration = False
        self._queue: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._order = itertools.count()

    def log(self, who: str, text: str) -> None:
        self.lines.append(f"{self.world.seconds:8.2f} s  {who:<20} {text}")

    def at(self, seconds: float, what: Callable[..., None], *arguments: Any) -> None:
        """Let something happen so many seconds from now."""
        moment = self.world.seconds + max(0.0, seconds)
        heapq.heappush(self._queue, (moment, next(self._order), what, arguments))

    # Acts

    @property
    def is_over(self) -> bool:
        """Whether nobody taps any more."""
        return len(self.tapped) >= self.taps

    @property
    def waiting(self) -> list[Tapped]:
        return [tapped for tapped in self.tapped if not tapped.is_over]

    def note(self, tapped: Tapped) -> int:
        """Note an act that somebody taps. Returns its number."""
        self.tapped.append(tapped)
        return len(self.tapped) - 1

    def find(self, claim: int | str) -> Tapped | None:
        """An act by its number, or by its command."""
        if isinstance(claim, int):
            return self.tapped[claim]
        return next((tapped for tapped in self.tapped if tapped.command == claim), None)

    def forget(self, command: str) -> None:
        """Forget an act whose answer comes from a record that a backup has replaced since."""
        self.forgotten |= {number for number, tapped in enumerate(self.tapped) if tapped.command == command}

    # The course

    def run(self) -> Course:
        """Play, and judge."""
        with clock_of(self.world):
            self.house = House(self.image, self.world, self.draws, self.log)
            try:
                self._open()
                self._play()
                self._come_to_rest()
                problems = self._judge()
            finally:
                self.house.close()
        fates = [tapped.fate for tapped in self.tapped]
        return Course(
            self.draws.seed,
            self.taps,
            self.draws,
            self.acts,
            self.house.sealing.sealed,
            self.house.restored,
            self.world.seconds,
            fates,
            problems,
            self.lines,
        )

    def _open(self) -> None:
        self.engine.happens("begin", 0.0)
        cookies = self.image.cookies
        dealers = [Dealer(self, number, seat, cookies[seat.place]) for number, seat in enumerate(SEATS)]
        floor, cage = (
            Desk(self, number, seat, cookies[name])
            for number, (name, seat) in enumerate(DESKS.items(), start=len(SEATS))
        )
        self.tablets: list[Tablet] = [*dealers, floor, cage]
        Fills(self, floor, cage, dealers)
        for tablet in self.tablets:
            tablet.begin()
        self.at(TICK_SECONDS, self._tick)
        self.at(SEAL_SECONDS, self._seal)
        self.at(BACKUP_SECONDS, self._back_up)
        self.at(self.draws.of("trouble").uniform(3, 10), self._meet_trouble)

    def _play(self) -> None:
        while not self.is_over:
            self._next()

    def _come_to_rest(self) -> None:
        """Let nothing go wrong any more, until everybody knows what became of their acts."""
        self.log("schedule", "nobody taps any more, and nothing goes wrong")
        self.draws.is_quiet, self.house.busy_until = True, 0.0
        self.world.clock_offset = max(self.world.clock_offset, 0.0)
        until = self.world.seconds + PATIENCE_SECONDS
        while (self.waiting or self.waits_for_declaration) and self.world.seconds < until:
            self._next()
        for _ in range(LAST_SEALS):
            self.house.sealing.seal()

    def _next(self) -> None:
        self.world.seconds, _, what, arguments = heapq.heappop(self._queue)
        what(*arguments)
        states, self.house.pushes.states = self.house.pushes.states, []
        for state in states:
            place = f"{state['table']['facility']}/{state['table']['code']}"
            for tablet in self.tablets:
                tablet.be_pushed(place, state)

    def _tick(self) -> None:
        self.at(TICK_SECONDS * self.draws.of("tick").uniform(0.5, 1.5), self._tick)
        self.house.tick()

    def _seal(self) -> None:
        self.at(SEAL_SECONDS * self.draws.of("seal").uniform(0.3, 2), self._seal)
        sealing = self.house.sealing
        sealing.seal()
        if sealing.is_machine_lost and self.may_go_back:
            self.log("house", "the machine is lost")
            self._go_back(is_lost=True)
        sealing.is_machine_lost = False

    def _meet_trouble(self) -> None:
        """What goes wrong by itself: clocks that are set, backups that are restored, tablets without a network."""
        self.at(self.draws.of("trouble").uniform(2, 10), self._meet_trouble)
        if self.draws.happens("clock set", 0.15):
            seconds = self.draws.of("clock").choice((-90.0, -90.0, -1.5, 3.0, 200.0))
            self.house.set_clock(seconds)
            # One that was ahead is not set back: entries of that time would be of the future, and be called so.
            if seconds < 0 and self.draws.of("clock").random() < 0.8:
                self.at(self.draws.of("clock").uniform(3, 15), self._set_clock_right, seconds)
        if self.may_go_back and self.draws.happens("backup restored", 0.05):
            self._go_back()
        for tablet in self.tablets:
            tablet.meet_trouble()

    def _set_clock_right(self, seconds: float) -> None:
        if not self.draws.is_quiet:  # then it is right by now
            self.house.set_clock(-seconds)

    # Restored backups

    def _back_up(self) -> None:
        self.at(BACKUP_SECONDS * self.draws.of("backup").uniform(0.3, 2), self._back_up)
        if not self.waits_for_declaration:
            self.house.back_up()

    @property
    def may_go_back(self) -> bool:
        """Whether a backup of this incarnation can be restored."""
        return bool(self.house.backups) and not self.waits_for_declaration

    def _go_back(self, *, is_lost: bool = False) -> None:
        """Restore a backup below what went on. Who has shown an act that is lost may not play on unnoticed."""
        made_at, numbers = self.house.go_back(is_lost=is_lost)
        self.forgotten |= {
            number for number, tapped in enumerate(self.tapped) if lacks(made_at, numbers, tapped)
        }
        for tablet in self.tablets:
            place = tablet.seat.place
            tablet.restored = (
                numbers.get(place) if tablet.most_shown.get(place, 0) > numbers.get(place, 0) else None
            )
            tablet.most_shown = {}
            if tablet.page and not tablet.is_offline:  # a server without a database ends its sockets
                tablet.lose_line(self.draws.of(f"restored {tablet.number}").uniform(0.5, 5))
        self.waits_for_declaration = self.house.sealing.may_stop = True
        self.at(self.draws.of("declare").uniform(20, 60), self._declare)

    def _declare(self) -> None:
        try:
            self.house.declare()
        except ClockRefused:  # they try again once the clock is right
            self.at(5.0, self._declare)
            return
        self.waits_for_declaration = self.house.sealing.may_stop = False
        for tablet in self.tablets:
            tablet.restored = None

    # The end

    def _judge(self) -> list[str]:
        self.world.clock_offset += DAY_SECONDS  # past every moment on record
        claims = [tapped for number, tapped in enumerate(self.tapped) if number not in self.forgotten]
        problems = [
            *self.house.problems,
            *(f"nobody was told what became of {tapped.act} at {tapped.place}" for tapped in self.waiting),
            *violations(read_facts(claims)),
        ]
        if problems:
            self.log("judge", "; ".join(problems))
        return problems

"""The server of a schedule: the product's own views, sealer, ticker and witness, on SQLite in memory, in one process.

What a process of the product remembers between requests is put aside and back (`Memory`), so that two workers take
turns, and a worker that crashes has forgotten everything. A crash is an exception that nothing catches: at a drawn
statement of the database, after which no further statement is executed, or once the answer is there.
"""

import contextlib
import datetime as dt
import io
import json
import logging
import shutil
import tempfile
import urllib.error
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from http.cookies import SimpleCookie
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import OperationalError, connection
from django.test import Client
from django.utils import timezone

from audit import clock, identity, notes
from audit import witness as outsider
from audit.models import Checkpoint, Person, SigningKey, Stream
from audit.record import current_incarnation_number
from audit.refusals import ClockRefused
from audit.sealing import keys, state, witnesses
from audit.sealing.declarations import declare_incarnation
from audit.sealing.log import Log, current_incarnation, logs_of
from audit.sealing.sealer import STEPS, Sealer
from audit.sealing.state import SealingProblem
from games.snapshot_types import Snapshot
from script.faults.floor import COMPLIANCE, DEALERS, DESKS, enroll, send_fills
from script.schedules.draws import Draws
from tables import rules
from tables.cases import kinds, reports
from tables.demo.floor import LARKFIELD, SEABRIGHT
from tables.demo.seeding import seed
from tables.opening import open_time
from tables.reports import day_rounds
from tables.runner import copies
from tables.screens import fragments, push, snapshot, table_history
from tables.ticker import Ticker
from tables.views.acts import act_on_socket

Json = dict[str, Any]
START = dt.datetime(2026, 11, 28, 12, tzinfo=dt.UTC)
SEATS = (DEALERS[0], DEALERS[1], DEALERS[3])
# The tables of the seats alone: each other one costs time at every tick, seal and verification.
FLOOR = (LARKFIELD.with_tables("T-01", "T-03"), SEABRIGHT.with_tables("T-01"))
OF_THE_CLOCK = (
    "clock-jumped",
    "first-log-stopped",
)  # a log does not begin while the clock is behind the record
KEPT_BACKUPS = 4
MOST_STATEMENTS = 60  # of a request; a crash drawn for a later one does not happen
# What the processes of the product remember, by module and name: dictionaries and sets.
REMEMBERED = (
    (identity, "_senders"),
    (copies, "_copies"),
    (rules, "_verified"),
    (open_time, "_cache"),
    (day_rounds, "_cache"),
    (table_history, "_days"),
    (table_history, "_last_rounds"),
    (table_history, "_newest_lines"),
    (fragments, "_shown"),
    (kinds, "_days_outside"),
    (reports, "_day_reports"),
)


class Crash(BaseException):
    """A process was killed. It is no Exception, so nothing handles it."""


# The clock


class World:
    """The time of a schedule: seconds since its beginning, and how far the server's clock is off."""

    def __init__(self) -> None:
        self.seconds = 0.0
        self.clock_offset = 0.0

    @property
    def now(self) -> dt.datetime:
        """What the server's clock says."""
        return START + dt.timedelta(minutes=5, seconds=self.seconds + self.clock_offset)


@contextlib.contextmanager
def clock_of(world: World) -> Iterator[None]:
    """Let the product read this clock, and what it guards itself with against clocks that jump."""

    class Moments(dt.datetime):
        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:  # type: ignore[override]
            return world.now

    real, real_now, steady = vars(clock)["dt"], timezone.now, clock.clock.steady
    names = {name: getattr(dt, name) for name in ("UTC", "timedelta", "date", "timezone", "tzinfo")}
    vars(clock)["dt"] = SimpleNamespace(datetime=Moments, **names)
    timezone.now = lambda: world.now
    try:
        yield
    finally:
        vars(clock)["dt"], timezone.now, clock.clock.steady = real, real_now, steady


# Processes


@dataclass
class Memory:
    """What one process remembers; empty for one that has just begun."""

    world: World
    kept: list[Any] = field(default_factory=list)
    steady: clock.SteadyTime | None = None

    def forget(self) -> None:
        self.kept, self.steady = [], None

    @contextlib.contextmanager
    def used(self) -> Iterator[None]:
        """Let the product remember this within the block. A crash forgets it."""
        places = [getattr(module, name) for module, name in REMEMBERED]
        for place, kept in zip(places, self.kept or [()] * len(places), strict=True):
            place.clear()
            place.update(kept)
        clock.clock.steady = self.steady or clock.SteadyTime(lambda: self.world.seconds)
        try:
            yield
        except Crash:
            self.forget()
            raise
        else:
            self.kept = [type(place)(place) for place in places]
            self.steady = clock.clock.steady
        finally:
            for place in places:
                place.clear()


@dataclass
class Statements:
    """Counts the statements of a block. At the one with this number, the process crashes or the database is busy."""

    crash_at: int = 0
    busy_at: int = 0
    count: int = 0
    crashed_in: str = ""
    is_met: bool = False  # whether what was drawn has happened

    def __call__(self, execute: Callable[..., Any], sql: str, *arguments: Any) -> Any:
        self.count += 1
        if self.crash_at and self.count >= self.crash_at:
            self.crashed_in, self.is_met = self.crashed_in or sql, True
            raise Crash
        if self.count == self.busy_at:
            self.is_met = True
            raise OperationalError("database is locked")
        return execute(sql, *arguments)


class Pushes:
    """Stands where a worker's event loop does: what it would push is kept."""

    def __init__(self) -> None:
        self.states: list[Snapshot] = []

    def call_soon_threadsafe(self, _send: Any, state: fragments.TableState, *_times: Any) -> None:
        self.states.append(state.snapshot)


class Complaints(logging.Handler):
    """Hears in the place of every other handler which exceptions the product caught and logged."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.exc_info and record.name.startswith(("audit.", "tables.", "games.")):
            self.texts.append(f"{record.getMessage()}: {record.exc_info[1]!r}")

    def listen(self) -> None:
        """Become the only handler of this process."""
        logging.disable(logging.WARNING)
        for logger in (logging.root, *map(logging.getLogger, logging.root.manager.loggerDict)):
            logger.handlers = []
        logging.root.addHandler(self)

    def take(self) -> list[str]:
        texts, self.texts = self.texts, []
        return texts


complaints = Complaints()


# The house


@dataclass(frozen=True)
class Image:
    """A floor as it is when a schedule begins: its database, the sealer's folder, and its devices.

    `cookies`: of each enrolled device, by the name of its desk or the place of its seat.
    """

    database: bytes
    folder: Path
    cookies: dict[str, SimpleCookie]


def make_image(folder: Path) -> Image:
    """Build the demo floor, with fills on their way and the sealer's key."""
    complaints.listen()
    settings.SEALER_DIR = str(folder)
    with clock.override(START):
        call_command("migrate", verbosity=0)
        seed(facilities=FLOOR, has_office=False)
        send_fills(SEATS)
        call_command("sealer_key", "create", stdout=io.StringIO(), stderr=io.StringIO())
        tokens = {seat.place: enroll(seat.place) for seat in SEATS}
        tokens |= {name: enroll(seat.place, f"schedules {name}") for name, seat in DESKS.items()}
        with Memory(World()).used():
            cookies = {name: _cookies_of_device(token) for name, token in tokens.items()}
    return Image(connection.connection.serialize(), folder, cookies)


def _cookies_of_device(token: str) -> SimpleCookie:
    """Enroll a device. Returns what its browser keeps."""
    client = Client()
    client.post("/enrol", {"token": token})
    return client.cookies


@dataclass(frozen=True)
class Answer:
    """What a browser gets: a status and JSON, or no JSON. Without a status JSON says that nothing was begun."""

    status: int
    content: Json | None

    @property
    def words(self) -> str:
        """The answer in a line of the schedule."""
        if not self.status:
            return "no answer" if self.content is None else "to be a POST"
        content = self.content or {}
        code = (content.get("refusal") or {}).get("code")
        return f"{self.status} {code or content.get('version', '')}".strip()


class House:
    """The server: two workers, the ticker, the sealer and a witness, each with a memory of its own."""

    def __init__(self, image: Image, world: World, draws: Draws, log: Callable[[str, str], None]) -> None:
        self.image, self.world, self.draws, self.log = image, world, draws, log
        self.restore(image.database)
        self.workers = [Memory(world), Memory(world)]
        self.pushes = Pushes()
        push.SERVER_LOOP.set(self.pushes)  # type: ignore[arg-type]
        self.busy_until = 0.0
        self.folder = Path(tempfile.mkdtemp(prefix="pitside-schedule-", dir=image.folder.parent))
        shutil.copytree(image.folder, self.folder, dirs_exist_ok=True)
        self.sealing = Sealing(self)
        self.ticking = Memory(world)
        self.ticker = Ticker(lambda: world.seconds)
        self.problems: list[str] = []
        self.backups: list[tuple[float, bytes]] = []  # of the current incarnation, the newest last
        self.restored = 0  # how many backups

    def close(self) -> None:
        shutil.rmtree(self.folder)

    def restore(self, database: bytes) -> None:
        connection.ensure_connection()
        connection.connection.deserialize(database)

    def request(
        self, client: Client, method: str, path: str, body: Json | None, form: Json | None = None
    ) -> Answer:
        """Let a worker answer a request, with the faults that are drawn for it. Raises Crash."""

        def ask() -> Answer:
            headers = {"accept": "application/json"}
            if form is not None:
                response = client.post(path, form, headers=headers)
            elif method == "GET":
                response = client.get(path, headers=headers)
            else:
                response = client.post(path, json.dumps(body), "application/json", headers=headers)
            content = response.json() if "json" in response.headers.get("Content-Type", "") else None
            return Answer(response.status_code, content)

        return self._serve(f"{method} {path}", ask)

    def act_on_socket(self, cookies: SimpleCookie, path: str, body: Json) -> Answer:
        """Let a worker execute an act that comes on a socket. `path`: of the same act as a POST. Raises Crash."""
        _, _, facility, table, _, act = path.split("/")

        def ask() -> Answer:
            scope = {"cookies": {name: morsel.value for name, morsel in cookies.items()}}
            reply = act_on_socket(scope, facility, table, act, json.dumps(body).encode())
            return Answer(reply.status, reply.body)

        return self._serve(f"{act} on the socket of {table}", ask)

    def _serve(self, name: str, ask: Callable[[], Answer]) -> Answer:
        number = self.draws.of("worker").randrange(2)
        statements = self._drawn_faults()
        complaints.take()
        with self.workers[number].used(), connection.execute_wrapper(statements):
            try:
                answer = ask()
            except Crash:
                self.log("house", f"worker {number} crashed at: {statements.crashed_in[:60]}")
                raise
            if not statements.is_met:
                if answer.status == 500:
                    self.problems.append(f"{name} was answered 500")
                self.problems += [f"{name}: {text}" for text in complaints.take()]
            if self.draws.happens("crash before the answer", 0.03):
                self.log("house", f"worker {number} crashed before it answered {answer.status}")
                raise Crash
        return answer

    def _drawn_faults(self) -> Statements:
        if self.draws.happens("outage", 0.01):
            self.busy_until = self.world.seconds + self.draws.of("outage length").uniform(2, 40)
            self.log("house", f"the database is busy for {self.busy_until - self.world.seconds:.0f} s")
        if self.world.seconds < self.busy_until:
            return Statements(busy_at=1)
        if self.draws.happens("crash at a statement", 0.05):
            return Statements(crash_at=self.draws.of("crash where").randint(1, MOST_STATEMENTS))
        if self.draws.happens("busy at a statement", 0.03):
            return Statements(busy_at=self.draws.of("busy where").randint(1, MOST_STATEMENTS))
        return Statements()

    def read(self, table_id: int) -> Snapshot:
        """What a screen shows that reads the table now, at the first worker."""
        with self.workers[0].used():
            return snapshot.of_table(table_id)

    def set_clock(self, seconds: float) -> None:
        """Set the server's clock forward, or back, by so many seconds."""
        self.world.clock_offset += seconds
        self.log("house", f"the clock is set by {seconds} s")

    def tick(self) -> None:
        """One tick of the ticker, and the pushes of what it changed; it may crash, and begins again."""
        statements = Statements(
            crash_at=self.draws.of("tick where").randint(1, 200)
            if self.draws.happens("ticker crashed", 0.02)
            else 0
        )
        try:
            with self.ticking.used(), connection.execute_wrapper(statements):
                for table_id in self.ticker.tick():
                    self.pushes.states.append(snapshot.of_table(table_id))
        except Crash:
            self.log("house", f"the ticker crashed at: {statements.crashed_in[:60]}")
            self.ticker = Ticker(lambda: self.world.seconds)

    # Backups

    def back_up(self) -> None:
        """Keep the database as it is now, beside the last ones before."""
        self.backups = [
            *self.backups[1 - KEPT_BACKUPS :],
            (self.world.seconds, connection.connection.serialize()),
        ]

    def go_back(self, *, is_lost: bool) -> tuple[float, dict[str, int]]:
        """Restore a backup below what went on. Returns when it was made, and the numbers of the tables' streams in it.

        `is_lost`: with the machine, so that it is the newest backup and no process remembers anything.
        """
        made_at, database = self.backups[-1] if is_lost else self.draws.of("backup").choice(self.backups)
        self.restore(database)
        if is_lost or self.draws.of("restart").random() < 0.5:
            for memory in (*self.workers, self.ticking, self.sealing.memory):
                memory.forget()
        self.log("house", f"the backup of {self.world.seconds - made_at:.0f} s ago was restored")
        self.backups, self.restored = [], self.restored + 1
        return made_at, dict(Stream.objects.values_list("name", "seq"))

    def declare(self) -> None:
        """Declare a new incarnation, by two people."""
        actor, witness = (Person.objects.get(code=seat.person) for seat in COMPLIANCE)
        saved = {
            facility: state.read(state.log_folder(self.folder, facility))
            for facility in ("", *state.saved_facilities(self.folder))
        }
        with self.sealing.memory.used():
            declare_incarnation(
                actor, witness, "The backup was restored", {name: one for name, one in saved.items() if one}
            )
        self.log("house", f"incarnation {current_incarnation_number()} was declared")


class Sealing:
    """The sealer, which may crash at any of its steps, and a witness whom it asks."""

    def __init__(self, house: House) -> None:
        self.house, self.draws = house, house.draws
        self.memory = Memory(house.world)
        self.is_machine_lost = False  # with its database, of which there are backups
        self.may_stop = False  # below what it has sealed, until somebody declares it
        self.crash_at = ""
        self.sealed = 0
        self.signed: dict[tuple[str, int], bytes] = {}  # the roots of all checkpoints that anybody could see
        self.cosigner = outsider.Cosigner("witness.example", bytes(32))
        self.state = outsider.State(str(house.folder / "witness"))
        self.known: dict[str, outsider.LogKey] = {}
        self.start()

    def start(self) -> None:
        self.sealer = Sealer(self.house.folder, self.on_step)

    def on_step(self, step: str) -> None:
        if step == self.crash_at:
            raise Crash

    def seal(self) -> None:
        """The work of one second. Whatever it made public is compared with all that it ever signed."""
        self._seal()
        if (incarnation := current_incarnation()) is None:
            return
        checkpoints = Checkpoint.objects.filter(incarnation=incarnation).order_by()
        for facility, size, root in checkpoints.values_list("facility", "size", "root"):
            origin = Log(incarnation, facility).origin
            if self.signed.setdefault((origin, size), bytes(root)) != bytes(root):
                self.house.problems.append(f"{origin} was signed with two roots at size {size}")

    def _seal(self) -> None:
        self.crash_at = (
            self.draws.of("seal step").choice(STEPS) if self.draws.happens("sealer crashed", 0.1) else ""
        )
        try:
            with self.memory.used():
                errors = self.sealer.seal_logs().errors
                self.sealed += not errors
                self.judge(errors)
                if not self.draws.happens("witness unreachable", 0.1):
                    self.ask_witness()
        except Crash:
            self.house.log("house", f"the sealer crashed: {self.crash_at}")
            self.start()
            self.is_machine_lost = self.draws.happens("machine lost", 0.2)

    def judge(self, errors: dict[str, Exception]) -> None:
        """The sealer may not stop, except below what it has sealed, and there it must."""
        for facility, error in errors.items():
            is_expected = isinstance(error, ClockRefused) or (
                isinstance(error, SealingProblem) and (self.may_stop or error.code in OF_THE_CLOCK)
            )
            if not is_expected:
                self.house.problems.append(
                    f"the sealer of {facility or 'the first log'} stopped: {error!r} {error}"
                )

    def ask_witness(self) -> None:
        for key in SigningKey.objects.all():
            vkey = keys.verifier_of(key).vkey
            self.known.setdefault(vkey, outsider.LogKey(vkey))
        incarnation = current_incarnation()
        if incarnation is None:
            return
        verifier = notes.Verifier.read(self.cosigner.vkey)
        witness = witnesses.Witness("http://127.0.0.1", verifier)
        network = Network(
            outsider.Witness(list(self.known.values()), (), self.cosigner, self.state, None, lambda: 0.0)
        )
        before, witnesses.DIRECT_OPENER = witnesses.DIRECT_OPENER, network  # type: ignore[assignment]
        try:
            for log in logs_of(incarnation):
                try:
                    witnesses.request_cosignature(witness, log)
                except SealingProblem as problem:
                    if not self.may_stop:
                        self.house.problems.append(f"the witness of {log.origin}: {problem}")
        finally:
            witnesses.DIRECT_OPENER = before


class Network:
    """What carries the sealer's request to the witness in this process."""

    def __init__(self, witness: outsider.Witness) -> None:
        self.witness = witness

    def open(self, request: Any, timeout: float) -> Any:
        headers = Message()
        try:
            line = self.witness.add(*outsider.read_request(request.data))
        except outsider.Refused as refused:
            headers["Content-Type"] = "text/plain" if refused.size is None else witnesses.SIZE_TYPE
            text = refused.why if refused.size is None else f"{refused.size}\n"
            raise urllib.error.HTTPError(
                request.full_url, refused.status, refused.why, headers, io.BytesIO(text.encode())
            ) from None
        headers["Content-Type"] = "text/plain"
        return contextlib.closing(_Response(200, headers, line.encode()))


class _Response(io.BytesIO):
    def __init__(self, status: int, headers: Message, body: bytes) -> None:
        super().__init__(body)
        self.status, self.headers = status, headers

"""A worker is replaced, and then the other one is killed, while a tablet acts all the time: no act fails.

The tablet reaches them through a front that tries the other worker if a connection is refused, as the Caddyfile says.
With a `caddy` on PATH, the same through Caddy itself with that file, without its TLS.
"""

import contextlib
import itertools
import shutil
import signal
import subprocess
import threading
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect

from tests.e2e.server_apart import ServerApart
from tests.services.installation import ROOT, free_port
from tests.tables.cast import PIN

ACTS, SCREEN = "/floor/larkfield/T-01/acts", "/floor/larkfield/T-01/screen/dealer"
SERVICE_RESTART, OPEN = 1012, -1
MOST_TRIES = 3
LONGEST_GAP_SECONDS = 2.0
PAUSE_SECONDS = 0.05
WAGER = {"seat": 1, "wager": "small", "cents": 1_000, "made_in": "chips"}
ROUND: tuple[tuple[str, dict[str, Any]], ...] = (
    ("place_wagers", {"wagers": [WAGER]}),
    ("shake", {"shakes": 3}),
    ("no_more_bets", {}),
    ("call_dice", {"dice": [2, 5, 5]}),
    ("take_losers", {}),
    ("clear_layout", {}),
)
NEW_BUILD = "0.1.1"
OLDEST_CADDY = (2, 7)  # an older one does not know `stream_timeout`; deploy/start-caddy.sh refuses it


class Workers:
    """Two workers on one database. `ports` are tried in this order."""

    def __init__(self, folder: Path) -> None:
        self.first = ServerApart(folder)
        self.second = self.first.beside()
        self.ports = [self.first.port, self.second.port]
        self.all = (self.first, self.second)
        self.cookies = httpx.Cookies()  # of the enrolled tablet


class Tablet:
    """A signed-in tablet that acts again and again, and keeps a socket, at the first address that accepts it."""

    def __init__(self, ports: list[int], cookies: httpx.Cookies) -> None:
        self.ports = ports
        self.client = httpx.Client(timeout=8, cookies=cookies)
        self.tries: dict[str, int] = {}  # of each act that was taken, by its command
        self.version = 0
        self.answered: list[float] = []  # when acts were taken, in seconds
        self.refused: list[str] = []
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.act_on)

    def fill_in(self, path: str, **fields: str) -> None:
        """Send the form of a page."""
        self.send("GET", path)
        form = {**fields, "csrfmiddlewaretoken": self.client.cookies["csrftoken"]}
        assert self.send("POST", path, data=form).status_code == 302

    def send(self, method: str, path: str, **how: object) -> httpx.Response:
        """Send a request to the first worker that accepts the connection. Raises httpx.HTTPError."""
        for port in self.ports[:-1]:
            with contextlib.suppress(httpx.ConnectError):
                return self.client.request(method, f"http://127.0.0.1:{port}{path}", **how)
        return self.client.request(method, f"http://127.0.0.1:{self.ports[-1]}{path}", **how)

    def act_on(self) -> None:
        while not self.stopped.wait(PAUSE_SECONDS):
            self.act()

    def next_act(self) -> tuple[str, dict[str, Any]]:
        """One wager up and down, so that the table does not grow with the number of acts."""
        return "place_wagers", {"wagers": [{**WAGER, "cents": 1_000 + 500 * (len(self.tries) % 2)}]}

    def act(self) -> None:
        """One act, asked for by its id until it is answered, as static/js/acts.js does."""
        command = str(uuid.uuid4())
        name, params = self.next_act()
        body = {"command": command, "seen": self.version, "params": params}
        headers = {"X-CSRFToken": self.client.cookies["csrftoken"], "Accept": "application/json"}
        for tries in range(1, 20):
            with contextlib.suppress(httpx.HTTPError):
                answer = self.send("POST", f"{ACTS}/{name}", json=body, headers=headers)
                if answer.status_code == 200:
                    self.tries[command], self.version = tries, answer.json()["version"]
                    self.answered.append(time.monotonic())
                    return
                if answer.status_code < 500:
                    self.refused.append(answer.text)
                    self.stopped.set()
                    return
            time.sleep(0.15 * tries)
        self.refused.append("no answer")

    def longest_gap(self) -> float:
        """The longest time without an act that was taken, in seconds."""
        return max(later - earlier for earlier, later in itertools.pairwise(self.answered))

    @contextlib.contextmanager
    def listen(self) -> Iterator[ClientConnection]:
        """Open the table's socket at the first worker that accepts it."""
        cookies = "; ".join(f"{name}={value}" for name, value in self.client.cookies.items())
        for port in self.ports:
            with contextlib.suppress(ConnectionRefusedError):
                address = f"ws://127.0.0.1:{port}/ws/table/larkfield/T-01/dealer"
                origin: Any = f"http://127.0.0.1:{port}"
                headers = {"Cookie": cookies}
                with connect(address, origin=origin, additional_headers=headers, compression=None) as socket:
                    yield socket
                return
        raise AssertionError("no worker accepts a socket")


class DealingTablet(Tablet):
    """A tablet that deals one round after the other. Only the first wager of a round asks for the approvals."""

    def next_act(self) -> tuple[str, dict[str, Any]]:
        return ROUND[len(self.tries) % len(ROUND)]


@pytest.fixture(scope="module")
def workers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    workers = Workers(tmp_path_factory.mktemp("replaced"))
    yield workers
    for worker in workers.all:
        worker.kill()


@contextlib.contextmanager
def caddy(ports: list[int], folder: Path) -> Iterator[list[int]]:
    """Caddy with deploy/Caddyfile before these ports, without TLS; its own port."""
    binary = shutil.which("caddy")
    assert binary
    text = subprocess.run([binary, "version"], capture_output=True, text=True, check=True).stdout
    version = tuple(int(part) for part in text.strip().removeprefix("v").split(".")[:2])
    if version < OLDEST_CADDY:
        pytest.skip(f"Caddy {text.split()[0]} is too old for deploy/Caddyfile, which needs 2.7 or newer")
    port = free_port()
    text = (ROOT / "deploy" / "Caddyfile").read_text()
    text = text.replace("{$SITE_NAME} {", f"http://127.0.0.1:{port} {{").replace("{$SITE_NAME}", "127.0.0.1")
    text = text.replace("local_certs\n", "admin off\n\tauto_https off\n").replace("tls internal\n", "\n")
    for number, worker in enumerate(ports, start=1):
        text = text.replace(f"web-{number}:8000", f"127.0.0.1:{worker}")
    (folder / "Caddyfile").write_text(text)
    command = [binary, "run", "--config", str(folder / "Caddyfile"), "--adapter", "caddyfile"]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, env={"HOME": str(folder)})
    try:
        for _ in range(100):
            with contextlib.suppress(httpx.HTTPError):
                if httpx.get(f"http://127.0.0.1:{port}/healthz").status_code == 200:
                    break
            time.sleep(0.1)
        yield [port]
    finally:
        process.terminate()
        process.wait(10)


@pytest.fixture(params=["front", "caddy"])
def tablet(request: pytest.FixtureRequest, workers: Workers, tmp_path: Path) -> Iterator[Tablet]:
    """A tablet that acts until the test ends."""
    if request.param == "caddy" and not shutil.which("caddy"):
        pytest.skip("no caddy on PATH")
    for worker in workers.all:
        worker.kill()
        worker.start()
    with contextlib.ExitStack() as stack:
        ports = workers.ports
        if request.param == "caddy":
            ports = stack.enter_context(caddy(workers.ports, tmp_path))
        tablet = Tablet(ports, workers.cookies)
        if not workers.cookies:  # a token enrolls once
            tablet.fill_in("/enrol", token=workers.first.tokens["tablet"])
            workers.cookies = tablet.client.cookies
        tablet.fill_in("/sign-in", person="dealer", pin=PIN)
        tablet.version = tablet.send("GET", SCREEN).json()["version"]
        tablet.thread.start()
        yield tablet
        tablet.stopped.set()
        tablet.thread.join(20)


@pytest.fixture
def two_builds(tmp_path: Path) -> Iterator[Workers]:
    """Two workers of the version that is approved, on a database of their own."""
    workers = Workers(tmp_path)
    try:
        for worker in workers.all:
            worker.start()
        yield workers
    finally:
        for worker in workers.all:
            worker.kill()


@pytest.fixture
def dealer(two_builds: Workers) -> Iterator[DealingTablet]:
    """A tablet that deals rounds until the test ends, at whichever worker accepts it first."""
    dealer = DealingTablet(two_builds.ports, httpx.Cookies())
    dealer.fill_in("/enrol", token=two_builds.first.tokens["tablet"])
    dealer.fill_in("/sign-in", person="dealer", pin=PIN)
    dealer.version = dealer.send("GET", SCREEN).json()["version"]
    dealer.thread.start()
    yield dealer
    dealer.stopped.set()
    dealer.thread.join(20)


def replace(worker: ServerApart, build: str) -> None:
    """End a worker as compose does, and start it with this version."""
    worker.send(signal.SIGTERM)
    worker.wait()
    worker.change_build(build)
    worker.start()


def test_tables_deal_through_an_upgrade_and_the_way_back(two_builds: Workers, dealer: DealingTablet) -> None:
    first, second = two_builds.all
    old = "dev"
    missing = first.manage("check_upgrade", NEW_BUILD)
    assert missing.returncode == 1, missing.stderr
    assert "version 0.1.1 of the electrical device is not approved" in missing.stdout
    first.approve_build(NEW_BUILD)
    assert first.manage("check_upgrade", NEW_BUILD).returncode == 0
    for worker, build in ((first, NEW_BUILD), (second, NEW_BUILD), (second, old), (first, old)):
        replace(worker, build)
        acts_go_on(dealer, len(ROUND) + 1)
        dealer.ports[:] = dealer.ports[::-1]  # the other one serves too
        acts_go_on(dealer, len(ROUND) + 1)
    assert dealer.refused == []
    begun = first.builds_of_wagers()
    assert set(begun) == {old, NEW_BUILD} and len(begun) >= 8
    first.withdraw_builds_but(NEW_BUILD)
    dealer.thread.join(20)
    assert "device-of-another-version" in dealer.refused[0]


def acts_go_on(tablet: Tablet, count: int = 5) -> None:
    """So many more acts are taken."""
    count += len(tablet.tries)
    for _ in range(400):
        if len(tablet.tries) >= count:
            return
        time.sleep(0.05)
    raise AssertionError(tablet.refused or "no act is taken any more")


def test_no_act_fails_while_a_worker_is_replaced_and_then_the_other_one_is_killed(
    workers: Workers, tablet: Tablet
) -> None:
    acts_go_on(tablet)
    undisturbed = tablet.longest_gap()
    codes = {}
    for worker, number in ((workers.first, signal.SIGTERM), (workers.second, signal.SIGKILL)):
        with contextlib.ExitStack() as stack:
            sockets = [stack.enter_context(tablet.listen()) for _ in range(3)]
            worker.send(number)
            acts_go_on(tablet)
            worker.wait()
            codes[number] = {code_of(socket) for socket in sockets} - {OPEN}
        with tablet.listen() as socket:
            assert "html" in socket.recv(timeout=10)  # the other one serves it
        if worker is workers.first:
            worker.start()
            acts_go_on(tablet)
    tablet.stopped.set()
    tablet.thread.join(20)
    assert tablet.refused == []
    commands = Counter(workers.first.commands("wagers.placed"))
    assert {command: commands[command] for command in tablet.tries} == dict.fromkeys(tablet.tries, 1)
    assert max(tablet.tries.values()) <= MOST_TRIES
    assert tablet.longest_gap() < LONGEST_GAP_SECONDS + undisturbed
    assert codes[signal.SIGTERM] <= {SERVICE_RESTART}


def code_of(socket: ClientConnection) -> int:
    """The code with which a socket was closed; OPEN if it goes on for half a second, with pushes or without."""
    end = time.monotonic() + 0.5
    try:
        while (seconds_left := end - time.monotonic()) > 0:
            socket.recv(timeout=seconds_left)
        return OPEN
    except TimeoutError:
        return OPEN
    except ConnectionClosed as closed:
        return closed.rcvd.code if closed.rcvd else 0

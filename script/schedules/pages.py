"""The pages of the tablets of a schedule: the real queue of acts in a JavaScript engine, driven line by line."""

import json
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

Json = dict[str, Any]
SCRIPT = Path(__file__).with_name("page.mjs")
# Realms with modules of their own are an experiment of Node since version 12.
COMMAND = ("--no-warnings", "--experimental-vm-modules", str(SCRIPT))


class NoEngine(Exception):
    """There is no Node on this machine."""


@dataclass(frozen=True)
class Sent:
    """A try of an act: a POST of a page, or a message on its socket."""

    id: int
    url: str
    body: Json
    is_on_socket: bool = False

    @property
    def act(self) -> str:
        """The name of the act."""
        return self.url.rpartition("/")[2]


@dataclass(frozen=True)
class Told:
    """What a page told its person of an act: by the number of the claim, or by its command after a new page."""

    claim: int | str
    response: Json

    @property
    def status(self) -> int:
        return int(self.response.get("status", 0))

    @property
    def code(self) -> str:
        """The code of the refusal; empty for an act that was taken."""
        return str((self.response.get("refusal") or {}).get("code", ""))

    @property
    def version(self) -> int | None:
        """The version of an act that was taken."""
        return int(self.response["version"]) if self.response.get("ok") else None

    @property
    def is_signed_out(self) -> bool:
        return bool(self.response.get("signedOut"))


@dataclass(frozen=True)
class Awaited:
    """The version for which a page waits, of an act that was taken."""

    place: str
    version: int


@dataclass(frozen=True)
class Happened:
    """What a page did when something happened to it. `due`: when it wants to be woken, in ms; None: not at all."""

    sent: tuple[Sent, ...] = ()
    told: tuple[Told, ...] = ()
    awaited: tuple[Awaited, ...] = ()
    is_left: bool = False
    command: str | None = None
    heads: Json = field(default_factory=dict)
    due: float | None = None


@dataclass
class Engine:
    """A process of Node with the pages of all tablets of one schedule at a time."""

    process: "subprocess.Popen[str]"

    def happens(self, what: str, now: float, tablet: int = 0, **details: Any) -> Happened:
        """Let something happen at a tablet, at a moment in ms, and return what its page does."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(
            json.dumps({"happens": what, "now": now, "tablet": tablet, **details}) + "\n"
        )
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            raise RuntimeError("the pages ended; Node says why above")
        out = json.loads(line)
        return Happened(
            tuple(Sent(**sent) for sent in out.get("sent", ())),
            tuple(Told(**told) for told in out.get("told", ())),
            tuple(Awaited(**awaited) for awaited in out.get("awaited", ())),
            bool(out.get("left")),
            out.get("command"),
            out.get("heads", {}),
            out["due"],
        )


def find_node() -> str:
    """The command of Node. Raises NoEngine."""
    node = shutil.which("node")
    if node is None:
        raise NoEngine("there is no node here, and the queue of the tablets runs in it")
    return node


@contextmanager
def engine(scripts: Path | None = None) -> Iterator[Engine]:
    """Start the process, and end it with the block. `scripts`: other ones than the product's. Raises NoEngine."""
    process = subprocess.Popen(
        [find_node(), *COMMAND, *([str(scripts)] if scripts else [])],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
        start_new_session=True,  # a run that is stopped ends its schedule first, which needs its pages
    )
    try:
        yield Engine(process)
    finally:
        assert process.stdin is not None
        process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()

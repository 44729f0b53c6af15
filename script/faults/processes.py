"""Real processes that a fault can kill, freeze and start again, with what they log."""

import contextlib
import json
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from script.service_finder import ROOT

START_SECONDS = 60.0
END_SECONDS = 15.0
OF_OTHERS = ("postgres", "redis", "etcd", "patroni", "haproxy", "keepalived")


@dataclass(frozen=True)
class LogLine:
    """One line that a process wrote to standard error, as an operator reads it."""

    moment: float  # seconds of time.monotonic
    process: str
    text: str

    @property
    def is_of_product(self) -> bool:
        """Whether a process of the product wrote it."""
        return self.process.partition("-")[0] not in OF_OTHERS

    @property
    def fields(self) -> dict[str, Any] | None:
        """The fields of a JSON line; None for any other line."""
        try:
            fields = json.loads(self.text)
        except ValueError:
            return None
        return fields if isinstance(fields, dict) else None


class Process:
    """One process of the installation. It is ended by its own id, never by name."""

    def __init__(
        self,
        name: str,
        command: Sequence[str | Path],
        environment: Mapping[str, str],
        is_ready: Callable[[], bool],
        log: list[LogLine],
        user: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.command, self.environment = name, [str(word) for word in command], dict(environment)
        self.is_ready, self.log, self.user = is_ready, log, dict(user or {})
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int:
        assert self.process is not None
        return self.process.pid

    @property
    def is_running(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def start(self) -> None:
        """Start without waiting. Its own session, so that Ctrl-C reaches only the harness."""
        self.process = subprocess.Popen(
            self.command,
            cwd="/" if self.user else ROOT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
            **self.user,
        )
        threading.Thread(target=self._read, args=(self.process,), daemon=True).start()

    def wait_until_ready(self) -> None:
        """Wait until it answers. A process that ended is started again: PostgreSQL refuses to start beside its dead."""
        deadline = time.monotonic() + START_SECONDS
        while not self.is_ready():
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self.name} did not answer within {START_SECONDS:.0f} s")
            time.sleep(0.1)
            if not self.is_running:
                self.start()

    def kill(self) -> None:
        """End it without a warning (SIGKILL)."""
        assert self.process is not None
        self.process.kill()
        self.process.wait(END_SECONDS)

    def freeze(self) -> None:
        """Stop it where it is (SIGSTOP): it holds what it has and answers nobody."""
        self.send(signal.SIGSTOP)

    def thaw(self) -> None:
        self.send(signal.SIGCONT)

    def send(self, number: int) -> None:
        assert self.process is not None
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def end(self, number: int = signal.SIGTERM) -> None:
        """Ask it to end, and kill it if it does not."""
        if self.process is None or not self.is_running:
            return
        self.send(signal.SIGCONT)
        self.send(number)
        try:
            self.process.wait(END_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()

    def _read(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stderr is not None
        for line in process.stderr:
            text = line.decode(errors="replace").rstrip("\n")
            self.log.append(LogLine(time.monotonic(), self.name, text))

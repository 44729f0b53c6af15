"""A network of machines on one Linux machine: a namespace for each, on a switch of their own."""

import ctypes
import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

CLONE_NEWNET = 0x40000000
SWITCH = "switch"
INTERFACE = "eth0"


class Network:
    """Machines by name, each with an address of a /24, until the stack ends."""

    def __init__(self, stack: ExitStack, addresses: Mapping[str, str]) -> None:
        self.prefix = f"pitside-{os.getpid()}"
        self.addresses = dict(addresses)
        self.entered = ""
        stack.callback(self._remove)
        self._ip("netns", "add", self.namespace(SWITCH))
        self._in_switch("link", "add", "bridge", "type", "bridge")
        self._in_switch("link", "set", "bridge", "up")
        for name, address in addresses.items():
            self._plug_in(name, address)

    def namespace(self, machine: str) -> str:
        return f"{self.prefix}-{machine}"

    def command(self, machine: str, command: Sequence[str | Path]) -> list[str]:
        """This command, on a machine. It keeps the id of the process that begins it."""
        return ["ip", "netns", "exec", self.namespace(machine), *map(str, command)]

    def enter(self, machine: str) -> None:
        """Move this thread, and what it starts, to a machine."""
        self.entered = machine
        with Path("/run/netns", self.namespace(machine)).open() as namespace:
            libc = ctypes.CDLL(None, use_errno=True)
            if libc.setns(namespace.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), f"setns to {machine}")

    def cut(self, machine: str) -> None:
        """Pull a machine's cable out of the switch: its own end stays up, and every packet is lost."""
        self._in_switch("link", "set", f"to-{machine}", "nomaster")

    def join(self, machine: str) -> None:
        """Plug its cable in again."""
        self._in_switch("link", "set", f"to-{machine}", "master", "bridge")

    def has(self, machine: str, address: str) -> bool:
        """Whether a machine has an address."""
        return f" {address}/" in self._on(machine, "-o", "addr", "show", "dev", INTERFACE)

    def power_off(self, machine: str) -> None:
        """Kill everything on a machine, which then answers nothing."""
        self.cut(machine)
        self.kill_all(machine)

    def kill_all(self, machine: str) -> None:
        for pid in self.pids(machine):
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def pids(self, machine: str) -> list[int]:
        """Every process on a machine."""
        return [int(word) for word in self._ip("netns", "pids", self.namespace(machine)).split()]

    def power_on(self, machine: str) -> None:
        """Let a machine begin as it did at first, with its own address alone and nothing running."""
        self._on(machine, "addr", "flush", "dev", INTERFACE)
        self._on(machine, "addr", "add", f"{self.addresses[machine]}/24", "dev", INTERFACE)
        self.join(machine)

    def _plug_in(self, name: str, address: str) -> None:
        namespace = self.namespace(name)
        self._ip("netns", "add", namespace)
        self._in_switch(
            "link", "add", f"to-{name}", "type", "veth", "peer", "name", INTERFACE, "netns", namespace
        )
        self._in_switch("link", "set", f"to-{name}", "master", "bridge")
        self._in_switch("link", "set", f"to-{name}", "up")
        self._on(name, "addr", "add", f"{address}/24", "dev", INTERFACE)
        self._on(name, "link", "set", INTERFACE, "up")
        self._on(name, "link", "set", "lo", "up")

    def _in_switch(self, *words: str) -> None:
        self._on(SWITCH, *words)

    def _on(self, machine: str, *words: str) -> str:
        return self._ip("-n", self.namespace(machine), *words)

    def _ip(self, *words: str) -> str:
        done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout

    def _remove(self) -> None:
        for machine in (*self.addresses, SWITCH):
            with suppress(OSError):
                if machine != self.entered:
                    self.kill_all(machine)
                self._ip("netns", "del", self.namespace(machine))

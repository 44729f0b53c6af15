"""Where a fault happens, and what a fault is."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from script.faults.load import Load
from script.faults.processes import Process
from script.faults.scene import Scene


@dataclass
class Ground:
    """Where a fault happens: the processes, the load, and the draw of its seed."""

    scene: Scene
    load: Load
    draw: random.Random
    # What the fault itself finds wrong.
    problems: list[str] = field(default_factory=list)

    def process(self, name: str) -> Process:
        return next(process for process in self.scene.processes if process.name == name)

    async def wait(self, least: float, most: float) -> None:
        """Wait for a time that the seed draws."""
        await asyncio.sleep(self.draw.uniform(least, most))

    def needs(self, happened: bool, otherwise: str) -> None:
        """A fault that did not happen is a problem, too: nothing would be shown by what held."""
        if not happened:
            self.problems.append(f"{otherwise}, so the fault showed nothing")

    async def run(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Run what blocks beside the load."""
        return await asyncio.to_thread(function, *arguments)


Injection = Callable[[Ground], Awaitable[None]]


@dataclass(frozen=True)
class Fault:
    """One fault. `is_quick`: `script/test --all` injects it too, and plain `script/test` on some days."""

    name: str
    title: str
    inject: Injection
    is_quick: bool = False
    # Why it cannot be injected on this machine; empty if it can.
    lacking: Callable[[Scene], str] = lambda scene: ""


@dataclass(frozen=True)
class MachineFault(Fault):
    """A fault of two machines. `who_acts`: who has to do something until tables play again."""

    who_acts: str = "nobody"

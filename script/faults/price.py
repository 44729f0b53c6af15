"""What the synchronous standby costs: how long an act takes with it and without, in turns within one run."""

import asyncio
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass

from script.faults.load import Load
from script.faults.machines import TwoMachines
from script.tablet import Claim

TURNS = 3
TURN_SECONDS = 15.0
SETTLE_SECONDS = 2.0


@dataclass(frozen=True)
class Latency:
    """From the tap to the answer, of acts that were taken at the first try, in milliseconds."""

    acts: int
    half: float  # within which half of them were answered
    most: float  # within which 99 of 100 were answered

    @classmethod
    def of(cls, claims: Sequence[Claim]) -> "Latency":
        times = sorted(
            1_000 * (claim.answered - claim.started)
            for claim in claims
            if claim.fate == "taken" and claim.tries == 1
        )
        if not times:
            return cls(0, 0.0, 0.0)
        return cls(len(times), times[len(times) // 2], times[min(len(times) - 1, len(times) * 99 // 100)])

    def __str__(self) -> str:
        return f"p50 {self.half:.0f} ms, p99 {self.most:.0f} ms of {self.acts} acts"


@dataclass(frozen=True)
class Price:
    """The latency of acts with the synchronous standby and without, and the load of the machine meanwhile."""

    synchronous: Latency
    asynchronous: Latency
    load_average: float

    def __str__(self) -> str:
        return (
            f"An act with the synchronous standby: {self.synchronous}; without: {self.asynchronous}; "
            f"load {self.load_average:.1f}."
        )


async def measure(scene: TwoMachines, load: Load) -> Price:
    """Let the tablets play in turns with the synchronous standby and without. It is synchronous in the end."""
    claims: dict[bool, list[Claim]] = {True: [], False: []}
    for _ in range(TURNS):
        for is_synchronous in (False, True):
            await asyncio.to_thread(scene.set_synchronous, is_synchronous)
            await asyncio.sleep(SETTLE_SECONDS)
            began = time.monotonic()
            await asyncio.sleep(TURN_SECONDS)
            ended = time.monotonic()
            claims[is_synchronous] += [
                claim for claim in load.ledger.since(began) if 0 < claim.answered < ended
            ]
    return Price(Latency.of(claims[True]), Latency.of(claims[False]), os.getloadavg()[0])

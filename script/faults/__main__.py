"""The command: `script/test --faults`, or `python -m script.faults`."""

import argparse
import asyncio
import contextlib
import logging
import random
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from script import environment
from script.faults import machines, machines_report, report
from script.faults.faults import BY_NAME, FAULTS
from script.faults.floor import DEALERS, PODIUM
from script.faults.ground import Fault
from script.faults.load import Load
from script.faults.machines import TwoMachines
from script.faults.price import Price, measure
from script.faults.scene import Binaries, Scene
from script.faults.trial import Court, Trial
from script.faults.two_machine_faults import TWO_MACHINE_FAULTS
from script.service_finder import ROOT, Unavailable

NOT_HERE = 5  # the exit status where PostgreSQL or Redis cannot be started, as pytest's for "no tests"


def main(arguments: Sequence[str] | None = None) -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog="script/test --faults --", description=__doc__)
    parser.add_argument("--seed", type=int, help="draws the load and the moments of the faults")
    parser.add_argument(
        "--only",
        nargs="+",
        choices=[*BY_NAME, *(fault.name for fault in TWO_MACHINE_FAULTS)],
        metavar="FAULT",
        help="inject these faults only",
    )
    parser.add_argument("--quick", action="store_true", help="inject only those of script/test --all")
    parser.add_argument(
        "--of-today", action="store_true", help="inject only what plain script/test does today"
    )
    parser.add_argument("--list", action="store_true", help="list the faults and exit")
    parser.add_argument(
        "--required", action="store_true", help="fail if PostgreSQL or Redis cannot be started"
    )
    parser.add_argument(
        "--machines", action="store_true", help="inject the faults of two machines, in namespaces of this one"
    )
    parser.add_argument(
        "--install-system", action="store_true", help="install what --machines needs with apt-get, as root"
    )
    parser.add_argument("--results", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    every: Sequence[Fault] = TWO_MACHINE_FAULTS if options.machines else FAULTS
    if options.list:
        print("\n".join(f"{fault.name:<28} {fault.title}" for fault in every))
        return 0
    seed = random.randrange(1_000_000) if options.seed is None else options.seed
    faults = [
        fault
        for fault in every
        if (not options.quick or fault.is_quick) and (not options.only or fault.name in options.only)
    ]
    if options.of_today:
        faults = [of_today(faults, time.time())]
    if options.machines and options.install_system and machines.lacking() and environment.is_debian_root():
        environment.install_packages(machines.PACKAGES)
    try:
        done = run(faults, Binaries.find(required=options.required), seed, is_of_machines=options.machines)
    except Unavailable as reason:
        print(f"Faults cannot be injected: {reason}.", file=sys.stderr)
        return 1 if options.required else NOT_HERE
    if options.results:
        report.write_results(done.trials, options.results)
    is_whole_run = not (options.quick or options.of_today or options.only)
    if is_whole_run and options.machines:
        assert done.price is not None
        machines_report.write(done.trials, done.price, seed)
        print(f"Written to {machines_report.FILE.relative_to(ROOT)}.")
    elif is_whole_run:
        report.write(done.trials, seed, done.skipped)
        print(f"Written to {report.FILE.relative_to(ROOT)}; python -m script.reference makes a page of it.")
    return int(not done.notices or any(not trial.held for trial in done.trials))


@dataclass
class Done:
    """What a run did: its trials, why faults were skipped, and whether the suite was shown to notice what it is for.

    `price`: of the synchronous standby, where there are two machines.
    """

    trials: list[Trial]
    notices: bool
    price: Price | None
    skipped: dict[str, str] = field(default_factory=dict)


def of_today(faults: Sequence[Fault], now: float) -> Fault:
    """One of these faults: each day (UTC) another."""
    return faults[int(now / 86_400) % len(faults)]


def run(faults: Sequence[Fault], binaries: Binaries, seed: int, *, is_of_machines: bool = False) -> Done:
    """Inject these faults one after the other on one scene, and print what became of each.

    `is_of_machines`: on a scene of two machines. Raises Unavailable where that cannot be made.
    """
    began = time.monotonic()
    print(f"Seed {seed}. {len(faults)} faults.", flush=True)
    with contextlib.ExitStack() as stack:
        stack.callback(logging.disable, logging.root.manager.disable)
        logging.disable(logging.CRITICAL)  # here alone: the product's lines are those of its own processes
        scene = TwoMachines(stack, binaries) if is_of_machines else Scene(stack, binaries)
        tokens = scene.start()
        print(f"The floor is open after {time.monotonic() - began:.0f} s.", flush=True)
        skipped = {fault.name: reason for fault in faults if (reason := fault.lacking(scene))}
        for name, reason in skipped.items():
            print(f"{name:<28} skipped: {reason}", flush=True)
        possible = [fault for fault in faults if fault.name not in skipped]
        done = asyncio.run(try_all(possible, scene, tokens, seed))
        done.skipped = skipped
    held = sum(trial.held for trial in done.trials)
    print(
        f"\n{held} of {len(done.trials)} faults held, seed {seed}, {time.monotonic() - began:.0f} s.",
        flush=True,
    )
    return done


async def try_all(faults: Sequence[Fault], scene: Scene, tokens: dict[str, str], seed: int) -> Done:
    """Try all faults, and show that the suite itself notices what it is for."""
    load = Load(list(scene.ports.values()), tokens, random.Random(seed), DEALERS, PODIUM, scene.host)
    await load.open()
    court, trials, price = Court(scene, load, seed), list[Trial](), None
    try:
        for fault in faults:
            trial = await court.try_fault(fault)
            trials.append(trial)
            print(report.headline(trial), flush=True)
            for problem in trial.problems[:20]:
                print(f"    {problem}")
            if not trial.held:
                for line in report.operator_lines(trial)[:8]:
                    print(f"    logged {line}")
                print(f"    All of it: {report.write_log(trial).relative_to(ROOT)}")
                print(f"    {report.how_to_repeat(trial, seed)}", flush=True)
        if isinstance(scene, TwoMachines):
            price = await measure(scene, load)
            print(price, flush=True)
        unnoticed = await court.prove()
    finally:
        await load.close()
    print(f"The suite itself: {'; '.join(unnoticed) or 'a doubled settlement and a lost act were noticed'}.")
    return Done(trials, not unnoticed, price)


if __name__ == "__main__":
    sys.exit(main())

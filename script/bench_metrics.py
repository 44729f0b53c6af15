"""Measure what metrics and traces cost an act: `python -m script.bench_metrics`.

Three web workers of one installation take turns at one table. All count what they do, as every worker does. One is
asked for nothing; the second serves its metrics and is read each second, fifteen times as often as Prometheus reads it;
the third does the same and sends a trace of every request to a receiver on this machine.
"""

import argparse
import contextlib
import logging
import statistics
import threading
import urllib.request
from collections.abc import Iterator

from script.bench_acts import ActBench, Block
from script.faults.scene import HOST, free_port
from script.installation import Installation
from script.trace_receiver import Receiver, receiving

READ_SECONDS = 1.0
OFF, METRICS, TRACES = "off", "metrics", "metrics and traces"
WORKERS = {"web-1": OFF, "web-2": METRICS, "web-3": TRACES}


class WorkerBench(ActBench):
    """The bench of acts, at the worker whose turn it is."""

    def play_at(self, worker: str, block: Block, rounds: int) -> None:
        self.port = self.scene.ports[worker]
        self.play(block, {"dealer": 1}, rounds)


@contextlib.contextmanager
def read_often(ports: list[int]) -> Iterator[list[int]]:
    """Read the metrics at these ports each second within the block. Yields the sizes of the answers (bytes)."""
    ended, sizes = threading.Event(), list[int]()

    def read() -> None:
        while not ended.wait(READ_SECONDS):
            for port in ports:
                with urllib.request.urlopen(f"http://{HOST}:{port}/metrics", timeout=10) as answer:
                    sizes.append(len(answer.read()))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield sizes
    finally:
        ended.set()
        reader.join()


def watched(stack: contextlib.ExitStack, receiver: Receiver) -> tuple[Installation, list[int]]:
    """The installation, and the ports where its metrics are read."""
    installation, ports = Installation(stack, len(WORKERS)), list[int]()
    for worker, ways in WORKERS.items():
        environment = installation.web[worker].environment
        if ways != OFF:
            ports.append(free_port())
            environment["PITSIDE_METRICS_LISTEN"] = f"{HOST}:{ports[-1]}"
        if ways == TRACES:
            environment["PITSIDE_TRACES_ENDPOINT"] = receiver.endpoint
    return installation, ports


def lines(blocks: dict[str, list[Block]]) -> Iterator[str]:
    """What the acts of each worker took, and each beside the one that is asked for nothing."""
    for worker, ways in WORKERS.items():
        used = [block.milliseconds(worker) for block in blocks[worker]]
        answers = [answer for block in blocks[worker] for answer in block.to_answer()]
        yield (
            f"{ways:<18} {len(answers)} acts: {statistics.median(used):.2f} ms of processor time an act "
            f"(turns from {min(used):.2f} to {max(used):.2f}), answered after {statistics.median(answers):.1f} ms"
        )
    off, *others = WORKERS
    for worker in others:
        ratios = [
            after.milliseconds(worker) / before.milliseconds(off)
            for before, after in zip(blocks[off], blocks[worker], strict=True)
        ]
        yield (
            f"{WORKERS[worker]} / off: {statistics.median(ratios):.3f} "
            f"(turns from {min(ratios):.3f} to {max(ratios):.3f})"
        )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m script.bench_metrics", description=__doc__)
    parser.add_argument("--rounds", type=int, default=4, help="dealt in each turn")
    parser.add_argument("--turns", type=int, default=8, help="of each worker")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        receiver = stack.enter_context(receiving())
        installation, ports = watched(stack, receiver)
        bench = WorkerBench(installation)
        blocks: dict[str, list[Block]] = {worker: [] for worker in WORKERS}
        for worker in WORKERS:
            bench.play_at(worker, Block(), 2)
        with read_often(ports) as sizes:
            for turn in range(options.turns):
                for worker in sorted(WORKERS, reverse=bool(turn % 2)):
                    block = Block()
                    bench.play_at(worker, block, options.rounds)
                    blocks[worker].append(block)
        for line in lines(blocks):
            print(line)
        acts = len({span.trace for span in receiver.spans if span.name == "execute"})
        print(
            f"metrics were read {len(sizes)} times, {statistics.median(sizes) / 1_000:.0f} kB each; "
            f"{len(receiver.spans)} spans came, of {acts} acts"
        )


if __name__ == "__main__":
    main()

"""Measure what metrics cost an act: `python -m script.bench_metrics`.

Two web workers of one installation take turns at one table. Both count what they do, as every worker does; one of them
also serves its metrics and is read each second, fifteen times as often as Prometheus reads it.
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

READ_SECONDS = 1.0
WORKERS = {"web-1": "off", "web-2": "on"}


class WorkerBench(ActBench):
    """The bench of acts, at the worker whose turn it is."""

    def play_at(self, worker: str, block: Block, rounds: int) -> None:
        self.port = self.scene.ports[worker]
        self.play(block, {"dealer": 1}, rounds)


@contextlib.contextmanager
def read_often(port: int) -> Iterator[list[int]]:
    """Read the metrics at this port each second within the block. Yields the sizes of the answers (bytes)."""
    ended, sizes = threading.Event(), list[int]()

    def read() -> None:
        while not ended.wait(READ_SECONDS):
            with urllib.request.urlopen(f"http://{HOST}:{port}/metrics", timeout=10) as answer:
                sizes.append(len(answer.read()))

    reader = threading.Thread(target=read)
    reader.start()
    try:
        yield sizes
    finally:
        ended.set()
        reader.join()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m script.bench_metrics", description=__doc__)
    parser.add_argument("--rounds", type=int, default=4, help="dealt in each turn")
    parser.add_argument("--turns", type=int, default=8, help="of each worker")
    options = parser.parse_args()
    logging.disable(logging.CRITICAL)
    with contextlib.ExitStack() as stack:
        installation, port = Installation(stack, 2), free_port()
        installation.web["web-2"].environment["PITSIDE_METRICS_LISTEN"] = f"{HOST}:{port}"
        bench = WorkerBench(installation)
        blocks: dict[str, list[Block]] = {worker: [] for worker in WORKERS}
        for worker in WORKERS:
            bench.play_at(worker, Block(), 2)
        with read_often(port) as sizes:
            for turn in range(options.turns):
                for worker in sorted(WORKERS, reverse=bool(turn % 2)):
                    block = Block()
                    bench.play_at(worker, block, options.rounds)
                    blocks[worker].append(block)
        for worker, metrics in WORKERS.items():
            used = [block.milliseconds(worker) for block in blocks[worker]]
            answers = [answer for block in blocks[worker] for answer in block.to_answer()]
            print(
                f"metrics {metrics:<3} {len(answers)} acts: {statistics.median(used):.2f} ms of processor time an act "
                f"(turns from {min(used):.2f} to {max(used):.2f}), answered after {statistics.median(answers):.1f} ms"
            )
        off, on = ([block.milliseconds(worker) for block in blocks[worker]] for worker in WORKERS)
        pairs = [after / before for before, after in zip(off, on, strict=True)]
        print(
            f"on / off: {statistics.median(pairs):.3f} (turns from {min(pairs):.3f} to {max(pairs):.3f}); metrics were "
            f"read {len(sizes)} times, {statistics.median(sizes) / 1_000:.0f} kB each"
        )


if __name__ == "__main__":
    main()

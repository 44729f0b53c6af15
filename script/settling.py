"""A client that settles rounds for the benchmark, in its own process: `python -m script.settling MODE TABLE`.

MODE says what a settlement's transaction writes in addition to its own rows:

    record      the record, like the product
    nothing     no record; everything else is the same
    global      the record on one global chain, locked until the commit

It reads two numbers from standard input: for how many seconds to settle, and how many seconds longer to keep each
transaction open. It answers with one line of JSON: the time of each settling act, and the total time.
"""

import datetime as dt
import json
import sys
import time
from collections.abc import Callable
from typing import Any

GLOBAL = "bench/global"
WARM = 10


def main(mode: str, table: str) -> None:
    """Prepare this process for a mode and a simulated table, and settle on request."""
    import django

    django.setup()
    if mode == "nothing":
        leave_the_record_out()
    if mode == "global":
        keep_one_chain()
    hold = hold_transactions()
    settle = _settler(table, has_record=mode == "record")
    for line in sys.stdin:
        seconds, seconds_held = line.split()
        hold(float(seconds_held))
        print(json.dumps(_settle_for(float(seconds), settle)), flush=True)


def _settler(code: str, *, has_record: bool) -> Callable[[], float]:
    from audit.models import Device, Entry, Person
    from script.bench_settlement import settle
    from tables.demo.seeding import rules_at
    from tables.demo.simulation import SimulatedTable
    from tables.models import Table

    table = Table.objects.select_related("facility", "stream").get(code=code)
    dealer, floor = (Person.objects.get(code=f"sim-{role}-larkfield") for role in ("dealer", "floorperson"))
    device = Device.objects.filter(name__startswith="Simulation").latest("enrolled_at")
    played = SimulatedTable(table, dealer, floor, device, rules_at(table))
    before = Entry.objects.filter(stream=table.stream).count()
    for _ in range(WARM):
        settle(played)
    if has_record != (Entry.objects.filter(stream=table.stream).count() > before):
        raise SystemExit(
            "The mode does not do what its name says: the act runner writes its entry elsewhere."
        )
    return lambda: settle(played)


def _settle_for(seconds: float, settle: Callable[[], float]) -> dict[str, Any]:
    times: list[float] = []
    settle()  # the first one after a pause is always slower
    began = time.perf_counter()
    while not times or time.perf_counter() - began < seconds:
        times.append(settle())
    return {"times": times, "spent": time.perf_counter() - began}


# Alternatives to the record


def leave_the_record_out() -> None:
    """Let acts write their rows and answers but no entry. A table then has no version, and nothing is stale."""
    from audit import record
    from audit.rows import insert
    from tables.runner.table import TableRunner

    def forget(stream: Any, **fields: Any) -> record.Appended:
        insert(fields["answer"])
        stream.seq += 1
        return record.Appended(
            stream.seq, b"", b"", fields["entry"].type, b"", fields["moment"], fields["actor"]
        )

    record.append = forget
    TableRunner.is_stale = lambda *_: False  # type: ignore[method-assign]


def keep_one_chain() -> None:
    """Write every entry to one stream for all tables, whose row stays locked until the commit."""
    from audit import record
    from tables.runner.table import TableRunner

    append = record.append
    record.open_stream(GLOBAL)

    def on_one_chain(stream: Any, **fields: Any) -> record.Appended:
        shared = record.lock_stream(GLOBAL)
        stream.seq += 1
        fields["moment"] = max(fields["moment"], shared.last_at or dt.datetime.min.replace(tzinfo=dt.UTC))
        return append(shared, **fields)

    record.append = on_one_chain
    TableRunner.is_stale = lambda *_: False  # type: ignore[method-assign]


def hold_transactions() -> Callable[[float], None]:
    """Delay each commit as a slower disk or network would. Returns a function that sets the delay."""
    from audit import record

    append, seconds_held = record.append, [0.0]

    def slowly(*args: Any, **fields: Any) -> Any:
        appended = append(*args, **fields)
        time.sleep(seconds_held[0])
        return appended

    record.append = slowly
    return lambda seconds: seconds_held.__setitem__(0, seconds)


if __name__ == "__main__":
    main(*sys.argv[1:])

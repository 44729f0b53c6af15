"""A client that settles rounds for the benchmark, in its own process: `python -m script.settling MODE TABLE`.

MODE says what a settlement's transaction writes in addition to its own rows:

    record      the record, like the product
    nothing     no record; everything else is the same
    saved       no record, and each settlement saved separately through the ORM
    global      the record on one global chain, locked until the commit
    pghistory   django-pghistory instead of the record, on throws, settlements and rounds
    auditlog    django-auditlog instead of the record, on the same rows; it sees only rows that are saved separately

It reads two numbers from standard input: for how many seconds to settle, and how many seconds longer to keep each
transaction open. It answers with one line of JSON: the time of each settling act, the total time, and the number of
rows per round that the alternative wrote.
"""

import contextlib
import datetime as dt
import importlib
import json
import sys
import time
from collections.abc import Callable
from typing import Any

MORE_APPS = {"pghistory": ["pgtrigger", "pghistory"], "auditlog": ["auditlog"]}
GLOBAL = "bench/global"
WITHOUT = ("nothing", "saved", "pghistory", "auditlog")
WARM = 10


def main(mode: str, table: str) -> None:
    """Prepare this process for a mode and a simulated table, and settle on request."""
    _set_up(mode)
    if mode in WITHOUT:
        leave_the_record_out()
    if mode in ("saved", "auditlog"):
        save_settlements_one_by_one()
    if mode == "global":
        keep_one_chain()
    hold = hold_transactions()
    rows = {"pghistory": track_by_pghistory, "auditlog": track_by_auditlog}.get(mode, lambda: lambda: 0)()
    settle = _settler(table)
    for line in sys.stdin:
        seconds, seconds_held = line.split()
        hold(float(seconds_held))
        print(json.dumps(_settle_for(float(seconds), settle, rows)), flush=True)


def _set_up(mode: str) -> None:
    import django
    from django.conf import settings

    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, *MORE_APPS.get(mode, [])]
    django.setup()
    if mode in MORE_APPS:
        from django.core.management import call_command

        call_command("migrate", verbosity=0)


def _settler(code: str) -> Callable[[], float]:
    from audit.models import Device, Person
    from script.bench_settlement import settle
    from tables.demo.seeding import rules_at
    from tables.demo.simulation import SimulatedTable
    from tables.models import Table

    table = Table.objects.select_related("facility", "stream").get(code=code)
    dealer, floor = (Person.objects.get(code=f"sim-{role}-larkfield") for role in ("dealer", "floorperson"))
    device = Device.objects.filter(name__startswith="Simulation").latest("enrolled_at")
    played = SimulatedTable(table, dealer, floor, device, rules_at(table))
    for _ in range(WARM):
        settle(played)
    return lambda: settle(played)


def _settle_for(seconds: float, settle: Callable[[], float], rows: Callable[[], int]) -> dict[str, Any]:
    times: list[float] = []
    settle()  # the first one after a pause is always slower
    began, before = time.perf_counter(), rows()
    while not times or time.perf_counter() - began < seconds:
        times.append(settle())
    spent = time.perf_counter() - began
    return {"taken": times, "spent": spent, "rows": (rows() - before) / len(times)}


# Alternatives to the record


def leave_the_record_out() -> None:
    """Let acts write their rows and answers but no entry. A table then has no version, and nothing is stale."""
    from audit import record
    from tables.runner.table import TableRunner

    def forget(stream: Any, **fields: Any) -> record.Appended:
        stream.seq += 1
        return record.Appended(stream.seq, b"")

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
    from audit import commands

    save, seconds_held = commands.save, [0.0]

    def slowly(*args: Any, **fields: Any) -> Any:
        command = save(*args, **fields)
        time.sleep(seconds_held[0])
        return command

    commands.save = slowly
    return lambda seconds: seconds_held.__setitem__(0, seconds)


def save_settlements_one_by_one() -> None:
    from tables.models import Settlement
    from tables.models.rounds import SettlementManager

    def write(self: Any, rows: list[tuple[Any, ...]]) -> None:
        for row in rows:
            Settlement.objects.create(**dict(zip(self.COLUMNS, row, strict=True)))

    SettlementManager.write = write  # type: ignore[method-assign]


def _written() -> list[Any]:
    from tables.models import Round, Settlement, Throw

    return [Throw, Settlement, Round]


def track_by_pghistory() -> Callable[[], int]:
    """Install triggers that copy each inserted or updated row to an event table. Returns a function to count them."""
    from django.db import connection

    pghistory, pgtrigger = importlib.import_module("pghistory"), importlib.import_module("pgtrigger")
    events = []
    for model in _written():
        event = pghistory.create_event_model(
            model, app_label="tables", model_name=f"{model.__name__}Event", abstract=False
        )
        with contextlib.suppress(Exception), connection.schema_editor() as editor:
            editor.create_model(event)
        events.append(event)
    pgtrigger.install()
    return lambda: sum(event.objects.count() for event in events)


def track_by_auditlog() -> Callable[[], int]:
    """Install signals that record the changes of each saved row. Returns a function to count them."""
    registry = importlib.import_module("auditlog.registry")
    entry = importlib.import_module("auditlog.models").LogEntry
    for model in _written():
        registry.auditlog.register(model)
    return lambda: int(entry.objects.count())


if __name__ == "__main__":
    main(*sys.argv[1:])

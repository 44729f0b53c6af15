"""A client that settles rounds for the benchmark, in a process of its own: `python -m script.settling WAY TABLE`.

The ways differ in what a settlement's transaction writes besides its own rows:

    record      the record, as the product does
    nothing     no record at all; everything else is the same
    saved       no record, and every settlement saved by itself through the ORM
    global      the record on one chain for the whole house, locked until the commit
    pghistory   django-pghistory instead of the record, on throw, settlements and round
    auditlog    django-auditlog instead of the record, on the same; it hears only of rows that are saved by themselves

It reads two numbers from its input, how many seconds to settle for and how many to hold each transaction longer, and
answers with one line of JSON: how long each settling act took, how long all of it, and how many rows a round its rival
wrote.
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


def main(way: str, table: str) -> None:
    """Makes this process write in that way at that simulated table, and settles as it is told."""
    _set_up(way)
    if way in WITHOUT:
        leave_the_record_out()
    if way in ("saved", "auditlog"):
        save_settlements_one_by_one()
    if way == "global":
        keep_one_chain()
    hold = hold_transactions()
    rows = {"pghistory": track_by_pghistory, "auditlog": track_by_auditlog}.get(way, lambda: lambda: 0)()
    settle = _settler(table)
    for line in sys.stdin:
        seconds, held = line.split()
        hold(float(held))
        print(json.dumps(_settle_for(float(seconds), settle, rows)), flush=True)


def _set_up(way: str) -> None:
    import django
    from django.conf import settings

    settings.INSTALLED_APPS = [*settings.INSTALLED_APPS, *MORE_APPS.get(way, [])]
    django.setup()
    if way in MORE_APPS:
        from django.core.management import call_command

        call_command("migrate", verbosity=0)


def _settler(code: str) -> Callable[[], float]:
    from audit.models import Device, Person
    from script.bench_settlement import settle
    from tables.demo.seeding import rules_at
    from tables.demo.simulation import Played
    from tables.models import Table

    table = Table.objects.select_related("facility", "stream").get(code=code)
    dealer, floor = (Person.objects.get(code=f"sim-{role}-larkfield") for role in ("dealer", "floorperson"))
    device = Device.objects.filter(name__startswith="Simulation").latest("enrolled_at")
    played = Played(table, dealer, floor, device, rules_at(table))
    for _ in range(WARM):
        settle(played)
    return lambda: settle(played)


def _settle_for(seconds: float, settle: Callable[[], float], rows: Callable[[], int]) -> dict[str, Any]:
    taken: list[float] = []
    settle()  # the first one after a wait is slower, whatever it does
    began, before = time.perf_counter(), rows()
    while not taken or time.perf_counter() - began < seconds:
        taken.append(settle())
    spent = time.perf_counter() - began
    return {"taken": taken, "spent": spent, "rows": (rows() - before) / len(taken)}


# What takes the record's place


def leave_the_record_out() -> None:
    """Acts write their rows and keep their answers, and no entry. So a table has no version, and nothing is stale."""
    from audit import record
    from tables.runner.table import TableRunner

    def forget(stream: Any, **said: Any) -> record.Appended:
        stream.seq += 1
        return record.Appended(stream.seq, b"")

    record.append = forget
    TableRunner.is_stale = lambda *_: False  # type: ignore[method-assign]


def keep_one_chain() -> None:
    """Every entry goes on one stream for all tables, whose row is locked from there to the commit."""
    from audit import record
    from tables.runner.table import TableRunner

    append = record.append
    record.open_stream(GLOBAL)

    def on_one_chain(stream: Any, **said: Any) -> record.Appended:
        whole = record.lock_stream(GLOBAL)
        stream.seq += 1
        said["at"] = max(said["at"], whole.last_at or dt.datetime.min.replace(tzinfo=dt.UTC))
        return append(whole, **said)

    record.append = on_one_chain
    TableRunner.is_stale = lambda *_: False  # type: ignore[method-assign]


def hold_transactions() -> Callable[[float], None]:
    """What a slower disk or network adds between the last statement and the end of the commit: returns what sets it."""
    from audit import commands

    keep, held = commands.save, [0.0]

    def slowly(*args: Any, **said: Any) -> Any:
        kept = keep(*args, **said)
        time.sleep(held[0])
        return kept

    commands.save = slowly
    return lambda seconds: held.__setitem__(0, seconds)


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
    """Triggers that copy each row that is inserted or updated into a table of events. Returns what counts them."""
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
    """Signals that write down what changed in each row that is saved. Returns what counts them."""
    registry = importlib.import_module("auditlog.registry")
    entry = importlib.import_module("auditlog.models").LogEntry
    for model in _written():
        registry.auditlog.register(model)
    return lambda: int(entry.objects.count())


if __name__ == "__main__":
    main(*sys.argv[1:])

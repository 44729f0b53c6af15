"""Measure what a round with its record takes on the disk, by table of the database.

Some tables are dealt in turns, and what they did is sealed after each turn, as the sealer does every second while so
many tables play. The database is vacuumed before and after, so that only what stays is counted.
"""

import argparse
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from audit.sealing.sealer import Sealer
from games.models import Facility
from script import history
from script.figures import Figure, size
from tables.demo.seeding import do
from tables.demo.simulation import SimulatedTable, simulated_tables

TITLE = "A round on the disk: 10 wagers in 16 acts, with its record, its seals and all indexes"
TABLES = 8
WARM_ROUNDS = 2
WAGERS = (
    *("small", "big", "total:9", "total:12", "two-dice:2-5", "two-dice:1-6"),
    *("one-of-a-kind:3", "one-of-a-kind:6", "two-of-a-kind:5", "any-three-of-a-kind"),
)
SEATS = 8
DICE = [2, 5, 5]
ACTS = len(WAGERS) + 6
SIZES = """
    SELECT c.relname, '', pg_table_size(c.oid) FROM pg_class c
    WHERE c.relkind = 'r' AND c.relnamespace = 'public'::regnamespace
    UNION ALL SELECT t.relname, c.relname, pg_relation_size(c.oid) FROM pg_index i
    JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_class t ON t.oid = i.indrelid
    WHERE t.relkind = 'r' AND t.relnamespace = 'public'::regnamespace"""
Sizes = dict[tuple[str, str], int]  # in bytes, by table and index; the rows of a table have ""
SHOWN = 12
COMMANDS = "audit_command"


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """The bytes of a round, and of which tables they are."""
    tables = simulated_tables(Facility.objects.get(code="larkfield"), TABLES, "RS-0009")
    sealer = Sealer(Path(os.environ["PITSIDE_SEALER_DIR"]))
    play(tables, WARM_ROUNDS, sealer)
    ended_before = commands_after_their_answers()
    before = sizes()
    play(tables, options.rounds, sealer)
    after = sizes()
    ended = commands_after_their_answers() - ended_before
    count = TABLES * options.rounds
    grown = {key: (size_after - before.get(key, 0)) / count for key, size_after in after.items()}
    yield f"{count} rounds. The largest of each round, rows and indexes:"
    yield from breakdown(grown)
    whole = sum(grown.values())
    yield size("disk.round_bytes", "a round of 10 wagers with all indexes", whole, 16_000)
    commands = sum(grew for (table, _index), grew in grown.items() if table == COMMANDS)
    later = whole - commands + ended / count
    yield size("disk.later_round_bytes", "the same once the saved answers of its acts have ended", later)
    yield size("disk.act_bytes", "an act of it", whole / ACTS)


def breakdown(grown: dict[tuple[str, str], float]) -> Iterator[str]:
    """A line for each table that grew: its rows and all its indexes, then each index that grew; bytes of a round."""
    tables: dict[str, float] = {}
    for (table, _index), grew in grown.items():
        tables[table] = tables.get(table, 0) + grew
    for table in sorted(tables, key=lambda name: -tables[name])[:SHOWN]:
        indexes = {index: grew for (of, index), grew in grown.items() if of == table and index and grew}
        yield f"{table}: {grown[table, '']:,.0f} + {sum(indexes.values()):,.0f} B"
        for index, grew in sorted(indexes.items(), key=lambda item: -item[1]):
            yield f"    {index}: {grew:,.0f} B"


def play(tables: list[SimulatedTable], rounds: int, sealer: Sealer) -> None:
    """Play so many rounds at each table, act by act in turns."""
    for _ in range(rounds):
        for name, params in acts():
            for table in tables:
                do(table.dealer, table.device, "larkfield", table.table.code, name, params)
            sealer.seal()


def acts() -> Iterator[tuple[str, dict[str, Any]]]:
    """The acts of a round, each wager one of them."""
    for number, code in enumerate(WAGERS):
        yield "place_wagers", {"wagers": [{"seat": number % SEATS + 1, "wager": code, "cents": 1_000}]}
    yield "shake", {"shakes": 3}
    yield "no_more_bets", {}
    yield "call_dice", {"dice": DICE}
    yield "take_losers", {}
    yield "pay_seats", {}
    yield "clear_layout", {}


def commands_after_their_answers() -> int:
    """The bytes of all commands and their indexes once their answers have ended, as they do after a week."""
    with transaction.atomic(), connection.cursor() as cursor, history.guards_disabled(cursor):
        cursor.execute(f"UPDATE {COMMANDS} SET answer = NULL")
    with connection.cursor() as cursor:
        cursor.execute(f"VACUUM FULL {COMMANDS}")
    return sum(grew for (table, _index), grew in sizes().items() if table == COMMANDS)


def sizes() -> Sizes:
    """The bytes of each table of the vacuumed database."""
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = 0")
        cursor.execute("VACUUM")
        cursor.execute(SIZES)
        return {(table, index): size for table, index, size in cursor.fetchall()}

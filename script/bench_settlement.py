"""Measure settlements per second (8 wagers) through the act runner, against the same rows written with psycopg."""

import argparse
import json
import os
import statistics
import time
import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
from django.db import connection

from audit import chain
from audit.models import Entry
from games.models import Facility
from script.figures import Figure
from tables.demo.seeding import do
from tables.demo.simulation import SimulatedTable, simulated_tables
from tables.models import Round, Settlement, Table, Throw

TITLE = "Settlement: one act that settles 8 wagers, with its record and its saved answer"
WAGERS = (
    "small",
    "big",
    "total:9",
    "total:12",
    "two-dice:2-5",
    "one-of-a-kind:3",
    "two-of-a-kind:5",
    "any-three-of-a-kind",
)
DICE = [2, 5, 5]
WARM = 20


def measure(options: argparse.Namespace) -> Iterator[str | Figure]:
    """The two rates and their ratio: one settlement of each after the other, at a table of its own, and the medians."""
    written, played = simulated_tables(Facility.objects.get(code="larkfield"), 2, "RS-0009")
    for _ in range(WARM):
        settle(played)
    settle(written)
    acts, writes = [], []
    with psycopg.connect(os.environ["DATABASE_URL"], prepare_threshold=1) as bare:
        writer = Writer.of_last_round(bare, written.table)
        for _ in range(WARM):
            writer.write()
        end = time.perf_counter() + 2 * options.seconds
        while time.perf_counter() < end:
            acts.append(settle(played))
            began = time.perf_counter()
            writer.write()
            writes.append(time.perf_counter() - began)
    act, write = statistics.median(acts), statistics.median(writes)
    yield Figure("settlement.act_ms", "a settlement by the act runner, median", 1_000 * act, "ms")
    yield Figure("settlement.bare_ms", "the same rows written with psycopg, median", 1_000 * write, "ms")
    yield Figure(
        "settlement.ratio",
        "settlement of 8 wagers, beside bare psycopg making the same writes",
        write / act,
        "×",
        better="higher",
        goal=1.0,
        is_portable=True,
    )
    yield Figure("settlement.statements", "statements of a settlement", _statements(played), is_portable=True)


def settle(played: SimulatedTable) -> float:
    """Play one round. Returns the seconds that its settling act took."""

    def act(name: str, **params: Any) -> None:
        do(played.dealer, played.device, "larkfield", played.table.code, name, params)

    act(
        "place_wagers",
        wagers=[{"seat": seat, "wager": code, "cents": 1_000} for seat, code in enumerate(WAGERS, start=1)],
    )
    act("shake", shakes=3)
    act("no_more_bets")
    call = _call(played)
    began = time.perf_counter()
    _execute(call)
    spent = time.perf_counter() - began
    act("take_losers")
    act("pay_seats")
    act("clear_layout")
    return spent


def _call(played: SimulatedTable) -> Any:
    from tables.models import Table
    from tables.runner import table

    version = Table.objects.values_list("stream__seq", flat=True).get(pk=played.table.pk)
    return table.ActRequest(
        "larkfield",
        played.table.code,
        "call_dice",
        uuid.uuid4(),
        version,
        {"dice": DICE},
        played.dealer,
        played.device,
    )


def _execute(call: Any) -> None:
    from tables.runner import table

    table.execute(call)


def _statements(played: SimulatedTable) -> int:
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as queries:
        settle(played)
    texts = [query["sql"] for query in queries]
    first = next(i for i, sql in enumerate(texts) if "tables_throw" in sql and sql.startswith("INSERT"))
    begin = max(i for i, sql in enumerate(texts[:first]) if "FOR UPDATE" in sql)
    end = next(i for i, sql in enumerate(texts[first:], start=first) if "INSERT INTO audit_command" in sql)
    return end - begin + 1


# The same rows without Django


class Writer:
    """Writes the rows of one settlement: throw, eight settlements, round, entry, stream, command."""

    def __init__(
        self,
        bare: Any,
        round_: Round,
        throw: Throw,
        rows: list[dict[str, Any]],
        entry: Entry,
        seq: int,
        head: bytes,
    ) -> None:
        self.bare, self.round, self.throw, self.rows, self.entry = bare, round_, throw, rows, entry
        self.seq, self.head = seq, head
        self.revision = throw.revision
        self.answer = json.dumps({"type": "round.settled", "round": round_.number, "phase": "lit"})
        self.settlements = (
            "INSERT INTO tables_settlement (throw_id, wager_id, place, cents, outcome, pays, paid_cents,"
            " returned_cents, cite, why) VALUES "
            + ", ".join(["(%s, %s, %s, %s, %s, %s, %s, %s, %s, %s)"] * len(rows))
        )

    @classmethod
    def of_last_round(cls, bare: Any, table: Table) -> "Writer":
        """A writer of the last settlement at a table, each time in one transaction of prepared statements."""
        round_ = Round.objects.filter(table=table).latest("number")
        throw = Throw.objects.get(round=round_)
        rows: list[Any] = list(Settlement.objects.filter(throw=throw).order_by("place").values())
        entry = Entry.objects.filter(stream=table.stream, type="round.settled").latest("seq")
        state = bare.execute("SELECT seq, head FROM audit_stream WHERE id = %s", [entry.stream_id]).fetchone()
        return cls(bare, round_, throw, rows, entry, state[0], bytes(state[1]))

    def write(self) -> None:
        self.seq += 1
        self.revision += 1
        throw, round_, entry, prev = self.throw, self.round, self.entry, self.head
        self.head = chain.entry_hash(prev, bytes(entry.body))
        with self.bare.transaction():
            run = self.bare.execute
            throw_id = run(
                "INSERT INTO tables_throw (round_id, number, revision, dice, void_reason, lot_id, shaker_id, called_at)"
                " VALUES (%s, 1, %s, %s, '', %s, %s, now()) RETURNING id",
                [round_.pk, self.revision, json.dumps(throw.dice), throw.lot_id, throw.shaker_id],
            ).fetchone()[0]
            run(self.settlements, [value for row in self.rows for value in self._values(throw_id, row)])
            run(
                "UPDATE tables_round SET phase = 'lit', phase_seq = %s, by_hand = false, wagered_cents = %s,"
                " taken_cents = %s, paid_cents = %s, paid_seats = '[]' WHERE id = %s",
                [self.seq, round_.wagered_cents, round_.taken_cents, round_.paid_cents, round_.pk],
            )
            columns = [entry.actor, entry.witness, entry.round, entry.lot, entry.cents]
            run(
                "INSERT INTO audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day,"
                " actor, witness, round, lot, cents) VALUES (%s, %s, %s, %s, %s, %s, now(), %s, %s, %s, %s, %s, %s)",
                [
                    entry.stream_id,
                    self.seq,
                    prev,
                    self.head,
                    entry.body,
                    entry.type,
                    entry.gaming_day,
                    *columns,
                ],
            )
            run(
                "UPDATE audit_stream SET seq = %s, head = %s, last_at = now() WHERE id = %s",
                [self.seq, self.head, entry.stream_id],
            )
            run(
                "INSERT INTO audit_command (id, content_sha256, stream_id, seq, answer, at)"
                " VALUES (%s, %s, %s, %s, %s, now())",
                [uuid.uuid4(), entry.hash, entry.stream_id, self.seq, self.answer],
            )

    def _values(self, throw_id: int, row: dict[str, Any]) -> list[Any]:
        return [
            throw_id,
            row["wager_id"],
            row["place"],
            row["cents"],
            row["outcome"],
            row["pays"],
            row["paid_cents"],
            row["returned_cents"],
            row["cite"],
            json.dumps(row["why"]),
        ]

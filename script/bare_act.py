"""The least that an act can take, for comparison: a socket, the rows of a wager in one statement, a publish, an answer.

A message is {"seat", "cents", "fill"}; the answer is {"version", "fill"}. Each act writes what a wager of the product
writes: the wager, its round, an entry whose body is canonical JSON and whose hash joins the chain, and the answer of
its command. It checks nobody's rights and no rule, and shows nothing, so it is no way to run an act.

It acts at the table of `BARE_TABLE`, which has a round in play and where nobody else acts.
"""

import asyncio
import datetime as dt
import hashlib
import json
import os
import uuid
from typing import Any

import psycopg
from psycopg import pq

TAG = b"pitside/entry/v1\n"
CANONICAL = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode
FIRST = """SELECT s.id, s.seq, s.head, s.name, r.id FROM tables_table t JOIN audit_stream s ON s.id = t.stream_id
    JOIN tables_round r ON r.table_id = t.id AND r.ended_at IS NULL WHERE s.name = %s"""
ACT = b"""WITH wager AS (
        INSERT INTO tables_wager (round_id, seat, code, play, cents, made_in, flag, struck, missed)
        VALUES ($1::bigint, $2::smallint, 'small', 0, $3::bigint, 'chips', '', false, false)
        ON CONFLICT (round_id, seat, code, play) DO UPDATE SET cents = excluded.cents),
    round AS (UPDATE tables_round SET seat_seqs = $4::jsonb, wagered_cents = $3::bigint WHERE id = $1::bigint),
    command AS (
        INSERT INTO audit_command (id, content_sha256, stream_id, seq, answer, at)
        VALUES ($5::uuid, $6::bytea, $7::bigint, $8::bigint + 1, '{"type": "wagers.placed"}', $9::timestamptz))
    SELECT hash FROM audit_append(
        $7::bigint, $8::bigint, $10::bytea, 'wagers.placed', $9::timestamptz, $11::date)"""
IS_BINARY = [0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0]


class BareActs:
    """One connection to PostgreSQL and one to Redis, and the head of the stream on which the acts are."""

    def __init__(self) -> None:
        self.connection = psycopg.connect(os.environ["DATABASE_URL"], autocommit=True)
        row = self.connection.execute(FIRST, [os.environ["BARE_TABLE"]]).fetchone()
        assert row is not None
        self.stream, self.seq, self.head, self.name, self.round = row
        self.libpq = self.connection.pgconn
        prepared = self.libpq.prepare(b"act", ACT)
        assert prepared.status == pq.ExecStatus.COMMAND_OK, prepared.error_message
        self.redis: asyncio.StreamWriter | None = None

    def act(self, text: str) -> dict[str, Any]:
        """Write one act, and return its answer."""
        message, now, command = json.loads(text), dt.datetime.now(dt.UTC), str(uuid.uuid4())
        at, day = now.isoformat(timespec="microseconds").replace("+00:00", "Z"), now.date().isoformat()
        wager = {"seat": message["seat"], "wager": "small", "cents": message["cents"], "flag": ""}
        entry = {
            "_format": 1,
            "_type": "wagers.placed",
            "actor": None,
            "at": at,
            "build": "bare",
            "command": command,
            "data": {"placed": [{**wager, "made_in": "chips"}], "round": 1, "wagered_cents": wager["cents"]},
            "device": None,
            "gaming_day": day,
            "seq": self.seq + 1,
            "stream": self.name,
            "terms": None,
            "witness": None,
        }
        body, content = CANONICAL(entry).encode(), hashlib.sha256(text.encode()).digest()
        seats = json.dumps({wager["seat"]: self.seq + 1})
        values = (
            self.round,
            wager["seat"],
            wager["cents"],
            seats,
            command,
            content,
            self.stream,
            self.seq,
            at,
            body,
            day,
        )
        sent = [value if isinstance(value, bytes) else str(value).encode() for value in values]
        result = self.libpq.exec_prepared(b"act", sent, IS_BINARY, 1)
        head = hashlib.sha256(TAG + self.head + body).digest()
        if result.status != pq.ExecStatus.TUPLES_OK or result.get_value(0, 0) != head:
            raise RuntimeError(result.error_message.decode())
        self.seq, self.head = self.seq + 1, head
        return {"version": self.seq, "fill": message["fill"]}

    async def publish(self, version: int) -> None:
        """Publish a version, and wait for no answer."""
        if self.redis is None:
            path = os.environ["REDIS_URL"].removeprefix("unix://")
            reader, self.redis = await asyncio.open_unix_connection(path)
            self.answers = asyncio.create_task(_forget(reader))
        payload = b'{"version":%d}' % version
        self.redis.write(b"*3\r\n$7\r\nPUBLISH\r\n$4\r\nbare\r\n$%d\r\n%s\r\n" % (len(payload), payload))


async def _forget(reader: asyncio.StreamReader) -> None:
    while await reader.read(65_536):
        pass


async def application(scope: dict[str, Any], receive: Any, send: Any) -> None:
    """Answer each act on a socket; one socket at a time."""
    if scope["type"] != "websocket":
        return
    await receive()
    await send({"type": "websocket.accept"})
    acts = BareActs()
    try:
        while (event := await receive())["type"] != "websocket.disconnect":
            answer = acts.act(event["text"])
            await acts.publish(answer["version"])
            await send({"type": "websocket.send", "text": json.dumps(answer)})
    finally:
        acts.connection.close()

"""Hostile statements: as the sealer's role, as the web's, as the auditor's, and as the owner of the tables, on both
databases as far as each has them. `test_guards.py` has those about entries, streams and commands."""

import io
import re
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import connection, transaction
from django.db.utils import IntegrityError

from audit import clock
from audit.management.commands import provision_roles
from audit.models import Checkpoint, Cosignature, Entry, Incarnation, Node, Seal, SealedHead, SigningKey
from audit.record import open_stream
from audit.sealing import keys
from audit.sealing.leader_lock import LeaderLock
from audit.sealing.log import Log, current_incarnation, logs_of, proof_of
from audit.sealing.sealer import Sealer
from audit.sealing.status import LogReport, StatusWriter, sealer_status

from .conftest import MOMENT
from .test_guards import appended, refused

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
on_postgresql = pytest.mark.postgres
on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite only")
TABLES = (*provision_roles.SEALS, provision_roles.KEY)
ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def sealer(folder, stream, write) -> Sealer:
    """A record of as many seals as a stored node has leaves, the last of them cosigned."""
    sealer = Sealer(folder)
    with clock.override(MOMENT):
        keys.create(folder)
        for _ in range(1 << Node.LEVELS_APART):
            write()
            checkpoint = sealer.seal()
        Cosignature.objects.create(checkpoint=checkpoint, name="w", line="— w AAAAAAA=", at=MOMENT)
        StatusWriter().update(LogReport())
    return sealer


def everything() -> list[list[tuple]]:
    models = (Entry, Incarnation, SigningKey, Seal, SealedHead, Node, Checkpoint, Cosignature)
    return [list(model.objects.order_by("pk").values_list()) for model in models]


def test_these_are_all_the_tables_of_seals(sealer):
    assert {model._meta.db_table for model in (
        Incarnation, SigningKey, Seal, SealedHead, Node, Checkpoint, Cosignature
    )} == set(TABLES)  # fmt: skip
    assert all(everything())


@pytest.mark.parametrize("table", TABLES)
def test_nobody_changes_or_removes_what_was_sealed(sealer, table):
    before = everything()
    column = {"audit_incarnation": "why", "audit_signingkey": "name", "audit_cosignature": "line"}.get(table)
    column = column or {"audit_sealedhead": "seq", "audit_checkpoint": "note", "audit_node": "hash"}.get(
        table, "body"
    )
    value = "7" if column == "seq" else "'x'"
    for statement in (
        f"UPDATE {table} SET {column} = {value}",
        f"UPDATE {table} SET {column} = {column}" if table != "audit_signingkey" else f"DELETE FROM {table}",
        f"DELETE FROM {table}",
    ):
        refused(statement)
    assert everything() == before


def test_a_key_is_retired_once_and_for_good(sealer):
    key = SigningKey.objects.get()
    key.retired_at = MOMENT
    key.save()
    for again in (None, MOMENT):
        with pytest.raises(IntegrityError), transaction.atomic():
            SigningKey.objects.update(retired_at=again)


def test_no_place_of_the_log_is_taken_twice(sealer):
    before = everything()
    for again in (
        lambda: Seal.objects.create(
            incarnation=current_incarnation(), number=1, at=MOMENT, body=b"{}", leaf=bytes(32)
        ),
        lambda: Node.objects.create(incarnation=current_incarnation(), level=4, index=0, hash=bytes(32)),
        lambda: Checkpoint.objects.create(
            incarnation=current_incarnation(), size=2, root=bytes(32), note="x", at=MOMENT
        ),
        lambda: Incarnation.objects.create(number=1, origin="x", opened_at=MOMENT),
        lambda: Incarnation.objects.create(number=2, origin="pitside.local/record/1", opened_at=MOMENT),
        lambda: Cosignature.objects.create(
            checkpoint=Checkpoint.objects.latest("size"), name="w", line="x", at=MOMENT
        ),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            again()
    assert everything() == before


@on_sqlite
@pytest.mark.parametrize("recursive", ["ON", "OFF"])
@pytest.mark.parametrize("table", TABLES)
def test_sqlite_replaces_nothing_that_was_sealed(sealer, table, recursive):
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA recursive_triggers={recursive}")
    before = everything()
    refused(f"REPLACE INTO {table} SELECT * FROM {table}")
    key = {"audit_incarnation": "number", "audit_sealedhead": "seal_id", "audit_node": "level"}.get(
        table, "id"
    )
    columns = [field.column for field in _model(table)._meta.concrete_fields]
    unique = ", ".join(f'"{column}"' for column in columns if column != "id")
    if table != "audit_incarnation":
        refused(f"INSERT OR REPLACE INTO {table} ({unique}) SELECT {unique} FROM {table}")
    refused(f"UPDATE OR REPLACE {table} SET {key} = {key} + 1")
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA recursive_triggers=ON")
    assert everything() == before


def _model(table: str):
    models = (Incarnation, SigningKey, Seal, SealedHead, Node, Checkpoint, Cosignature)
    return next(model for model in models if model._meta.db_table == table)


@on_postgresql
@pytest.mark.parametrize("table", TABLES)
def test_postgresql_truncates_nothing_that_was_sealed_and_replication_does_not_help(sealer, table):
    refused(f"TRUNCATE {table} CASCADE")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
    refused(f"DELETE FROM {table}")


# As each role of PostgreSQL.


def work_as(role: str) -> None:
    """Work as this role until the test ends. Deferred checks may not wait while tables are altered."""
    connection.check_constraints()
    call_command("provision_roles", stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {role}")


FORGERIES = [
    "INSERT INTO audit_incarnation (number, origin, opened_at, why, after) VALUES (2, 'x/2', now(), '', '{}')",
    "INSERT INTO audit_seal (incarnation_id, number, at, \"full\", body, leaf) VALUES (1, 3, now(), true, '{}', '0')",
    "INSERT INTO audit_sealedhead (seal_id, stream_id, seq) SELECT s.id, t.id, 99 FROM audit_seal s, audit_stream t",
    "INSERT INTO audit_node (incarnation_id, level, index, hash) VALUES (1, 9, 0, '0')",
    "INSERT INTO audit_checkpoint (incarnation_id, size, root, note, at) VALUES (1, 9, '0', 'x', now())",
    "INSERT INTO audit_cosignature (checkpoint_id, name, line, at) SELECT id, 'v', 'x', now() FROM audit_checkpoint",
    "INSERT INTO audit_signingkey (name, key_id, public_key, created_at) VALUES ('x', '0', '0', now())",
    "UPDATE audit_signingkey SET retired_at = now()",
    "UPDATE audit_sealerstatus SET trouble = ''",
    "INSERT INTO audit_sealerstatus SELECT * FROM audit_sealerstatus",
    "DELETE FROM audit_sealerstatus",
    "INSERT INTO audit_sealerlease (id, holder, beat, folder, incarnation) VALUES (2, '', 0, '', 0)",
    "UPDATE audit_sealerlease SET holder = 'x'",
    "DELETE FROM audit_sealerlease",
    "SELECT 1 FROM audit_sealerlease FOR UPDATE",
    "SELECT 1 FROM audit_sealerlease FOR KEY SHARE",
    "LOCK TABLE audit_sealerlease IN ROW SHARE MODE",
]
DENIED = re.compile("permission denied|must be owner")


@on_postgresql
def test_the_web_role_reads_seals_and_writes_none(sealer, stream):
    work_as(provision_roles.WEB)
    before = everything()
    assert proof_of(stream.entries.get(seq=1)) is not None
    assert sealer_status().beat_at is not None
    statements = [*FORGERIES, *[f"DELETE FROM {table}" for table in TABLES]]
    statements += [f"TRUNCATE {table} CASCADE" for table in TABLES]
    statements += [f"ALTER TABLE {table} DISABLE TRIGGER ALL" for table in TABLES]
    for statement in statements:
        assert DENIED.search(refused(statement)), statement
    assert everything() == before


@on_postgresql
def test_the_auditor_reads_seals_and_writes_nothing_at_all(sealer, stream):
    work_as(provision_roles.AUDITOR)
    before = everything()
    assert proof_of(stream.entries.get(seq=1)) is not None
    with connection.cursor() as cursor:
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        tables = [name for (name,) in cursor.fetchall()]
    statements = [f"{verb} {table}" for table in tables for verb in ("DELETE FROM", "TRUNCATE")]
    for statement in [*FORGERIES, *statements, "INSERT INTO audit_savedfilter DEFAULT VALUES"]:
        assert DENIED.search(refused(statement)), statement
    assert everything() == before


@on_postgresql
def test_the_sealer_does_its_work(folder, stream, write):
    """Also in the second in which a second facility's log begins, with a key of its own."""
    write()
    write("seabright/T-1")
    work_as(provision_roles.SEALER)
    first = keys.create(folder)
    keys.create(folder)
    lock = LeaderLock(folder)
    assert lock.acquire()
    sealer = Sealer(folder, lock=lock)
    assert sealer.seal().size == 1
    assert [log.newest().size for log in logs_of(current_incarnation())] == [1, 1]
    assert SigningKey.objects.filter(name="pitside.local/record/seabright/1").exists()
    lock.note_folder(1)
    keys.retire(folder, first.key_id)
    assert sealer.seal().size == 2
    Cosignature.objects.create(checkpoint=Log(current_incarnation()).newest(), name="w", line="x", at=MOMENT)
    StatusWriter().update(LogReport())
    StatusWriter().update(LogReport(witnesses={"w": {"size": 2}}))
    assert proof_of(stream.entries.get(seq=1)).checkpoint.size == 1


HOSTILE = [
    """INSERT INTO audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day)
       SELECT stream_id, seq + 1, hash, hash, body, type, at, gaming_day FROM audit_entry""",
    "UPDATE audit_entry SET type = 'x'",
    "DELETE FROM audit_entry",
    "TRUNCATE audit_entry",
    "UPDATE audit_stream SET seq = seq + 1",
    "UPDATE audit_stream SET head = head",
    "DELETE FROM audit_stream",
    "SELECT password FROM audit_person",
    "SELECT 1 FROM audit_person",
    "SELECT 1 FROM audit_device",
    "SELECT 1 FROM audit_command",
    "SELECT 1 FROM django_session",
    "SELECT 1 FROM tables_table",
    "SELECT 1 FROM games_document",
    "INSERT INTO audit_job DEFAULT VALUES",
    "UPDATE tables_table SET halted_at = NULL",
    "UPDATE audit_signingkey SET public_key = '0'",
    "DELETE FROM audit_sealerstatus",
    "DELETE FROM audit_sealerlease",
    "CREATE TABLE mine (id int)",
    "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    "ALTER TABLE audit_seal DISABLE TRIGGER ALL",
    "SET session_replication_role = replica",
]


@on_postgresql
def test_the_sealer_can_do_nothing_else(sealer):
    work_as(provision_roles.SEALER)
    before = everything()
    statements = [f"{verb} {table}" for table in TABLES for verb in ("DELETE FROM", "TRUNCATE")]
    statements += [
        f"UPDATE {table} SET {_model(table)._meta.concrete_fields[0].column} = NULL" for table in TABLES
    ]
    for statement in [*HOSTILE, *statements]:
        assert DENIED.search(refused(statement)), statement
    assert everything() == before


@on_postgresql
def test_the_sealer_forges_no_entry_through_the_append_function(sealer):
    work_as(provision_roles.SEALER)
    for seq in ("seq", "seq - 1"):
        refused(f"SELECT audit_append(id, {seq}, '\\x7b7d', 'a.b', now(), '2026-11-21') FROM audit_stream")


@on_postgresql
def test_the_sealer_writes_only_on_the_stream_of_the_installation(sealer, stream):
    other = open_stream("installation/other")
    work_as(provision_roles.SEALER)
    for wrong in (stream, other):
        assert DENIED.search(refused(*appended(wrong)))
        assert "only installation/system" in refused(*appended(wrong, function="audit_append_system"))
    system = open_stream("installation/system")
    with connection.cursor() as cursor:
        cursor.execute(*appended(system, function="audit_append_system"))
    assert open_stream("installation/system").seq == system.seq + 1


@on_postgresql
def test_every_function_of_the_record_is_closed_to_the_public(sealer):
    """A function that a later migration adds is no door for a login of no role."""
    connection.check_constraints()
    call_command("provision_roles", stdout=io.StringIO())
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT p.proname FROM pg_proc p WHERE p.pronamespace = current_schema()::regnamespace
               AND p.proname LIKE 'audit%%' AND has_function_privilege('public', p.oid, 'EXECUTE')"""
        )
        assert cursor.fetchall() == []


def test_roles_are_postgresqls(sealer):
    if connection.vendor == "sqlite":
        with pytest.raises(CommandError, match="PostgreSQL"):
            call_command("provision_roles")


def test_the_page_about_roles_names_each_table_of_seals():
    page = (ROOT / "docs" / "postgresql-roles.md").read_text()
    for role in (
        provision_roles.OWNER,
        provision_roles.WEB,
        provision_roles.AUDITOR,
        provision_roles.SEALER,
    ):
        assert f"`{role}`" in page
    for table in (*TABLES, provision_roles.STATUS, provision_roles.LEASE):
        assert f"`{table}`" in page, table

"""Neither database lets anybody rewrite the record."""

import datetime as dt
import io
import uuid

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.db.utils import IntegrityError

from audit import chain, clock, record, runner
from audit.management.commands import provision_roles
from audit.models import Command, Entry, Stream
from audit.refusals import ClockRefused

from .conftest import MOMENT

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
on_postgresql = pytest.mark.postgres
on_sqlite = pytest.mark.skipif("connection.vendor != 'sqlite'", reason="SQLite only")


def refused(statement, *arguments):
    with pytest.raises(DatabaseError) as raised, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(statement, arguments[0] if arguments else None)
    return str(raised.value)


def everything():
    return list(Entry.objects.values_list()), list(Stream.objects.values_list())


@pytest.fixture
def kept(stream):
    return runner.save_command(
        uuid.uuid4(), content=bytes(32), stream=stream, seq=3, answer={"version": 3}, moment=MOMENT
    )


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE audit_entry SET type = 'x'",
        "UPDATE audit_entry SET body = body",
        "DELETE FROM audit_entry",
        "DELETE FROM audit_stream",
        "DELETE FROM audit_command",
        "UPDATE audit_command SET seq = 9",
        "UPDATE audit_command SET answer = NULL",
        "UPDATE audit_stream SET seq = 0",
        "UPDATE audit_stream SET seq = seq + 2",
        "UPDATE audit_stream SET name = 'larkfield/T-05'",
        "UPDATE audit_stream SET head = prev FROM audit_entry WHERE stream_id = audit_stream.id",
        "UPDATE audit_stream SET last_at = NULL",
    ],
)
def test_the_database_refuses_rewriting(stream, kept, statement):
    before = everything()
    refused(statement)
    assert everything() == before


def test_the_orm_refuses_too(stream, kept):
    for act in (
        lambda: Entry.objects.update(type="x.y"),
        lambda: Entry.objects.get(seq=2).delete(),
        lambda: kept.delete(),
        lambda: Command.objects.update(answer={}),
    ):
        with pytest.raises(IntegrityError), transaction.atomic():
            act()


def test_a_stream_begins_at_its_genesis():
    for wrong in ({"seq": 5, "head": chain.genesis("a/b")}, {"seq": 0, "last_at": MOMENT, "head": bytes(32)}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Stream.objects.create(name="a/b", **wrong)


def test_both_databases_refuse_an_entry_that_follows_no_head_and_a_head_without_its_entry(stream, kept):
    before = everything()
    row = "stream_id, {}, prev, hash, body, type, at, gaming_day"
    columns, ahead = row.format("seq"), row.format("seq + 1000")
    refused(f"INSERT INTO audit_entry ({columns}) SELECT {ahead} FROM audit_entry WHERE seq = 2")
    refused("UPDATE audit_stream SET seq = seq + 1")
    assert everything() == before


@on_sqlite
@pytest.mark.parametrize("recursive", ["ON", "OFF"])
def test_sqlite_refuses_insert_or_replace(stream, kept, recursive):
    with connection.cursor() as cursor:
        cursor.execute(f"PRAGMA recursive_triggers={recursive}")
    before = everything()
    row = "stream_id, seq, prev, hash, body, type, at, gaming_day"
    refused(f"INSERT OR REPLACE INTO audit_entry ({row}) SELECT {row} FROM audit_entry WHERE seq = 2")
    refused("INSERT OR REPLACE INTO audit_entry SELECT * FROM audit_entry")
    refused("REPLACE INTO audit_stream SELECT * FROM audit_stream")
    refused("REPLACE INTO audit_command SELECT * FROM audit_command")
    refused("UPDATE OR REPLACE audit_entry SET seq = 1 WHERE seq = 2")
    assert everything() == before


def test_an_entry_out_of_order_is_refused(stream):
    forged = {"seq": 7, "prev": bytes(32), "hash": bytes(32), "body": b"{}", "type": "a.b", "at": MOMENT}
    if connection.vendor == "sqlite":
        with pytest.raises(IntegrityError), transaction.atomic():
            Entry.objects.create(stream=stream, gaming_day=MOMENT.date(), **forged)


@on_postgresql
def test_who_taps_and_the_value_that_is_remembered_of_them_are_of_one_moment():
    """A function that is not STABLE sees what was committed after the statement that asks it began."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT provolatile FROM pg_proc WHERE proname = 'audit_sender'")
        assert cursor.fetchall() == [("s",)]


@on_postgresql
def test_postgresql_refuses_truncate_and_replication_tricks(stream, kept):
    for table in ("audit_entry", "audit_command", "audit_stream"):
        refused(f"TRUNCATE {table} CASCADE")
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL session_replication_role = replica")
    refused("DELETE FROM audit_entry")


def provision():
    connection.check_constraints()  # no deferred check of the test's transaction may wait while tables are altered
    call_command("provision_roles", stdout=io.StringIO())


@pytest.fixture
def as_web(stream, kept):
    """Work as the web role until the test ends."""
    provision()
    provision()
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {provision_roles.WEB}")


FORGED = """
    INSERT INTO audit_entry (stream_id, seq, prev, hash, body, type, at, gaming_day)
    SELECT stream_id, 4, hash, hash, body, type, at, gaming_day FROM audit_entry WHERE seq = 3
"""
HOSTILE = [
    FORGED,
    "UPDATE audit_entry SET type = 'x'",
    "DELETE FROM audit_entry",
    "TRUNCATE audit_entry",
    "UPDATE audit_stream SET seq = seq + 1",
    "UPDATE audit_stream SET head = head",
    "DELETE FROM audit_stream",
    "INSERT INTO audit_stream (name, seq, head, lockable) VALUES ('larkfield/T-09', 0, '\\x00', true)",
    "UPDATE audit_command SET answer = '{}'",
    "UPDATE audit_command SET answer = NULL",  # it is young
    "UPDATE audit_command SET answer = NULL, content_sha256 = '\\x00'",
    "DELETE FROM audit_command",
    "ALTER TABLE audit_entry DISABLE TRIGGER ALL",
    "DROP TRIGGER audit_entry_kept ON audit_entry",
    "DROP TABLE audit_command",
    "SET session_replication_role = replica",
    "CREATE TABLE public.audit_entry2 (id int)",
    "CREATE OR REPLACE FUNCTION public.sha256(bytea) RETURNS bytea LANGUAGE sql AS 'SELECT $1'",
    "CREATE OR REPLACE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
    # SET ROLE is tried by a login of the web role in tests/test_deployment.py: a superuser's session may go back.
    "SELECT audit_append(id, seq, '\\x7b7d', 'a.b', now(), '2026-11-21') FROM audit_stream",
    "SELECT audit_append(id, seq - 1, '\\x7b7d', 'a.b', now(), '2026-11-21') FROM audit_stream",
]


@on_postgresql
@pytest.mark.parametrize("statement", HOSTILE)
def test_the_web_role_cannot(as_web, statement):
    before = everything()
    refused(statement)
    assert everything() == before


@pytest.mark.usefixtures("bounded_time")
def test_an_entry_ahead_of_the_clock_is_refused_and_its_stream_goes_on(stream, write):
    """As somebody who wants to jam a table for good would write it; a clock that went back a little still writes."""
    before = everything()
    for ahead in (dt.timedelta(days=365 * 7973), dt.timedelta(seconds=10)):
        with pytest.raises(ClockRefused, match="clock-ahead"), transaction.atomic():
            write(data={"round": 4}, moment=dt.datetime.now(dt.UTC) + ahead)
    assert everything() == before
    assert write(data={"round": 4}, moment=clock.now()).seq == 4
    assert write(data={"round": 5}, moment=clock.now() + dt.timedelta(seconds=1)).seq == 5
    assert write(data={"round": 6}, moment=clock.now()).seq == 6


@on_postgresql
@pytest.mark.usefixtures("bounded_time")
def test_the_web_role_dates_nothing_into_the_future(as_web, stream):
    assert "of the future" in refused(
        *appended(stream, at="9999-12-31T00:00:00.000000Z", gaming_day="9999-12-31")
    )


@on_postgresql
@pytest.mark.parametrize(
    "people", [{"actor": "nobody"}, {"witness": "nobody"}, {"actor": "tran-m", "witness": "tran-m"}]
)
def test_the_web_role_writes_no_entry_of_somebody_who_is_not_on_file(stream, dealer, people):
    provision()
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {provision_roles.WEB}")
        cursor.execute(*appended(stream, actor="tran-m"))
    stream.refresh_from_db()
    assert "two people on file" in refused(*appended(stream, **people))


@on_postgresql
def test_the_web_role_writes_no_entry_that_contradicts_its_columns_or_goes_back(as_web, stream):
    for place, other in ((3, "x.y"), (4, "2026-11-21T13:05:10.000000Z"), (5, "2026-11-20")):
        statement, arguments = appended(stream)
        arguments[place] = other
        assert "says something else than its entry" in refused(statement, arguments)
    assert "says something else than its entry" in refused(*appended(stream, seq=9))
    assert "went back" in refused(*appended(stream, at="2026-11-21T13:05:08.000000Z"))


@on_postgresql
def test_the_web_role_writes_nothing_on_the_streams_of_the_installation(as_web):
    for name in ("installation/system", "installation/other"):
        stream = record.open_stream(name)
        assert "are the sealer's" in refused(*appended(stream))
        assert "permission denied" in refused(*appended(stream, function="audit_append_system"))
        assert "permission denied" in refused(*appended(stream, function="audit_write"))
    assert not Entry.objects.filter(stream__name__startswith="installation/").exists()


def appended(stream, function="audit_append", **changes):
    """The statement of somebody who calls the function, with a body that fits the stream."""
    body = {
        "_format": 1, "_type": "a.b", "actor": None, "at": "2026-11-21T13:05:09.123456Z", "build": "", "command": None,
        "data": {}, "device": None, "gaming_day": "2026-11-21", "seq": stream.seq + 1, "stream": stream.name,
        "terms": None, "witness": None, **changes,
    }  # fmt: skip
    arguments = [stream.pk, stream.seq, chain.canonical(body), "a.b", body["at"], body["gaming_day"]]
    return (f"SELECT {function}(%s, %s, %s, %s, %s, %s)", arguments)


@on_postgresql
def test_the_web_role_can_do_its_work(as_web, write):
    assert write(data={"round": 4}).seq == 4
    assert write("larkfield/T-08").seq == 1
    assert runner.save_command(
        uuid.uuid4(),
        content=bytes(32),
        stream=Stream.objects.get(name="larkfield/T-08"),
        seq=1,
        answer={},
        moment=MOMENT,
    )


@on_postgresql
def test_the_auditor_reads_but_no_secrets(stream, dealer):
    provision()
    with connection.cursor() as cursor:
        cursor.execute(f"SET LOCAL ROLE {provision_roles.AUDITOR}")
        cursor.execute("SELECT count(*), max(code) FROM audit_entry, audit_person")
        assert cursor.fetchone() == (3, "tran-m")
    refused("SELECT password FROM audit_person")
    refused("SELECT token_sha256 FROM audit_device")
    refused("SELECT * FROM django_session")
    refused("DELETE FROM audit_person")
    refused("SELECT audit_append(id, seq, '\\x7b7d', 'a.b', now(), '2026-11-21') FROM audit_stream")

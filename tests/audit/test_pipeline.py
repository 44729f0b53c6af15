"""What is written together is one round trip to PostgreSQL, and is done whole or not at all."""

import os
import socket

import psycopg
import pytest
from django.db import OperationalError, connection, transaction
from django.test.utils import CaptureQueriesContext
from psycopg.pq import TransactionStatus

from audit.models import Person, Stream
from audit.rows import (
    collected_writes,
    insert,
    may_have_been_committed,
    one_flush,
    says_nothing_was_begun,
    update,
    write,
)
from config.postgresql import base
from config.postgresql.pipeline import execute_together

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def person():
    return Person.objects.create_person(
        "mei", "123456", name="Mei Tran", role="dealer", department="table-games", facility="larkfield"
    )


def test_collected_writes_are_sent_with_their_commit(person, monkeypatch):
    sent = []

    def noted(connection, statements):
        sent.append([sql.split()[0] for sql, _ in statements])
        return execute_together(connection, statements)

    monkeypatch.setattr(base, "execute_together", noted)
    with CaptureQueriesContext(connection) as queries, collected_writes(), transaction.atomic():
        assert Person.objects.exists()
        insert(Stream(pk=501, name="larkfield/T-09", head=Stream.at_genesis("larkfield/T-09").head))
        person.name = "Another"
        update(person, ["name"])
        assert [query["sql"].split()[0] for query in queries] == ["BEGIN", "SELECT"] and not sent
    assert sent == [["INSERT", "WITH", "COMMIT"]]
    assert Person.objects.get().name == "Another" and Stream.objects.filter(pk=501).exists()


def test_what_is_written_at_once_is_a_transaction_that_reads_nothing(person):
    with one_flush():
        person.name = "Another"
        update(person, ["name"])
        with pytest.raises(base.NeedsRows):
            Person.objects.get()
    assert Person.objects.get().name == "Another"
    with pytest.raises(LookupError), one_flush():
        person.name = "Nobody"
        update(person, ["name"])
        raise LookupError
    assert Person.objects.get().name == "Another"


def test_writes_that_a_read_follows_are_taken_back_with_its_transaction(person):
    """The first statement of a transaction may be such a write."""
    with pytest.raises(LookupError), collected_writes(), transaction.atomic():
        person.name = "Another"
        update(person, ["name"])
        assert Person.objects.get().name == "Another"
        raise LookupError
    assert Person.objects.get().name == "Mei Tran"


def test_statements_that_are_sent_together_are_all_done_or_none(person):
    connection.ensure_connection()
    driver = connection.connection
    rename = "UPDATE audit_person SET name = %s"
    for mistake, state in (
        (("SELECT 1 / %s", [0]), "22012"),
        (
            ("INSERT INTO audit_wrongpin (person_id, typed_at) VALUES (%s, now())", [0]),
            "23503",
        ),  # its COMMIT says so
    ):
        with pytest.raises(psycopg.Error) as error:
            execute_together(driver, [(rename, ["Another"]), mistake, (rename, ["Nobody"])])
        assert error.value.sqlstate == state and driver.info.transaction_status == TransactionStatus.IDLE
        assert Person.objects.get().name == "Mei Tran"
    results = execute_together(driver, [(rename, ["Another"]), ("SELECT %s::int + 1", [41])])
    assert results[-1].get_value(0, 0) == b"42" and Person.objects.get().name == "Another"


def test_statements_are_prepared_again_once_psycopg_has_forgotten_them(person):
    connection.ensure_connection()
    statements = [("UPDATE audit_person SET name = %s", ["Another"])]
    execute_together(connection.connection, statements)
    with connection.cursor() as cursor:
        cursor.execute("DEALLOCATE ALL")
    execute_together(connection.connection, statements)
    assert Person.objects.get().name == "Another"


def test_a_connection_that_ends_while_statements_are_sent_is_closed_and_says_nothing_of_them(person):
    connection.ensure_connection()
    driver = connection.connection
    with socket.socket(fileno=os.dup(driver.fileno())) as line:
        line.shutdown(socket.SHUT_RDWR)
    with pytest.raises(psycopg.OperationalError) as error:
        execute_together(driver, [("UPDATE audit_person SET name = %s", ["Another"])])
    assert error.value.sqlstate is None and driver.closed
    connection.close()


# As PostgreSQL does where somebody ends the wait of a commit for its standby.
WARNS_AT_COMMIT = """
CREATE TABLE waits (id integer);
CREATE FUNCTION warn() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE WARNING 'canceling wait for synchronous replication'; RETURN NULL; END $$;
CREATE CONSTRAINT TRIGGER warns AFTER INSERT ON waits DEFERRABLE INITIALLY DEFERRED
    FOR EACH ROW EXECUTE FUNCTION warn();
"""


@pytest.fixture
def waits():
    with connection.cursor() as cursor:
        cursor.execute(WARNS_AT_COMMIT)
    yield "INSERT INTO waits VALUES (1)"
    with connection.cursor() as cursor:
        cursor.execute("DROP TABLE waits; DROP FUNCTION warn")


@pytest.mark.parametrize("way", ["collected", "at once", "plainly"])
def test_a_commit_that_its_standby_did_not_confirm_is_no_success(person, waits, way):
    """It is done at the primary alone, so nobody may be told that it is."""
    with pytest.raises(OperationalError, match="canceling wait") as failure:
        if way == "at once":
            with one_flush():
                write(waits, ())
        elif way == "collected":
            with collected_writes(), transaction.atomic():
                assert Person.objects.exists()
                write(waits, ())
        else:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(waits)
    assert isinstance(failure.value.__cause__, base.NotConfirmed)
    assert may_have_been_committed(failure.value) and not says_nothing_was_begun(failure.value)
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM waits")
        assert cursor.fetchone() == (1,)

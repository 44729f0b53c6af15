"""The database keeps documents as they were filed, whoever asks it (games/migrations/0002_guards.py)."""

import hashlib
import io

import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction

from games.models import Document

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
TABLE = "games_document"


@pytest.fixture
def filed(scene) -> Document:
    scene.on_file("A letter", b"As received.")
    return Document.objects.get()


def tried(sql, *values) -> str:
    """What the database says to this statement."""
    with pytest.raises(DatabaseError) as refused, transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql, values)
    return str(refused.value)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("content", b"Another letter."),
        ("sha256", "0" * 64),
        ("size", 11),
        ("media_type", "text/html"),
        ("filename", "other.txt"),
        ("code", "D-0009"),
        ("filed_at", "2020-01-01 00:00:00+00:00"),
        ("filed_by_id", None),
        ("title", "Another title"),
        ("is_about_several", True),
    ],
)
def test_what_was_filed_is_not_changed(filed, column, value):
    said = tried(f"UPDATE {TABLE} SET {column} = %s", value)
    assert "a document stays as it was filed" in said
    kept = Document.objects.get()
    assert bytes(kept.content) == b"As received."
    assert kept.sha256 == hashlib.sha256(b"As received.").hexdigest()


def test_a_document_is_not_deleted(filed):
    assert "a document stays as it was filed" in tried(f"DELETE FROM {TABLE}")
    with pytest.raises(DatabaseError), transaction.atomic():
        filed.delete()
    assert Document.objects.count() == 1


def test_a_document_is_not_replaced_or_its_table_emptied(filed):
    if connection.vendor == "sqlite":
        columns = ", ".join(field.column for field in Document._meta.concrete_fields)
        said = tried(f"INSERT OR REPLACE INTO {TABLE} ({columns}) SELECT {columns} FROM {TABLE}")
    else:
        connection.check_constraints()  # nothing deferred may wait while a table is emptied
        said = tried(f"TRUNCATE {TABLE} CASCADE")
    assert "a document stays as it was filed" in said
    assert Document.objects.count() == 1


@pytest.mark.postgres
def test_the_web_role_may_file_and_read_a_document_and_no_more(filed):
    connection.check_constraints()  # nothing deferred may wait while tables are altered
    call_command("provision_roles", stdout=io.StringIO())
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE pitside_web")
        assert Document.objects.get().title == "A letter"
        cursor.execute("SELECT count(*) FROM games_reminder")
        copied = "facility_id, title, filename, media_type, size, sha256, content, filed_at, is_about_several"
        cursor.execute(f"INSERT INTO {TABLE} (code, {copied}) SELECT 'D-0002', {copied} FROM {TABLE}")
        for statement in (f"DELETE FROM {TABLE}", f"UPDATE {TABLE} SET title = 'x'"):
            assert "permission denied" in tried(statement)
        cursor.execute("RESET ROLE")


@pytest.mark.postgres
def test_the_auditor_reads_feeds_without_the_hash_of_their_secret(filed):
    connection.check_constraints()  # nothing deferred may wait while tables are altered
    call_command("provision_roles", stdout=io.StringIO())
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL ROLE pitside_auditor")
        cursor.execute("SELECT name, created_at, revoked_at FROM games_calendarfeed")
        assert "permission denied" in tried("SELECT token_sha256 FROM games_calendarfeed")
        cursor.execute("RESET ROLE")

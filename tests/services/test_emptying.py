"""Between tests that commit, the tables are emptied, and the guards of the record stand again."""

import datetime as dt

import pytest
from django.db import DatabaseError, connection, transaction

from audit import record
from audit.models import Entry, Stream
from tests.services.entries import any_entry

pytestmark = pytest.mark.both_databases

AT = dt.datetime(2026, 11, 20, 12, tzinfo=dt.UTC)


def one_entry() -> Entry:
    with transaction.atomic():
        stream = Stream.at_genesis("larkfield/T-01")
        stream.save()
        record.append(stream, entry=any_entry("table.tested"), moment=AT, gaming_day=AT.date())
    return Entry.objects.get()


@pytest.mark.parametrize("turn", [1, 2])
def test_it_begins_each_time_with_an_empty_record(transactional_db, turn):
    assert not Entry.objects.exists()
    entry = one_entry()
    with pytest.raises(DatabaseError), connection.cursor() as cursor:
        cursor.execute("DELETE FROM audit_entry")
    assert Entry.objects.get() == entry

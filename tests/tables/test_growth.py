"""Nothing costs more because the record is long: each operation reads a few rows, by an index. Not timed."""

import datetime as dt

import pytest
from django.db import connection

from audit.models import Device
from games.models import Facility
from script import history
from script.bench_growth import Operations, measured
from script.floor_tables import Floor, add_tables, place_of
from tables.models import Table

pytestmark = pytest.mark.postgres

ENTRIES, ROUNDS = 20_000, 2_000
SPAN = dt.timedelta(days=300)
# A search compares more entries than a page shows, and the report reads its day several times; neither reads it all.
MOST_ROWS = 1_500


@pytest.fixture
def operations(scene) -> Operations:
    """What people do at a table with a long history."""
    scene.play((1, "small", 2_500), (2, "big", 2_500), dice=[1, 2, 6])
    scene.finish()
    samples = history.samples_of(scene.table.stream, 10)
    first = history.first_sample(scene.table.stream)
    began = dt.datetime.now(dt.UTC) - SPAN
    with connection.cursor() as cursor:
        with history.guards_disabled(cursor):
            stream = history.write_stream(
                cursor, place_of(1), ENTRIES, samples, began, SPAN / (ENTRIES + 10), first
            )
            history.write_commands(cursor, stream)
        floor = Floor()
        Facility.objects.update(keeps_inventory=True)  # as the demo that script/bench measures
        add_tables(floor, range(1, 2))
        table = Table.objects.get(stream__name=place_of(1))
        history.write_rounds(cursor, table.pk, scene.last_round, ROUNDS, began, SPAN / (ROUNDS + 10))
        cursor.execute("SET LOCAL statement_timeout = '60s'")  # on a busy machine it takes seconds
        cursor.execute("ANALYZE")
    device = Device.objects.get(place=place_of(1))
    return Operations(table.code, floor.dealers[0].person, device)


def test_every_operation_reads_a_few_rows_of_a_long_record(operations):
    costs = {}
    for name, operate in operations.all().items():
        operate()
        with measured() as costs[name]:
            operate()
    assert {name: cost.scanned for name, cost in costs.items() if +cost.scanned} == {}
    assert {name: cost.fetched for name, cost in costs.items() if cost.rows > MOST_ROWS} == {}
    # An operation that reads nothing would show nothing.
    assert all(cost.rows for cost in costs.values())

"""What a full verification checks of the rollups of figures: each is computed again from the entries of rounds."""

from collections.abc import Callable, Iterator

from django.db import connection, transaction

from audit.findings import Finding, declare_finding, record_check
from tables.figures.rollup import differences
from tables.models import RollupProgress, Table

ROLLUP_DIFFERS = declare_finding(
    "rollup-differs",
    "The rollups of figures differ from the record: %(row)s. manage.py figures_rollup --rebuild writes them again.",
)


@record_check
def check_rollups(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the rollups of every table with its rounds. What differs is computed again while nobody writes it."""
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        tick()
        if not differences(table):
            continue
        with transaction.atomic():
            if _may_lock():
                RollupProgress.objects.select_for_update().filter(table=table).first()
            lines = differences(table)
        for line in lines:
            yield Finding(ROLLUP_DIFFERS, {"stream": table.stream.name, "row": line})


def _may_lock() -> bool:
    """Whether this role of the database may lock the row: that of an auditor may only read."""
    if connection.vendor != "postgresql":
        return True
    with connection.cursor() as cursor:
        cursor.execute("SELECT has_table_privilege('tables_rollupprogress', 'UPDATE')")
        return bool(cursor.fetchone()[0])

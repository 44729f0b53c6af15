"""What a full verification checks of the floor: the play tables against the entries."""

from collections.abc import Callable, Iterator

from audit.record_checks import record_check
from audit.verification_words import Finding, declare_finding
from tables.models import Table
from tables.replay.play_tables import differences_of

PLAY_DIFFERS = declare_finding(
    "play-differs",
    "%(stream)s: %(row)s of the play tables differs from entry %(seq)s in %(column)s. The entry counts.",
)
PLAY_WITHOUT_ENTRY = declare_finding(
    "play-without-entry", "%(stream)s: %(row)s is in the play tables, and no entry of the record states it."
)


@record_check
def check_play_tables(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the play tables of every table with its entries."""
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        for difference in differences_of(table, tick):
            where = {"stream": table.stream.name, "row": difference.row, "seq": difference.seq}
            if difference.seq:
                yield Finding(PLAY_DIFFERS, {**where, "column": difference.field})
            else:
                yield Finding(PLAY_WITHOUT_ENTRY, where)

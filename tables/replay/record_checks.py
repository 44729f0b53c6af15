"""What a full verification checks of the floor: the play tables against the entries, and the terms of every round."""

from collections.abc import Callable, Iterator

from django.db.models import Min

from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry
from tables.core.entries import COLUMNS, read
from tables.models import Table
from tables.replay.play_tables import differences_of
from tables.replay.replayed_round import HANDLERS
from tables.replay.rules_finder import RulesFinder
from tables.rules import recorded_submission

PLAY_DIFFERS = declare_finding(
    "play-differs",
    "%(stream)s: %(row)s of the play tables differs from entry %(seq)s in %(column)s. The entry counts.",
)
PLAY_WITHOUT_ENTRY = declare_finding(
    "play-without-entry", "%(stream)s: %(row)s is in the play tables, and no entry of the record states it."
)

ROUND_TERMS = declare_finding(
    "round-terms",
    "%(stream)s, entry %(seq)s: the round was dealt under terms that were not approved for %(submission)s by then.",
)
BATCH = 500


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


@record_check
def check_terms_of_rounds(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the terms of every round with the approvals on record of the submission for which its table was made."""
    rules_finder = RulesFinder()
    for table in Table.objects.select_related("stream", "facility").order_by("pk"):
        submission = recorded_submission(table.stream_id)
        acts = Entry.objects.filter(stream=table.stream_id, type__in=HANDLERS, round__isnull=False)
        firsts = sorted(acts.values("round").annotate(first=Min("seq")).values_list("first", flat=True))
        for place in range(0, len(firsts) if submission else 0, BATCH):
            tick()
            rows = Entry.objects.filter(stream=table.stream_id, seq__in=firsts[place : place + BATCH])
            for entry in map(read, rows.order_by("seq").values_list(*COLUMNS)):
                if not rules_finder.is_approved(table.facility.code, submission, entry.terms, entry.at):
                    where = {"stream": table.stream.name, "seq": entry.seq, "submission": submission}
                    yield Finding(ROUND_TERMS, where)

"""What the ticker does for the dice watch: count the rounds that ended since it last counted."""

import logging

from django.db import transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet

from audit.logs import OutageLog
from tables.dice_watch.counting import COUNTED_KINDS, count_table
from tables.models import Round, Table

log = logging.getLogger(__name__)
MOST_ROUNDS = 2000  # of one run, so that the other checks of the ticker do not wait
_outages: dict[int, OutageLog] = {}


def count_dice() -> list[int]:
    """Count the dice of ended rounds at live and simulated tables, each table in a transaction of its own.

    No screen shows the counts, so no table changed. A table that fails is logged, and does not stop the others.
    """
    remaining = MOST_ROUNDS
    for table in uncounted_tables():
        if remaining <= 0:
            break
        outage = _outages.setdefault(
            table.pk,
            OutageLog(log, f"The dice watch of {table.stream.name}", "It is tried again.", traceback=True),
        )
        try:
            with transaction.atomic(durable=True):
                remaining -= count_table(table)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()
    return []


def uncounted_tables() -> QuerySet[Table]:
    """The tables with ended rounds that are not counted, those with the fewest counted rounds first."""
    ended = Round.objects.filter(table=OuterRef("pk"), ended_at__isnull=False)
    tables = Table.objects.filter(kind__in=COUNTED_KINDS, last_round__gt=0)
    uncounted = Q(Exists(ended.filter(number__gt=OuterRef("dice_cursor__last_round")))) | Q(
        Exists(ended), dice_cursor=None
    )
    return (
        tables.filter(uncounted)
        .select_related("facility", "stream")
        .order_by(F("dice_cursor__last_round").asc(nulls_first=True), "pk")
    )

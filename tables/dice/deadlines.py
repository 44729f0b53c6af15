"""The deadlines of the dice room: the next physical count, and the destruction of lots that are out of play.

The file of the jurisdiction sets both (`games.jurisdictions.CustodyRules`). Training dice have none.
"""

import datetime as dt
from dataclasses import dataclass

from django.db.models import Count

from audit.models import Entry
from games.models import Facility
from tables.models import DiceCount, DiceLot, LotStep, Table

Status = DiceLot.Status
COUNTED_STATUSES = (Status.RECEIVED.value, Status.STORED.value, Status.REMOVED.value, Status.REJECTED.value)
TO_DESTROY = (Status.REMOVED, Status.REJECTED)


@dataclass(frozen=True)
class DiceDeadline:
    """Something that is due in the dice room: the physical count (no lot), or the destruction of a lot."""

    due_at: dt.datetime
    lot: DiceLot | None = None
    is_late: bool = False


def dice_deadlines(facility: Facility, now: dt.datetime) -> list[DiceDeadline]:
    """Return the deadlines of a facility, the first due first."""
    deadlines = destructions_due(facility, now)
    counted_by = count_due_at(facility)
    if counted_by is not None:
        deadlines.append(DiceDeadline(counted_by, is_late=counted_by <= now))
    return sorted(deadlines, key=lambda deadline: deadline.due_at)


def destructions_due(facility: Facility, now: dt.datetime) -> list[DiceDeadline]:
    """Return by when each lot that is out of play or rejected is canceled or destroyed, the first due first."""
    hours = facility.law.custody.destruction_hours
    if not hours:
        return []
    lots = DiceLot.objects.filter(
        facility=facility, status__in=TO_DESTROY, training=False, to_destroy_since__isnull=False
    )
    lots = lots.exclude(table__kind=Table.Kind.SIMULATED)
    time = dt.timedelta(hours=hours)
    deadlines = []
    for lot in lots.select_related("table").order_by("to_destroy_since", "pk"):
        assert lot.to_destroy_since is not None
        due_at = lot.to_destroy_since + time
        deadlines.append(DiceDeadline(due_at, lot, due_at <= now))
    return deadlines


def count_due_at(facility: Facility) -> dt.datetime | None:
    """Return when the next physical count is due; None where none is, or while there was never any dice here.

    Without a count it is counted from the first entry about a lot.
    """
    days = facility.law.custody.count_days
    since = last_count_at(facility) if days else None
    return since + dt.timedelta(days=days) if since is not None else None


def last_count_at(facility: Facility) -> dt.datetime | None:
    """Return the moment of the last count, or of the first entry about a lot."""
    count = DiceCount.objects.filter(facility=facility).order_by("-counted_at").first()
    if count is not None:
        return count.counted_at
    step = LotStep.objects.filter(lot__facility=facility).order_by("pk").first()
    if step is None:
        return None
    return Entry.objects.filter(stream=step.stream_id, seq=step.seq).values_list("at", flat=True).first()


def countable_lots(facility: Facility) -> dict[str, int]:
    """Return how many lots are at no table by the record, by status."""
    lots = DiceLot.objects.filter(facility=facility, status__in=COUNTED_STATUSES)
    counts = lots.exclude(table__kind=Table.Kind.SIMULATED).values_list("status")
    return dict.fromkeys(COUNTED_STATUSES, 0) | dict(counts.annotate(Count("pk")).order_by())

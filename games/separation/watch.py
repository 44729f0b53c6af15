"""What the ticker does for prepared changes: withdraw those that nobody can approve any more."""

import logging

from django.db import transaction

from audit import clock, record
from audit.logs import OutageLog
from games.models import Facility, PreparedChange
from games.separation.endings import ended_because
from games.separation.entry_types import CHANGE_WITHDRAWN

log = logging.getLogger(__name__)
_outages: dict[str, OutageLog] = {}
Status = PreparedChange.Status


def withdraw_ended_changes() -> list[int]:
    """Withdraw each waiting change whose subject has ended, in a transaction of its own. No table shows them.

    A failure in one facility is logged, once until it works again, and does not stop the others.
    """
    for facility in Facility.objects.filter(changes__status=Status.WAITING).distinct().order_by("pk"):
        message = f"Withdrawing changes of {facility.code}"
        outage = _outages.setdefault(
            facility.code, OutageLog(log, message, "It is tried again.", traceback=True)
        )
        try:
            for change in _waiting_changes(facility):
                if ended_because(change, facility.gaming_day(clock.now())):
                    _withdraw(facility, change)
        except Exception as error:
            outage.failed(error)
        else:
            outage.worked()
    return []


def _waiting_changes(facility: Facility) -> list[PreparedChange]:
    rows = PreparedChange.objects.filter(facility=facility, status=Status.WAITING)
    return list(rows.select_related("facility", "prepared_by").order_by("pk"))


def _withdraw(facility: Facility, change: PreparedChange) -> None:
    """Withdraw one change, unless another ticker or a person was first."""
    with transaction.atomic(durable=True):
        stream = record.lock_stream(f"{facility.code}/{change.stream}")
        now = clock.displayed_moment(stream, clock.now())
        row = PreparedChange.objects.select_for_update(of=("self",)).filter(
            pk=change.pk, status=Status.WAITING
        )
        current = row.select_related("facility", "prepared_by").first()
        why = ended_because(current, facility.gaming_day(now)) if current else ""
        if current is None or not why:
            return
        current.status, current.decided_at, current.why = Status.WITHDRAWN, now, why
        current.save(update_fields=["status", "decided_at", "why"])
        entry = CHANGE_WITHDRAWN(
            {
                "change": current.code,
                "subject": current.subject,
                "act": current.act,
                "prepared_by": current.prepared_by.code,
                "why": why,
            }
        )
        record.append(stream, entry=entry, moment=now, gaming_day=facility.gaming_day(now))

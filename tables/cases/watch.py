"""What the ticker does for cases: open those that rules find and that nobody has opened."""

import datetime as dt
import logging

from django.db import transaction

from audit import clock, record
from audit.logs import OutageLog
from games.models import Facility
from tables.cases.kinds import CASE_KINDS, CaseKind, CaseSubject
from tables.cases.opening import case_of_subject, lock_cases, open_case_row
from tables.models import Case

log = logging.getLogger(__name__)
_outages: dict[tuple[str, str], OutageLog] = {}


def open_found_cases(*, with_slow: bool = True) -> list[int]:
    """Open a case for each subject that has none, each in a transaction of its own. No table shows them.

    `with_slow`: by the rules that read much, too.
    A kind that fails in one facility is logged, once until it works again, and does not stop the others.
    """
    now = clock.now()
    for facility in Facility.objects.order_by("pk"):
        for kind in CASE_KINDS.values():
            if kind.query is None or (kind.is_slow and not with_slow):
                continue
            outage = _outage(facility, kind)
            try:
                _open_cases(facility, kind, now)
            except Exception as error:
                outage.failed(error)
            else:
                outage.worked()
    return []


def _open_cases(facility: Facility, kind: CaseKind, now: dt.datetime) -> None:
    assert kind.query is not None
    subjects = {subject.key: subject for subject in kind.query(facility, now)}
    if not subjects:
        return
    rows = Case.objects.filter(facility=facility, kind=kind.code, subject__in=subjects)
    subjects_with_case = set(rows.values_list("subject", flat=True))
    for subject in subjects.values():
        if subject.key not in subjects_with_case:
            _open_case(facility, kind, subject)


def _open_case(facility: Facility, kind: CaseKind, subject: CaseSubject) -> None:
    """Open one case, unless another ticker or a person was first."""
    with transaction.atomic(durable=True):
        stream = lock_cases(facility)
        if case_of_subject(facility, kind, subject.key) is not None:
            return
        now = clock.displayed_moment(stream, clock.now())
        _case, entry = open_case_row(facility, kind, subject, stream, now)
        record.append(stream, entry=entry, moment=now, gaming_day=facility.gaming_day(now))


def _outage(facility: Facility, kind: CaseKind) -> OutageLog:
    name = f"The rule of cases about {kind.code} at {facility.code}"
    return _outages.setdefault(
        (facility.code, kind.code), OutageLog(log, name, "It is tried again.", traceback=True)
    )

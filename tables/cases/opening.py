"""Open a case, once for each subject. Callers hold the lock of the stream `facility/cases`."""

import datetime as dt

from audit import clock, record
from audit.entry_types import EntryBody
from audit.models import Person, Stream
from games.models import Facility
from games.office.core.next_code import next_code
from tables.cases.entry_types import CASE_OPENED, CaseOpened
from tables.cases.kinds import CaseKind, CaseSubject, words_of_case
from tables.models import Case
from tables.runner.facility import CASES


def case_of_subject(facility: Facility, kind: CaseKind, key: str) -> Case | None:
    """Return the case about a subject, open or closed."""
    return Case.objects.filter(facility=facility, kind=kind.code, subject=key).first()


def open_case_row(
    facility: Facility,
    kind: CaseKind,
    subject: CaseSubject,
    stream: Stream,
    now: dt.datetime,
    person: Person | None = None,
) -> tuple[Case, EntryBody]:
    """Create the row of a case, and return it with its entry, which the caller appends next."""
    case = Case.objects.create(
        facility=facility,
        code=next_code(Case.objects.filter(facility=facility), "C"),
        kind=kind.code,
        subject=subject.key,
        params=subject.params,
        table=subject.table,
        round=subject.round,
        seat=subject.seat,
        opened_at=now,
        opened_seq=stream.seq + 1,
        opened_by=person,
        due_at=subject.due_at or subject.since + facility.law.case_time(kind.code),
    )
    data: CaseOpened = {
        "case": case.code,
        "kind": kind.code,
        "subject": subject.key,
        "title": words_of_case(case)[0],
        "due_at": clock.format_moment(case.due_at),
        "params": subject.params,
        "table": subject.table.code if subject.table else None,
        "round": subject.round,
        "seat": subject.seat,
    }
    if person is not None:
        data["about"] = str(subject.params.get("about", ""))
    return case, CASE_OPENED(data)


def lock_cases(facility: Facility) -> Stream:
    """Lock the stream of the cases until the transaction ends."""
    return record.lock_stream(f"{facility.code}/{CASES}")

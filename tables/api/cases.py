"""What somebody has to see to: alerts at tables, and the cases of compliance. Their texts may name people."""

import datetime as dt
from typing import Annotated

from ninja import Query, Router
from pydantic import Field

from tables.alerts.calls import alert_words
from tables.api.access import ApiRequest, needs
from tables.api.app import Page, Shape
from tables.api.paging import ANY_TABLE, USUAL, After, Limit, TableCode, page_of
from tables.api.people import note_read
from tables.cases.kinds import words_of_case
from tables.models import Alert, Case

router = Router(tags=["Cases"])
OnlyOpen = Annotated[bool, Query(alias="open", description="whether only those that are open")]


class AlertShape(Shape):
    """An alert at a table."""

    alert: int = Field(description="number of the alert")
    table: str
    kind: str = Field(description="code of its kind (docs/alarms.md)")
    level: str = Field(description="stop, warn or info")
    title: str
    text: str = Field(description="what happened and what to do, in words")
    section: str
    raised_at: dt.datetime
    ended_at: dt.datetime | None = Field(description="when its cause ended")
    coming_at: dt.datetime | None = Field(description="when somebody said that they are coming")
    acknowledged_at: dt.datetime | None
    acknowledged_by: str | None = Field(description="code of the person")
    decision: str = Field(description="code of the floor's decision; empty without one")
    decided_at: dt.datetime | None


class CaseShape(Shape):
    """A case that compliance looks into."""

    code: str
    kind: str
    subject: str = Field(description="what it is about, such as T-04:ENS-0007")
    title: str
    text: str
    table: str | None
    round: int | None
    seat: int | None
    opened_at: dt.datetime
    due_at: dt.datetime
    owner: str | None = Field(description="code of the person who works on it")
    status: str = Field(description="open or closed")
    outcome: str
    closed_at: dt.datetime | None


@router.get("/facilities/{slug:facility}/alerts", auth=needs("cases"), response=Page[AlertShape])
def list_alerts(
    request: ApiRequest,
    facility: str,
    table: TableCode = ANY_TABLE,
    is_open: OnlyOpen = False,
    after: After = 0,
    limit: Limit = USUAL,
) -> object:
    """Alerts at tables. The read is on record."""
    rows = request.caller.of_tables(Alert.objects.select_related("table", "acknowledged_by"), facility, table)
    page = page_of(rows.filter(ended_at=None) if is_open else rows, _alert_shape, after, limit)
    note_read(request.caller, "list_alerts", len(page.items), table)
    return page


@router.get("/facilities/{slug:facility}/cases", auth=needs("cases"), response=Page[CaseShape])
def list_cases(
    request: ApiRequest,
    facility: str,
    is_open: OnlyOpen = False,
    after: After = 0,
    limit: Limit = USUAL,
) -> object:
    """Cases of the facility. The read is on record."""
    rows = Case.objects.filter(facility=request.caller.whole(facility)).select_related("table", "owner")
    page = page_of(rows.filter(status=Case.Status.OPEN) if is_open else rows, _case_shape, after, limit)
    note_read(request.caller, "list_cases", len(page.items))
    return page


def _alert_shape(row: Alert) -> AlertShape:
    title, text = alert_words(row.kind, row.key, row.params)
    return AlertShape(
        alert=row.pk,
        table=row.table.code,
        kind=row.kind,
        level=row.level,
        title=title,
        text=text,
        section=row.section,
        raised_at=row.raised_at,
        ended_at=row.ended_at,
        coming_at=row.coming_at,
        acknowledged_at=row.acknowledged_at,
        acknowledged_by=row.acknowledged_by.code if row.acknowledged_by else None,
        decision=row.decision,
        decided_at=row.decided_at,
    )


def _case_shape(row: Case) -> CaseShape:
    title, text = words_of_case(row)
    return CaseShape(
        code=row.code,
        kind=row.kind,
        subject=row.subject,
        title=title,
        text=text,
        table=row.table.code if row.table else None,
        round=row.round,
        seat=row.seat,
        opened_at=row.opened_at,
        due_at=row.due_at,
        owner=row.owner.code if row.owner else None,
        status=row.status,
        outcome=row.outcome,
        closed_at=row.closed_at,
    )

"""The alert about an approval that ended or was withdrawn while its table is open."""

import datetime as dt

from django.db.models import Exists, OuterRef, Q, QuerySet

from audit import clock
from games.engine import Refusal
from tables.core.alert_kinds import (
    AlertKind,
    AlertRule,
    ExpectedAlert,
    Level,
    alert_kind,
    alert_rule,
    live_tables,
)
from tables.core.context import TableContext
from tables.equipment.checks import MISSING, Equipment
from tables.models import Approval, Table

WIDEST_ZONE = dt.timedelta(hours=14)
APPROVAL_ENDED = alert_kind(
    AlertKind(
        "approval-ended",
        "approval:{subject}",
        Level.STOP,
        "Approval ended",
        "Approval ended",
        "The approval of the %(subject)s is no longer in effect. A round in play ends as usual; no other round begins "
        "until the office has recorded an approval. Close the table, or call the office.",
    )
)


def ended_approvals(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return the approvals that tables in play require and no longer have, with the section that requires each.

    Only a table with an approval that is over and was not replaced is checked against its edition.
    """
    return [
        alert
        for table in _tables_with_ended_approvals(now, table_id)
        for alert in _missing_approvals(table, now)
    ]


def _tables_with_ended_approvals(now: dt.datetime, table_id: int | None) -> QuerySet[Table]:
    """Return open tables that may lack an approval. One statement, whatever day it is at each facility."""
    first, last = ((now + shift).date() for shift in (-WIDEST_ZONE, WIDEST_ZONE))
    ended = Approval.objects.filter(~Q(withdrawn_at=None) | Q(ends_on__lte=last), approved_on__lte=last)
    in_effect = Approval.objects.in_effect(last).filter(approved_on__lte=first, subject=OuterRef("subject"))
    of_table = ended.filter(~Exists(in_effect.filter(table=OuterRef("table"))), table=OuterRef("pk"))
    of_shaker = ended.filter(
        ~Exists(in_effect.filter(shaker=OuterRef("shaker"))),
        shaker__table=OuterRef("pk"),
        shaker__out_of_order=False,
    )
    tables = live_tables(table_id).exclude(status=Table.Status.CLOSED)
    rows = tables.filter(Exists(of_table) | Exists(of_shaker))
    return rows.select_related("facility", "stream", "pit").order_by("pk")


def _missing_approvals(table: Table, now: dt.datetime) -> list[ExpectedAlert]:
    """Return an alert for each approval that the table's edition requires and that is not there."""
    ctx = TableContext(table, None, None, None, clock.displayed_moment(table.stream, now))
    equipment = Equipment(ctx)
    try:
        required = equipment.required_approvals
    except Refusal:  # without rules in force, which has an alert of its own
        return []
    return [
        APPROVAL_ENDED.expected(table.pk, section=rule.section, subject=rule.subject)
        for rule in required
        if equipment.approval_state(rule).state == MISSING
    ]


alert_rule(AlertRule((APPROVAL_ENDED,), ended_approvals))

"""What the floor tells the rules office (`games/office/core.py`)."""

import datetime as dt
from collections.abc import Iterable, Iterator
from typing import Any

from django.db.models import OuterRef, Subquery
from django.urls import reverse

from audit.models import Person
from games.engine.odds import in_dollars
from games.models import Facility
from games.office.calendar import BEGINS, ENDS, Deadline
from games.office.core import DealtTable
from tables import limits
from tables.core.duty import is_on_duty_at_facility
from tables.equipment.approvals import SUBJECTS
from tables.models import Approval, LimitsChange, Shaker, Table
from tables.words.entries import words_of


class Floor:
    """The floor of this installation."""

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether any assignment of this person at this facility has not ended."""
        return is_on_duty_at_facility(person, facility)

    def tables(self, facility: Facility) -> tuple[DealtTable, ...]:
        """Every table of the facility but the simulated ones, by code."""
        coming = LimitsChange.objects.filter(table=OuterRef("pk"), status=LimitsChange.Status.PENDING)
        shakers = Shaker.objects.filter(table=OuterRef("pk"), out_of_order=False)
        rows = (
            Table.objects.filter(facility=facility)
            .exclude(kind=Table.Kind.SIMULATED)
            .annotate(
                coming=Subquery(coming.values("min_cents")[:1]), stands=Subquery(shakers.values("kind")[:1])
            )
            .order_by("code")
        )
        return tuple(
            DealtTable(
                table.code,
                table.kind,
                table.game,
                table.submission_code,
                table.min_cents,
                table.max_cents,
                max(table.min_cents, table.coming or 0),
                table.status,
                table.stands or "",
            )
            for table in rows
        )

    def words_of(self, type_: str, data: dict[str, Any]) -> str:
        """The line of the record for an entry of this type with these data."""
        return words_of(type_, data)

    def deadlines(self, facility: Facility, now: dt.datetime) -> Iterable[Deadline]:
        """Approvals of equipment that end and that no other has taken the place of, and limits announced for later."""
        yield from _approvals(facility)
        yield from _limits(facility)


def _approvals(facility: Facility) -> Iterator[Deadline]:
    approvals = Approval.objects.filter(facility=facility, withdrawn_at=None).select_related(
        "table", "shaker"
    )
    # the newest of a subject at a place is the one in effect
    newest = {
        (approval.table_id, approval.shaker_id, approval.subject): approval
        for approval in approvals.order_by("approved_on", "pk")
    }
    for approval in newest.values():
        if approval.ends_on is None:
            continue
        place = approval.table or approval.shaker
        sentence = "Approval %(reference)s ends: %(what)s, %(place)s" % {
            "reference": approval.reference,
            "what": SUBJECTS.get(approval.subject, approval.subject),
            "place": place.code if place else "",
        }
        url = reverse("equipment", args=[facility.code])
        yield Deadline(f"approval:{approval.pk}", approval.ends_on, sentence, "", url, ENDS)


def _limits(facility: Facility) -> Iterator[Deadline]:
    changes = LimitsChange.objects.filter(
        table__facility=facility, status=LimitsChange.Status.PENDING, effective_at__isnull=False
    )
    for change in changes.select_related("table__facility"):
        assert change.effective_at is not None
        sentence = "%(table)s: minimum %(min)s, maximum %(max)s at the first round after" % {
            "table": change.table.code,
            "min": in_dollars(change.min_cents),
            "max": in_dollars(change.max_cents),
        }
        yield Deadline(
            f"limits:{change.table.code}.{change.number}",
            facility.local(change.effective_at).date(),
            sentence,
            limits.section_of(change.table, "limits.change"),
            reverse("table", args=[facility.code, change.table.code]),
            BEGINS,
            change.effective_at,
            reminds=False,
        )

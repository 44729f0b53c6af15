"""What the floor tells the rules office (`games/office/floor.py`)."""

import datetime as dt
from collections.abc import Iterable

from django.db.models import OuterRef, Subquery

from audit.models import Person
from games.models import Facility
from games.office.floor import Dealt

from .models import LimitsChange, Shaker, Table
from .rooms import is_on_duty


class Floor:
    """The floor of this installation."""

    def is_on_duty(self, person: Person, facility: Facility) -> bool:
        """Whether any assignment of this person at this facility has not ended."""
        return is_on_duty(person, facility)

    def tables(self, facility: Facility) -> tuple[Dealt, ...]:
        """Every table of the facility but the simulated ones, by code."""
        coming = LimitsChange.objects.filter(table=OuterRef("pk"), status=LimitsChange.Status.PENDING)
        standing = Shaker.objects.filter(table=OuterRef("pk"), out_of_order=False)
        found = (
            Table.objects.filter(facility=facility)
            .exclude(kind=Table.Kind.SIMULATED)
            .annotate(
                coming=Subquery(coming.values("min_cents")[:1]), stands=Subquery(standing.values("kind")[:1])
            )
            .order_by("code")
        )
        return tuple(
            Dealt(
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
            for table in found
        )

    def deadlines(self, facility: Facility, now: dt.datetime) -> Iterable[object]:
        """None yet."""
        return ()

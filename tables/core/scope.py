"""Which tables of a facility are a person's: whose figures they see, whose totals a page adds up, where they act.

Floor, Money, Rotation and the proposals all ask here, so that one person reads one total. A person who sees the floor
may open the page of every table there; what they may do at it is their duty's (`tables.core.permissions`).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from audit.models import Person
from games.models import Facility
from tables.core.duty import covers
from tables.core.permissions import SEES_EVERYTHING
from tables.models import Assignment, Table

WHOLE_FLOOR = "Whole floor"
MOST_NAMES = 3


@dataclass(frozen=True)
class Scope:
    """The tables of a person. `duty` is None for somebody whose they all are."""

    duty: tuple[Assignment, ...] | None

    @property
    def is_whole_floor(self) -> bool:
        return self.duty is None or any(
            row.pit_id is None and row.table_id is None and not row.elsewhere for row in self.duty
        )

    def has(self, table: Table) -> bool:
        """Whether a table is this person's."""
        return self.duty is None or covers(self.duty, table)

    def of(self, tables: Sequence[Table]) -> list[Table]:
        """Return those of these tables that are this person's, in their order."""
        return [table for table in tables if self.has(table)]

    @property
    def name(self) -> str:
        """How a total of these tables is named: `Whole floor`, `Pit 1 and T-42, yours`."""
        if self.is_whole_floor:
            return WHOLE_FLOOR
        pits = sorted({row.pit.name for row in self.duty or () if row.pit is not None})
        tables = sorted({row.table.code for row in self.duty or () if row.table is not None})
        names = [*pits, *tables]
        if not names:
            return "No table is yours"
        if len(names) > MOST_NAMES:
            counts = [(len(pits), "pit"), (len(tables), "table")]
            names = [f"{count} {word}{'' if count == 1 else 's'}" for count, word in counts if count]
        *before, last = names
        return f"{', '.join(before)} and {last}, yours" if before else f"{last}, yours"


EVERYWHERE = Scope(None)


def scope_of(person: Person | None, facility: Facility) -> Scope:
    """Return the scope of a person at a facility; without a person, as for a declared report, it is the whole floor."""
    if person is None or person.role in SEES_EVERYTHING:
        return EVERYWHERE
    duty = Assignment.objects.at_facility(facility).filter(person=person).select_related("pit", "table")
    return Scope(tuple(duty.order_by("pk")))

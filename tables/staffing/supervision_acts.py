"""Who answers for the table: a floorperson takes it, or is put there by a pit manager."""

from audit.models import Person
from games.engine import Refusal
from games.params import Params
from tables.core.context import AtTable
from tables.core.duty import person_here
from tables.core.permissions import FLOOR, STAFFERS
from tables.models import Table
from tables.runner.table import Recorded, act
from tables.staffing.spans import verify_may_supervise


@act(roles=FLOOR, depends_on="nothing")
def take_supervision(at: AtTable, params: Params) -> Recorded:
    """The floorperson or above who is signed in answers for this table from now on, and relieves whoever did."""
    assert at.actor is not None
    return Recorded("supervision.taken", supervise(at, at.actor), changes="nothing")


@act(roles=STAFFERS, depends_on="nothing")
def assign_floorperson(at: AtTable, params: Params) -> Recorded:
    """Puts a person of the floor who is on duty here over this table."""
    person = person_here(at.table.facility, params.text("person"))
    return Recorded("supervision.assigned", supervise(at, person), changes="nothing")


def supervise(at: AtTable, person: Person) -> dict[str, str | None]:
    """Makes this person the table's floorperson; returns what the record says.

    Raises `already-supervising`, and what `verify_may_supervise` refuses with (§ 577.9(c), § 465a.35).
    """
    before = at.table.floorperson
    if before is not None and before.pk == person.pk:
        raise Refusal("already-supervising", person=person.name, table=at.table.code)
    verify_may_supervise(at, person, in_play=at.table.status != Table.Status.CLOSED)
    at.change_table(floorperson=person)
    return {"floorperson": person.code, "relieves": before.code if before else None}

"""Who may see the pages of the rules office."""

from audit.models import Person
from games.access import Pages
from games.office.core.runner import OFFICE_ROLES

OFFICE_VIEWERS = OFFICE_ROLES | {
    "gaming-agent",
    "pit-manager",
    "shift-manager",
    "casino-supervisor",
    "surveillance",
}
OFFICE = Pages(OFFICE_VIEWERS)
person_and_facility = OFFICE.authorize
may_see_office = OFFICE.may_see


def may_act(person: Person) -> bool:
    """Return whether this person may use the office's buttons."""
    return person.role in OFFICE_ROLES

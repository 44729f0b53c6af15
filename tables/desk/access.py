"""Who may see the desk's pages and use its buttons."""

from audit.models import Person
from games.access import Pages
from tables.desk.runner import EXPORT_ROLES

DESK_ROLES = EXPORT_ROLES | {"surveillance", "pit-manager", "shift-manager", "casino-supervisor"}
DESK = Pages(DESK_ROLES)
authorize_desk = DESK.authorize
may_see_desk = DESK.may_see


def may_export(person: Person) -> bool:
    """Whether this person may take a copy of the record out of the casino."""
    return person.role in EXPORT_ROLES

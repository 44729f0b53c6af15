"""Role, assignment and device: all three, for every act and every view of a table."""

from typing import Any

from audit.models import Device, Person
from audit.runner import Act
from games.engine import game
from games.facility_runner import Forbidden
from tables.models import Assignment, Table

DEALERS = frozenset({"dealer", "stickperson"})
FLOOR = frozenset({"floorperson", "casino-supervisor", "pit-manager", "shift-manager"})
AT_THE_TABLE = DEALERS | FLOOR
# Who holds the table games key of the dice storage: the roles know no assistant shift manager.
DICE_KEEPERS = frozenset({"casino-supervisor", "pit-manager", "shift-manager"})
STAFFERS = frozenset({"pit-manager", "shift-manager"})
SEES_EVERYTHING = frozenset({"surveillance", "compliance", "gaming-agent", "shift-manager"})
SEES_THE_FLOOR = FLOOR | SEES_EVERYTHING | {"games-administrator"}


def verify_may(
    person: Person, act: Act[Any, Any], table: Table, device: Device | None, *, assigned: bool
) -> None:
    """Raises `Forbidden` unless this person may do this act at this table from this device.

    `assigned`: an assignment that has not ended covers the table, which the lock asked along the way.
    """
    if person.role not in act.roles or not has_work_for(person, table):
        raise Forbidden("role-may-not", act=act.name, role=person.role)
    verify_device(device, table)
    if not assigned:
        raise Forbidden("not-assigned", table=table.code)


def verify_device(device: Device | None, table: Table) -> None:
    """A tablet that is bound to a place serves that table alone; a podium serves its facility."""
    if device is None:
        raise Forbidden("device-not-enrolled")
    if device.facility != table.facility.code or (device.place and device.place != table.stream.name):
        raise Forbidden("device-of-another-table", device=device.name)


def verify_may_sign(witness: Person | None, table: Table) -> None:
    """Raises `Forbidden` unless the second person, where one signs, is on duty at this table too."""
    if witness is not None and not is_assigned(witness, table):
        raise Forbidden("witness-not-assigned", witness=witness.name, table=table.code)


def is_assigned(person: Person, table: Table) -> bool:
    """Whether an assignment that has not ended covers this table."""
    return Assignment.objects.at(table).filter(person=person.pk).exists()


def may_see_table(person: Person, table: Table) -> bool:
    """Dealers see their own table; the floor, compliance and the agents see what their role covers."""
    if person.facility not in ("", table.facility.code):
        return False
    if person.role in SEES_EVERYTHING:
        return True
    return person.role in AT_THE_TABLE and has_work_for(person, table) and is_assigned(person, table)


def has_work_for(person: Person, table: Table) -> bool:
    """A stickperson works only where the game has a stick; every other role is told by the act."""
    return person.role != "stickperson" or "stick" in game(table.game).posts


def may_see_floor(person: Person, facility_code: str) -> bool:
    """Whether the pit dashboard of this facility is open to the person."""
    return person.role in SEES_THE_FLOOR and person.facility in ("", facility_code)

"""Role, assignment and device: all three are checked for every act and every view of a table."""

from typing import Any

from audit.models import Device, Person
from audit.runner import Act
from games.facility_runner import Forbidden
from games.refusals import DEVICE_NOT_ENROLLED, DEVICE_OF_ANOTHER_TABLE, ROLE_MAY_NOT
from games.registry import game_by_code
from games.separation import policy
from tables.core.duty import is_on_duty
from tables.core.refusals import AT_NO_POST, NOT_ASSIGNED, WITNESS_NOT_ASSIGNED
from tables.models import Table

DEALERS = frozenset({"dealer", "stickperson"})
CAGE = frozenset({"cage"})
FLOOR = frozenset({"floorperson", "casino-supervisor", "pit-manager", "shift-manager"})
AT_THE_TABLE = DEALERS | FLOOR
# Roles with the table games key of the dice storage (there is no role for an assistant shift manager).
DICE_KEEPERS = policy.roles_of("dice", "prepare")
STAFFERS = frozenset({"pit-manager", "shift-manager"})
SEES_EVERYTHING = frozenset({"surveillance", "compliance", "gaming-agent", "shift-manager"})
SEES_THE_FLOOR = FLOOR | SEES_EVERYTHING | {"games-administrator"}


def verify_may(
    person: Person, act: Act[Any, Any], table: Table, device: Device | None, *, assigned: bool
) -> None:
    """Raises `Forbidden` unless this person may do this act at this table from this device.

    `assigned`: whether an unended assignment covers the table; the locking statement reads it along with the table.
    """
    if person.role not in act.roles or not has_work_for(person, table):
        raise Forbidden(ROLE_MAY_NOT, act=act.name, role=person.role)
    verify_device(device, table)
    if not assigned:
        raise Forbidden(NOT_ASSIGNED, table=table.code)


def verify_at_post(person: Person, table: Table) -> None:
    """Raises `Forbidden` for a dealer or stickperson at no post of this table. A simulated table has no people."""
    if person.role not in DEALERS or table.kind == Table.Kind.SIMULATED:
        return
    if person.pk not in (table.dealer_id, table.dealer_left_id, table.stickperson_id):
        raise Forbidden(AT_NO_POST, table=table.code)


def verify_device(device: Device | None, table: Table) -> None:
    """Raises `Forbidden` for a device of another table or facility. A podium serves its whole facility."""
    if device is None:
        raise Forbidden(DEVICE_NOT_ENROLLED)
    if not serves(device, table):
        raise Forbidden(DEVICE_OF_ANOTHER_TABLE, device=device.name)


def serves(device: Device, table: Table) -> bool:
    """Whether this device serves this table. A podium serves its whole facility."""
    return device.facility == table.facility.code and device.place in ("", table.stream.name)


def verify_may_sign(witness: Person | None, table: Table) -> None:
    """Raises `Forbidden` if the second person who signs is not on duty at this table."""
    if witness is not None and not is_on_duty(witness, table):
        raise Forbidden(WITNESS_NOT_ASSIGNED, witness=witness.name, table=table.code)


def may_see_table(person: Person, table: Table, *, on_duty: bool) -> bool:
    """Whether this person may see this table: dealers their own, other roles what they cover.

    `on_duty`: whether an unended assignment of this person covers the table.
    """
    if person.facility not in ("", table.facility.code):
        return False
    if person.role in SEES_EVERYTHING:
        return True
    return person.role in AT_THE_TABLE and has_work_for(person, table) and on_duty


def may_read_table(person: Person, table: Table, device: Device | None) -> bool:
    """Whether this person may read the page of any table here, as at a podium that shows it, on duty or not."""
    is_podium = device is not None and not device.place
    return is_podium and may_see_floor(person, table.facility.code)


def has_work_for(person: Person, table: Table) -> bool:
    """Whether this role exists at this table's game: a stickperson needs a game with a stick."""
    return person.role != "stickperson" or "stick" in game_by_code(table.game).posts


def may_see_floor(person: Person, facility_code: str) -> bool:
    """Whether this person may open the pit dashboard of this facility."""
    return person.role in SEES_THE_FLOOR and person.facility in ("", facility_code)

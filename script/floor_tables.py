"""The tables of a floor to measure: each with its dealer, its tablet, its dice and its approvals, inspected and open.

Runs in the process of the installation, which is set up for its database.
"""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from script.faults.floor import OPENER, Seat, enroll

if TYPE_CHECKING:
    from audit.models import Device, Person
    from games.models import Facility
    from tables.models import Pit

FACILITY, PIT, SUBMISSION = "larkfield", "floor", "RS-0009"
PIN = "505050"
LEAST_CENTS = 1_000
TABLES_OF_A_SUPERVISOR = 4


@dataclass
class Floor:
    """Who signs in where: a dealer at each table, a pit manager at each podium; and the devices' tokens by name."""

    dealers: list[Seat] = field(default_factory=list)
    managers: list[Seat] = field(default_factory=list)
    tokens: dict[str, str] = field(default_factory=dict)


def make_floor(tables: int, podiums: int) -> Floor:
    """Create so many tables of Sic Bo at the demo casino, and so many podiums, and enroll their devices."""
    from games.models import Facility
    from tables.demo.seeding import assign

    facility = Facility.objects.get(code=FACILITY)
    floor = Floor()
    add_tables(floor, range(1, tables + 1))
    for number in range(1, podiums + 1):
        manager = _person(f"manager-{number:02d}", "pit-manager")
        assign(manager, facility, "")
        floor.managers.append(Seat(FACILITY, manager.code, PIN))
        floor.tokens[manager.code] = enroll(FACILITY, f"Podium {manager.code}")
    return floor


def add_tables(floor: Floor, numbers: range) -> None:
    """Create further tables of these numbers. Every fourth begins the tables of another floorperson."""
    from audit.devices import enroll as enroll_device
    from games.models import Facility
    from tables.models import Pit

    facility = Facility.objects.get(code=FACILITY)
    pit, _ = Pit.objects.get_or_create(facility=facility, code=PIT, defaults={"name": "Floor"})
    podium, _ = enroll_device(f"Floor podium {numbers.start}", FACILITY, "podium")
    for count, number in enumerate(numbers):
        if count % TABLES_OF_A_SUPERVISOR == 0:
            supervisor = _person(f"supervisor-{number:04d}", "floorperson")
        seat = Seat(place_of(number), f"dealer-{number:04d}", PIN)
        _make_table(facility, pit, seat, supervisor, podium)
        floor.tokens[seat.place] = enroll(seat.place, f"Tablet {seat.table}")
        floor.dealers.append(seat)


def place_of(number: int) -> str:
    """The stream of a table."""
    return f"{FACILITY}/F-{number:04d}"


def _person(code: str, role: str) -> "Person":
    from audit.models import Person

    return Person.objects.create_person(
        code,
        PIN,
        name=code.capitalize(),
        role=role,
        department="table-games",
        facility=FACILITY,
        licence=code,
    )


def _make_table(facility: "Facility", pit: "Pit", seat: Seat, supervisor: "Person", podium: "Device") -> None:
    from audit import clock
    from tables.demo import seeding
    from tables.demo.simulation import equipped_table
    from tables.models import Qualification

    code = seat.table
    table = equipped_table(facility, pit, code, SUBMISSION, "live", LEAST_CENTS)
    lot = seeding.make_lot(table, f"L-{code}")
    dealer = _person(seat.person, "dealer")
    for person in (dealer, supervisor):
        seeding.assign(person, facility, code)
    since = facility.local(clock.now() - seeding.APPROVED).date()
    Qualification.objects.create(person=dealer, game=table.game, reference=f"TR-{code}", since=since)
    dice = {"lot": lot.code, "seal": f"SL-{code}"}
    seeding.do(supervisor, podium, FACILITY, code, "change_dice_lot", dice)
    seeding.do(dealer, podium, FACILITY, code, "take_over_table", {})
    if facility.keeps_inventory:
        seeding.do(dealer, podium, FACILITY, code, "count_opener", {"chips": OPENER}, supervisor)
    seeding.open_table(supervisor, podium, FACILITY, code)

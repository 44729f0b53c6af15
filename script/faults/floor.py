"""The demo floor of the scene: its database, its devices, and who signs in at them. Needs the scene's environment."""

import io
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Seat:
    """A device of the floor, who signs in at it, and the path of the socket of its page."""

    place: str  # the stream of the table that it serves, or the facility of a podium
    person: str
    pin: str

    @property
    def facility(self) -> str:
        return self.place.partition("/")[0]

    @property
    def table(self) -> str:
        """The table's code; empty at a podium."""
        return self.place.partition("/")[2]


DEALERS = (
    Seat("larkfield/T-01", "mei", "110011"),
    Seat("larkfield/T-03", "linh", "440044"),
    Seat("larkfield/T-05", "omar", "660066"),
    Seat("seabright/T-01", "ana", "210021"),
)
COMPLIANCE = (Seat("larkfield", "carla", "161616"), Seat("larkfield", "viktor", "131313"))
PODIUM = Seat("larkfield", "marta", "121212")
# The house that keeps the inventory of its tables: their openers, and fills that arrive during the run.
OPENER = {"500": 400, "2500": 400, "10000": 400, "50000": 100, "100000": 50}
FILL = {"2500": 20, "10000": 5}
FILLS = 4  # on the way to each of its tables when the run begins; the cage sends more
SECOND_SIGNER = ("viktor", "131313")  # a shift manager, who is on duty at every table
GUARD = ("rita", "141414")  # of security, who carries fills
# Devices without a table: of the floor, which requests fills, and of the cage.
DESKS = {"floor": Seat("larkfield", *SECOND_SIGNER), "cage": Seat("larkfield", "cleo", "252525")}


def migrate() -> None:
    """Set this process up for Django, and migrate as the owner what is not migrated."""
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("SET ROLE pitside_owner")
        call_command("migrate", verbosity=0)
        cursor.execute("RESET ROLE")


def prepare() -> dict[str, str]:
    """Grant the roles, seed the floor, make the sealer's key, and enroll the devices.

    Returns the enrollment token of each device by its place.
    """
    from django.core.management import call_command
    from django.db import connection

    from tables.demo.seeding import seed

    call_command("provision_roles", stdout=io.StringIO())
    seed()
    send_fills()
    call_command("sealer_key", "create", stdout=io.StringIO(), stderr=io.StringIO())
    tokens = {seat.place: enroll(seat.place) for seat in (*DEALERS, PODIUM)}
    tokens |= {name: enroll(seat.place, f"faults {name}") for name, seat in DESKS.items()}
    connection.close()
    return tokens


def send_fills(seats: Sequence[Seat] = DEALERS) -> None:
    """Count the opener of the tables of Larkfield that play, put on a drop box, and send them fills."""
    from audit.models import Device, Person
    from games.models import Facility
    from tables.demo.seeding import PODIUM as PODIUM_NAME
    from tables.demo.seeding import do
    from tables.money.chips import change_keeping

    facility = PODIUM.facility
    change_keeping(Facility.objects.get(code=facility), True)
    podium = Device.objects.get(facility=facility, name=PODIUM_NAME)
    floorperson, cashier, guard = (
        Person.objects.get(code=code) for code in (SECOND_SIGNER[0], "cleo", "rita")
    )
    for seat in seats:
        if seat.facility != facility:
            continue
        dealer = Person.objects.get(code=seat.person)
        do(dealer, podium, facility, seat.table, "count_opener", {"chips": OPENER}, floorperson)
        do(guard, podium, facility, seat.table, "put_on_drop_box", {"box": "B-1"}, floorperson)
        for number in range(1, FILLS + 1):
            transfer = {"transfer": number}
            do(floorperson, podium, facility, seat.table, "request_fill", {"chips": FILL})
            do(cashier, podium, facility, seat.table, "prepare_transfer", transfer)
            do(cashier, podium, facility, seat.table, "hand_over_transfer", transfer, guard)


def enroll(place: str, name: str = "") -> str:
    """Enroll a device at a table or, with a facility alone, at a podium. Returns its token."""
    from audit.devices import enroll as enroll_device

    facility, _, table = place.partition("/")
    station = "dealer" if table else "podium"
    return enroll_device(name or f"faults {place}", facility, station, place if table else "")[1]

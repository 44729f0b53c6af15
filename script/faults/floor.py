"""The demo floor of the scene: its database, its devices, and who signs in at them. Needs the scene's environment."""

import io
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
    call_command("sealer_key", "create", stdout=io.StringIO(), stderr=io.StringIO())
    tokens = {seat.place: enroll(seat.place) for seat in (*DEALERS, PODIUM)}
    connection.close()
    return tokens


def enroll(place: str, name: str = "") -> str:
    """Enroll a device at a table or, with a facility alone, at a podium. Returns its token."""
    from audit.devices import enroll as enroll_device

    facility, _, table = place.partition("/")
    station = "dealer" if table else "podium"
    return enroll_device(name or f"faults {place}", facility, station, place if table else "")[1]

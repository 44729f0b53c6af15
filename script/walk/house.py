"""The installation of the walk: the demo floor, served by two workers that a browser opens without TLS."""

import contextlib
import io
from dataclasses import dataclass

from script.faults.scene import HOST
from script.installation import Installation

WORKER_SETTINGS = "script.browser_settings"
WORKERS = 2


SPARE_LOTS = 2


@dataclass(frozen=True)
class Member:
    """Somebody of the demo floor, by code, with the PIN."""

    code: str
    pin: str


@dataclass(frozen=True)
class Crew:
    """Who works at a table of the demo floor; `dealers` by their post, the first one takes the acts of every game."""

    facility: str
    table: str
    dealers: dict[str, Member]
    floorperson: Member
    manager: Member
    relief: Member | None = None

    @property
    def place(self) -> str:
        return f"{self.facility}/{self.table}"


@dataclass(frozen=True)
class DeviceOfWalk:
    """A device of the casino. `place`: the stream of its table, empty at a podium and a wall."""

    name: str
    facility: str
    station: str
    place: str = ""


class WalkInstallation(Installation):
    """PostgreSQL, Redis, two web workers, ticker and sealer, on the demo floor without a program that deals."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        super().__init__(stack, WORKERS, has_services=True)

    def environment(self, role: str, name: str) -> dict[str, str]:
        settings = {} if role == "postgres" else {"DJANGO_SETTINGS_MODULE": WORKER_SETTINGS}
        return {**super().environment(role, name), **settings}

    def _fill(self) -> dict[str, str]:
        from django.core.management import call_command
        from django.db import connection

        from tables.demo.seeding import make_lot, seed
        from tables.models import Table

        call_command("provision_roles", stdout=io.StringIO())
        seed()
        for table in Table.objects.filter(kind="live"):
            for number in range(1, SPARE_LOTS + 1):
                make_lot(table, f"W-{table.code}-{number}")
        call_command("sealer_key", "create", stdout=io.StringIO(), stderr=io.StringIO())
        connection.close()
        return {}

    @property
    def addresses(self) -> list[str]:
        """The address of each worker."""
        return [f"http://{HOST}:{self.ports[name]}" for name in self.web]


def enroll(device: DeviceOfWalk) -> str:
    """Enroll a device. Returns its token."""
    from audit.devices import enroll as enroll_device

    return enroll_device(device.name, device.facility, device.station, device.place)[1]

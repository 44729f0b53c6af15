"""Write the files of one machine of a property: `python deploy/ha/configure.py property.toml MACHINE FOLDER`.

It needs nothing but Python's standard library. The trial in network namespaces (`script/faults/machines.py`) uses the
same files.
"""

import argparse
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from string import Template
from typing import Any
from urllib.parse import quote

FILES = Path(__file__).parent / "files"
DATABASE_MACHINES = ("a", "b")
# The third machine votes, and has nothing else.
FILES_OF_THIRD = ("etcd.env",)


class NotComplete(Exception):
    """The description of the property lacks something. The message names it."""


@dataclass(frozen=True)
class Property:
    """What `property.toml` says: the addresses of machines by name, and every value of the files by its name."""

    machines: Mapping[str, str]
    values: Mapping[str, str]
    folders: Mapping[str, str]
    passwords: Mapping[str, str]

    @classmethod
    def read(cls, text: str) -> "Property":
        """Read a description. Raises NotComplete."""
        return cls.of(tomllib.loads(text))

    @classmethod
    def of(cls, told: Mapping[str, Any]) -> "Property":
        """The same of a description that is read. Raises NotComplete."""
        try:
            values = {
                "front_name": told["front"]["name"],
                "front_address": told["front"]["address"],
                "prefix": str(told["front"]["prefix"]),
                "interface": told["front"]["interface"],
                "bind": told["front"]["bind"],
                "programs": told["postgresql"]["programs"],
                "network": told["postgresql"]["network"],
                "synchronous": _yaml(told["postgresql"]["synchronous"]),
                "strict": _yaml(told["postgresql"]["strict"]),
            }
            folders = {
                f"{name}_folder": told["folders"][name] for name in ("etcd", "postgresql", "socket", "sealer")
            }
            passwords = dict(told["passwords"])
            machines = {name: told["machines"][name] for name in ("a", "b", "c")}
        except KeyError as error:
            raise NotComplete(f"it has no {error}") from error
        for name in ("superuser", "replication", "rewind", "application", "sealer", "redis", "front"):
            if not passwords.get(name):
                raise NotComplete(f"the password {name} is empty")
        return cls(machines, values, folders, passwords)

    def database_url(self, machine: str, login: str, password: str, name: str = "pitside") -> str:
        """The address of whichever database leads, that of this machine asked first."""
        first = machine if machine in DATABASE_MACHINES else DATABASE_MACHINES[0]
        hosts = ",".join(f"{self.machines[name]}:5432" for name in (first, *_others(first)))
        return f"postgres://{login}:{quote(password, safe='')}@{hosts}/{name}?target_session_attrs=read-write"

    def redis_url(self, machine: str) -> str:
        """The addresses of both Redis, in the same order everywhere: all send to the first that works."""
        password = quote(self.passwords["redis"], safe="")
        return ",".join(f"redis://:{password}@{self.machines[name]}:6379/0" for name in DATABASE_MACHINES)

    def files(self, machine: str) -> dict[str, str]:
        """The text of each file of a machine, by the name of the file."""
        names = (
            [path.name for path in sorted(FILES.iterdir())]
            if machine in DATABASE_MACHINES
            else FILES_OF_THIRD
        )
        values = self._values_of(machine)
        return {name: Template((FILES / name).read_text("utf-8")).substitute(values) for name in names}

    def _values_of(self, machine: str) -> dict[str, str]:
        return {
            **self.values,
            **{name: Template(folder).substitute(name=machine) for name, folder in self.folders.items()},
            **self.machines,
            **{f"{name}_password": password for name, password in self.passwords.items()},
            "name": machine,
            "own": self.machines[machine],
            "other": self.machines[_others(machine)[0]],
            "priority": str(101 if machine == DATABASE_MACHINES[0] else 100),
            "etcd_cluster": ",".join(f"{name}=http://{own}:2380" for name, own in self.machines.items()),
            "etcd_hosts": ", ".join(f'"{own}:2379"' for own in self.machines.values()),
            "application_database": self.database_url(machine, "pitside_app", self.passwords["application"]),
            "sealer_database": self.database_url(machine, "pitside_seal", self.passwords["sealer"]),
            "redis_url": self.redis_url(machine),
        }


def _yaml(value: Any) -> str:
    return str(bool(value)).lower()


def _others(machine: str) -> list[str]:
    return [name for name in DATABASE_MACHINES if name != machine]


def write(files: Mapping[str, str], folder: Path) -> None:
    """Write files that only their owner reads: they have passwords."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        descriptor = os.open(folder / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("property", type=Path)
    parser.add_argument("machine", choices=("a", "b", "c"))
    parser.add_argument("folder", type=Path)
    options = parser.parse_args()
    try:
        files = Property.read(options.property.read_text("utf-8")).files(options.machine)
    except NotComplete as reason:
        print(f"{options.property}: {reason}.", file=sys.stderr)
        return 1
    write(files, options.folder)
    print(f"Wrote {', '.join(files)} to {options.folder}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())

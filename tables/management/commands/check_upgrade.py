"""`manage.py check_upgrade VERSION`: say before an upgrade at which tables the version is not approved yet."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser

from tables.equipment.register import TableVersion, UpgradeCheck, check_upgrade


class Command(BaseCommand):
    help = (
        "Say before an upgrade at which tables the electrical device's approval does not name the new version "
        "(PITSIDE_BUILD of the new workers), so that no round would begin there. The exit status is 1 then. Also says "
        "whether the version of this process is approved, as the way back needs. Writes nothing."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("version", help="the version of the new workers, such as 0.1.1")

    def handle(self, *args: Any, **options: Any) -> None:
        check = check_upgrade(options["version"])
        for row in check.missing:
            self.stdout.write(_sentence(check.version, row))
        if check.missing:
            self.stdout.write(
                f"No round would begin at {_count(check.missing)}. Do not upgrade yet. The office records the approval "
                "for all tables in one form: Equipment, Approve a version."
            )
        self._report_way_back(check)
        if check.missing:
            raise SystemExit(1)

    def _report_way_back(self, check: UpgradeCheck) -> None:
        if not check.tables:
            self.stdout.write(f"No table needs an approval of version {check.version}.")
            return
        facilities = {row.table.facility_id for row in check.tables}
        noun = "facility" if len(facilities) == 1 else "facilities"
        approved = (
            "" if check.missing
            else f"Version {check.version} is approved at {_count(check.tables)} of {len(facilities)} {noun}. "
        )  # fmt: skip
        if check.no_way_back:
            codes = ", ".join(row.table.code for row in check.no_way_back)
            self.stdout.write(
                f"{approved}{settings.BUILD} is not approved at {codes}: there would be no way back."
            )
        elif approved:
            self.stdout.write(f"{approved}{settings.BUILD} is approved there too: the way back is open.")


def _sentence(version: str, row: TableVersion) -> str:
    waits = f" {row.waits} waits for its second person." if row.waits else ""
    return (
        f"{row.table.facility.code}/{row.table.code}: version {version} of the electrical device is not approved "
        f"({row.section}).{waits}"
    )


def _count(rows: list[TableVersion]) -> str:
    return f"{len(rows)} table{'' if len(rows) == 1 else 's'}"

"""`manage.py figures_rollup`: compare the rollups of the figures with the record, or write them again from it."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from audit.columns import check_columns
from tables.figures import rollup
from tables.models import Table
from tables.money.record_checks import MODELS, check_money


class Command(BaseCommand):
    help = (
        "Write the settled rounds that the ticker has not counted yet into the rollups of the figures. --check "
        "compares every row, and the inventories and drop boxes, with the record and fails if one differs; --rebuild "
        "writes every row again from the record."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add what to do, and at which tables."""
        what = parser.add_mutually_exclusive_group()
        what.add_argument("--check", action="store_true", help="compare the rows with the record")
        what.add_argument("--rebuild", action="store_true", help="write every row again from the record")
        parser.add_argument("--facility", help="only its tables; its code, such as larkfield")
        parser.add_argument("--table", help="only this table; its code")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it table by table, each in transactions of its own."""
        tables = Table.objects.select_related("facility", "stream").order_by("facility__code", "code")
        for name in ("facility", "table"):
            if options[name]:
                tables = tables.filter(**{"facility__code" if name == "facility" else "code": options[name]})
        if not tables:
            raise CommandError("There is no such table.")
        if options["check"]:
            self._check(list(tables))
            return
        write = rollup.rebuild if options["rebuild"] else rollup.roll_up_table
        rounds = sum(write(table) for table in tables)
        self.stdout.write(f"{rounds} rounds written at {len(tables)} tables.")

    def _check(self, tables: list[Table]) -> None:
        differences = [line for table in tables for line in rollup.differences(table)]
        places = {table.place for table in tables}
        findings = (*check_columns(lambda: None, MODELS), *check_money(lambda: None))
        differences += [str(finding) for finding in findings if finding.where.get("stream") in places]
        for line in differences:
            self.stderr.write(line)
        if differences:
            raise CommandError(
                f"{len(differences)} rows differ from the record. --rebuild writes them again."
            )
        self.stdout.write(f"The rollups of {len(tables)} tables agree with the record.")

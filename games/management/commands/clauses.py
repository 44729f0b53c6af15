"""The clauses of the regulations, and the tests that prove them."""

import json
import os
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from games.regulations.clauses import COVERAGE_FILE, Clause, all_clauses, proofs_by_clause, write_coverage


class Command(BaseCommand):
    help = "List the clauses of the regulations, and how many tests prove each."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print JSON, with the ids of the tests")
        parser.add_argument(
            "--write",
            action="store_true",
            help="save which tests prove which clause, for installations without tests",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["write"]:
            write_coverage()
            self.stdout.write(f"{COVERAGE_FILE.name} is up to date.")
            return
        clauses, tests = list(all_clauses().values()), proofs_by_clause()
        if options["json"]:
            self.stdout.write(
                json.dumps(
                    {"clauses": clause_rows(clauses, tests), "totals": totals(clauses, tests)}, indent=1
                )
            )
            return
        try:
            self._print(clauses, tests)
        except BrokenPipeError:
            # The reader has closed the pipe. Without this, Python would report a second error when it flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())

    def _print(self, clauses: list[Clause], tests: dict[str, list[str]]) -> None:
        for clause in clauses:
            count = len(tests.get(clause.id, []))
            self.stdout.write(f"{clause.id:<44}{clause.kind:<10}{count:>3} tests  {clause.cite}")
        for name, kinds in totals(clauses, tests).items():
            figures = ", ".join(
                f"{kind} {counts['covered']}/{counts['clauses']}" for kind, counts in kinds.items()
            )
            self.stdout.write(f"{name}: {figures}")


def clause_rows(clauses: list[Clause], tests: dict[str, list[str]]) -> list[dict[str, Any]]:
    """Return each clause with the ids of its tests."""
    return [
        {"id": clause.id, "cite": clause.cite, "kind": clause.kind, "tests": tests.get(clause.id, [])}
        for clause in clauses
    ]


def totals(clauses: list[Clause], tests: dict[str, list[str]]) -> dict[str, dict[str, dict[str, int]]]:
    """Count clauses and covered clauses by kind, for each document and for "all"."""
    counts: dict[str, dict[str, dict[str, int]]] = {}
    for clause in clauses:
        for name in (clause.document, "all"):
            for kind in (clause.kind, "all"):
                count = counts.setdefault(name, {}).setdefault(kind, {"clauses": 0, "covered": 0})
                count["clauses"] += 1
                count["covered"] += bool(tests.get(clause.id))
    return counts

"""`manage.py declare_incarnation`: two people declare a new incarnation of the record, and why."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from audit.refusals import AuditRefusal
from audit.sealing import state
from audit.sealing.declarations import declare_incarnation
from audit.sealing.state import SealingProblem
from audit.staff import add_declarer_arguments, authenticated_declarers


class Command(BaseCommand):
    help = (
        "Declare a new incarnation of the record, after a restored backup or a stolen key. It takes two people from "
        "different departments, one of them compliance, each with their own PIN."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_declarer_arguments(parser)
        parser.add_argument(
            "--signed",
            type=Path,
            action="append",
            default=[],
            help="the last checkpoint of a log from a witness or a copy, if the sealer's folder is lost (repeatable)",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            actor, witness = authenticated_declarers(options)
            signed = [_read(path) for path in options["signed"]]
            declared = declare_incarnation(actor, witness, options["why"], self._saved_states(), signed)
        except AuditRefusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        self.stdout.write(f"Incarnation {declared.number} is declared. Its log is {declared.origin}.")

    def _saved_states(self) -> dict[str, state.State]:
        """The states of the logs that can be read, by facility; "" is the first log."""
        if not settings.SEALER_DIR:
            self.stderr.write(
                "This process does not have the sealer's folder. Give the last signed checkpoint with --signed."
            )
            return {}
        folder = Path(settings.SEALER_DIR)
        states: dict[str, state.State] = {}
        for facility in ("", *state.saved_facilities(folder)):
            try:
                saved = state.read(state.log_folder(folder, facility))
            except SealingProblem as problem:
                self.stderr.write(f"{facility}: {problem}" if facility else str(problem))
            else:
                states |= {facility: saved} if saved else {}
        return states


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}") from error

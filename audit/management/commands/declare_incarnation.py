"""`manage.py declare_incarnation`: two people declare a new incarnation of the record, and why."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from audit.errors import AuditRefusal
from audit.management.pins import read_pins
from audit.sealing import incarnations, state
from audit.sealing.problems import SealingProblem


class Command(BaseCommand):
    help = (
        "Declare a new incarnation of the record, after a restored backup or a stolen key. It takes two people from "
        "different departments, one of them compliance, each with their own PIN."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("actor", help="the code of the person who declares")
        parser.add_argument("witness", help="the code of the second person")
        parser.add_argument("--why", required=True, help="what happened")
        parser.add_argument(
            "--signed",
            type=Path,
            action="append",
            default=[],
            help="the last checkpoint of a log from a witness or a copy, if the sealer's folder is lost (repeatable)",
        )
        parser.add_argument(
            "--pins-from-stdin", action="store_true", help="read the two PINs as lines, for scripts"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            pins = read_pins((options["actor"], options["witness"]), options["pins_from_stdin"])
            actor = incarnations.authenticate(options["actor"], pins[0])
            witness = incarnations.authenticate(options["witness"], pins[1])
            signed = [_read(path) for path in options["signed"]]
            states = self._saved_states()
            first = states.pop("", None)
            declared = incarnations.declare(
                actor, witness, options["why"], first, *signed, other_states=states
            )
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

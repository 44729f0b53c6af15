"""The people who answer for a command at the server's terminal, each with their own PIN."""

import getpass
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

from django.core.management.base import CommandError

from audit import people, staff
from audit.models import Person
from audit.refusals import AuditRefusal
from audit.staff import Answerable


def add_declarer_arguments(parser: ArgumentParser) -> None:
    """Add the arguments that every declaration takes."""
    parser.add_argument("actor", help="the code of the person who declares")
    parser.add_argument("witness", help="the code of the second person")
    parser.add_argument("--why", required=True, help="what happened")
    parser.add_argument(
        "--pins-from-stdin", action="store_true", help="read the two PINs as lines, for scripts"
    )


def authenticated_declarers(options: dict[str, Any]) -> tuple[Person, Person]:
    """Ask for the PIN of each person, or read a line for each, and return the actor and the witness.

    Raises WrongPin or LockedOut.
    """
    actor, witness = authenticated(
        (options["actor"], options["witness"]), from_stdin=options["pins_from_stdin"]
    )
    return actor, witness


def add_pins_argument(parser: ArgumentParser) -> None:
    """Add where the PINs of those who answer for it are read."""
    parser.add_argument(
        "--pin-from-stdin", action="store_true", help="read each PIN as a line, in the order of the questions"
    )


def answerable(options: dict[str, Any], about: str) -> Answerable:
    """The two people who answer for a change, `by` and `witness`, each of whom typed their own PIN.

    Raises ValidationError for people who may not, and CommandError for a wrong PIN.
    """
    both = staff.answerable(options["by"], options["witness"], about)
    verify_pins((options["by"], options["witness"]), options)
    return both


def verify_pins(codes: Sequence[str], options: dict[str, Any]) -> list[Person]:
    """Ask each of these people for their PIN, and return them. Raises CommandError for a wrong PIN, which counts."""
    try:
        return authenticated(codes, from_stdin=options["pin_from_stdin"])
    except AuditRefusal as refusal:
        raise CommandError(refusal.sentence) from None


def authenticated(codes: Sequence[str], *, from_stdin: bool) -> list[Person]:
    """These people, once each has typed their PIN, or a line was read for each. Raises WrongPin or LockedOut.

    All PINs are read before the first is looked at, so that a script's lines stay in order.
    """
    if from_stdin:
        pins = [sys.stdin.readline().strip() for _ in codes]
    else:
        pins = [getpass.getpass(f"PIN of {code}: ") for code in codes]
    return [people.authenticate_at_server(code, pin) for code, pin in zip(codes, pins, strict=True)]

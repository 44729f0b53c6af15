"""The two people who declare something at a terminal, each with their own PIN."""

import getpass
import sys
from argparse import ArgumentParser
from typing import Any

from audit.models import Person
from audit.sealing.incarnations import authenticate


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

    Raises WrongPin.
    """
    codes = (options["actor"], options["witness"])
    if options["pins_from_stdin"]:
        pins = [sys.stdin.readline().strip() for _ in codes]
    else:
        pins = [getpass.getpass(f"PIN of {code}: ") for code in codes]
    actor, witness = (authenticate(code, pin) for code, pin in zip(codes, pins, strict=True))
    return actor, witness

"""Read the PINs of the people who declare something at a terminal."""

import getpass
import sys
from collections.abc import Sequence


def read_pins(codes: Sequence[str], from_stdin: bool) -> list[str]:
    """Ask for the PIN of each person by code, or read a line for each from standard input."""
    if from_stdin:
        return [sys.stdin.readline().strip() for _ in codes]
    return [getpass.getpass(f"PIN of {code}: ") for code in codes]

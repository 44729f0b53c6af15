"""Settle rounds written as JSON lines. The answer to a bad line is an error, and the next lines are still read."""

import gc
import json
import os
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO, TypedDict

from django.core.management.base import BaseCommand, CommandError

from games.adjudication import AdjudicatedRound, BadLine, adjudicate
from games.engine import Refusal

# A settled round leaves no reference cycles, so searching for them less often saves a tenth of the time.
GARBAGE_THRESHOLD = 100_000


class Command(BaseCommand):
    help = "Settle rounds: read them as JSON lines from standard input, and write one JSON line for each, in order."
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        if sys.stdin is None:
            raise CommandError("There is no standard input. Give the rounds as JSON lines on it.")
        gc.set_threshold(GARBAGE_THRESHOLD)
        try:
            good = answer_all(sys.stdin.buffer, sys.stdout.buffer)
        except BrokenPipeError:
            # The reader has closed the pipe. Without this, Python would report a second error when it flushes.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(1)
        if not good:
            sys.exit(1)


def answer_all(lines: Iterable[bytes], out: BinaryIO) -> bool:
    """Answer each line as soon as it is read. Returns False if one was bad. Blank lines count too."""
    good = True
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        answer, fine = answer_line(number, line)
        good = good and fine
        out.write(json.dumps(answer).encode("ascii") + b"\n")
        out.flush()
    return good


class Unreadable(TypedDict):
    """The answer to a line that cannot be adjudicated, with its number."""

    line: int
    id: str | int | None
    error: str


def answer_line(number: int, line: bytes) -> tuple[AdjudicatedRound | Unreadable, bool]:
    """Return the answer to one line, and whether it could be adjudicated."""
    try:
        return adjudicate(line), True
    except BadLine as bad:
        return {"line": number, "id": bad.id, "error": sentence(bad.refusal)}, False


def sentence(refusal: Refusal) -> str:
    """Return the refusal in words, with its section if it has one."""
    return f"{refusal.sentence} ({refusal.section})" if refusal.section else refusal.sentence

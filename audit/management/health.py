"""The health check, run by docker-compose.yml, of a process that serves no network address."""

import datetime as dt
from collections.abc import Callable

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from audit import clock


def report_health(command: BaseCommand, why_unwell: Callable[[dt.datetime], str]) -> None:
    """Print that all is well. Raises CommandError with the problem, so that the exit status is not 0."""
    try:
        why = why_unwell(clock.now())
    except DatabaseError as error:
        raise CommandError(f"The database does not answer: {error}") from error
    if why:
        raise CommandError(why)
    command.stdout.write("All is well.")

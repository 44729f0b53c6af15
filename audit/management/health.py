"""What the health checks of docker-compose.yml ask of a process that serves no address."""

import datetime as dt
from collections.abc import Callable

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError

from audit import clock


def report_health(command: BaseCommand, why_unwell: Callable[[dt.datetime], str]) -> None:
    """Says that all is well; CommandError, and so another exit status than 0, with the sentence where it is not."""
    try:
        why = why_unwell(clock.now())
    except DatabaseError as error:
        raise CommandError(f"The database does not answer: {error}") from error
    if why:
        raise CommandError(why)
    command.stdout.write("All is well.")

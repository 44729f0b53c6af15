"""Commits of the sealer: one that a failover cannot lose, and one that waits for no standby."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

from django.db import connection, transaction

from audit.sealing.problems import SealingProblem

CONFIRMED_WITHIN_SECONDS = 5.0


@contextlib.contextmanager
def confirmed_commit() -> Iterator[None]:
    """A transaction whose commit waits for the synchronous standbys of PostgreSQL, for five seconds at most.

    Raises SealingProblem("not-confirmed") after the commit if that wait was cut short: PostgreSQL then commits on the
    primary alone, and only warns. No timeout of PostgreSQL ends the wait, so it is canceled from here.
    """
    with _collected_warnings() as warnings:
        canceling: threading.Timer | None = None
        try:
            with transaction.atomic():
                _set_synchronous_commit("on", instead_of=("off", "local"))
                yield
                if connection.vendor == "postgresql":
                    canceling = threading.Timer(CONFIRMED_WITHIN_SECONDS, connection.connection.cancel)
                    canceling.daemon = True
                    canceling.start()
        finally:
            if canceling is not None:
                canceling.cancel()
        if warnings:
            raise SealingProblem("not-confirmed", warning=warnings[0])


@contextlib.contextmanager
def local_commit() -> Iterator[None]:
    """A transaction whose commit waits for no standby: of what is not evidence, and may be lost."""
    with transaction.atomic():
        _set_synchronous_commit("local", instead_of=("on", "remote_write", "remote_apply"))
        yield


def _set_synchronous_commit(value: str, instead_of: tuple[str, ...]) -> None:
    """Set it for this transaction, if it has one of these values."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT set_config('synchronous_commit', %s, true) "
                "WHERE current_setting('synchronous_commit') = ANY(%s)",
                [value, list(instead_of)],
            )


@contextlib.contextmanager
def _collected_warnings() -> Iterator[list[str]]:
    """Collect what the database warns of on this thread's connection. SQLite warns of nothing."""
    warnings: list[str] = []
    if connection.vendor != "postgresql":
        yield warnings
        return

    def collect(notice: Any) -> None:
        if notice.severity_nonlocalized == "WARNING":
            warnings.append(str(notice.message_primary))

    connection.ensure_connection()
    line = connection.connection
    line.add_notice_handler(collect)
    try:
        yield warnings
    finally:
        line.remove_notice_handler(collect)

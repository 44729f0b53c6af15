"""What a process counts of itself, and the listener from which Prometheus reads it (docs/deployment.md#metrics).

Each process has one registry and, where `PITSIDE_METRICS_LISTEN` names an address, a listener of its own there, in a
thread of its own. The public address of the web workers never serves it. A web worker is one process, so each answers
for itself, and a count of the installation is a sum over its processes; no files are shared between them.

A label is a code or a name that the product or its configuration declares: a refusal, a station, a witness. Never a
person, an amount, or words that somebody typed.

What is read from the database for all processes together is in `tables/monitoring.py`.
"""

import contextlib
import logging
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar

from django.conf import settings
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    PlatformCollector,
    ProcessCollector,
    start_http_server,
)

log = logging.getLogger(__name__)
REGISTRY = CollectorRegistry()
ProcessCollector(registry=REGISTRY)
PlatformCollector(registry=REGISTRY)
# From the goal for an act to a tablet that was offline for some minutes.
SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120, 600)

BUILD = Gauge("pitside_build", "1, with the version of the software", ["version"], registry=REGISTRY)
BUILD.labels(settings.BUILD).set(1)


# Acts


ACTS = Counter(
    "pitside_acts",
    "Acts that were posted. outcome: taken, repeated (the first answer again), refused (with the refusal's code), busy "
    "(nothing was begun), or error",
    ["place", "outcome", "code"],
    registry=REGISTRY,
)
TAP_TO_COMMIT = Histogram(
    "pitside_tap_to_commit_seconds",
    "Of an act that was taken: what it waited on the tablet, and from the arrival of its request to its commit",
    ["place"],
    buckets=SECONDS,
    registry=REGISTRY,
)
TAP_TO_SCREEN = Histogram(
    "pitside_tap_to_screen_seconds",
    "Of an act at a table: the same, until a socket of this worker was sent the state after it",
    ["station"],
    buckets=SECONDS,
    registry=REGISTRY,
)

# When the request that is handled now arrived, and when its act was tapped, by `time.monotonic`
ARRIVED: ContextVar[float | None] = ContextVar("arrived", default=None)
_tapped: ContextVar[float | None] = ContextVar("tapped", default=None)


def committed(place: str, waited_ms: int) -> None:
    """Count the seconds of an act of this request that was committed just now. It had waited so long on its tablet."""
    now = time.monotonic()
    arrived = ARRIVED.get()
    tapped = (now if arrived is None else arrived) - waited_ms / 1_000
    _tapped.set(tapped)
    TAP_TO_COMMIT.labels(place).observe(now - tapped)


def tapped() -> float | None:
    """When the act was tapped that this request has committed; None if it has committed none."""
    return _tapped.get()


# Sockets and pushes


SOCKETS = Gauge("pitside_sockets", "Sockets that are open at this worker", ["station"], registry=REGISTRY)
LOST_PUSHES = Counter(
    "pitside_lost_pushes",
    "Pushes to other workers that were dropped because Redis was away; heartbeats make the screens ask",
    registry=REGISTRY,
)


class HeartbeatAge:
    """Seconds since the heartbeats of this worker's sockets last worked; 0 while it has no socket."""

    def __init__(self, monotonic: Callable[[], float] = time.monotonic) -> None:
        self.monotonic = monotonic
        self._sockets, self._worked_at = 0, 0.0

    def worked(self) -> None:
        """Note that some heartbeats were sent."""
        self._worked_at = self.monotonic()

    @contextlib.contextmanager
    def socket(self, station: str) -> Iterator[None]:
        """Count a socket as long as it is open."""
        if not self._sockets:
            self.worked()
        self._sockets += 1
        SOCKETS.labels(station).inc()
        try:
            yield
        finally:
            self._sockets -= 1
            SOCKETS.labels(station).dec()

    def seconds(self) -> float:
        return self.monotonic() - self._worked_at if self._sockets else 0.0


heartbeats = HeartbeatAge()
Gauge(
    "pitside_heartbeat_age_seconds",
    "Seconds since the heartbeats of this worker's sockets last worked; 0 without sockets",
    registry=REGISTRY,
).set_function(heartbeats.seconds)


# The listener


def listen() -> None:
    """Serve the registry at `PITSIDE_METRICS_LISTEN`, in a thread; nothing without that setting.

    A process whose address is taken works without a listener, and says so: no table waits for a monitor.
    """
    if not settings.METRICS_LISTEN:
        return
    host, _, port = settings.METRICS_LISTEN.rpartition(":")
    try:
        start_http_server(int(port), host.strip("[]") or "127.0.0.1", REGISTRY)
    except (OSError, ValueError) as error:
        log.error(
            "Metrics are not served at %s: %s. Give each process an address of its own.",
            settings.METRICS_LISTEN,
            error,
        )

"""What a full verification takes from the sealer: whether it refuses to seal this record, and why.

The database cannot tell by itself that newer entries were lost: a restored backup is whole. The sealer's folder, its
witnesses and its copies can, and the sealer writes what they say into its status.
"""

from collections.abc import Iterator

from audit import clock
from audit.findings import Finding, Tick, declare_finding, record_check, record_gap
from audit.sealing.problems import RECORD_CODES, say
from audit.sealing.status import SILENT_AFTER, sealer_status

SEALER_REFUSES = declare_finding("sealer-refuses", "The sealer does not seal %(log)s. %(problem)s")


@record_check
def check_sealer(tick: Tick) -> Iterator[Finding]:
    """Report each log that the sealer does not seal because of what is in the record."""
    tick()
    first = sealer_status()
    for facility in ("", *sorted(first.logs)):
        status = sealer_status(facility)
        if status.problem in RECORD_CODES:
            where = {"facility": facility} if facility else {}
            log = f"the log of {facility}" if facility else "the first log"
            yield Finding(
                SEALER_REFUSES, {**where, "log": log, "problem": say(status.problem, status.params)}
            )


@record_gap
def sealer_compares_nothing() -> Iterator[str]:
    """Without a sealer that seals, nobody here compares the record with what was signed."""
    status = sealer_status()
    beat_at = status.beat_at
    if status.problem and status.problem not in RECORD_CODES:
        yield f"whether newer entries were lost, as in a restored backup. {say(status.problem, status.params)}"
    elif beat_at is None or abs(clock.now() - beat_at) > SILENT_AFTER:
        since = f" since {clock.format_moment(beat_at)}" if beat_at else ""
        yield (
            f"whether newer entries were lost, as in a restored backup: no sealer has reported{since}. Start it, and "
            "ask manage.py sealer --check."
        )

"""What is known of the columns of the dice watch: counts of throws, which the entries of rounds state."""

from audit.columns import declare
from tables.models import DiceCursor, HourOfDice, TickerStatus, WatchedDice

COUNTED = "counted from throws, which are compared; a count that was changed only changes what the watch says"


def of(names: str, about: str = COUNTED) -> dict[str, str]:
    """The same about each of these columns."""
    return dict.fromkeys(names.split(), about)


declare(
    HourOfDice,
    "hour of dice",
    unproven=of("rounds throws faces totals first_round last_round lot shaker table gaming_day hour"),
)
declare(
    WatchedDice,
    "watched dice",
    unproven=of(
        "rounds throws faces totals first_round last_round facility kind year place lot shaker table first_at "
        "last_at log_evidence highest found_at found_round found_rounds found_log_evidence"
    ),
)
declare(DiceCursor, "dice cursor", unproven=of("table last_round"))
declare(
    TickerStatus,
    "ticker's status",
    unproven=of("beat_at failing", "a service's last report, which is overwritten every few seconds"),
)

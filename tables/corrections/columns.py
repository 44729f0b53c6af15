"""What is known of the columns of slips: the check of play compares them with their entries."""

from audit.columns import declare
from tables.models import Slip

PLAY = "tables.replay.record_checks.check_play_tables"

declare(
    Slip,
    "slip",
    derived=dict.fromkeys(
        (
            *("table", "number", "round", "gaming_day", "kind", "status", "reason", "corrects_seq", "before"),
            *(
                "after",
                "due",
                "elsewhere_cents",
                "filed_seq",
                "filed_at",
                "filed_by",
                "filed_with",
                "handed_over",
                "settled_seq",
            ),
            *("settled_at", "settled_by", "settled_with", "review_due_at", "review_comes_first"),
            *("reviewed_seq", "reviewed_at", "reviewed_by", "review_verdict", "review_reason"),
        ),
        PLAY,
    ),
)

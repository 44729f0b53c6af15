"""What the entries state of declared reports. Rollups are derived from the entries of rounds."""

from typing import Any

from audit.columns import FACILITY, Body, RowFindings, Rows, declare
from tables.figures.entry_types import REPORTS_DECLARED
from tables.models import (
    DayFigures,
    FiguresReport,
    FiguresSchedule,
    HourFigures,
    MonthFigures,
    RollupProgress,
)

DECLARED = ("every", "filters", "folder", "formats", "mail")


def declared(rows: Rows, body: Body) -> None:
    """The reports of an entry are the only ones from then on. One that stays as it was goes on where it is."""
    facility = FACILITY(body)
    running: dict[str, tuple[str, dict[str, Any]]] = rows.memory.setdefault(facility, {})
    reports = {
        report["name"]: {name: report[name] for name in DECLARED} for report in body["data"]["reports"]
    }
    for name, (since, values) in list(running.items()):
        if reports.get(name) != values:
            rows.put(body, facility, name, since, ended_at=body["at"])
            del running[name]
    for name, values in reports.items():
        if name not in running:
            running[name] = body["at"], values
            by = {"declared_by": body["actor"], "declared_with": body["witness"]}
            rows.put(body, facility, name, body["at"], ended_at=None, **values, **by)


declare(
    FiguresSchedule,
    "report",
    key={"facility": FACILITY, "name": "name", "declared_at": "at"},
    folded={REPORTS_DECLARED: declared},
    folded_columns=(*DECLARED, "declared_by", "declared_with", "ended_at"),
    findings=RowFindings.declare("declared-report"),
)
DELIVERY = "the delivery of a report that anybody can make again; what was delivered is no evidence"
declare(
    FiguresReport,
    "delivery",
    unproven=dict.fromkeys(
        (
            *("schedule", "period", "first_day", "last_day", "shift", "status", "attempts", "next_try_at"),
            *("claimed_at", "done_at", "files", "error"),
        ),
        DELIVERY,
    ),
)

ROLLUP = "tables.figures.record_checks.check_rollups"
SUMS = (
    *("table", "shift", "pit", "rounds", "unknown_rounds", "wagers", "handle_cents", "taken_cents"),
    *(
        "paid_cents",
        "fees_cents",
        "cut_cents",
        "expected_win",
        "variance",
        "expected_float",
        "variance_float",
    ),
    *("seats_wagering", "seats_offered", "open_us", "largest_cents", "largest_round", "largest_at"),
    *("by_family", "by_seat"),
)
HOUR = (*SUMS, "gaming_day", "begins_at", "dealers", "win_slots")
declare(HourFigures, "hour of figures", derived=dict.fromkeys(HOUR, ROLLUP))
declare(DayFigures, "day of figures", derived=dict.fromkeys((*SUMS, "gaming_day"), ROLLUP))
declare(MonthFigures, "month of figures", derived=dict.fromkeys((*SUMS, "month"), ROLLUP))
declare(
    RollupProgress,
    "progress of rollups",
    derived={"last_round": ROLLUP},
    unproven=dict.fromkeys(
        ("table", "newest_day", "newest_settled_at", "open_state", "slip_seq"),
        "how far rounds are counted: what was counted is compared with them",
    ),
)

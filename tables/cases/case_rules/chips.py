"""Counts of chips and cash that differ from the record. Nothing was adjusted, so somebody finds out why."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import recent_entries, tables_by_stream
from tables.models import Case
from tables.money.tray import DISCREPANCY_REPORTED
from tables.words.sentences import dollars

COUNTS = {
    "opener": "Opener",
    "count": "Tray",
    "transfer": "Fill or credit",
    "drop": "Drop box",
    "closer": "Closer",
}


def chips(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The discrepancies that were reported at tables of real play."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, DISCREPANCY_REPORTED.name):
        table, number = tables.get(entry.stream_id), data.get("discrepancy")
        if table is None or not isinstance(number, int):
            continue
        params = {
            "table": table.code,
            "differs": data["cause"],
            "expected_cents": data["expected_cents"],
            "counted_cents": data["counted_cents"],
            "slip": data["slip"] or "",
            "note": data["note"],
            "people": sorted(filter(None, (entry.actor, entry.witness))),
        }
        yield CaseSubject(f"{table.code}:{number}", entry.at, params, table)


def describe_chips(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return what differs by how much, and both sums."""
    difference = params["counted_cents"] - params["expected_cents"]
    if difference:
        by = f"{dollars(abs(difference))} {'over' if difference > 0 else 'short'}"
    else:
        by = "of the right value, in other chips"
    subject = params["slip"] or COUNTS[params["differs"]]
    note = f" {params['note']}" if params["note"] else ""
    expected, counted = dollars(params["expected_cents"]), dollars(params["counted_cents"])
    return (
        f"{subject} {by} at {params['table']}",
        f"Counted {counted}, {expected} by the record. Nothing was adjusted.{note}",
    )


def people_of_count(case: Case) -> set[str]:
    """Those who signed the count."""
    return set(case.params["people"])


CHIPS = case_kind(
    CaseKind(
        "chips",
        "Chips and cash",
        {
            "miscounted": "Miscounted, and counted again",
            "wrong-payment": "A payment that was wrong",
            "wrong-entry": "An entry that was wrong or missing",
            "taken": "Chips or cash were taken",
            "not-explained": "Not explained",
        },
        describe_chips,
        chips,
        people_of_count,
        needs_camera=True,
    )
)

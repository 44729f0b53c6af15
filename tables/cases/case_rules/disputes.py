"""Disputes: each report of a dispute at a table, and those that a patron brings to the desk."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.alerts.entry_types import DISPUTE_REPORTED
from tables.alerts.floor_call_acts import NO_WORDS
from tables.cases.kinds import BY_SLIP, GOODWILL, CaseKind, CaseSubject, case_kind
from tables.cases.recent import actors_of_round, recent_entries, tables_by_stream


def dispute_key(table: str, number: int | None, seat: int | None, seq: int | None = None) -> str:
    """The subject of a dispute: its round and seat; before the first round, the entry that reported it."""
    return f"{table}:{number}:{seat}" if number else f"{table}:entry:{seq}"


def disputes(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The disputes that were reported at tables of real play."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, DISPUTE_REPORTED.name):
        table, seat = tables.get(entry.stream_id), data.get("seat")
        if table is None or type(seat) is not int:
            continue
        yield CaseSubject(
            dispute_key(table.code, entry.round, seat, entry.seq),
            entry.at,
            {"table": table.code, "round": entry.round, "seat": seat, "about": str(data.get("about", ""))},
            table,
            entry.round,
            seat,
        )


def describe_dispute(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return who disputes, and what they say."""
    where = params["table"] if params.get("table") else "Away from a table"
    seat = f" seat {params['seat']}" if params.get("seat") else ""
    round_ = f", round {params['round']:,}" if params.get("round") else ""
    about = params["about"]
    text = "The table called without words. Ask what the patron says." if about == NO_WORDS else f"“{about}”"
    return f"Dispute at {where}{seat}{round_}", text


DISPUTE = case_kind(
    CaseKind(
        "dispute",
        "Dispute",
        {"stands": "Stands as settled", BY_SLIP: "Pay by slip", GOODWILL: "Goodwill, no finding"},
        describe_dispute,
        disputes,
        actors_of_round,
        needs_camera=True,
        writes_letters=True,
    )
)

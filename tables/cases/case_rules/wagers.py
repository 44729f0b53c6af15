"""Wagers over the table's maximum that were accepted and settled."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import actors_of_round, recent_entries, tables_by_stream
from tables.core.entry_types import ALERT_RAISED
from tables.models import Wager
from tables.rounds.alert_rules import OVER_MAX
from tables.words.sentences import dollars


def wagers_over_maximum(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The wagers over the maximum that were not lowered before no more bets, once their round has ended."""
    tables = tables_by_stream(facility)
    for entry, data in recent_entries(facility, now, ALERT_RAISED.name):
        table = tables.get(entry.stream_id)
        if table is None or data.get("kind") != OVER_MAX.code or entry.round is None:
            continue
        rows = Wager.objects.filter(
            round__table=table, round__number=entry.round, flag="over-max", struck=False
        )
        rows = rows.filter(seat=data["seat"], code=data["wager"], round__ended_at__isnull=False)
        for wager in rows.select_related("round"):
            params = {
                "table": table.code,
                "round": entry.round,
                "seat": wager.seat,
                "wager": wager.code,
                "cents": wager.cents,
            }
            key = f"{table.code}:{entry.round}:{wager.seat}:{wager.code}:{wager.play}"
            yield CaseSubject(key, entry.at, params, table, entry.round, wager.seat)


def describe_wager(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the wager, and where it was accepted."""
    return (
        f"{dollars(params['cents'])} over the maximum at {params['table']}",
        f"Round {params['round']:,}, seat {params['seat']}, {params['wager']}: accepted, and settled in full",
    )


LIMITS = case_kind(
    CaseKind(
        "limits",
        "Wager out of limits",
        {"error": "Accepted in error", "permitted": "Permitted", "reported": "Reported to the regulator"},
        describe_wager,
        wagers_over_maximum,
        actors_of_round,
    )
)

"""Wagers outside the table's limits, over the maximum or under the minimum, that were accepted and settled."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import LOOKBACK, actors_of_round, tables_by_stream
from tables.models import Wager
from tables.words.sentences import dollars

SIDES = {"over-max": "over the maximum", "under-min": "under the minimum"}


def wagers_out_of_limits(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The wagers outside the limits that were not changed before no more bets, once their round has ended."""
    since = now - LOOKBACK
    rows = Wager.objects.filter(flag__in=SIDES, struck=False, round__ended_at__gt=since)
    # the index of rounds is by table and gaming day, which may have begun a day before
    first_day = facility.gaming_day(since) - dt.timedelta(days=1)
    rows = rows.filter(round__table__in=tables_by_stream(facility).values(), round__gaming_day__gte=first_day)
    for wager in rows.select_related("round__table").order_by("pk"):
        round_, table = wager.round, wager.round.table
        assert round_.ended_at is not None
        params = {
            "table": table.code,
            "round": round_.number,
            "seat": wager.seat,
            "wager": wager.code,
            "cents": wager.cents,
            "flag": wager.flag,
        }
        key = f"{table.code}:{round_.number}:{wager.seat}:{wager.code}:{wager.play}"
        yield CaseSubject(key, round_.ended_at, params, table, round_.number, wager.seat)


def describe_wager(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the wager, and where it was accepted. Older cases are all over the maximum, and do not say so."""
    side = SIDES[params.get("flag", "over-max")]
    return (
        f"{dollars(params['cents'])} {side} at {params['table']}",
        f"Round {params['round']:,}, seat {params['seat']}, {params['wager']}: accepted, and settled in full",
    )


LIMITS = case_kind(
    CaseKind(
        "limits",
        "Wager out of limits",
        {"error": "Accepted in error", "permitted": "Permitted", "reported": "Reported to the regulator"},
        describe_wager,
        wagers_out_of_limits,
        actors_of_round,
        is_slow=True,
    )
)

"""Wagers outside the table's limits, over the maximum or under the minimum, that were accepted and settled."""

import datetime as dt
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from django.db.models import Exists, OuterRef

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import LOOKBACK, actors_of_round, tables_by_stream
from tables.models import Case, Round, Wager
from tables.words.sentences import dollars

SIDES = {"over-max": "over the maximum", "under-min": "under the minimum"}
KIND = "limits"


def wagers_out_of_limits(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The rounds with wagers outside the limits that were not changed before no more bets, once each has ended.

    A round is one case, however many wagers it is about: the same people accepted them within the same minute. The
    rounds of older cases, which were about one wager each, get no second one.
    """
    since = now - LOOKBACK
    rows = Wager.objects.filter(flag__in=SIDES, struck=False, round__ended_at__gt=since)
    # the index of rounds is by table and gaming day, which may have begun a day before
    first_day = facility.gaming_day(since) - dt.timedelta(days=1)
    rows = rows.filter(round__table__in=tables_by_stream(facility).values(), round__gaming_day__gte=first_day)
    cases = Case.objects.filter(kind=KIND, table=OuterRef("round__table"), round=OuterRef("round__number"))
    rows = rows.filter(~Exists(cases)).select_related("round__table").order_by("round__pk", "pk")
    for round_, wagers in groupby(rows, key=lambda wager: wager.round):
        yield _subject(round_, list(wagers))


def _subject(round_: Round, wagers: list[Wager]) -> CaseSubject:
    table, seats = round_.table, {wager.seat for wager in wagers}
    assert round_.ended_at is not None
    params = {
        "table": table.code,
        "round": round_.number,
        "wagers": [
            {"seat": wager.seat, "wager": wager.code, "cents": wager.cents, "flag": wager.flag}
            for wager in wagers
        ],
    }
    seat = seats.pop() if len(seats) == 1 else None
    return CaseSubject(f"{table.code}:{round_.number}", round_.ended_at, params, table, round_.number, seat)


def wagers_of(params: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The wagers that a case is about. An older case is about one, over the maximum where it does not say."""
    return params.get("wagers", [{"flag": "over-max", **params}])


def describe_wagers(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return what was outside the limits, and where it was accepted."""
    wagers, place = wagers_of(params), f"Round {params['round']:,}"
    what = f"{_sides(wagers)} at {params['table']}"
    if len(wagers) == 1:
        [wager] = wagers
        title = f"{dollars(wager['cents'])} {what}"
        return title, f"{place}, seat {wager['seat']}, {wager['wager']}: accepted, and settled in full"
    seats = sorted({wager["seat"] for wager in wagers})
    at = f"seat {seats[0]}" if len(seats) == 1 else f"seats {', '.join(map(str, seats))}"
    title = f"{len(wagers)} wagers {what}, {dollars(sum(wager['cents'] for wager in wagers))}"
    return title, f"{place}, {at}: accepted, and settled in full"


def sum_up_wagers(cases: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """Return how many wagers several cases are about and their sum, and how many are on each side of the limits."""
    wagers = [wager for params in cases for wager in wagers_of(params)]
    counts = Counter(wager["flag"] for wager in wagers)
    cents = sum(wager["cents"] for wager in wagers)
    sides = [f"{counts[flag]:,} {words}" for flag, words in SIDES.items() if counts[flag]]
    return f"{len(wagers):,} wagers out of limits, {dollars(cents)}", ", ".join(sides)


def _sides(wagers: list[Mapping[str, Any]]) -> str:
    flags = {wager["flag"] for wager in wagers}
    return SIDES[flags.pop()] if len(flags) == 1 else "out of limits"


LIMITS = case_kind(
    CaseKind(
        KIND,
        "Wagers out of limits",
        {"error": "Accepted in error", "permitted": "Permitted", "reported": "Reported to the regulator"},
        describe_wagers,
        wagers_out_of_limits,
        actors_of_round,
        is_slow=True,
        sum_up=sum_up_wagers,
    )
)

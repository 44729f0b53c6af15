"""Findings of the dice watch: a lot, or a shaker in a year, whose throws speak against fair dice."""

import datetime as dt
from collections.abc import Iterator, Mapping
from typing import Any

from games.models import Facility
from tables.cases.kinds import CaseKind, CaseSubject, case_kind
from tables.cases.recent import LOOKBACK
from tables.dice_watch.alert_rules import CASE_KIND, subject_of
from tables.dice_watch.words import evidence_words, range_words
from tables.models import WatchedDice


def unfair_dice(facility: Facility, now: dt.datetime) -> Iterator[CaseSubject]:
    """The lots and shakers of live tables that reached their alarm line."""
    rows = WatchedDice.objects.filter(
        facility=facility, kind=WatchedDice.Kind.LIVE, found_at__gt=now - LOOKBACK
    )
    for row in rows.select_related("lot", "shaker", "table__stream").order_by("pk"):
        assert row.found_at is not None and row.found_round is not None
        params = {
            "lot": row.lot.code if row.lot else "",
            "shaker": row.shaker.code,
            "year": row.year,
            "table": row.table.code,
            "first_round": row.first_round,
            "last_round": row.found_round,
            "rounds": row.found_rounds,
            "evidence": evidence_words(row.found_log_evidence or 0),
            "line": row.alarm_line,
        }
        yield CaseSubject(subject_of(row), row.found_at, params, row.table, row.found_round)


def describe_dice(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the lot or shaker with its rounds and the evidence, and what is proposed."""
    lot, shaker = params["lot"], params["shaker"]
    title = f"Dice watch: lot {lot}" if lot else f"Dice watch: shaker {shaker} in {params['year']}"
    where = f"{params['table']}, shaker {shaker}, {range_words(params['first_round'], params['last_round'])}"
    text = (
        f"{where}: after {params['rounds']:,} rounds the evidence against fair dice is {params['evidence']}, "
        f"the alarm line is {params['line']:,}. Proposed: withdraw the dice and inspect them"
    )
    return title, text if lot else f"{text}, and the shaker"


DICE = case_kind(
    CaseKind(
        CASE_KIND,
        "Dice watch",
        {
            "chance": "Chance: dice and shaker are sound",
            "unfair": "The dice are not fair",
            "shaker": "The shaker is at fault",
            "not-explained": "Not explained",
        },
        describe_dice,
        unfair_dice,
        needs_camera=True,
    )
)

"""Alerts of the dice watch: a lot or a shaker whose throws speak against fair dice. Nothing happens by itself."""

import datetime as dt
from collections.abc import Mapping
from typing import Any

from tables.core.alert_kinds import AlertKind, AlertRule, ExpectedAlert, Level, alert_kind, alert_rule
from tables.dice_watch.words import evidence_words, range_words
from tables.models import Case, DiceLot, Table, WatchedDice

FINDING_TICKS = 30
CASE_KIND = "dice"


def describe_lot(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a lot."""
    return (
        f"Dice watch: look at lot {params['lot']}",
        f"Shaker {params['shaker']}, {_evidence(params)} Withdraw the lot and have it inspected, or decide its case.",
    )


def describe_shaker(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a shaker."""
    return (
        f"Dice watch: look at shaker {params['shaker']}",
        f"All its lots of the year, {_evidence(params)} Withdraw the dice, and have shaker and dice inspected.",
    )


def _evidence(params: Mapping[str, Any]) -> str:
    rounds = range_words(params["first_round"], params["round"])
    return f"{rounds}: the evidence against fair dice is {params['evidence']}, the alarm line is {params['alarm']:,}."


UNFAIR_LOT = alert_kind(
    AlertKind(
        "dice-watch",
        "dice-watch:lot:{lot}",
        Level.WARN,
        "Dice watch",
        "Dice watch",
        describe=describe_lot,
        at_the_pit=True,
    )
)
UNFAIR_SHAKER = alert_kind(
    AlertKind(
        "dice-watch",
        "dice-watch:shaker:{shaker}",
        Level.WARN,
        "Dice watch",
        "Dice watch",
        describe=describe_shaker,
        at_the_pit=True,
    )
)


def subject_of(watched: WatchedDice) -> str:
    """Return the subject of the case about a finding."""
    if watched.lot is not None:
        return f"lot:{watched.lot.code}"
    return f"shaker:{watched.shaker.code}:{watched.year}"


def findings(now: dt.datetime, table_id: int | None = None) -> list[ExpectedAlert]:
    """Return an alert for each finding whose dice or shaker are still in use at a live table.

    It ends when the lot leaves the shaker, or the shaker its table, or when the case about it is closed.
    """
    rows = WatchedDice.objects.filter(found_at__isnull=False, kind=WatchedDice.Kind.LIVE)
    in_use = [
        row
        for row in rows.select_related("lot", "shaker__table", "facility")
        if _table_id(row) is not None and table_id in (None, _table_id(row))
    ]
    if not in_use:
        return []
    closed = Case.objects.filter(kind=CASE_KIND, status=Case.Status.CLOSED)
    decided = set(closed.values_list("facility_id", "subject"))
    return [_alert(row) for row in in_use if (row.facility_id, subject_of(row)) not in decided]


def _table_id(row: WatchedDice) -> int | None:
    """Return the id of the live table where the lot or the shaker is in use now."""
    shaker = row.shaker
    if shaker.out_of_order or shaker.table is None or shaker.table.kind != Table.Kind.LIVE:
        return None
    if row.lot is not None and (row.lot.status != DiceLot.Status.PLACED or row.lot.shaker_id != shaker.pk):
        return None
    return shaker.table.pk


def _alert(row: WatchedDice) -> ExpectedAlert:
    table_id = _table_id(row)
    assert table_id is not None and row.found_log_evidence is not None and row.found_round is not None
    kind = UNFAIR_LOT if row.lot is not None else UNFAIR_SHAKER
    return kind.expected(
        table_id,
        section=row.facility.law.section("guide.device"),
        since=row.found_at,
        **({"lot": row.lot.code} if row.lot is not None else {}),
        shaker=row.shaker.code,
        first_round=row.first_round,
        round=row.found_round,
        evidence=evidence_words(row.found_log_evidence),
        alarm=row.alarm_line,
    )


alert_rule(AlertRule((UNFAIR_LOT, UNFAIR_SHAKER), findings, FINDING_TICKS))

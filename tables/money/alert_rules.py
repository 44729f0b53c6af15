"""The alerts about counts that differ from the record, that were refused, and about a tray below zero by the record."""

from collections.abc import Mapping
from typing import Any

from games.engine.odds import in_dollars
from tables.core.alert_kinds import AlertKind, Level, alert_kind

TITLES = {
    "opener": "Opener differs",
    "count": "Tray differs",
    "transfer": "Fill or credit differs",
    "drop": "Drop differs",
    "closer": "Closer differs",
}


def _describe(params: Mapping[str, Any]) -> tuple[str, str]:
    expected, counted = in_dollars(params["expected_cents"]), in_dollars(params["counted_cents"])
    difference = params["counted_cents"] - params["expected_cents"]
    if difference:
        by = f"{in_dollars(abs(difference))} {'more' if difference > 0 else 'less'} than the record"
    else:
        by = "the sum agrees, the denominations do not"
    of = f" of {params['slip']}" if params.get("slip") else ""
    text = f"Counted{of} {counted}, expected {expected}: {by}. Nothing was adjusted. Find out why and write it down."
    return TITLES[params["differs"]], text


DISCREPANCY = alert_kind(
    AlertKind(
        "chips-differ",
        "chips:{discrepancy}",
        Level.STOP,
        "Chips differ",
        "Chips differ",
        describe=_describe,
        ends_when_acknowledged=True,
    )
)
REFUSED_COUNTS = alert_kind(
    AlertKind(
        "counts-refused",
        "counts-refused:{slip}",
        Level.WARN,
        "Counts refused",
        "Slip %(slip)s: counts refused",
        "More than one count of its chips was refused, because it is not that of the slip. See who counts them.",
        ends_when_acknowledged=True,
    )
)


def describe_below_zero(params: Mapping[str, Any]) -> tuple[str, str]:
    """Return the title and the text of the alert about a tray below zero."""
    title = f"By the record the tray is {in_dollars(params['cents'])} below zero"
    return (
        title,
        "No tray holds less than nothing. Stop, count it, and compare the last rounds with the video.",
    )


TRAY_BELOW_ZERO = alert_kind(
    AlertKind(
        "tray-below-zero",
        "tray-below-zero",
        Level.STOP,
        "Tray below zero",
        "",
        describe=describe_below_zero,
    )
)

"""Lines of the record about chips and cash at a table."""

from collections.abc import Iterable

from games.engine.odds import in_dollars
from tables.money.entry_types import (
    CHIPS_DECLARED,
    CHIPS_SOLD,
    CLOSER_COUNTED,
    DISCREPANCY_REPORTED,
    DROP_BOX_COUNTED,
    DROP_BOX_PUT_ON,
    DROP_BOX_TAKEN_OFF,
    KEEPING_CHANGED,
    OPENER_COUNTED,
    PAR_SET,
    TRANSFER_CANCELED,
    TRANSFER_CARRIER_SIGNED,
    TRANSFER_COUNT_REFUSED,
    TRANSFER_HANDED_OVER,
    TRANSFER_PREPARED,
    TRANSFER_RECEIVED,
    TRANSFER_REQUESTED,
    TRANSFER_VOIDED,
    TRAY_COUNTED,
    Transfer,
)
from tables.words.registry import line, register

CAUSES = {
    "opener": "the opener",
    "count": "the tray",
    "transfer": "a fill or credit",
    "drop": "a drop box",
    "closer": "the closer",
}


def transfer_name(data: Transfer) -> str:
    """`Fill F-0131, $17,000`."""
    kind = "Fill" if data["kind"] == "fill" else "Credit"
    return " ".join(filter(None, (kind, data["slip"]))) + f", {in_dollars(data['cents'])}"


def difference_words(cents: int) -> str:
    """`no difference`, `$500 less`, `$500 more`."""
    if not cents:
        return "no difference"
    return f"{in_dollars(abs(cents))} {'more' if cents > 0 else 'less'} than the record"


def chips_in_words(chips_cents: Iterable[int]) -> str:
    """`$1,000, $500, $0.50`."""
    return ", ".join(map(in_dollars, chips_cents))


ACT_LINES = [
    line(CHIPS_DECLARED, lambda data: f"Chips of the casino: {chips_in_words(data['chips_cents'])}"),
    line(
        OPENER_COUNTED,
        lambda data: (
            f"Opener counted: {in_dollars(data['cents'])}, {difference_words(data['difference_cents'])}"
        ),
    ),
    line(
        TRAY_COUNTED,
        lambda data: (
            f"Tray counted: {in_dollars(data['cents'])}, {difference_words(data['difference_cents'])}"
        ),
    ),
    line(
        CLOSER_COUNTED,
        lambda data: (
            f"Closer counted: {in_dollars(data['cents'])}, {difference_words(data['difference_cents'])}"
        ),
    ),
    line(
        DISCREPANCY_REPORTED,
        lambda data: (
            f"Count of {CAUSES[data['cause']]} differs: {in_dollars(data['counted_cents'])}, "
            f"not {in_dollars(data['expected_cents'])}"
        ),
    ),
    line(TRANSFER_REQUESTED, lambda data: f"{transfer_name(data)}: requested"),
    line(TRANSFER_PREPARED, lambda data: f"{transfer_name(data)}: being prepared"),
    line(TRANSFER_CARRIER_SIGNED, lambda data: f"{transfer_name(data)}: the carrier signed"),
    line(
        TRANSFER_COUNT_REFUSED,
        lambda data: (
            f"{transfer_name(data)}: a count {'that agrees was reported' if data['agrees'] else 'differs'}, refused; "
            f"number {data['refused_counts']}"
        ),
    ),
    line(TRANSFER_HANDED_OVER, lambda data: f"{transfer_name(data)}: with security"),
    line(TRANSFER_RECEIVED, lambda data: f"{transfer_name(data)}: received"),
    line(TRANSFER_VOIDED, lambda data: f"{transfer_name(data)}: void"),
    line(TRANSFER_CANCELED, lambda data: f"{transfer_name(data)}: canceled"),
    line(CHIPS_SOLD, lambda data: f"Chips sold: {in_dollars(data['cents'])}"),
    line(DROP_BOX_PUT_ON, lambda data: f"Drop box {data['box']} put on"),
    line(DROP_BOX_TAKEN_OFF, lambda data: f"Drop box {data['box']} taken off"),
    line(
        DROP_BOX_COUNTED,
        lambda data: (
            f"Drop box {data['box']} counted: {in_dollars(data['cents'])}, "
            f"{difference_words(data['difference_cents'])}"
        ),
    ),
    line(PAR_SET, lambda data: f"Par set: {in_dollars(data['cents'])}"),
    line(
        KEEPING_CHANGED,
        lambda data: (
            "The casino keeps the inventory of its tables from now on"
            if data["keeps"]
            else "The casino no longer keeps the inventory of its tables"
        ),
    ),
]


register(act_lines=ACT_LINES)

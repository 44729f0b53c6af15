"""Sentences about failed equipment."""

from tables.failures.entry_types import (
    DEVICE_FAILED,
    REPAIR_RECORDED,
    ROUND_RECORDED_BY_HAND,
    SHAKER_REPAIRED,
    SHAKER_REPLACED,
)
from tables.words.registry import line, register
from tables.words.sentences import dice_words

CEASED_TEXTS = {
    "device": "The electrical device failed. Repair it, then record the repair before the next round.",
    "layout": "The lit layout failed. Repair it, then record the repair before the next round.",
    "shaker": "The automated shaker failed. Repair it, or replace it with another shaker.",
}


def ceased_text(equipment: str) -> str:
    """What to do at a table where gaming ceased."""
    return CEASED_TEXTS.get(equipment, "")


ACT_LINES = [
    line(
        ROUND_RECORDED_BY_HAND, lambda data: "Dice %s, recorded after manual play" % dice_words(data["dice"])
    ),
    line(SHAKER_REPLACED, lambda data: "Shaker %(shaker)s placed" % data),
    line(SHAKER_REPAIRED, lambda data: "Shaker %(shaker)s repaired and taken away" % data),
    line(DEVICE_FAILED, lambda data: "Device failed"),
    line(REPAIR_RECORDED, lambda data: "Repair recorded"),
]

register(act_lines=ACT_LINES)

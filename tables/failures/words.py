"""Sentences about failed equipment."""

CEASED_TEXTS = {
    "device": "The electrical device failed. Repair it, then record the repair before the next round.",
    "layout": "The lit layout failed. Repair it, then record the repair before the next round.",
    "shaker": "The automated shaker failed. Repair it, or replace it with another shaker.",
}


def ceased_text(equipment: str) -> str:
    """What to do at a table where gaming ceased."""
    return CEASED_TEXTS.get(equipment, "")

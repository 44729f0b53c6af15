"""What most games call their things and what they say of an act. A game's own words come first (`LABELS` of its words)."""

LABELS = {
    "lot": "lot",
    "shaker": "shaker",
    "shaken": "shaken",
    "dice order": "",
    "new lot": "A fresh lot goes into the shaker, and the old one is out of play",
    "removed": "Dice are removed",
    "removed detail": "leaves play for good",
    "dice corrected": "The layout lights up again.",
    "round voided": "Every wager of this round goes back to its seat.",
}

# What of an electrical device may fail: the code that the act sends, and the words
DEVICE_PARTS = {"device": "The device", "layout": "The lights of the layout", "shaker": "The shaker"}

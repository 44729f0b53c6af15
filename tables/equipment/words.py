"""The inspection's lines and the approvals' subjects in words.

The codes are in the editions. The sentences are our own, never the regulation's. Those of a single game are in the
`words.py` of its folder, as `INSPECTION_LINES` and `APPROVAL_SUBJECTS`.
"""

from collections.abc import Mapping
from typing import Any

from games.wording import with_games
from tables.words.registry import register

# A line of the inspection or of an approval, as a person confirms it
LINES = {
    # At each opening
    "boxes": "Drop box and tip box are on the dealer's side, one at each hand, where approved.",
    "cover-conceals": "The shaker's own cover hides the dice while it runs.",
    "dice-sealed": "The dice are sealed in the shaker.",
    "layout-odds": "The layout shows the odds now in force.",
    "odds-sign": "A sign at the table shows the odds.",
    "shaker-seals": "The shaker seals or locks, with the dice inside.",
    "shaker-uncovered": "Nothing covers the automated shaker.",
    # Once, when the approval of the table or its layout is recorded
    "layout-areas": "Every wager has its own marked area.",
    "layout-logo": "The layout carries our name or logo.",
    # Once, when the approval of the shaker or the system is recorded
    "shaker-compartment": "The dice are in a transparent compartment.",
    "shaker-cover": "It has its own opaque cover.",
    "shaker-integrity": "It is built so that nobody can tamper with the result.",
    "shaker-logo": "It carries our name or logo.",
    "shaker-sealable": "It can be sealed or locked.",
    "shaker-shakes-all": "It shakes all the dice of the game well.",
    "shaker-without-cover": "It has no separate cover.",
}

# What an approval is of
SUBJECTS = {
    "boxes": "Places of the drop box and the tip box",
    "device": "Electrical device",
    "layout": "Layout",
    "shaker": "Shaker",
    "shaker-automated": "Automated shaker, laboratory",
    "shaker-place": "Place of the automated shaker",
    "shaker-procedure": "Procedure of the automated shaker",
}

# The posts at a table
POSTS = {
    "dealer": "the dealer",
    "dealer-left": "the left dealer",
    "stick": "the stickperson",
}


def inspection_lines() -> Mapping[str, str]:
    """Return every line of an inspection or approval by its code, those of single games included."""
    return with_games("INSPECTION_LINES", LINES)


def approval_subjects() -> Mapping[str, str]:
    """Return what approvals are of by code, those of single games included."""
    return with_games("APPROVAL_SUBJECTS", SUBJECTS)


def words_for_codes(params: Mapping[str, Any]) -> dict[str, Any]:
    """Replace codes of subjects, inspection lines and posts among a refusal's parameters with words."""
    labels_by_name = {"subject": approval_subjects(), "line": inspection_lines(), "post": POSTS}
    return {
        name: str(labels_by_name[name].get(value, value)) if name in labels_by_name else value
        for name, value in params.items()
    }


register(act_lines=(), params=words_for_codes)

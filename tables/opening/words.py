"""Sentences of a table's opening: the next step while it is closed or ceased, and the posts that are empty."""

from collections.abc import Sequence

from tables.equipment.approvals import POSTS
from tables.opening.entry_types import TABLE_CLOSED, TABLE_INSPECTED, TABLE_OPENED
from tables.words.registry import line, register
from tables.words.sentences import dice_words

OPENING_LABELS = {
    "record_repair": "Record the repair",
    "inspect_table": "Inspected",
    "open_table": "Open the table",
}

# The line below the step: what the tap does, before an opening or after a repair.
OPENING_SENTENCES = {
    ("record_repair", "repair"): "Describe the repair; a floorperson signs",
    ("inspect_table", "repair"): "Everything is in order; gaming continues",
    ("inspect_table", "opening"): "Everything is in order; then open the table",
    ("open_table", "opening"): "Limits %(min)s–%(max)s; round %(round)s begins",
}


def empty_posts_sentence(posts: Sequence[str]) -> str:
    """Who must still sign in: `The left dealer and the stickperson are missing. …`"""
    names = [str(POSTS[post]) for post in posts]
    if len(names) == 1:
        sentence = "%s is still missing. Sign in at a tablet of this table." % names[0]
    else:
        sentence = "%(most)s and %(last)s are still missing. Each signs in at a tablet of this table." % {
            "most": ", ".join(names[:-1]),
            "last": names[-1],
        }
    return sentence[:1].upper() + sentence[1:]


ACT_LINES = [
    line(TABLE_INSPECTED, lambda data: "Inspected with %s" % dice_words(data["dice"])),
    line(TABLE_OPENED, lambda data: "Opened"),
    line(TABLE_CLOSED, lambda data: "Closed"),
]

register(act_lines=ACT_LINES)

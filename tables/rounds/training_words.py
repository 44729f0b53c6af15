"""Lines of the record about training."""

from tables.rounds.entry_types import DICE_DRAWN
from tables.words.registry import line, register

ACT_LINES = [
    line(DICE_DRAWN, lambda data: "Dice %s thrown by the machine" % " ".join(map(str, data["dice"]))),
]


register(act_lines=ACT_LINES)

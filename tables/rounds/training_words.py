"""Lines of the record about training."""

from collections.abc import Callable
from typing import Any

from tables.words.registry import register

ACT_LINES: dict[str, Callable[[dict[str, Any]], str]] = {
    "dice.drawn": lambda data: "Dice %s thrown by the machine" % " ".join(map(str, data["dice"])),
}


register(act_lines=ACT_LINES)

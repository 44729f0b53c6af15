"""How many examples a test tries: with `script/test --all` every one.

Hypothesis draws other examples in each run, and a list is taken up at another place each day. So a third of them a day
tries as many in three days.
"""

import os
import time
import zlib
from collections.abc import Sequence
from typing import Any

VARIABLE = "TEST_EVERY_EXAMPLE"
DAYS = 3


def examples(count: int) -> int:
    """The number to try in this run, of `count`."""
    return count if os.environ.get(VARIABLE) else count // DAYS


def of_today(every: Sequence[Any]) -> Sequence[Any]:
    """The examples of a list that are tried in this run: every third, from a place that moves on each day."""
    return every if os.environ.get(VARIABLE) else every[int(time.time() / 86_400) % DAYS :: DAYS]


def is_of_today(name: str) -> bool:
    """Whether the state with this name is looked at in this run. Each is on one of three days."""
    day = int(time.time() / 86_400)
    return bool(os.environ.get(VARIABLE)) or (zlib.crc32(name.encode()) + day) % DAYS == 0

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
DAY = "TEST_DAY"  # the day of a run that began before midnight
DAYS = 3


def day() -> int:
    """The number of the day of this run."""
    return int(os.environ.get(DAY) or time.time() / 86_400)


def examples(count: int) -> int:
    """The number to try in this run, of `count`."""
    return count if os.environ.get(VARIABLE) else count // DAYS


def of_today(every: Sequence[Any]) -> Sequence[Any]:
    """The examples of a list that are tried in this run: every third, from a place that moves on each day."""
    return every if os.environ.get(VARIABLE) else every[day() % DAYS :: DAYS]


def is_of_today(name: str) -> bool:
    """Whether the state with this name is looked at in this run. Each is on one of three days."""
    return bool(os.environ.get(VARIABLE)) or (zlib.crc32(name.encode()) + day()) % DAYS == 0

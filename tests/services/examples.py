"""How many examples Hypothesis tries of what the engine computes: with `script/test --all` every one.

Each run draws other examples, so a third of them a day tries as many in three days.
"""

import os

VARIABLE = "TEST_EVERY_EXAMPLE"


def examples(count: int) -> int:
    """The number to try in this run, of `count`."""
    return count if os.environ.get(VARIABLE) else count // 3

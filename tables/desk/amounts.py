"""The sums that an entry tells, read from its bytes: every figure of its data that is in whole cents, at any depth.

A wager, what was paid on it, a total, a limit. Keys of money end in `cents` (audit/FORMAT.md). In canonical JSON no
text looks like one of them, because a quote within a text has a backslash before it.
"""

import re
from collections.abc import Iterator, Sequence

from audit.models import Entry

MONEY = re.compile(rb'cents":(-?[0-9]+)')
AT_ONCE = 250  # bodies that are read in one statement


def sums_of(body: bytes) -> set[int]:
    """In cents, without their signs: what a player owes is found as what a player is owed."""
    return {abs(int(one)) for one in MONEY.findall(body)}


def with_a_sum(keys: Sequence[int], least: int | None, most: int | None) -> Iterator[int]:
    """The keys of the entries that tell a sum from `least` to `most` cents, both within; None where it is open."""
    for start in range(0, len(keys), AT_ONCE):
        part = keys[start : start + AT_ONCE]
        bodies = dict(Entry.objects.filter(pk__in=part).values_list("pk", "body"))
        for key in part:
            if any(_within(one, least, most) for one in sums_of(bytes(bodies[key]))):
                yield key


def _within(cents: int, least: int | None, most: int | None) -> bool:
    return (least is None or cents >= least) and (most is None or cents <= most)

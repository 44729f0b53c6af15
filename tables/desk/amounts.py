"""The sums that an entry tells, read from its bytes: every figure of its data that is in whole cents, at any depth.

A wager, what was paid on it, a total, a limit. Keys of money end in `cents` (audit/FORMAT.md). In canonical JSON no
text looks like one of them, because a quote within a text has a backslash before it.
"""

import re
from collections.abc import Iterator, Sequence

from audit.models import Entry

MONEY = re.compile(rb'cents":(-?[0-9]+)')
BATCH_SIZE = 250  # bodies that are read in one statement


def amounts_in(body: bytes) -> set[int]:
    """In cents, without their signs: what a player owes is found as what a player is owed."""
    return {abs(int(amount)) for amount in MONEY.findall(body)}


def filter_by_amount(keys: Sequence[int], least: int | None, most: int | None) -> Iterator[int]:
    """The keys of the entries that tell a sum from `least` to `most` cents, both within; None where it is open."""
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        bodies = dict(Entry.objects.filter(pk__in=batch).values_list("pk", "body"))
        for key in batch:
            if any(_within(amount, least, most) for amount in amounts_in(bytes(bodies[key]))):
                yield key


def _within(cents: int, least: int | None, most: int | None) -> bool:
    return (least is None or cents >= least) and (most is None or cents <= most)

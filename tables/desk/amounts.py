"""The amounts and texts in an entry, read from its bytes: every value of its data, at any depth.

Wagers, payments, totals, limits. Keys of money end in `cents` (audit/FORMAT.md). In canonical JSON no text can look
like such a key, because a quote within a text is escaped by a backslash.
"""

import re
from collections.abc import Iterator, Sequence

from audit.models import Entry

MONEY = re.compile(rb'cents":(-?[0-9]+)')
BATCH_SIZE = 250  # bodies read in one query


def amounts_in(body: bytes) -> set[int]:
    """The amounts in cents, without signs: what a player owes is found like what a player is owed."""
    return {abs(int(amount)) for amount in MONEY.findall(body)}


def filter_by_amount(keys: Sequence[int], least: int | None, most: int | None) -> Iterator[int]:
    """Yield the keys of the entries with an amount from `least` to `most` cents, inclusive. None means no bound."""
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        bodies = dict(Entry.objects.filter(pk__in=batch).values_list("pk", "body"))
        for key in batch:
            if any(_within(amount, least, most) for amount in amounts_in(bytes(bodies[key]))):
                yield key


def filter_by_text(keys: Sequence[int], text: str) -> Iterator[int]:
    """Yield the keys of the entries with this text as a whole value, such as the code of a submission."""
    value = b'"' + text.encode() + b'"'
    for start in range(0, len(keys), BATCH_SIZE):
        batch = keys[start : start + BATCH_SIZE]
        bodies = dict(Entry.objects.filter(pk__in=batch).values_list("pk", "body"))
        for key in batch:
            if value in bytes(bodies[key]):
                yield key


def _within(cents: int, least: int | None, most: int | None) -> bool:
    return (least is None or cents >= least) and (most is None or cents <= most)

"""The settled rounds of a day, by table: all of them, or those settled after a certain round.

The entries of a settled round never change, and a table settles its rounds in the order of their numbers. So sums up
to one round stay valid, and a later report adds only newer rounds.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from tables.replay.round_records import RoundRecord


@dataclass(frozen=True)
class SettledRounds:
    """What identifies settled rounds of a table: `last_number` is the newest, `digest` covers their last entries."""

    rounds: int
    won_cents: int
    last_number: int
    digest: str


NONE = SettledRounds(0, 0, 0, "")


def summary(rounds: Sequence[RoundRecord]) -> SettledRounds:
    """Summarize settled rounds of one table, which are in the order of their numbers."""
    if not rounds:
        return NONE
    digest = hashlib.sha256("".join(record.last_digest for record in rounds).encode()).hexdigest()
    return SettledRounds(len(rounds), won_cents(rounds), rounds[-1].number, digest)


def won_cents(rounds: Sequence[RoundRecord]) -> int:
    """What these rounds took less what they paid."""
    return sum(record.taken_cents - record.paid_cents for record in rounds)

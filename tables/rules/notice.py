"""What a table offers: the version in force and the wagers that are stopped, and what its record last told of it.

An act asks this for itself, under the table's lock. What a screen shows between rounds is what the record says: the
act that ends a round, and the one that opens the next, tell of a change; the clock tells it where nobody acts.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from games.models import RulesSubmission
from tables.core.context import TableContext

MAX_SUSPENDED_CHARS = 120  # characters of a key for the stopped wagers; more of them are kept as their hash
TOOK_EFFECT = "rules.took_effect"


@dataclass(frozen=True)
class RulesInEffect:
    """A version (0 where none is in force), the first digits of its terms' SHA-256, and the wagers that are stopped."""

    submission: str
    version: int
    terms: str
    stopped: str

    @property
    def key(self) -> str:
        """The whole of it as a table's row keeps it: `RS-0009/2/0123456789abcdef;total:4,total:17`."""
        return f"{self.submission}/{self.version}/{self.terms};{self.stopped}"

    @property
    def codes(self) -> frozenset[str]:
        """The stopped wagers; none where they were too many to keep."""
        return frozenset(code for code in self.stopped.split(",") if code and not code.startswith("#"))


def rules_in_effect(submission: RulesSubmission | None, code: str, stopped: Collection[str]) -> RulesInEffect:
    """What a table under this submission code offers with these wagers stopped."""
    codes = ",".join(sorted(stopped))
    if len(codes) > MAX_SUSPENDED_CHARS:
        codes = "#" + hashlib.sha256(codes.encode()).hexdigest()[:16]
    if submission is None:
        return RulesInEffect(code, 0, "", codes)
    return RulesInEffect(code, submission.version, submission.terms_sha256[:16], codes)


def parse_key(key: str) -> RulesInEffect | None:
    """The offer of a key; None before anything was told."""
    head, _, stopped = key.partition(";")
    code, _, version_and_terms = head.partition("/")
    version, _, terms = version_and_terms.partition("/")
    return RulesInEffect(code, int(version), terms, stopped) if version else None


def current_rules(ctx: TableContext) -> RulesInEffect:
    """What the next round here would be dealt under. The caller holds the table's lock."""
    return rules_in_effect(ctx.in_force, ctx.table.submission_code, ctx.stops)


def record_change(ctx: TableContext) -> bool:
    """Puts `rules.took_effect` after the act's own entry where the offer is not what the record last told of, between
    two rounds alone. Says whether it did.
    """
    now = current_rules(ctx)
    if ctx.table.recorded_rules_key == now.key:
        return False
    ctx.extra_entries.append((TOOK_EFFECT, change_data(ctx, parse_key(ctx.table.recorded_rules_key), now)))
    ctx.change_table(recorded_rules_key=now.key)
    return True


def change_data(ctx: TableContext, previous: RulesInEffect | None, now: RulesInEffect) -> dict[str, Any]:
    """What `rules.took_effect` says: both versions, and the wagers that stopped or may be dealt again."""
    before, stopped = previous.codes if previous else frozenset(), frozenset(ctx.stops)
    return {
        "submission": now.submission,
        "was": previous.version if previous and previous.version else None,
        "version": now.version or None,
        "edition": ctx.in_force.edition if ctx.in_force else None,
        "terms_sha256": ctx.in_force.terms_sha256 if ctx.in_force else None,
        "stopped": sorted(stopped - before),
        "started": sorted(before - stopped),
    }

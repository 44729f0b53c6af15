"""The rules in effect at a table: the version in force, and the suspended wagers.

An act asks for them under the table's lock. Screens show between rounds what the record says, so each change gets
an entry: from the act that ends a round or opens the next, and from the clock where nobody acts.
"""

import hashlib
from collections.abc import Collection
from dataclasses import dataclass

from games.engine import Refusal
from games.models import RulesSubmission
from tables.core.alert_kinds import ExpectedAlert
from tables.core.alerts import raise_alert
from tables.core.context import TableContext
from tables.models import Table
from tables.rules.alert_rules import NEW_RULES
from tables.rules.entry_types import RULES_TOOK_EFFECT, RulesTookEffect
from tables.rules.refusals import RULES_NOT_ACKNOWLEDGED

MAX_SUSPENDED_CHARS = 120  # a longer list of suspended wagers is stored as its hash


@dataclass(frozen=True)
class RulesInEffect:
    """The version of a submission, the start of its terms' SHA-256, and the suspended wagers.

    `version` is 0 if no version is in force.
    """

    submission: str
    version: int
    terms: str
    stopped: str

    @property
    def key(self) -> str:
        """One string for a table's row: `RS-0009/2/0123456789abcdef;total:4,total:17`."""
        return f"{self.submission}/{self.version}/{self.terms};{self.stopped}"

    @property
    def terms_key(self) -> str:
        """The part of the key that says which terms are dealt: `RS-0009/2/0123456789abcdef`."""
        return f"{self.submission}/{self.version}/{self.terms}"

    @property
    def codes(self) -> frozenset[str]:
        """The suspended wagers; empty if the key has only their hash."""
        return frozenset(code for code in self.stopped.split(",") if code and not code.startswith("#"))


def rules_in_effect(submission: RulesSubmission | None, code: str, stopped: Collection[str]) -> RulesInEffect:
    """The rules in effect under this submission code with these wagers suspended."""
    codes = ",".join(sorted(stopped))
    if len(codes) > MAX_SUSPENDED_CHARS:
        codes = "#" + hashlib.sha256(codes.encode()).hexdigest()[:16]
    if submission is None:
        return RulesInEffect(code, 0, "", codes)
    return RulesInEffect(code, submission.version, submission.terms_sha256[:16], codes)


def parse_key(key: str) -> RulesInEffect | None:
    """The rules in effect that a key stands for; None for the key of a table that never had an entry."""
    head, _, stopped = key.partition(";")
    code, _, version_and_terms = head.partition("/")
    version, _, terms = version_and_terms.partition("/")
    return RulesInEffect(code, int(version), terms, stopped) if version else None


def current_rules(ctx: TableContext) -> RulesInEffect:
    """The rules that the next round here would use. The caller holds the table's lock."""
    return rules_in_effect(ctx.in_force, ctx.table.submission_code, ctx.stops)


def record_change(ctx: TableContext) -> bool:
    """Add a `rules.took_effect` entry after the act's own if the rules have changed. Return whether it did.

    Called between two rounds only.
    """
    current = current_rules(ctx)
    if ctx.table.recorded_rules_key == current.key:
        return False
    ctx.extra_entries.append(
        RULES_TOOK_EFFECT(change_data(ctx, parse_key(ctx.table.recorded_rules_key), current))
    )
    ctx.change_table(recorded_rules_key=current.key)
    if awaits_acknowledgment(ctx):
        raise_alert(ctx, new_rules_alert(ctx))
    return True


def new_rules_alert(ctx: TableContext) -> ExpectedAlert:
    """Return the alert by which the floor acknowledges the rules in force now."""
    rules = current_rules(ctx)
    section = ctx.table.facility.law.section("submissions.in-force")
    return NEW_RULES.expected(ctx.table.pk, section=section, code=rules.submission, version=rules.version)


def acknowledge_rules(ctx: TableContext, key: str) -> None:
    """Let rounds begin under the rules in force, if the alert with this key was about them."""
    if ctx.deals and key == new_rules_alert(ctx).key:
        ctx.change_table(acknowledged_terms=current_rules(ctx).terms_key)


def awaits_acknowledgment(ctx: TableContext) -> bool:
    """Whether other terms are in force than those that the floor has acknowledged for this table.

    Nobody acknowledges anything at a simulated table, and a table that was never opened has nothing to compare.
    """
    if ctx.table.kind == Table.Kind.SIMULATED or ctx.in_force is None or not ctx.table.acknowledged_terms:
        return False
    return current_rules(ctx).terms_key != ctx.table.acknowledged_terms


def verify_acknowledged(ctx: TableContext) -> None:
    """Refuse a round under terms that the floor has not acknowledged. Raises `rules-not-acknowledged`."""
    if awaits_acknowledgment(ctx):
        rules = current_rules(ctx)
        section = ctx.table.facility.law.section("submissions.in-force")
        raise Refusal(RULES_NOT_ACKNOWLEDGED, section, code=rules.submission, version=rules.version)


def change_data(ctx: TableContext, previous: RulesInEffect | None, current: RulesInEffect) -> RulesTookEffect:
    """The data of `rules.took_effect`: both versions, and the wagers suspended or allowed again since."""
    previously_suspended, suspended = previous.codes if previous else frozenset(), frozenset(ctx.stops)
    return {
        "submission": current.submission,
        "was": previous.version if previous and previous.version else None,
        "version": current.version or None,
        "edition": ctx.in_force.edition if ctx.in_force else None,
        "terms_sha256": ctx.in_force.terms_sha256 if ctx.in_force else None,
        "stopped": sorted(suspended - previously_suspended),
        "started": sorted(previously_suspended - suspended),
    }

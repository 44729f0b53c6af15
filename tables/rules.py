"""The rules in effect at a table: the version in force, whether it was approved, and the suspended wagers.

An act asks for them under the table's lock. Screens show between rounds what the record says, so each change gets an
entry: from the act that ends a round or opens the next (`record_change`), and from the clock where nobody acts
(`record_rules_changes`).

- No version in force: the table cannot deal, and an alert says so.
- Another version: the floor reads what it changes and acknowledges the alert; no round begins before
  (`verify_acknowledged`).
- Terms that the record does not show as approved for this table's submission: no round opens
  (`verify_terms_approved`).
- Suspended wagers, of a provider whose certification is not current (58 Pa. Code § 528.7): wagers accepted before stay
  and are settled in full. No new ones are taken and none is increased (`verify_not_suspended`).
"""

import datetime as dt
import hashlib
import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Annotated, TypedDict

from audit import clock, record
from audit.entries import STREAM_CONTINUED
from audit.entry_types import entry_type
from audit.models import Entry
from games import submissions
from games.engine import Refusal, RefusalCode
from games.models import Facility, RulesSubmission
from games.office.providers import services
from games.office.providers.services import WHOLE_GAME, service_refusal, suspended_codes, wager_label
from games.office.submissions.gate import recorded_approvals
from games.snapshot_types import Reason
from tables.core.alerts import AlertKind, AlertRule, ExpectedAlert, Level, alert_rule, raise_alert
from tables.core.context import TableContext
from tables.core.seats import WagerInput
from tables.models import Table
from tables.runner.table import for_each_table
from tables.words.sentences import say, short

TERMS_NOT_APPROVED = RefusalCode(
    "terms-not-approved",
    "The rules stored for this table are not the approved ones of %(code)s. Do not deal. Call compliance.",
    "Do not deal",
)
RULES_NOT_ACKNOWLEDGED = RefusalCode(
    "rules-not-acknowledged",
    "Version %(version)s of %(code)s is in force. The floor acknowledges what it changes.",
    "New rules: the floor first",
)


# What the record says


class RulesTookEffect(TypedDict):
    edition: Annotated[str | None, "key of the regulation edition; null where no version is in force"]
    started: Annotated[list[str], "codes of the wagers that are allowed again"]
    stopped: Annotated[list[str], "codes of the wagers that are suspended from now on; * is the whole game"]
    submission: str
    terms_sha256: Annotated[
        str | None, "SHA-256 of the canonical terms of the submission; null where no version is in force"
    ]
    version: Annotated[int | None, "the version of the submission in force; null for none"]
    was: Annotated[int | None, "the version in force before; null for none"]


def _rules_line(data: RulesTookEffect) -> str:
    """The line when rules take effect: another version, no rules at all, or other suspensions."""
    if data["version"] is None:
        return "No rules in force: %(submission)s is no longer dealt" % data
    if data["version"] != data["was"]:
        return "Now dealt under %(submission)s version %(version)s" % data
    return "Suspended wagers changed"


RULES_TOOK_EFFECT = entry_type(
    "rules.took_effect",
    RulesTookEffect,
    "Other rules took effect at this table: another version, none, or other suspended wagers.",
    _rules_line,
)


# The rules in effect, as a key


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


# Alerts: no rules, and rules that changed


NO_RULES = AlertKind(
    "no-rules",
    "no-rules",
    Level.STOP,
    "No rules in force",
    "No rules in force",
    "Rules submission %(code)s is not in force. The table cannot deal: close it.",
)
NEW_RULES = AlertKind(
    "new-rules",
    "new-rules:{code}:{version}",
    Level.WARN,
    "New rules in force",
    "New rules in force",
    "Version %(version)s of %(code)s is in force. Read what it changes, tell the dealers, and acknowledge it: no "
    "round begins before.",
    ends_when_acknowledged=True,
)


def no_rules(ctx: TableContext) -> ExpectedAlert | None:
    """Return the alert where no rules are in force and no round is in play."""
    return None if ctx.deals else NO_RULES.expected(ctx.table.pk, code=ctx.table.submission_code)


alert_rule(AlertRule((NO_RULES,), at_table=no_rules))


# A change: recorded, and acknowledged by the floor


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


def record_rules_changes() -> list[int]:
    """Record the rules in effect at each open table where they changed and no round of the old ones is live.

    Returns the ids of the tables that changed. Takes two or three statements for all tables; locks only those that
    differ.
    """
    now = clock.now()
    tables = list(Table.objects.exclude(status=Table.Status.CLOSED).select_related("facility"))
    in_force = submissions.all_in_force({table.facility_id for table in tables}, now)
    stops = _suspensions(tables, now)
    differing = []
    for table in tables:
        submission = in_force.get((table.facility_id, table.game, table.submission_code))
        stopped = () if table.kind == Table.Kind.SIMULATED else stops[table.facility_id, table.game]
        if rules_in_effect(submission, table.submission_code, stopped).key != table.recorded_rules_key:
            differing.append(table.pk)
    return for_each_table(Table.objects.filter(pk__in=differing), _record_if_changed) if differing else []


def _suspensions(tables: Iterable[Table], now: dt.datetime) -> dict[tuple[int, str], frozenset[str]]:
    places: dict[tuple[int, str], Facility] = {
        (table.facility_id, table.game): table.facility for table in tables
    }
    return {
        (pk, game): frozenset(services.suspensions(facility, game, now))
        for (pk, game), facility in places.items()
    }


def _record_if_changed(ctx: TableContext) -> bool:
    if _plays_other_rules(ctx) or ctx.table.status == Table.Status.CLOSED:
        return False
    previous_key = ctx.table.recorded_rules_key
    if not record_change(ctx):
        return False
    alerts = [entry for entry in ctx.extra_entries if entry.type != RULES_TOOK_EFFECT.name]
    ctx.extra_entries.clear()
    data = change_data(ctx, parse_key(previous_key), current_rules(ctx))
    terms = data["terms_sha256"] or ""
    record.append(
        ctx.stream, entry=RULES_TOOK_EFFECT(data), moment=ctx.now, gaming_day=ctx.gaming_day, terms=terms
    )
    ctx.extra_entries += alerts
    ctx.append_extra_entries()
    ctx.save_changes("nothing", ())
    return True


def _plays_other_rules(ctx: TableContext) -> bool:
    """Whether the live round pinned another version. The act that ends that round records the change."""
    return ctx.round is not None and ctx.round.submission != ctx.in_force


# Terms that the record shows as approved

# The rows say which submission a table deals and what its terms are, and the web role can write both. The record says
# which submission the table was made for, and which terms were approved for it.


TABLE_MADE = "table.made"  # declared by a higher package
MAX_VERIFIED = 10_000
_verified: set[tuple[object, ...]] = set()  # what the record has shown to this process; entries never change


def verify_terms_approved(ctx: TableContext) -> None:
    """Refuse terms that the record does not show as approved for this table's submission.

    Raises `terms-not-approved`. One query for each round; the approvals are read once for each version.
    """
    table, submission = ctx.table, ctx.submission
    key = (table.uid, submission.code, submission.version, submission.terms_sha256)
    if key in _verified:
        return
    is_of_table = submission.code == table.submission_code == recorded_submission(table.stream_id)
    approvals = recorded_approvals(table.facility.code, submission.code) if is_of_table else ()
    approved = {(approval.version, approval.terms_sha256) for approval in approvals}
    if (submission.version, submission.terms_sha256) not in approved:
        section = table.facility.law.section("submissions.start")
        raise Refusal(TERMS_NOT_APPROVED, section, code=table.submission_code)
    if len(_verified) >= MAX_VERIFIED:
        _verified.clear()
    _verified.add(key)


def recorded_submission(stream_id: int) -> str:
    """The code of the submission for which a table was made; empty where its first entry does not say so.

    On a stream that continues a closed one, the entry that says that comes before it.
    """
    first = Entry.objects.filter(stream=stream_id, seq__lte=2).order_by("seq")
    if first.filter(seq=1, type=STREAM_CONTINUED.name).exists():
        first = first.filter(seq=2)
    body = first.values_list("body", flat=True).first()
    try:
        content = json.loads(bytes(body or b""))
        return str(content["data"]["submission"]) if content["_type"] == TABLE_MADE else ""
    except (ValueError, KeyError, TypeError, RecursionError):
        return ""


# Suspended wagers


def verify_game_not_suspended(ctx: TableContext) -> None:
    """Raises `game-stopped-…` if the whole game is suspended: no table opens and no round begins."""
    use = ctx.stops.get(WHOLE_GAME)
    if use is not None:
        raise service_refusal(use)


def verify_not_suspended(ctx: TableContext, wagers: Iterable[WagerInput]) -> None:
    """Refuse a suspended wager that is new or increased.

    Raises `wager-stopped-…` with the provider's section.
    """
    current_cents = {wager.key: wager.cents for wager in ctx.wagers}
    for wager in wagers:
        if wager.cents > current_cents.get(wager.key, 0):
            refusal = suspension_refusal(ctx, wager.wager)
            if refusal is not None:
                raise refusal


def verify_not_suspended_since_opening(ctx: TableContext, wager: str) -> None:
    """Raises `wager-stopped-…` for a missed wager that was suspended during the whole round.

    A wager suspended while the round ran may have been accepted before, so it is recorded.
    """
    refusal, round_ = suspension_refusal(ctx, wager), ctx.round
    if refusal is None or round_ is None:
        return
    if {wager, WHOLE_GAME} & suspended_codes(ctx.table.facility, ctx.table.game, round_.opened_at):
        raise refusal


def suspension_refusal(ctx: TableContext, wager: str) -> Refusal | None:
    """The refusal of a wager that is suspended here now; None if it is not."""
    use = ctx.stops.get(WHOLE_GAME) or ctx.stops.get(wager)
    return service_refusal(use, wager_label(ctx.table.game, wager)) if use else None


def suspension_data(ctx: TableContext, wager: str) -> Reason | None:
    """The same refusal as the snapshot shows it."""
    refusal = suspension_refusal(ctx, wager) if ctx.stops else None
    return {"text": say(refusal), "section": short(refusal.section)} if refusal else None

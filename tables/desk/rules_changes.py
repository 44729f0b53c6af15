"""What an entry about a rules submission changed: from which odds to which."""

from collections.abc import Iterator
from typing import Any

from audit.models import Entry
from games.engine import Refusal, Rules
from games.engine.odds import in_dollars
from games.models import Facility, RulesSubmission
from games.office.odds.sheet import row_label
from games.office.submissions.compare import edition_title
from games.office.submissions.filing import RULES_CHANGED, RULES_DRAFTED, RULES_FILED
from games.office.submissions.gate import RULES_APPROVED
from games.registry import game_of
from games.submissions import Options, rules_of
from tables.core.entries import MISSHAPEN
from tables.words.entries import data_of

DRAFTS = (RULES_DRAFTED.name, RULES_CHANGED.name)
TYPES = (*DRAFTS, RULES_FILED.name, RULES_APPROVED.name)
MAX_SHOWN = 6
MAX_DRAFTS = 200  # entries of drafts that are read for the one before


def rules_change(entry: Entry, data: dict[str, Any], facility: Facility) -> str:
    """`Total 10: 7 to 1, before 6 to 1; …`: what an entry changes against the version, or the draft, before it.

    Empty for entries of other types, for a first version, and where the data has another shape.
    """
    if entry.type not in TYPES:
        return ""
    try:
        new, old = _rules(data), _rules_before(entry, data, facility)
    except (*MISSHAPEN, Refusal):
        return ""
    if new is None or old is None:
        return ""
    parts = list(_changes(old, new))
    if not parts:
        return "no odds changed"
    more = f"; and {len(parts) - MAX_SHOWN} more" if len(parts) > MAX_SHOWN else ""
    return "; ".join(parts[:MAX_SHOWN]) + more


def _rules(data: dict[str, Any]) -> Rules | None:
    if "terms" in data:
        return Rules.from_terms(data["terms"])
    return Options(data["edition"], **data["options"]).rules_if_any()


def _rules_before(entry: Entry, data: dict[str, Any], facility: Facility) -> Rules | None:
    """The rules of the draft before a changed draft; otherwise those of the version before."""
    if entry.type == RULES_CHANGED.name:
        drafts = Entry.objects.filter(stream=entry.stream_id, type__in=DRAFTS, seq__lt=entry.seq)
        for draft in drafts.order_by("-seq")[:MAX_DRAFTS]:
            before = data_of(draft)
            if (before.get("code"), before.get("version")) == (data["code"], data["version"]):
                return _rules(before)
    versions = RulesSubmission.objects.filter(facility=facility, code=data["code"])
    row = versions.filter(version__lt=data["version"]).order_by("-version").first()
    return rules_of(row) if row else None


def _changes(old: Rules, new: Rules) -> Iterator[str]:
    """Each change in words, the odds in the order of the paytable."""
    if old.key != new.key:
        yield f"{edition_title(new)}, before {edition_title(old)}"
    types = {type_.code: type_ for rules in (old, new) for type_ in game_of(rules).wager_types(rules)}
    for row in dict.fromkeys([*new.payouts, *old.payouts]):
        before, after = (rules.payouts[row].odds if row in rules.payouts else None for rules in (old, new))
        if before != after:
            yield f"{row_label(row, types.values())}: {after or 'not dealt'}, before {before or 'not dealt'}"
    if old.payout_limit_cents != new.payout_limit_cents:
        limits = [rules.payout_limit_cents for rules in (new, old)]
        new_limit, old_limit = ("none" if cents is None else in_dollars(cents) for cents in limits)
        yield f"payout limit: {new_limit}, before {old_limit}"
    if old.odds_word != new.odds_word:
        yield f"odds stated with “{new.odds_word}”, before “{old.odds_word}”"
    if old.increments != new.increments:
        yield "other increments of stakes"
    if old.shakers != new.shakers:
        yield "other shakers or procedures"

"""Entries about rules submissions."""

from typing import NotRequired, TypedDict

from audit.entry_types import entry_type
from games.engine.rules import Terms


class RulesApproved(TypedDict):
    code: str
    edition: str
    terms: Terms
    version: int
    body: NotRequired[str]
    in_force_from: NotRequired[str]
    letter: NotRequired[dict[str, str]]
    reference: NotRequired[str]
    supersedes: NotRequired[int | None]


RULES_APPROVED = entry_type(
    "rules.approved", RulesApproved, "A rules submission was approved, with its whole terms."
)


class RulesChangedOption(TypedDict):
    payouts: NotRequired[dict[str, str]]
    payout_limit_cents: NotRequired[int]
    increments: NotRequired[dict[str, int]]
    odds_word: NotRequired[str]
    shakers: NotRequired[dict[str, str]]


class RulesChanged(TypedDict):
    code: str
    edition: str
    options: RulesChangedOption
    version: int
    why: str


RULES_CHANGED = entry_type("rules.changed", RulesChanged, "A drafted rules submission was changed.")


class RulesDenied(TypedDict):
    body: str
    code: str
    edition: str
    letter: dict[str, str]
    reference: str
    version: int


RULES_DENIED = entry_type("rules.denied", RulesDenied, "A rules submission was denied by letter.")


class RulesDraftedOption(TypedDict):
    payouts: NotRequired[dict[str, str]]
    payout_limit_cents: NotRequired[int]
    increments: NotRequired[dict[str, int]]
    odds_word: NotRequired[str]


class RulesDrafted(TypedDict):
    code: str
    edition: str
    options: RulesDraftedOption
    version: int
    why: str


RULES_DRAFTED = entry_type("rules.drafted", RulesDrafted, "A rules submission was drafted.")


class RulesFiled(TypedDict):
    code: str
    edition: str
    terms: Terms
    version: int


RULES_FILED = entry_type("rules.filed", RulesFiled, "A rules submission was filed.")


class RulesWithdrawn(TypedDict):
    code: str
    edition: str
    tables: list[str]
    version: int
    was: str
    why: str


RULES_WITHDRAWN = entry_type("rules.withdrawn", RulesWithdrawn, "A rules submission was withdrawn.")

"""Entries about the rules in effect at a table."""

from typing import TypedDict

from audit.entry_types import entry_type


class RulesTookEffect(TypedDict):
    edition: str | None
    started: list[str]
    stopped: list[str]
    submission: str
    terms_sha256: str | None
    version: int | None
    was: int | None


RULES_TOOK_EFFECT = entry_type(
    "rules.took_effect",
    RulesTookEffect,
    "Other rules took effect at this table: another version, none, or other suspended wagers.",
)

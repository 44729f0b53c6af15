"""Entries about the rules in effect at a table."""

from typing import Annotated, TypedDict

from audit.entry_types import entry_type


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


RULES_TOOK_EFFECT = entry_type(
    "rules.took_effect",
    RulesTookEffect,
    "Other rules took effect at this table: another version, none, or other suspended wagers.",
)

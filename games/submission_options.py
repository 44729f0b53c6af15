"""The options of a rules submission: the form as it was filled in, whether the rules allow it or not."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, TypedDict

from games.engine import Refusal, Rules
from games.engine.editions import Edition, edition
from games.engine.rules import DEFAULT_WORD
from games.models import RulesSubmission


class FilledOptions(TypedDict, total=False):
    """The options as rows and entries store them, without those that are empty."""

    payouts: Annotated[dict[str, str], "odds as they were entered, by row of the paytable"]
    payout_limit_cents: Annotated[int, "aggregate payout limit of each player and round"]
    odds_word: Annotated[str, "word by which odds are stated, if it is not `to`"]
    increments: Annotated[dict[str, int], "cents of which a stake is a multiple, by wager family"]
    shakers: Annotated[dict[str, str], "procedure of each kind of shaker, in words"]


@dataclass(frozen=True)
class Options:
    """Payouts by wager family as text, increments in cents by wager family, and shaker kinds with their procedures."""

    key: str
    payouts: Mapping[str, str] = field(default_factory=dict)
    payout_limit_cents: int | None = None
    odds_word: str = DEFAULT_WORD
    increments: Mapping[str, int] = field(default_factory=dict)
    shakers: Mapping[str, str] = field(default_factory=dict)

    @property
    def edition(self) -> Edition:
        """Return the edition of the key. Raises Refusal(`no-such-rules` or `which-paytable`)."""
        return edition(self.key)

    def rules(self) -> Rules:
        """Return the rules of these options. Raises what `Rules.of` raises."""
        return Rules.of(
            self.key,
            self.payouts,
            self.payout_limit_cents,
            odds_word=self.odds_word,
            increments=self.increments,
            shakers=self.shakers,
        )

    def rules_if_any(self) -> Rules | None:
        """Return the rules of these options, or None if the engine refuses them."""
        try:
            return self.rules()
        except Refusal:
            return None

    def as_json(self) -> FilledOptions:
        """Return the options as rows and entries store them, without those that are empty."""
        filled: FilledOptions = {}
        if self.payouts:
            filled["payouts"] = dict(sorted(self.payouts.items()))
        if self.payout_limit_cents:
            filled["payout_limit_cents"] = self.payout_limit_cents
        if self.odds_word and self.odds_word != DEFAULT_WORD:
            filled["odds_word"] = self.odds_word
        if self.increments:
            filled["increments"] = dict(sorted(self.increments.items()))
        if self.shakers:
            filled["shakers"] = dict(sorted(self.shakers.items()))
        return filled


def options_of_rules(rules: Rules) -> Options:
    """Return the options from which these rules were made."""
    return Options(
        rules.key,
        {family: str(odds) for family, odds in rules.overrides},
        rules.payout_limit_cents,
        rules.odds_word,
        dict(rules.increments),
        dict(rules.shakers),
    )


def options_of(submission: RulesSubmission) -> Options:
    """Return the options of a version: from its terms if it was ever filed, otherwise as drafted.

    Raises Refusal(`terms-changed`) if its terms no longer match the edition.
    """
    if submission.status == RulesSubmission.Status.DRAFT or not submission.terms:
        return Options(submission.edition, **submission.options)
    return options_of_rules(Rules.from_terms(json.loads(submission.terms)))

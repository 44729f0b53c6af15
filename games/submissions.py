"""Which approved rules submission is in force, the rules that it filed, and the options of its form.

The options are the form as it was filled in, whether the rules allow it or not.
"""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from typing import Annotated, Any, TypedDict

from django.db.models import QuerySet

from audit import chain
from audit.rows import CompiledRead
from games.engine import Refusal, Rules, editions
from games.engine.editions import Edition, edition
from games.engine.rules import DEFAULT_WORD
from games.models import Facility, RulesSubmission
from games.refusals import PLAYER_FAVOURED, TERMS_DO_NOT_MATCH
from games.registry import game_of


def in_force(
    facility: Facility, game: str, moment: dt.datetime, code: str | None = None
) -> RulesSubmission | None:
    """Return the version in force at a moment, or None; only of submission `code` if it is given.

    A superseded version stays in force until a later approved one takes over. When a version is withdrawn, the
    version that it had superseded does not come back.
    """
    versions = (
        VERSIONS_OF_SUBMISSION(facility.pk, game, code) if code else VERSIONS_OF_GAME(facility.pk, game)
    )
    newest_of = {version.code: version for version in versions if _has_begun(version, moment)}
    current = [version for version in newest_of.values() if not _is_withdrawn(version, moment)]
    return max(current, key=_start_order, default=None)


def all_in_force(
    facilities: Iterable[int], moment: dt.datetime
) -> dict[tuple[int, str, str], RulesSubmission]:
    """Return the version in force at a moment by facility id, game and submission code, in one query."""
    newest = {
        (version.facility_id, version.game, version.code): version
        for version in _approved_versions().filter(facility__in=facilities)
        if _has_begun(version, moment)
    }
    return {key: version for key, version in newest.items() if not _is_withdrawn(version, moment)}


def editions_in_force(facilities: Iterable[int], moment: dt.datetime) -> dict[tuple[int, str, str], str]:
    """Return the edition key in force at a moment by facility id, game and submission code, in one query."""
    return {key: version.edition for key, version in all_in_force(facilities, moment).items()}


def _approved_versions() -> QuerySet[RulesSubmission]:
    """Return every version that was ever approved, in the order in which they come into force."""
    versions = RulesSubmission.objects.filter(status__in=["approved", "superseded", "withdrawn"])
    return versions.exclude(in_force_from=None).order_by("in_force_from", "version")


def _has_begun(version: RulesSubmission, moment: dt.datetime) -> bool:
    """Whether an approved version came into force by a moment. One withdrawn before its time never did."""
    begins, withdrawn_at = version.in_force_from, version.withdrawn_at
    assert begins is not None
    return begins <= moment and (withdrawn_at is None or withdrawn_at >= begins)


VERSIONS_OF_GAME = CompiledRead(
    lambda facility, game: _approved_versions().filter(facility=facility, game=game), is_of_epoch=True
)
VERSIONS_OF_SUBMISSION = CompiledRead(
    lambda facility, game, code: _approved_versions().filter(facility=facility, game=game, code=code),
    is_of_epoch=True,
)


def _is_withdrawn(version: RulesSubmission, moment: dt.datetime) -> bool:
    return version.status == "withdrawn" and (version.withdrawn_at is None or version.withdrawn_at <= moment)


def _start_order(version: RulesSubmission) -> tuple[dt.datetime, int]:
    assert version.in_force_from is not None
    return version.in_force_from, version.version


class VersionState(StrEnum):
    """The state of a version at a moment: its status, and whether its time has come."""

    DRAFT = "draft"
    FILED = "filed"
    DENIED = "denied"
    COMING = "coming"  # approved, and not in force yet
    IN_FORCE = "in-force"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"


def state_of_version(version: RulesSubmission, moment: dt.datetime) -> VersionState:
    """Return the state of a version at a moment. A superseded version is in force until the later one is."""
    if version.status in ("draft", "filed", "denied", "withdrawn"):
        return VersionState(version.status)
    assert version.in_force_from is not None
    if moment < version.in_force_from:
        return VersionState.COMING
    if version.superseded_at is not None and version.superseded_at <= moment:
        return VersionState.SUPERSEDED
    return VersionState.IN_FORCE


def coming_versions(facility: Facility, code: str, moment: dt.datetime) -> list[RulesSubmission]:
    """Return the approved versions of a submission that are not in force yet, the next one first."""
    versions = RulesSubmission.objects.filter(
        facility=facility, code=code, status__in=["approved", "superseded"]
    )
    return list(versions.filter(in_force_from__gt=moment).order_by("in_force_from", "version"))


def newest(facility: Facility, code: str) -> RulesSubmission | None:
    """Return the newest version of a submission whatever its status, for display only."""
    return RulesSubmission.objects.filter(facility=facility, code=code).order_by("-version").first()


def filed_terms(rules: Rules) -> tuple[str, str]:
    """Return the canonical terms to file (RFC 8785), and their SHA-256 in hex."""
    terms = chain.canonical(rules.terms())
    return terms.decode("utf-8"), hashlib.sha256(terms).hexdigest()


def draft(
    *,
    facility: Facility,
    code: str,
    key: str,
    payouts: Mapping[str, str] | None = None,
    version: int = 1,
    payout_limit_cents: int | None = None,
    **options: Any,
) -> RulesSubmission:
    """Return an unsaved draft of these rules. Raises what `Rules.of` and `verify_house_advantage` raise.

    `options`: odds wording, increments and shakers, as `Rules.of` takes them.
    """
    rules = Rules.of(key, payouts, payout_limit_cents, **options)
    verify_house_advantage(rules)
    terms, digest = filed_terms(rules)
    return RulesSubmission(
        facility=facility,
        code=code,
        version=version,
        game=game_of(rules).code,
        edition=rules.key,
        options=options_of_rules(rules).as_json(),
        terms=terms,
        terms_sha256=digest,
    )


def rules_of(submission: RulesSubmission) -> Rules:
    """Return the rules of a submission. Raises Refusal(`terms-do-not-match`) if they do not match their hash."""
    return _rules_of(submission.terms, submission.terms_sha256, str(submission))


@lru_cache(maxsize=256)
def _rules_of(terms: str, digest: str, name: str) -> Rules:
    if hashlib.sha256(terms.encode("utf-8")).hexdigest() != digest:
        raise Refusal(TERMS_DO_NOT_MATCH, submission=name)
    return Rules.from_terms(json.loads(terms))


editions.forget_with(_rules_of.cache_clear)


def verify_house_advantage(rules: Rules) -> None:
    """Refuse odds that would pay players more than the house keeps. Raises Refusal(`player-favoured`)."""
    for code, outcomes in game_of(rules).outcomes(rules).items():
        if game_of(rules).advantage(rules, code, outcomes) < 0:
            raise Refusal(PLAYER_FAVOURED, rules.section("odds"), wager=code)


# The options of the form


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

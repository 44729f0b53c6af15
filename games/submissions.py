"""Which approved rules submission is in force, and the rules that it filed."""

import datetime as dt
import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

import rfc8785
from django.db.models import QuerySet

from games.engine import Refusal, Rules
from games.models import Facility, RulesSubmission


def in_force(
    facility: Facility, game: str, at: dt.datetime, code: str | None = None
) -> RulesSubmission | None:
    """The newest version in force at a moment, of one submission where `code` names it; None where there is none.

    A superseded version stays in force until a later approved one takes over.
    """
    found = _in_force_by(at).filter(facility=facility, game=game)
    if code:
        found = found.filter(code=code)
    return found.last()


def editions_in_force(facilities: Iterable[int], at: dt.datetime) -> dict[tuple[int, str, str], str]:
    """The key of the edition in force at a moment for each facility (id), game and submission code, in one query."""
    rows = _in_force_by(at).filter(facility__in=facilities)
    found = rows.values_list("facility_id", "game", "code", "edition")
    return {(facility, game, code): edition for facility, game, code, edition in found}


def _in_force_by(at: dt.datetime) -> QuerySet[RulesSubmission]:
    """What has been in force by a moment, the newest last."""
    found = RulesSubmission.objects.filter(status__in=["approved", "superseded"], in_force_from__lte=at)
    return found.order_by("in_force_from", "version")


def newest(facility: Facility, code: str) -> RulesSubmission | None:
    """The newest version of a submission whatever has become of it; only for showing."""
    return RulesSubmission.objects.filter(facility=facility, code=code).order_by("-version").first()


def filed_terms(rules: Rules) -> tuple[str, str]:
    """The canonical terms to file (RFC 8785), and their SHA-256 in hex."""
    terms = rfc8785.dumps(rules.terms())
    return terms.decode("utf-8"), hashlib.sha256(terms).hexdigest()


def draft(
    *,
    facility: Facility,
    code: str,
    key: str,
    payouts: Mapping[str, str] | None = None,
    version: int = 1,
    options: Mapping[str, Any] | None = None,
    payout_limit_cents: int | None = None,
) -> RulesSubmission:
    """An unsaved draft of these rules; raises what `Rules.of` and `verify_house_advantage` raise."""
    rules = Rules.of(key, payouts, payout_limit_cents)
    verify_house_advantage(rules)
    terms, digest = filed_terms(rules)
    return RulesSubmission(
        facility=facility,
        code=code,
        version=version,
        game=rules.game.code,
        edition=rules.key,
        options=dict(options or {}),
        terms=terms,
        terms_sha256=digest,
    )


def rules_of(submission: RulesSubmission) -> Rules:
    """The rules of a submission; raises `terms-do-not-match` if they are not what their hash was taken of."""
    return _rules_of(submission.terms, submission.terms_sha256, str(submission))


@lru_cache(maxsize=256)
def _rules_of(terms: str, digest: str, name: str) -> Rules:
    if hashlib.sha256(terms.encode("utf-8")).hexdigest() != digest:
        raise Refusal("terms-do-not-match", submission=name)
    return Rules.from_terms(json.loads(terms))


def verify_house_advantage(rules: Rules) -> None:
    """Raises `player-favoured` for odds that would pay players more than the house keeps."""
    for code, outcomes in rules.game.outcomes(rules).items():
        if rules.game.advantage(rules, code, outcomes) < 0:
            raise Refusal("player-favoured", rules.section("odds"), wager=code)

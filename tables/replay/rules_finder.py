"""Finds the rules behind a round: the terms that its entries name by SHA-256, checked against that hash."""

import hashlib
import json

import rfc8785

from audit import record
from audit.models import Entry
from games.engine import Refusal, Rules
from games.engine.rules import Terms
from games.models import RulesSubmission
from games.office.submissions.gate import RULES_APPROVED, RecordedApproval, recorded_approvals


class RulesFinder:
    """Finds rules by the hash of their terms: in `rules.approved` entries of the casino, then among filed submissions.

    The terms are hashed again here, so neither source has to be trusted.
    """

    def __init__(self) -> None:
        self._rules: dict[str, Rules | None] = {}
        self._approved: dict[str, dict[str, Terms]] = {}
        self._approvals: dict[str, list[RecordedApproval]] = {}

    def is_approved(self, facility: str, submission: str, digest: str, moment: str) -> bool:
        """Whether the record approved these terms for this submission by a moment, written as in the record."""
        if facility not in self._approvals:
            self._approvals[facility] = list(recorded_approvals(facility))
        return any(
            (approval.code, approval.terms_sha256) == (submission, digest) and approval.at <= moment
            for approval in self._approvals[facility]
        )

    def find(self, facility: str, digest: str) -> Rules | None:
        """Return the rules of these terms; None where they are missing or cannot be read."""
        if digest not in self._rules:
            self._rules[digest] = self._find_rules(facility, digest)
        return self._rules[digest]

    def _find_rules(self, facility: str, digest: str) -> Rules | None:
        terms = self._approved_terms(facility).get(digest) or _filed_terms(digest)
        if terms is None:
            return None
        try:
            return Rules.from_terms(terms)
        except (Refusal, KeyError, TypeError, ValueError):
            return None

    def _approved_terms(self, facility: str) -> dict[str, Terms]:
        """All approved terms of a casino, by the hash computed here."""
        if facility not in self._approved:
            names = record.names_with_continuations(f"{facility}/rules")
            rows = Entry.objects.filter(stream__name__in=names, type=RULES_APPROVED.name)
            approved = (
                json.loads(bytes(body))["data"].get("terms") for body in rows.values_list("body", flat=True)
            )
            self._approved[facility] = {
                hashlib.sha256(rfc8785.dumps(terms)).hexdigest(): terms for terms in approved if terms
            }
        return self._approved[facility]


def _filed_terms(digest: str) -> Terms | None:
    text = RulesSubmission.objects.filter(terms_sha256=digest).values_list("terms", flat=True).first()
    if text is None or hashlib.sha256(text.encode()).hexdigest() != digest:
        return None
    terms: Terms = json.loads(text)
    return terms

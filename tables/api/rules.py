"""The rules: submissions, the exact odds of each, and what the gaming guide says of those in force."""

import datetime as dt
import json
from typing import Any

from ninja import Router
from pydantic import Field

from audit import clock
from games.guide.content import content_at, sha256
from games.models import RulesSubmission
from games.office.odds import fraction, odds_sheet
from games.submissions import rules_of, state_of_version
from tables.api.access import ApiRequest, needs
from tables.api.app import Page, Shape, not_found
from tables.api.paging import USUAL, After, Limit, page_of

router = Router(tags=["Rules"])
MOST_VERSION = 2**31 - 1


class SubmissionShape(Shape):
    """One version of the rules that a facility filed for a game."""

    code: str
    version: int
    game: str
    edition: str = Field(description="key of the edition of the regulation")
    state: str = Field(
        description="draft, filed, denied, withdrawn, coming, in-force or superseded, as of now"
    )
    terms_sha256: str = Field(
        description="SHA-256 of the canonical terms, which every entry of a round names"
    )
    filed_at: dt.datetime | None
    decided_at: dt.datetime | None
    decided_by: str = Field(description="the body that decided; empty before")
    reference: str = Field(description="of the letter of the decision")
    in_force_from: dt.datetime | None
    superseded_at: dt.datetime | None


class WholeSubmissionShape(SubmissionShape):
    """A version with everything that money depends on."""

    terms: dict[str, Any] = Field(description="the terms; as canonical JSON they have the SHA-256")


class PayoutShape(Shape):
    """One payout of a wager, with its probability as a fraction in lowest terms."""

    pays: str = Field(description="the odds, such as `6 to 1`")
    probability: str


class OddsRowShape(Shape):
    """Wagers with equal figures. Fractions are exact, as text in lowest terms."""

    label: str
    codes: list[str] = Field(description="codes of the wagers")
    advantage: str = Field(description="the casino's expected part of a stake")
    payouts: list[PayoutShape]


class OddsShape(Shape):
    """The odds sheet of a version."""

    submission: str
    rows: list[OddsRowShape]


class GuideShape(Shape):
    """What a gaming guide of the rules in force shows now, in each language."""

    sha256: str = Field(description="SHA-256 of the content as canonical JSON, in hex")
    content: dict[str, Any]


@router.get("/facilities/{slug:facility}/submissions", auth=needs("floor"), response=Page[SubmissionShape])
def list_submissions(request: ApiRequest, facility: str, after: After = 0, limit: Limit = USUAL) -> object:
    """Every version of every submission."""
    rows = RulesSubmission.objects.filter(facility=request.caller.at(facility))
    return page_of(rows, lambda row: SubmissionShape(**_submission(row)), after, limit)


@router.get(
    "/facilities/{slug:facility}/submissions/{slug:code}/{int:version}",
    auth=needs("floor"),
    response=WholeSubmissionShape,
)
def read_submission(request: ApiRequest, facility: str, code: str, version: int) -> object:
    """One version, with its terms."""
    row = _version(request, facility, code, version)
    return WholeSubmissionShape(**_submission(row), terms=json.loads(row.terms))


@router.get(
    "/facilities/{slug:facility}/submissions/{slug:code}/{int:version}/odds",
    auth=needs("floor"),
    response=OddsShape,
)
def read_odds(request: ApiRequest, facility: str, code: str, version: int) -> object:
    """The exact odds of every wager of a version."""
    row = _version(request, facility, code, version)
    rows = [
        OddsRowShape(
            label=line.label,
            codes=list(line.codes),
            advantage=fraction(line.advantage),
            payouts=[
                PayoutShape(pays=str(outcome.pays), probability=fraction(outcome.probability))
                for outcome in line.outcomes
            ],
        )
        for line in odds_sheet(rules_of(row)).rows
    ]
    return OddsShape(submission=f"{row.code}.{row.version}", rows=rows)


@router.get("/facilities/{slug:facility}/guide", auth=needs("floor"), response=GuideShape)
def read_guide(request: ApiRequest, facility: str) -> object:
    """The content of a guide of the rules in force now. Whether it was approved, the office says."""
    content: dict[str, Any] = {**content_at(request.caller.at(facility), clock.now())}
    return GuideShape(sha256=sha256(content), content=content)


def _version(request: ApiRequest, facility: str, code: str, version: int) -> RulesSubmission:
    rows = RulesSubmission.objects.filter(facility=request.caller.at(facility), code=code)
    row = rows.filter(version=version).first() if version <= MOST_VERSION else None
    if row is None:
        raise not_found("submission")
    return row


def _submission(row: RulesSubmission) -> dict[str, Any]:
    return {
        "code": row.code,
        "version": row.version,
        "game": row.game,
        "edition": row.edition,
        "state": str(state_of_version(row, clock.now())),
        "terms_sha256": row.terms_sha256,
        "filed_at": row.filed_at,
        "decided_at": row.decided_at,
        "decided_by": row.decided_by,
        "reference": row.reference,
        "in_force_from": row.in_force_from,
        "superseded_at": row.superseded_at,
    }

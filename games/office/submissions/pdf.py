"""The PDF of a rules submission: its facts, options, changes, payouts and odds."""

import datetime as dt
from collections.abc import Iterator

from reportlab.platypus import Flowable, KeepTogether

from games.engine import Rules
from games.engine.odds import in_dollars
from games.kit.paper import Cell, render, styles, table, text
from games.models import Facility, RulesSubmission
from games.office.odds.pdf import sheet_story, source_text
from games.office.odds.sheet import OddsSheet, family_label, row_label
from games.office.pdf.approval import approval_text, day, moment
from games.office.submissions.compare import Change, changes, edition_title
from games.registry import game_of
from games.submissions import Options, VersionState, state_of_version

STATE_TEXTS = {
    VersionState.DRAFT: "draft",
    VersionState.FILED: "filed, not decided",
    VersionState.DENIED: "denied",
    VersionState.COMING: "approved, not in force yet",
    VersionState.IN_FORCE: "in force",
    VersionState.SUPERSEDED: "superseded",
    VersionState.WITHDRAWN: "withdrawn",
}
WORDS = {"to": "6 to 1", "wins": "1 wins 6", "win": "1 win 6"}


def submission_pdf(
    row: RulesSubmission,
    options: Options,
    sheet: OddsSheet,
    before: Rules | None,
    facility: Facility,
    now: dt.datetime,
) -> bytes:
    """Return the PDF of one version as it is now. `before`: the rules of the approved version that it follows."""
    look, wide = styles(), sheet.throws is None
    title = f"{row.code} version {row.version}"
    story: list[Flowable] = [
        text(f"Rules submission {title}", look["title"]),
        text(source_text(sheet), look["body"]),
        table(list(_facts(row, facility, now)), (1, 3), head=0),
        text("Options", look["heading"]),
        table(list(_options(options, sheet.rules)), (1, 3), head=0),
        *_changes(before, sheet),
        KeepTogether([text("Payouts and odds", look["heading"]), *sheet_story(sheet, None, landscape=wide)]),
    ]
    return render(
        story,
        title=f"Rules submission, {title}",
        facility_name=facility.name,
        approved=approval_text(row, facility),
        landscape=wide,
    )


def _facts(row: RulesSubmission, facility: Facility, now: dt.datetime) -> Iterator[tuple[Cell, Cell]]:
    """Return the state and the dates so far."""
    yield "Facility", facility.name
    yield "Status", STATE_TEXTS[state_of_version(row, now)]
    if row.why:
        yield "Why", row.why
    if row.drafted_at:
        yield (
            "Drafted",
            _with_name(moment(row.drafted_at, facility), row.drafted_by.name if row.drafted_by else ""),
        )
    if row.filed_at:
        yield "Filed", _with_name(moment(row.filed_at, facility), row.filed_by.name if row.filed_by else "")
    if row.decided_at:
        yield (
            "Denied" if row.status == "denied" else "Approved",
            _with_name(day(row.decided_at, facility), row.decided_by),
        )
    if row.reference:
        yield "Reference", row.reference
    if row.decision:
        yield "Letter", f"{row.decision.code}, SHA-256 {row.decision.sha256}"
    if row.in_force_from:
        yield "In force from", moment(row.in_force_from, facility)
    if row.superseded_at:
        yield "Superseded from", moment(row.superseded_at, facility)
    if row.withdrawn_at:
        yield (
            "Withdrawn",
            _with_name(moment(row.withdrawn_at, facility), "")
            + (f": {row.withdrawn_why}" if row.withdrawn_why else ""),
        )
    if row.lapsed_why:
        yield "Lapsed, dealt because", row.lapsed_why
    yield "Rules key", row.edition
    yield "Terms SHA-256", row.terms_sha256


def _with_name(when: str, whom: str) -> str:
    return f"{when}, {whom}" if whom else when


def _options(options: Options, rules: Rules) -> Iterator[tuple[Cell, Cell]]:
    """Return every option, including those that the edition sets."""
    edition, types = rules.edition, game_of(rules).wager_types(rules)
    yield "Edition", edition_title(rules)
    payouts = [f"{row_label(row, types)}: {odds}" for row, odds in options.payouts.items()]
    free = "as the edition's floors" if edition.sets_floors else "exact, as the edition sets them"
    yield "Payouts", "; ".join(payouts) or free
    yield "Odds are written as", WORDS.get(options.odds_word, options.odds_word)
    if edition.limit_floors or options.payout_limit_cents is not None:
        limit = options.payout_limit_cents
        yield (
            "Aggregate payout limit",
            "none" if limit is None else f"{in_dollars(limit)} for each player and round",
        )
    steps = [
        f"{family_label(family, types)}: {in_dollars(cents)}" for family, cents in options.increments.items()
    ]
    yield "Increments", "; ".join(steps) or "none set"
    shakers = [f"{kind}: {how}" if how else kind for kind, how in options.shakers.items()]
    yield "Shakers", "\n".join(shakers) or f"any that the edition allows: {', '.join(edition.shakers)}"
    yield "Dice", str(edition.dice)


def _changes(before: Rules | None, sheet: OddsSheet) -> Iterator[Flowable]:
    """Return what differs from the previous version."""
    if before is None:
        return
    differences = changes(before, sheet.rules)
    yield text(f"Changed since {sheet.before}", styles()["heading"])
    if not differences:
        yield text("Nothing.", styles()["body"])
        return
    rows: list[list[Cell]] = [["What", "Before", "Now", "House advantage before", "Now"]]
    rows.extend(
        [_change_title(change), change.old or "none", change.new or "none", change.old_edge, change.new_edge]
        for change in differences
    )
    yield table(rows, (3, 2, 2, 1.4, 1.4), numbers=(3, 4))


def _change_title(change: Change) -> str:
    """Return `Total 4, payout`, `Payout limit` or `Shaker automated`."""
    if change.wager:
        return f"{change.wager}, {change.kind}"
    name = {"limit": "payout limit", "wording": "odds wording"}.get(change.kind, change.kind)
    return f"{name[0].upper()}{name[1:]} {change.row}".strip()

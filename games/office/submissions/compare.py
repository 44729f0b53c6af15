"""What changed between two sets of rules, and what would if a wager paid other odds. Nothing is written.

Every change is about one wager, and is material (reading A06). The PDF of a rules submission prints its facts, options,
changes, payouts and odds.
"""

import datetime as dt
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import cast

from reportlab.platypus import Flowable, KeepTogether

from games.engine import Refusal, Rules
from games.engine.odds import Odds, Pays, Prize, in_dollars
from games.engine.refusals import NO_SUCH_FAMILY, ODDS_UNREADABLE
from games.engine.wagers import WagerType
from games.formats import money_if_any, percent
from games.kit.paper import Cell, render, styles, table, text
from games.models import Facility, RulesSubmission
from games.office.odds import (
    Curve,
    OddsRow,
    OddsSheet,
    curve,
    family_label,
    fraction,
    odds_sheet,
    payout_row,
    row_label,
    sheet_story,
    source_text,
)
from games.office.pdf import approval_text, day, moment
from games.office.submissions.gate import GateFinding, findings
from games.registry import game_of
from games.submissions import Options, VersionState, state_of_version

SAME = ""


@dataclass(frozen=True)
class Change:
    """A difference. `kind`: payout, wager, edition, reading, limit, wording, increment or shaker.

    `wager` is its name for people ("" for all wagers), `row` its key in the paytable. `old` and `new` are texts, ""
    if there was or is no value. `old_edge` and `new_edge`: the house advantage in percent if odds changed.
    """

    kind: str
    old: str
    new: str
    wager: str = ""
    row: str = ""
    old_edge: str = ""
    new_edge: str = ""
    section: str = ""


def changes(old: Rules | None, new: Rules) -> list[Change]:
    """Return every change between two versions, in the order of the paytable.

    For a first version (`old` is None), returns what it chose beyond its edition.
    """
    before = old or Rules(new.edition)
    return [
        *([_edition_change(old, new)] if old is None or old.key != new.key else []),
        *_payout_changes(before, new),
        *_reading_changes(before, new),
        *_option_changes(before, new),
    ]


def _edition_change(old: Rules | None, new: Rules) -> Change:
    return Change(
        "edition", edition_title(old) if old else "", edition_title(new), section=new.edition.source
    )


def edition_title(rules: Rules) -> str:
    """Return `58 Pa. Code Chapter 625a, Paytable B, text of 2019-08-31`."""
    edition = rules.edition
    paytable = f", Paytable {edition.paytable}" if edition.paytable else ""
    return f"{edition.title}{paytable}, text of {edition.in_force_from.isoformat()}"


def _payout_changes(old: Rules, new: Rules) -> Iterable[Change]:
    types = {**_types(old), **_types(new)}
    edges = _edges(old), _edges(new)
    for row in dict.fromkeys([*new.payouts, *old.payouts]):
        old_pays, is_ = _pays(old, row), _pays(new, row)
        if old_pays == is_:
            continue
        edge = row.split("/")[0]
        yield Change(
            "payout" if old_pays and is_ else "wager",
            str(old_pays or ""),
            str(is_ or ""),
            row_label(row, types.values()),
            row,
            edges[0].get(edge, "") if old_pays else "",
            edges[1].get(edge, "") if is_ else "",
            (new if is_ else old).payouts[row].cite,
        )


def _types(rules: Rules) -> Mapping[str, WagerType]:
    return {type_.code: type_ for type_ in game_of(rules).wager_types(rules)}


def _pays(rules: Rules, row: str) -> Pays | None:
    return rules.payouts[row].odds if row in rules.payouts else None


def _edges(rules: Rules) -> dict[str, str]:
    """Return the house advantage of each row of the paytable in percent; tiers of a row by their family."""
    edges: dict[str, Fraction] = {}
    for code, outcomes in game_of(rules).outcomes(rules).items():
        row = payout_row(rules, code)
        if row not in edges:
            edges[row] = game_of(rules).advantage(rules, code, outcomes)
    return {row: percent(edge) for row, edge in edges.items()}


def _reading_changes(old: Rules, new: Rules) -> Iterable[Change]:
    old_readings, is_ = old.edition.readings, new.edition.readings
    for name in sorted({*old_readings, *is_}):
        if old_readings.get(name) != is_.get(name):
            yield Change(
                "reading",
                _yes_or_no(old_readings.get(name)),
                _yes_or_no(is_.get(name)),
                name.replace("-", " "),
                name,
            )


def _yes_or_no(value: bool | None) -> str:
    return "" if value is None else "yes" if value else "no"


def _option_changes(old: Rules, new: Rules) -> Iterable[Change]:
    if old.payout_limit_cents != new.payout_limit_cents:
        section = new.section("payout-limit") or old.section("payout-limit")
        yield Change(
            "limit",
            money_if_any(old.payout_limit_cents),
            money_if_any(new.payout_limit_cents),
            section=section,
        )
    if old.odds_word != new.odds_word:
        section = new.section("odds-words") or new.section("odds")
        yield Change("wording", old.odds_word, new.odds_word, section=section)
    types = list({**_types(old), **_types(new)}.values())
    old_increments, is_ = dict(old.increments), dict(new.increments)
    for family in sorted({*old_increments, *is_}):
        if old_increments.get(family) != is_.get(family):
            section = new.section("increments") or new.section("odds")
            label = family_label(family, types)
            yield Change(
                "increment",
                money_if_any(old_increments.get(family)),
                money_if_any(is_.get(family)),
                label,
                family,
                section=section,
            )
    before, after = dict(old.shakers), dict(new.shakers)
    for kind in sorted({*before, *after}):
        if before.get(kind) != after.get(kind):
            yield Change(
                "shaker",
                _procedure(before, kind),
                _procedure(after, kind),
                row=kind,
                section=new.section("shaker"),
            )


def _procedure(shakers: Mapping[str, str], kind: str) -> str:
    return shakers[kind] or "named" if kind in shakers else ""


# What if a wager paid other odds


NAME = "what-if"


@dataclass(frozen=True)
class PaytableChoice:
    """A row of the paytable that can be tried, with its name and present odds."""

    row: str
    label: str
    pays: str


@dataclass(frozen=True)
class WhatIf:
    """The result of a trial.

    `sort`: "ok", "stop" (the gate refuses), "note" (can never be filed), or "" without a trial. `remedy`: odds that
    the gate would accept.
    """

    sheet: OddsSheet
    chart: Curve | None
    sort: str = ""
    headline: str = ""
    detail: str = ""
    findings: tuple[GateFinding, ...] = ()
    remedy: str = ""
    wager: str = ""


def choices(rules: Rules) -> list[PaytableChoice]:
    """Return every row of the paytable."""
    types = game_of(rules).wager_types(rules)
    return [
        PaytableChoice(row, row_label(row, types), str(payout.odds)) for row, payout in rules.payouts.items()
    ]


def read_pays(written: str, like: Pays) -> Pays:
    """Return odds from text, where `80` means `80 to 1`, or dollars if the row pays dollars.

    Raises Refusal(`odds-unreadable`).
    """
    words = written.strip()
    if isinstance(like, Prize):
        try:
            prize = Prize.parse(words if "$" in words else f"${int(words):,}")
        except ValueError:
            prize = Prize(0)
        if prize.cents <= 0:
            raise Refusal(ODDS_UNREADABLE, text=words[:40])
        return prize
    return Odds.parse(f"{words} to 1" if words.isascii() and words.isdigit() else words)


def what_if(base: Rules, options: Options, row: str, written: str, base_name: str = "") -> WhatIf:
    """Return the odds sheet with one row changed, compared with the rules it is based on.

    Raises Refusal(`no-such-family`) for a row that these rules do not have.
    """
    if row not in base.payouts:
        raise Refusal(NO_SUCH_FAMILY, base.section("odds"), family=row[:40])
    label = row_label(row, game_of(base).wager_types(base))
    try:
        pays = read_pays(written, base.payouts[row].odds)
    except Refusal as refusal:
        as_it_is = odds_sheet(base, name=base_name)
        finding = GateFinding(refusal, label, written[:40], row)
        return WhatIf(as_it_is, None, "stop", f"{label}: not readable as odds", "", (finding,), "", label)
    tried = replace(base, overrides=_overrides_with(base, row, pays))
    new_sheet = odds_sheet(tried, base, NAME, base_name)
    line = curve(tried, row, label, name=NAME, before=base, before_name=base_name)
    tried_options = replace(options, payouts={**options.payouts, row: str(pays)})
    return _with_verdict(WhatIf(new_sheet, line, wager=label), row, pays, tried_options)


def _overrides_with(base: Rules, row: str, pays: Pays) -> tuple[tuple[str, Odds], ...]:
    """Return the overrides with this row. A prize is passed as odds, because it is only used for computing."""
    return tuple(sorted({**dict(base.overrides), row: cast(Odds, pays)}.items()))


def _with_verdict(answer: WhatIf, row: str, pays: Pays, options: Options) -> WhatIf:
    """Return the result with the gate's verdict."""
    edition, trial = options.edition, f"{answer.wager} at {pays}"
    affected = [
        sheet_row for sheet_row in answer.sheet.changed or answer.sheet.rows if row in sheet_row.paytable
    ]
    detail = _advantage_sentences(affected)
    worst = [sheet_row for sheet_row in answer.sheet.favored if row in sheet_row.paytable]
    if not edition.sets_floors or row in edition.fixed:
        verdict = f"favors the player by {percent(-worst[0].advantage)}" if worst else "is only a what-if"
        exact = f"Exact paytable: may not be filed. It pays {edition.payouts[row].odds}."
        return replace(answer, sort="note", headline=f"{trial} {verdict}", detail=f"{exact} {detail}")
    problems = tuple(sorted(findings(options), key=lambda problem: problem.row != row))
    if not problems:
        return replace(answer, sort="ok", headline=f"{trial} may be filed", detail=detail)
    first = problems[0]
    over = first.refusal.params.get("favours")
    why = f" favors the player by {over}" if over else f", {first.refusal.heading.lower()}"
    return replace(
        answer,
        sort="stop",
        headline=f"Refused: {first.wager} at {first.figure}{why}",
        detail=detail,
        findings=problems,
        remedy=first.remedy if first.row == row else "",
    )


def _advantage_sentences(rows: Iterable[OddsRow]) -> str:
    """Return `The house keeps 15.28 % (11/72), before 29.17 %.` for each affected row."""
    sentences = []
    for row in rows:
        side = "The player gains" if row.favors_player else "The house keeps"
        before = (
            f", before {percent(row.previous_advantage)}"
            if row.is_changed and row.previous_advantage is not None
            else ""
        )
        where = f" on {row.label}" if row.note else ""
        sentences.append(
            f"{side} {percent(abs(row.advantage))} ({fraction(abs(row.advantage))}){where}{before}."
        )
    return " ".join(sentences)


# The PDF of a submission


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

"""What if a wager paid other odds: its house advantage, and what the gate would say. Nothing is written."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import cast

from games.engine import Refusal, Rules
from games.engine.odds import Odds, Pays, Prize
from games.engine.refusals import NO_SUCH_FAMILY, ODDS_UNREADABLE
from games.formats import percent
from games.office.core.figures import fraction
from games.office.odds.charts import Curve, curve
from games.office.odds.labels import row_label
from games.office.odds.sheet import OddsRow, OddsSheet, odds_sheet
from games.office.submissions.gate import Finding, findings
from games.registry import game_of
from games.submission_options import Options

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
    findings: tuple[Finding, ...] = ()
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
        finding = Finding(refusal, label, written[:40], row)
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

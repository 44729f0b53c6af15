"""What may be filed: pure checks of a submission's options and the tables that deal under it.

Every refusal names the wager, its figure, its section, and the remedy if one can be computed.
"""

import datetime as dt
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal

from games.chips import payable_step
from games.engine import Refusal, Rules
from games.engine.analysis import Outcome
from games.engine.editions import Edition, Payout
from games.engine.odds import Odds, Prize, in_dollars
from games.engine.wagers import WagerType
from games.formats import percent
from games.office.core.figures import fraction, to_one
from games.office.core.floor import DealtTable
from games.office.odds.labels import cite, family_label, payout_row, row_label
from games.office.pdf.approval import calendar_day
from games.office.submissions.refusals import (
    FILED_EDITION_LAPSED,
    FILED_FAVOURS_PLAYER,
    FILED_FAVOURS_PLAYER_BY_ODDS,
    FILED_INCREMENT_SPLITS,
    FILED_INCREMENT_UNREADABLE,
    FILED_LIMIT_TOO_LOW,
    FILED_LIMIT_UNREADABLE,
    FILED_NO_LIMIT_HERE,
    FILED_NO_SUCH_WAGER,
    FILED_NOT_EXACT,
    FILED_ODDS_FIXED,
    FILED_ODDS_UNREADABLE,
    FILED_ODDS_WORDING,
    FILED_SHAKER_NOT_ALLOWED,
    FILED_UNDER_THE_FLOOR,
)
from games.registry import game_of
from games.submission_options import Options


@dataclass(frozen=True)
class Finding:
    """A reason why a submission may not be filed.

    `wager` is its name for people, `row` its key in the paytable, `figure` the requested value, `remedy` a value that
    would be accepted ("" if none can be computed).
    """

    refusal: Refusal
    wager: str
    figure: str
    row: str = ""
    remedy: str = ""

    @property
    def headline(self) -> str:
        """What is refused, in a few words."""
        return f"{self.wager} at {self.figure}" if self.figure else self.wager

    @property
    def section(self) -> str:
        return self.refusal.section


@dataclass(frozen=True)
class Lapse:
    """When the filing is checked, and why rules of a lapsed edition may be dealt ("" if nobody said)."""

    today: dt.date
    why: str = ""


@dataclass(frozen=True)
class GateCheck:
    """One thing that the gate looked at, with what it found. `state`: ok, stop, or note for what it cannot judge."""

    subject: str
    text: str
    state: Literal["ok", "stop", "note"]


def findings(
    options: Options, tables: Iterable[DealtTable] = (), lapse: Lapse | None = None
) -> tuple[Finding, ...]:
    """Return every reason not to file these options for these tables, the worst first.

    Without `lapse` nothing is said about the end of the edition. Raises Refusal(`no-such-rules` or `which-paytable`)
    for a key without an edition.
    """
    groups = _findings_by_subject(options, tuple(tables), lapse)
    return tuple(finding for subject in groups.values() for finding in subject)


def _findings_by_subject(
    options: Options, tables: tuple[DealtTable, ...], lapse: Lapse | None
) -> dict[str, list[Finding]]:
    edition = options.edition
    rules = Rules.of(options.key, _acceptable_payouts(options))
    return {
        PAYOUTS: list(_payout_findings(edition, options.payouts)),
        WORDING: list(_odds_word_findings(edition, options.odds_word)),
        ADVANTAGE: list(_advantage_findings(rules)),
        LIMIT: list(_payout_limit_findings(edition, options.payout_limit_cents, tables)),
        INCREMENTS: list(_increment_findings(rules, options.increments)),
        SHAKERS: list(_shaker_findings(edition, options.shakers)),
        EDITION: list(_lapse_findings(edition, lapse)),
    }


def gate_checks(
    options: Options, tables: Iterable[DealtTable], lapse: Lapse, chips: Sequence[int]
) -> list[GateCheck]:
    """Return what the gate checks of these options, what it found, and what it does not check.

    `chips`: the values of the chips of the house in cents, largest first.
    """
    tables = tuple(tables)
    groups = _findings_by_subject(options, tables, lapse)
    texts = _check_texts(options, tables, lapse)
    checks = []
    for subject, text in texts.items():
        problems = groups[subject]
        state: Literal["ok", "stop"] = "stop" if problems else "ok"
        checks.append(GateCheck(subject, f"{len(problems)} to correct" if problems else text, state))
    ceiling = GateCheck("Highest odds", _ceiling_text(options.edition), "note")
    payable = _chips_check(options, chips)
    return [checks[0], ceiling, *checks[1:], payable, GateCheck("Not checked", NOT_CHECKED, "note")]


def _chips_check(options: Options, chips: Sequence[int]) -> GateCheck:
    """Name the increments without which tables refuse stakes that the chips of the house cannot pay: § 521.7(d)."""
    smallest = in_dollars(chips[-1])
    needed = needed_increments(options, chips)
    if not needed:
        return GateCheck(CHIPS, f"Chips of {smallest} pay every stake that these increments allow.", "ok")
    rules = Rules.of(options.key)
    types = game_of(rules).wager_types(rules)
    steps = "; ".join(
        f"{family_label(family, types)} {in_dollars(cents)}" for family, cents in needed.items()
    )
    text = (
        f"With chips of {smallest} tables take only stakes in these steps: {steps}. File them as increments, so that "
        "the guide and the signs say so."
    )
    return GateCheck(CHIPS, text, "note")


def needed_increments(options: Options, chips: Sequence[int]) -> dict[str, int]:
    """Return the increments in cents, by wager family, without which some stake could not be paid in these chips.

    Families whose filed increment is enough, or that every stake of whole chips can be paid for, have none.
    """
    rules, needed = Rules.of(options.key, _acceptable_payouts(options)), dict[str, int]()
    for type_ in game_of(rules).wager_types(rules):
        step = payable_step(chips, game_of(rules).possible_odds(rules, type_.code))
        filed = options.increments.get(type_.family, chips[-1])
        if step > chips[-1] and (type(filed) is not int or filed < 1 or filed % step):
            needed[type_.family] = math.lcm(step, needed.get(type_.family, 1))
    return needed


PAYOUTS, WORDING, ADVANTAGE = "Lowest odds", "Wording of odds", "House advantage"
LIMIT, INCREMENTS, SHAKERS, EDITION = "Payout limit", "Increments", "Shakers", "Edition"
CHIPS = "Chips of the house"
NOT_CHECKED = (
    "Whether the layout, the signs, the guide and the equipment agree with these rules, and whether the letter says "
    "what is entered from it."
)


def _check_texts(options: Options, tables: tuple[DealtTable, ...], lapse: Lapse) -> dict[str, str]:
    """What the gate says about each subject where it found nothing to correct."""
    edition, rules = options.edition, Rules.of(options.key, _acceptable_payouts(options))
    highest = max((table.highest_min_cents for table in tables), default=0)
    if edition.sets_floors:
        payouts = f"None of the {len(edition.payouts)} rows pays less than its floor; {len(options.payouts)} pay more."
    else:
        payouts = f"All {len(edition.payouts)} rows pay exactly what the edition says."
    limit = "None is filed."
    if options.payout_limit_cents:
        limit = f"{in_dollars(options.payout_limit_cents)} is enough for a table minimum of {in_dollars(highest)}."
    named = len(options.increments)
    return {
        PAYOUTS: payouts,
        ADVANTAGE: _advantage_text(rules),
        EDITION: _edition_text(edition, lapse),
        LIMIT: limit,
        INCREMENTS: f"Each of the {named} pays in whole cents." if named else "None are filed.",
        WORDING: f"Odds are written as {ODDS_WORD_EXAMPLES.get(options.odds_word, options.odds_word)}.",
        SHAKERS: f"The edition allows each of the {len(options.shakers)} named."
        if options.shakers
        else "None are named: any that the edition allows.",
    }


def _ceiling_text(edition: Edition) -> str:
    if not edition.sets_floors:
        return "The exact odds are the highest odds too."
    fixed = f" {len(edition.fixed)} rows are fixed." if edition.fixed else ""
    return f"These rules set none, so none is checked: the house advantage alone limits what a wager may pay.{fixed}"


def _advantage_text(rules: Rules) -> str:
    """How many wagers were computed, and the one that is best for the player."""
    types = game_of(rules).wager_types(rules)
    by_row: dict[str, Fraction] = {}
    outcomes = game_of(rules).outcomes(rules)
    for code, wager_outcomes in outcomes.items():
        row = payout_row(rules, code)
        by_row.setdefault(row, game_of(rules).advantage(rules, code, wager_outcomes))
    if not by_row:
        return "No wager has odds that can be computed."
    least = min(by_row, key=lambda row: by_row[row])
    return (
        f"Computed exactly for {len(by_row)} rows: none favors the player. The smallest is {percent(by_row[least])}, "
        f"{row_label(least, types)}."
    )


def _edition_text(edition: Edition, lapse: Lapse) -> str:
    if edition.lapses_on is None:
        return f"In force since {calendar_day(edition.in_force_from)}."
    if edition.lapses_on > lapse.today:
        return f"In force since {calendar_day(edition.in_force_from)}; it lapses {calendar_day(edition.lapses_on)}."
    return (
        f"It lapsed {calendar_day(edition.lapses_on)}. The casino recorded why it may be dealt: {lapse.why}"
    )


def _lapse_findings(edition: Edition, lapse: Lapse | None) -> Iterator[Finding]:
    """Refuse an edition that has lapsed, unless the casino records why it may be dealt (reading A01)."""
    if lapse is None or edition.lapses_on is None or edition.lapses_on > lapse.today or lapse.why:
        return
    day = calendar_day(edition.lapses_on)
    refusal = Refusal(FILED_EDITION_LAPSED, edition=edition.title, day=day)
    yield Finding(refusal, "Lapsed edition", "")


def verify_may_file(options: Options, tables: Iterable[DealtTable] = (), lapse: Lapse | None = None) -> Rules:
    """Return the rules of these options. Raises the refusal of the first finding."""
    for finding in findings(options, tables, lapse):
        raise finding.refusal
    return options.rules()


def verify_minimum(rules: Rules, min_cents: int) -> None:
    """Refuse a minimum wager in cents for which the filed payout limit is too low.

    Checked again whenever a minimum rises (58 Pa. Code §§ 675a.5(e), 675a.6(l); reading A30). Raises
    Refusal(`filed-limit-too-low`).
    """
    if rules.payout_limit_cents is None:
        return
    least = rules.least_payout_limit_cents(min_cents)
    if rules.payout_limit_cents < least:
        raise _limit_too_low(rules.edition, rules.payout_limit_cents, least, min_cents)


# Odds


def _acceptable_payouts(options: Options) -> dict[str, str]:
    """Return the payouts that the engine accepts, so that further findings show at the same time."""
    refused = {finding.row for finding in _payout_findings(options.edition, options.payouts)}
    return {row: odds for row, odds in options.payouts.items() if row not in refused}


def _payout_findings(edition: Edition, payouts: Mapping[str, str]) -> Iterator[Finding]:
    """Check payouts: floors in 539 and New Jersey, exact odds elsewhere, One of a Kind fixed in all (reading A19)."""
    types = game_of(Rules(edition)).wager_types(Rules(edition))
    for row, written in payouts.items():
        wager, set_ = row_label(row, types), edition.payouts.get(row)
        try:
            odds = Odds.parse(written)
        except Refusal:
            section = set_.cite if set_ else edition.sections["odds"]
            refusal = Refusal(FILED_ODDS_UNREADABLE, section, wager=wager, figure=str(written)[:40])
            yield Finding(refusal, wager, str(written)[:40], row)
            continue
        refused, remedy = _payout_refusal(edition, row, wager, odds, set_)
        if refused is not None:
            yield Finding(refused, wager, str(odds), row, remedy)


def _payout_refusal(
    edition: Edition, row: str, wager: str, odds: Odds, set_: Payout | None
) -> tuple[Refusal | None, str]:
    """Return the refusal of one payout, or None, with the remedy."""
    params = {"wager": wager, "figure": str(odds)}
    if set_ is None:
        if any(code.split("/")[0] == row.split("/")[0] for code in edition.fixed):
            return _fixed_odds_refusal(edition, row, params), ""
        return Refusal(FILED_NO_SUCH_WAGER, edition.sections["wagers"], **params), ""
    if not edition.sets_floors:
        return Refusal(FILED_NOT_EXACT, set_.cite, **params, exact=str(set_.odds)), str(set_.odds)
    if row in edition.fixed:
        return _fixed_odds_refusal(edition, row, params), ""
    if odds.ratio() < set_.odds.ratio():
        refusal = Refusal(FILED_UNDER_THE_FLOOR, set_.cite, **params, floor=str(set_.odds))
        return refusal, str(set_.odds)
    return None, ""


def _fixed_odds_refusal(edition: Edition, row: str, params: Mapping[str, str]) -> Refusal:
    rows = [code for code in sorted(edition.fixed) if code.split("/")[0] == row.split("/")[0]]
    odds = ", ".join(str(edition.payouts[code].odds) for code in rows)
    return Refusal(FILED_ODDS_FIXED, edition.payouts[rows[0]].cite, **params, fixed=odds)


def _odds_word_findings(edition: Edition, word: str) -> Iterator[Finding]:
    """Check the wording of odds, which each edition sets (reading A18)."""
    if word not in edition.odds_words:
        allowed = ", ".join(ODDS_WORD_EXAMPLES[allowed_word] for allowed_word in edition.odds_words)
        figure = ODDS_WORD_EXAMPLES.get(word, word[:40])
        params = {"wager": "Every wager", "figure": figure, "allowed": allowed}
        refusal = Refusal(FILED_ODDS_WORDING, cite(edition, "odds-words"), **params)
        yield Finding(refusal, "Every wager", figure, remedy=edition.odds_words[0])


ODDS_WORD_EXAMPLES = {"to": "6 to 1", "wins": "1 wins 6", "win": "1 win 6"}


# House advantage


def _advantage_findings(rules: Rules) -> Iterator[Finding]:
    """Check each row once, since all wagers of a row are alike. An Extra Roll is judged with its circles."""
    types = game_of(rules).wager_types(rules)
    reported = set()
    for code, outcomes in game_of(rules).outcomes(rules).items():
        row = payout_row(rules, code)
        advantage = game_of(rules).advantage(rules, code, outcomes)
        if advantage < 0 and row not in reported:
            reported.add(row)
            yield _advantage_finding(rules, row, row_label(row, types), outcomes, advantage)


def _advantage_finding(
    rules: Rules, row: str, wager: str, outcomes: tuple[Outcome, ...], advantage: Fraction
) -> Finding:
    payout = rules.payouts.get(row)
    section = payout.cite if payout else rules.section("odds")
    figure = " or ".join(str(outcome.pays) for outcome in outcomes)
    params = {"wager": wager, "figure": figure, "favours": percent(-advantage), "exact": fraction(-advantage)}
    if len(outcomes) != 1 or isinstance(outcomes[0].pays, Prize):
        return Finding(Refusal(FILED_FAVOURS_PLAYER, section, **params), wager, figure, row)
    chance = outcomes[0].probability
    even = 1 / chance - 1
    best = Odds(max(1, ceil(even) - 1))
    remaining = 1 - chance * (best.to + 1)
    params |= {"wins": _wins(chance), "even": to_one(even), "best": str(best), "left": percent(remaining)}
    return Finding(Refusal(FILED_FAVOURS_PLAYER_BY_ODDS, section, **params), wager, figure, row, str(best))


def _wins(chance: Fraction) -> str:
    """Return `3 of 216`: in throws of three dice if possible, otherwise in lowest terms."""
    throws = 216 if 216 % chance.denominator == 0 else chance.denominator
    return f"{chance * throws} of {throws}"


# The aggregate payout limit


def _payout_limit_findings(
    edition: Edition, cents: int | None, tables: tuple[DealtTable, ...]
) -> Iterator[Finding]:
    """Check the limit for the highest minimum of the tables: 58 Pa. Code §§ 675a.5(e), 675a.6(l) (reading A30)."""
    if cents is None:
        return
    figure, section = _amount_text(cents), cite(edition, "payout-limit")
    params = {"wager": "Every wager", "figure": figure}
    if not edition.limit_floors:
        yield Finding(Refusal(FILED_NO_LIMIT_HERE, section, **params), "Every wager", figure)
    elif type(cents) is not int or cents < 1:
        yield Finding(Refusal(FILED_LIMIT_UNREADABLE, section, **params), "Every wager", figure)
    else:
        highest = max((table.highest_min_cents for table in tables), default=0)
        least = Rules(edition).least_payout_limit_cents(highest)
        if cents < least:
            refusal = _limit_too_low(edition, cents, least, highest)
            yield Finding(refusal, "Every wager", figure, remedy=in_dollars(least))


def _limit_too_low(edition: Edition, cents: int, least: int, min_cents: int) -> Refusal:
    return Refusal(
        FILED_LIMIT_TOO_LOW,
        cite(edition, "payout-limit"),
        wager="Every wager",
        figure=in_dollars(cents),
        least=in_dollars(least),
        minimum=in_dollars(min_cents),
    )


def _amount_text(cents: object) -> str:
    return in_dollars(cents) if type(cents) is int and cents > 0 else str(cents)[:40]


# Increments and shakers


def _increment_findings(rules: Rules, increments: Mapping[str, int]) -> Iterator[Finding]:
    """Check that every stake can be paid in whole cents: 58 Pa. Code § 521.7(d) (reading A21)."""
    edition, types = rules.edition, game_of(rules).wager_types(rules)
    section = cite(edition, "increments")
    for family, cents in increments.items():
        wager, figure = family_label(family, types), _amount_text(cents)
        params = {"wager": wager, "figure": figure}
        if family not in {type_.family for type_ in types}:
            yield Finding(Refusal(FILED_NO_SUCH_WAGER, edition.sections["wagers"], **params), wager, figure)
        elif type(cents) is not int or cents < 1:
            yield Finding(Refusal(FILED_INCREMENT_UNREADABLE, section, **params), wager, figure)
        elif splits := _split_by(rules, family, types, cents):
            refusal = Refusal(FILED_INCREMENT_SPLITS, section, **params, odds=str(splits))
            yield Finding(refusal, wager, figure, remedy=in_dollars(cents * splits.per))


def _split_by(rules: Rules, family: str, types: Iterable[WagerType], cents: int) -> Odds | None:
    """Return odds at which one increment of a family would win a fraction of a cent."""
    for type_ in types:
        if type_.family == family:
            for odds in game_of(rules).possible_odds(rules, type_.code):
                if isinstance(odds, Odds) and odds.splits(cents):
                    return odds
    return None


def _shaker_findings(edition: Edition, shakers: Mapping[str, str]) -> Iterator[Finding]:
    for kind in shakers:
        if kind not in edition.shakers:
            params = {"wager": "Every wager", "figure": kind[:40], "allowed": ", ".join(edition.shakers)}
            yield Finding(
                Refusal(FILED_SHAKER_NOT_ALLOWED, cite(edition, "shaker"), **params),
                "Every wager",
                kind[:40],
            )

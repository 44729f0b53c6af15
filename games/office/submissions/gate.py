"""What may be filed and dealt: checks of a submission's options, of its steps, and of its approval by the record.

`verify_may_file` runs the checks before a version is filed, and again when its approval is recorded, because a table
minimum may have risen in between. They are pure: every refusal names the wager, its figure, its section, and the remedy
if one can be computed. `recorded_approvals` says which terms the record shows as approved for which submission; a full
verification compares the rows with them.
"""

import datetime as dt
import hashlib
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Annotated, Literal, NotRequired, TypedDict

from audit import chain, record
from audit.days import day_in_words
from audit.entry_types import entry_type
from audit.findings import Finding, declare_finding, record_check
from audit.models import Entry
from games.chips import payable_step
from games.engine import Refusal, RefusalCode, Rules
from games.engine.editions import Edition, Payout
from games.engine.odds import Odds, Outcome, Prize, in_dollars
from games.engine.rules import Terms
from games.engine.wagers import WagerType
from games.formats import percent
from games.models import RulesSubmission
from games.office.core import STREAM, DealtTable
from games.office.documents import DocumentReference
from games.office.odds import cite, family_label, fraction, payout_row, row_label, to_one
from games.registry import game_of
from games.submissions import Options, VersionState, state_of_version


class RulesEntry(TypedDict):
    """The version of a submission that an entry is about."""

    code: Annotated[str, "code of the rules submission"]
    version: Annotated[int, "version of the submission"]
    edition: str
    lapsed_why: NotRequired[Annotated[str, "why rules of a lapsed edition may be dealt, in a person's words"]]


class RulesApproved(RulesEntry):
    """The rules of a demo were approved before its record began: their entry has the terms alone."""

    terms: Terms
    body: NotRequired[Annotated[str, "the body that decided; absent in a demo, as are the fields below"]]
    reference: NotRequired[Annotated[str, "reference of the letter"]]
    letter: NotRequired[DocumentReference]
    in_force_from: NotRequired[Annotated[str, "the moment from which the version is in force"]]
    supersedes: NotRequired[Annotated[int | None, "the version that it supersedes; null if there is none"]]


RULES_APPROVED = entry_type(
    "rules.approved", RulesApproved, "A rules submission was approved, with its whole terms."
)


# Refusals


FILED_ODDS_UNREADABLE = RefusalCode(
    "filed-odds-unreadable",
    "%(wager)s: %(figure)s is not readable as odds. Write them as 6 to 1.",
    "Odds unreadable",
)


FILED_NO_SUCH_WAGER = RefusalCode(
    "filed-no-such-wager",
    "%(wager)s at %(figure)s: these rules have no such wager. Leave it out.",
    "No such wager",
)


FILED_ODDS_FIXED = RefusalCode(
    "filed-odds-fixed",
    "%(wager)s at %(figure)s: its odds are fixed at %(fixed)s. Leave it out.",
    "Odds are fixed",
)


FILED_NOT_EXACT = RefusalCode(
    "filed-not-exact",
    "%(wager)s at %(figure)s: these rules set exact odds, %(exact)s here. Leave it out, or choose a "
    "complete paytable.",
    "Odds are exact",
)


FILED_UNDER_THE_FLOOR = RefusalCode(
    "filed-under-the-floor",
    "%(wager)s at %(figure)s is below its floor. File %(floor)s or more.",
    "Below the floor",
)


FILED_ODDS_WORDING = RefusalCode(
    "filed-odds-wording",
    "%(wager)s: odds are not written as %(figure)s under these rules. Choose one of: %(allowed)s.",
    "Wrong word",
)


FILED_FAVOURS_PLAYER = RefusalCode(
    "filed-favours-player",
    "%(wager)s at %(figure)s favors the player by %(favours)s (%(exact)s). File lower odds.",
    "Favors the player",
)


FILED_FAVOURS_PLAYER_BY_ODDS = RefusalCode(
    "filed-favours-player-by-odds",
    "%(wager)s at %(figure)s favors the player by %(favours)s (%(exact)s). It wins in %(wins)s "
    "throws: %(even)s would be even, and %(best)s leaves the house %(left)s.",
    "Favors the player",
)


FILED_NO_LIMIT_HERE = RefusalCode(
    "filed-no-limit-here",
    "%(wager)s: these rules have no aggregate payout limit. Leave %(figure)s out.",
    "No payout limit",
)


FILED_LIMIT_UNREADABLE = RefusalCode(
    "filed-limit-unreadable",
    "%(wager)s: %(figure)s is not an amount. Enter the limit in dollars.",
    "Limit unreadable",
)


FILED_LIMIT_TOO_LOW = RefusalCode(
    "filed-limit-too-low",
    "%(wager)s: a payout limit of %(figure)s is below its floor at a table minimum of %(minimum)s. "
    "File %(least)s or more, or keep the minimum lower.",
    "Payout limit too low",
)


FILED_INCREMENT_UNREADABLE = RefusalCode(
    "filed-increment-unreadable",
    "%(wager)s: %(figure)s is not an increment. Enter it in whole cents.",
    "Increment unreadable",
)


FILED_INCREMENT_SPLITS = RefusalCode(
    "filed-increment-splits",
    "%(wager)s in steps of %(figure)s would win a fraction of a cent at %(odds)s. Choose a larger step.",
    "Fraction of a cent",
)


FILED_SHAKER_NOT_ALLOWED = RefusalCode(
    "filed-shaker-not-allowed",
    "%(wager)s: these rules do not allow a %(figure)s shaker. They allow: %(allowed)s.",
    "Shaker not allowed",
)


FILED_EDITION_LAPSED = RefusalCode(
    "filed-edition-lapsed",
    "%(edition)s lapsed on %(day)s. Choose a newer edition, or write in the options why it may still be dealt.",
    "Lapsed edition",
)


# Checks


@dataclass(frozen=True)
class GateFinding:
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
) -> tuple[GateFinding, ...]:
    """Return every reason not to file these options for these tables, the worst first.

    Without `lapse` nothing is said about the end of the edition. Raises Refusal(`no-such-rules` or `which-paytable`)
    for a key without an edition.
    """
    groups = _findings_by_subject(options, tuple(tables), lapse)
    return tuple(finding for subject in groups.values() for finding in subject)


def _findings_by_subject(
    options: Options, tables: tuple[DealtTable, ...], lapse: Lapse | None
) -> dict[str, list[GateFinding]]:
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
        return f"In force since {day_in_words(edition.in_force_from)}."
    if edition.lapses_on > lapse.today:
        return f"In force since {day_in_words(edition.in_force_from)}; it lapses {day_in_words(edition.lapses_on)}."
    return (
        f"It lapsed {day_in_words(edition.lapses_on)}. The casino recorded why it may be dealt: {lapse.why}"
    )


def _lapse_findings(edition: Edition, lapse: Lapse | None) -> Iterator[GateFinding]:
    """Refuse an edition that has lapsed, unless the casino records why it may be dealt (reading A01)."""
    if lapse is None or edition.lapses_on is None or edition.lapses_on > lapse.today or lapse.why:
        return
    day = day_in_words(edition.lapses_on)
    refusal = Refusal(FILED_EDITION_LAPSED, edition=edition.title, day=day)
    yield GateFinding(refusal, "Lapsed edition", "")


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


def _payout_findings(edition: Edition, payouts: Mapping[str, str]) -> Iterator[GateFinding]:
    """Check payouts: floors in 539 and New Jersey, exact odds elsewhere, One of a Kind fixed in all (reading A19)."""
    types = game_of(Rules(edition)).wager_types(Rules(edition))
    for row, written in payouts.items():
        wager, set_ = row_label(row, types), edition.payouts.get(row)
        try:
            odds = Odds.parse(written)
        except Refusal:
            section = set_.cite if set_ else edition.sections["odds"]
            refusal = Refusal(FILED_ODDS_UNREADABLE, section, wager=wager, figure=str(written)[:40])
            yield GateFinding(refusal, wager, str(written)[:40], row)
            continue
        refused, remedy = _payout_refusal(edition, row, wager, odds, set_)
        if refused is not None:
            yield GateFinding(refused, wager, str(odds), row, remedy)


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


def _odds_word_findings(edition: Edition, word: str) -> Iterator[GateFinding]:
    """Check the wording of odds, which each edition sets (reading A18)."""
    if word not in edition.odds_words:
        allowed = ", ".join(ODDS_WORD_EXAMPLES[allowed_word] for allowed_word in edition.odds_words)
        figure = ODDS_WORD_EXAMPLES.get(word, word[:40])
        params = {"wager": "Every wager", "figure": figure, "allowed": allowed}
        refusal = Refusal(FILED_ODDS_WORDING, cite(edition, "odds-words"), **params)
        yield GateFinding(refusal, "Every wager", figure, remedy=edition.odds_words[0])


ODDS_WORD_EXAMPLES = {"to": "6 to 1", "wins": "1 wins 6", "win": "1 win 6"}


# House advantage


def _advantage_findings(rules: Rules) -> Iterator[GateFinding]:
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
) -> GateFinding:
    payout = rules.payouts.get(row)
    section = payout.cite if payout else rules.section("odds")
    figure = " or ".join(str(outcome.pays) for outcome in outcomes)
    params = {"wager": wager, "figure": figure, "favours": percent(-advantage), "exact": fraction(-advantage)}
    if len(outcomes) != 1 or isinstance(outcomes[0].pays, Prize):
        return GateFinding(Refusal(FILED_FAVOURS_PLAYER, section, **params), wager, figure, row)
    chance = outcomes[0].probability
    even = 1 / chance - 1
    best = Odds(max(1, ceil(even) - 1))
    remaining = 1 - chance * (best.to + 1)
    params |= {"wins": _wins(chance), "even": to_one(even), "best": str(best), "left": percent(remaining)}
    return GateFinding(
        Refusal(FILED_FAVOURS_PLAYER_BY_ODDS, section, **params), wager, figure, row, str(best)
    )


def _wins(chance: Fraction) -> str:
    """Return `3 of 216`: in throws of three dice if possible, otherwise in lowest terms."""
    throws = 216 if 216 % chance.denominator == 0 else chance.denominator
    return f"{chance * throws} of {throws}"


# The aggregate payout limit


def _payout_limit_findings(
    edition: Edition, cents: int | None, tables: tuple[DealtTable, ...]
) -> Iterator[GateFinding]:
    """Check the limit for the highest minimum of the tables: 58 Pa. Code §§ 675a.5(e), 675a.6(l) (reading A30)."""
    if cents is None:
        return
    figure, section = _amount_text(cents), cite(edition, "payout-limit")
    params = {"wager": "Every wager", "figure": figure}
    if not edition.limit_floors:
        yield GateFinding(Refusal(FILED_NO_LIMIT_HERE, section, **params), "Every wager", figure)
    elif type(cents) is not int or cents < 1:
        yield GateFinding(Refusal(FILED_LIMIT_UNREADABLE, section, **params), "Every wager", figure)
    else:
        highest = max((table.highest_min_cents for table in tables), default=0)
        least = Rules(edition).least_payout_limit_cents(highest)
        if cents < least:
            refusal = _limit_too_low(edition, cents, least, highest)
            yield GateFinding(refusal, "Every wager", figure, remedy=in_dollars(least))


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


def _increment_findings(rules: Rules, increments: Mapping[str, int]) -> Iterator[GateFinding]:
    """Check that every stake can be paid in whole cents: 58 Pa. Code § 521.7(d) (reading A21)."""
    edition, types = rules.edition, game_of(rules).wager_types(rules)
    section = cite(edition, "increments")
    for family, cents in increments.items():
        wager, figure = family_label(family, types), _amount_text(cents)
        params = {"wager": wager, "figure": figure}
        if family not in {type_.family for type_ in types}:
            yield GateFinding(
                Refusal(FILED_NO_SUCH_WAGER, edition.sections["wagers"], **params), wager, figure
            )
        elif type(cents) is not int or cents < 1:
            yield GateFinding(Refusal(FILED_INCREMENT_UNREADABLE, section, **params), wager, figure)
        elif splits := _split_by(rules, family, types, cents):
            refusal = Refusal(FILED_INCREMENT_SPLITS, section, **params, odds=str(splits))
            yield GateFinding(refusal, wager, figure, remedy=in_dollars(cents * splits.per))


def _split_by(rules: Rules, family: str, types: Iterable[WagerType], cents: int) -> Odds | None:
    """Return odds at which one increment of a family would win a fraction of a cent."""
    for type_ in types:
        if type_.family == family:
            for odds in game_of(rules).possible_odds(rules, type_.code):
                if isinstance(odds, Odds) and odds.splits(cents):
                    return odds
    return None


def _shaker_findings(edition: Edition, shakers: Mapping[str, str]) -> Iterator[GateFinding]:
    for kind in shakers:
        if kind not in edition.shakers:
            params = {"wager": "Every wager", "figure": kind[:40], "allowed": ", ".join(edition.shakers)}
            yield GateFinding(
                Refusal(FILED_SHAKER_NOT_ALLOWED, cite(edition, "shaker"), **params),
                "Every wager",
                kind[:40],
            )


# The steps of a version, from its draft to its end


@dataclass(frozen=True)
class SubmissionStep:
    """One step of a version. `state`: done, now, stop or todo."""

    label: str
    state: str
    moment: dt.datetime | None = None
    who: str = ""
    note: str = ""


def submission_steps(
    row: RulesSubmission, now: dt.datetime, findings: Sequence[GateFinding]
) -> list[SubmissionStep]:
    """Return the steps: drafted, checked by the gate, filed, decided, in force."""
    version_state = state_of_version(row, now)
    drafter = row.drafted_by.name if row.drafted_by else ""
    steps = [SubmissionStep("Drafted", "done", row.drafted_at, drafter, row.why)]
    if version_state == VersionState.DRAFT:
        gate = f"{len(findings)} to correct" if findings else "ready to file"
        steps.append(SubmissionStep("Gate", "stop" if findings else "done", note=gate))
        steps.append(SubmissionStep("Filed", "todo" if findings else "now"))
    else:
        filer = row.filed_by.name if row.filed_by else ""
        steps.append(SubmissionStep("Filed", "done" if row.filed_at else "todo", row.filed_at, filer))
    return [*steps, *_decision_steps(row, version_state), *_end_steps(row, version_state)]


def _decision_steps(row: RulesSubmission, version_state: VersionState) -> list[SubmissionStep]:
    if row.decided_at is None:
        state = "now" if version_state == VersionState.FILED else "todo"
        return (
            []
            if version_state == VersionState.WITHDRAWN
            else [SubmissionStep("Decided", state), SubmissionStep("In force", "todo")]
        )
    authority = f"{row.decided_by}, {row.reference}" if row.reference else row.decided_by
    if row.status == RulesSubmission.Status.DENIED:
        return [SubmissionStep("Denied", "stop", row.decided_at, note=authority)]
    force = "In force" if version_state != VersionState.COMING else "Comes into force"
    note = "each table from its next round on"
    return [
        SubmissionStep("Approved", "done", row.decided_at, note=authority),
        SubmissionStep(
            force, "now" if version_state == VersionState.COMING else "done", row.in_force_from, note=note
        ),
    ]


def _end_steps(row: RulesSubmission, version_state: VersionState) -> list[SubmissionStep]:
    if version_state == VersionState.WITHDRAWN:
        return [SubmissionStep("Withdrawn", "stop", row.withdrawn_at, note=row.withdrawn_why)]
    if version_state == VersionState.SUPERSEDED:
        return [SubmissionStep("Superseded", "done", row.superseded_at, note="stays on file")]
    return []


# Approvals, as the record states them


@dataclass(frozen=True, slots=True)
class RecordedApproval:
    """One version of a submission as its entry approves it. `at` is the moment as written, UTC with a Z."""

    seq: int
    at: str
    code: str
    version: int
    edition: str
    terms_sha256: str


def recorded_approvals(facility: str, code: str = "") -> Iterator[RecordedApproval]:
    """The approvals of a facility, oldest first; only of submission `code` if it is given.

    The terms are hashed again here. An entry that cannot be read approves nothing.
    """
    names = record.names_with_continuations(f"{facility}/{STREAM}")
    entries = Entry.objects.filter(stream__name__in=names, type=RULES_APPROVED.name)
    for seq, body in entries.order_by("stream", "seq").values_list("seq", "body"):
        try:
            content = json.loads(bytes(body))
            data = content["data"]
            digest = hashlib.sha256(chain.canonical(data["terms"])).hexdigest()
            approval = RecordedApproval(
                seq, str(content["at"]), data["code"], data["version"], data["edition"], digest
            )
        except (ValueError, KeyError, TypeError, RecursionError, chain.NotCanonical):
            continue
        if not code or approval.code == code:
            yield approval


# What a full verification compares


TERMS_DIFFER = declare_finding(
    "terms-differ",
    "The terms of %(submission)s differ from %(stream)s, entry %(seq)s, which approved it. The entry counts.",
)
TERMS_UNRECORDED = declare_finding(
    "terms-unrecorded",
    "No entry on %(stream)s approved %(submission)s, which the database has as approved.",
)
Status = RulesSubmission.Status


@record_check
def check_submissions(tick: Callable[[], None]) -> Iterator[Finding]:
    """Compare the terms of every approved version with the entry that approved it."""
    approvals: dict[str, dict[tuple[str, int], RecordedApproval]] = {}
    rows = RulesSubmission.objects.filter(status__in=(Status.APPROVED, Status.SUPERSEDED))
    for row in rows.select_related("facility").order_by("facility", "code", "version"):
        tick()
        facility = row.facility.code
        if facility not in approvals:
            recorded = recorded_approvals(facility)
            approvals[facility] = {(approval.code, approval.version): approval for approval in recorded}
        where = {"submission": str(row), "stream": f"{facility}/{STREAM}"}
        approval = approvals[facility].get((row.code, row.version))
        digest = hashlib.sha256(row.terms.encode()).hexdigest()
        if approval is None:
            yield Finding(TERMS_UNRECORDED, where)
        elif {digest, row.terms_sha256} != {approval.terms_sha256} or row.edition != approval.edition:
            yield Finding(TERMS_DIFFER, {**where, "seq": approval.seq})

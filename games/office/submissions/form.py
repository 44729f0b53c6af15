"""The form of a rules submission: everything that a version may choose under its edition."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from games.engine import Refusal, Rules
from games.engine.editions import Edition, all_editions
from games.engine.odds import Odds, Pays
from games.formats import percent
from games.models import Facility
from games.office.core.floor import DealtTable
from games.office.odds.labels import cite, family_label, payout_row, row_label
from games.office.submissions.compare import edition_title
from games.office.submissions.gate import ODDS_WORD_EXAMPLES
from games.registry import game_of
from games.submission_options import Options


@dataclass(frozen=True)
class PayoutRow:
    """A row of the paytable that may pay more: its floor, the odds in the draft ("" for the floor), and how it wins."""

    row: str
    label: str
    floor: str
    odds: str
    wins: int
    of: int
    advantage: str


@dataclass(frozen=True)
class IncrementRow:
    """A wager family with its increment in cents, or None."""

    family: str
    label: str
    cents: int | None


@dataclass(frozen=True)
class ShakerRow:
    """A kind of shaker that the edition allows, whether the submission names it, and its procedure."""

    kind: str
    label: str
    is_named: bool
    procedure: str


@dataclass(frozen=True)
class SubmissionForm:
    """Everything that a submission under one edition may choose, with the present options."""

    options: Options
    payouts: tuple[PayoutRow, ...]
    words: tuple[tuple[str, str], ...]  # the word, and how odds look with it
    increments: tuple[IncrementRow, ...]
    shakers: tuple[ShakerRow, ...]
    least_limit_cents: int | None
    increments_cite: str
    limit_cite: str
    words_cite: str
    odds_cite: str

    @property
    def edition(self) -> Edition:
        return self.options.edition


def submission_form(options: Options, tables: Sequence[DealtTable]) -> SubmissionForm:
    """Return the form for these options and the tables that deal under them."""
    edition = options.edition
    base = Rules(edition)
    types = game_of(base).wager_types(base)
    families = dict.fromkeys(type_.family for type_ in types)
    highest = max((table.highest_min_cents for table in tables), default=0)
    return SubmissionForm(
        options,
        _payout_rows(base, options),
        tuple((word, ODDS_WORD_EXAMPLES[word]) for word in edition.odds_words),
        tuple(
            IncrementRow(family, family_label(family, types), options.increments.get(family))
            for family in families
        ),
        tuple(
            ShakerRow(kind, SHAKERS.get(kind, kind), kind in options.shakers, options.shakers.get(kind, ""))
            for kind in edition.shakers
        ),
        base.least_payout_limit_cents(highest) if edition.limit_floors else None,
        cite(edition, "increments"),
        cite(edition, "payout-limit"),
        cite(edition, "odds-words"),
        cite(edition, "odds"),
    )


SHAKERS = {
    "manual": "Manual shaker",
    "automated-covered": "Automated shaker with a cover",
    "automated-uncovered": "Automated shaker without a cover",
    "player-activated": "Player-activated shaker",
    "dice-cup": "Dice cup",
}


def _payout_rows(base: Rules, options: Options) -> tuple[PayoutRow, ...]:
    """Return the rows that have a floor, with the number of winning throws."""
    edition = base.edition
    if not edition.sets_floors:
        return ()
    types, throws = game_of(base).wager_types(base), 6**edition.dice
    rows: dict[str, PayoutRow] = {}
    for code, outcomes in game_of(base).outcomes(base).items():
        row = payout_row(base, code)
        if row not in edition.payouts or row in edition.fixed or row in rows:
            continue
        chance, floor = outcomes[0].probability, edition.payouts[row].odds
        chosen_odds = options.payouts.get(row, "")
        advantage = percent(1 - chance * (_paid_ratio(chosen_odds, floor) + 1))
        label = row_label(row, types)
        rows[row] = PayoutRow(row, label, str(floor), chosen_odds, int(chance * throws), throws, advantage)
    return tuple(rows.values())


def _paid_ratio(odds_text: str, floor: Pays) -> Fraction:
    """Return what a row pays for one unit; its floor if the text is unreadable."""
    try:
        return Odds.parse(odds_text).ratio()
    except Refusal:
        return floor.ratio()


def editions_for(facility: Facility, game: str = "") -> list[tuple[str, str, str]]:
    """Return the editions of the facility's jurisdiction: dated key, title and game, the newest text last."""
    return [
        (key, edition_title(Rules(edition)), edition.game)
        for key, edition in all_editions().items()
        if edition.jurisdiction == facility.jurisdiction and game in ("", edition.game)
    ]

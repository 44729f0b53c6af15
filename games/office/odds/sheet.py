"""The odds sheet: every wager's true odds, payout odds and house advantage, exact, from the engine.

Wagers with the same figures share a row, "Total 5, Total 16". Only texts are rounded; what is written as text is a
fraction until then.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from games.engine import Rules
from games.engine.editions import Edition
from games.engine.odds import Odds, Outcome, Pays
from games.engine.wagers import WagerType
from games.formats import percent
from games.kit.plots import Plot
from games.office.odds.charts import BarScale
from games.registry import game_of


def to_one(odds: Fraction) -> str:
    """Return odds against, such as `71 to 1` or `12.5 to 1`, with at most two decimals."""
    hundredths = (odds * 200 + 1) // 2
    units, decimals = divmod(hundredths, 100)
    places = f".{decimals:02d}".rstrip("0") if decimals else ""
    return f"{units:,}{places} to 1"


def fraction(part: Fraction) -> str:
    """Return `1/8`, `−1/8` or `0`."""
    return str(part).replace("-", "−")


def payout_row(rules: Rules, code: str) -> str:
    """Return the row of the paytable that pays a code: "two-dice" for "two-dice:1-2", "total:4" for itself."""
    return code if code in rules.payouts else code.split(":")[0]


def row_label(row: str, types: Iterable[WagerType]) -> str:
    """Return the name of a row of the paytable: "Total 4", "Three of a Kind"."""
    family, _, tier = row.partition("/")
    for type_ in types:
        if type_.code == row:
            return str(type_.label)
        if type_.family == family and tier:
            return f"{type_.family_name or type_.label}, {_tier(tier)}"
        if type_.family == family and family == row:
            return type_.family_name or str(type_.label)
    return row


def _tier(tier: str) -> str:
    """Return what a tier of a row is paid on: "3", "after an Extra Roll 3"."""
    return tier.replace("extra:", "after an Extra Roll ").replace("-", " ")


def family_label(family: str, types: Iterable[WagerType]) -> str:
    """Return the name of a wager family."""
    return row_label(family, types)


def cite(edition: Edition, duty: str) -> str:
    """Return the section of a duty, or that of the odds if the edition has none."""
    return edition.sections.get(duty) or edition.sections["odds"]


# The sheet


MERGED_FAMILIES = {
    "small": "even",
    "big": "even",
}  # families that may share a row when their figures are alike
MOST_COUNTED_THROWS = 216  # beyond this many throws, a chance is a fraction


@dataclass(frozen=True)
class PayoutLevel:
    """One payout of a wager with its probability, out of this many equally likely throws."""

    probability: Fraction
    pays: Pays
    throws: int
    previous_text: str = ""

    @property
    def ways(self) -> int | None:
        """Return the number of winning throws, or None if a game takes several throws."""
        ways = self.probability * self.throws
        return ways.numerator if ways.denominator == 1 else None

    @property
    def true_odds(self) -> Fraction:
        """Return the true odds against: `25/2` is 12.5 to 1."""
        return 1 / self.probability - 1

    @property
    def true_odds_text(self) -> str:
        return to_one(self.true_odds)

    @property
    def chance_text(self) -> str:
        """Return the chance in percent, or as one in how many if it is below one in a thousand."""
        rare = self.probability < Fraction(1, 1000)
        return f"1 in {round(1 / self.probability):,}" if rare else percent(self.probability)

    @property
    def chance_exact(self) -> str:
        return fraction(self.probability)

    @property
    def chance_parts(self) -> tuple[str, str, str]:
        """Return the fraction in parts, so that a narrow column may break it at its slash."""
        return self.chance_exact.partition("/")


@dataclass(frozen=True)
class OddsRow:
    """Wagers with equal figures.

    `paytable` has the rows that pay them. `floors` is empty if the edition sets none, `previous` if there is nothing
    to compare with.
    """

    label: str
    codes: tuple[str, ...]
    paytable: tuple[str, ...]
    outcomes: tuple[Outcome, ...]
    advantage: Fraction
    throws: int
    floors: tuple[Pays, ...] = ()
    previous: tuple[Pays, ...] = ()
    previous_advantage: Fraction | None = None
    note: str = ""

    @property
    def levels(self) -> tuple[PayoutLevel, ...]:
        """Return each payout with its own true odds (reading A02)."""
        alike = len(self.previous) == len(self.outcomes)
        previous_pays = self.previous if alike else (None,) * len(self.outcomes)
        previous_texts = [
            short_odds((old,)) if old and old != outcome.pays else ""
            for old, outcome in zip(previous_pays, self.outcomes, strict=True)
        ]
        if self.previous and not alike:
            previous_texts[0] = short_odds(self.previous)
        return tuple(
            PayoutLevel(outcome.probability, outcome.pays, self.throws, old)
            for outcome, old in zip(self.outcomes, previous_texts, strict=True)
        )

    @property
    def pays(self) -> tuple[Pays, ...]:
        return tuple(outcome.pays for outcome in self.outcomes)

    @property
    def favors_player(self) -> bool:
        return self.advantage < 0

    @property
    def is_changed(self) -> bool:
        return bool(self.previous) and (
            self.previous != self.pays or self.previous_advantage != self.advantage
        )

    # Texts

    @property
    def floor_text(self) -> str:
        return short_odds(self.floors)

    @property
    def advantage_text(self) -> str:
        return percent(self.advantage)

    @property
    def advantage_exact(self) -> str:
        return fraction(self.advantage)

    @property
    def advantage_parts(self) -> tuple[str, str, str]:
        return self.advantage_exact.partition("/")


@dataclass(frozen=True)
class OddsSheet:
    """All rows of some rules in the order of the engine. `name` and `before` name the two versions compared."""

    rules: Rules
    rows: tuple[OddsRow, ...]
    name: str = ""
    before: str = ""

    @property
    def sets_floors(self) -> bool:
        return self.rules.edition.sets_floors

    @property
    def throws(self) -> int | None:
        """Return the number of throws if people can count the wins of each row in them, otherwise None."""
        throws = 6**self.rules.edition.dice
        counted = throws <= MOST_COUNTED_THROWS and all(
            level.ways is not None for row in self.rows for level in row.levels
        )
        return throws if counted else None

    @property
    def favored(self) -> tuple[OddsRow, ...]:
        """Return the rows that favor the player."""
        return tuple(row for row in self.rows if row.favors_player)

    @property
    def changed(self) -> tuple[OddsRow, ...]:
        return tuple(row for row in self.rows if row.is_changed)

    @cached_property
    def scale(self) -> BarScale:
        """Return the scale of the bars."""
        advantages = [row.advantage for row in self.rows]
        return BarScale.of(
            [
                *advantages,
                *(row.previous_advantage for row in self.rows if row.previous_advantage is not None),
            ]
        )

    @property
    def lines(self) -> Iterator[tuple[OddsRow, Plot]]:
        """Return each row with its bar."""
        for row in self.rows:
            yield row, self.scale.bar(row.advantage, row.previous_advantage if row.is_changed else None)


def odds_sheet(rules: Rules, before: Rules | None = None, name: str = "", before_name: str = "") -> OddsSheet:
    """Return the odds sheet of some rules, compared with those they would replace."""
    old = _figures(before) if before else {}
    grouped: dict[tuple[Any, ...], list[WagerType]] = {}
    figures = _figures(rules)
    types = {wager_type.code: wager_type for wager_type in game_of(rules).wager_types(rules)}
    for code, (outcomes, advantage) in figures.items():
        type_ = types[code]
        key = (
            MERGED_FAMILIES.get(type_.family, type_.family), outcomes, advantage, _floors(rules, code), old.get(code)
        )  # fmt: skip
        grouped.setdefault(key, []).append(type_)
    rows = tuple(
        _row(rules, wager_types, outcomes, advantage, floors, previous)
        for (_, outcomes, advantage, floors, previous), wager_types in grouped.items()
    )
    return OddsSheet(rules, rows, name, before_name)


def _figures(rules: Rules) -> dict[str, tuple[tuple[Outcome, ...], Fraction]]:
    """Return outcomes and house advantage by wager code, as `manage.py odds` prints them."""
    return {
        code: (tuple(outcomes), game_of(rules).advantage(rules, code, outcomes))
        for code, outcomes in game_of(rules).outcomes(rules).items()
    }


def _row(
    rules: Rules,
    types: list[WagerType],
    outcomes: tuple[Outcome, ...],
    advantage: Fraction,
    floors: tuple[Pays, ...],
    previous: tuple[tuple[Outcome, ...], Fraction] | None,
) -> OddsRow:
    fee = game_of(rules).fee
    paytable = dict.fromkeys(row for type_ in types for row in paytable_rows(rules, type_.code))
    return OddsRow(
        _label(rules, types),
        tuple(type_.code for type_ in types),
        tuple(paytable),
        outcomes,
        advantage,
        6**rules.edition.dice,
        floors,
        tuple(outcome.pays for outcome in previous[0]) if previous else (),
        previous[1] if previous else None,
        fee.note if fee and types[0].code == fee.code else "",
    )


def _label(rules: Rules, types: list[WagerType]) -> str:
    """Return the family's name if one row of the paytable pays all these wagers, otherwise each wager's name."""
    if len(types) > 1 and len({payout_row(rules, type_.code) for type_ in types}) == 1:
        return family_label(types[0].family, types)
    return ", ".join(str(type_.label) for type_ in types)


def paytable_rows(rules: Rules, code: str) -> tuple[str, ...]:
    """Return the rows of the paytable that pay a wager: "total:4", or "one-of-a-kind/1" to "/3"."""
    fee = game_of(rules).fee
    if fee and code == fee.code:
        return tuple(row for row in rules.payouts if row.startswith(fee.pays_by))
    row = payout_row(rules, code)
    return (
        (row,)
        if row in rules.payouts
        else tuple(paytable_row for paytable_row in rules.payouts if paytable_row.split("/")[0] == row)
    )


def _floors(rules: Rules, code: str) -> tuple[Pays, ...]:
    edition = rules.edition
    return (
        tuple(edition.payouts[row].odds for row in paytable_rows(rules, code)) if edition.sets_floors else ()
    )


def short_odds(pays: tuple[Pays, ...]) -> str:
    """Return odds without "to 1", for a column whose head says it: `6`, `1, 2, 3`, `3 to 5`."""
    return ", ".join(
        str(payout.to) if isinstance(payout, Odds) and payout.per == 1 else str(payout) for payout in pays
    )

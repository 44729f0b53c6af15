"""The exact figures of a request's wagers, if the engine knows the rules: 58 Pa. Code § 521.4(1)(ii).

Filed figures are plain JSON with fractions in lowest terms, so they never change with later versions of the engine.
"""

import hashlib
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypedDict

from audit import chain
from games.engine import Rules
from games.engine.odds import Odds, Outcome, Pays, Prize
from games.models import GameRequest
from games.office.odds import sheet as odds_sheet
from games.office.odds.sheet import OddsSheet
from games.registry import game_by_code, game_of


class PayoutFigures(TypedDict):
    """One payout of a wager: fractions in lowest terms, and odds as the layout states them."""

    probability: str
    true_odds: str
    pays: str


class WagerFigures(TypedDict):
    """The figures of one wager."""

    wager: str
    family: str
    outcomes: list[PayoutFigures]
    house_advantage: str


class Figures(TypedDict):
    """The figures of a request, as they are filed."""

    rules: str
    wagers: list[WagerFigures]


def families(rules: str) -> list[tuple[str, str]]:
    """Return the wager families of a rules key with their names, in the order of the layout."""
    loaded = Rules.of(rules)
    return [(family, name) for family, name, _ in _families(loaded)]


def compute_figures(request: GameRequest) -> Figures | None:
    """Return every wager of the request with its exact figures, or None if the engine does not know the rules.

    A request that names none of the families is about all of them.
    """
    if not request.rules:
        return None
    rules = Rules.of(request.rules)
    known_families = {family for family, _, _ in _families(rules)}
    included = known_families.intersection(request.wagers) or known_families
    outcomes = game_of(rules).outcomes(rules)
    return {
        "rules": rules.key,
        "wagers": [
            {
                "wager": code,
                "family": family,
                "outcomes": [
                    {
                        "probability": str(outcome.probability),
                        "true_odds": str(1 / outcome.probability - 1),
                        "pays": str(outcome.pays),
                    }
                    for outcome in outcomes[code]
                ],
                "house_advantage": str(game_of(rules).advantage(rules, code, outcomes[code])),
            }
            for family, _, codes in _families(rules)
            if family in included
            for code in codes
        ],
    }


def unknown_wagers(request: GameRequest) -> list[str]:
    """Return the wagers that the engine does not know. Their figures come in a document."""
    known_families = {family for family, _ in families(request.rules)} if request.rules else set()
    return [wager for wager in request.wagers if wager not in known_families]


def sha256(figures: Figures) -> str:
    """Return the SHA-256 of figures in canonical JSON, as the record names them."""
    return hashlib.sha256(chain.canonical(figures)).hexdigest()


def filed_or_computed(request: GameRequest) -> Figures | None:
    """Return the filed figures, or the computed ones if none are filed."""
    filed: Figures | None = request.parts.get("odds", {}).get("figures")
    return filed or compute_figures(request)


def figures_sheet(figures: Figures) -> OddsSheet:
    """Return figures as an odds sheet. Filed figures are not computed again."""
    rules = Rules.of(figures["rules"])
    filed = {entry["wager"]: entry for entry in figures["wagers"]}
    labels = {wager_type.code: str(wager_type.label) for wager_type in game_of(rules).wager_types(rules)}
    rows = []
    for row in odds_sheet.odds_sheet(rules).rows:
        codes = tuple(code for code in row.codes if code in filed)
        if codes:
            label = row.label if codes == row.codes else ", ".join(labels[code] for code in codes)
            entry = filed[codes[0]]
            outcomes, advantage = _outcomes(entry), Fraction(entry["house_advantage"])
            rows.append(replace(row, label=label, codes=codes, outcomes=outcomes, advantage=advantage))
    return OddsSheet(rules, tuple(rows))


def _outcomes(entry: WagerFigures) -> tuple[Outcome, ...]:
    return tuple(Outcome(Fraction(level["probability"]), _pays(level["pays"])) for level in entry["outcomes"])


def _pays(text: str) -> Pays:
    return Prize.parse(text) if text.startswith("$") else Odds.parse(text)


@lru_cache(maxsize=32)
def _families(rules: Rules) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Return each family with its name and its codes."""
    types = game_by_code(rules.edition.game).wager_types(rules)
    priced = game_of(rules).outcomes(rules)
    by_family: dict[str, list[Any]] = {}
    for wager_type in types:
        if wager_type.code in priced:
            by_family.setdefault(wager_type.family, []).append(wager_type)
    return tuple(
        (family, _family_name(family, all_of), tuple(wager_type.code for wager_type in all_of))
        for family, all_of in by_family.items()
    )


def _family_name(family: str, types: list[Any]) -> str:
    """Return the words that the names of a family's wagers begin with: "Three of a Kind"."""
    first = str(types[0].label)
    if len(types) == 1:
        return first
    words = first.split()
    while words and not all(str(wager_type.label).startswith(" ".join(words)) for wager_type in types):
        words.pop()
    return " ".join(words) or family

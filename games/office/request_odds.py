"""The exact figures of a request's wagers, where the engine knows the rules: 58 Pa. Code § 521.4(1)(ii).

Filed figures are plain JSON, fractions in lowest terms: they read the same for ever, whatever is computed later.
"""

import hashlib
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import groupby
from typing import Any

from audit import chain
from games.engine import Rules
from games.engine.registry import game
from games.models import GameRequest

from . import figures


@dataclass(frozen=True)
class Row:
    """Wagers with the same figures: what each level pays and its true odds, and one house advantage, as read."""

    name: str
    levels: tuple[tuple[str, str, str], ...]  # probability, true odds, payout odds
    advantage: str
    exact: str
    favours_the_player: bool


def families(rules: str) -> list[tuple[str, str]]:
    """The wager families of a rules key with their names, in the order of the layout."""
    chosen = Rules.of(rules)
    return [(family, name) for family, name, _ in _families(chosen)]


def computed(request: GameRequest) -> dict[str, Any] | None:
    """Every wager that the request is about with its exact figures; None where the engine does not know its rules.

    A request that names none of their families is about all of them.
    """
    if not request.rules:
        return None
    rules = Rules.of(request.rules)
    known = {family for family, _, _ in _families(rules)}
    asked = known.intersection(request.wagers) or known
    outcomes = rules.game.outcomes(rules)
    return {
        "rules": rules.key,
        "wagers": [
            {
                "wager": code,
                "family": family,
                "outcomes": [
                    {
                        "probability": str(one.probability),
                        "true_odds": str(1 / one.probability - 1),
                        "pays": str(one.pays),
                    }
                    for one in outcomes[code]
                ],
                "house_advantage": str(rules.game.advantage(rules, code, outcomes[code])),
            }
            for family, _, codes in _families(rules)
            if family in asked
            for code in codes
        ],
    }


def sha256(figures: dict[str, Any]) -> str:
    """The SHA-256 of figures in canonical JSON, as the record names them."""
    return hashlib.sha256(chain.canonical(figures)).hexdigest()


def shown(request: GameRequest) -> dict[str, Any] | None:
    """The figures to show: those that were filed, or as they are computed now where nothing is filed yet."""
    return request.parts.get("odds", {}).get("figures") or computed(request)


def rows(figures_of: dict[str, Any]) -> list[Row]:
    """Figures for people: neighbours with the same figures share a row."""
    rules = Rules.of(figures_of["rules"])
    labels = {one.code: str(one.label) for one in rules.game.wager_types(rules)}
    names = {family: name for family, name, _ in _families(rules)}
    sized = {family: len(codes) for family, _, codes in _families(rules)}

    def same(one: dict[str, Any]) -> tuple[Any, ...]:
        return (one["family"], one["house_advantage"], *(tuple(level.items()) for level in one["outcomes"]))

    ordered = sorted(figures_of["wagers"], key=_first_of(figures_of["wagers"], same))
    found = []
    for _, group in groupby(ordered, same):
        alike = list(group)
        family = alike[0]["family"]
        whole = len(alike) == sized[family]
        name = names[family] if whole else ", ".join(labels[one["wager"]] for one in alike)
        found.append(_row(name, alike[0]))
    return found


def _first_of(wagers: list[dict[str, Any]], same: Any) -> Any:
    """Sorts by the place of the first wager that has the same figures."""
    first: dict[Any, int] = {}
    for place, one in enumerate(wagers):
        first.setdefault(same(one), place)
    return lambda one: first[same(one)]


def _row(name: str, one: dict[str, Any]) -> Row:
    advantage = Fraction(one["house_advantage"])
    levels = tuple(
        (level["probability"], figures.to_one(Fraction(level["true_odds"])), level["pays"])
        for level in one["outcomes"]
    )
    return Row(name, levels, figures.percent(advantage), figures.share(advantage), advantage < 0)


@lru_cache(maxsize=32)
def _families(rules: Rules) -> tuple[tuple[str, str, tuple[str, ...]], ...]:
    """Family, its name, its codes."""
    types = game(rules.edition.game).wager_types(rules)
    priced = rules.game.outcomes(rules)
    by_family: dict[str, list[Any]] = {}
    for one in types:
        if one.code in priced:
            by_family.setdefault(one.family, []).append(one)
    return tuple(
        (family, _name(family, all_of), tuple(one.code for one in all_of))
        for family, all_of in by_family.items()
    )


def _name(family: str, types: list[Any]) -> str:
    """ "Small" of one wager; of several what their names begin with: "Three of a Kind"."""
    first = str(types[0].label)
    if len(types) == 1:
        return first
    words = first.split()
    while words and not all(str(one.label).startswith(" ".join(words)) for one in types):
        words.pop()
    return " ".join(words) or family

"""What changed between two sets of rules, and for which wager. Every such change is material (reading A06)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from games.engine import Rules
from games.engine.odds import Pays, in_dollars
from games.engine.wagers import WagerType
from games.formats import percent
from games.office.odds.labels import family_label, payout_row, row_label
from games.registry import game_of

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
            "limit", _dollars(old.payout_limit_cents), _dollars(new.payout_limit_cents), section=section
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
                _dollars(old_increments.get(family)),
                _dollars(is_.get(family)),
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


def _dollars(cents: int | None) -> str:
    return "" if cents is None else in_dollars(cents)

"""Names of wagers and rows of the paytable for people."""

from collections.abc import Iterable

from games.engine import Rules
from games.engine.editions import Edition
from games.engine.wagers import WagerType


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

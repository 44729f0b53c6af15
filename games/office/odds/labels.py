"""Names of wagers and rows of the paytable as people say them, and the section that a duty cites."""

from collections.abc import Iterable

from games.engine import Rules
from games.engine.editions import Edition
from games.engine.wagers import WagerType


def payout_row(rules: Rules, code: str) -> str:
    """The row of the paytable that pays a code: "two-dice" of "two-dice:1-2", "total:4" of itself."""
    return code if code in rules.payouts else code.split(":")[0]


def row_label(row: str, types: Iterable[WagerType]) -> str:
    """A row of the paytable by the name that people say: "Total 4", "Three of a Kind"."""
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
    """What a tier of a row is paid on: "3", "after an Extra Roll 3"."""
    return tier.replace("extra:", "after an Extra Roll ").replace("-", " ")


def family_label(family: str, types: Iterable[WagerType]) -> str:
    """A wager family by the name that people say; an increment is asked of a whole family."""
    return row_label(family, types)


def cite(edition: Edition, duty: str) -> str:
    """The section of a duty; where the text has none, that of the odds."""
    return edition.sections.get(duty) or edition.sections["odds"]

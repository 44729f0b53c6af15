"""How figures are written for people, and what their names mean: money, shares, one meaning for one name.

Rounding is the last step, and each has one function. Money that moved is exact, with cents only if there are any. What
is expected, and its band, is no money that anybody has: it is rounded to whole dollars (`about`).

A page shows the meaning of a name where a pointer rests on the heading (docs/figures.md).
`tests/tables/test_figures_agree.py` compares the numbers of all surfaces under each name.
"""

from fractions import Fraction

from games.engine.odds import in_dollars

NONE = "–"


def money(cents: int | None) -> str:
    """Return `$1,150`, `$2.50`, `−$30`."""
    return in_dollars(cents or 0)


def money_if_any(cents: int | None) -> str:
    """Return `$1,150`; "" for None."""
    return "" if cents is None else in_dollars(cents)


def plain(cents: int | None) -> str:
    """Return 1150.00 dollars as `1,150`; the cents only if there are any."""
    return money(cents).replace("$", "")


def signed(cents: int | None) -> str:
    """Return `+$1,150`, `−$30`, `$0`."""
    return money(cents) if (cents or 0) <= 0 else f"+{money(cents)}"


def whole_dollars(cents: float | Fraction) -> int:
    """Return an amount that is not exact money, rounded to whole dollars, in cents."""
    return 100 * round(Fraction(cents) / 100)


def about(cents: float | Fraction) -> str:
    """Return `$1,150` of an amount that is not exact money."""
    return money(whole_dollars(cents))


def signed_about(cents: float | Fraction) -> str:
    """Return `+$1,150`, `−$30`, `$0` of an amount that is not exact money."""
    return signed(whole_dollars(cents))


def percent(share: Fraction | None, digits: int = 2) -> str:
    """Return `12.50 %` for one eighth; a dash for None. Halves are rounded away from zero: `0.13 %` for 1/800."""
    if share is None:
        return NONE
    scale = 10**digits
    rounded = (200 * scale * abs(share) + 1) // 2
    whole, decimals = divmod(int(rounded), scale)
    sign = "−" if share < 0 and rounded else ""
    return f"{sign}{whole:,}{f'.{decimals:0{digits}d}' if digits else ''} %"


# What the names of figures mean


MEANINGS = {
    "Rounds": "Rounds that ended settled, with their slips, on their gaming day. Void rounds and no rolls do not count",
    "Wagers": "Wagers of the settled rounds that were won or lost, without fees",
    "Handle": "Stakes of the settled rounds that were won or lost, without fees",
    "Taken": "Lost stakes of the settled rounds, without fees",
    "Paid": "What the settled rounds paid to winners, without their stakes",
    "Fees": "Fees of Extra Rolls. They are in the win, not in the handle",
    "Win": "Taken + fees − paid, of the settled rounds with their slips",
    "Win of handle": "Win over handle",
    "Cut": "What payout limits took off payouts",
    "Expected": "The win that the odds predict for the settled rounds, in whole dollars",
    "± 2 σ": "Two standard deviations of the win, in whole dollars. By chance it lies beyond them one day in twenty",
    "σ": "How many standard deviations the win is from what was expected",
    "Pace": "Settled rounds an hour of open and staffed time; of several tables, of their average table",
    "Rounds an hour": "The paces of the open tables now (the last fifteen minutes), added up",
    "Played an hour": "Rounds in which the player wagered, over the time of the ratings",
    "Seats": "Seats with a wager, of the seats of the table, over all settled rounds",
    "Sold": "Chips sold for cash, by the record",
    "Drop": "Cash in the drop boxes, as the count room counted it",
    "Hold": "Win of the inventories over their drop, once all of it is counted",
    "Void rounds": "Rounds that ended void, and settled rounds that a slip voided",
    "Won in void rounds": "What earlier throws of rounds that then ended without a result took, less what they paid. "
    "It is in the tray, and in no other figure",
    "Changed by slips": "What the slips that were filed on this day changed in the win of their rounds, "
    "whatever day these were played on",
    "Won in rounds": "What the rounds between opener and closer took, with fees, less what they paid",
    "Slips in the tray": "What slips moved into the tray between opener and closer; − out of it",
    "Win by the record": "Won in rounds and in void rounds, with the slips in the tray",
    "Win by the counts": "Closer + credits + drop − opener − fills",
    "Difference": "Win by the counts − win by the record",
    "Moved by slips": "Money that the slips filed on this day moved into the tray by the end of the day; − out of it",
}


def meaning(name: str) -> str:
    """Return the meaning of a figure. Raises KeyError for a name that the glossary does not have."""
    return MEANINGS[name]

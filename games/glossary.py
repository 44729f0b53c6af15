"""What the names of figures mean: one meaning for one name, on every page, file and paper (docs/figures.md).

A page shows the meaning where a pointer rests on the heading. `tests/tables/test_figures_agree.py` compares the numbers
of all surfaces under each name.
"""

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

"""The words of Sic Bo."""

REASONS = {
    "none-shows": "No %(number)s shows",
    "too-few-show-1-3": "One %(number)s, not three",
    "too-few-show-2-3": "Two %(number)ss, not three",
    "too-few-show-1-2": "One %(number)s, not two",
    "shows-1": "One die shows %(number)s",
    "shows-2": "Two dice show %(number)s",
    "shows-3": "Three dice show %(number)s",
    "no-three-alike": "No three alike",
    "triple": "%(number)s-%(number)s-%(number)s is a triple",
    "total": "The total is %(total)s",
    "over": "%(total)s is over %(bound)s",
    "under": "%(total)s is under %(bound)s",
    "both-show": "%(low)s and %(high)s show",
    "neither-shows": "Neither shows",
    "called-triple": "Total %(total)s, triple",
    "called-small": "Total %(total)s, small",
    "called-big": "Total %(total)s, big",
}

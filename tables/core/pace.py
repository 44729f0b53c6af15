"""Pace: settled rounds an hour of the time in which a table was open for play and staffed, pauses included.

This is the only definition. The tiles and pages of the floor, the figures, the daily report and the proposals use it.

* Open for play: from the opening to the closing, without the time in which gaming had ceased.
* Staffed: each post of the game was held. A simulated table needs nobody.
* Pauses between rounds count, however long, and so does the wait for the first round of a gaming day.
* The time ends with the newest settled round of the gaming day. What follows is a pause only if another round comes;
  if none does, the dealer waits and then counts the tray, which is no dealing. The proposals ask for the last hour, and
  count up to now.

A live screen asks how fast a table is dealt now: `Recent` has its settled rounds over the last fifteen minutes, or over
the time since the table was last opened, staffed or resumed, if that is less. `static/js/pace.js` counts the same on
the server's time, because nothing is sent while a table is still. A range of days has the pace of all its time.

So one figure answers what a pit boss asks: how many rounds does an hour of this table and its dealers bring? Several
tables, hours or days have the pace of their rounds over their time together.
"""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

HOUR = dt.timedelta(hours=1)
MICROSECOND = dt.timedelta(microseconds=1)
SLOW = Fraction(4, 5)  # of the target pace, below which a table is slow
RECENT = dt.timedelta(minutes=15)  # what a live screen means by now
LEAST_TIME = dt.timedelta(minutes=5)  # of less time no pace is stated


def pace(rounds: int, open_time: dt.timedelta) -> Fraction | None:
    """Return settled rounds an hour of open and staffed time; None for less than five minutes."""
    return per_hour(rounds, open_time) if open_time >= LEAST_TIME else None


def per_hour(count: int, time: dt.timedelta) -> Fraction | None:
    """Return a number an hour of some time, exactly; None without time."""
    return Fraction(count * (HOUR // MICROSECOND), time // MICROSECOND) if time else None


@dataclass(frozen=True)
class Recent:
    """What a pace of the last fifteen minutes needs: when rounds were settled, and since when the table is dealt.

    `open_since` is the moment since which it has been open and staffed without a break; None if it is not.
    """

    settled_at: Sequence[dt.datetime]
    open_since: dt.datetime | None

    def pace(self, now: dt.datetime) -> Fraction | None:
        """Return settled rounds an hour up to now; None where it is not known: not dealt, or not for five minutes."""
        if self.open_since is None:
            return None
        begins = max(self.open_since, now - RECENT)
        return pace(sum(begins < settled <= now for settled in self.settled_at), now - begins)


def is_slow(pace: Fraction | int | None, target: int | None) -> bool:
    """Whether a table is dealt well below the pace at which the casino aims."""
    return pace is not None and target is not None and pace < SLOW * target

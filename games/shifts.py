"""The shifts of a gaming day: a house figure. Each begins at a local time; the first with the gaming day."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

# Offsets from the beginning of a gaming day, where the house declares no shifts.
PRACTICE_SHIFTS = {"day": dt.timedelta(0), "swing": dt.timedelta(hours=8), "night": dt.timedelta(hours=16)}


@dataclass(frozen=True)
class Shift:
    """One shift of one gaming day; `begins` and `ends` are in UTC, `ends` is when the next one begins."""

    code: str
    day: dt.date
    begins: dt.datetime
    ends: dt.datetime

    @property
    def name(self) -> str:
        """`Swing` for the code `swing`."""
        return self.code.replace("-", " ").capitalize()


def starts_of(declared: Mapping[str, str], day_start: dt.time) -> list[tuple[str, dt.time]]:
    """Return code and local start of each shift, in the order of the gaming day. `declared`: local times by code."""
    midnight = dt.date(2000, 1, 1)
    starts = {code: dt.time.fromisoformat(start) for code, start in declared.items()} or {
        code: (dt.datetime.combine(midnight, day_start) + offset).time()
        for code, offset in PRACTICE_SHIFTS.items()
    }
    return sorted(starts.items(), key=lambda shift: (shift[1] < day_start, shift[1]))


def wrong_shifts(declared: Mapping[str, object], day_start: dt.time) -> list[str]:
    """Return what is wrong with declared shifts (local times by code), in sentences."""
    wrong = [
        f"The shift {code} must begin at a local time such as 14:00:00, without a fraction of a minute."
        for code, start in declared.items()
        if not isinstance(start, dt.time) or start.second or start.microsecond or start.tzinfo
    ]
    starts = list(declared.values())
    if declared and not wrong and (day_start not in starts or len(set(starts)) < len(starts)):
        wrong.append(
            f"Each shift begins at another time, and the first with the gaming day at {day_start:%H:%M}."
        )
    return wrong

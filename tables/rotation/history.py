"""A dealer's own figures: rounds an hour by game and corrections, today and in the four weeks before.

Exact, from the rollups of the settled rounds and from the entries. A dealer is compared with their own past alone,
never with others: tables differ in game, players and wagers.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from fractions import Fraction

from audit.models import Entry, Person
from games.models import Facility
from games.registry import GAMES
from tables.core.pace import pace
from tables.corrections.raises import DICE_CORRECTED, WAGER_MISSED, WAGER_STRUCK
from tables.models import HourFigures, Table

HISTORY_DAYS = 28
CORRECTIONS = (DICE_CORRECTED.name, WAGER_MISSED.name, WAGER_STRUCK.name)


@dataclass
class DealerDays:
    """Settled rounds with this dealer at a post, and for how long those tables were open and staffed then."""

    rounds: int = 0
    open_us: int = 0

    @property
    def pace(self) -> int | None:
        """Rounds an hour, rounded; None for too short a time."""
        exact = pace(self.rounds, dt.timedelta(microseconds=self.open_us))
        return None if exact is None else round(exact)


@dataclass
class GameHistory:
    """One game that the dealer dealt: today, and in the days before."""

    name: str
    today: DealerDays = field(default_factory=DealerDays)
    before: DealerDays = field(default_factory=DealerDays)


@dataclass(frozen=True)
class DealerHistory:
    """A dealer against their own past. Corrections are those that they entered at live tables."""

    games: list[GameHistory]
    corrections_today: int
    corrections_before: int

    @property
    def rounds_today(self) -> int:
        return sum(game.today.rounds for game in self.games)

    @property
    def rounds_before(self) -> int:
        return sum(game.before.rounds for game in self.games)

    @property
    def rate_today(self) -> str:
        """Corrections in a thousand rounds of today, with one decimal; "" without a round."""
        return _in_a_thousand(self.corrections_today, self.rounds_today)

    @property
    def rate_before(self) -> str:
        """The same in the days before, which is what today's rate is compared with."""
        return _in_a_thousand(self.corrections_before, self.rounds_before)


def _in_a_thousand(corrections: int, rounds: int) -> str:
    tenths = round(Fraction(10_000 * corrections, rounds)) if rounds else 0
    return f"{tenths // 10:,}.{tenths % 10}" if rounds else ""


def dealer_history(
    facility: Facility, person: Person, tables: Iterable[Table], now: dt.datetime
) -> DealerHistory:
    """Return the figures of a dealer at the live ones of these tables."""
    live = {table.pk: table for table in tables if table.kind == Table.Kind.LIVE}
    today = facility.gaming_day(now)
    first = today - dt.timedelta(days=HISTORY_DAYS)
    by_game: dict[str, GameHistory] = {}
    rows = HourFigures.objects.filter(
        table__in=live, gaming_day__gte=first, gaming_day__lte=today, dealers__contains=person.code
    )
    for table, day, dealers, rounds, open_us in rows.values_list(
        "table", "gaming_day", "dealers", "rounds", "open_us"
    ):
        if person.code not in dealers.split():
            continue
        game = live[table].game
        history = by_game.setdefault(game, GameHistory(GAMES[game].name))
        days = history.today if day == today else history.before
        days.rounds += rounds
        days.open_us += open_us
    counts = _corrections(person, live.values(), first, today)
    return DealerHistory(
        [by_game[game] for game in GAMES if game in by_game],
        counts[today],
        sum(count for day, count in counts.items() if day != today),
    )


def _corrections(
    person: Person, tables: Iterable[Table], first: dt.date, today: dt.date
) -> defaultdict[dt.date, int]:
    """How many corrections the person entered at these tables, by gaming day."""
    entries = Entry.objects.filter(
        actor=person.code,
        type__in=CORRECTIONS,
        stream__in=[table.stream_id for table in tables],
        gaming_day__gte=first,
        gaming_day__lte=today,
    )
    counts: defaultdict[dt.date, int] = defaultdict(int)
    for day in entries.values_list("gaming_day", flat=True):
        counts[day] += 1
    return counts

"""Sums of rounds, for a table or a longer range: docs/figures.md. Nothing is rounded."""

from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TypedDict

from tables.figures.round_figures import RoundFigures


class FiguresLine(TypedDict, total=False):
    """A line of `manage.py figures`. `round` and `gaming_day` are in the lines of rounds only."""

    table: str
    round: int
    gaming_day: str
    game: str
    rounds: int
    wagers: int
    handle_cents: int
    taken_cents: int
    paid_cents: int
    win_cents: int
    fees_cents: int
    cut_cents: int
    expected_win: str | None
    variance: str | None


@dataclass(slots=True)
class TableFigures:
    """The sums of the settled rounds of one table. Rounds are independent of each other, so variances add up.

    `expected_win` and `variance` are None as soon as those of one round are.
    """

    table: str
    game: str
    rounds: int = 0
    wagers: int = 0
    handle_cents: int = 0
    taken_cents: int = 0
    paid_cents: int = 0
    fees_cents: int = 0
    cut_cents: int = 0
    expected_win: Fraction | None = Fraction(0)
    variance: Fraction | None = Fraction(0)

    @property
    def win_cents(self) -> int:
        return self.taken_cents + self.fees_cents - self.paid_cents

    def add(self, figures: RoundFigures) -> None:
        self.rounds += 1
        self.wagers += figures.wagers
        self.handle_cents += figures.handle_cents
        self.taken_cents += figures.taken_cents
        self.paid_cents += figures.paid_cents
        self.fees_cents += figures.fees_cents
        self.cut_cents += figures.cut_cents
        self.expected_win = _sum(self.expected_win, figures.expected_win)
        self.variance = _sum(self.variance, figures.variance)

    def line(self) -> FiguresLine:
        return {
            "table": self.table,
            "game": self.game,
            "rounds": self.rounds,
            "wagers": self.wagers,
            "handle_cents": self.handle_cents,
            "taken_cents": self.taken_cents,
            "paid_cents": self.paid_cents,
            "win_cents": self.win_cents,
            "fees_cents": self.fees_cents,
            "cut_cents": self.cut_cents,
            "expected_win": _fraction(self.expected_win),
            "variance": _fraction(self.variance),
        }


def by_table(rounds: Iterable[RoundFigures], dealt: Iterable[tuple[str, str]] = ()) -> Iterator[TableFigures]:
    """Yield the sums of each table, in the order of the rounds.

    `dealt`: codes and games of tables in the same order, each of which has sums, also without a settled round.
    """
    waiting = deque(dealt)
    for (table, game), of_table in groupby(rounds, key=lambda figures: (figures.table, figures.game)):
        while waiting and waiting[0][0] < table:
            yield TableFigures(*waiting.popleft())
        if waiting and waiting[0][0] == table:
            waiting.popleft()
        sums = TableFigures(table, game)
        for figures in of_table:
            sums.add(figures)
        yield sums
    for code, game in waiting:
        yield TableFigures(code, game)


def round_line(figures: RoundFigures) -> FiguresLine:
    """Return the line of one round."""
    sums = TableFigures(figures.table, figures.game)
    sums.add(figures)
    line = sums.line()
    return {
        "table": line.pop("table"),
        "round": figures.round,
        "gaming_day": figures.gaming_day.isoformat(),
        **line,
    }


def _sum(total: Fraction | None, addend: Fraction | None) -> Fraction | None:
    return None if total is None or addend is None else total + addend


def _fraction(value: Fraction | None) -> str | None:
    """Return a fraction in lowest terms; a whole number has no denominator."""
    return None if value is None else str(value)

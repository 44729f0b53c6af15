"""The settled rounds of a day, by table: all of them, or those settled after a certain round.

The wagers of a settled round never change, and a table settles its rounds in the order of their numbers. So sums up to
one round stay valid, and a later reading adds only newer rounds.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db import connection
from django.db.models import Case, Count, F, IntegerField, Max, Q, QuerySet, Sum, Value, When

from tables.models import Round
from tables.reports.report_day import ReportDay


@dataclass(frozen=True)
class SettledRounds:
    """What is known of a table's settled rounds without reading their wagers. `last_number` is the newest round's."""

    rounds: int
    won_cents: int
    last_number: int

    def __sub__(self, before: "SettledRounds") -> "SettledRounds":
        return SettledRounds(self.rounds - before.rounds, self.won_cents - before.won_cents, self.last_number)


NONE = SettledRounds(0, 0, 0)


@dataclass(frozen=True)
class RoundRange:
    """For each table (id), the settled rounds after one number and up to another."""

    day: ReportDay
    spans: Mapping[int, tuple[int, int]]

    def only(self, tables: Collection[int]) -> "RoundRange":
        return RoundRange(self.day, {table: span for table, span in self.spans.items() if table in tables})

    def rounds(self, prefix: str = "") -> Q:
        """The range as a condition of a query; `prefix` leads to the round, such as `throw__round__`."""
        conditions = {
            "table__in": list(self.spans),
            "gaming_day": self.day.date,
            "phase": "cleared",
            "number__gt": self._bound(prefix, 0),
            "number__lte": self._bound(prefix, 1),
        }
        return Q(**{f"{prefix}{name}": value for name, value in conditions.items()})

    def _bound(self, prefix: str, end: int) -> Case:
        whens = [
            When(**{f"{prefix}table": table}, then=Value(span[end])) for table, span in self.spans.items()
        ]
        return Case(*whens, default=Value(0), output_field=IntegerField())

    def sql(self) -> tuple[str, list[Any]]:
        """The range as SQL about `r`, a row of rounds, with its parameters."""
        tables = list(self.spans)
        marks, whens = ", ".join(["%s"] * len(tables)), " ".join(["WHEN %s THEN %s"] * len(tables))
        bounds = [[bound for table in tables for bound in (table, self.spans[table][end])] for end in (0, 1)]
        sql = (
            f"r.table_id IN ({marks}) AND r.gaming_day = %s AND r.phase = 'cleared' "
            f"AND r.number > CASE r.table_id {whens} END AND r.number <= CASE r.table_id {whens} END"
        )
        return sql, [*tables, connection.ops.adapt_datefield_value(self.day.date), *bounds[0], *bounds[1]]


def settled_by_table(day: ReportDay) -> dict[int, SettledRounds]:
    """The settled rounds of the day at each table (id)."""
    rounds = Round.objects.filter(table__in=day.table_ids, gaming_day=day.date, phase="cleared")
    return _read(rounds)


def settled_in_range(range_: RoundRange) -> dict[int, SettledRounds]:
    """The settled rounds of a range at each table (id)."""
    return _read(Round.objects.filter(range_.rounds()))


def _read(rounds: QuerySet[Round]) -> dict[int, SettledRounds]:
    won = Sum(F("taken_cents") - F("paid_cents"))
    rows = rounds.values("table").annotate(rounds=Count("pk"), won=won, last_number=Max("number"))
    return {
        row["table"]: SettledRounds(row["rounds"], int(row["won"]), row["last_number"])
        for row in rows.order_by()
    }

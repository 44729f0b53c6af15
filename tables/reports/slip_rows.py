"""The Error Notification Slips of a gaming day, from their entries: filed on it, and filed later about its rounds."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from audit.models import Entry, Person
from tables.core.entries import COLUMNS, MISSHAPEN, RecordedEntry, read
from tables.corrections.slips import SLIP_FILED, SLIP_SETTLED
from tables.models import Slip, Table
from tables.reports.report_day import SLACK, ReportDay

FILED, SETTLED = SLIP_FILED.name, SLIP_SETTLED.name


@dataclass(frozen=True)
class FiledSlip:
    """A slip as its entry files it: the round's number and gaming day, the win before and after, and who signed."""

    table: Table
    code: str
    kind: str
    reason: str
    round: int
    round_day: dt.date
    gaming_day: dt.date
    filed_at: dt.datetime
    filed_seq: int
    filed_by: str
    filed_with: str
    before_cents: int
    after_cents: int
    has_due: bool

    @property
    def kind_label(self) -> str:
        """What was wrong, in words."""
        return str(dict(Slip.Kind.choices).get(self.kind, self.kind))


@dataclass(frozen=True)
class SlipRow:
    """One slip of the report: `effect_cents` on the settled win, `moved_cents` into the table inventory.

    `moved_cents` is None where the money had not moved by the end of the day.
    """

    slip: FiledSlip
    moved_cents: int | None

    @property
    def table(self) -> int:
        return self.slip.table.pk

    @property
    def effect_cents(self) -> int:
        return self.slip.after_cents - self.slip.before_cents

    @property
    def before_cents(self) -> int:
        """What the round won before the slip."""
        return self.slip.before_cents

    @property
    def after_cents(self) -> int:
        return self.slip.after_cents

    @property
    def is_of_another_day(self) -> bool:
        """Whether its round was played on another day than the slip was filed."""
        return self.slip.round_day != self.slip.gaming_day


@dataclass(frozen=True)
class Movement:
    """What settling a slip moved into the table inventory, and when."""

    settled_at: dt.datetime
    cents: int


def read_slips(day: ReportDay) -> tuple[list[SlipRow], list[SlipRow]]:
    """The slips of this day, about rounds of any day; and those of later days about its rounds, which change nothing.

    Both in the order of filing.
    """
    tables = {table.stream_id: table for table in day.tables.values()}
    rows = Entry.objects.filter(stream__in=tables, type__in=(FILED, SETTLED), at__gte=day.begins - SLACK)
    entries = [
        (tables[stream], read((row[0], row[1], row[2], row[3])))
        for stream, *row in rows.order_by("at", "pk").values_list("stream", *COLUMNS)
    ]
    names = _short_names(entries)
    filed: list[FiledSlip] = []
    movements: dict[tuple[int, str], Movement] = {}
    for table, entry in entries:
        try:
            if entry.type == FILED:
                filed.append(_filed_slip(table, entry, names))
            elif entry.type == SETTLED:
                movements[table.pk, str(entry.data["slip"])] = _movement(entry)
        except MISSHAPEN:
            continue  # the pages of its round say so
    on_day = [slip for slip in filed if slip.gaming_day == day.date]
    since = [slip for slip in filed if slip.round_day == day.date < slip.gaming_day]
    return (
        [_slip_row(slip, movements, day.ends) for slip in on_day],
        [_slip_row(slip, movements, None) for slip in since],
    )


def _short_names(entries: list[tuple[Table, RecordedEntry]]) -> dict[str, str]:
    """The short names of those who signed, by code."""
    codes = {code for _table, entry in entries for code in (entry.actor, entry.witness)}
    return (
        {person.code: person.short_name for person in Person.objects.filter(code__in=codes)} if codes else {}
    )


def _filed_slip(table: Table, entry: RecordedEntry, names: Mapping[str, str]) -> FiledSlip:
    data = entry.data
    return FiledSlip(
        table=table,
        code=str(data["slip"]),
        kind=str(data["kind"]),
        reason=str(data["reason"]),
        round=int(data["round"]),
        round_day=dt.date.fromisoformat(data["played_on"]),
        gaming_day=dt.date.fromisoformat(entry.day),
        filed_at=dt.datetime.fromisoformat(entry.at),
        filed_seq=entry.seq,
        filed_by=names.get(entry.actor, entry.actor),
        filed_with=names.get(entry.witness, entry.witness),
        before_cents=int(data["before"]["taken_cents"]) - int(data["before"]["paid_cents"]),
        after_cents=int(data["taken_cents"]) - int(data["paid_cents"]),
        has_due=bool(data["due"]),
    )


def _movement(entry: RecordedEntry) -> Movement:
    cents = -sum(int(amount["cents"]) for amount in entry.data["moved"])
    return Movement(dt.datetime.fromisoformat(entry.at), cents)


def _slip_row(
    slip: FiledSlip, movements: dict[tuple[int, str], Movement], until: dt.datetime | None
) -> SlipRow:
    """`until` is the time by which money counts as moved; None means now. A slip with nothing due moves nothing."""
    movement = movements.get((slip.table.pk, slip.code)) if slip.has_due else Movement(slip.filed_at, 0)
    has_moved = movement is not None and (until is None or movement.settled_at < until)
    return SlipRow(slip, movement.cents if movement and has_moved else None)

"""The figures of a shift by pit: those of the pages of figures (docs/figures.md), up to the newest ended round."""

from dataclasses import dataclass, field

from games.models import Facility
from tables.core.figure_sums import COLUMNS, Sums
from tables.figures.pit_history import pit_history
from tables.figures.query import DAY
from tables.figures.rollup import moment_within, tables_behind, uncounted_rounds
from tables.figures.round_figures import add_round
from tables.handover.shifts import ShiftToHandOver
from tables.models import DayFigures, Pit, Table

FLOOR = ""


@dataclass(frozen=True)
class ShiftFigures:
    """The figures of a pit, or of the whole floor. `expected_cents` and `band_cents` are None if not known."""

    code: str
    name: str
    sums: Sums = field(default_factory=Sums)

    @property
    def rounds(self) -> int:
        return self.sums.rounds

    @property
    def handle_cents(self) -> int:
        return self.sums.handle_cents

    @property
    def win_cents(self) -> int:
        return self.sums.win_cents

    @property
    def expected_cents(self) -> int | None:
        return self.sums.expected_cents if self.sums.is_known else None

    @property
    def band_cents(self) -> int | None:
        """Two standard deviations, in cents."""
        return self.sums.band_cents if self.sums.is_known else None


def shift_figures(facility: Facility, shift: ShiftToHandOver) -> tuple[list[ShiftFigures], ShiftFigures]:
    """Return the figures of each pit with live tables, and of the floor: of the rounds that ended in the shift.

    A round that ended on the other side of a limit of its gaming day belongs to the first or the last shift of the day.
    Rounds that the rollups do not have yet are added.
    """
    live = Table.objects.filter(facility=facility, kind=Table.Kind.LIVE)
    names = dict(Pit.objects.filter(facility=facility).values_list("code", "name"))
    by_pit = {code: Sums() for code in live.values_list("pit__code", flat=True)}
    begins, ends = (facility.day_begins(day) for day in (shift.gaming_day, shift.gaming_day + DAY))
    read_again = set()
    for table in tables_behind():
        if table.facility_id != facility.pk or table.kind != Table.Kind.LIVE:
            continue
        rounds, is_whole_day = uncounted_rounds(table, shift.gaming_day)
        read_again |= {table.pk} if is_whole_day else set()
        pits = pit_history(table)
        for round_ in rounds:
            if facility.shift_of(moment_within(round_, begins, ends)).code == shift.code:
                add_round(by_pit.setdefault(pits.pit_at(round_.settled_at), Sums()), round_, table.seats)
    rows = DayFigures.objects.filter(table__in=live, gaming_day=shift.gaming_day, shift=shift.code)
    for row in rows.exclude(table__in=read_again).values(*COLUMNS):
        by_pit.setdefault(row["pit"], Sums()).add_row(row)
    total = Sums()
    for sums in by_pit.values():
        total.add(sums)
    figures = [ShiftFigures(code, names.get(code, code), by_pit[code]) for code in sorted(by_pit)]
    return figures, ShiftFigures(FLOOR, "Floor", total)

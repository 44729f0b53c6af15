"""What else happened on a day, list by list, as the paper has it."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from reportlab.platypus import Flowable

from games.engine.odds import in_dollars
from games.office.pdf.approval import moment
from games.office.pdf.paper import Cell, styles, table, text
from tables.reports.figures import Report
from tables.reports.formatting import lasted
from tables.reports.notes import hour_label

NOTHING = "None."


@dataclass(frozen=True)
class Listed:
    """One list: its heading, the names of its columns, its rows, which columns are numbers, and how wide they are."""

    heading: str
    head: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    numbers: Sequence[int] = ()
    widths: Sequence[float] = ()

    def drawn(self) -> Iterator[Flowable]:
        yield text(self.heading, styles()["heading"])
        if self.rows:
            yield table([self.head, *self.rows], self.widths or [1] * len(self.head), numbers=self.numbers)
        else:
            yield text(NOTHING, styles()["body"])


def lists(found: Report) -> Iterator[Flowable]:
    """All of them, and last where the record stood."""
    for one in LISTS:
        yield from one(found).drawn()
    if found.events.heads:
        yield text(
            "The last entry of the day on each table's stream. From the same entries this paper can be made again to "
            "the byte.",
            styles()["small"],
        )


def _outside(found: Report) -> Listed:
    rows = [
        (one.label, one.figures.outside, in_dollars(one.figures.outside_cents))
        for one in found.tables
        if one.figures.outside
    ]
    return Listed("Wagers outside the limits", ("Table", "Wagers", "Amount"), rows, (1, 2))


def _mends(found: Report) -> Listed:
    rows = [(one.table, one.name, one.count) for one in found.events.mends]
    return Listed("Mended before anybody was paid", ("Table", "What", "Times"), rows, (2,))


def _disputes(found: Report) -> Listed:
    house = found.day.house
    rows = [
        (one.table, moment(one.at, house), one.round or "", one.seat or "", one.about)
        for one in found.events.disputes
    ]
    return Listed("Disputes", ("Table", "When", "Round", "Seat", "About"), rows, (2, 3))


def _alerts(found: Report) -> Listed:
    head = ("What", "Raised", "Stood in all", "Longest", "Standing at the end", "Not acknowledged")
    rows = [
        (one.name, one.count, lasted(one.stood), lasted(one.longest), one.standing, one.unacknowledged)
        for one in found.events.alerts
    ]
    return Listed("Alerts", head, rows, (1, 2, 3, 4, 5))


def _devices(found: Report) -> Listed:
    house = found.day.house
    rows = [(one.table, moment(one.at, house), one.what, one.action) for one in found.events.devices]
    return Listed("Devices that are forbidden at a table", ("Table", "When", "What", "Done about it"), rows)


def _lots(found: Report) -> Listed:
    house = found.day.house
    head = ("Lot", "Table", "Rounds", "Throws", "From round", "To", "First throw", "Last throw")
    rows = [
        (
            one.lot,
            one.table,
            f"{one.rounds:,}",
            f"{one.throws:,}",
            f"{one.first:,}",
            f"{one.last:,}",
            hour_label(one.since, house),
            hour_label(one.until, house),
        )
        for one in found.events.lots
    ]
    return Listed("Dice lots thrown", head, rows, (2, 3, 4, 5))


def _people(found: Report) -> Listed:
    house = found.day.house
    rows = [
        (
            one.table,
            f"{one.name}, {one.role.lower()}",
            f"{one.acted:,}",
            f"{one.witnessed:,}",
            hour_label(one.since, house),
            hour_label(one.until, house),
        )
        for one in found.events.people
    ]
    return Listed(
        "People at the tables", ("Table", "Who", "Signed", "As second", "First", "Last"), rows, (2, 3)
    )


def _heads(found: Report) -> Listed:
    rows = [
        (one.stream, f"{one.entries:,}", f"{one.seq:,}", f"{one.hash[:32]}\n{one.hash[32:]}")
        for one in found.events.heads
    ]
    head = ("Stream", "Entries", "Last entry", "Its hash")
    return Listed("Where the record stood", head, rows, (1, 2), (2, 1, 1, 4))


LISTS: tuple[Callable[[Report], Listed], ...] = (
    _outside,
    _mends,
    _disputes,
    _alerts,
    _devices,
    _lots,
    _people,
    _heads,
)

"""What the page of the cage shows: requests in columns, the slips of the day, the numbers, and one slip open."""

import datetime as dt
from dataclasses import dataclass

from django.db.models import QuerySet

from audit.models import Person
from games.models import Facility
from tables.core.permissions import CAGE
from tables.models import Assignment, ChipTransfer, DropBox
from tables.money.inventory import UNDER_WAY
from tables.money.slip_paper import SlipPaper, name_of
from tables.money.view import TRANSFER_PEOPLE, slip_numbers_of

Kind, Status = ChipTransfer.Kind, ChipTransfer.Status
PREFIXES = {Kind.FILL: "F", Kind.CREDIT: "C"}
RECEIVED_ROWS = 8


@dataclass(frozen=True)
class CageCard:
    """A transfer in one of the columns."""

    paper: SlipPaper
    who: str
    moment: dt.datetime
    note: str
    is_selected: bool


@dataclass(frozen=True)
class CageColumn:
    """A column of the cage: the transfers at one step."""

    code: str
    label: str
    meaning: str
    empty: str
    cards: tuple[CageCard, ...]


@dataclass(frozen=True)
class SlipNumbersOfDay:
    """The numbers that the day's slips used. `missing` are those that no slip has, which should never happen."""

    used: int
    void: tuple[str, ...]
    missing: tuple[str, ...]


@dataclass(frozen=True)
class CagePage:
    """The page of the cage on one gaming day."""

    facility: Facility
    person: Person
    day: dt.date
    day_begins: dt.datetime
    fills: int
    fills_cents: int
    credits: int
    credits_cents: int
    open_out_cents: int
    open_in_cents: int
    numbers: SlipNumbersOfDay
    columns: tuple[CageColumn, ...]
    ended: tuple[SlipPaper, ...]
    ended_count: int
    selected: SlipPaper | None
    carriers: tuple[Person, ...]
    boxes: tuple[DropBox, ...]

    @property
    def net_cents(self) -> int:
        """What the day's fills took from the cage, less what its credits brought."""
        return self.fills_cents - self.credits_cents

    @property
    def may_act(self) -> bool:
        """Whether this person works in the cage. Others only look."""
        return self.person.role in CAGE

    @property
    def shows_all(self) -> bool:
        return len(self.ended) == self.ended_count


def cage_page(
    facility: Facility,
    person: Person,
    now: dt.datetime,
    slip: str,
    carriers: tuple[Person, ...],
    *,
    all_rows: bool,
) -> CagePage:
    """Read the page of the cage. `slip` is the transfer that the address asks for, by its id as text."""
    day = facility.gaming_day(now)
    transfers = of_facility(facility)
    under_way = list(transfers.filter(status__in=UNDER_WAY).order_by("requested_at", "pk"))
    today = list(transfers.filter(gaming_day=day).order_by("-pk"))
    by_address = transfers.filter(pk=int(slip)).first() if slip.isdecimal() and len(slip) < 10 else None
    selected = _select(by_address, under_way)
    received = [transfer for transfer in today if transfer.status == Status.RECEIVED]
    fills = [transfer.cents for transfer in received if transfer.kind == Kind.FILL]
    credits_ = [transfer.cents for transfer in received if transfer.kind == Kind.CREDIT]
    ended = sorted(
        (transfer for transfer in today if transfer.status not in UNDER_WAY),
        key=lambda transfer: transfer.received_at or transfer.ended_at or transfer.requested_at,
        reverse=True,
    )
    rows = ended if all_rows else ended[:RECEIVED_ROWS]
    return CagePage(
        facility=facility,
        person=person,
        day=day,
        day_begins=facility.day_begins(day),
        fills=len(fills),
        fills_cents=sum(fills),
        credits=len(credits_),
        credits_cents=sum(credits_),
        open_out_cents=sum(transfer.cents for transfer in under_way if transfer.kind == Kind.FILL),
        open_in_cents=sum(transfer.cents for transfer in under_way if transfer.kind == Kind.CREDIT),
        numbers=_numbers(facility, today),
        columns=_columns(under_way, selected),
        ended=tuple(SlipPaper(transfer) for transfer in rows),
        ended_count=len(ended),
        selected=SlipPaper(selected) if selected else None,
        carriers=carriers,
        boxes=_boxes(facility, day),
    )


def transfer_of_slip(facility: Facility, slip: str) -> ChipTransfer | None:
    """Return the transfer with a slip number such as F-0131, if there is one."""
    prefix, _hyphen, number = slip.partition("-")
    kinds = {prefix_: kind for kind, prefix_ in PREFIXES.items()}
    if prefix not in kinds or not number.isdecimal() or len(number) > 9:
        return None
    return of_facility(facility).filter(kind=kinds[prefix], slip_number=int(number)).first()


def of_facility(facility: Facility) -> QuerySet[ChipTransfer]:
    """Return the transfers of a facility, with what their slips show."""
    transfers = ChipTransfer.objects.filter(facility=facility)
    return transfers.select_related("facility", "table__dealer", "table__floorperson", *TRANSFER_PEOPLE)


def people_on_duty(facility: Facility) -> list[Person]:
    """Return the active people on duty at a facility, by name."""
    on_duty = Assignment.objects.at_facility(facility)
    return list(Person.objects.filter(assignments__in=on_duty, is_active=True).distinct().order_by("name"))


def _select(by_address: ChipTransfer | None, under_way: list[ChipTransfer]) -> ChipTransfer | None:
    """Return the transfer of the address; else what the cage does next: prepare, receive, start."""
    if by_address is not None:
        return by_address
    preparing = [row for row in under_way if row.status == Status.PREPARING and row.kind == Kind.FILL]
    coming = [row for row in under_way if row.status == Status.ON_THE_WAY and row.kind == Kind.CREDIT]
    requested = [row for row in under_way if row.status == Status.REQUESTED]
    return next(iter([*preparing, *coming, *requested, *under_way]), None)


def _columns(under_way: list[ChipTransfer], selected: ChipTransfer | None) -> tuple[CageColumn, ...]:
    steps = (
        ("requested", Status.REQUESTED, "Requested", "The cage has to start these", "Nothing is requested."),
        (
            "preparing",
            Status.PREPARING,
            "Preparing",
            "Counted and not yet with security",
            "Nothing is prepared.",
        ),
        ("on-the-way", Status.ON_THE_WAY, "On the way", "In security’s hands", "Nothing is on the way."),
    )
    return tuple(
        CageColumn(
            code,
            label,
            meaning,
            empty,
            tuple(_card(row, row == selected) for row in under_way if row.status == status),
        )
        for code, status, label, meaning, empty in steps
    )


def _card(transfer: ChipTransfer, is_selected: bool) -> CageCard:
    paper = SlipPaper(transfer)
    person: Person | None
    moment: dt.datetime | None
    if transfer.status == Status.REQUESTED:
        person, moment, note = transfer.requested_by, transfer.requested_at, ""
    elif transfer.status == Status.PREPARING:
        person, moment = transfer.prepared_by, transfer.prepared_at
        to_come = "two signatures" if transfer.carrier_signed_at else "three signatures"
        note = "" if paper.is_fill else f"{transfer.table.code} counts it, {to_come} to come"
    else:
        person, moment = transfer.carrier or transfer.handed_by, transfer.handed_at
        note = "Two signatures at the table to come" if paper.is_fill else "The cage counts it when it comes"
    if is_selected:
        note = "Open as a slip"
    if transfer.refused_counts:
        note = f"{paper.refused_counts}. {note}".rstrip(". ")
    return CageCard(paper, name_of(person), moment or transfer.requested_at, note, is_selected)


def _numbers(facility: Facility, today: list[ChipTransfer]) -> SlipNumbersOfDay:
    """Count the numbers of the day, and look for missing ones among all that the facility ever gave."""
    numbered = [transfer for transfer in today if transfer.slip_number is not None]
    void = tuple(transfer.slip for transfer in reversed(numbered) if transfer.status == Status.VOID)
    fills, credits_ = slip_numbers_of(facility)
    missing: list[str] = []
    for kind, number in ((Kind.FILL, fills), (Kind.CREDIT, credits_)):
        of_kind = ChipTransfer.objects.filter(facility=facility, kind=kind).exclude(slip_number=None)
        if of_kind.count() != number:
            used = set(of_kind.values_list("slip_number", flat=True))
            missing += [f"{PREFIXES[kind]}-{gap:04}" for gap in range(1, number + 1) if gap not in used]
    return SlipNumbersOfDay(len(numbered), void, tuple(missing))


def _boxes(facility: Facility, day: dt.date) -> tuple[DropBox, ...]:
    """Return the drop boxes that wait for the count room, and those of the day's inventories that it has counted."""
    boxes = DropBox.objects.filter(table__facility=facility).exclude(taken_off_at=None)
    waiting = boxes.filter(counted_at=None)
    counted = boxes.filter(inventory__gaming_day=day).exclude(counted_at=None)
    rows = (waiting | counted).select_related("table", "taken_off_by", "taken_off_with", "counted_by")
    return tuple(rows.order_by("taken_off_at", "pk"))

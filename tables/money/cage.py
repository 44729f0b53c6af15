"""Cage: requests in columns, the slips of the day and their numbers, and one slip, on the page and on paper.

A slip (`SlipPaper`) says what a fill or a credit brings where, its steps, and who signed or signs next; on the page of
the cage, in print and as a PDF (`transfer_pdf`). How a slip goes is told in `tables.money.transfers`.
"""

import datetime as dt
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from django.db.models import QuerySet
from reportlab.platypus import Flowable

from audit.days import day_in_words
from audit.models import Person
from games.engine.odds import in_dollars
from games.kit import paper as pdf
from games.models import Facility
from games.office.pdf import moment
from games.registry import game_by_code
from games.separation.signatures import Signature, UnsignedPaper, signatures_on, unsigned
from tables.core.duty import CAGE
from tables.models import Assignment, ChipTransfer, DropBox
from tables.money.chips import Chips, chips_of
from tables.money.transfers import (
    SLIP_PEOPLE,
    UNDER_WAY,
    Kind,
    Status,
    is_at_table,
    name_of,
    paper_of,
    slip_numbers_of,
)

# A slip


@dataclass(frozen=True)
class SlipPaper:
    """A transfer as its slip: on the page, in print and as a PDF."""

    transfer: ChipTransfer

    @property
    def is_fill(self) -> bool:
        return self.transfer.kind == Kind.FILL

    @property
    def code(self) -> str:
        """The slip number; a request has none."""
        return self.transfer.slip or "No slip yet"

    @property
    def title(self) -> str:
        """The title of the form."""
        if not self.transfer.slip:
            return "Fill request" if self.is_fill else "Credit request"
        return "Fill slip" if self.is_fill else "Credit slip"

    @property
    def chips(self) -> Chips:
        return chips_of(self.transfer.chips)

    @property
    def table_in_words(self) -> str:
        table = self.transfer.table
        return f"{table.code}, {game_by_code(table.game).name}"

    @property
    def place_from(self) -> str:
        return "Cage" if self.is_fill else self.table_in_words

    @property
    def place_to(self) -> str:
        return self.table_in_words if self.is_fill else "Cage"

    @property
    def is_void(self) -> bool:
        return self.transfer.status in (Status.VOID, Status.CANCELED)

    @property
    def is_under_way(self) -> bool:
        return self.transfer.status in UNDER_WAY

    @property
    def is_at_table(self) -> bool:
        return is_at_table(self.transfer)

    @property
    def ended_at(self) -> dt.datetime | None:
        """When it was received, voided or canceled."""
        return self.transfer.received_at or self.transfer.ended_at

    @property
    def is_handed_here(self) -> bool:
        """Whether the cage hands it to security next."""
        return self.is_fill and self.transfer.status == Status.PREPARING

    @property
    def is_received_here(self) -> bool:
        """Whether the cage counts it next."""
        return not self.is_fill and self.transfer.status == Status.ON_THE_WAY

    @property
    def may_void(self) -> bool:
        """Whether the cage may void or cancel it: a credit that has left its tray is voided at the table."""
        return self.is_under_way and not self.is_received_here

    @property
    def void_act(self) -> str:
        return "void_transfer" if self.transfer.slip else "cancel_transfer"

    @property
    def void_dialog(self) -> str:
        """The dialog that voids it: security signs too where the chips had left the cage."""
        if not self.transfer.slip:
            return "cancel"
        return "void-returned" if self.transfer.status == Status.ON_THE_WAY else "void"

    @property
    def refused_counts(self) -> str:
        """How many counts of it were refused, in words; "" for none."""
        number = self.transfer.refused_counts
        return f"{number} count{'' if number == 1 else 's'} refused" if number else ""

    @property
    def shift(self) -> str:
        """The shift of the request."""
        return self.transfer.facility.shift_of(self.transfer.requested_at).name.lower()

    @property
    def copies(self) -> str:
        """Where the copies of the slip go."""
        return f"Copies: drop box of {self.transfer.table.code}, cage, accounting."

    @cached_property
    def signatures(self) -> tuple[Signature, ...]:
        """Who signed, and who signs next, in the order of the list of its jurisdiction."""
        return signatures_on(paper_of(self.transfer), self.transfer)

    @cached_property
    def unsigned(self) -> UnsignedPaper | None:
        """The slip, if somebody signs it next by themselves."""
        return unsigned(paper_of(self.transfer), self.transfer)


# The slip as a PDF: facility, title of the form, number, chips, and who signs


LINE_TO_SIGN = "_" * 30


def transfer_pdf(paper: SlipPaper) -> bytes:
    """Return the PDF of a slip as it is now. The caller has loaded its table, facility and people."""
    look, transfer = pdf.styles(), paper.transfer
    facility = transfer.facility
    title = f"{paper.title} {paper.code}"
    story: list[Flowable] = [
        pdf.text(title, look["title"]),
        pdf.table(list(_facts(paper)), (1, 3), head=0),
        *((pdf.text(f"VOID. {transfer.reason}", look["heading"]),) if paper.is_void else ()),
        pdf.text("Chips", look["heading"]),
        pdf.table(list(_chips(paper)), (2, 1, 1), numbers=(1, 2)),
        pdf.text("Signatures", look["heading"]),
        pdf.table(list(_signatures(paper)), (1.2, 2.2, 1.6)),
        pdf.text(
            "A signature with a time was given by the person's own PIN, and is on the record.", look["small"]
        ),
        pdf.text(paper.copies, look["small"]),
    ]
    requested = moment(transfer.requested_at, facility)
    state = f"{transfer.get_status_display().capitalize()}, requested {requested}"
    return pdf.render(story, title=title, facility_name=facility.name, approved=state)


def _facts(paper: SlipPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell]]:
    transfer = paper.transfer
    facility = transfer.facility
    yield "Casino", facility.name
    yield "From", paper.place_from
    yield "To", paper.place_to
    yield "Gaming day, shift", f"{day_in_words(transfer.gaming_day)}, {paper.shift}"
    yield "Requested", f"{moment(transfer.requested_at, facility)}, {transfer.requested_by.name}"


def _chips(paper: SlipPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell, pdf.Cell]]:
    yield "Chips", "Number", "Value"
    for line in paper.chips.lines:
        yield in_dollars(line.chip_cents), f"{line.count:,}", in_dollars(line.cents)
    yield "Total", f"{paper.chips.count:,}", in_dollars(paper.chips.cents)


def _signatures(paper: SlipPaper) -> Iterator[tuple[pdf.Cell, pdf.Cell, pdf.Cell]]:
    facility = paper.transfer.facility
    yield "", "Who", "When"
    for signature in paper.signatures:
        when = moment(signature.moment, facility) if signature.moment else ""
        yield signature.post, (signature.name if signature.moment else LINE_TO_SIGN), when


# The page


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
    return transfers.select_related("facility", "table__dealer", "table__floorperson", *SLIP_PEOPLE)


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

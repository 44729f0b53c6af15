"""The PDF of a fill or credit slip: facility, title of the form, number, chips, and who signs."""

from collections.abc import Iterator

from reportlab.platypus import Flowable

from games.engine.odds import in_dollars
from games.kit.paper import Cell, render, styles, table, text
from games.office.pdf.approval import moment
from tables.money.slip_paper import SlipPaper

LINE_TO_SIGN = "_" * 30


def transfer_pdf(paper: SlipPaper) -> bytes:
    """Return the PDF of a slip as it is now. The caller has loaded its table, facility and people."""
    look, transfer = styles(), paper.transfer
    facility = transfer.facility
    title = f"{paper.title} {paper.code}"
    story: list[Flowable] = [
        text(title, look["title"]),
        table(list(_facts(paper)), (1, 3), head=0),
        *((text(f"VOID. {transfer.reason}", look["heading"]),) if paper.is_void else ()),
        text("Chips", look["heading"]),
        table(list(_chips(paper)), (2, 1, 1), numbers=(1, 2)),
        text("Signatures", look["heading"]),
        table(list(_signatures(paper)), (1.2, 2.2, 1.6)),
        text(
            "A signature with a time was given by the person's own PIN, and is on the record.", look["small"]
        ),
        text(paper.copies, look["small"]),
    ]
    state = (
        f"{transfer.get_status_display().capitalize()}, requested {moment(transfer.requested_at, facility)}"
    )
    return render(story, title=title, facility_name=facility.name, approved=state)


def _facts(paper: SlipPaper) -> Iterator[tuple[Cell, Cell]]:
    transfer = paper.transfer
    facility = transfer.facility
    yield "Casino", facility.name
    yield "From", paper.place_from
    yield "To", paper.place_to
    yield "Gaming day, shift", f"{transfer.gaming_day:%-d %b %Y}, {paper.shift}"
    yield "Requested", f"{moment(transfer.requested_at, facility)}, {transfer.requested_by.name}"


def _chips(paper: SlipPaper) -> Iterator[tuple[Cell, Cell, Cell]]:
    yield "Chips", "Number", "Value"
    for line in paper.chips.lines:
        yield in_dollars(line.chip_cents), f"{line.count:,}", in_dollars(line.cents)
    yield "Total", f"{paper.chips.count:,}", in_dollars(paper.chips.cents)


def _signatures(paper: SlipPaper) -> Iterator[tuple[Cell, Cell, Cell]]:
    facility = paper.transfer.facility
    yield "", "Who", "When"
    for signature in paper.signatures:
        when = moment(signature.moment, facility) if signature.moment else ""
        yield signature.post, (signature.name if signature.moment else LINE_TO_SIGN), when

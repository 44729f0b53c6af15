"""The report of a round as a PDF: drawn, printed and served.

1. Whoever may export prints it (`print_round`): a copy that leaves the casino, so the record says who took which bytes.
2. The page makes the same report again, as it was at that moment, and serves it to the person who has just recorded
   that they take it (`round_report`).

What the report says is `tables.desk.round_paper`. It is drawn on US Letter, black on white, and the same report has the
same bytes.
"""

from collections.abc import Iterator
from typing import Annotated

from django.http import HttpRequest, HttpResponse
from django.urls import path
from django.views.decorators.http import require_GET
from reportlab.lib.colors import HexColor, black, white
from reportlab.lib.utils import simpleSplit
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, KeepTogether, Spacer

from audit.entry_types import entry_type
from audit.identity import Denied
from audit.models import Person
from games import act_forms
from games.access import opened_by
from games.drawing import PaperArea, PaperLayout
from games.engine import Refusal
from games.engine.odds import in_dollars
from games.engine.wagers import LOSE, WIN
from games.kit.paper import BOLD, INTER, Cell, content_size, render, styles, table, text
from games.models import Facility
from games.office.guides.pdf import PIPS
from tables.corrections.slips import NO_SUCH_ROUND
from tables.desk.desk import (
    DESK,
    ActOutcome,
    DeskContext,
    desk_act,
    may_export,
    own_recent_entry,
    recorded_copy,
)
from tables.desk.query import MAX_NUMBER
from tables.desk.round_paper import OUTCOME_WORDS, AreaMoney, DiceCall, RoundPaper, printed_by, round_paper
from tables.models import Table
from tables.replay.evidence import sha256
from tables.words.entries import data_of

TITLE = "Report of a round"
CHANGED = "A name, a rule or a case that this report prints has changed since. Print it again."
MAX_CODE = 20
MAX_SEAT = 99
LINE = HexColor("#8d8d8d")
DIE = 18.0
NO_BREAK = "\u00a0"
CALL_DICE = 6  # dice in a row of a call
STAR = (0, 1, 0.24, 0.31, 0.95, 0.31, 0.38, -0.12, 0.59, -0.81, 0, -0.38)  # half of a star of radius 1
MONEY_WORDS = {WIN: "won", LOSE: "lost", "return": "returned", "fee": "kept"}


# Printing


@entry_type("round.printed")
def ROUND_PRINTED(
    *,
    bytes: Annotated[int, "size of the file"],
    last: Annotated[int, "number of the newest entry that it names"],
    number: Annotated[int, "number of the round"],
    seat: Annotated[int | None, "the seat whose wagers it has; null for every seat"],
    sha256: Annotated[str, "SHA-256 of the file, in hex"],
    table: Annotated[str, "code of the table"],
) -> str:
    """A person printed the report of a round."""
    whose = f", seat {seat}" if seat is not None else ""
    return f"Report of round {number} at {table}{whose} printed"


@desk_act(step_up="always")
def print_round(
    ctx: DeskContext,
    *,
    table_code: Annotated[str, act_forms.text(MAX_CODE)],
    number: Annotated[int, act_forms.whole(1, MAX_NUMBER)],
    seat: Annotated[int, act_forms.whole(0, MAX_SEAT)] = 0,
) -> ActOutcome:
    """Make the report of a round as a PDF for download, and record its SHA-256.

    `table` and `number` name a round; with a `seat` (0: every seat) the report has the wagers of that seat alone.

    Raises `no-such-round`.
    """
    table = (
        Table.objects.select_related("facility", "stream")
        .filter(facility=ctx.facility, code=table_code)
        .first()
    )
    paper = (
        round_paper(table, number, seat or None, moment=ctx.now, printed_by=printed_by(ctx.actor))
        if table
        else None
    )
    if paper is None:
        raise Refusal(NO_SUCH_ROUND, table=table_code, round=number)
    content = round_pdf(paper)
    digest = sha256(content)
    entry = ROUND_PRINTED(
        bytes=len(content),
        last=paper.newest.seq,
        number=number,
        seat=seat or None,
        sha256=digest,
        table=table_code,
    )
    return ActOutcome(entry, {"sha256": digest})


@require_GET
@opened_by(DESK)
def round_report(
    request: HttpRequest, person: Person, facility: Facility, table: str, number: int, digest: str
) -> HttpResponse:
    """Make the recorded report again, and serve it if it has the SHA-256 that was recorded."""
    table_ = Table.objects.select_related("facility", "stream").filter(facility=facility, code=table).first()
    expected = {"table": table, "number": number, "sha256": digest}
    entry = own_recent_entry(person, facility, ROUND_PRINTED.name, expected)
    if not may_export(person) or table_ is None or entry is None:
        raise Denied
    data = data_of(entry)
    paper = round_paper(
        table_, number, data["seat"], moment=entry.at, printed_by=printed_by(person), last=data["last"]
    )
    content = round_pdf(paper) if paper else b""
    return recorded_copy(
        content, digest, f"{facility.code}-{table}-R{number}.pdf", "application/pdf", CHANGED
    )


# The parts of the report


def round_pdf(paper: RoundPaper) -> bytes:
    """The PDF of a report."""
    look = styles()
    story: list[Flowable] = [
        text(paper.title, look["title"]),
        _heads(paper),
        Spacer(1, 4),
        *(text(f"Verification failed: {fault}.", look["strong"]) for fault in paper.faults),
        *(text(sentence, look["body"]) for sentence in paper.sentences),
        *_dice(paper),
        *_layout(paper),
        *_wagers(paper),
        *_slips(paper),
        *_cases(paper),
        *_record(paper),
        *_check(paper),
    ]
    return render(
        story,
        title=f"{TITLE}, {paper.table} {paper.number}",
        facility_name=paper.facility.name,
        approved=paper.printed,
    )


def _heads(paper: RoundPaper) -> Flowable:
    head = ["Played", "Game and rules", "Rules submission"]
    return table([head, [paper.played, paper.rules, paper.submission]], (40, 41, 19))


def _dice(paper: RoundPaper) -> Iterator[Flowable]:
    look = styles()
    if not paper.calls:
        yield text("No dice were called.", look["body"])
        return
    rows: list[list[Cell]] = []
    for call in paper.calls:
        word = f"{call.label}, withdrawn" if call.is_withdrawn else call.label
        spoken = f"{call.detail}; {' '.join(map(str, call.dice))}"
        rows.append([DiceRow(call), [text(word, look["strong"]), text(spoken, look["head"])]])
    yield KeepTogether([text("Dice", look["heading"]), table(rows, (28, 72), head=0)])


def _layout(paper: RoundPaper) -> Iterator[Flowable]:
    look = styles()
    if paper.layout is None:
        yield text("The rules of this round cannot be found, so its layout is not drawn.", look["body"])
        return
    whose = f"of seat {paper.seat}" if paper.seat is not None else "of every seat"
    lit = "Black with a star: wins. " if paper.lit else "Nothing was lit. "
    others = " Wagers of other seats are not shown." if paper.seat is not None else ""
    yield KeepTogether(
        [
            text("The layout as it was lit last", look["heading"]),
            LayoutDrawing(paper.layout, paper.lit, paper.money, content_size()[0]),
            Spacer(1, 4),
            text(f"{lit}Bold frame: wagers {whose}; hatched: lost.{others}", look["small"]),
        ]
    )


def _wagers(paper: RoundPaper) -> Iterator[Flowable]:
    look, count = styles(), paper.totals[0]
    whose = f"Wagers of seat {paper.seat}" if paper.seat is not None else "Wagers of every seat"
    yield text(whose, look["heading"])
    if not paper.wagers:
        yield text("There are none on the record.", look["body"])
        return
    rows: list[list[Cell]] = [["Seat", "Wager", "Stake", "Outcome", "Why", "Section", "Paid", "Returned"]]
    for row in paper.wagers:
        label = f"{row.label}, play {row.play}" if row.play else row.label
        marks = [
            *(["disputed"] if row.disputed else []),
            *(["recorded after bets closed"] if row.missed else []),
            *({"under-min": ["under the minimum"], "over-max": ["over the maximum"]}.get(row.flag, [])),
            *row.slips,
        ]
        name = [text(label, look["strong"]), *([text(", ".join(marks), look["head"])] if marks else [])]
        why = "entered by mistake" if row.outcome == "struck" else row.why
        outcome = OUTCOME_WORDS[row.outcome] + (f", {row.pays}" if row.pays else "")
        rows.append([
            str(row.seat), name, in_dollars(row.stake_cents), outcome, why, row.section.replace(" ", NO_BREAK),
            in_dollars(row.paid_cents), in_dollars(row.returned_cents),
        ])  # fmt: skip
    _count, stakes, paid, returned = paper.totals
    rows.append([
        "", text(f"{count} wager{'' if count == 1 else 's'}", look["strong"]), in_dollars(stakes), "", "", "",
        in_dollars(paid), in_dollars(returned),
    ])  # fmt: skip
    yield table(rows, (6, 21, 10, 14, 22, 17, 11, 12), numbers=(2, 6, 7))
    for sentence in paper.what_if:
        yield text(sentence, look["body"])


def _slips(paper: RoundPaper) -> Iterator[Flowable]:
    look = styles()
    yield text("Slips about this round", look["heading"])
    for sentence in paper.slips or ["None on the record when this was printed."]:
        yield text(sentence, look["body"])


def _cases(paper: RoundPaper) -> Iterator[Flowable]:
    look = styles()
    for code, lines in paper.cases:
        yield text(f"Case {code}", look["heading"])
        for line in lines:
            yield text(line, look["body"])


def _record(paper: RoundPaper) -> Iterator[Flowable]:
    look = styles()
    yield text("Record", look["heading"])
    rows: list[list[Cell]] = [["Time", "What it says", "Who", "Entry", "Hash begins"]]
    rows += [[*cells] for cells in paper.entries]
    yield table(rows, (12, 42, 22, 9, 19), numbers=(3, 4))
    yield text(" ".join(paper.seal), look["body"])


def _check(paper: RoundPaper) -> Iterator[Flowable]:
    look, digest = styles(), paper.newest.digest
    groups = " ".join(digest[start : start + 8] for start in range(0, len(digest), 8))
    where = "in CHANGELOG.md and on the integrity page"
    yield KeepTogether(
        [
            text("Check it without us", look["heading"]),
            text(
                f"Ask for the evidence bundle of this round, {paper.file_name}, and get verify.py from a source"
                f" that you trust; its SHA-256 is {where}. On any computer with Python, this command must begin with"
                f" “good”, and its line for {paper.stream} must end with the hash below, of entry"
                f" {paper.newest.seq:,}.",
                look["body"],
            ),
            text(f"python verify.py {paper.file_name}", look["strong"]),
            text(groups, look["cell"]),
        ]
    )


# Dice and the layout, drawn


class DiceRow(Flowable):  # type: ignore[misc]  # reportlab has no types
    """The dice of a call: outlined where the call was withdrawn, else black."""

    def __init__(self, call: DiceCall) -> None:
        super().__init__()
        self.call = call
        self.lines = max(1, -(-len(call.dice) // CALL_DICE))

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return CALL_DICE * (DIE + 5), self.lines * (DIE + 4)

    def draw(self) -> None:
        for place, face in enumerate(self.call.dice):
            down, across = divmod(place, CALL_DICE)
            top = (self.lines - down) * (DIE + 4) - 2
            _die(self.canv, face, across * (DIE + 5), top, DIE, is_black=not self.call.is_withdrawn)


class LayoutDrawing(Flowable):  # type: ignore[misc]  # reportlab has no types
    """The layout in black on white. Winning areas are black with a star; a lost wager is hatched with an arrow."""

    def __init__(
        self, layout: PaperLayout, lit: frozenset[str], money: dict[str, AreaMoney], width: float
    ) -> None:
        super().__init__()
        self.layout, self.lit, self.money, self.width = layout, lit, money, width
        self.scale = width / layout.width
        self.height = layout.height * self.scale

    def wrap(self, width: float, height: float) -> tuple[float, float]:
        return self.width, self.height

    def draw(self) -> None:
        for area in self.layout.areas:
            self._area(area)
        for area in self.layout.areas:  # frames last: a neighbor's line would cover them
            if area.wager in self.money:
                x, y, width, height = self._box(area)
                self.canv.setStrokeColor(black)
                self.canv.setLineWidth(1.8)
                self.canv.rect(x + 0.9, y + 0.9, width - 1.8, height - 1.8, stroke=1, fill=0)
        self.canv.setStrokeColor(black)
        self.canv.setLineWidth(0.8)
        self.canv.rect(0, 0, self.width, self.height, stroke=1, fill=0)

    def _box(self, area: PaperArea) -> tuple[float, float, float, float]:
        scale = self.scale
        y = self.height - (area.y + area.height) * scale
        return area.x * scale, y, area.width * scale, area.height * scale

    def _area(self, area: PaperArea) -> None:
        canvas, is_lit = self.canv, area.wager in self.lit
        x, y, width, height = self._box(area)
        canvas.setFillColor(black if is_lit else white)
        canvas.setStrokeColor(LINE)
        canvas.setLineWidth(0.5)
        canvas.rect(x, y, width, height, stroke=1, fill=1)
        money = self.money.get(area.wager)
        if money and money.outcome == LOSE and not is_lit:
            self._hatch(x, y, width, height)
        lines = self._lines(area, money, width)
        faces_height = 8.0 if area.faces else 0.0
        star_height = 7.0 if is_lit else 0.0
        top = y + (height + 7.5 * len(lines) + faces_height + star_height) / 2
        if area.faces:
            self._faces(area.faces, x + width / 2, top, is_lit, width)
            top -= faces_height
        canvas.setFillColor(white if is_lit else black)
        for words, font in lines:
            canvas.setFont(font, 6.4)
            canvas.drawCentredString(x + width / 2, top - 6.2, words)
            top -= 7.5
        if is_lit:
            self._star(x + width / 2, top - 4.2)

    def _lines(self, area: PaperArea, money: AreaMoney | None, width: float) -> list[tuple[str, str]]:
        words = [
            (line, INTER)
            for word in area.words
            for line in simpleSplit(word, INTER, 6.4, width - 3) or [word]
        ]
        if money is None:
            return words
        stake = in_dollars(money.cents)
        ending = MONEY_WORDS.get(money.outcome, "")
        one_line = f"{stake} {ending}".strip()
        return words + [(line, BOLD) for line in simpleSplit(one_line, BOLD, 6.4, width - 3)]

    def _faces(self, faces: tuple[int, ...], middle: float, top: float, is_lit: bool, width: float) -> None:
        size = min(7.0, (width - 2) / len(faces) - 0.6)
        left = middle - (size + 0.6) * len(faces) / 2 + 0.3
        for place, face in enumerate(faces):
            _die(self.canv, face, left + place * (size + 0.6), top - 0.5, size, is_black=not is_lit)

    def _hatch(self, x: float, y: float, width: float, height: float) -> None:
        canvas = self.canv
        canvas.saveState()
        clip = canvas.beginPath()
        clip.rect(x, y, width, height)
        canvas.clipPath(clip, stroke=0, fill=0)
        canvas.setStrokeColor(HexColor("#c4c4c4"))
        canvas.setLineWidth(0.5)
        step, offset = 3.4, -height
        while offset < width:
            canvas.line(x + offset, y, x + offset + height, y + height)
            offset += step
        canvas.restoreState()

    def _star(self, x: float, y: float, radius: float = 2.8) -> None:
        right = list(zip(STAR[::2], STAR[1::2], strict=True))
        points = [*right, *((-across, up) for across, up in reversed(right[1:-1]))]
        path = self.canv.beginPath()
        path.moveTo(x + points[0][0] * radius, y + points[0][1] * radius)
        for across, up in points[1:]:
            path.lineTo(x + across * radius, y + up * radius)
        path.close()
        self.canv.drawPath(path, stroke=0, fill=1)


def _die(canvas: Canvas, face: int, x: float, top: float, size: float, *, is_black: bool) -> None:
    """Draw a die whose upper left corner is at x, top: black with white pips, or outlined with black pips."""
    pen, unit = canvas, size / 24
    pen.setFillColor(black if is_black else white)
    pen.setStrokeColor(black)
    pen.setLineWidth(max(0.4, 1.6 * unit))
    pen.roundRect(x + unit, top - 23 * unit, 22 * unit, 22 * unit, 5 * unit, stroke=1, fill=1)
    pen.setFillColor(white if is_black else black)
    for across, down in PIPS[face]:
        pen.circle(x + across * unit, top - down * unit, (3.2 if face == 1 else 2.5) * unit, stroke=0, fill=1)


urlpatterns = [
    path(
        "record/<slug:facility>/rounds/<code:table>/<int:number>/<slug:digest>.pdf",
        round_report,
        name="record-round-pdf",
    ),
]

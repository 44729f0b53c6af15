"""The daily report on paper: US Letter on its side, fonts embedded, the same bytes for the same record."""

from collections.abc import Iterator, Sequence

from reportlab.platypus import CondPageBreak, Flowable

from games.engine.odds import in_dollars
from games.office.pdf.approval import moment
from games.office.pdf.paper import Cell, inside, render, styles, table, text
from tables.reports.charts import bars, columns, whiskers
from tables.reports.drawings import BAND_POINTS, BAR_POINTS, BarMark, ColumnPlot, WhiskerMark
from tables.reports.figures import Figures, Line, Report
from tables.reports.formatting import an_hour, as_cents, band, change, exact, share, spans
from tables.reports.lists import NOTHING, lists
from tables.reports.notes import expected_notes, hour_label, long_day
from tables.reports.report_day import PLAYS, Day
from tables.reports.slip_rows import SlipLine


def report_pdf(found: Report) -> bytes:
    """The PDF. It tells no moment of its own making: a day that is over gives the same bytes until a slip is filed."""
    day, look = found.day, styles()
    title = f"Daily report, {long_day(day.date)}"
    story: list[Flowable] = [
        text(title, look["title"]),
        text(" ".join(standing(found)), look["body"]),
        _summary(found.house),
        *_lines("Win by table", found.tables, day, by_table=True),
        *_lines("By game", found.games, day),
        *_hours(found),
        *_expected(found),
        *_slips("Corrections filed on this day", found.slips, day),
        *(_slips("Filed since, about rounds of this day", found.since, day) if found.since else ()),
        *lists(found),
    ]
    return render(
        story,
        title=title,
        facility_name=day.house.name,
        landscape=True,
        approved=f"{PLAYS[day.play]}. Made from {found.events.entries:,} entries of the record.",
    )


def standing(found: Report) -> Iterator[str]:
    """What the report holds, and what may still change in it, in sentences."""
    day, house = found.day, found.day.house
    yield f"{PLAYS[day.play]} from {moment(day.begins, house)} to {moment(day.ends, house)}, by the house's clocks."
    if day.play != "live":
        yield "No money of players is in it."
    if not day.is_over:
        yield f"The day is not over: this is how it stood at {moment(day.now, house)}."
    if found.house.in_play:
        yield f"Rounds still in play: {found.house.in_play}. They count when they end."
    if found.since:
        yield f"Slips filed since about rounds of this day: {len(found.since)}, listed apart."


def _summary(house: Figures) -> Flowable:
    said = house.expected
    pairs: list[tuple[str, str]] = [
        ("Rounds settled", f"{house.settled:,}"),
        ("Wagered", in_dollars(house.wagered_cents)),
        ("No roll, void", f"{house.no_roll:,}, {house.void:,}"),
        ("Taken", in_dollars(house.taken_cents)),
        ("By hand, of them on paper", f"{house.by_hand:,}, {house.on_paper:,}"),
        ("Paid", in_dollars(house.paid_cents)),
        ("Wagers", f"{house.wagers:,}"),
        ("Stakes returned", in_dollars(house.returned_cents)),
        ("Outside the limits", f"{house.outside:,}, {in_dollars(house.outside_cents)}"),
        ("Win as settled", in_dollars(house.win_cents)),
        ("Rounds an hour", an_hour(house)),
        ("Corrections", change(house.corrections_cents)),
        ("Hold", f"{share(house.hold)}\n{exact(house)}"),
        ("Win after corrections", in_dollars(house.corrected_cents)),
        ("Expected win", as_cents(said.win) + (f" {band(said)}" if said.variance is not None else "")),
        ("Win of the same wagers", in_dollars(said.won_cents)),
    ]
    rows = [[*left, *right] for left, right in zip(pairs[::2], pairs[1::2], strict=True)]
    return table(rows, (3, 3, 3, 3), numbers=(1, 3), head=0)


def _lines(heading: str, lines: Sequence[Line], day: Day, *, by_table: bool = False) -> Iterator[Flowable]:
    yield text(heading, styles()["heading"])
    if not lines:
        yield text("Nothing was played.", styles()["body"])
        return
    corrected = any(one.figures.slips for one in lines)
    wins = bars([(one.figures.win_cents, one.figures.corrected_cents) for one in lines])
    wagered = bars([(one.figures.wagered_cents, None) for one in lines])
    rows: list[list[Cell]] = [
        ["", "Rounds", "Wagered", "Taken", "Paid", "Hold", "Win", "", *(["Corrected"] if corrected else [])]
    ]
    for one, win, staked in zip(lines, wins, wagered, strict=True):
        label, rounds, stakes, *others = _cells(one, day, by_table)
        drawn = stakes if by_table else [text(stakes, styles()["number"]), BarMark(staked)]
        rows.append([label, rounds, drawn, *others, BarMark(win), *([_after(one)] if corrected else [])])
    widths = (84, 46, 60 if by_table else BAR_POINTS + 8, 58, 60, 60, 60, BAR_POINTS + 8, 58)
    yield table(rows, widths if corrected else widths[:-1], numbers=(1, 2, 3, 4, 5, 6, 8))


def _cells(one: Line, day: Day, with_spans: bool) -> list[Cell]:
    figures, look = one.figures, styles()
    label: list[Flowable] = [text(one.label, look["strong"])]
    if with_spans:
        label.append(text(spans(one.opened, day.house), look["head"]))
    aside = [
        f"{count} {name}"
        for count, name in (
            (figures.no_roll, "no roll"),
            (figures.void, "void"),
            (figures.in_play, "in play"),
        )
        if count
    ]
    rounds: list[Flowable] = [text(f"{figures.settled:,}", look["number"])]
    rounds += [text(one, look["head-number"]) for one in aside]
    return [
        label,
        rounds,
        in_dollars(figures.wagered_cents),
        in_dollars(figures.taken_cents),
        in_dollars(figures.paid_cents),
        share(figures.hold).replace(" ", "\u00a0"),
        in_dollars(figures.win_cents),
    ]


def _after(one: Line) -> Cell:
    return in_dollars(one.figures.corrected_cents) if one.figures.slips else ""


def _hours(found: Report) -> Iterator[Flowable]:
    labels = [hour_label(one.begins, found.day.house) for one in found.hours]
    chart, across = columns(found.hours, labels), inside(landscape=True)[0]
    yield CondPageBreak(chart.size[1] * across / chart.size[0] + 60)
    yield text("Rounds by hour", styles()["heading"])
    yield ColumnPlot(chart, across)
    busy = [(one, label) for one, label in zip(found.hours, labels, strict=True) if one.figures.rounds]
    if busy:
        drawn = bars([(one.figures.win_cents, None) for one, _label in busy])
        rows: list[list[Cell]] = [["Hour", "Rounds", "Wagered", "Taken", "Paid", "Win", ""]]
        rows += [
            [
                label,
                f"{one.figures.settled:,}",
                in_dollars(one.figures.wagered_cents),
                in_dollars(one.figures.taken_cents),
                in_dollars(one.figures.paid_cents),
                in_dollars(one.figures.win_cents),
                BarMark(bar),
            ]
            for (one, label), bar in zip(busy, drawn, strict=True)
        ]
        yield table(rows, (60, 60, 80, 80, 80, 80, BAR_POINTS + 8), numbers=(1, 2, 3, 4, 5))


def _expected(found: Report) -> Iterator[Flowable]:
    yield text("Expected and actual win", styles()["heading"])
    lines = [(one.label, one.figures.expected) for one in found.tables if one.figures.expected.staked_cents]
    if not lines:
        yield text("No round was settled.", styles()["body"])
        return
    lines += [("The house", found.house.expected)] if len(lines) > 1 else []
    drawn = whiskers([one for _label, one in lines])
    rows: list[list[Cell]] = [["", "Wagered", "Expected win", "Two deviations", "Actual win", ""]]
    rows += [
        [
            label,
            in_dollars(one.staked_cents),
            as_cents(one.win),
            band(one),
            in_dollars(one.won_cents),
            WhiskerMark(mark),
        ]
        for (label, one), mark in zip(lines, drawn, strict=True)
    ]
    yield table(rows, (76, 80, 80, 80, 80, BAND_POINTS + 8), numbers=(1, 2, 3, 4))
    yield text(" ".join(expected_notes(found)), styles()["small"])


def _slips(heading: str, slips: Sequence[SlipLine], day: Day) -> Iterator[Flowable]:
    yield text(heading, styles()["heading"])
    if not slips:
        yield text(NOTHING, styles()["body"])
        return
    rows: list[list[Cell]] = [
        ["Slip", "Round", "What was wrong", "Signed", "Win before", "Win after", "Moved"]
    ]
    for one in slips:
        slip = one.slip
        played = f", {slip.round.gaming_day:%d %b}" if one.is_of_another_day else ""
        rows.append(
            [
                f"{slip.table.code} {slip.code}\n{moment(slip.filed_at, day.house)}",
                f"{slip.round.number:,}{played}",
                f"{slip.get_kind_display()}: {slip.reason}",
                f"{slip.filed_by.short_name}, {slip.filed_with.short_name}",
                in_dollars(one.before_cents),
                in_dollars(one.after_cents),
                "not yet" if one.moved_cents is None else change(one.moved_cents),
            ]
        )
    yield table(rows, (84, 44, 150, 72, 58, 58, 52), numbers=(4, 5, 6))

"""Rollups of the exact figures, and the pages that show them: every number worked out by hand."""

import csv
import datetime as dt
import io
import json
import re
from fractions import Fraction
from html import unescape
from io import BytesIO, StringIO
from itertools import pairwise

import pypdfium2
import pytest
from django.core.management import CommandError, call_command

from games.formats import percent, signed
from games.kit.plots import Path, Text
from games.kit.tables import MONEY, Column
from tables.figures import figure_tables, rollup
from tables.figures.page import FiguresRow
from tables.figures.plots import Annotation, Axis, LotChange, band_plots, lot_changes
from tables.figures.ranges import FiguresQuery, PlotPoint, read_query, read_range, sold_by_hour, whole_months
from tables.figures.rollup import check_rollups, pit_moves
from tables.handover.handover import shift_figures, shift_to_hand_over
from tables.models import (
    Assignment,
    DayFigures,
    DropBox,
    HourFigures,
    MonthFigures,
    RollupProgress,
    Round,
    Table,
)
from tables.ticker import tick
from tests.desk.test_figures import EDGE_NINE, EDGE_SMALL, at, file_slip
from tests.desk.test_football_band import COVERED_VARIANCE, COVERED_WIN, play_a_covered_game
from tests.services.workbooks import cells
from tests.tables import test_money as chips
from tests.tables.cast import make_scene

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
PAGE = "/floor/larkfield/figures/"
TODAY = dt.date(2026, 11, 21)


def read(scene, address=PAGE, by="shift-manager"):
    """The page as text and as it is written."""
    answer = scene.browser("podium", by).get(address)
    assert answer.status_code == 200, address
    html = answer.content.decode()
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))), html


def play_two_hours(hands, scene):
    """Three rounds in two hours: $25 paid and $10 taken, $30 taken, and $40 taken of seat 4."""
    scene.play((1, "small", 2_500), (2, "total:9", 1_000), dice=[1, 1, 2])
    scene.finish()
    hands.now = at(10, 4)
    scene.play((1, "small", 3_000), dice=[6, 6, 2])
    scene.finish()
    hands.now = at(11, 10)
    scene.play((4, "small", 4_000), dice=[6, 6, 2])
    scene.finish()
    rollup.write_rollups()


def test_the_ticker_sums_settled_rounds_by_hour_day_and_month(hands, scene):
    play_two_hours(hands, scene)
    first, second = HourFigures.objects.order_by("begins_at")
    assert (first.begins_at, first.shift, first.dealers) == (at(10), "day", "dealer")
    assert (first.rounds, first.wagers, first.handle_cents) == (2, 3, 6_500)
    assert (first.taken_cents, first.paid_cents) == (4_000, 2_500)
    assert Fraction(first.expected_win) == 5_500 * EDGE_SMALL + 1_000 * EDGE_NINE
    assert first.by_family["small"][:3] == [2, 5_500, 0]
    assert (first.by_seat, first.seats_wagering, first.seats_offered) == (
        {"1": 2, "2": 1},
        3,
        2 * scene.table.seats,
    )
    assert first.win_slots == [1_500] + [0] * 11
    assert (first.largest_cents, first.largest_round) == (1_500, 1)
    assert (first.open_us, second.open_us) == (
        60 * 60_000_000,
        10 * 60_000_000,
    )  # open from 10:00 to the last round
    (day,), (month,) = DayFigures.objects.all(), MonthFigures.objects.all()
    assert day.rounds == month.rounds == 3
    assert (month.month, day.gaming_day) == (TODAY.replace(day=1), TODAY)
    assert (
        Fraction(day.expected_win) == Fraction(month.expected_win) == 9_500 * EDGE_SMALL + 1_000 * EDGE_NINE
    )
    assert Fraction(day.variance) == Fraction(first.variance) + Fraction(second.variance) > 0
    assert rollup.differences(scene.fresh) == []


def test_rounds_are_counted_once_and_a_slip_counts_its_day_again(hands, scene):
    play_two_hours(hands, scene)
    before = DayFigures.objects.values().get()
    rollup.write_rollups()
    assert DayFigures.objects.values().get() == before
    assert rollup.tables_behind() == []
    file_slip(scene, hands, at(12))
    assert [table.code for table in rollup.tables_behind()] == ["T-01"]
    tick()
    tick()
    rollup.write_rollups()
    after = DayFigures.objects.get()
    assert (after.rounds, after.taken_cents) != (before["rounds"], before["taken_cents"])
    assert MonthFigures.objects.get().taken_cents == after.taken_cents
    assert rollup.differences(scene.fresh) == []
    scene.act(
        "settle_slip", {"slip": "ENS-0001", "moved": [{"seat": 4, "cents": 8_000}]}, witness="floorperson"
    )
    rollup.write_rollups()
    assert rollup.tables_behind() == []


def test_the_command_finds_what_differs_and_writes_it_again(hands, scene):
    play_two_hours(hands, scene)
    out = StringIO()
    call_command("figures_rollup", "--check", stdout=out)
    assert "The rollups of 1 tables agree with the record." in out.getvalue()
    HourFigures.objects.filter(rounds=2).update(taken_cents=4_100)
    MonthFigures.objects.update(expected_win="1/7")
    errors = StringIO()
    with pytest.raises(CommandError, match="2 rows differ"):
        call_command("figures_rollup", "--check", stderr=errors)
    assert "taken_cents 4100, not 4000" in errors.getvalue()
    call_command("figures_rollup", "--rebuild", stdout=out)
    assert "3 rounds written at 1 tables." in out.getvalue()
    assert rollup.differences(scene.fresh) == []
    RollupProgress.objects.all().delete()
    for model in (HourFigures, DayFigures, MonthFigures):
        model.objects.all().delete()
    call_command("figures_rollup", "--facility", "larkfield", stdout=out)
    assert DayFigures.objects.get().rounds == 3


def test_a_full_verification_names_rollups_that_differ_from_the_record(hands, scene):
    play_two_hours(hands, scene)
    assert list(check_rollups(lambda: None)) == []
    HourFigures.objects.filter(rounds=2).update(taken_cents=4_100)
    DayFigures.objects.all().delete()
    findings = list(check_rollups(lambda: None))
    assert [finding.code for finding in findings] == ["rollup-differs", "rollup-differs"]
    assert "taken_cents 4100, not 4000" in str(findings[0])


def test_the_page_shows_win_expectation_and_band(hands, scene):
    play_two_hours(hands, scene)
    text, html = read(scene)
    expected = 9_500 * EDGE_SMALL + 1_000 * EDGE_NINE  # $4.54
    assert round(expected) == 454
    for words in (
        "Figures 21 Nov 2026",
        "Win +$55",
        "Expected +$5 ±",
        "Handle $105",
        "Win of handle 52.38 % expected 4.32 %",
        "Rounds 3",
        "T-01 3 $105 +$55 +$5",
        "10:00 2 $65 +$15 +$3",
        "11:00 to 11:10 1 $40 +$40 +$1",
        "Small 90.48 % 58.16 % 2.78 %",
        "Total 9.52 % 41.84 % 18.98 %",
    ):
        assert words in text, words
    assert "style=" not in html and text.count("1 table ") == 1
    assert '<a href="/floor/larkfield/figures/" aria-current="page">Money</a>' in html
    assert re.search(r"Win of 21 Nov 2026: \+\$55, (within|more than) two standard", text)


def test_filters_leave_only_what_they_name(hands, scene):
    play_two_hours(hands, scene)
    for query, words in (
        ("?from=2026-11-20&to=2026-11-21", "Sat 21 Nov so far 3 $105"),
        ("?from=2026-01-01&to=2026-11-21", "November 2026 1 to 21 3 $105"),
        ("?shift=day", "T-01 3 $105"),
        ("?shift=night", "No round was settled in this range"),
        ("?dealer=dealer&from=2026-11-01&to=2026-11-21", "T-01 3 $105"),
        ("?dealer=deal", "No round was settled"),
        ("?game=sic-bo&pit=p1&table=T-01", "T-01 3 $105"),
        ("?game=football", "No round was settled"),
        ("?play=training", "No round was settled"),
        ("?by=dealer", "Dealer 3 $105"),
        ("?by=pit", "Pit 1 3 $105"),
        ("?by=game", "Sic Bo 3 $105"),
        ("?by=shift", "Day 3 $105"),
        ("?from=2026-11-22", "That gaming day has not begun."),
        ("?from=soon", "A gaming day is a date"),
        ("?from=2026-11-21&to=2026-11-20", "The range ends before it begins."),
        ("?table=%00&dealer='--&by=x&play=x", "T-01 3 $105"),
    ):
        text, _html = read(scene, PAGE + query)
        assert words in text, query


def test_a_long_range_reads_whole_months_and_the_days_around_them(hands, scene):
    assert whole_months(dt.date(2026, 1, 15), dt.date(2026, 4, 29)) == [
        dt.date(2026, 2, 1),
        dt.date(2026, 3, 1),
    ]
    assert whole_months(dt.date(2026, 1, 1), dt.date(2026, 1, 31)) == [dt.date(2026, 1, 1)]
    assert whole_months(dt.date(2026, 1, 2), dt.date(2026, 2, 27)) == []
    play_two_hours(hands, scene)
    hands.now = at(10, day=22) + dt.timedelta(days=70)  # at the end of January
    pages = [
        read(scene, f"{PAGE}?from=2026-{first}&to=2027-01-30")[0]
        for first in ("11-01", "11-15", "11-21")  # the month as a whole, and two of its ends
    ]
    for text in pages:
        assert "T-01 3 $105 +$55 +$5" in text and "By month" in text


def test_the_page_of_a_table_shows_its_days_and_seats(hands, scene):
    play_two_hours(hands, scene)
    text, html = read(scene, f"{PAGE}T-01/")
    assert "T-01 Sic Bo, 23 Oct to 21 Nov 2026" in text
    assert "Sat 21 Nov so far 3 $105" in text
    assert "1 2 67 % 2 1 33 % 3 0 0 % 4 1 33 %" in text
    assert 'href="?from=2026-11-21&amp;to=2026-11-21&amp;table=T-01"' in html
    browser = scene.browser("podium", "shift-manager")
    for code in ("T-99", "T-01." + "a" * 60):  # the second one can be no table's, and is no filter
        assert browser.get(f"{PAGE}{code}/").status_code == 403


def test_the_files_have_what_the_page_shows_exactly(hands, scene):
    play_two_hours(hands, scene)
    client = scene.browser("podium", "compliance")
    lines = [json.loads(line) for line in client.get(f"{PAGE}export.jsonl").content.splitlines()]
    assert [(line["section"], line["name"]) for line in lines] == [
        ("table", "T-01"),
        ("total", "21 Nov 2026"),
        ("wagers", "Small, Sic Bo"),
        ("wagers", "Total, Sic Bo"),
        ("hour", "10:00"),
        ("hour", "11:00"),
    ]
    expected = 9_500 * EDGE_SMALL + 1_000 * EDGE_NINE
    assert lines[0]["expected_win"] == str(expected)
    assert (lines[0]["win_cents"], lines[0]["handle_cents"], lines[0]["rounds"]) == (5_500, 10_500, 3)
    answer = client.get(f"{PAGE}export.csv")
    assert answer["Content-Disposition"] == 'attachment; filename="larkfield-figures-2026-11-21.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))
    assert (rows[0]["Name"], rows[0]["Handle"], rows[0]["Win"]) == ("T-01", "105.00", "55.00")
    book = BytesIO(client.get(f"{PAGE}export.xlsx").content)
    assert [cells(book, "Table")[1][column][2] for column in "ABCD"] == ["T-01", "3", "4", "105"]
    assert cells(book, "Wagers")[1]["A"][2] == "Small, Sic Bo"
    paper = client.get(f"{PAGE}export.pdf")
    assert paper["Content-Type"] == "application/pdf"
    document = pypdfium2.PdfDocument(paper.content)
    text = " ".join(" ".join(sheet.get_textpage().get_text_bounded().split()) for sheet in document)
    for words in (
        "Figures, 21 Nov 2026",
        "T-01 3 $105 +$55 +$5",
        "$127 +0.8 52.38 % 3 17 %",  # no fee, no cut and no inventory have no column; the pace and the seats
        "Small Sic Bo 90.48",
        "11:00 to 11:10 1 $40 +$40 +$1",
        "Win of 21 Nov 2026: +$55, within two standard deviations",
        "+$55 won",  # of the plot
        "Handle by hour $0 $65 10:00 11:00 Pace by hour 0 6",
        "Seats by hour, with a wager 0 % 100 %",
    ):
        assert words in text, text
    assert client.get(f"{PAGE}export.exe").status_code == 403


def test_a_range_of_months_is_by_dealer_in_every_format(hands, scene):
    """The heading, the rows, the total and the files say the same."""
    play_two_hours(hands, scene)
    query = "?from=2025-11-22&to=2026-11-21&by=dealer"
    text, html = read(scene, PAGE + query)
    client = scene.browser("podium", "compliance")
    assert "Figures by dealer" in text and "1 dealer" in text
    assert re.search(r'by=dealer" aria-current="true">Dealer</a>', html)
    expected = [("dealer", "Dealer", 3, 10_500)]
    lines = [json.loads(line) for line in client.get(f"{PAGE}export.jsonl{query}").content.splitlines()]
    assert [
        (line["section"], line["name"], line["rounds"], line["handle_cents"])
        for line in lines
        if line["section"] in ("dealer", "table")
    ] == expected
    rows = csv.DictReader(io.StringIO(client.get(f"{PAGE}export.csv{query}").content.decode("utf-8-sig")))
    (row,) = [row for row in rows if row["Section"] in ("Dealer", "dealer", "table")]
    assert (row["Name"], row["Rounds"], row["Handle"]) == ("Dealer", "3", "105.00")
    book = BytesIO(client.get(f"{PAGE}export.xlsx{query}").content)
    assert [cells(book, "Dealer")[1][column][2] for column in "ABCD"] == ["Dealer", "3", "4", "105"]
    assert "By dealer Dealer Rounds" in paper_text(client, query)
    assert "Dealer 3 $105 +$55" in paper_text(client, query) and "1 dealer 3 $105" in paper_text(
        client, query
    )


def paper_text(client, query):
    document = pypdfium2.PdfDocument(client.get(f"{PAGE}export.pdf{query}").content)
    return " ".join(" ".join(sheet.get_textpage().get_text_bounded().split()) for sheet in document)


def test_no_number_of_the_paper_breaks_over_two_lines(hands, scene):
    """Figures of a year with fees, cuts and inventories still fit, in smaller letters."""
    play_two_hours(hands, scene)
    for rows in (HourFigures, DayFigures):
        rows.objects.update(
            rounds=1_234_567, handle_cents=123_456_789_000, taken_cents=98_765_432_100, paid_cents=33_333_333_300,
            fees_cents=1_266_000_000, cut_cents=12_921_400_000,
        )  # fmt: skip
    document = pypdfium2.PdfDocument(scene.browser("podium", "compliance").get(f"{PAGE}export.pdf").content)
    words = {word for sheet in document for word in sheet.get_textpage().get_text_bounded().split()}
    sums = {"1,234,567", "$1,234,567,890", "$12,660,000", "$129,214,000", "+$666,980,988"}
    assert sums <= words, sums - words


def test_the_printed_page_says_the_time_of_the_casino_with_its_zone(hands, scene):
    play_two_hours(hands, scene)
    assert "printed 21 Nov 2026 11:10:00 EST" in read(scene)[0]


def test_the_floor_sees_the_tables_of_its_duty(hands, scene):
    play_two_hours(hands, scene)
    for by, rounds in (
        ("floorperson", "Rounds 3"),
        ("surveillance", "Rounds 3"),
        ("gaming-agent", "Rounds 3"),
    ):
        assert rounds in read(scene, by=by)[0]
    assert "No round was settled" in read(scene, by="other-floorperson")[0]
    assert scene.browser("podium", "other-floorperson").get(f"{PAGE}T-01/").status_code == 403
    assert scene.browser("podium", "games-administrator").get(PAGE).status_code == 403


def test_the_page_says_which_rounds_it_has_not_counted(hands, scene):
    scene.play((1, "small", 2_500), dice=[1, 1, 2])
    scene.finish()
    text, html = read(scene)
    assert "1 settled round of this day is not counted yet" in text
    assert 'id="figures-body" data-live' in html
    rollup.write_rollups()
    assert "not counted yet" not in read(scene)[0]


def test_small_plots_show_each_hour(hands, scene):
    play_two_hours(hands, scene)
    hands.now = at(13, 30)
    scene.play((1, "small", 1_000), dice=[6, 6, 2])
    scene.finish()
    rollup.write_rollups()
    scene.table.facility.__class__.objects.update(target_paces={"sic-bo": 4})
    html = unescape(read(scene)[1])
    seats = scene.table.seats
    for label in (
        "Handle by hour. 10:00: $65, 11:00: $40, 12:00: $0, 13:00: $10",
        f"Seats by hour. 10:00: {percent(Fraction(3, 2 * seats), 0)}, 11:00: {percent(Fraction(1, seats), 0)}, 13:00",
        "Pace by hour. 10:00: 2, 11:00: 1, 12:00: 0, 13:00: 2",  # 13:00 to 13:30 was half an hour
    ):
        assert label in html, label
    assert "Sold by hour" not in html  # nothing was sold
    (bars,) = re.findall(r'aria-label="Pace by hour.*?</svg>', html, re.S)
    heights = [float(height) for height in re.findall(r'<rect [^>]*height="([\d.]+)"', bars)]
    assert heights == [45.0, 22.5, 0.0, 45.0]  # of 90 pixels for the target of four
    assert 'class="target"' in bars and 'y1="10.0"' in bars


def test_a_column_is_added_by_one_declaration_and_its_place_in_the_layouts(hands, scene, monkeypatch):
    play_two_hours(hands, scene)
    column: Column[FiguresRow] = Column(
        "Lost wagers", MONEY, lambda row: row.sums.taken_cents, "lost_wagers_cents"
    )
    for layout in ("PAGE", "PAPER", "FILE"):
        monkeypatch.setattr(figure_tables, layout, (*getattr(figure_tables, layout), column))
    client = scene.browser("podium", "shift-manager")
    files = {form: client.get(f"{PAGE}export.{form}").content for form in ("csv", "jsonl", "xlsx", "pdf")}
    assert "Lost wagers" in read(scene)[0] and '<td class="num">$80</td></tr></tfoot>' in read(scene)[1]
    (line,) = [
        row for row in csv.DictReader(StringIO(files["csv"].decode("utf-8-sig"))) if row["Name"] == "T-01"
    ]
    assert line["Lost wagers"] == "80.00"
    assert json.loads(files["jsonl"].splitlines()[0])["lost_wagers_cents"] == 8_000
    heads, row, *_ = cells(BytesIO(files["xlsx"]), "Table")
    (place,) = [letter for letter, cell in heads.items() if cell[2] == "Lost wagers"]
    assert (row[place][0], row[place][2]) == ("n", "80")
    words = [page.get_textpage().get_text_range() for page in pypdfium2.PdfDocument(files["pdf"])]
    assert "Lost wagers" in re.sub(r"\s+", " ", " ".join(words))


def test_the_win_plot_of_a_table_has_a_line_where_its_dice_changed(hands, scene):
    play_two_hours(hands, scene)
    changes = [
        LotChange(at(10, 30), "L-0001", "L-0002"),
        LotChange(at(10, 31), "L-0002", "L-0003"),
        LotChange(at(9), "", "L-0001"),
    ]
    points = [PlotPoint(at(10), 0, 0.0, 0.0), PlotPoint(at(11), 100, 50.0, 80.0)]
    wide = band_plots(points, Axis(at(10).timestamp(), at(11).timestamp(), []), None, changes)[0]
    lines = [mark for mark in wide.marks if mark.kind == "lot-line"]
    names = [mark.text for mark in wide.marks if isinstance(mark, Text) and "L-000" in mark.text]
    assert len(lines) == 2 and names == ["dice L-0001", "L-0002"]  # the second has no room for its own
    found = lot_changes(scene.fresh, at(6), at(12))
    assert [change.lot for change in found] == [scene.snapshot["lot"]["code"]]
    assert '<line class="lot-line"' in read(scene, f"{PAGE}T-01/?from=2026-11-21")[1]
    assert lot_changes(scene.fresh, at(12), at(13)) == []


@pytest.mark.parametrize(
    "wins",
    [
        [0, 0, -90, 0, 0],
        [0, 0, 90, 0, 0],
        [0, 0, -90, 10, 20, 30, 40],
        [0, 0, -20, 50, 60, 90, 90],
    ],
)
def test_the_note_of_a_plot_covers_neither_the_win_nor_what_is_expected(wins):
    points = [PlotPoint(at(10, 8 * number), cents, 0.0, 40.0) for number, cents in enumerate(wins)]
    note = Annotation(at(10, 16), ("10:16 T-01 loses $90", "net, in round 1"))
    wide = band_plots(points, Axis(at(10).timestamp(), at(11).timestamp(), []), note)[0]
    (text,) = [mark for mark in wide.marks if isinstance(mark, Text) and mark.kind == "note"]
    half = len(text.text) * 7 / 2
    for line in (mark for mark in wide.marks if isinstance(mark, Path)):
        if line.kind == "within":
            continue
        for (x1, y1), (x2, y2) in pairwise(line.points):
            on_line = [(x1 + (x2 - x1) * part / 50, y1 + (y2 - y1) * part / 50) for part in range(51)]
            assert not [
                (x, y) for x, y in on_line if abs(x - text.x) < half and text.y - 10 < y < text.y + 18
            ], line.kind


def test_hold_is_win_over_the_drop_that_the_count_room_counted(hands):
    scene = chips.keep_inventory(make_scene(opened=False))
    scene.staff()
    chips.count(scene, "count_opener", chips.OPENER)
    chips.box(scene, "put_on_drop_box", {"box": "B-17"})
    scene.inspect()
    scene.open()
    scene.act("sell_chips", {"cents": 50_000})
    scene.play((1, "small", 3_000), dice=[6, 6, 2])
    scene.finish()
    rollup.write_rollups()
    text, _html = read(scene)
    assert "Sold $500 Drop not counted yet" in text and "not counted 1" not in text
    assert "figure is missing for 1 drop box, and 1 inventory is open." in text
    chips.box(scene, "take_off_drop_box")
    chips.count(scene, "count_closer", {**chips.OPENER, "2500": 401 - 20, "500": 301})  # $500 sold, $30 won
    scene.close()

    def exported():
        client = scene.browser("podium", "shift-manager")
        return json.loads(client.get(f"{PAGE}export.jsonl").content.splitlines()[0])

    assert (exported()["drop_cents"], exported()["hold"], exported()["boxes_not_counted"]) == (None, None, 1)
    chips.cage(scene, "count_drop", {"drop_box": 1, "cents": 50_000}, "compliance")
    text, _html = read(scene)
    assert "Drop $500 hold 6.00 %" in text and "6.00 % – 100 %" not in text
    line = exported()
    assert (line["sold_cents"], line["drop_cents"], line["inventory_win_cents"]) == (50_000, 50_000, 3_000)
    assert (line["hold"], line["hold_percent"]) == ("3/50", 6.0)
    for query in ("?by=pit", "?from=2026-11-01&to=2026-11-21", "?from=2025-11-22&to=2026-11-21"):
        assert "6.00 %" in read(scene, PAGE + query)[0], query
    for query in ("?shift=day", "?dealer=dealer", "?from=2026-11-20&to=2026-11-20"):
        assert "Drop" not in read(scene, PAGE + query)[0], query
    html = read(scene, f"{PAGE}?from=2026-11-20&to=2026-11-21")[1]
    assert 'aria-label="Hold by day. 21 Nov: 6.0' in html
    out = StringIO()
    call_command("figures_rollup", "--check", stdout=out)
    DropBox.objects.update(counted_cents=40_000)
    with pytest.raises(CommandError, match="1 rows differ"):
        call_command("figures_rollup", "--check", stderr=out)


def test_no_hold_is_shown_while_an_inventory_is_open_though_every_box_is_counted(hands):
    scene = chips.keep_inventory(make_scene(opened=False))
    scene.staff()
    chips.count(scene, "count_opener", chips.OPENER)
    chips.box(scene, "put_on_drop_box", {"box": "B-17"})
    scene.inspect()
    scene.open()
    scene.act("sell_chips", {"cents": 50_000})
    scene.play((1, "small", 3_000), dice=[6, 6, 2])
    scene.finish()
    rollup.write_rollups()
    chips.box(scene, "take_off_drop_box")
    chips.cage(scene, "count_drop", {"drop_box": 1, "cents": 50_000}, "compliance")
    text, _html = read(scene)
    assert "Sold $500 Drop not counted yet" in text and "1 inventory is open." in text and "hold" not in text
    line = json.loads(
        scene.browser("podium", "shift-manager").get(f"{PAGE}export.jsonl").content.splitlines()[0]
    )
    names = ("drop_cents", "hold", "boxes_not_counted")
    assert [line[name] for name in names] == [None, None, 0]


def test_a_round_counts_in_the_pit_in_which_its_table_was(hands):
    scene = chips.keep_inventory(make_scene(opened=False))

    def deal(opener, box, cents, wager):
        """One round from the opener on, with chips sold for this much."""
        scene.staff()
        chips.count(scene, "count_opener", opener)
        chips.box(scene, "put_on_drop_box", {"box": box})
        scene.inspect()
        scene.open()
        scene.act("sell_chips", {"cents": cents})
        scene.play(wager, dice=[6, 6, 2])
        hands.now += dt.timedelta(minutes=5)
        scene.finish()

    deal(chips.OPENER, "B-17", 50_000, (1, "small", 3_000))
    chips.box(scene, "take_off_drop_box")
    closer = {**chips.OPENER, "2500": 401 - 20, "500": 301}  # $500 sold, $30 won
    chips.count(scene, "count_closer", closer)
    scene.close()
    chips.cage(scene, "count_drop", {"drop_box": 1, "cents": 50_000}, "compliance")
    rollup.write_rollups()
    scene.act("leave_table")
    scene.in_room("add_pit", {"pit": "p2", "name": "Pit 2"}, by="games-administrator")
    moved = {"table": "T-01", "pit": "p2", "submission": "RS-0009"}
    scene.in_room("move_table", moved, by="games-administrator")
    Assignment.objects.update(pit=None, table=None)
    hands.now = at(12)
    deal(closer, "B-18", 20_000, (1, "big", 2_000))
    rollup.write_rollups()

    client = scene.browser("podium", "shift-manager")

    def lines(query):
        export = client.get(f"{PAGE}export.jsonl{query}").content.splitlines()
        rows = [json.loads(line) for line in export]
        return [
            (
                row["section"],
                row["name"],
                row["rounds"],
                row["win_cents"],
                row.get("drop_cents"),
                row.get("sold_cents"),
            )
            for row in rows
            if row["section"] not in ("wagers", "hour", "day", "month")
        ]

    whole = 2, 1_000  # $30 taken of Small, $20 paid to Big
    for days in ("from=2026-11-21", "from=2026-11-01&to=2026-11-21", "from=2025-11-22&to=2026-11-21"):
        assert lines(f"?{days}&by=pit")[:2] == [
            ("pit", "Pit 1", 1, 3_000, 50_000, 50_000),
            ("pit", "Pit 2", 1, -2_000, None, 20_000),  # whose drop box is at the table
        ]
        assert lines(f"?{days}&pit=p1")[0] == ("table", "T-01", 1, 3_000, 50_000, 50_000)
        assert lines(f"?{days}&pit=p2")[0] == ("table", "T-01", 1, -2_000, None, 20_000)
        assert lines(f"?{days}")[0][2:4] == whole
        assert lines(f"?{days}&by=pit")[2][2:4] == whole
    assert "Sold $500 Drop $500 hold 6.00 %" in read(scene, f"{PAGE}?pit=p1")[0]
    facility, table = scene.fresh.facility, scene.fresh
    for pit, sold in (("p1", [50_000]), ("p2", [20_000]), ("", [50_000, 20_000])):
        by_hour = sold_by_hour(
            FiguresQuery(facility, TODAY, TODAY, TODAY, pit=pit), [table], pit_moves(facility)
        )
        assert [cents for _hour, cents in sorted(by_hour.items())] == sold
    html = read(scene)[1]
    assert 'aria-label="Sold by hour. 10:00: $500, 11:00: $0, 12:00: $200' in html
    for query in ("?pit=p1", "?pit=p2"):
        html = read(scene, PAGE + query)[1]
        assert all(f"pit={pit}" in html for pit in ("p1", "p2")), query  # both can be chosen
    by_pit, _floor = shift_figures(facility, shift_to_hand_over(facility, hands.now))
    assert [(code, sums.rounds, sums.win_cents) for code, sums in by_pit.items()] == [
        ("p1", 1, 3_000),
        ("p2", 1, -2_000),
    ]
    open_us = dict(DayFigures.objects.values_list("pit", "open_us"))
    hours = list(HourFigures.objects.values_list("open_us", flat=True))
    assert open_us == {"p1": 300_000_000, "p2": 300_000_000} and sum(hours) == 600_000_000
    call_command("figures_rollup", "--check", stdout=StringIO())
    rollup.rebuild(scene.fresh)
    client = scene.browser("podium", "shift-manager")  # `read` has signed in there since
    assert lines("?by=pit")[:2] == [
        ("pit", "Pit 1", 1, 3_000, 50_000, 50_000),
        ("pit", "Pit 2", 1, -2_000, None, 20_000),
    ]
    # Rollups are copies: where they are gone, the page says what is not counted until they are written again.
    for rows in (HourFigures, DayFigures, MonthFigures, RollupProgress):
        rows.objects.all().delete()
    assert "2 settled rounds of this day are not counted yet" in read(scene)[0]
    rollup.write_rollups()
    assert lines("?by=pit")[0] == ("pit", "Pit 1", 1, 3_000, 50_000, 50_000)


def test_a_variance_under_zero_has_a_band_of_nothing_on_every_page(hands):
    scene = play_a_covered_game()
    rollup.write_rollups()
    sums = read_range(FiguresQuery(scene.fresh.facility, TODAY, TODAY, TODAY), [scene.fresh]).total
    assert (sums.expected.value, sums.variance.value) == (COVERED_WIN, COVERED_VARIANCE)
    assert (sums.band_cents, sums.z_tenths, sums.is_outside, sums.win_cents) == (0, None, False, -2_000)
    for query in ("", "?by=dealer", "?by=shift", "?from=2026-11-20&to=2026-11-21"):
        assert "−$20" in read(scene, PAGE + query)[0], query
    assert "−$20" in read(scene, f"{PAGE}T-01/")[0]
    client = scene.browser("podium", "shift-manager")
    line = json.loads(client.get(f"{PAGE}export.jsonl").content.splitlines()[0])
    assert Fraction(line["variance"]) == COVERED_VARIANCE
    assert (line["two_sigma_cents"], line["sigmas_from_expected"]) == (0, None)
    for kind in ("csv", "xlsx", "pdf"):
        assert client.get(f"{PAGE}export.{kind}").status_code == 200, kind


@pytest.mark.parametrize("days", [1, 30])
def test_a_query_keeps_its_filters_in_links(scene, days):
    query, refused = read_query(scene.table.facility, {"pit": "p1", "by": "game"}, TODAY, days)
    assert (query.days, refused) == (days, "")
    assert query.parameters(game="sic-bo").endswith("pit=p1&game=sic-bo&by=game")


def test_figures_and_trays_differ_by_what_throws_of_voided_rounds_moved_and_say_so(hands):
    """A High Roll round is voided after its first throw, which paid $100 and took $20; a fee goes back."""
    scene = chips.keep_inventory(make_scene("pa-675a", opened=False))
    scene.staff()
    chips.count(scene, "count_opener", chips.OPENER)
    chips.box(scene, "put_on_drop_box", {"box": "B-17"})
    scene.inspect()
    scene.open()
    for seat in (1, 2):
        scene.act("seat_player", {"seat": seat})
    scene.place((1, "pip:6", 2_000), (1, "pip:1", 2_000), (1, "like-kind:4", 2_000), (1, "extra-roll", 2_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [6, 6, 6, 1, 2, 3, 4, 5, 1, 2]})
    scene.act("move_dice")
    scene.act("settle_seats")
    scene.act("void_round", {"reason": "dispute"}, witness="pit-manager")
    void = Round.objects.get(phase="void")
    moved = void.taken_cents - void.paid_cents
    assert moved == 2_000 - 8_000
    scene.place((2, "pip:6", 3_000), (2, "like-kind:5", 3_000))
    scene.to_the_dice()
    scene.act("call_dice", {"dice": [5, 5, 5, 5, 1, 1, 6, 6, 6, 4]})
    scene.finish()
    rollup.write_rollups()
    client = scene.browser("podium", "shift-manager")

    def total(query=""):
        lines = client.get(f"{PAGE}export.jsonl{query}").content.splitlines()
        return next(line for line in map(json.loads, lines) if line["section"] == "total")

    for query in ("", "?by=pit", "?from=2026-11-01&to=2026-11-21"):
        line = total(query)
        assert line["inventory_void_rounds_cents"] == moved
        assert (
            line["win_cents"] + moved
            == line["inventory_win_cents"]
            == Table.objects.get().tray_taken_cents - (Table.objects.get().tray_paid_cents)
        )
    text, _html = read(scene)
    words = f"{signed(moved)} of it by throws of voided rounds, not in Win"
    assert f"Trays won {signed(line['inventory_win_cents'])} {words}" in text
    shown = unescape(
        re.sub(r"<[^>]+>", " ", client.get("/floor/larkfield/T-01/inventories/").content.decode())
    )
    assert "of it by throws of voided rounds, which the figures leave out" in " ".join(shown.split())
    paper = pypdfium2.PdfDocument(client.get(f"{PAGE}export.pdf").content)
    pages = " ".join(page.get_textpage().get_text_range() for page in paper)
    assert "by throws of rounds that were then voided" in " ".join(pages.split())

"""The daily report as people get it: its page, its paper, its command; shares and drawings are exact."""

import datetime as dt
import re
from fractions import Fraction
from html import unescape
from io import BytesIO, StringIO

import pypdfium2
import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from audit import clock
from audit.models import Entry
from games.formats import about, money, percent, signed_about
from games.kit.plots import Line, Rect, Text, bars
from games.kit.tables import TEXT, Column, Kind
from tables.core.figure_sums import ExactSum, Sums
from tables.reports import report_tables
from tables.reports.day_rounds import ReportDay
from tables.reports.events import CorrectionCount
from tables.reports.figures import Figures, HourFigures, ReportRow, build_report
from tables.reports.page import hour_chart, report_pdf
from tables.reports.report_tables import spans
from tests.audit.gone_back import as_superuser
from tests.desk.test_figures import at, file_slip, settle_slip, small_day
from tests.services.plots import marks_of

pytestmark = pytest.mark.both_databases

PAGE = "/record/larkfield/report/"
PAPER = "/record/larkfield/report.pdf"
TODAY = dt.date(2026, 11, 21)
in_database = pytest.mark.django_db


def read(scene, address=PAGE, by="compliance"):
    """The page as text, and as it is written."""
    answer = scene.browser("podium", by).get(address)
    assert answer.status_code == 200
    html = answer.content.decode()
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))), html


def printed(content: bytes) -> str:
    document = pypdfium2.PdfDocument(BytesIO(content))
    words = " ".join(page.get_textpage().get_text_range() for page in document)
    return re.sub(r"\s+", " ", words.replace("\ufffe", "-"))


def paper(scene, date=TODAY):
    return report_pdf(build_report(ReportDay(scene.fresh.facility, date, clock.now())))


# The page


@in_database
def test_the_page_shows_the_figures_of_the_day(hands, scene):
    small_day(hands, scene)
    text, html = read(scene)
    for figure in (
        "Sat 21 Nov 2026",
        "Rounds 2 4 wagers",
        "Handle $65 ",
        "Taken $40 Fees $0 Paid $25",
        "Win +$15 Win of handle 23.08 %",
        "Won in void rounds $0",
        "No roll: 1",
        "Void: 1",
        "This day is not over",
    ):
        assert figure in text
    assert "style=" not in html


@in_database
@pytest.mark.parametrize("by", ["table", "game", "hour", "nonsense"])
def test_the_same_figures_by_table_by_game_and_by_hour(hands, scene, by):
    small_day(hands, scene)
    text, _html = read(scene, f"{PAGE}?by={by}")
    heading = {"game": "Win by game", "hour": "Hour Rounds Handle"}.get(by, "Win by table")
    assert heading in text and "Rounds by hour" in text
    assert {"game": "Sic Bo 2 1 no roll", "hour": "11:00 1 $30", "table": "T-01"}.get(by, "T-01") in text


@in_database
def test_figures_link_to_their_entries(hands, scene):
    small_day(hands, scene)
    _said, html = read(scene)
    links = {unescape(link) for link in re.findall(r'href="([^"]+)"', html)}
    search = reverse("record", args=["larkfield"])
    for query in (
        "day=2026-11-21&place=T-01",
        "day=2026-11-21&place=T-01&type=layout.cleared",
        "day=2026-11-21&type=round.voided",
        "day=2026-11-21&type=wager.missed&place=T-01",
        "day=2026-11-21&lot=L-0001&place=T-01",
        "day=2026-11-21&who=floorperson&place=T-01",
    ):
        assert f"{search}?{query}" in links
    client = scene.browser("podium", "compliance")
    for link in sorted(links):
        if link.startswith("/record/larkfield/") and "acts" not in link:
            assert client.get(link).status_code == 200, link


@in_database
@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("yesterday", "A gaming day is a date"),
        ("2026-02-30", "A gaming day is a date"),
        ("1066-10-14", "A gaming day is a date"),
        ("2026-11-21" * 1000, "A gaming day is a date"),
        ("%00", "A gaming day is a date"),
        ("2026-11-22", "That gaming day has not begun"),
        ("9999-12-31", "That gaming day has not begun"),
    ],
)
def test_an_invalid_day_is_answered_with_a_sentence(hands, scene, typed, sentence):
    said, _html = read(scene, f"{PAGE}?day={typed}")
    assert sentence in said and "Sat 21 Nov 2026" in said
    assert scene.browser("podium", "compliance").get(f"{PAPER}?day={typed}").status_code == 403


@in_database
def test_an_empty_day_and_the_first_one_open(hands, scene):
    assert "Nothing was played on this day" in read(scene, f"{PAGE}?day=2026-11-20")[0]
    assert "Day before" not in read(scene, f"{PAGE}?day=2000-01-01")[0]
    assert "Day after" not in read(scene)[0]
    assert "Day after" in read(scene, f"{PAGE}?day=2026-11-20")[0]


@in_database
def test_the_report_of_simulation_says_that_it_has_no_players_money(hands, scene):
    text, html = read(scene, f"{PAGE}?play=simulated")
    assert "Simulation: no players' money" in text
    assert f"{PAPER}?day=2026-11-21&amp;play=simulated" in html


@in_database
def test_who_sees_the_desk_sees_its_report(scene):
    for person in ("compliance", "gaming-agent", "surveillance", "pit-manager"):
        assert scene.browser("podium", person).get(PAGE).status_code == 200
    for person in ("dealer", "floorperson", "security", "system-administrator"):
        client = scene.browser("podium", person)
        assert [client.get(address).status_code for address in (PAGE, PAPER)] == [403, 403]
    assert (
        scene.browser("podium", "compliance").get(PAGE.replace("larkfield", "seabright")).status_code == 403
    )


@in_database
def test_corrections_have_lines_of_their_own(hands, scene):
    small_day(hands, scene)
    file_slip(scene, hands, at(13))
    text, html = read(scene)
    assert "Win −$35" in text and "Changed by slips −$50 1 slip Moved by slips $0" in text
    assert "not yet" in text
    assert f'href="{reverse("replay", args=["larkfield", "T-01", 2])}"' in html
    settle_slip(scene, hands, at(13, 5))
    assert "not yet" not in read(scene)[0]


@in_database
def test_a_slip_filed_since_is_named_on_the_day_of_its_round(hands, scene):
    small_day(hands, scene)
    file_slip(scene, hands, at(9, day=23))
    text, _html = read(scene, f"{PAGE}?day=2026-11-21")
    assert "Slips filed since about rounds of this day: 1" in text
    assert "Win −$35" in text and "Changed by slips $0 0 slips" in text
    filed_on = read(scene, f"{PAGE}?day=2026-11-23")[0]
    assert "of 21 Nov 2026" in filed_on and "−$50 1 slip −$50 about earlier days" in filed_on


# The paper


@in_database
def test_the_pdf_has_the_same_figures_as_the_page(hands, scene):
    small_day(hands, scene)
    answer = scene.browser("podium", "compliance").get(f"{PAPER}?day=2026-11-21")
    assert (answer.status_code, answer["Content-Type"]) == (200, "application/pdf")
    assert 'filename="larkfield-2026-11-21.pdf"' in answer["Content-Disposition"]
    text = printed(answer.content)
    for words in (
        "Saturday 21 November 2026",
        "Real play",
        "Win +$15",
        "23.08 %",
        "L-0001",
        "a late chip",
    ):
        assert words in text
    head = bytes(scene.fresh.stream.head).hex()
    assert head[:32] in text and head[32:] in text
    assert b"/FontFile2" in answer.content


@in_database
def test_a_day_that_is_over_gives_the_same_bytes_until_a_slip_is_filed(hands, scene):
    small_day(hands, scene)
    hands.now = at(7, day=22)
    first = paper(scene)
    hands.now = at(9, day=23)
    scene.act("report_dispute", {"seat": 1, "about": "another day"})
    assert paper(scene) == first
    file_slip(scene, hands, at(10, day=23))
    again = paper(scene)
    assert again != first
    assert "Slips filed since about rounds of this day: 1" in printed(again)
    assert "Win −$35" in printed(again)


@in_database
def test_a_dispute_whose_entry_cannot_be_read_ends_no_report(hands, scene):
    small_day(hands, scene)
    scene.act("report_dispute", {"seat": 1, "about": "the dice"})
    dispute = Entry.objects.filter(type="dispute.reported")
    with as_superuser():
        dispute.update(body=b"nothing")
    assert "Dispute" in read(scene)[0]


@in_database
def test_an_empty_day_has_a_pdf(hands, scene):
    assert "Nothing was played." in printed(paper(scene, dt.date(2026, 11, 20)))


@in_database
def test_the_command_writes_the_same_pdf(hands, scene, tmp_path):
    small_day(hands, scene)
    hands.now = at(7, day=22)
    file, out = tmp_path / "day.pdf", StringIO()
    call_command("daily_report", "larkfield", "2026-11-21", output=file, stdout=out)
    assert file.read_bytes() == paper(scene)
    assert "2 rounds" in out.getvalue() and "only a later slip can change it" in out.getvalue()


@in_database
@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("nowhere", "2026-11-21"), "There is no facility nowhere."),
        (("larkfield", "2026-11-30"), "That gaming day has not begun."),
        (("larkfield", "today"), "no gaming day such as"),
    ],
)
def test_the_command_refuses_in_words(hands, scene, tmp_path, args, said):
    with pytest.raises(CommandError, match=said):
        call_command("daily_report", *args, "--output", str(tmp_path / "x.pdf"))
    with pytest.raises(CommandError, match="cannot be written"):
        call_command("daily_report", "larkfield", "2026-11-21", "--output", str(tmp_path / "no" / "x.pdf"))


@in_database
def test_a_table_that_opened_many_times_has_its_row_in_the_pdf(hands, scene):
    small_day(hands, scene)
    opened = Entry.objects.get(type="table.opened")
    with as_superuser():
        for extra in range(1, 101):
            Entry.objects.create(
                stream=opened.stream, seq=opened.stream.seq + 1000 + extra, prev=b"", hash=bytes(32), body=b"{}",
                type="table.opened", at=at(12, 20), gaming_day=TODAY, actor="floorperson",
            )  # fmt: skip
    said = printed(paper(scene))
    assert "open 95 times, then from 12:20, from 12:20" in said and said.count("from 12:20") == 6
    day = ReportDay(scene.fresh.facility, TODAY, clock.now())
    once = ((at(10), at(11)),)
    assert spans(once * 6, day.facility) == "open " + ", ".join(["10:00 to 11:00"] * 6)
    assert spans((), day.facility) == "not opened"


# Columns


@in_database
def test_a_column_is_added_by_one_declaration(hands, scene, monkeypatch):
    small_day(hands, scene)
    declared = report_tables.row_columns
    column: Column[ReportRow] = Column(
        "Wagers a round",
        Kind(lambda wagers: f"{float(wagers):.2f}"),
        lambda row: Fraction(row.figures.sums.wagers, row.figures.rounds),
        page_notes=lambda row: [f"of {row.figures.rounds} rounds"],
    )
    monkeypatch.setattr(report_tables, "row_columns", lambda report, by: (*declared(report, by), column))
    for view in ("table", "game"):
        text, html = read(scene, f"{PAGE}?by={view}")
        assert "Win Wagers a round" in text and "+$15 1.00 of 4 rounds" in text
        assert '<th scope="col" class="num">Wagers a round</th>' in html
    words = printed(paper(scene))
    assert words.count("Win Wagers a round") == 2  # by table and by game
    assert words.count("+$15 1.00") == 2 and "of 4 rounds" not in words


@in_database
def test_a_column_of_a_list_is_added_by_one_declaration(hands, scene, monkeypatch):
    small_day(hands, scene)
    column: Column[CorrectionCount] = Column("Kind", TEXT, lambda row: row.type)
    monkeypatch.setattr(report_tables, "CORRECTIONS", (*report_tables.CORRECTIONS, column))
    assert "1 wager.missed" in read(scene)[0]
    assert "missed wager written down 1 wager.missed" in printed(paper(scene))


# Shares and drawings


@pytest.mark.parametrize(
    ("part", "written"),
    [
        (Fraction(2, 27), "7.41 %"),
        (Fraction(1, 800), "0.13 %"),  # a half goes away from zero: 0.125 %
        (Fraction(1, 80_000), "0.00 %"),  # 0.00125 %
        (Fraction(-1, 80_000), "0.00 %"),
        (Fraction(15, 100_000), "0.02 %"),  # 0.015 %
        (Fraction(-5, 1_000), "−0.50 %"),
        (Fraction(-1, 1), "−100.00 %"),
        (None, "–"),
    ],
)
def test_a_share_is_rounded_away_from_zero_everywhere(part, written):
    assert percent(part) == written


def test_money_is_exact_and_what_is_expected_has_whole_dollars():
    assert [money(cents) for cents in (115_000, 250, -3_000, 0)] == ["$1,150", "$2.50", "−$30", "$0"]
    assert (about(Fraction(204_027_55, 10)), signed_about(Fraction(-2_601))) == ("$20,403", "−$26")


def test_bars_start_at_one_zero_and_a_loss_goes_left():
    plots = bars([3_000, -1_000, 0])
    gain, loss, nothing = (marks_of(plot, Rect)[0] for plot in plots)
    (zero,) = marks_of(plots[0], Line)
    assert (gain.x, gain.width, gain.kind, zero.x1) == (62.5, 172.5, "", 62.5)
    assert (loss.x, loss.width, loss.kind, nothing.width) == (5.0, 57.5, "report-loss", 0.0)


def exactly(number: int) -> ExactSum:
    exact = ExactSum()
    exact.add(Fraction(number))
    return exact


def test_a_win_beyond_two_standard_deviations_is_marked():
    rows = [
        Sums(rounds=1, taken_cents=300, expected=exactly(100), variance=exactly(10_000)),
        Sums(rounds=1, taken_cents=301, expected=exactly(100), variance=exactly(10_000)),
        # one course of a game with its cover
        Sums(rounds=1, taken_cents=100, expected=exactly(100), variance=exactly(-1)),
    ]
    drawn = report_tables.beside_rows([ReportRow("", "", "", Figures(sums)) for sums in rows])
    assert [plot.marks[-1].kind for plot in drawn] == [
        "report-dot",
        "report-dot report-dot--out",
        "report-dot",
    ]
    widths = [marks_of(plot, Rect, "report-band")[0].width for plot in drawn]
    assert (widths[2], widths[0] > 0) == (0.0, True)


def test_chart_columns_start_at_the_bottom_and_the_grid_has_round_figures():
    hours = [
        HourFigures(dt.datetime(2026, 11, 21, 11 + number, tzinfo=dt.UTC), Figures(Sums(rounds=count)))
        for number, count in enumerate((0, 7, 45))
    ]
    chart = hour_chart(hours, ["06:00", "07:00", "08:00"])
    columns = [mark.height for mark in chart.marks if isinstance(mark, Rect)]
    texts = {
        kind: [mark.text for mark in chart.marks if isinstance(mark, Text) and mark.anchor == kind]
        for kind in ("end", "middle")
    }
    assert texts == {"end": ["0", "20", "40", "60"], "middle": ["06:00", "7", "45"]}
    assert [round(height, 1) for height in columns] == [0.0, 19.1, 123.0]
    assert chart.words == "Rounds by hour. 07:00: 7 rounds, win $0; 08:00: 45 rounds, win $0."

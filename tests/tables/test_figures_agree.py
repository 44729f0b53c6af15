"""Every surface says the same number for the same name: floor, table, handover, report, figures, case, paper and files.

One day with fees, cuts, a void round, a round that a slip voids, corrections of the day, of an earlier day and on a
later one, a table that is moved, midnight, and the days on which the clocks change. docs/figures.md has the names.
"""

import csv
import datetime as dt
import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from pathlib import Path

import pypdfium2
import pytest
from django.core.management import call_command

from games.chips import KNOWN_CHIPS_CENTS
from games.formats import MEANINGS, about, money, percent, signed, signed_about, whole_dollars
from games.models import Facility
from script import column_docs
from tables.core.figure_sums import LargestLoss, Sums
from tables.figures import rollup
from tables.figures.page import FiguresRow
from tables.handover.handover import ShiftToHandOver, shift_figures
from tables.models import Assignment, Round
from tables.reports import report_tables
from tables.reports.figures import Figures, ReportRow
from tables.screens.table_history import ended_rounds_part
from tests.services.workbooks import cells
from tests.tables import slip_scene
from tests.tables.cast import Scene, make_scene
from tests.tables.conftest import Hands

pytestmark = [pytest.mark.django_db, pytest.mark.both_databases]
ROOT = Path(__file__).resolve().parents[2]
NORMAL, SET_BACK, SET_FORWARD = dt.date(2026, 11, 21), dt.date(2026, 10, 31), dt.date(2027, 3, 13)
EIGHT_FIVES, ONES = [5, 5, 5, 5, 5, 5, 5, 5, 1, 6], [1, 1, 1, 2, 3, 4, 5, 6, 6, 2]
DAY = dt.timedelta(days=1)
FIGURES = "/floor/larkfield/figures/"


@dataclass
class Texts:
    """How a surface writes the figures of the day, by name."""

    surface: str
    by_name: dict[str, str]


def moment(scene: Scene, day: dt.date, hour: int, minute: int = 0) -> dt.datetime:
    """So many hours after midnight before this gaming day, as its clocks ran at its beginning."""
    return scene.table.facility.day_begins(day) + dt.timedelta(hours=hour - 6, minutes=minute)


def deal(scene: Scene, *wagers: tuple[int, str, int], dice: list[int], extra: list[int] | None = None) -> int:
    """One round of High Roll Dice to its end; its number."""
    scene.place(*wagers)
    scene.to_the_dice()
    scene.act("call_dice", {"dice": dice})
    while scene.round is not None:
        following = scene.snapshot["next"]
        params = {"dice": extra} if following["act"] == "call_dice" else following["params"]
        scene.act(following["act"], params)
    return int(Round.objects.latest("number").number)


def play_the_day(hands: Hands, day: dt.date) -> Scene:
    """A day of one table, and the days around it; then it is the next morning."""
    hands.now = dt.datetime.combine(day - DAY, dt.time(17), tzinfo=dt.UTC)
    scene = make_scene("pa-675a", payout_limit_cents=5_006_000)
    Facility.objects.update(chips_cents=list(KNOWN_CHIPS_CENTS))  # half dollars among them
    earlier = deal(scene, (1, "pip:1", 50_000), dice=EIGHT_FIVES)
    hands.now = moment(scene, day, 9)
    deal(
        scene,
        (2, "pip:5", 50_000), (2, "like-kind:8", 50_000), (2, "extra-roll", 50_000),
        dice=EIGHT_FIVES, extra=[1, 2],
    )  # fmt: skip
    hands.now = moment(scene, day, 10)
    paid = deal(scene, (3, "pip:1", 1_250), (4, "pip:2", 20_000), dice=ONES)
    scene.place((3, "pip:1", 70_000))
    scene.act("void_round", {"reason": "dispute"}, witness="floorperson")
    hands.now = moment(scene, day, 11)
    voided = deal(scene, (5, "pip:3", 30_000), dice=ONES)
    hands.now = moment(scene, day, 12)
    slip_scene.file(scene, "void", number=voided, witness="pit-manager")
    slip_scene.file(scene, "dice", number=paid, dice=EIGHT_FIVES)
    slip_scene.file(scene, "dice", number=earlier, dice=ONES)
    scene.close()
    scene.act("leave_table")
    scene.in_room("add_pit", {"pit": "p2", "name": "Pit 2"}, by="games-administrator")
    moved = {"table": "T-01", "pit": "p2", "submission": "RS-0009"}
    scene.in_room("move_table", moved, by="games-administrator")
    Assignment.objects.update(pit=None, table=None)
    hands.now = moment(scene, day, 23)
    scene.act("change_dice_lot", {"lot": "L-0002", "seal": "SEAL-1"}, by="floorperson", device=scene.podium)
    scene.staff()
    scene.inspect()
    scene.open()
    for seat in range(1, 7):
        scene.act("seat_player", {"seat": seat})
    for hour, minute in (
        (23, 59),
        (25, 30),
        (26, 30),
        (27, 30),
    ):  # around midnight, and where the clocks change
        hands.now = moment(scene, day, hour, minute)
        late = deal(scene, (1, "pip:4", 2_500), (6, "pip:6", 12_500), dice=ONES)
    hands.now = scene.table.facility.day_begins(day + DAY) - dt.timedelta(minutes=1)
    scene.place((1, "pip:2", 15_000))
    scene.to_the_dice()
    hands.now = scene.table.facility.day_begins(day + DAY) + dt.timedelta(minutes=1)  # settled on the next
    scene.act("call_dice", {"dice": ONES})
    scene.finish()
    hands.now = moment(scene, day + DAY, 8)
    deal(scene, (1, "pip:2", 99_900), dice=ONES)  # of the next day
    rollup.write_rollups()
    slip_scene.file(scene, "dice", number=late, dice=EIGHT_FIVES)
    return scene


def text_of(html: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", html))).strip()


def pairs_of(html: str) -> dict[str, str]:
    """The headings of a list of figures with what stands under each, without small print."""
    pairs = re.findall(r"<dt[^>]*>(.*?)</dt>\s*<dd[^>]*>(.*?)</dd>", html, re.S)
    return {
        text_of(name): text_of(re.sub(r"<small.*?</small>|<svg.*?</svg>", "", value, flags=re.S))
        for name, value in pairs
    }


def row_of(html: str, row: str) -> dict[str, str]:
    """The cells of a row of the tables of a page, by their headings."""
    by_name: dict[str, str] = {}
    for table in re.findall(r"<table.*?</table>", html, re.S):
        heads = [
            text_of(head)
            for head in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", table.split("</thead>")[0], re.S)
        ]
        for line in re.findall(r"<tr[^>]*>.*?</tr>", table.split("</thead>")[-1], re.S):
            values = [
                text_of(re.sub(r"<small.*?</small>|<svg.*?</svg>", "", cell, flags=re.S))
                for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", line, re.S)
            ]
            if values and values[0].split(" ")[0] == row and len(values) == len(heads):
                by_name |= dict(zip(heads, values, strict=True))
    return {name: value for name, value in by_name.items() if name}


def written(cents_by_name: dict[str, int | None]) -> dict[str, str]:
    """The cents of a file or a snapshot as the pages write them."""
    formats: dict[str, tuple[str, Callable[[int], str]]] = {
        "rounds": ("Rounds", lambda count: f"{count:,}"),
        "wagers": ("Wagers", lambda count: f"{count:,}"),
        "handle_cents": ("Handle", money),
        "taken_cents": ("Taken", money),
        "paid_cents": ("Paid", money),
        "fees_cents": ("Fees", money),
        "cut_cents": ("Cut", money),
        "win_cents": ("Win", signed),
        "expected_cents": ("Expected", signed_about),
        "expected_win_cents": ("Expected", signed_about),
        "band_cents": ("± 2 σ", about),
        "two_sigma_cents": ("± 2 σ", about),
        "rounds_per_hour": ("Pace", str),
    }
    return {
        formats[name][0]: formats[name][1](value)
        for name, value in cents_by_name.items()
        if name in formats and value is not None
    }


def in_cents(cell: str) -> int | None:
    """A cell of a CSV file, in cents."""
    if not re.fullmatch(r"-?[\d.]+", cell):
        return None
    return round(Fraction(cell) * 100) if "." in cell else int(cell)


def paper_text(content: bytes) -> str:
    document = pypdfium2.PdfDocument(content)
    words = " ".join(page.get_textpage().get_text_range() for page in document)
    return re.sub(r"\s+", " ", words.replace("\ufffe", "-"))


def surfaces(scene: Scene, day: dt.date, capsys: pytest.CaptureFixture[str]) -> list[Texts]:
    """What every surface says of the day and its only table."""
    one_day = f"?from={day}&to={day}"
    client = scene.browser("podium", "compliance")

    def page(address: str) -> str:
        answer = client.get(address)
        assert answer.status_code == 200, address
        return answer.content.decode()

    call_command("figures", "larkfield", "--from", str(day), "--to", str(day))
    (line,) = capsys.readouterr().out.splitlines()
    command = json.loads(line)
    command["expected_cents"] = round(Fraction(command["expected_win"]))
    call_command("figures", "larkfield", "--from", str(day), "--to", str(day), "--by", "round")
    lines = [json.loads(round_line) for round_line in capsys.readouterr().out.splitlines()]
    by_round = {
        name: sum(round_line[name] for round_line in lines)
        for name in (
            "rounds",
            "wagers",
            "handle_cents",
            "taken_cents",
            "paid_cents",
            "win_cents",
            "fees_cents",
            "cut_cents",
        )
    }
    figures, of_table = page(FIGURES + one_day), page(f"{FIGURES}T-01/{one_day}")
    report, inbox = page(f"/record/larkfield/report/?day={day}"), page("/inbox/larkfield/")
    texts = [
        Texts("command", written(command)),
        Texts("command by round", written(by_round)),
        Texts("figures, headline", pairs_of(figures)),
        Texts("figures, row", row_of(figures, "T-01")),
        Texts("figures, total", row_of(figures, "1")),
        Texts("figures of the table", pairs_of(of_table)),
        Texts(
            "figures of a range, by day", row_of(page(f"{FIGURES}?from={day}&to={day + DAY}"), f"{day:%a}")
        ),
        Texts("report, sums", pairs_of(report)),
        Texts("report, row", row_of(report, "T-01")),
        Texts("report of a day, beside the inbox", pairs_of(inbox)),
        Texts("handover, its shifts", written(_of_shifts(scene, day))),
        Texts("table", written(_snapshot(scene, day))),
    ]
    files = [json.loads(row) for row in client.get(f"{FIGURES}export.jsonl{one_day}").content.splitlines()]
    texts += [
        Texts(f"JSON, {row['section']}", written(row))
        for row in files
        if row["section"] in ("table", "total")
    ]
    sheet = client.get(f"{FIGURES}export.csv{one_day}").content.decode("utf-8-sig")
    row = next(row for row in csv.DictReader(io.StringIO(sheet)) if row["Name"] == "T-01")
    names = {
        "Rounds": "rounds", "Wagers": "wagers", "Handle": "handle_cents", "Taken": "taken_cents", "Paid": "paid_cents",
        "Win": "win_cents", "Fees": "fees_cents", "Cut": "cut_cents", "Expected win": "expected_win_cents",
        "Two sigma": "two_sigma_cents", "Rounds per hour": "rounds_per_hour",
    }  # fmt: skip
    texts.append(Texts("CSV", written({name: in_cents(row[head]) for head, name in names.items()})))
    book = cells(io.BytesIO(client.get(f"{FIGURES}export.xlsx{one_day}").content), "Table")
    heads = {cell[2]: column for column, cell in book[0].items()}
    of_book = {
        name: round(float(book[1][heads[head]][2]) * (100 if name.endswith("_cents") else 1))
        for head, name in names.items()
    }
    texts.append(Texts("XLSX", written(of_book)))
    return texts


def _of_shifts(scene: Scene, day: dt.date) -> dict[str, int | None]:
    facility, total = scene.table.facility, Sums()
    for shift in facility.shifts_of(day):
        key = f"{day}/{shift.code}"
        handed_over = ShiftToHandOver(key, shift.name, "", day, shift.begins, shift.ends)
        pits, floor = shift_figures(facility, handed_over)
        assert sum(pit.win_cents for pit in pits.values()) == floor.win_cents
        total.add(floor)
    return {
        "rounds": total.rounds,
        "handle_cents": total.handle_cents,
        "win_cents": total.win_cents,
        "expected_cents": total.expected_cents,
        "band_cents": total.band_cents,
    }


def _snapshot(scene: Scene, day: dt.date) -> dict[str, int | None]:
    figures = ended_rounds_part(scene.fresh, day, 1)["figures"]
    return {name: figures[name] for name in figures if isinstance(figures[name], int)}  # type: ignore[literal-required]


@pytest.mark.parametrize("day", [NORMAL, SET_BACK, SET_FORWARD])
def test_every_surface_says_the_same_number_for_the_same_name(
    hands: Hands, day: dt.date, capsys: pytest.CaptureFixture[str]
) -> None:
    scene = play_the_day(hands, day)
    uncounted = written(_of_shifts(scene, day))  # the ticker has not counted the newest slip
    rollup.write_rollups()
    texts = [*surfaces(scene, day, capsys), Texts("handover, before the ticker", uncounted)]
    command = texts[0].by_name
    assert (command["Rounds"], command["Fees"]) == ("7", "$500")
    assert command["Handle"] == money(100_000 + 21_250 + 4 * 15_000 + 15_000)
    assert command["Cut"] != "$0"
    differing, compared = [], 0
    for name in ("Rounds", "Wagers", "Handle", "Taken", "Paid", "Fees", "Cut", "Win", "Win of handle", "Expected",
                 "± 2 σ", "Pace"):  # fmt: skip
        by_surface = {
            text.surface: text.by_name[name].removeprefix("± ") for text in texts if name in text.by_name
        }
        assert len(by_surface) >= 2, name
        compared += len(by_surface)
        if len(set(by_surface.values())) != 1:
            differing.append((name, by_surface))
    assert differing == []
    assert compared > 75, compared
    for surface in (
        "report, sums",
        "report, row",
        "figures, headline",
        "figures, row",
        "handover, its shifts",
        "table",
    ):
        assert "Handle" in next(text.by_name for text in texts if text.surface == surface), surface
    client = scene.browser("podium", "compliance")
    papers = [
        paper_text(client.get(address).content)
        for address in (f"{FIGURES}export.pdf?from={day}&to={day}", f"/record/larkfield/report.pdf?day={day}")
    ]
    for paper in papers:
        for name in ("Handle", "Win", "Expected", "Win of handle"):
            value = next(
                text.by_name[name] for text in texts if name in text.by_name and text.surface != "command"
            )
            assert value in paper, (name, value, paper)


def test_what_moved_otherwise_has_names_of_its_own(hands: Hands) -> None:
    scene = play_the_day(hands, NORMAL)
    rollup.write_rollups()
    report = (
        scene.browser("podium", "compliance").get(f"/record/larkfield/report/?day={NORMAL}").content.decode()
    )
    names = pairs_of(report)
    assert names["Won in void rounds"] == "$0"
    assert names["Changed by slips"] not in ("$0", "") and "about earlier days" in report
    assert not {"Wagered", "Win as settled", "Corrections", "After corrections"} & names.keys()


def test_every_heading_of_a_figure_is_in_the_glossary_with_one_meaning() -> None:
    page = column_docs.FIGURES
    assert page.read_text("utf-8") == column_docs.written_into(page), "run python -m script.column_docs"
    of_report = {column.heading for column in report_tables.SUMMARY}
    assert of_report <= MEANINGS.keys()
    used = set()
    for path in (ROOT / "templates").rglob("*"):
        if path.suffix in (".html", ".jinja"):
            text = path.read_text("utf-8")
            used |= set(re.findall(r'\{\{ "([^"]+)"\|meaning \}\}', text)) | set(
                re.findall(r"meanings\.(\w+)", text)
            )
    assert used <= MEANINGS.keys() and len(used) > 15


def test_sums_of_tables_are_those_that_the_floor_adds_up() -> None:
    """tests/js/pit-sums.test.mjs asks the scripts for the same sums."""
    for case in json.loads((ROOT / "tests" / "js" / "sums.json").read_text("utf-8")):
        total = Sums(rounds=len(case["tables"]))
        for table in case["tables"]:
            total.expected.add_text(table["expected"])
            total.variance.add_text(table["variance"])
        of_dollars = whole_dollars(total.expected_cents), whole_dollars(total.band_cents)
        assert of_dollars == (case["expected"], case["band"]), case["name"]


def test_whole_dollars_are_rounded_from_the_cents_everywhere() -> None:
    """A snapshot has cents: rounded from the exact $2.504, the figures would say $3 and the floor $2."""
    sums = Sums(rounds=1)
    sums.expected.add(Fraction(2504, 10))
    said = {
        report_tables.EXPECTED_COLUMN.text(ReportRow("", "Total", "", Figures(sums))),
        FiguresRow("Total", sums).expected,
        signed(whole_dollars(sums.expected_cents)),
    }
    assert said == {"+$2"}


def test_of_equal_losses_the_earlier_counts_and_at_one_moment_that_of_the_lower_round() -> None:
    """In whichever order they are added: a rollup adds them by dealers, and its check all of a day."""
    moment = dt.datetime(2026, 11, 21, 20, 17, tzinfo=dt.UTC)
    earlier = LargestLoss(5_000, 1, 12, moment - dt.timedelta(seconds=1))
    lower, higher = LargestLoss(5_000, 1, 13, moment), LargestLoss(5_000, 1, 14, moment)
    for losses, largest in (([higher, lower], lower), ([lower, higher, earlier], earlier)):
        for ordered in (losses, losses[::-1]):
            sums = Sums()
            for loss in ordered:
                sums.add_loss(loss)
            assert sums.largest == largest


def test_one_eighth_of_a_percent_is_written_the_same_way_everywhere() -> None:
    assert percent(Fraction(1, 800)) == "0.13 %"

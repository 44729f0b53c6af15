"""The reconciliation of a gaming day: the win by the counts beside the win by the record, by table."""

import pytest

from games.models import Facility
from tables.models import TableInventory
from tests.tables.test_money import OPENER, box, cage, closed, count, scene
from tests.tables.test_money_pages import words

__all__ = ["closed", "scene"]  # fixtures
pytestmark = pytest.mark.django_db
ADDRESS = "/floor/larkfield/figures/reconciliation"


def play_and_count(scene, *, drop_cents: int, closer: dict[str, int]) -> None:
    """$500 sold, a round that pays $100, one that takes $50; the box taken off, the closer signed, the drop counted."""
    scene.act("sell_chips", {"cents": 50_000})
    scene.play((3, "small", 10_000), dice=[1, 2, 3])
    scene.finish()
    scene.play((4, "big", 5_000), dice=[1, 2, 3])
    scene.finish()
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", closer)
    cage(scene, "count_drop", {"drop_box": 1, "cents": drop_cents}, "compliance")


AGREES = {**OPENER, "500": 190}  # $61,550 − $500 sold − $100 paid + $50 taken


def day() -> str:
    return TableInventory.objects.get().gaming_day.isoformat()


def sheet(scene) -> str:
    """The words of the sheet of the day, as compliance reads it."""
    return words(scene.browser("podium", "compliance"), f"{ADDRESS}?day={day()}")


def sheet_row(scene, start: str = "T-01 1 ") -> str:
    """The cells of the table's line, as a reader sees them."""
    text = sheet(scene)
    body = text[text.index(start) + len(start) :]
    return body[: body.index(" Total ")]


def test_the_win_by_the_counts_is_that_by_the_record_where_every_count_agrees(scene):
    play_and_count(scene, drop_cents=50_000, closer=AGREES)
    assert sheet_row(scene) == "$61,550 $0 $0 $500 $61,000 −$50 −$50 $0 $0 −$50 $0"
    page = sheet(scene)
    assert (
        "Win by the counts −$50 Win by the record −$50 Difference $0 Agree to the cent 1 of 1"
        in page.replace("Drop $500 ", "")
    )
    assert "Total $61,550 $0 $0 $500 $61,000 −$50 −$50 $0 $0 −$50 $0" in page


def test_a_difference_says_how_much_of_it_is_in_the_drop_and_how_much_in_the_closer(scene):
    play_and_count(scene, drop_cents=49_900, closer={**AGREES, "500": 186})
    assert sheet_row(scene) == "$61,550 $0 $0 $499 $60,980 −$71 −$50 $0 $0 −$50 −$21"
    page = sheet(scene)
    assert "of the difference in the drop boxes −$1 and in the closer −$20" in page
    assert "Drop box B-17 counted $499, −$1 against $500" in page and "Nobody has explained it." in page


def test_a_table_that_is_not_counted_yet_adds_nothing_up_that_is_not_known(scene):
    assert sheet_row(scene) == "$61,550 $0 $0 – – – $0 $0 $0 $0 open"
    scene.act("sell_chips", {"cents": 50_000})
    box(scene, "take_off_drop_box")
    count(scene, "count_closer", {**OPENER, "500": 200})
    assert sheet_row(scene) == "$61,550 $0 $0 – $61,050 – $0 $0 $0 $0 not counted"
    page = sheet(scene)
    assert "drop of B-17 not counted" in page and "Difference not counted yet" in page
    assert "Total $61,550 $0 $0 – $61,050 – $0 $0 $0 $0 –" in page


def test_the_file_has_the_lines_and_the_total_in_dollars(scene):
    play_and_count(scene, drop_cents=49_900, closer=AGREES)
    answer = scene.browser("podium", "compliance").get(f"{ADDRESS}.csv?day={day()}")
    assert answer["Content-Disposition"] == f'attachment; filename="larkfield-reconciliation-{day()}.csv"'
    heading, line, total = answer.content.decode("utf-8-sig").split("\r\n")[:3]
    assert heading.startswith(
        "Table,Inventory,Opener,Fills,Credits,Drop,Closer,Win by the counts,Won in rounds,"
    )
    assert line == "T-01,1,61550.00,0.00,0.00,499.00,61000.00,-51.00,-50.00,0.00,0.00,-50.00,-1.00,"
    assert total == "Total,,61550.00,0.00,0.00,499.00,61000.00,-51.00,-50.00,0.00,0.00,-50.00,-1.00,"


def test_a_day_that_cannot_be_gets_a_sentence_and_a_day_without_inventories_says_so(scene):
    manager = scene.browser("podium", "compliance")
    assert "A gaming day is a date" in words(manager, f"{ADDRESS}?day=yesterday")
    assert "That gaming day has not begun." in words(manager, f"{ADDRESS}?day=2199-12-24")
    assert "No inventory of your tables was opened on this day." in words(
        manager, f"{ADDRESS}?day=2026-11-02"
    )
    Facility.objects.update(keeps_inventory=False)
    assert "Reconciliation" not in words(manager, "/floor/larkfield/figures/")


def test_the_sheet_takes_as_many_statements_for_one_table_as_for_many(scene, django_assert_max_num_queries):
    play_and_count(scene, drop_cents=50_000, closer=AGREES)
    manager = scene.browser("podium", "compliance")
    address = f"{ADDRESS}?day={day()}"
    manager.get(address)
    with django_assert_max_num_queries(25):
        manager.get(address)

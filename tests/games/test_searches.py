"""What a page reads from its address: words, choices, numbers and days, whatever somebody wrote there."""

import datetime as dt

import pytest
from django.http import QueryDict

from games.kit.searches import Day, DaySearch, Flag, Month, Number, OneOf, Search, Words, page_of

TODAY = dt.date(2026, 11, 21)


class LotSearch(Search):
    code = Words(max_length=6)
    state = OneOf(("stored", "placed"), otherwise="stored")
    all = Flag()
    page = Number(otherwise=0)
    month = Month()
    from_ = Day()


def search(query: str) -> Search:
    return LotSearch(QueryDict(query))


def test_an_empty_address_has_what_stands_for_each_field():
    usual = {"code": "", "state": "stored", "all": False, "page": 0, "month": None, "from_": None}
    assert search("").values == usual
    assert search("").problem == ""


def test_each_field_is_read_by_its_kind():
    given = search("code=L-1&state=placed&all=1&page=7&month=2026-10&from=2026-11-01").values
    assert given == {
        "code": "L-1",
        "state": "placed",
        "all": True,
        "page": 7,
        "month": dt.date(2026, 10, 1),
        "from_": dt.date(2026, 11, 1),
    }


@pytest.mark.parametrize(
    ("query", "field", "value"),
    [
        ("code=%00gamma", "code", "gamma"),
        ("code=++++++++L-000123", "code", "L-0001"),
        ("state=lost", "state", "stored"),
        ("page=-1", "page", 0),
        ("page=%C2%B2", "page", 0),
        ("page=1234567890", "page", 0),
        ("month=2026-13", "month", None),
        ("month=0001-01", "month", None),
        ("month=9999-12", "month", None),
    ],
)
def test_what_a_link_says_wrongly_counts_as_the_usual(query, field, value):
    assert search(query).values[field] == value
    assert search(query).problem == ""


@pytest.mark.parametrize("typed", ["21.11.2026", "2026-02-30", "1926-11-21", "%00"])
def test_a_day_that_is_none_is_named_at_its_field(typed):
    wrong = search(f"from={typed}&code=L-1")
    assert wrong.values["from_"] is None
    assert wrong.values["code"] == "L-1", "the other fields count"
    assert wrong.errors["from_"] == ["A gaming day is a date, such as 2026-11-21."]
    assert wrong.problem == "A gaming day is a date, such as 2026-11-21."


def test_a_day_to_come_has_nothing_to_show_yet():
    def day(typed: str) -> DaySearch:
        return DaySearch(QueryDict(f"day={typed}"), TODAY)

    assert (day("2026-11-21").values["day"], day("2026-11-21").problem) == (TODAY, "")
    assert (day("2026-11-22").values["day"], day("2026-11-22").problem) == (
        None,
        "That gaming day has not begun.",
    )
    assert day("").problem == ""


def test_a_page_beyond_the_end_is_the_last_one():
    rows = list(range(7))
    assert [list(page_of(rows, 3, number)) for number in (0, 2, 9)] == [[0, 1, 2], [6], [6]]
    assert [page_of(rows, 3, number).has_next() for number in (0, 1, 2)] == [True, True, False]
    assert list(page_of([], 3, 4)) == []

"""Whose chips are on an area, and how they are drawn."""

import re
from pathlib import Path

from games import stacks as drawing
from games.snapshot_types import WagerFacts
from games.stacks import Owner, owners_by_area, seat_marks, stacks


def wager(seat: int, code: str, cents: int, **more: object) -> WagerFacts:
    facts = {"seat": seat, "wager": code, "play": None, "outcome": None, "label": code, "cents": cents}
    return {**facts, "flag": None, "struck": False, "missed": False, **more}


def seats_of(html: str) -> list[str]:
    return re.findall(r'class="stk-seat[^"]*">([^<]+)<', html)


def test_the_script_of_the_page_draws_with_the_same_limits():
    script = (Path(__file__).parents[2] / "static" / "js" / "stacks.js").read_text()
    limits = dict(re.findall(r"\b([A-Z_]+) = (\d+)[,;]", script))
    for name in ("LONG_AMOUNT", "LONGER_AMOUNT", "MANY_OWNERS"):
        assert int(limits[name]) == getattr(drawing, name), name


def test_each_seat_with_chips_on_an_area_owns_them_without_what_was_struck():
    placed = [
        wager(3, "big", 5_000, flag="over-max"),
        wager(1, "big", 2_500),
        wager(2, "big", 1_000, struck=True),
        wager(1, "small", 500),
    ]
    assert owners_by_area(placed, paid=[(1, "big"), (1, "small")], running=[(3, "big")]) == {
        "big": (Owner(1, 2_500, None, paid=True), Owner(3, 5_000, "over-max", running=True)),
        "small": (Owner(1, 500, None, paid=True),),
    }


def test_two_plays_of_one_wager_are_one_owner():
    placed = [wager(4, "big-play", 1_000, play=1), wager(4, "big-play", 500, play=2)]
    assert owners_by_area(placed) == {"big-play": (Owner(4, 1_500),)}


def test_owners_are_a_stack_each_until_there_is_no_room_for_more():
    owners = [Owner(seat, 2_500) for seat in (1, 2, 7)]
    assert re.findall(r'data-owner="(\d)".*?stk-n">(\d+)<', stacks(owners, 3)) == [
        ("1", "25"),
        ("2", "25"),
        ("7", "25"),
    ]
    crowded = stacks(owners, 2)
    assert seats_of(crowded) == ["1", "2", "7"] and 'rest-sum">75<' in crowded
    partly_paid = stacks([owners[0]._replace(paid=True), *owners[1:]], 2)
    assert seats_of(partly_paid) == ["1", "2", "7"] and 'rest-sum">50<' in partly_paid
    assert "rest-sum" not in stacks([owner._replace(paid=True) for owner in owners], 2)


def test_the_seats_of_a_full_football_table_fit_on_one_area():
    owners = [Owner(seat, 500) for seat in (*range(1, 8), 9, 11, 12)]
    assert seats_of(seat_marks(owners)) == ["1–7", "9", "11–12"]
    assert seats_of(seat_marks(owners[:5])) == ["1", "2", "3", "4", "5"]

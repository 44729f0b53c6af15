"""The areas of the felt say whose chips are on them, in every phase of a round."""

import re

from tables.screens import fragments, layout
from tables.screens.console_data import ConsoleData
from tests.tables.cast import Scene, make_scene

WAGERS = [
    (1, "big", 2_500),
    (2, "big", 1_000),
    (8, "big", 2_500),
    (2, "small", 2_500),
    (1, "total:12", 2_500),
]


def place(scene: Scene) -> None:
    for seat in (1, 2, 8):
        wagers = [
            {"seat": seat, "wager": code, "cents": cents} for number, code, cents in WAGERS if number == seat
        ]
        scene.act("place_wagers", {"wagers": [{**wager, "made_in": "chips"} for wager in wagers]})


def seats_on(scene: Scene) -> dict[str, list[int]]:
    """The seats whose numbers are drawn on each area."""
    areas = ["".join(draw(*arguments)) for draw, *arguments in layout.areas(scene.snapshot).values()]
    drawn = (
        (re.search(r'data-wager="([^"]+)"', area), re.findall(r'stk-seat[^"]*">(\d+)<', area))
        for area in areas
    )
    return {code[1]: [int(seat) for seat in seats] for code, seats in drawn if code and seats}


def test_every_area_names_the_seats_of_its_chips_from_the_first_wager_to_the_last_payment(db):
    scene = make_scene()
    place(scene)
    all_owners = {"big": [1, 2, 8], "small": [2], "total:12": [1]}
    assert seats_on(scene) == all_owners
    for act in ("shake", "no_more_bets"):
        scene.act(act, {"shakes": 3} if act == "shake" else {})
        assert seats_on(scene) == all_owners, act
    scene.act("call_dice", {"dice": [2, 5, 5]})
    assert seats_on(scene) == all_owners
    scene.act("take_losers", {})
    assert seats_on(scene) == {"big": [1, 2, 8], "total:12": [1]}
    scene.act("pay_seats", {"seats": [1]})
    draw, *arguments = layout.areas(scene.snapshot)["big"]
    big = "".join(draw(*arguments))
    assert 'stk--paid" data-owner="1"' in big and "$35 to pay on: seat 2 $10, seat 8 $25." in big


def test_the_table_page_has_the_owners_of_each_area(db):
    scene = make_scene()
    place(scene)
    (big,) = layout.money_on(scene.snapshot)["big"]
    assert [(owner.seat, owner.cents) for owner in big["owners"]] == [(1, 2_500), (2, 1_000), (8, 2_500)]


def test_the_tablet_lists_the_last_twenty_results_newest_first(db):
    scene = make_scene()
    for dice in ([1, 2, 4], [2, 5, 5]):
        scene.play((1, "big", 2_500), dice=dice)
        scene.finish()
    newest, before = ConsoleData(scene.snapshot).results
    assert ">2</th>" in newest and ">12<" in newest and ">1</th>" in before and ">7<" in before
    html = fragments.render("dealer", scene.snapshot)
    assert html.index(newest) < html.index(before)

"""What the High Roll tablet prints: the layout of § 675a.1(b), its payout odds, the limit and the throw box."""

import re

import pytest

from games.chips import KNOWN_CHIPS_CENTS
from games.engine import Rules
from games.registry import game_of
from tables.money.chips import change_chips
from tables.screens import fragments
from tables.screens.table_data import TableData
from tests.tables.cast import make_scene

pytestmark = pytest.mark.django_db
clause = pytest.mark.clause


def text(scene) -> str:
    """The dealer's screen as words, without its tags."""
    html = fragments.render("dealer", scene.snapshot)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html.partition('<script type="application/json"')[0]))


@clause("PA-675a.1(b)(3)")
@pytest.mark.parametrize("rules", ["pa-675a", "pa-675a.6"])
def test_every_wager_stands_on_the_layout_with_the_odds_that_settle_it(rules):
    scene, filed = make_scene(rules), Rules.of(rules)
    said = text(scene)
    for type_ in game_of(filed).wager_types(filed):
        for pays in game_of(filed).possible_odds(filed, type_.code):
            assert re.sub(r"(?<=\d)(?=(\d{3})+ to)", ",", str(pays)) in said, type_.code


@clause("PA-675a.1(b)(2)(iv)", "PA-675a.6(b)(3)")
@pytest.mark.parametrize(
    ("rules", "notice"),
    [("pa-675a", "one unit for every wager and the Extra Roll"), ("pa-675a.6", "one unit for every wager")],
)
def test_the_position_says_that_all_wagers_are_of_one_unit(rules, notice):
    assert notice in text(make_scene(rules))


@clause("PA-675a.1(b)(4)")
def test_a_filed_payout_limit_stands_on_the_screen():
    assert "Payout limit $75,000" in text(make_scene("pa-675a", payout_limit_cents=7_500_000))


def test_the_pit_sees_what_a_layout_of_extra_rolls_may_cost():
    scene = make_scene("pa-675a", payout_limit_cents=7_500_000)
    scene.place((2, "pip:5", 2_500), (2, "like-kind:4", 2_500), (2, "extra-roll", 2_500))
    drawing = TableData(scene.snapshot).exposure
    assert drawing is not None
    # Four fives: 4 to 1 on Pip Street and 1 to 1 on Like Kind, without the fee
    assert (drawing["cost_cents"], drawing["dice"], drawing["worst_chance"]) == (10_000, [], "1 in 11")
    assert drawing["losing_chance"] == "with a chance of 17 %"


def test_no_limit_is_shown_where_none_is_filed():
    assert "Payout limit" not in text(make_scene("pa-675a"))


@clause("PA-675a.1(b)(5)-labels")
def test_the_throw_box_reads_ace_to_two_from_the_dealers_left():
    said = text(make_scene("pa-675a"))
    places = [said.upper().rindex(f" {name} ") for name in ("ACE", "SIX", "FIVE", "FOUR", "THREE", "TWO")]
    assert places == sorted(places)


@clause("PA-675a.1(c)(1)")
def test_each_extra_roll_is_acknowledged_at_its_seat():
    scene = make_scene("pa-675a")
    scene.place((2, "pip:5", 2_500), (2, "like-kind:4", 2_500), (2, "extra-roll", 2_500))
    assert scene.snapshot["round"]["game"]["extra"] == {"seats": [2], "cents": 2_500, "state": "open"}
    assert "Bought at seat 2" in text(scene)


@clause("PA-675a.2(e)(1)")
def test_what_a_seat_still_lacks_is_named_before_no_more_bets():
    scene = make_scene("pa-675a", payout_limit_cents=7_500_000)
    scene.place((2, "like-kind:4", 2_500), (5, "pip:1", 2_500), (5, "extra-roll", 2_500))
    screen_text = text(scene)
    assert "No Pip Street" in screen_text and "No Like Kind" in screen_text
    assert "Seat 2 has no Pip Street wager yet" in screen_text


def test_a_payment_of_twelve_and_a_half_dollars_shows_its_chips():
    scene = make_scene("pa-675a.6")
    change_chips(scene.fresh.facility, KNOWN_CHIPS_CENTS)
    scene.place((1, "pip:2", 2_500), (1, "like-kind:2", 2_500))
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [1, 1, 3, 4, 5, 6]})
    scene.act("move_dice")
    assert "Pay $12.50" in text(scene) and "Cut 2 × $5 2 × $1 1 × $0.50" in text(scene)

"""The loser of two tablets reads who did what on the other one; nobody else reads that somebody was first."""

import pytest

from tests.tables.cast import PIN, make_scene
from tests.tables.test_act_endpoint import refusal, send
from tests.tables.test_football_table import FULL, begin
from tests.tables.test_money import FILL, OPENER, count, fill, keep_inventory

pytestmark = pytest.mark.django_db
DICE = {"dice": [2, 5, 5]}


@pytest.fixture
def second(scene):
    """The floorperson at a podium with the console of the table."""
    return scene.browser("podium", "floorperson")


def loses(browser, scene, act, params, seen, status=422):
    return refusal(send(browser, scene, act, params, seen=seen), status)[0]["message"]


def test_a_step_that_was_done_on_the_other_tablet_is_named(scene, second):
    """Whatever else happened since: the act that left nothing to do, and not the newest."""
    scene.place((1, "small", 2_500), (2, "big", 2_500), (3, "big", 500))
    steps: tuple[tuple[str, dict[str, object]], ...] = (
        ("shake", {"shakes": 3}), ("no_more_bets", {}), ("call_dice", DICE), ("take_losers", {}),
    )  # fmt: skip
    said = []
    for seat, (act, params) in enumerate(steps, 5):
        seen = scene.version
        scene.act(act, params)
        scene.act("refuse_seat", {"seat": seat, "reason": "age"}, by="floorperson", device=scene.podium)
        said.append(loses(second, scene, act, params, seen, 409))
    done = ("Shaken", "No more bets, $55", "Dice 2 5 5 called and lit", "Taken $25")
    assert said == [
        f"Dealer was first on another screen: {words}. The screen now shows what comes next."
        for words in done
    ]


def test_a_seat_that_was_paid_on_the_other_tablet_is_named(scene, second):
    scene.play((1, "big", 2_500), (2, "big", 2_500), dice=[5, 5, 6])
    seen = scene.version
    scene.act("pay_seats", {"seats": [1]})
    said = loses(second, scene, "pay_seats", {"seats": [1]}, seen)
    assert said.startswith(
        "Seat 1 has been paid. Go on to the next seat. Dealer was first on another screen: "
    )
    assert "$25" in said
    assert "first" not in loses(second, scene, "pay_seats", {"seats": [1]}, scene.version)


def test_a_wager_after_no_more_bets_of_the_other_tablet_names_it(scene, second):
    scene.place((1, "small", 2_500))
    scene.act("shake", {"shakes": 3})
    seen = scene.version
    scene.act("no_more_bets")
    wager = {"wagers": [{"seat": 2, "wager": "big", "cents": 500}]}
    said = loses(second, scene, "place_wagers", wager, seen)
    assert said == (
        "No more bets was announced. Give the wager back. Dealer was first on another screen: No more bets, $25."
    )
    own = loses(scene.browser("tablet", "dealer"), scene, "place_wagers", wager, seen)
    assert own == "No more bets was announced. Give the wager back.", "the dealer did that on this tablet"


def test_a_wager_on_a_play_after_the_throw_of_the_stick_names_it():
    """What leaves nothing to do is declared by the game alone, in the `words.py` of its folder."""
    scene = make_scene("pa-577")
    begin(scene, *FULL)
    seen = scene.version
    scene.act("throw_dice", by="stickperson", device=scene.podium)
    wager = {"wagers": [{"seat": 1, "wager": "penalty", "cents": 500, "play": 1}]}
    message = loses(scene.browser("tablet", "dealer"), scene, "place_wagers", wager, seen)
    assert message == (
        "The dice have left the hand, which closed the wagers. Give the wager back. "
        "Stickperson was first on another screen: Dice out, throw 1."
    )
    own = loses(scene.browser("tablet", "dealer"), scene, "place_wagers", wager, scene.version)
    assert "first" not in own, "the throw was on the screen already"


def test_a_second_page_of_one_tablet_is_not_another_screen(scene):
    scene.place((1, "small", 2_500))
    seen = scene.version
    scene.act("shake", {"shakes": 3})
    said = loses(scene.browser("tablet", "dealer"), scene, "shake", {"shakes": 3}, seen, 409)
    assert said.startswith("This tablet recorded it before: Shaken")


def test_wagers_that_were_returned_on_the_other_tablet_are_named(scene, second):
    scene.place((1, "small", 2_500))
    scene.act("void_round", {"reason": "emergency"}, by="floorperson", device=scene.podium)
    seen = scene.version
    back = {"round": 1, "seats": [1]}
    scene.act("return_wagers", back)
    said = loses(second, scene, "return_wagers", back, seen)
    assert "Dealer was first on another screen: " in said


def test_a_call_and_an_alert_that_somebody_else_took_are_named(scene, second):
    seen = scene.version
    scene.act("call_floor", {})
    said = loses(second, scene, "call_floor", {}, seen)
    assert "Dealer was first on another screen: " in said


def test_a_fill_that_was_received_on_the_other_tablet_is_named():
    scene = keep_inventory(make_scene(opened=False))
    scene.staff()
    count(scene, "count_opener", OPENER)
    params = {**fill(scene), "chips": FILL}
    seen = scene.version
    scene.act("receive_transfer", params, witness="floorperson")
    podium, signature = scene.browser("podium", "floorperson"), {"person": "dealer", "pin": PIN}
    answer = send(podium, scene, "receive_transfer", params, seen=seen, witness=signature)
    assert refusal(answer, 422)[0]["message"] == (
        "F-0001 is received. Reload the page and continue from there. "
        "Dealer was first on another screen: Fill F-0001, $3,000: received."
    )

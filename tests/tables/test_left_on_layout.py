"""What lies on the layout has one definition: the sum, the number, and the drawing on the page of a table agree."""

import re

import pytest

from tables.screens import fragments
from tables.screens.table_data import TableData
from tests.tables.cast import Scene, make_scene

FOUR_FIVES = [1, 1, 6, 6, 6, 5, 5, 5, 5, 4]
WAGERS = {
    "pa-625a/A": ((1, "big", 2_500), (2, "small", 20_000), (2, "total:9", 1_000), (4, "total:12", 1_000)),
    "pa-675a": (
        *((2, "pip:5", 2_500), (2, "pip:1", 2_500), (2, "like-kind:4", 2_500), (2, "like-kind:5", 2_500)),
        *((2, "extra-roll", 2_500), (5, "pip:2", 10_000)),
    ),
    "pa-577": (
        (5, "touchdown", 2_500),
        (5, "over-four", 1_000, 1),
        (8, "defense", 500),
        (8, "penalty", 500, 1),
    ),
}
DICE = {"pa-625a/A": [2, 5, 5], "pa-675a": FOUR_FIVES, "pa-577": [6, 4, 2]}


def place(scene: Scene, rules: str) -> None:
    """The wagers, those of the first play with its number, seat by seat."""
    for seat, code, cents, *play in WAGERS[rules]:
        wager = {"seat": seat, "wager": code, "cents": cents, "made_in": "chips"}
        scene.act("place_wagers", {"wagers": [{**wager, "play": play[0]} if play else wager]})


def drawn_cents(scene: Scene) -> int:
    """What the owners on the drawn layout of the page have together."""
    html = fragments.render("table", scene.snapshot)
    layout = html[html.index('class="layout') : html.index('<section class="acts"')].split('class="owned"')[0]
    sums = re.findall(r'class="owner">.*?<em>\$([\d,.]+)</em>', layout, re.DOTALL)
    return sum(round(float(cents.replace(",", "")) * 100) for cents in sums)


def steps(scene: Scene, rules: str):
    """The phases of a round of one throw, or of two, seat by seat; each with what lies there."""
    seen = set()
    for _ in range(40):
        phase = scene.snapshot["round"]["phase"]
        seen.add(phase)
        yield phase, TableData(scene.snapshot)
        following = scene.snapshot["next"]
        params = dict(following["params"])
        if following["act"] == "call_dice":
            params = {"dice": DICE[rules] if following["dice"] in (3, 10) else [1, 2, 3, 5, 6, 6]}
        if following["act"] in ("pay_seats", "settle_seats"):
            params = {"seats": [next(seat for seat in (1, 2, 4, 5, 8) if owes(scene, seat))]}
        scene.act(following["act"], params)
        if scene.round is None or ("lit" in seen and scene.snapshot["round"]["phase"] == "open"):
            return


def owes(scene: Scene, seat: int) -> bool:
    round_ = scene.snapshot["round"]
    if round_["settle"]:
        step = next(step for step in round_["settle"]["steps"] if step["state"] == "now")
        return any(one["seat"] == seat and not one["done"] for one in step["seats"])
    return any(one["seat"] == seat and not one["paid"] for one in round_["pay"]["seats"])


@pytest.mark.parametrize("rules", WAGERS)
def test_in_every_phase_the_sum_of_the_page_is_what_its_layout_draws(db, rules):
    scene = make_scene(rules)
    place(scene, rules)
    phases = []
    for phase, page in steps(scene, rules):
        phases.append(phase)
        assert page.on_layout_cents == drawn_cents(scene), phase
        assert page.on_layout_cents == sum(area["cents"] for area in page.owned_areas), phase
    assert {"lit"} < set(phases)


def test_taken_paid_and_collected_chips_lie_there_no_longer(db):
    scene = make_scene()
    place(scene, "pa-625a/A")
    sums = [(phase, page.on_layout_cents) for phase, page in steps(scene, "pa-625a/A")]
    assert sums == [
        ("open", 24_500), ("shaken", 24_500), ("ready", 24_500), ("lit", 24_500), ("taken", 3_500), ("taken", 1_000),
        ("paid", 0),
    ]  # fmt: skip
    assert scene.last_round.phase == "cleared"


def test_at_clear_the_page_says_that_nothing_lies_there(db):
    scene = make_scene()
    place(scene, "pa-625a/A")
    scene.until("call_dice")
    scene.act("call_dice", {"dice": [2, 5, 5]})
    scene.until("clear_layout")
    words = " ".join(fragments.render("table", scene.snapshot).split())
    assert "<strong>$0</strong> in no wager" in words
    assert "on the layout" not in fragments.render("tile", scene.snapshot)
    assert drawn_cents(scene) == 0

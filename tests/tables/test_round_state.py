"""The state in which a round is: the same words on the tablet and in the pit, and since when."""

import pytest

from tables.screens.console_data import ConsoleData
from tables.screens.floor_data import TileData
from tests.tables.cast import make_scene

STATES = {
    "pa-625a/A": {
        "open": "Bets open",
        "shaken": "Shaken, bets open",
        "ready": "No more bets",
        "lit": "Take",
        "taken": "Pay",
        "paid": "Clear",
    },
    "pa-539": {
        "open": "Bets open",
        "closed": "No more bets",
        "ready": "Shaken, no more bets",
        "lit": "Take",
        "taken": "Pay",
        "paid": "Clear",
    },
    "pa-675a.6": {  # the dice are out once they are called, and their box is the beginning of settling
        "open": "Bets open",
        "closed": "No more bets",
        "ready": "Shaken, no more bets",
        "called": "Settle",
        "lit": "Settle",
        "paid": "Clear",
    },
}
WAGERS = {"pa-675a.6": ((1, "pip:1", 2_500), (1, "like-kind:3", 2_500))}
DICE = {"pa-675a.6": [1, 1, 1, 5, 5, 6]}


@pytest.mark.django_db
@pytest.mark.parametrize("rules", STATES)
def test_the_ribbon_names_the_state_that_the_round_is_in_and_the_pit_says_the_same(rules):
    scene = make_scene(rules)
    scene.place(*WAGERS.get(rules, ((1, "big", 2_500), (2, "small", 2_500))))
    state = "Bets open"
    for phase, words in STATES[rules].items():
        console, tile = ConsoleData(scene.snapshot), TileData(scene.snapshot)
        now = [step["label"] for step in console.ribbon if step["mark"] == "now"]
        assert (scene.round.phase, now, tile.step_label) == (phase, [words], words)
        marks = [step["mark"] for step in console.ribbon]
        assert marks == sorted(marks, key=["done", "now", "todo"].index)
        if words != state:
            assert console.phase_since == scene.snapshot["acts"][0]["at"]
        state = words
        following = scene.round_part["next"]
        params = (
            {"dice": DICE.get(rules, [5, 5, 6])} if following["act"] == "call_dice" else following["params"]
        )
        scene.act(following["act"], params)

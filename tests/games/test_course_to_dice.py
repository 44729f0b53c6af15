"""What leads to the dice is known beforehand, as far as no money moves and nobody decides."""

from dataclasses import replace

import pytest

from games.engine import Rules, Wager
from games.registry import game_by_code
from tests.games.play_high_roll import HIGH_ROLL, WITH, WITHOUT, loose, opened


def acts(game, state) -> list[str]:
    return [coming.act for _, coming in game.course_to_dice(state)]


def of(key: str, phase: str = "open", shaker: str | None = None):
    rules = Rules.of(key)
    game = game_by_code(rules.edition.game)
    return game, game.restore(rules, shaker or rules.edition.default_shaker, phase)


@pytest.mark.parametrize(
    ("key", "course"),
    [
        ("pa-625a/A", ["shake", "no_more_bets", "call_dice"]),
        ("nj-19-47-9", ["no_more_bets", "shake", "call_dice"]),
        ("pa-675a.6", ["no_more_bets", "shake", "call_dice"]),
    ],
)
def test_it_leads_from_open_bets_to_the_call(key, course):
    assert acts(*of(key)) == course


def test_each_act_comes_with_the_state_before_it():
    game, state = of("nj-19-47-9")
    assert [before.phase for before, _ in game.course_to_dice(state)] == ["open", "closed", "ready"]


def test_fees_are_money_so_it_ends_before_they_are_collected():
    assert acts(HIGH_ROLL, opened(WITHOUT)) == ["no_more_bets", "shake", "call_dice"]
    assert acts(HIGH_ROLL, opened(WITH)) == ["no_more_bets", "lock_out_extra_rolls"]
    assert acts(HIGH_ROLL, loose()) == ["gather_loose_dice", "shake", "call_dice"]


def test_who_accepts_the_dice_is_decided_and_then_the_throw_is_known():
    game, state = of("pa-577")
    assert acts(game, state) == []
    assert acts(game, replace(state, quarterback=5)) == ["throw_dice", "call_dice"]


def test_after_the_call_nothing_is_known():
    game, state = of("pa-625a/A", "ready")
    state = replace(state, wagers=(Wager(1, "big", 2_500),))
    assert acts(game, state) == ["call_dice"]
    lit, _ = game.call_dice(state, [2, 5, 5])
    assert acts(game, lit) == []
